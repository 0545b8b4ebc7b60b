"""`pressync explain` as people and programs call it: text, some fields, JSON by its schema, its errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema

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
    assert "shows no way to read records" in terminal.run("explain", ABOUT, "--drift", exits=2).stderr


def test_the_problems_of_the_file_are_told_and_a_limit_that_stops_the_sync(terminal: Terminal) -> None:
    toml = '[sites.live]\nurl = "http://127.0.0.1:9/"\nbranch = "other"\n'
    terminal.repository.commit({"pressync.toml": toml, ABOUT: "---\ntitle: About us\nstatus: bogus\n---\n"})
    terminal.environ.pop("PRESSYNC_URL")
    result = terminal.run("explain", ABOUT)
    assert f"{ABOUT}:3: status cannot be 'bogus'" in result.stderr
    assert "it does nothing here, because something is in the way: its file has problems" in result.stdout
    assert "But a sync of this site stops first:" in result.stdout
    assert document(terminal, ABOUT)["refusals"]
