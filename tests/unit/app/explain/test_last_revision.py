"""Who revised a record last: WordPress says it to some accounts, and of some records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.embedded_wordpress import ENVIRON
from tests.support.strict_service import Fault, answer
from tests.support.syncing import Bound

from pressync.app.explain.explanation import Revised
from pressync.app.explain.last_revision import last_revision
from pressync.model.interface import Kind
from pressync.plan.decide import adopted

if TYPE_CHECKING:
    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

PAGE = adopted("content/pages/a.md", Kind.PAGE, 7)
# As WordPress 6.8 responds.
NEWEST = [{"author": 1, "date_gmt": "2024-05-01T10:00:00"}]


def asked(site: EmbeddedWordPress, repository: SampleRepository, *responses: object) -> Revised | None:
    """Ask for the last revision; the first requests get these responses."""
    site.faults.extend(Fault(acts=False, sends=answer(body=json.dumps(each).encode())) for each in responses)
    with Bound(repository.root, site.url, environ=ENVIRON).workspace() as workspace:
        return last_revision(workspace, PAGE)


def test_it_is_named_with_its_user(site: EmbeddedWordPress, repository: SampleRepository) -> None:
    found = asked(site, repository, NEWEST)
    assert found == Revised("2024-05-01T10:00:00Z", "admin")
    assert [each.path.partition("?")[0] for each in site.received] == [
        "/wp-json/wp/v2/pages/7/revisions",
        "/wp-json/wp/v2/users/1",
    ]


def test_a_user_whom_the_account_does_not_see_is_a_number(
    site: EmbeddedWordPress, repository: SampleRepository
) -> None:
    found = asked(site, repository, [{"author": 99, "date_gmt": "2024-05-01T10:00:00"}])
    assert found == Revised("2024-05-01T10:00:00Z", "user 99")


def test_a_name_cannot_control_a_terminal(site: EmbeddedWordPress, repository: SampleRepository) -> None:
    found = asked(site, repository, NEWEST, {"name": "a\x1b[31m\nb", "slug": "a"})
    assert found
    assert found.who.isprintable()


def test_without_revisions_nothing_is_said(site: EmbeddedWordPress, repository: SampleRepository) -> None:
    assert asked(site, repository) is None
    assert asked(site, repository, []) is None
