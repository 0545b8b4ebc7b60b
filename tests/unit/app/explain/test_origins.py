"""The origin of each value, and the causes of an update."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.kinds import site_kinds
from tests.support.library_repository import Shelf

from pressync.app.explain.origins import Causes, DocumentOrigins, ValueSource
from pressync.app.revision import Revision
from pressync.config.settings import SettingsText, load
from pressync.content import basis, documents
from pressync.content.documents import Defaults
from pressync.content.front_matter.keys import SPELLINGS, readers
from pressync.content.render import markdown
from pressync.model.changes import Update
from pressync.model.interface import KINDS, Kind
from pressync.model.records import Source
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.app.explain.origins import ValueOrigin

SITE = '[sites.live]\nurl = "https://example.org/wp-json"\ndialect = "wordpress"\n'


def settings_text(text: str) -> SettingsText:
    return SettingsText(text, "pressync.toml", is_pushed=False)


def origins(text: str, settings: str = "", path: str = "content/pages/a/b.md") -> DocumentOrigins:
    """Read a document, and give the origins of its values."""
    found = load(SITE + settings, where="pressync.toml", environ={})
    read = documents.read(
        Source(path, "0" * 40), text.encode(), content="content", defaults=Defaults(found.site.defaults)
    )
    assert read.document, read.problems
    return DocumentOrigins(read.document, text, found, settings_text(SITE + settings))


def where(origin: ValueOrigin) -> tuple[str, str]:
    return origin.source.value, origin.place.removeprefix("content/pages/a/")


@pytest.mark.parametrize(
    ("text", "field", "place"),
    [
        ("---\nslug: x\n---\n", "slug", ("front_matter", "b.md:2")),
        ("---\ndraft: true\n---\n", "status", ("front_matter", "b.md:2")),
        ("---\ndraft: false\n---\n", "status", ("pressync", "")),
        ("---\ndraft: false\npublished: false\n---\n", "status", ("front_matter", "b.md:3")),
        ("---\ndraft: true\nstatus: draft\n---\n", "status", ("front_matter", "b.md:3")),
        ("---\ndescription: a\nsummary: b\n---\n", "excerpt", ("front_matter", "b.md:3")),
        ("---\nweight: 2\n---\n", "menu_order", ("front_matter", "b.md:2")),
        ("---\ndate: 2024-01-31T10:00:00Z\n---\n", "date_gmt", ("front_matter", "b.md:2")),
        ("---\nstatus: deprecated\n---\n", "status", ("pressync", "")),
        ("---\nparent: null\n---\n", "parent", ("folder", "content/pages/a")),
        ("---\nparent: x.md\n---\n", "parent", ("front_matter", "b.md:2")),
        ("---\nlayout: wide\n---\n", "layout", ("front_matter", "b.md:2")),
        ("---\nauthor: jane\n---\n", "author", ("front_matter", "b.md:2")),
        ("# Hello\n", "title", ("text", "b.md:1")),
        ("---\nslug: x\n---\n\nA\n\nHello\n=====\n", "title", ("text", "b.md:7")),
        ("text\n", "title", ("file_name", "b.md")),
        ("text\n", "slug", ("file_name", "b.md")),
        ("text\n", "sticky", ("service", "")),
        ('{"slug": "x",\n "excerpt": "y"}\n', "excerpt", ("front_matter", "b.md:2")),
        ('+++\nslug = "x"\n+++\n', "slug", ("front_matter", "b.md:2")),
    ],
)
def test_a_value_comes_from_the_file(text: str, field: str, place: tuple[str, str]) -> None:
    found = where(origins(text).of(field))
    assert (found[0], found[1].removeprefix("content/pages/a/")) == place


def test_a_default_of_the_innermost_folder_wins_and_the_site_wins_over_all_sites() -> None:
    settings = """\

[defaults]
status = "draft"
excerpt = "for all"

[defaults."pages"]
excerpt = "for pages"

[sites.live.defaults."/pages/a/"]
weight = 3

