"""The sentences of a plan: each that blocks ends in what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry, record

from pressync.model.errors import Code, Problem
from pressync.model.interface import Kind
from pressync.model.reason import ReasonCode
from pressync.model.records import UnconfirmedCreate
from pressync.plan import reasons

if TYPE_CHECKING:
    from pressync.model.reason import Reason

SENT_CREATE = UnconfirmedCreate("a.md", Kind.PAGE, "a", "2024-01-31T12:00:00Z", "c" * 40, {})


@pytest.mark.parametrize(
    "sentence",
    [
        reasons.unconfirmed(SENT_CREATE, read=True),
        reasons.unconfirmed(SENT_CREATE, read=False),
        reasons.because(
            ReasonCode.UNCONFIRMED_SECOND, "a.md", kind="page", record=7, slug="a", time=SENT_CREATE.time
        ),
        reasons.forgotten(entry("a.md")),
        reasons.broken(Problem("a.md", 3, "no title", code=Code.VALUE), "a.md"),
        reasons.because(ReasonCode.BOUND_OTHERWISE, "a.md", front_matter=12, record=7),
        reasons.cannot_create(Kind.POST, "a.md"),
        reasons.maybe_renamed("b.md", shallow=True),
        reasons.maybe_renamed("b.md", shallow=False),
        reasons.other_kind(Kind.PAGE, Kind.POST, "a.md", ("b.md", 1)),
        reasons.conflict(("title",), "content/pages/about.md", read=True),
        reasons.conflict(("title",), "content/pages/about.md", read=False),
        reasons.because(ReasonCode.DELETED, "a.md", kind="page", record=7),
        reasons.because(ReasonCode.EDITED_AND_REMOVED, "content/pages/about.md", fields=("title",)),
        reasons.because(ReasonCode.OUTSIDE, "a.md"),
        reasons.because(ReasonCode.PROTECTED, "a.md"),
        reasons.unproven("a.md", shallow=True),
        reasons.unproven("a.md", shallow=False),
    ],
)
def test_a_sentence_that_blocks_names_a_command(sentence: Reason) -> None:
    what, _, todo = str(sentence).rpartition("; ")
    assert what
    assert "`" in todo


def test_a_page_whose_folder_page_was_removed_is_told_to_move_and_not_to_have_lost_a_key() -> None:
    said = str(reasons.differences(["title"], (), ["parent", "excerpt"], "content/pages/docs/index.md"))
    assert said == (
        "it is no longer below content/pages/docs/index.md, so it moves to the top; title changed; "
        "excerpt was removed from front matter; the site's value will be emptied"
    )


def test_a_site_that_can_be_read_is_looked_at_before_a_person_has_to_look() -> None:
    itself = "the next `pressync sync` looks for it by itself"
    assert itself in str(reasons.unconfirmed(SENT_CREATE, read=True))
    assert itself not in str(reasons.unconfirmed(SENT_CREATE, read=False))
    path = "content/pages/about.md"
    assert f"`pressync pull {path}`" in str(reasons.conflict(("title",), path, read=True))
    assert "pull" not in str(reasons.conflict(("title",), path, read=False))


def test_a_title_on_the_site_never_poses_as_a_command() -> None:
    there = record("a.md", 7, title="`git x; y`")
    assert reasons.several("a.md", [there]).split("`")[1::2] == ["pressync adopt a.md 7"]
