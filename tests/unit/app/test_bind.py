"""Which file belongs to which record: by a person, by a list, and by the addresses of the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.clones import ABOUT, NEWS, TEAM, bound, from_site, results
from tests.support.library_repository import Shelf
from tests.support.states import unconfirmed_in

from pressync.app import bind
from pressync.app.bind import bindings
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.changes import Result
from pressync.model.errors import ConfigError, ContentError, NoAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

    from pressync.model.records import Entry

A, B, HELLO = "content/pages/a.md", "content/pages/b.md", "content/posts/hello.md"
FIELDS = {"title": "A", "slug": "a"}


@pytest.fixture
def workspace(repository: SampleRepository) -> Iterator[Workspace]:
    """Commit two pages and a post; no service is ever reached."""
    repository.commit({A: "# A\n", B: "# B\n", HELLO: "# Hello\n", "content/loose.md": "# Loose\n"})
    with Workspace.open(
        repository.root, environ={"PRESSYNC_URL": "http://127.0.0.1:9/wp-json"}, wait=0
    ) as opened:
        yield opened


def entries(workspace: Workspace) -> dict[str, Entry]:
    """Read the manifest as the next run would."""
    with workspace.reading() as state:
        return dict(state.manifest.entries)


def create(workspace: Workspace, path: str = A) -> None:
    """Leave an unconfirmed create."""
    with workspace.state(writable=True) as state:
        unconfirmed_in(state, path, FIELDS)


@pytest.mark.parametrize(
    ("bindings", "said"),
    [
        ({"content/pages/nowhere.md": 41}, "is not a committed document"),
        ({A: 41}, f"{A} is bound to page 40 already"),
        ({B: 40}, f"page 40 belongs to {A} already"),
        ({B: 41, HELLO: 41, "content/pages/none.md": 42}, "is not a committed document"),
    ],
)
def test_all_are_bound_or_none(workspace: Workspace, bindings: dict[str, int], said: str) -> None:
    bind.adopt(workspace, {A: 40}, Revision())
    with pytest.raises(ConfigError, match=said):
        bind.adopt(workspace, bindings, Revision())
    assert list(entries(workspace)) == [A]


def test_one_record_is_not_bound_to_two_files_at_once(workspace: Workspace) -> None:
    with pytest.raises(ConfigError, match=f"{A} and {B} would both be page 40"):
        bind.adopt(workspace, {A: 40, B: 40}, Revision())


def test_a_file_that_is_neither_page_nor_post_is_told_so(workspace: Workspace) -> None:
    with pytest.raises(ContentError) as refused:
        bind.adopt(workspace, {"content/loose.md": 40}, Revision())
    assert "neither under pages/ nor posts/" in str(refused.value.problems[0])


def test_an_unconfirmed_create_is_not_resolved_with_anothers_record(workspace: Workspace) -> None:
    bind.adopt(workspace, {B: 40}, Revision())
    create(workspace)
    with pytest.raises(ConfigError, match=f"page 40 belongs to {B}"):
        bind.resolve(workspace, {A: 40})
    for settle in (bind.resolve, lambda opened, ids: bind.adopt(opened, ids, Revision())):
        with pytest.raises(ConfigError, match="9223372036854775808 is not an id of a record"):
            settle(workspace, {A: 2**63})
    with workspace.reading() as state:
        assert A in state.unconfirmed


def test_several_unconfirmed_creates_are_settled_together_or_not_at_all(workspace: Workspace) -> None:
    create(workspace, A)
    with pytest.raises(ConfigError, match=f"{B} is not unconfirmed; unconfirmed: {A}"):
        bind.resolve(workspace, {A: None, B: None})
    create(workspace, B)
    bind.resolve(workspace, {A: None, B: None})
    with workspace.reading() as state:
        assert not state.unconfirmed


def test_an_id_that_the_site_does_not_have_is_refused(repository: SampleRepository) -> None:
    repository.commit({A: "# A\n", B: "# B\n"})
    shelf, told = Shelf(repository.root, "https://site.test/wp-json"), list[str]()
    shelf.service.hold(40, slug="a")
    with shelf.workspace() as opened:
        with pytest.raises(ConfigError, match=f"{B}: the site has no page 41 that this user may see"):
            bind.adopt(opened, {A: 40, B: 41}, Revision())
        assert entries(opened) == {}
        bind.adopt(opened, {A: 40}, Revision())
        assert entries(opened)[A].id == 40
        shelf.service.deaf = NoAnswer("it did not answer")
        bind.adopt(opened, {B: 41}, Revision(), told.append)
        assert entries(opened)[B].id == 41
    assert told == ["The site was not asked for it: it did not answer"]


DATED = "content/posts/2024-01-31-hello.md"
DOCUMENTS = {ABOUT: "# About\n", TEAM: "# Team\n", DATED: "# Hello\n"}

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


def read_list(site: SampleRepository, file: Path) -> dict[str, int]:
    """Read a list against the documents of HEAD."""
    with Workspace.open(site.root, environ={}) as workspace:
        return bindings(file, workspace.content(Revision()))


def refused(site: SampleRepository, file: Path) -> str:
    """Read a wrong list, and give the error without the folder of the list."""
    with pytest.raises(ConfigError) as caught:
        read_list(site, file)
    return str(caught.value).replace(f"{file.parent}/", "")


def item(number: int, slug: str, *, kind: str = "page", parent: int = 0) -> str:
    """Write a record as in an export."""
    return (
        f"<item><title>T</title><content:encoded><![CDATA[<item>]]></content:encoded><wp:post_id>{number}</wp:post_id>"
        f"<wp:post_name><![CDATA[{slug}]]></wp:post_name><wp:post_parent>{parent}</wp:post_parent>"
        f"<wp:post_type><![CDATA[{kind}]]></wp:post_type></item>"
    )


def csv_refusal(site: SampleRepository, file: Path, data: bytes) -> str:
    """Write a wrong list, and give the error."""
    file.write_bytes(data)
    return refused(site, file)


class TestCsv:
    """Lines of a path and an id."""

    @pytest.mark.parametrize("head", ["", "path,id\n", "Path, ID\r\n", "\ufeffpath,id\n", "\n"])
    def test_paths_are_bound_to_ids(self, site: SampleRepository, tmp_path: Path, head: str) -> None:
        file = tmp_path / "ids.csv"
        file.write_text(f'{head}{ABOUT},12\n"{TEAM}" , 13 \n\n', encoding="utf-8")
        assert read_list(site, file) == {ABOUT: 12, TEAM: 13}

    def test_all_wrong_lines_are_told_at_once(self, site: SampleRepository, tmp_path: Path) -> None:
        rows = (f"{ABOUT};12", f"{ABOUT},12", f"{TEAM},0", f"{TEAM},x", f"{ABOUT},13", "a,1,2", f"{TEAM},-4")
        text = "\n".join((*rows, f"{TEAM},{'1' * 5000}", '"two\nlines",7', "wrong", ""))
        example = "not a path and an id; write `content/pages/a.md,12`"
        assert csv_refusal(site, tmp_path / "ids.csv", text.encode()).splitlines() == [
            f"ids.csv:1: {example}",
            f"ids.csv:3: {example}",
            f"ids.csv:4: {example}",
            f"ids.csv:5: {ABOUT} is listed twice; keep one of the lines",
            *(f"ids.csv:{line}: {example}" for line in (6, 7, 8, 11)),
        ]

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (b"path,id\n", "ids.csv: the file is without rows; write lines like `content/pages/a.md,12`"),
            (b"caf\xe9,1\n", "ids.csv: cannot be read: "),
            (b"\xff\xfep\0a\0", "ids.csv: cannot be read: "),
        ],
    )
    def test_a_list_without_rows_or_text_is_told(
        self, site: SampleRepository, tmp_path: Path, data: bytes, said: str
    ) -> None:
        assert csv_refusal(site, tmp_path / "ids.csv", data).startswith(said)
        assert "cannot be read" in refused(site, tmp_path / "none.csv")


LEVELS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
BOMB = f'<!DOCTYPE rss [<!ENTITY a0 "aaaaaaaaaa">{LEVELS}]><rss>&a11;</rss>'


class TestExport:
    """A WordPress export names no files: records are matched by their address."""

    @pytest.mark.parametrize("version", ["1.1", "1.2"])
    def test_records_are_bound_by_the_slugs_that_lead_to_them(
        self, site: SampleRepository, tmp_path: Path, version: str
    ) -> None:
        site.commit({"content/pages/x.md": "---\nslug: größe\n---\n"})
        items = [
            item(13, "team", parent=12),
            item(12, "about"),
            item(40, "hello", kind="post"),
            item(99, "hello"),
            item(98, "team"),
            item(97, "about", kind="attachment"),
            item(5, "gr%c3%b6%c3%9fe"),
        ]
        export = tmp_path / "export.xml"
        export.write_text(EXPORT.format(version=version, items="".join(items)))
        assert read_list(site, export) == {ABOUT: 12, TEAM: 13, DATED: 40, "content/pages/x.md": 5}

    @pytest.mark.parametrize(
        ("files", "items"),
        [
            ({}, item(12, "about") + item(14, "about")),
            ({"content/pages/us.md": "---\nslug: about\n---\n"}, item(12, "about")),
            # Its parent is not exported.
            ({}, item(12, "about", parent=77)),
            ({}, item(1, "a", parent=2) + item(2, "b", parent=1)),
            # This document cannot be read.
            ({ABOUT: "---\ntitle: [\n---\n"}, item(12, "about") + item(13, "team", parent=12)),
        ],
        ids=["two records", "two documents", "no parent", "each other's parents", "unreadable"],
    )
    def test_what_has_not_one_address_is_left_alone(
        self, site: SampleRepository, tmp_path: Path, files: dict[str, str], items: str
    ) -> None:
        site.commit(files)
        export = tmp_path / "export.xml"
        export.write_text(EXPORT.format(version="1.2", items=items + item(40, "hello", kind="post")))
        assert read_list(site, export) == {DATED: 40}

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (
                EXPORT.format(version="1.2", items=item(1, "elsewhere")),
                "none of its 1 pages and posts has the address of a document; bind by path with a CSV file",
            ),
            ("<rss>\n<item></rss>", "cannot be read: mismatched tag: line 2"),
            ('<?xml version="1.0" encoding="utf-7"?><rss/>', "cannot be read: "),
            ('<?xml version="1.0" encoding="nowhere"?><rss/>', "cannot be read: "),
            (BOMB, "cannot be read"),
        ],
        ids=["another site", "no XML", "utf-7", "no encoding", "growing entities"],
    )
    def test_an_export_that_cannot_be_read_or_fits_nothing_is_told(
        self, site: SampleRepository, tmp_path: Path, text: str, said: str
    ) -> None:
        export = tmp_path / "export.xml"
        export.write_text(text)
        assert refused(site, export).startswith(f"export.xml: {said}")


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    """Serve an empty site."""
    with embedded_wordpress.serving() as site:
        yield site


def test_what_the_site_has_is_adopted(wordpress: EmbeddedWordPress, repository: SampleRepository) -> None:
    about, team = wordpress.put("Über uns", "about"), wordpress.put("Das Team", "team")
    wordpress.bend(team, lambda record: record.update(parent=about))
    twins = [wordpress.put("One", "news"), wordpress.put("Two", "news")]
    wordpress.bend(twins[1], lambda record: record.update(slug="news", status="draft"))
    repository.commit({ABOUT: "# About\n", TEAM: "# Team\n", NEWS: "# News\n", "content/pages/x.md": "# X\n"})
    site = bound(repository, wordpress)

    done = from_site(site)
    assert {entry.path: entry.id for entry in done.bound} == {ABOUT: about, TEAM: team}
    assert {path: [r.id for r in there] for path, there in done.left.items()} == {NEWS: twins}
    assert done.nothing_there == 1
    assert results(site)[ABOUT] == Result.DONE
    assert wordpress.shown[about]["title"]["raw"] == "About"
