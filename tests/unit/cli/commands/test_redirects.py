"""`pressync redirects`: rules from former addresses, and old addresses from sitemaps, tables and lists."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import jsonschema
import pytest

from pressync.app.old_addresses import OldAddress, folder_of_imports, read
from pressync.model.errors import ConfigError

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


SITEMAP = """\
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:i="http://www.google.com/sitemap-image/1.1">
  <url><loc> https://old.test/a/?x=1&amp;y=2 </loc><i:image><i:loc>https://old.test/a.png</i:loc></i:image></url>
  <url><loc>https://old.test/b/</loc></url>
  <url><loc>https://old.test/b/</loc></url>
</urlset>
"""
INDEX = """\
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <sitemap><loc>https://old.test/sitemaps/posts.xml.gz?v=3</loc></sitemap>
  <sitemap><loc>https://old.test/sitemap.xml</loc></sitemap>
</sitemapindex>
"""


def addresses(file: Path) -> list[str]:
    """Read the addresses alone."""
    return [each.address for each in read(file, file.name)]


def refusal(file: Path) -> str:
    """Give the reason why a file is not read."""
    with pytest.raises(ConfigError) as caught:
        read(file, file.name)
    return str(caught.value)


def test_a_sitemap_gives_the_addresses_of_pages_once_and_not_of_their_pictures(tmp_path: Path) -> None:
    file = tmp_path / "sitemap.xml"
    file.write_text(SITEMAP)
    assert read(file, "sitemap.xml") == [
        OldAddress("https://old.test/a/?x=1&y=2", "sitemap.xml:3"),
        OldAddress("https://old.test/b/", "sitemap.xml:4"),
    ]


def test_an_index_gives_the_addresses_of_the_sitemaps_beside_it_each_file_once(tmp_path: Path) -> None:
    file = tmp_path / "sitemap.xml"
    file.write_text(INDEX)
    assert refusal(file) == (
        "sitemap.xml:2: it is an index, and posts.xml.gz is not beside it; download it there: "
        "`curl -O 'https://old.test/sitemaps/posts.xml.gz?v=3'`"
    )
    (tmp_path / "posts.xml.gz").write_bytes(gzip.compress(SITEMAP.encode(), mtime=0))
    assert addresses(file) == ["https://old.test/a/?x=1&y=2", "https://old.test/b/"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("https://a.test/x.xml;touch made", "download it there: `curl -O 'https://a.test/x.xml;touch made'`"),
        ("file:///etc/x.xml", "x.xml is not beside it; download it there"),
    ],
)
def test_the_address_of_a_sitemap_is_a_word_for_the_shell(tmp_path: Path, address: str, said: str) -> None:
    file = tmp_path / "sitemap.xml"
    file.write_text(f"<sitemapindex><sitemap><loc>{address}</loc></sitemap></sitemapindex>")
    told = refusal(file)
    assert said in told
    assert ("curl" in told) == address.startswith("https")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<!DOCTYPE a [<!ENTITY b "c">]><urlset/>', "1: it declares a document type"),
        ("<urlset>\n<url><loc>https://old.test/</loc></url>\n", "3: the XML is broken"),
        (f"<urlset>{'<a>' * 40}", "it is nested deeper than a sitemap"),
        ("<urlset></urlset>", "it names no address"),
        ("about us,1\n", "1: 'about us' is not an address; write it like /about/"),
        ("", "it names no address"),
        ('<?xml version="1.0" encoding="none"?><urlset/>', "it cannot be read: unknown encoding: none"),
        ("<urlset>\n<url><loc>http://[/</loc></url></urlset>", "2: 'http://[/' is not an address"),
        (INDEX.replace("old.test", "["), "2: 'https://[/sitemaps/posts.xml.gz?v=3' is not an address"),
        ("address,to\n/a/,http://[\n", "2: 'http://[' is not an address"),
        (b"/caf\xe9/\n", "neither XML nor a table"),
        (gzip.compress(SITEMAP.encode(), mtime=0)[:-30], "cannot be read"),
        (gzip.compress(SITEMAP.encode(), mtime=0)[:10] + b"\xff" * 30, "cannot be read"),
    ],
)
def test_anything_else_is_refused_with_its_place(tmp_path: Path, text: str | bytes, said: str) -> None:
    file = tmp_path / "old"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    assert said in refusal(file)


def test_the_table_of_an_import_gives_choices_and_a_list_needs_no_header(tmp_path: Path) -> None:
    file = tmp_path / "addresses.csv"
    file.write_text('address,file,new,to\n/a/,content/pages/a.md,/a/,\n/b/,,,"https://new.test/c/"\n')
    assert read(file, "addresses.csv") == [
        OldAddress("/a/", "addresses.csv:2", "content/pages/a.md"),
        OldAddress("/b/", "addresses.csv:3", "", "https://new.test/c/"),
    ]
    file.write_text("# from the logs\n/a/\n\nhttps://old.test/b/\n")
    assert addresses(file) == ["/a/", "https://old.test/b/"]


def test_the_folder_of_imports_has_the_addresses_of_every_source(tmp_path: Path) -> None:
    folder = tmp_path / ".pressync/import"
    (folder / "blog").mkdir(parents=True)
    assert "it has no addresses.csv; name a file, or import first" in refusal(folder)
    first, second = folder / "addresses.csv", folder / "blog/addresses.csv"
    first.write_text("address,file,new,to\n/,pages/index.md,/,\n/about/,,,\n")
    assert folder_of_imports(first) is None
    second.write_text("address,file,new,to\n/about/,,,/team/\n/hello/,,,\n")
    assert [(each.address, each.to) for each in read(folder, "import")] == [
        ("/", ""),
        ("/about/", "/team/"),
        ("/hello/", ""),
    ]
    assert folder_of_imports(first) == folder_of_imports(second) == folder
    assert folder_of_imports(tmp_path / "sitemap.xml") is None
