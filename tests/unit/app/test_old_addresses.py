"""Old addresses are read from sitemaps and their indexes, tables and lists; harmful files are refused."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from pressync.app.old_addresses import OldAddress, beside, read
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

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
    (tmp_path / "posts.xml.gz").write_bytes(gzip.compress(SITEMAP.encode()))
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
        (gzip.compress(SITEMAP.encode())[:-30], "cannot be read"),
        (gzip.compress(SITEMAP.encode())[:10] + b"\xff" * 30, "cannot be read"),
    ],
)
def test_anything_else_is_refused_with_its_place(tmp_path: Path, text: str | bytes, said: str) -> None:
    file = tmp_path / "old"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    assert said in refusal(file)


def test_the_table_of_an_import_gives_choices_and_a_list_needs_no_header(
    tmp_path: Path,
) -> None:
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
    assert beside(first) is None
    second.write_text("address,file,new,to\n/about/,,,/team/\n/hello/,,,\n")
    assert [(each.address, each.to) for each in read(folder, "import")] == [
        ("/", ""),
        ("/about/", "/team/"),
        ("/hello/", ""),
    ]
    assert beside(first) == beside(second) == folder
    assert beside(tmp_path / "sitemap.xml") is None
