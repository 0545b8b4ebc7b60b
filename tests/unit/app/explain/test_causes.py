"""An update names the things that have changed since the record was last sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.library_repository import Shelf

from pressync.app.explain.causes import Causes
from pressync.app.explain.origins import SettingsFile
from pressync.app.revision import Revision
from pressync.content import basis
from pressync.content.render import markdown
from pressync.model.changes import Update
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

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
    text = (shelf.root / "pressync.toml").read_text(encoding="utf-8")
    with shelf.workspace() as workspace, workspace.reading() as state:
        planned = workspace.plan(Revision(), PlanOptions())
        change = next(each for each in planned.plan.changes if each.path == path)
        assert isinstance(change, Update)
        content = workspace.content(Revision(), manifest=state.manifest)
        file = SettingsFile(text, "pressync.toml")
        found = Causes(change, content, planned.entries, state.manifest, file).found()
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


def test_a_template_that_the_file_no_longer_names_is_the_cause(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.commit({A: f"---\nlayout: other\n---\n{FILES[A]!s}"})
    assert causes(shelf) == [
        ("file", A, "the file has changed"),
        ("template", "", "its template is other.html, and was page.html"),
    ]


def test_another_name_of_a_term_is_the_cause(shelf: Shelf, repository: SampleRepository) -> None:
    post = "content/posts/p.md"
    repository.commit({post: "---\ntags: [x]\n---\nText.\n"})
    shelf.sync()
    repository.commit({"pressync.toml": f'{SETTINGS}[terms]\n"tags/x" = "X-ray"\n'})
    assert causes(shelf, post) == [("setting", "pressync.toml:5", "`[terms]` has changed")]


def test_another_parent_is_the_cause(shelf: Shelf, repository: SampleRepository) -> None:
    repository.remove("content/pages/docs/index.md")
    repository.commit()
    assert ("parent", "", "its parent is none, and was content/pages/docs/index.md") in causes(shelf, B)


def test_a_linked_page_that_has_moved_is_the_cause(shelf: Shelf, repository: SampleRepository) -> None:
    with shelf.workspace() as workspace, workspace.state(writable=True) as state:
        linked = state.manifest.entries[B]
        state.put(replace(linked, link="https://site.test/elsewhere/", former=(linked.link,)))
        state.save()
    assert causes(shelf) == [("address", B, "the address of the linked page has changed")]
    repository.commit({A: "# A\n\nOtherwise [b](docs/b.md)\n\n![](a.png)\n"})
    assert [kind for kind, _, _ in causes(shelf)] == ["file", "address"]


def test_without_any_other_cause_the_libraries_are_named(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(basis, "version", lambda library: f"{library} of tomorrow")
    to_html = markdown.to_html
    monkeypatch.setattr(markdown, "to_html", lambda text: f"{to_html(text)}<hr>")
    (cause,) = causes(shelf)
    assert cause[0] == "renderer"
    assert cause[2].startswith("another version of pressync or of its libraries")


def test_without_the_commit_nothing_is_said(shelf: Shelf, repository: SampleRepository) -> None:
    repository.commit({A: "# A\n\nAnother text\n"})
    with shelf.workspace() as workspace, workspace.state(writable=True) as state:
        state.put(replace(state.manifest.entries[A], commit="0123456789" * 4))
        state.save()
    assert causes(shelf) == []
