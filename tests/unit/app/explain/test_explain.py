"""The explanation of one path: fields, their origins, causes of an update, and a file that is gone."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support import embedded_wordpress
from tests.support.embedded_wordpress import ENVIRON
from tests.support.kinds import TYPES
from tests.support.library_repository import Shelf
from tests.support.strict_service import Fault, answer
from tests.support.syncing import Bound
from tests.support.terminal import Terminal

from pressync.app.explain.explain import explain, last_revision
from pressync.app.explain.origins import Causes, DocumentOrigins, FieldState, Revised, ValueSource
from pressync.app.revision import Revision
from pressync.config.settings import SettingsText, load
from pressync.content import basis, documents
from pressync.content.front_matter.keys import SPELLINGS, readers
from pressync.content.render import markdown
from pressync.model.changes import Blocked, Create, Delete, Keep, Update
from pressync.model.errors import ConfigError
from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes
from pressync.model.records import Source
from pressync.plan.build import PlanOptions
from pressync.plan.decide import adopted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

    from pressync.app.explain.origins import ExplainedField, Explanation, ValueOrigin


SETTINGS = """\
exclude = ["left.md"]

[defaults]
comment_status = "closed"

[defaults."pages/team"]
weight = 7
"""
TEAM, POST = "content/pages/team/index.md", "content/posts/2024-01-31-hello.md"
FILES = {
    "pressync.toml": SETTINGS,
    TEAM: '---\ntitle: Team\nslug: "The Team!"\n---\nWe\n',
    POST: "---\nsummary: hi\ntags: [bread]\n---\nIntro\n\n# Hello you\n",
    "templates/page.html": "<main>{{ content }}</main>",
    "content/pages/left.md": "# Left\n",
}


@pytest.fixture
def bound(site: EmbeddedWordPress, repository: SampleRepository) -> Bound:
    repository.commit(FILES)
    return Bound(repository.root, site.url, environ=ENVIRON)


def explained(bound: Bound, path: str, *, drift: bool = False, worktree: bool = False) -> Explanation:
    """Explain a path of HEAD, or of the working tree."""
    with bound.workspace() as workspace:
        return explain(workspace, path, Revision(worktree=worktree), drift=drift)


def field(found: Explanation, name: str) -> ExplainedField:
    return next(each for each in found.fields if each.name == name)


def places(found: Explanation) -> dict[str, str]:
    """Give the place of each field."""
    return {each.name: each.origin.place for each in found.fields}


def test_a_new_document_says_where_each_value_comes_from(bound: Bound) -> None:
    found = explained(bound, TEAM)
    assert (found.entry, found.sent, type(found.change)) == (None, None, Create)
    assert field(found, "menu_order").origin.note == "`weight` for pages/team/"
    assert {each.state for each in found.fields} == {FieldState.NEW}
    assert [(each.folder, each.keys) for each in found.defaults] == [
        ("pages/team", ("weight",)),
        ("", ("comment_status",)),
    ]
    assert found.layout == "page.html"
    assert found.changed
    assert "author" in found.left
    post = explained(bound, POST)
    assert places(post) == {
        "excerpt": f"{POST}:2",
        "tags": f"{POST}:3",
        "content": f"{POST}:5",
        "title": f"{POST}:7",
        **dict.fromkeys(("slug", "date"), POST),
        "comment_status": "pressync.toml:4",
        "status": "",
    }
    assert field(post, "tags").shown == "bread"


def test_after_a_sync_it_says_what_was_sent_and_what_the_service_made_of_it(bound: Bound) -> None:
    assert not explained(bound, TEAM).run
    run = bound.sync().run
    assert run
    found = explained(bound, TEAM)
    assert isinstance(found.change, Keep)
    assert found.run == run
    assert found.entry
    assert found.sent
    assert found.sent.id == found.entry.commit
    assert {each.state for each in found.fields} == {FieldState.SENT}
    assert [each.name for each in found.fields if each.bent] == ["slug"]
    # The ids of names are not another value.
    assert not any(each.bent for each in explained(bound, POST).fields)


def test_it_says_which_fields_the_next_sync_sends(bound: Bound, repository: SampleRepository) -> None:
    repository.commit(
        {POST: "---\nsummary: hi\nexcerpt: better\npassword: x\ntags: [bread]\n---\n# Hello you\n"}
    )
    bound.sync()
    repository.commit({POST: "---\nsummary: hi\ntitle: New\n---\nText\n"})
    found = explained(bound, POST)
    states = {each.name: each.state for each in found.fields if each.state is not FieldState.SENT}
    assert states == {
        "content": FieldState.CHANGED,
        "excerpt": FieldState.CHANGED,
        "title": FieldState.CHANGED,
        "password": FieldState.EMPTIED,
        "tags": FieldState.EMPTIED,
    }
    with bound.workspace() as workspace:
        (change,) = workspace.plan(Revision(), PlanOptions(paths=(POST,))).plan.changes
    assert isinstance(found.change, Update)
    assert found.change == change


def test_an_edit_on_the_site_is_named(
    bound: Bound, site: EmbeddedWordPress, repository: SampleRepository
) -> None:
    bound.sync()
    known = explained(bound, TEAM).entry
    assert known
    site.post(f"pages/{known.id}", title="Edited")
    assert not any(each.edit for each in explained(bound, TEAM).fields)
    found = explained(bound, TEAM, drift=True)
    assert field(found, "title").edit == "Edited"
    assert isinstance(found.change, Blocked)
    assert found.looked
    repository.remove(TEAM)
    repository.commit({})
    found = explained(bound, TEAM)
    assert isinstance(found.change, Delete)
    assert found.why_none == "its file was removed or renamed"
    assert found.entry


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("content/pages/left.md", "`exclude` in the settings leaves it out"),
        ("templates/page.html", "it is not below the content folder, content/"),
        ("content/pages/none.md", "its type is `none`"),
        ("content/a.txt", "it is not Markdown"),
    ],
)
def test_other_paths_say_why_they_are_not_documents(
    bound: Bound, repository: SampleRepository, path: str, why: str
) -> None:
    repository.commit({"content/pages/none.md": "---\ntype: none\n---\n", "content/a.txt": "x"})
    assert explained(bound, path).why_none.startswith(why)
    with pytest.raises(ConfigError, match="is a folder"):
        explained(bound, "content/pages")


SCHEMA = json.loads(files("pressync").joinpath("schemas", "explain.json").read_text(encoding="utf-8"))


def test_the_schema_has_every_source_and_every_state() -> None:
    assert SCHEMA["$defs"]["from"]["enum"] == [source.value for source in ValueSource]
    members = SCHEMA["properties"]["fields"]["items"]["properties"]
    assert members["state"]["enum"] == [state.value for state in FieldState]
    assert members["state_name"]["enum"] == [state.public_name for state in FieldState]


ABOUT = "content/pages/about.md"


@pytest.fixture
def clone(repository: SampleRepository) -> Iterator[Terminal]:
    """Make a repository with two pages, and settings of a service."""
    with embedded_wordpress.serving() as site:
        settings = f'[sites.live]\nurl = "{site.url}"\n'
        repository.commit(
            {"pressync.toml": settings, ABOUT: "# About\n", "content/pages/index.md": "# Home\n"}
        )
        yield Terminal(repository, embedded_wordpress.ENVIRON)


def test_of_a_removed_file_the_run_that_deleted_its_record_or_the_commit_is_named(clone: Terminal) -> None:
    clone.repository.commit({"content/pages/team/anna.md": "# Anna\n"})
    clone.repository.git("rm", "--quiet", "content/pages/team/anna.md")
    clone.repository.git("commit", "--quiet", "--message", "We are gone")
    for typed in ("content/pages/team", "content/pages/abuot.md", ":(glob)**"):
        assert "check the spelling" in clone.run("explain", typed, exits=2).stderr
    said = clone.run("explain", "pages/team/anna.md").stdout
    assert "not a document    its file was removed or renamed\n" in said
    assert "We are gone" in said
    assert "nothing: a sync does not read this file" in said
    clone.run("sync", "--yes")
    number = json.loads(clone.run("explain", ABOUT, "--format", "json").stdout)["id"]
    clone.repository.remove(ABOUT)
    removed = clone.repository.commit()
    run = json.loads(clone.run("sync", "--yes", "--max-delete", "1", "--format", "json").stdout)["run"]
    found = json.loads(clone.run("explain", ABOUT, "--format", "json").stdout)
    assert found["not_a_document"] == f"its file was removed or renamed; run {run} deleted its page {number}"
    assert found["source"]["commit"]["id"] == removed
    assert found["next"] is None


PAGE = adopted("content/pages/a.md", Kind.PAGE, 7)
# As WordPress 6.8 responds.
NEWEST = [{"author": 1, "date_gmt": "2024-05-01T10:00:00"}]


def asked(site: EmbeddedWordPress, repository: SampleRepository, *responses: object) -> Revised | None:
    """Ask for the last revision; the first requests get these responses."""
    site.faults.extend(Fault(acts=False, sends=answer(body=json.dumps(each).encode())) for each in responses)
    with Bound(repository.root, site.url, environ=ENVIRON).workspace() as workspace:
        return last_revision(workspace, PAGE)


@pytest.mark.parametrize(
    ("responses", "who"),
    [
        ([NEWEST], "admin"),
        ([[{"author": 99, "date_gmt": "2024-05-01T10:00:00"}]], "user 99"),
        ([NEWEST, {"name": "a\x1b[31m\nb", "slug": "a"}], "a\\u001b[31m b"),
        ([[]], None),
        ([], None),
    ],
)
def test_it_is_named_with_its_user(
    site: EmbeddedWordPress, repository: SampleRepository, responses: list[object], who: str | None
) -> None:
    found = asked(site, repository, *responses)
    assert found == (who and Revised("2024-05-01T10:00:00Z", who))
    asked_for = [each.path.partition("?")[0] for each in site.received]
    assert asked_for[:1] == ["/wp-json/wp/v2/pages/7/revisions"]


LIVE = '[sites.live]\nurl = "https://example.org/wp-json"\ndialect = "wordpress"\n'


def settings_text(text: str) -> SettingsText:
    return SettingsText(text, "pressync.toml", is_pushed=False)


def origins(
    text: str,
    settings: str = "",
    path: str = "content/pages/a/b.md",
    types: SiteTypes = DOCUMENTED_TYPES,
) -> DocumentOrigins:
    """Read a document, and give the origins of its values."""
    found = load(LIVE + settings, where="pressync.toml", environ={})._replace(types=types)
    read = documents.DocumentReader(found).read(Source(path, "0" * 40), text.encode())
    assert read.document, read.problems
    return DocumentOrigins(read.document, text, found, settings_text(LIVE + settings))


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


def test_a_value_of_another_tool_leaves_the_default_and_the_front_page_may_come_from_the_site() -> None:
    found = origins("---\nstatus: deprecated\n---\n", '\n[defaults]\nstatus = "draft"\n')
    assert where(found.of("status")) == ("default", "pressync.toml:6")
    found_front = origins("text\n", "front_page = true\n").of("front_page")
    assert (found_front.source, found_front.place) == (ValueSource.SETTINGS, "pressync.toml:4")


def test_each_spelling_is_a_key_that_sets_the_field() -> None:
    fields = {field.name for kind in DOCUMENTED_TYPES.kinds for field in kind.row.body}
    assert SPELLINGS.keys() <= fields
    known = {key for kind in DOCUMENTED_TYPES.kinds for key in readers(kind.row)} | {"published", "authors"}
    assert {key for keys in SPELLINGS.values() for key in keys} <= known


def test_a_user_or_a_term_that_a_table_gave_is_said_to_come_from_it() -> None:
    text = "---\nauthor: anna\ntags: [x, y]\ncategories: [z]\n---\n"
    tables = f'{LIVE}[authors]\nanna = "jane"\n[terms]\n"tags/x" = "X-ray"\n'
    settings = load(tables, where="pressync.toml", environ={})
    read = documents.DocumentReader(settings).read(Source("content/posts/a.md", "0" * 40), text.encode())
    assert read.document, read.problems
    said = DocumentOrigins(read.document, text, settings, settings_text(tables))
    notes = {field: said.of(field).note for field in ("author", "tags", "categories")}
    assert notes == {"author": "by `[authors]`", "tags": "by `[terms]`", "categories": ""}


PAGE_A, PAGE_B, PICTURE = "content/pages/a.md", "content/pages/docs/b.md", "content/pages/a.png"
URL = "https://site.test/wp-json"
BLOCKS = f'[sites.default]\nurl = "{URL}"\ndialect = "wordpress"\nblocks = false\n'
TREE: dict[str, str | bytes] = {
    "pressync.toml": BLOCKS,
    "templates/page.html": "{{ content }}<hr>",
    "templates/other.html": "<b>{{ content }}</b>",
    PAGE_A: "# A\n\n[b](docs/b.md)\n\n![](a.png)\n",
    PAGE_B: "# B\n",
    "content/pages/docs/index.md": "# Docs\n",
    PICTURE: b"one",
}


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    """Make a site that has all the files."""
    repository.commit(TREE)
    made = Shelf(repository.root, URL)
    made.sync()
    return made


def causes(shelf: Shelf, path: str = PAGE_A) -> list[tuple[str, str, str]]:
    """Give the kind, the place and the sentence of each cause of the update of a file."""
    with shelf.workspace() as workspace, workspace.reading() as state:
        planned = workspace.plan(Revision(), PlanOptions())
        change = next(each for each in planned.plan.changes if each.path == path)
        assert isinstance(change, Update)
        content = workspace.content(Revision(), manifest=state.manifest)
        found = Causes(
            change, content, planned.entries, state.manifest, workspace.clone.settings_text
        ).found()
    return [(each.kind, each.place, each.note) for each in found]


@pytest.mark.parametrize(
    ("edit", "cause"),
    [
        ({PAGE_A: "# A\n\nAnother text\n"}, ("file", PAGE_A, "the file has changed")),
        (
            {"templates/page.html": "<i>{{ content }}</i>"},
            ("template", "templates/page.html", "the template has changed"),
        ),
        (
            {"pressync.toml": BLOCKS.replace("false", "true")},
            ("setting", "pressync.toml:4", "`blocks` is true, and was false"),
        ),
        (
            {"pressync.toml": f'{BLOCKS}[defaults.pages]\ncomment_status = "open"\n'},
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
            PAGE_A: f"---\nlayout: other\n---\n{TREE[PAGE_A]!s}",
            "pressync.toml": f'{BLOCKS}[terms]\n"tags/x" = "X-ray"\n',
        }
    )
    assert causes(shelf, post) == [("setting", "pressync.toml:5", "`[terms]` has changed")]
    assert ("parent", "", "its parent is none, and was content/pages/docs/index.md") in causes(shelf, PAGE_B)
    assert causes(shelf)[:2] == [
        ("file", PAGE_A, "the file has changed"),
        ("template", "", "its template is other.html, and was page.html"),
    ]


def test_a_linked_page_that_has_moved_is_the_cause(shelf: Shelf, repository: SampleRepository) -> None:
    with shelf.workspace() as workspace, workspace.state(writable=True) as state:
        linked = state.manifest.entries[PAGE_B]
        state.put(structs.replace(linked, link="https://site.test/elsewhere/", former=(linked.link,)))
        state.save()
    assert causes(shelf) == [("address", PAGE_B, "the address of the linked page has changed")]
    repository.commit({PAGE_A: "# A\n\nOtherwise [b](docs/b.md)\n\n![](a.png)\n"})
    assert [kind for kind, _, _ in causes(shelf)] == ["file", "address"]
    with shelf.workspace() as workspace, workspace.state(writable=True) as state:
        state.put(structs.replace(state.manifest.entries[PAGE_A], commit="0123456789" * 4))
        state.save()
    assert causes(shelf) == [], "this clone does not have the commit"


def test_without_a_cause_the_libraries_are_named(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(basis, "version", lambda library: f"{library} of tomorrow")
    to_html = markdown.to_html
    monkeypatch.setattr(markdown, "to_html", lambda *given, **named: f"{to_html(*given, **named)}<hr>")
    (cause,) = causes(shelf)
    assert cause[0] == "renderer"
    assert cause[2].startswith("another version of pressync or of its libraries")


def test_a_registered_field_comes_from_its_member_a_word_of_seo_or_a_default() -> None:
    text = "---\nmeta:\n  isbn: x\nseo:\n  title: y\n---\n"
    found = origins(text, "[sites.live.defaults]\nmeta = {copies = 3}\n", "content/books/b.md", TYPES)
    fields = ("meta.isbn", "meta._yoast_wpseo_title", "meta.copies", "meta.price")
    places = [found.of(field).place for field in fields]
    assert places == ["content/books/b.md:3", "content/books/b.md:5", "pressync.toml:5", ""]


def test_an_edit_that_is_not_committed_counts_with_the_working_tree_and_the_last_run_is_named(
    bound: Bound, repository: SampleRepository
) -> None:
    first = bound.sync().run
    repository.commit({POST: "---\ntitle: New\n---\n"})
    second = bound.sync().run
    assert (explained(bound, TEAM).run, explained(bound, POST).run) == (first, second)
    repository.write(TEAM, "---\ntitle: Ours\n---\nWe\n")
    assert field(explained(bound, TEAM), "title").value == "Team"
    found = explained(bound, TEAM, worktree=True)
    assert (field(found, "title").value, found.is_committed) == ("Ours", False)
    assert explained(bound, POST, worktree=True).is_committed
