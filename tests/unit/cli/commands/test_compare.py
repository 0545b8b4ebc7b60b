"""`pressync compare`: a built site beside a rehearsal of its import, from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import jsonschema
import pytest
from tests.support import embedded_wordpress

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.terminal import Terminal

PAGE = """<html lang="en"><head><title>{title} | Harbour</title></head><body><nav>Menu</nav>
<main><h1>{title}</h1>{text}</main><footer>Foot</footer></body></html>"""
ONCE = "<p>Once there was a harbour with boats and nets.</p>"
TAG = "\x1b[31m<script>alert(1)</script>"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Build a site of three pages by hand: one is the same, one has more, and one is gone."""
    pages = {
        "about/index.html": PAGE.format(title="About", text="<p>Share this</p><p>We are <b>here</b>.</p>"),
        "team.html": PAGE.format(title="Team", text=f"<p>Share this</p><p>All of us.</p><p>{TAG} &lt;b></p>"),
        "gone/index.html": PAGE.format(title="Gone", text="<p>Share this</p>"),
        "404.html": PAGE.format(title="Not found", text=""),
        "de/404.html": PAGE.format(title="Nicht gefunden", text=""),
        "style.css": "a {}",
    }
    for name, text in pages.items():
        file = tmp_path / "public" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "public"


@pytest.fixture
def here(terminal: Terminal) -> Terminal:
    terminal.repository.commit(
        {
            "content/pages/about.md": "# About\n\nWe are **here**.\n",
            "content/pages/staff.md": "---\ntitle: Team\naliases: [/team.html]\n---\nAll of us.\n",
        }
    )
    return terminal


def test_one_line_counts_the_pages_and_each_kind_has_its_places(here: Terminal, old: Path) -> None:
    told = here.run("compare", str(old), exits=3)
    assert told.stdout.splitlines()[-1] == "1 of 3 pages say the same; 1 differs; 1 has no address."
    assert "no address: 1 page\n  /gone/\n" in told.stdout
    assert "text lost: 1 page\n  - \\u001b[31m <b>  /team.html\n" in told.stdout
    # Two pages repeat it, so it belongs to the theme.
    assert "Share this" not in told.stdout
    (old / "gone/index.html").unlink()
    (old / "about/index.html").write_text(PAGE.format(title="About", text="<p>We are <b>here</b>.</p>"))
    other = PAGE.replace('"en"', '"de"')
    (old / "team.html").write_text(other.format(title="Team", text="<p>All of us.</p>"))
    lines = here.run("compare", str(old)).stdout.splitlines()
    assert lines[0].startswith("language (counts as the same,")
    assert lines[1:] == ["  de -> en  /team.html", "2 of 2 pages say the same."]


def test_a_list_without_a_record_does_not_hide_that_a_text_is_lost(here: Terminal, old: Path) -> None:
    (old / "about/index.html").write_text(PAGE.format(title="About", text=f"{ONCE}<p>We are here.</p>"))
    (old / "gone/index.html").write_text(PAGE.format(title="All pages", text=ONCE))
    assert "  - Once there was a harbour " in here.run("compare", str(old), exits=3).stdout


def test_a_program_gets_a_document_that_its_schema_describes(here: Terminal, old: Path) -> None:
    document = json.loads(here.run("compare", str(old), "--format", "json", exits=3).stdout)
    jsonschema.validate(document, json.loads(here.run("schema", "compare").stdout))
    states = {page["address"]: (page["state"], page["to"], page["path"]) for page in document["pages"]}
    assert states == {
        "/about/": ("same", "/about/", "content/pages/about.md"),
        "/gone/": ("no_address", None, None),
        "/team.html": ("differs", "/staff/", "content/pages/staff.md"),
    }
    assert document["kinds"] == {"no_address": 1, "lost": 1}


def test_the_sheet_has_both_texts_and_nothing_of_the_old_page_but_its_words(
    here: Terminal, old: Path
) -> None:
    sheet = here.run("compare", str(old), "--format", "html", exits=3).stdout
    assert "default-src &#39;none&#39;" in sheet
    assert '<div class="row gone"><div><p>\\u001b[31m &lt;b&gt;</p></div><div></div></div>' in sheet
    assert "<script" not in sheet
    assert "Share this" not in sheet


def test_work_that_is_not_committed_counts_if_asked_for(here: Terminal, old: Path) -> None:
    here.repository.write("content/pages/gone.md", "# Gone\n")
    assert "1 has no address" in here.run("compare", str(old), exits=3).stdout
    assert "no address" not in here.run("compare", str(old), "--worktree", exits=3).stdout


def test_a_folder_without_pages_and_a_part_that_is_not_there_are_named(here: Terminal, old: Path) -> None:
    assert "it has no page of HTML" in here.run("compare", str(here.repository.root), exits=2).stderr
    told = here.run("compare", str(old), "--selector", "div.post", exits=3).stdout
    assert "not read: /about/: no part of it is what the selector names" in told
    assert told.splitlines()[-1] == "0 of 3 pages say the same; 3 could not be read."


def test_the_site_itself_can_be_the_new_one(here: Terminal, old: Path) -> None:
    told = here.run("compare", str(old), "site", exits=2).stderr
    assert "the documented interface does not show how to read a record" in told
    with embedded_wordpress.serving() as site:
        here.environ |= {"PRESSYNC_URL": site.url, **embedded_wordpress.ENVIRON}
        assert "nothing has been synced" in here.run("compare", str(old), "site", exits=2).stderr
        here.run("sync", "--yes")
        compared = here.run("compare", str(old), "site", exits=3).stdout
    assert compared.splitlines()[-1] == "1 of 3 pages say the same; 1 differs; 1 has no address."


def test_an_import_compares_with_the_built_site_in_its_source_or_names_the_command(
    here: Terminal, tmp_path: Path
) -> None:
    source = tmp_path / "mkdocs"
    for name, text in {
        "mkdocs.yml": "site_name: Harbour\n",
        "docs/quay.md": "# Quay\n\nA quay.\n",
        "site/quay/index.html": PAGE.format(title="Quay", text="<p>A quay.</p>"),
    }.items():
        file = source / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    told = here.run("import", str(source)).stdout
    assert told.splitlines()[-1] == "1 of 1 page says the same."
    without = here.run("import", str(source), "--no-compare").stdout.splitlines()[-1]
    assert without.startswith("Proof: `pressync compare --worktree ")
    # The exit code stays that of the import.
    (source / "site/quay/index.html").write_text(PAGE.format(title="Quay", text="<p>Another quay.</p>"))
    assert "1 differs" in here.run("import", str(source)).stdout


def test_a_home_page_that_only_leads_to_a_language_moves_no_other_page(here: Terminal, old: Path) -> None:
    head = (
        '<link rel="canonical" href="https://old.test/{}"><meta http-equiv="refresh" content="0; url=/en/">'
    )
    (old / "index.html").write_text(f"<html><head>{head.format('en/')}</head></html>")
    for name in ("about/", "gone/"):
        page = old / name / "index.html"
        canonical = f'<link rel="canonical" href="https://old.test/{name}">'
        page.write_text(page.read_text().replace("<head>", f"<head>{canonical}"))
    document = json.loads(here.run("compare", str(old), "--format", "json", exits=3).stdout)
    assert [page["address"] for page in document["pages"]] == ["/about/", "/gone/", "/", "/team.html"]
