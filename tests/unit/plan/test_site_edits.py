"""A plan that knows every record shows what no file asks for: statuses, and terms that somebody deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from tests.support.builders import entry, keep, update, why

from pressync.model.changes import Block, Blocked
from pressync.model.interface import Kind
from pressync.plan.site_edits import shown

if TYPE_CHECKING:
    from pressync.model.changes import Change

PATH = "content/pages/about.md"
DRAFT = {PATH: replace(entry(PATH), conflict={"status": "draft"})}


def test_a_page_that_somebody_unpublished_is_a_conflict_though_its_file_names_no_status() -> None:
    (change,) = shown([keep(PATH)], DRAFT, {})
    assert isinstance(change, Blocked)
    assert (change.block, change.fields) == (Block.CONFLICT, ("status",))
    assert "its status is 'draft' on the site" in change.reason
    assert f"`pressync pull {PATH}`" in change.reason


def test_an_update_of_it_goes_on_and_says_that_the_status_stays() -> None:
    (change,) = shown([update(PATH, "content")], DRAFT, {})
    assert change.reason == "content changed; its status stays 'draft', as somebody chose on the site"


def test_an_update_that_sends_the_status_says_nothing_more() -> None:
    (change,) = shown([update(PATH, "status")], DRAFT, {})
    assert change.reason == "status changed"


def test_a_conflict_that_a_deleted_term_explains_says_so() -> None:
    blocked = Blocked(
        PATH, Kind.PAGE, 7, why("categories changed on the site"), Block.CONFLICT, ("categories",)
    )
    (change,) = shown([blocked], {PATH: entry(PATH)}, {PATH: why("'News' was deleted")})
    assert change.reason == "'News' was deleted"


def test_everything_else_stays_as_it_is() -> None:
    changes: list[Change] = [keep(PATH), update(PATH, "title"), Blocked(PATH, Kind.PAGE, 7, why("protected"))]
    assert shown(changes, {PATH: entry(PATH)}, {PATH: why("'News' was deleted")}) == changes
