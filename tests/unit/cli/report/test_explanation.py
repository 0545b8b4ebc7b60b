"""The text and the rows of an explanation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.builders import why

from pressync.app.explain.origins import (
    Cause,
    ExplainedField,
    Explanation,
    FieldState,
    Revised,
    ValueOrigin,
    ValueSource,
)
from pressync.cli.report.explanation import document, text
from pressync.model.changes import Blocked, Delete, Keep
from pressync.model.interface import Kind
from pressync.model.records import Entry

PATH = "content/pages/a.md"
LINK, TIME = "https://example.org/a-2/", "2024-05-01T10:00:00"
ENTRY = Entry(PATH, Kind.PAGE, 7, "a-2", LINK, TIME, "", "b", "c" * 40, {})
DELETED = Entry(PATH, Kind.PAGE, 7, "a-2", LINK, TIME, "", "b", "c" * 40, {}, conflict={"status": "deleted"})
ADOPTED = Entry(PATH, Kind.PAGE, 7, "", "", "", "", "", "", {})
SLUG = ExplainedField(
    "slug", "a", "a", ValueOrigin(ValueSource.FRONT_MATTER, f"{PATH}:2"), FieldState.SENT, bent=True
)
TITLE = ExplainedField(
    "title", "T", "T" * 60, ValueOrigin(ValueSource.DEFAULT, "pressync.toml:4", "for all files"),
    FieldState.CHANGED, edit="Their title",
)  # fmt: skip
FOUND = Explanation(
    path=PATH,
    site="live",
    target="https://example.org/wp-json",
    kind=Kind.PAGE,
    entry=ENTRY,
    fields=(SLUG, TITLE),
    change=Keep(PATH, Kind.PAGE, 7, ENTRY),
)


def test_a_field_says_its_place_and_what_happened_to_it() -> None:
    said = text(FOUND)
    assert "  slug   a " in said
    assert " line 2 " in said
    assert said.count("changed by the service to a-2") == 1
    assert f"{'T' * 39}… " in said
    assert "pressync.toml:4, for all files  changed, edited on the site\n" in said
    assert "  changed by it     slug: the service stored another value than was sent\n" in said
    assert "  last sent from    cccccccccc\n" in said  # this clone does not have the commit
    assert document(FOUND)["sent"] is not None


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (replace(FOUND, looked=True, fields=()), "edited there      nothing since the last sync"),
        (replace(FOUND, fields=()), "edited there      not asked; `--drift` reads the site"),
        (FOUND, "edited there      title, since the last sync"),
        (replace(FOUND, entry=DELETED), "on the site       deleted, when a sync last looked"),
        (
            replace(FOUND, revised=Revised("2024-05-01T10:00:00Z", "jane")),
            "on the site       last revised 2024-05-01T10:00:00Z by jane",
        ),
        (replace(FOUND, entry=ADOPTED), "last sent from    never: it was adopted, and nothing was sent yet"),
        (replace(FOUND, is_committed=False), "not committed     the file of the working tree"),
        (
            replace(FOUND, change=Delete(PATH, Kind.PAGE, 7, why("its file was removed"), ENTRY)),
            "it deletes page 7: its file was removed",
        ),
        (
            replace(FOUND, change=Blocked(PATH, Kind.PAGE, 7, why("a conflict"))),
            "it does nothing here, because something is in the way: a conflict",
        ),
        (replace(FOUND, change=None), "nothing: a sync does not read this file as a page or a post"),
        (replace(FOUND, refusals=("too many",)), "But a sync of this site stops first: too many"),
    ],
)
def test_each_part_has_its_line(found: Explanation, line: str) -> None:
    assert f"  {line}" in text(found)


def test_the_causes_of_an_update_follow_its_reason() -> None:
    causes = (
        Cause("setting", "pressync.toml:4", "`blocks` is true, and was false"),
        Cause("parent", "", "moved"),
    )
    found = replace(FOUND, causes=causes)
    assert "  since then: pressync.toml:4: `blocks` is true, and was false\n  since then: moved\n" in text(
        found
    )
    assert document(found)["causes"] == [
        {"kind": "setting", "place": "pressync.toml:4", "note": "`blocks` is true, and was false"},
        {"kind": "parent", "place": None, "note": "moved"},
    ]


def test_text_from_outside_cannot_control_a_terminal() -> None:
    bad = replace(FOUND, path="a\x1b[2J.md", fields=(replace(TITLE, shown="\x1b[31mred\nnext"),))
    assert "\x1b" not in text(bad)
