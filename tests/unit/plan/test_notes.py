"""What a plan says beside its changes: problems, lost edits and texts, and what a sync needs."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import create, delete, desired, entry, keep, prints, update
from tests.support.terminal import Terminal

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.changes import Create, Keep
from pressync.model.reason import NO_REASON
from pressync.model.visibility import FRONT_PAGE
from pressync.plan import notes
from pressync.plan.notes import front_pages, same_address
from pressync.plan.survey import parent_cycles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

    from pressync.content.content import Content
    from pressync.model.changes import Change
    from pressync.model.records import Manifest


A, B, C = "content/pages/a.md", "content/pages/b.md", "content/pages/c.md"
EDITED = {"content": "<p>theirs</p>"}


def test_each_record_whose_edit_is_lost_is_named_and_many_are_counted() -> None:
    changes: list[Change] = [
        update(A, "content", old=entry(A, conflict=EDITED)),
        update(B, "title", old=entry(B, 8, conflict=EDITED), number=8),
        delete(C, 9, conflict=EDITED),
        create("content/pages/d.md"),
        keep("content/pages/e.md", 10),
    ]
    assert notes.overwritten_edits(changes) == [f"Edits on the site are overwritten in 2 records: {A}, {C}."]
    many = [delete(f"content/pages/p{n:02}.md", n, conflict=EDITED) for n in range(1, 24)]
    (sentence,) = notes.overwritten_edits(many)
    assert "in 23 records" in sentence
    assert sentence.endswith("content/pages/p20.md and 3 more.")


def test_nothing_is_lost_of_what_the_file_says_too_or_of_what_is_in_the_trash() -> None:
    taken = desired(A, fingerprints=prints(A, content="<p>theirs</p>"))
    same = update(A, "content", old=entry(A, conflict=EDITED), fingerprints=taken.fingerprints)
    assert notes.overwritten_edits([same, delete(C, 9, conflict={"status": "trash"})]) == []


CHILD = "content/pages/a/child.md"


def test_each_document_of_a_cycle_of_parents_has_a_problem() -> None:
    found = {A: desired(A, parent_path=B), B: desired(B, parent_path=A), CHILD: desired(CHILD, parent_path=A)}
    assert [problem.path for problem in parent_cycles(found, {})] == [A, B]
    # It may lead over a record whose file was not read.
    del found[B], found[CHILD]
    assert [problem.path for problem in parent_cycles(found, {B: entry(B, parent_path=A)})] == [A]
    assert parent_cycles(found, {B: entry(B)}) == []


def test_documents_that_want_one_address_or_a_records_address_are_told() -> None:
    wanted = [desired(A, slug="same"), desired(B, slug="same"), desired(CHILD, slug="same", parent_path=A)]
    (problem,) = same_address(wanted, {})
    assert problem.warning
    assert str(problem).startswith(f"{A}: it wants the same address as {B}")
    (problem,) = same_address([desired(A, slug="b")], {B: entry(B)})
    assert B in str(problem)


def test_two_files_that_other_systems_take_for_one_are_told_so() -> None:
    """An umlaut is one sign, or a letter and its dots; the service makes one slug of both."""
    one, two = (
        desired("content/pages/\xe4.md", slug="\xe4"),
        desired("content/pages/a\u0308.md", slug="a\u0308"),
    )
    (problem,) = same_address([one, two], {})
    assert problem.what.endswith(f"address as {two.path} (and on macOS and Windows both are one file)")
    lower, upper = desired("content/pages/a.md", slug="a"), desired("content/pages/A.md", slug="a")
    assert "one file" in same_address([lower, upper], {})[0].what


FRONT = desired(A, fingerprints=prints(A, front_page=True))


def test_two_front_pages_are_an_error_of_the_second() -> None:
    kept = Keep(B, entry(B).kind, 7, entry(B, fingerprints=prints(B, front_page=True)))
    other = Create(A, FRONT.kind, (FRONT_PAGE,), NO_REASON, FRONT)
    (problem,) = front_pages([kept, other])
    assert (problem.path, problem.warning) == (B, False)
    assert str(problem).startswith(f"{B}: {A} is the front page already, and a site has one; ")


URL = "https://site.test/wp-json"
ABOUT, TEAM = "content/posts/about.md", "content/posts/team.md"
PICTURE, COPY = "content/posts/a.png", "content/posts/z.png"


@pytest.fixture
def posts(repository: SampleRepository) -> SampleRepository:
    """Commit two posts that share an author, and each a copy of one picture."""
    repository.commit(
        {
            ABOUT: "---\nauthor: anna\ncategories: [News]\n---\n![a](a.png)\n",
            TEAM: "---\nauthor: anna\n---\n![a](z.png)\n",
            PICTURE: b"png",
            COPY: b"png",
        }
    )
    return repository


@contextmanager
def content(repository: SampleRepository, manifest: Manifest | None = None) -> Iterator[Content]:
    """Open the documents of HEAD for a WordPress site that has what `site` tells."""
    environ = {"PRESSYNC_URL": URL, "PRESSYNC_DIALECT": "wordpress"}
    with Workspace.open(repository.root, environ=environ) as workspace:
        yield workspace.content(Revision(), manifest=manifest)


PAGE, NEWS = "content/pages/about.md", "content/pages/news.md"
EMPTY = f"{PAGE}: the file is empty; write its text, bring it back with Git, or remove the file"


def lost(number: int) -> str:
    return (
        f"{NEWS}: the file has no text any more, and a sync empties page {number}; bring the text back with "
        "Git, or remove the file to take the page off the site"
    )


@pytest.fixture
def terminal(repository: SampleRepository, strict: StrictService) -> Terminal:
    """Sync two pages with text and one that only has a title."""
    terminal = Terminal(repository, {"PRESSYNC_URL": strict.url})
    repository.commit(
        {PAGE: "# About\n\nWe are two.\n", NEWS: "# News\n\nNew.\n", "content/pages/bare.md": "# Bare\n"}
    )
    terminal.run("sync", "--yes")
    return terminal


def test_an_emptied_file_and_a_lost_text_are_told_or_refused(
    terminal: Terminal, strict: StrictService
) -> None:
    terminal.repository.commit(
        {PAGE: "", NEWS: "---\ntitle: News\n---\n", "content/pages/bare.md": "# Bare, with a new title\n"}
    )
    number = next(page["id"] for page in strict.pages if page["slug"] == "news")
    assert terminal.run("check").stderr.splitlines()[:-1] == [f"warning: {EMPTY}"]
    assert terminal.run("plan").stderr.splitlines()[:2] == [f"warning: {EMPTY}", f"warning: {lost(number)}"]
    assert EMPTY in terminal.run("check", "--strict", exits=2).stderr
    before = len(strict.received)
    refused = terminal.run("sync", "--yes", "--strict", exits=2).stderr
    assert EMPTY in refused
    assert lost(number) in refused
    assert len(strict.received) == before
    terminal.run("sync", "--yes")
    assert terminal.run("plan").stderr == "", "nothing is said of pages that are empty on purpose by now"
