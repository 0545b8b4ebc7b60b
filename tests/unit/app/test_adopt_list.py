"""A list of existing records binds documents by path or by address, and never by a guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.adopt_list import bindings
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository

ABOUT, TEAM, HELLO = (
    "content/pages/about.md",
    "content/pages/about/team.md",
    "content/posts/2024-01-31-hello.md",
)
DOCUMENTS = {ABOUT: "# About\n", TEAM: "# Team\n", HELLO: "# Hello\n"}

EXPORT = """\
<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
xmlns:wp="http://wordpress.org/export/{version}/"> <channel><title>Site</title>{items}</channel></rss>
"""


@pytest.fixture
def site(repository: SampleRepository) -> SampleRepository:
    """Commit a page, a page below it, and a post."""
    repository.commit(DOCUMENTS)
    return repository


def bound(site: SampleRepository, file: Path) -> dict[str, int]:
    """Read a list against the documents of HEAD."""
    with Workspace.open(site.root, environ={}) as workspace:
        return bindings(file, workspace.content(Revision()))


def refused(site: SampleRepository, file: Path) -> str:
    """Read a wrong list, and give the error without the folder of the list."""
    with pytest.raises(ConfigError) as caught:
        bound(site, file)
    return str(caught.value).replace(f"{file.parent}/", "")


def item(number: int, slug: str, *, kind: str = "page", parent: int = 0) -> str:
    """Write a record as in an export."""
    return (
        f"<item><title>T</title><content:encoded><![CDATA[<item>]]></content:encoded><wp:post_id>{number}</wp:post_id>"
        f"<wp:post_name><![CDATA[{slug}]]></wp:post_name><wp:post_parent>{parent}</wp:post_parent>"
        f"<wp:post_type><![CDATA[{kind}]]></wp:post_type></item>"
    )


@pytest.fixture
def csv_file(tmp_path: Path) -> Path:
    """Where a test writes its CSV file."""
    return tmp_path / "ids.csv"


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Where a test writes its export."""
    return tmp_path / "export.xml"


class TestCsv:
    """Lines of a path and an id."""

    @pytest.mark.parametrize("head", ["", "path,id\n", "Path, ID\r\n", "\ufeffpath,id\n", "\n"])
    def test_paths_are_bound_to_ids(self, site: SampleRepository, csv_file: Path, head: str) -> None:
        csv_file.write_text(f'{head}{ABOUT},12\n"{TEAM}" , 13 \n\n', encoding="utf-8")
        assert bound(site, csv_file) == {ABOUT: 12, TEAM: 13}

    def test_all_wrong_lines_are_told_at_once(self, site: SampleRepository, csv_file: Path) -> None:
        csv_file.write_text(f"{ABOUT};12\n{ABOUT},12\n{TEAM},0\n{TEAM},x\n{ABOUT},13\na,1,2\n{TEAM},-4\n")
        example = "not a path and an id; write `content/pages/a.md,12`"
        assert refused(site, csv_file).splitlines() == [
            f"ids.csv:1: {example}",
            f"ids.csv:3: {example}",
            f"ids.csv:4: {example}",
            f"ids.csv:5: {ABOUT} is listed twice; keep one of the lines",
            f"ids.csv:6: {example}",
            f"ids.csv:7: {example}",
        ]

    def test_a_number_of_thousands_of_digits_is_no_id(self, site: SampleRepository, csv_file: Path) -> None:
        csv_file.write_text(f"{ABOUT},{'1' * 5000}\n")
        assert refused(site, csv_file).startswith("ids.csv:1: not a path and an id")

    def test_the_line_is_right_below_a_cell_with_a_line_break(
        self, site: SampleRepository, csv_file: Path
    ) -> None:
        csv_file.write_text('"two\nlines",1\nwrong\n')
        assert refused(site, csv_file).startswith("ids.csv:3: ")

    def test_an_empty_list_is_told(self, site: SampleRepository, csv_file: Path) -> None:
        csv_file.write_text("path,id\n")
        assert (
            refused(site, csv_file)
            == "ids.csv: the file has no rows; write lines like `content/pages/a.md,12`"
        )

    @pytest.mark.parametrize("data", [b"caf\xe9,1\n", b"\xff\xfep\0a\0"])
    def test_a_file_that_is_no_utf_8_is_told(
        self, site: SampleRepository, csv_file: Path, data: bytes
    ) -> None:
        csv_file.write_bytes(data)
        said = refused(site, csv_file)
        assert said.startswith("ids.csv: cannot be read: ")
        assert said.endswith("; save it as CSV in UTF-8")

    def test_a_file_that_is_not_there_is_told(self, site: SampleRepository, csv_file: Path) -> None:
        assert "cannot be read" in refused(site, csv_file)


