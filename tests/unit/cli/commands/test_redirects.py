"""`pressync redirects`: rules from former addresses to the present ones, and what became of each address."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import jsonschema
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.terminal import Terminal

# What the links of a new embedded service begin with, wherever it answers.
SITE = "http://127.0.0.1:8127"


@pytest.fixture
def moved(terminal: Terminal) -> Terminal:
    """Sync a page that had another slug when it was first sent, and one with an alias."""
    terminal.run("sync", "--yes")
    terminal.repository.commit(
        {
            "content/pages/about.md": "---\ntitle: About us\nslug: we\n---\nWe are.\n\n## Team\n",
            "content/pages/about/history.md": "---\naliases: [/past/]\n---\n# History\n",
        }
    )
    terminal.run("sync", "--yes")
    return terminal


def test_the_public_address_is_named_by_an_option_or_the_address_of_the_site(moved: Terminal) -> None:
    assert "`--base URL` names the site's public address" in moved.run("redirects").stderr
    public = moved.run("redirects", "--base", "https://example.org/shop/")
    assert "https://example.org/shop/about/,https://example.org/shop/we/" in public.stdout.splitlines()
    assert public.stderr == ""
    refused = moved.run("redirects", "--base", "example.org", exits=2).stderr
    assert refused == "Error: --base: this is not the address of a site; write it like https://example.org\n"


def test_a_web_server_gets_rules_and_a_program_a_document_and_the_notes_go_to_people(moved: Terminal) -> None:
    for form, line in (
        ("nginx", f'location = "/past/" {{ return 301 "{SITE}/we/history/"; }}'),
        ("apache", f'RedirectMatch 301 "^/past/$" "{SITE}/we/history/"'),
    ):
        assert line in moved.run("redirects", "--format", form).stdout.splitlines()
    moved.repository.commit({"content/pages/index.md": "---\naliases: [/we/]\n---\n# Home\n"})
    moved.run("sync", "--yes")
    result = moved.run("redirects", "--format", "json")
    document = json.loads(result.stdout)
    assert document["version"] == 1
    assert not any(row["old"] == f"{SITE}/we/" for row in document["redirects"])
    assert "is the address of 'content/pages/about.md' now" in result.stderr


def test_before_the_first_sync_no_address_is_called_lost(terminal: Terminal, tmp_path: Path) -> None:
    assert terminal.run("redirects").stdout == "old,new\n"
    file = tmp_path / "addresses.csv"
    file.write_text("address\n/about/\n")
    told = terminal.run("redirects", "--against", str(file), exits=2)
    assert told.stdout == ""
    assert told.stderr == (
        "Error: nothing has been synced to site 'default' yet, so no address can be compared; "
        "run `pressync sync` first\n"
    )


@pytest.fixture
def table(terminal: Terminal, tmp_path: Path) -> Path:
    """Sync three pages, and write a table of old addresses; for one of them nobody has chosen a target."""
    terminal.run("sync", "--yes")
    file = tmp_path / "addresses.csv"
    file.write_text("address,file,to\n/about/,,\n/us.html,content/pages/about.md,\n/team/,,\n")
    return file


def test_each_address_is_a_line_or_a_row_and_a_lost_one_ends_with_1(terminal: Terminal, table: Path) -> None:
    told = terminal.run("redirects", "--against", str(table), exits=1)
    assert [line.split() for line in told.stdout.splitlines()] == [
        ["kept", f"{told.stdout.split()[1]}"],
        ["redirected", told.stdout.split()[3], "->", told.stdout.split()[1]],
        ["lost", told.stdout.split()[-1]],
    ]
    assert told.stdout.split()[3].endswith("/us.html")
    assert told.stdout.split()[-1].endswith("/team/")
    assert told.stderr.startswith(
        "3 addresses of the table: 1 kept, 1 redirected, 1 lost. A redirected one works once the rules of "
        "`--format` are installed. Name a lost one below `aliases:`"
    )
    told = terminal.run("redirects", "--against", str(table), "--format", "json", exits=1)
    document = json.loads(told.stdout)
    schema = json.loads(terminal.run("schema", "redirects").stdout)
    jsonschema.validate(document, schema)
    jsonschema.validate(json.loads(terminal.run("redirects", "--format", "json").stdout), schema)
    assert document["counts"] == {"kept": 1, "redirected": 1, "hidden": 0, "lost": 1}
    states = [(each["state"], each["to"] is None) for each in document["addresses"]]
    assert states == [("kept", False), ("redirected", False), ("lost", True)]
    assert len(document["redirects"]) == 1
    table.write_text(table.read_text().replace("/team/,,", "/team/,,/us.html"))
    told = terminal.run("redirects", "--against", str(table))
    assert told.stderr.startswith("3 addresses of the table: 1 kept, 2 redirected, 0 lost. A redirected one ")


def test_an_address_of_a_draft_is_named_and_makes_no_rule(terminal: Terminal, table: Path) -> None:
    page = "---\ntitle: Later\nstatus: draft\naliases: [/soon/]\n---\nSoon.\n"
    terminal.repository.commit({"content/pages/later.md": page})
    terminal.run("sync", "--yes")
    table.write_text("address\n/soon/\n")
    told = terminal.run("redirects", "--against", str(table), "--format", "nginx", exits=1)
    assert "location = " not in told.stdout
    lines = told.stderr.splitlines()
    assert lines[0].endswith("/soon/: left out, because visitors do not see 'content/pages/later.md'")
    assert lines[1].startswith("hidden: http")
    assert lines[2].startswith(
        "1 addresses of the table: 0 kept, 0 redirected, 1 hidden, 0 lost. Visitors do not see"
    )
    document = json.loads(
        terminal.run("redirects", "--against", str(table), "--format", "json", exits=1).stdout
    )
    jsonschema.validate(document, json.loads(terminal.run("schema", "redirects").stdout))
    assert document["addresses"][0]["state"] == "hidden"


def test_the_table_of_one_source_is_checked_with_a_word_about_the_others(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    for folder, address in ((".pressync/import", "/about/"), (".pressync/import/blog", "/hello/")):
        terminal.repository.write(f"{folder}/addresses.csv", f"address,file,new,to\n{address},,,\n")
    one = terminal.run("redirects", "--against", ".pressync/import/addresses.csv")
    assert "`pressync redirects --against .pressync/import` takes all" in one.stderr
    both = terminal.run("redirects", "--against", ".pressync/import", exits=1)
    assert both.stderr.startswith("2 addresses of the table: 1 kept, 0 redirected, 1 lost.")
