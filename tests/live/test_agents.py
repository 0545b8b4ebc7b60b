"""The account of an agent on real WordPress: a contributor's writes drafts, one with more rights does not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import requests
from tests.live.network import network_of
from tests.support.syncing import Bound
from tests.support.terminal import Terminal
from tests.system.tools_hand.test_attacks import GIT, TEXTS, Clone

from pressync.app.agents import place_of
from pressync.client.connect import open_service
from pressync.client.credentials import basic
from pressync.client.port import require_readable
from pressync.model.errors import SafetyRefusal
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

POST = "content/posts/idea.md"
DRAFT = "---\nslug: an-idea-of-an-agent\nstatus: draft\n---\n# Idea\n\nText.\n"


def bound(repository: SampleRepository, site: Site, role: str) -> Bound:
    """Bind a repository to the site as a tool of an agent with the account of this role."""
    agent = {"PRESSYNC_AGENT_USER": role, "PRESSYNC_AGENT_PASSWORD": site.passwords[role]}
    environ = {"PRESSYNC_DIALECT": "wordpress", **agent}
    return Bound(repository.root, f"{site.url}/wp-json", environ=environ, as_agent=True)


@pytest.mark.parametrize(
    ("role", "right"),
    [("author", "upload_files"), ("editor", "moderate_comments"), ("admin", "switch_themes")],
)
def test_an_account_that_may_do_more_than_write_drafts_sends_nothing(
    wordpress: Site, repository: SampleRepository, role: str, right: str
) -> None:
    repository.commit({POST: DRAFT})
    with pytest.raises(SafetyRefusal, match=f"the account has the right `{right}`"):
        bound(repository, wordpress, role).sync(PlanOptions(as_agent=True))


def test_a_contributor_writes_a_draft_and_not_what_a_person_has_published(
    wordpress: Site, repository: SampleRepository
) -> None:
    agent = bound(repository, wordpress, "contributor")
    for text in ("Text.", "A better text."):
        repository.commit({POST: DRAFT.replace("Text.", text)})
        agent.sync(PlanOptions(as_agent=True))
        repository.commit()
    secret = basic("contributor", wordpress.passwords["contributor"])
    service = open_service(f"{wordpress.url}/wp-json", dialect="wordpress", authorization=secret)
    judgement = require_readable(service).account()
    service.close()
    assert (judgement.beyond, judgement.unseen) == ("", frozenset())

    number = agent.entries()[POST].id
    requests.post(
        f"{wordpress.url}/wp-json/wp/v2/posts/{number}",
        json={"status": "publish"},
        auth=("admin", wordpress.passwords["admin"]),
        timeout=30,
    )
    repository.commit({POST: DRAFT.replace("Text.", "A third text.")})
    (outcome,) = agent.sync(PlanOptions(as_agent=True)).outcomes
    assert outcome.message.startswith("published by a person since it was sent")


def by_filter(right: str) -> str:
    """Write a plug-in that grants a right to everybody who is asked for it."""
    return f"add_filter('user_has_cap', fn ($all) => $all + ['{right}' => true]);"


def by_mapping(right: str) -> str:
    """Write a plug-in that asks for no other right where this one is asked for."""
    return f"add_filter('map_meta_cap', fn ($all, $one) => $one === '{right}' ? ['exist'] : $all, 10, 2);"


# The list of rights of the account shows none of these.
EVALUATED = {
    by_filter("publish_posts"): "of its draft at /wp/v2/posts that it may publish",
    by_filter("edit_others_posts"): "may edit what others wrote",
    by_filter("edit_published_posts"): "PATCH, POST, PUT at /wp/v2/posts/{own}, which is published",
    by_filter("upload_files"): "allows it POST at /wp/v2/media",
    by_filter("manage_options"): "allows it PATCH, POST, PUT at /wp/v2/settings",
    by_mapping("unfiltered_html"): "scripts too (`unfiltered_html`)",
    by_mapping("edit_post"): "PATCH, POST, PUT at /wp/v2/",
}


@pytest.mark.one_site
def test_what_a_network_and_filters_add_to_the_rights_of_a_contributor_is_seen(
    wordpress: Site, repository: SampleRepository, tmp_path: Path
) -> None:
    (plugins := tmp_path / "plug-ins").mkdir()
    with network_of(wordpress, plugins) as network:
        posts = f"{network.site.url}/wp-json/wp/v2/posts"

        def rights(role: str) -> Any:  # noqa: ANN401 - any JSON
            me = posts.replace("posts", "users/me?context=edit")
            return requests.get(me, auth=(role, network.site.passwords[role]), timeout=30).json()[
                "capabilities"
            ]

        def judged(role: str) -> tuple[bool, str]:
            with bound(repository, network.site, role).workspace() as workspace:
                return place_of(workspace)[:2]

        assert rights("super") == rights("plain")
        may_write, why = judged("super")
        assert (may_write, "the site allows it DELETE, PATCH, POST, PUT at" in why) == (False, True)

        repository.commit({POST: DRAFT, "content/posts/two.md": DRAFT.replace("idea", "second-idea")})
        assert judged("plain") == (True, "the site says that user 2 can only write drafts of its own")
        agent = bound(repository, network.site, "plain")
        agent.sync(PlanOptions(as_agent=True))
        own = agent.entries()[POST].id
        admin = ("admin", network.site.passwords["admin"])
        requests.post(f"{posts}/{own}", json={"status": "publish"}, auth=admin, timeout=30).raise_for_status()
        assert judged("plain")[0]
        for plug_in, expected in EVALUATED.items():
            network.plug_in(plug_in)
            may_write, why = judged("plain")
            assert (may_write, expected.format(own=own) in why) == (False, True), (plug_in, why)


# These follow each other in one clone; the last one sends the run elsewhere.
SHARE = (
    *("hooks", "a filter, clean", "settings that include others", "an id of a person's post"),
    *("a manifest in a reference, and a row for any record", "another address of the site"),
)


@pytest.mark.parametrize("role", ["contributor", "author", "admin"])
def test_no_attack_reaches_what_a_person_has_published(
    wordpress: Site, repository: SampleRepository, tmp_path: Path, role: str
) -> None:
    def published() -> list[tuple[Any, ...]]:
        query = {"status": "publish,private,future", "context": "edit", "per_page": "100"}
        auth = ("admin", wordpress.passwords["admin"])
        got = requests.get(f"{wordpress.url}/wp-json/wp/v2/posts", params=query, auth=auth, timeout=30).json()
        return [(row["id"], row["status"], row["modified_gmt"], row["content"]["raw"]) for row in got]

    url = f"{wordpress.url}/wp-json"
    repository.commit({"content/posts/about.md": "# About\n\nA person wrote this.\n", POST: DRAFT})
    toml = f'[sites.default]\nurl = "{url}"\ndialect = "wordpress"\n'
    repository.commit({"pressync.toml": toml})
    person = {"PRESSYNC_USER": "admin", "PRESSYNC_PASSWORD": wordpress.passwords["admin"]}
    Terminal(repository, person).run("config", "--trust")
    Terminal(repository, person).run("sync", "--yes", "content/posts/about.md")
    repository.commit()
    outside, program = tmp_path / "outside", tmp_path / "program"
    outside.mkdir()
    program.write_text(f'#!/bin/sh\necho x >>"{tmp_path / "ran"}"\n')
    program.chmod(0o755)
    before = published()
    site: Any = SimpleNamespace(url=url, shown={before[0][0]: None})
    clone = Clone(repository, outside, site, "http://127.0.0.1:9", [])
    agent = {"PRESSYNC_AGENT_USER": role, "PRESSYNC_AGENT_PASSWORD": wordpress.passwords[role]}
    for name in SHARE:
        clone.write(next(attack for attack in (*GIT, *TEXTS) if attack.name == name))
        # The commit of this test has run what the attacks before had written.
        clone.mark.unlink(missing_ok=True)

        said = Terminal(repository, agent).attempt("sync", "--as-agent", "--keep-going")

        assert published() == before
        assert not clone.mark.exists()
        assert role == "contributor" or "1 done" not in said
