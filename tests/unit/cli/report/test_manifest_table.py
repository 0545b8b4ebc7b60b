"""The manifest as a table."""

from __future__ import annotations

from dataclasses import replace

from tests.support.builders import TARGET, entry, manifest

from pressync.cli.report import manifest_table
from pressync.model.interface import Kind
from pressync.model.records import Medium, Name, UnconfirmedCreate


def test_every_noun_has_its_lines_and_the_numbers_come_last() -> None:
    known = replace(
        manifest(entry("b.md", 2), entry("a/long.md", 1)),
        names={Name("tags", "News"): 4},
        media={"b1": Medium("b1", "x.jpg", 31, "https://site.test/x.jpg")},
        unconfirmed=(UnconfirmedCreate("c.md", Kind.POST, "c", "2024-01-31T12:00:00+00:00", "c", {}),),
    )
    assert manifest_table.manifest(known) == (
        "page 1  a/long.md  2024-01-31T12:00:00  https://site.test/long/\n"
        "page 2  b.md       2024-01-31T12:00:00  https://site.test/b/\n"
        "\n"
        "tags 4  News\n"
        "\n"
        "media 31  x.jpg  https://site.test/x.jpg\n"
        "\n"
        "post  c.md  2024-01-31T12:00:00+00:00\n"
        "\n"
        f"2 records, 1 names, 1 files, 1 unconfirmed on {TARGET}.\n"
    )


def test_an_empty_manifest_is_no_record() -> None:
    assert manifest_table.manifest(manifest()) == f"0 records on {TARGET}.\n"


def test_what_the_site_said_cannot_write_to_the_terminal() -> None:
    assert "\x1b" not in manifest_table.manifest(manifest(entry("a.md", 1, link="\x1b[31m")))
