"""A plan with `--overwrite` names each edit of others that it overwrites, and counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.builders import create, delete, desired, entry, keep, prints, update

from pressync.plan import overwritten

if TYPE_CHECKING:
    from pressync.model.changes import Change

A, B, C = "content/pages/a.md", "content/pages/b.md", "content/pages/c.md"
EDITED = {"content": "<p>theirs</p>"}


def test_each_record_whose_edit_is_lost_is_named() -> None:
    changes: list[Change] = [
        update(A, "content", old=entry(A, conflict=EDITED)),
        update(B, "title", old=entry(B, 8, conflict=EDITED), number=8),
        delete(C, 9, conflict=EDITED),
        create("content/pages/d.md"),
        keep("content/pages/e.md", 10),
    ]
    assert overwritten.overwritten_edits(changes) == [
        f"Edits on the site are overwritten in 2 records: {A}, {C}."
    ]


def test_nothing_is_lost_of_what_the_file_says_too_or_of_what_is_in_the_trash() -> None:
    taken = desired(A, fingerprints=prints(A, content="<p>theirs</p>"))
    same = update(A, "content", old=entry(A, conflict=EDITED), fingerprints=taken.fingerprints)
    assert overwritten.overwritten_edits([same, delete(C, 9, conflict={"status": "trash"})]) == []


def test_a_long_list_is_cut_and_counted() -> None:
    many = [delete(f"content/pages/p{n:02}.md", n, conflict=EDITED) for n in range(1, 24)]
    (sentence,) = overwritten.overwritten_edits(many)
    assert sentence.endswith("content/pages/p20.md and 3 more.")
    assert "in 23 records" in sentence


def test_the_line_of_the_change_says_it_too() -> None:
    assert (
        str(overwritten.reason(["content"])) == "content was edited on the site, and the edit is overwritten"
    )
    assert (
        str(overwritten.reason(["status"], trashed=True)) == "it is in the trash on the site, and comes back"
    )
    assert str(overwritten.reason([])) == ""