class TestExport:
    """A WordPress export names no files: records are matched by their address."""

    @pytest.mark.parametrize("encoding", ["utf-7", "nowhere"])
    def test_an_encoding_that_cannot_be_read_is_told(
        self, site: SampleRepository, export: Path, encoding: str
    ) -> None:
        export.write_text(f'<?xml version="1.0" encoding="{encoding}"?><rss/>')
        assert refused(site, export).startswith("export.xml: cannot be read: ")

    @pytest.mark.parametrize("version", ["1.1", "1.2"])
    def test_records_are_bound_by_the_slugs_that_lead_to_them(
        self, site: SampleRepository, export: Path, version: str
    ) -> None:
        items = [
            item(13, "team", parent=12),
            item(12, "about"),
            item(40, "hello", kind="post"),
            item(99, "hello"),
            item(98, "team"),
            item(97, "about", kind="attachment"),
        ]
        export.write_text(EXPORT.format(version=version, items="".join(items)))
        assert bound(site, export) == {ABOUT: 12, TEAM: 13, HELLO: 40}

    def test_slugs_of_other_alphabets_are_compared_as_text(
        self, site: SampleRepository, export: Path
    ) -> None:
        site.commit({"content/pages/x.md": "---\nslug: größe\n---\n"})
        export.write_text(EXPORT.format(version="1.2", items=item(5, "gr%c3%b6%c3%9fe")))
        assert bound(site, export) == {"content/pages/x.md": 5}

    def test_two_records_of_one_address_are_left_alone(self, site: SampleRepository, export: Path) -> None:
        items = item(12, "about") + item(14, "about") + item(40, "hello", kind="post")
        export.write_text(EXPORT.format(version="1.2", items=items))
        assert bound(site, export) == {HELLO: 40}

    def test_two_documents_of_one_address_are_left_alone(self, site: SampleRepository, export: Path) -> None:
        site.commit({"content/pages/us.md": "---\nslug: about\n---\n"})
        items = item(12, "about") + item(40, "hello", kind="post")
        export.write_text(EXPORT.format(version="1.2", items=items))
        assert bound(site, export) == {HELLO: 40}

    def test_a_record_below_a_page_that_is_not_exported_has_no_address(
        self, site: SampleRepository, export: Path
    ) -> None:
        items = item(12, "about", parent=77) + item(40, "hello", kind="post")
        export.write_text(EXPORT.format(version="1.2", items=items))
        assert bound(site, export) == {HELLO: 40}

    def test_pages_that_are_each_others_parents_end_the_search(
        self, site: SampleRepository, export: Path
    ) -> None:
        items = item(1, "a", parent=2) + item(2, "b", parent=1) + item(12, "about")
        export.write_text(EXPORT.format(version="1.2", items=items))
        assert bound(site, export) == {ABOUT: 12}

    def test_a_document_that_cannot_be_read_is_left_alone(self, site: SampleRepository, export: Path) -> None:
        site.commit({ABOUT: "---\ntitle: [\n---\n"})
        items = item(12, "about") + item(13, "team", parent=12) + item(40, "hello", kind="post")
        export.write_text(EXPORT.format(version="1.2", items=items))
        assert bound(site, export) == {HELLO: 40}

    def test_an_export_of_another_site_is_told(self, site: SampleRepository, export: Path) -> None:
        export.write_text(EXPORT.format(version="1.2", items=item(1, "elsewhere")))
        assert refused(site, export) == (
            "export.xml: none of its 1 pages and posts has the address of a document; "
            "bind by path with a CSV file of `path,id`"
        )

    def test_a_file_that_is_no_xml_is_told_with_its_line(self, site: SampleRepository, export: Path) -> None:
        export.write_text("<rss>\n<item></rss>")
        said = refused(site, export)
        assert said.startswith("export.xml: cannot be read: mismatched tag: line 2")
        assert said.endswith("; export it again")

    def test_entities_that_grow_beyond_all_measure_are_refused(
        self, site: SampleRepository, export: Path
    ) -> None:
        levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
        export.write_text(f'<!DOCTYPE rss [<!ENTITY a0 "aaaaaaaaaa">{levels}]><rss>&a11;</rss>')
        assert "cannot be read" in refused(site, export)
