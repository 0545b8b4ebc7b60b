"""The account names what was not read of the site."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.builders import create, entry, keep, plan, prints, record, update

from pressync.app.rehearse import not_read
from pressync.app.rehearse.live_site import LiveSite
from pressync.model.changes import Keep
from pressync.model.interface import Kind
from pressync.model.outcomes import RunResult

NEW = create("new.md", fingerprints=prints("new.md", template="wide.php"))
READ = LiveSite(home="https://example.org")


def test_a_template_that_no_record_is_known_to_have_is_named_with_its_document() -> None:
    also = update("old.md", "template", fingerprints=prints("old.md", template="nope.php"))
    (row,) = not_read.templates([NEW, also], READ)
    assert row.what == "the templates of its theme"
    assert row.site == "not read: a sync fails unless the theme has what is named in new.md, old.md"


@pytest.mark.parametrize(
    "changes",
    [
        [create("new.md")],
        [create("new.md", fingerprints=prints("new.md", template=""))],
        [update("old.md", "content", fingerprints=prints("old.md", template="wide.php"))],
        [NEW, Keep("k.md", Kind.PAGE, 7, entry("k.md", fingerprints=prints("k.md", template="wide.php")))],
    ],
    ids=["no template", "the theme's own", "it stays", "synced before"],
)
def test_a_template_of_which_a_sync_asks_nothing_new_is_not_named(changes: list[Keep]) -> None:
    assert list(not_read.templates(changes, READ)) == []


def test_a_template_that_a_record_of_the_site_has_is_known() -> None:
    live = replace(READ, records=(record("other.md", template="wide.php"),))
    assert list(not_read.templates([NEW], live)) == []


def test_records_that_are_up_to_date_were_not_read_where_the_site_can_be_read() -> None:
    result = RunResult(plan(keep("a.md")), ())
    (row,) = not_read.up_to_date(result, READ)
    assert row.what == "records that are up to date"
    assert "`pressync plan --drift`" in row.site
    assert list(not_read.up_to_date(result, LiveSite())) == []
    assert list(not_read.up_to_date(RunResult(plan(), ()), READ)) == []
