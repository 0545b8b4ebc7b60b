"""`pressync explain` as people and programs call it: text, some fields, JSON by its schema, each line."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jsonschema
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
from pressync.cli.report.explanation import document as rows
from pressync.cli.report.explanation import text as shown
from pressync.model.changes import Blocked, Delete, Keep
from pressync.model.interface import Kind
from pressync.model.records import Entry

if TYPE_CHECKING:
    from tests.support.terminal import Terminal


ABOUT = "content/pages/about.md"


def document(terminal: Terminal, *arguments: str) -> dict[str, Any]:
    """Give the JSON of an explanation, and hold it to its schema."""
    schema = json.loads(terminal.run("schema", "explain").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    found: dict[str, Any] = json.loads(terminal.run("explain", *arguments, "--format", "json").stdout)
    jsonschema.Draft202012Validator({**schema, "unevaluatedProperties": False}).validate(found)
    return found


def test_it_goes_from_the_file_to_the_next_sync(terminal: Terminal) -> None:
    said = terminal.run("explain", ABOUT).stdout
    assert said.startswith(f"{ABOUT}: page, without a record, site default (")
    assert "\n  menu_order  2" in said
    assert "line 3, `weight`" in said
    assert said.endswith("The next sync\n  it creates a page: new document\n")
    terminal.run("sync", "--yes")
    said = terminal.run("explain", ABOUT).stdout
    assert "  last sent from    " in said
    assert "edited there      not asked; `--drift` reads the site" in said
    assert said.endswith(
        "  nothing: the file, its template, defaults, parent and links are as they were last sent\n"
    )


def test_json_has_the_same_and_some_fields_can_be_chosen(terminal: Terminal) -> None:
    new = document(terminal, ABOUT)
    assert (new["id"], new["sent"], new["next"]["action"]) == (None, None, "create")
    terminal.run("sync", "--yes")
    found = document(terminal, ABOUT, "menu_order")
    assert [(each["name"], each["value"], each["place"]) for each in found["fields"]] == [
        ("menu_order", 2, f"{ABOUT}:3")
    ]
    assert found["sent"]["commit"] == found["source"]["commit"]
    assert found["next"] == {"action": "keep", "fields": [], "reason": ""}
    assert "About us" not in terminal.run("explain", ABOUT, "menu_order").stdout
    terminal.repository.commit({"notes.txt": "x"})
    assert document(terminal, "notes.txt")["not_a_document"] == "it is not below the content folder, content/"


def test_a_wrong_field_and_a_look_where_nothing_can_be_read_are_refused(terminal: Terminal) -> None:
    said = terminal.run("explain", ABOUT, "titel", exits=2).stderr
    assert "it has no field 'titel'; name one of author, " in said
    assert "does not show how to read records" in terminal.run("explain", ABOUT, "--drift", exits=2).stderr


def test_the_problems_of_the_file_are_told_and_a_limit_that_stops_the_sync(terminal: Terminal) -> None:
    toml = '[sites.live]\nurl = "http://127.0.0.1:9/"\nbranch = "other"\n'
    terminal.repository.commit({"pressync.toml": toml, ABOUT: "---\ntitle: About us\nstatus: bogus\n---\n"})
    terminal.environ.pop("PRESSYNC_URL")
    result = terminal.run("explain", ABOUT)
    assert f"{ABOUT}:3: status cannot be 'bogus'" in result.stderr
    assert "it does nothing here, because something is in the way: its file has problems" in result.stdout
    assert "But a sync of this site stops first:" in result.stdout
    assert document(terminal, ABOUT)["refusals"]


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
    said = shown(FOUND)
    assert "  slug   a " in said
    assert " line 2 " in said
    assert said.count("changed by the service to a-2") == 1
    assert f"{'T' * 39}… " in said
    assert "pressync.toml:4, for all files  changed, edited on the site\n" in said
    assert "  changed by it     slug: the service stored another value than was sent\n" in said
    assert "  last sent from    cccccccccc\n" in said  # this clone does not have the commit
    assert rows(FOUND)["sent"] is not None


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
    assert f"  {line}" in shown(found)


def test_the_causes_of_an_update_follow_its_reason() -> None:
    causes = (
        Cause("setting", "pressync.toml:4", "`blocks` is true, and was false"),
        Cause("parent", "", "moved"),
    )
    found = replace(FOUND, causes=causes)
    assert "  since then: pressync.toml:4: `blocks` is true, and was false\n  since then: moved\n" in shown(
        found
    )
    assert rows(found)["causes"] == [
        {"kind": "setting", "place": "pressync.toml:4", "note": "`blocks` is true, and was false"},
        {"kind": "parent", "place": None, "note": "moved"},
    ]


def test_text_from_outside_cannot_control_a_terminal() -> None:
    bad = replace(FOUND, path="a\x1b[2J.md", fields=(replace(TITLE, shown="\x1b[31mred\nnext"),))
    assert "\x1b" not in shown(bad)