[sites.live.defaults]
status = "private"
"""
    found = origins("text\n", settings)
    assert where(found.of("status")) == ("default", "pressync.toml:16")
    assert where(found.of("excerpt")) == ("default", "pressync.toml:10")
    assert where(found.of("menu_order")) == ("default", "pressync.toml:13")
    assert [each.folder for each in found.defaults()] == ["pages/a", "pages", ""]
    assert where(origins("---\nexcerpt: own\n---\n", settings).of("excerpt")) == ("front_matter", "b.md:2")


def test_a_value_of_another_tool_leaves_the_default_and_the_front_page_may_come_from_the_site() -> None:
    found = origins("---\nstatus: deprecated\n---\n", '\n[defaults]\nstatus = "draft"\n')
    assert where(found.of("status")) == ("default", "pressync.toml:6")
    found_front = origins("text\n", "front_page = true\n").of("front_page")
    assert (found_front.source, found_front.place) == (ValueSource.SETTINGS, "pressync.toml:4")


def test_each_spelling_is_a_key_that_sets_the_field() -> None:
    fields = {field.name for row in KINDS.values() for field in row.body}
    assert SPELLINGS.keys() <= fields
    known = {key for kind in Kind for key in readers(kind.row)} | {"published", "authors"}
    assert {key for keys in SPELLINGS.values() for key in keys} <= known


def test_a_user_or_a_term_that_a_table_gave_is_said_to_come_from_it() -> None:
    text = "---\nauthor: anna\ntags: [x, y]\ncategories: [z]\n---\n"
    tables = f'{SITE}[authors]\nanna = "jane"\n[terms]\n"tags/x" = "X-ray"\n'
    settings = load(tables, where="pressync.toml", environ={})
    read = documents.DocumentReader(settings).read(Source("content/posts/a.md", "0" * 40), text.encode())
    assert read.document, read.problems
    said = DocumentOrigins(read.document, text, settings, settings_text(tables))
    notes = {field: said.of(field).note for field in ("author", "tags", "categories")}
    assert notes == {"author": "by `[authors]`", "tags": "by `[terms]`", "categories": ""}


A, B, PICTURE = "content/pages/a.md", "content/pages/docs/b.md", "content/pages/a.png"
URL = "https://site.test/wp-json"
SETTINGS = f'[sites.default]\nurl = "{URL}"\ndialect = "wordpress"\nblocks = false\n'
FILES: dict[str, str | bytes] = {
    "pressync.toml": SETTINGS,
    "templates/page.html": "{{ content }}<hr>",
    "templates/other.html": "<b>{{ content }}</b>",
    A: "# A\n\n[b](docs/b.md)\n\n![](a.png)\n",
    B: "# B\n",
    "content/pages/docs/index.md": "# Docs\n",
    PICTURE: b"one",
}


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    """Make a site that has all the files."""
    repository.commit(FILES)
    made = Shelf(repository.root, URL)
    made.sync()
    return made


def causes(shelf: Shelf, path: str = A) -> list[tuple[str, str, str]]:
    """Give the kind, the place and the sentence of each cause of the update of a file."""
    with shelf.workspace() as workspace, workspace.reading() as state:
        planned = workspace.plan(Revision(), PlanOptions())
        change = next(each for each in planned.plan.changes if each.path == path)
        assert isinstance(change, Update)
        content = workspace.content(Revision(), manifest=state.manifest)
        found = Causes(change, content, planned.entries, state.manifest, workspace.clone.found).found()
    return [(each.kind, each.place, each.note) for each in found]


@pytest.mark.parametrize(
    ("edit", "cause"),
    [
        ({A: "# A\n\nAnother text\n"}, ("file", A, "the file has changed")),
        (
            {"templates/page.html": "<i>{{ content }}</i>"},
            ("template", "templates/page.html", "the template has changed"),
        ),
        (
            {"pressync.toml": SETTINGS.replace("false", "true")},
            ("setting", "pressync.toml:4", "`blocks` is true, and was false"),
        ),
        (
            {"pressync.toml": f'{SETTINGS}[defaults.pages]\ncomment_status = "open"\n'},
            ("setting", "pressync.toml", "the default `comment_status` has changed"),
        ),
        ({PICTURE: b"two"}, ("linked_file", PICTURE, "the linked file has changed")),
    ],
)
def test_a_thing_that_a_commit_has_changed_is_the_cause(
    shelf: Shelf, repository: SampleRepository, edit: dict[str, str | bytes], cause: tuple[str, str, str]
) -> None:
    repository.commit(edit)
    assert causes(shelf) == [cause]


def test_another_template_parent_and_term_are_causes(shelf: Shelf, repository: SampleRepository) -> None:
    post = "content/posts/p.md"
    repository.commit({post: "---\ntags: [x]\n---\nText.\n"})
    shelf.sync()
    repository.remove("content/pages/docs/index.md")
    repository.commit(
        {
            A: f"---\nlayout: other\n---\n{FILES[A]!s}",
            "pressync.toml": f'{SETTINGS}[terms]\n"tags/x" = "X-ray"\n',
        }
    )
    assert causes(shelf, post) == [("setting", "pressync.toml:5", "`[terms]` has changed")]
    assert ("parent", "", "its parent is none, and was content/pages/docs/index.md") in causes(shelf, B)
    assert causes(shelf)[:2] == [
        ("file", A, "the file has changed"),
        ("template", "", "its template is other.html, and was page.html"),
    ]


def test_a_linked_page_that_has_moved_is_the_cause(shelf: Shelf, repository: SampleRepository) -> None:
    with shelf.workspace() as workspace, workspace.state(writable=True) as state:
        linked = state.manifest.entries[B]
        state.put(replace(linked, link="https://site.test/elsewhere/", former=(linked.link,)))
        state.save()
    assert causes(shelf) == [("address", B, "the address of the linked page has changed")]
    repository.commit({A: "# A\n\nOtherwise [b](docs/b.md)\n\n![](a.png)\n"})
    assert [kind for kind, _, _ in causes(shelf)] == ["file", "address"]


def test_without_a_cause_the_libraries_are_named(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(basis, "version", lambda library: f"{library} of tomorrow")
    to_html = markdown.to_html
    monkeypatch.setattr(markdown, "to_html", lambda *given, **named: f"{to_html(*given, **named)}<hr>")
    (cause,) = causes(shelf)
    assert cause[0] == "renderer"
    assert cause[2].startswith("another version of pressync or of its libraries")


def test_a_registered_field_comes_from_its_member_a_word_of_seo_or_a_default() -> None:
    text = "---\nmeta:\n  isbn: x\nseo:\n  title: y\n---\n"
    with site_kinds():
        found = origins(text, "[sites.live.defaults]\nmeta = {copies = 3}\n", "content/books/b.md")
        fields = ("meta.isbn", "meta._yoast_wpseo_title", "meta.copies", "meta.price")
        places = [found.of(field).place for field in fields]
    assert places == ["content/books/b.md:3", "content/books/b.md:5", "pressync.toml:5", ""]
