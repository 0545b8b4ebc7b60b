"""`pressync redirects`: rules for a web server, from former addresses to the present ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
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


def test_the_addresses_that_pages_had_lead_to_those_they_have(moved: Terminal) -> None:
    rows = moved.run("redirects").stdout.splitlines()
    assert rows[0] == "old,new"
    assert f"{SITE}/about/,{SITE}/we/" in rows
    assert f"{SITE}/past/,{SITE}/we/history/" in rows


def test_the_public_address_is_named_by_an_option_or_the_address_of_the_site(moved: Terminal) -> None:
    assert "`--base URL` names the site's public address" in moved.run("redirects").stderr
    public = moved.run("redirects", "--base", "https://example.org/shop/")
    assert "https://example.org/shop/about/,https://example.org/shop/we/" in public.stdout.splitlines()
    assert public.stderr == ""
    refused = moved.run("redirects", "--base", "example.org", exits=2).stderr
    assert refused == "Error: --base: this is not the address of a site; write it like https://example.org\n"


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("nginx", 'location = "/past/" {{ return 301 "{site}/we/history/"; }}'),
        ("apache", 'RedirectMatch 301 "^/past/$" "{site}/we/history/"'),
    ],
)
def test_a_web_server_gets_rules(moved: Terminal, form: str, line: str) -> None:
    assert line.format(site=SITE) in moved.run("redirects", "--format", form).stdout.splitlines()


def test_a_program_gets_a_document_and_the_notes_go_to_people(moved: Terminal) -> None:
    moved.repository.commit({"content/pages/index.md": "---\naliases: [/we/]\n---\n# Home\n"})
    moved.run("sync", "--yes")
    result = moved.run("redirects", "--format", "json")
    document = json.loads(result.stdout)
    assert document["version"] == 1
    assert not any(row["old"] == f"{SITE}/we/" for row in document["redirects"])
    assert "is the address of 'content/pages/about.md' now" in result.stderr


def test_before_the_first_sync_there_is_nothing_to_redirect(terminal: Terminal) -> None:
    assert terminal.run("redirects").stdout == "old,new\n"


def test_a_note_about_many_addresses_is_one_line(moved: Terminal) -> None:
    aliases = ", ".join(f"/old/?p={number}" for number in range(30))
    moved.repository.commit({"content/pages/index.md": f"---\naliases: [{aliases}]\n---\n# Home\n"})
    moved.run("sync", "--yes")
    notes = [
        line for line in moved.run("redirects", "--format", "nginx").stderr.splitlines() if "query" in line
    ]
    assert len(notes) == 1
    assert notes[0].endswith(" and 27 more")
