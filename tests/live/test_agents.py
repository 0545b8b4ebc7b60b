"""The account of an agent on real WordPress: a contributor's writes drafts, one with more rights does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import requests
from tests.support.syncing import Bound

from pressync.client.connect import open_service
from pressync.client.credentials import basic
from pressync.client.port import require_readable
from pressync.model.errors import SafetyRefusal
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
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
