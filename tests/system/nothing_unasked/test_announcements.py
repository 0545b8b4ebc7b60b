"""A site tells nobody of posts that are many, old or back from the trash, as far as its plug-ins allow it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.support.clones import bound, changes, clone, drift
from tests.support.embedded_wordpress import ENVIRON
from tests.support.terminal import Terminal
from tests.support.undoing import rolled_back

from pressync.model.errors import SafetyRefusal
from pressync.plan.build import PlanOptions
from pressync.plan.notes import MOST

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository
    from tests.support.syncing import Bound

JETPACK, SOCIAL, FEDIVERSE = (
    "_jetpack_dont_email_post_to_subs",
    "jetpack_publicize_feature_enabled",
    "activitypub_content_visibility",
)
NEWS = "content/posts/news.md"


@pytest.fixture
def wordpress(site: EmbeddedWordPress) -> EmbeddedWordPress:
    return site


def old(number: int) -> dict[str, str]:
    return {
        f"content/posts/old-{n}.md": f"---\ndate: 2019-01-{n % 28 + 1:02}\n---\n# Old {n}\n"
        for n in range(number)
    }


def fresh(number: int) -> dict[str, str]:
    today = datetime.now(UTC).date()
    return {f"content/posts/new-{n}.md": f"---\ndate: {today}\n---\n# New {n}\n" for n in range(number)}


def asked(wordpress: EmbeddedWordPress) -> int:
    return sum("_method=OPTIONS" in each.path for each in wordpress.received)


def test_fifty_old_posts_go_to_a_site_with_jetpack_and_no_subscriber_hears_of_them(
    wordpress: EmbeddedWordPress, repository: SampleRepository
) -> None:
    wordpress.registered = {"footnotes": "string", JETPACK: "boolean"}
    repository.commit({**old(50), "content/pages/a.md": "# A\n"})
    site = bound(repository, wordpress)
    site.sync()
    posts = {entry.id for entry in site.entries().values() if entry.kind == "post"}
    assert len(posts) == 50
    assert wordpress.custom == {number: {JETPACK: True} for number in posts}
    assert asked(wordpress) == 1
    assert not any("meta" in entry.fingerprints for entry in site.entries().values())
    assert changes(site.plan()) == changes(drift(site)) == {}


def test_without_the_field_the_same_bytes_go_as_with_notify(
    wordpress: EmbeddedWordPress, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit(old(5))
    begun = wordpress.memory()
    sent = []
    cases: tuple[tuple[dict[str, str], bool], ...] = (
        ({}, False),
        ({"footnotes": "string"}, False),
        ({JETPACK: "boolean"}, True),
    )
    for number, (wordpress.registered, notify) in enumerate(cases):
        wordpress.recall(begun)
        wordpress.received.clear()
        clone(repository, wordpress, tmp_path / f"{number}").sync(PlanOptions(notify=notify), concurrency=1)
        sent.append([each.body for each in wordpress.received if each.method == "POST"])
    assert sent[0] == sent[1] == sent[2] != []
    assert b'"meta"' not in b"".join(sent[0])
    assert wordpress.custom == {}


def test_news_is_told_as_always_and_the_site_is_not_even_asked(
    wordpress: EmbeddedWordPress, repository: SampleRepository
) -> None:
    wordpress.registered = {JETPACK: "boolean"}
    repository.commit({**fresh(MOST - 1), NEWS: "# News\n"})
    site = bound(repository, wordpress)
    site.sync()
    assert wordpress.custom == {}
    assert asked(wordpress) == 0
    repository.commit({**old(1), "content/posts/more.md": "# More\n"})
    site.sync()
    assert wordpress.custom == {site.entries()["content/posts/old-0.md"].id: {JETPACK: True}}


@pytest.mark.parametrize("limit", [None, 2])
def test_many_new_posts_are_no_news_in_parts_either(
    wordpress: EmbeddedWordPress, repository: SampleRepository, limit: int | None
) -> None:
    wordpress.registered = {JETPACK: "boolean", SOCIAL: "boolean", FEDIVERSE: "string"}
    repository.commit(fresh(MOST + 1))
    site = bound(repository, wordpress)
    site.sync(PlanOptions(limit=limit))
    quiet = {JETPACK: True, SOCIAL: False, FEDIVERSE: "local"}
    assert wordpress.custom == {entry.id: quiet for entry in site.entries().values()}
    assert len(wordpress.custom) == (limit or MOST + 1)


def test_a_draft_tells_nobody_until_it_is_published_and_an_edit_never_does(
    wordpress: EmbeddedWordPress, repository: SampleRepository
) -> None:
    wordpress.registered = {JETPACK: "boolean"}
    repository.commit({NEWS: "---\ndate: 2019-01-01\nstatus: draft\n---\n# News\n"})
    site = bound(repository, wordpress)
    site.sync()
    assert (asked(wordpress), wordpress.custom) == (0, {})
    repository.commit({NEWS: "---\ndate: 2019-01-01\nstatus: publish\nmeta:\n  footnotes: ''\n---\n# News\n"})
    site.sync()
    assert wordpress.custom == {site.entries()[NEWS].id: {JETPACK: True}}
    before = asked(wordpress)
    repository.commit({NEWS: "---\ndate: 2019-01-01\nstatus: publish\n---\n# Newer\n"})
    site.sync()
    assert asked(wordpress) == before


def sign(wordpress: EmbeddedWordPress, repository: SampleRepository) -> Bound:
    wordpress.registered = {"_jetpack_newsletter_access": "string", FEDIVERSE: "string"}
    repository.commit(old(3))
    return bound(repository, wordpress)


def test_a_site_that_cannot_be_kept_quiet_is_named_and_nothing_is_sent(
    wordpress: EmbeddedWordPress, repository: SampleRepository
) -> None:
    site = sign(wordpress, repository)
    with pytest.raises(SafetyRefusal, match=r"this site mails subscribers \(Jetpack\).*3 posts would go out"):
        site.sync()
    assert {each.method for each in wordpress.received} == {"GET"}
    assert [refusal.code for refusal in drift(site).refusals] == ["would_tell"]
    site.sync(PlanOptions(notify=True))
    assert len(site.entries()) == 3
    assert wordpress.custom == {}


def test_the_settings_of_the_site_may_let_it_tell(
    wordpress: EmbeddedWordPress, repository: SampleRepository
) -> None:
    site = sign(wordpress, repository)
    # A field of another type does not prevent it.
    wordpress.registered = {JETPACK: "object"}
    with pytest.raises(SafetyRefusal, match="3 posts would go out"):
        site.sync()
    table = f'[sites.s]\nurl = "{wordpress.url}"\ndialect = "wordpress"\nnotify = true\n'
    repository.commit({"pressync.toml": table})
    site.environ = {**site.environ, "PRESSYNC_SITE": "s"}
    before = asked(wordpress)
    site.sync()
    assert len(site.entries()) == 3
    assert (asked(wordpress), wordpress.custom) == (before, {})


def test_a_rollback_tells_nobody_of_the_posts_that_come_back(
    wordpress: EmbeddedWordPress, repository: SampleRepository
) -> None:
    wordpress.registered = {JETPACK: "boolean"}
    repository.commit({NEWS: "# News\n", "content/posts/draft.md": "# Draft\n"})
    site = bound(repository, wordpress)
    site.sync()
    ids = {entry.id for entry in site.entries().values()}
    repository.remove(NEWS)
    repository.commit({"content/posts/draft.md": "---\nstatus: draft\n---\n# Draft\n"})
    site.sync()
    assert wordpress.custom == {}
    rolled_back(site)
    assert {wordpress.shown[number]["status"] for number in ids} == {"publish"}
    assert wordpress.custom == {number: {JETPACK: True} for number in ids}


def test_a_plan_says_whom_the_site_would_tell(
    wordpress: EmbeddedWordPress, repository: SampleRepository
) -> None:
    wordpress.registered = {JETPACK: "boolean", SOCIAL: "boolean"}
    repository.commit(old(2))
    site = bound(repository, wordpress)
    assert any("would tell subscribers of 2 posts" in note for note in site.plan().notes)
    assert any(
        note.startswith(
            "This site mails subscribers (Jetpack) and shares posts on social networks (Jetpack Social). It "
            "tells nobody of 2 posts of this run"
        )
        for note in drift(site).notes
    )
    assert not any("subscribers" in note for note in site.plan(PlanOptions(notify=True)).notes)
    assert wordpress.custom == {}


def test_the_commands_say_it_and_take_the_option(
    wordpress: EmbeddedWordPress, repository: SampleRepository
) -> None:
    sign(wordpress, repository)
    terminal = Terminal(repository, {**ENVIRON, "PRESSYNC_URL": wordpress.url})
    refused = terminal.run("sync", "--yes", exits=4)
    assert "tell them with `pressync sync --notify`" in refused.stderr
    assert "Sync would refuse" in terminal.run("plan", "--drift").stdout
    wordpress.registered = {JETPACK: "boolean"}
    assert "It tells nobody of 3 posts of this run" in terminal.run("sync", "--yes").stderr
    repository.remove(*old(3))
    repository.commit({NEWS: "# News\n"})
    terminal.run("sync", "--yes", "--max-delete", "3")
    wordpress.registered = {"_jetpack_newsletter_access": "string"}
    refused = terminal.run("rollback", "--yes", exits=4)
    assert re.search(r"3 posts would go out; .*`pressync rollback \S+ --notify`", refused.stderr)
    terminal.run("rollback", "--yes", "--notify")
    assert [record["status"] for record in wordpress.shown.values()].count("publish") == 3
