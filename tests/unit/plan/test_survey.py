"""The survey reads a file only if something in its fields may differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.builders import entry

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.changes import Absence
from pressync.model.fingerprint import UNSURE
from pressync.model.interface import Kind
from pressync.model.records import UnconfirmedCreate
from pressync.plan.situations import (
    BoundDocument,
    BrokenDocument,
    KnownDocument,
    MissingDocument,
    NewDocument,
    UnconfirmedDocument,
)
from pressync.plan.survey import Known, Surveyor
from pressync.state.clone_log import Bond

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.repository import SampleRepository

    from pressync.model.errors import Problem
    from pressync.model.records import Entry
    from pressync.plan.survey import Survey

WITH_A_DOCUMENT = (BoundDocument, NewDocument, KnownDocument)
A, B, CHILD = "content/pages/a.md", "content/pages/b.md", "content/pages/a/child.md"


class Looker:
    """Surveys HEAD against entries, and remembers which files were read and what was wrong."""

    def __init__(self, repository: SampleRepository) -> None:
        self._root = repository.root
        self.read: list[str] = []
        self.counted: list[tuple[int, int]] = []
        self.problems: tuple[Problem, ...] = ()

    def survey(
        self,
        entries: Mapping[str, Entry],
        *,
        unconfirmed: Mapping[str, UnconfirmedCreate] | None = None,
        read_all: bool = False,
    ) -> Survey:
        """Survey HEAD."""
        with Workspace.open(self._root, environ={}) as workspace:
            content = workspace.content(Revision())
            self.counted.clear()
            surveyor = Surveyor(content, lambda done, total: self.counted.append((done, total)))
            found = surveyor.survey(Known(entries, unconfirmed or {}), rewind=False, read_all=read_all)
            self.read = [here.desired.path for here in found.situations if isinstance(here, WITH_A_DOCUMENT)]
            self.problems = surveyor.problems
            return found

    def up_to_date(self) -> dict[str, Entry]:
        """Make the entries of HEAD's documents as they would be after a sync."""
        with Workspace.open(self._root, environ={}) as workspace:
            content = workspace.content(Revision())
            entries: dict[str, Entry] = {}
            for number, path in enumerate(sorted(content.sources), 7):
                found = content.prepare(path, entries).desired
                entries[path] = structs.replace(
                    entry(path, number),
                    blob=found.blob,
                    basis=found.basis,
                    layout=found.layout,
                    parent_path=found.parent_path,
                    links=found.links,
                    commit=content.tree.commit,
                    fingerprints=found.fingerprints,
                )
            return entries


@pytest.fixture
def looker(repository: SampleRepository) -> Looker:
    """Commit two pages, and a child that links to one of them."""
    repository.commit({A: "# A\n", CHILD: "[b](../b.md)\n", B: "# B\n"})
    return Looker(repository)


def ready(looker: Looker) -> dict[str, Entry]:
    """Make up-to-date entries: a second look knows the addresses that the first one gave."""
    entries = looker.up_to_date()
    with Workspace.open(looker._root, environ={}) as workspace:  # noqa: SLF001 - of this module
        content = workspace.content(Revision())
        prepared = {path: content.prepare(path, entries).desired for path in entries}
    return {
        path: structs.replace(old, basis=prepared[path].basis, fingerprints=prepared[path].fingerprints)
        for path, old in entries.items()
    }


def test_an_edited_file_is_read_and_no_other(looker: Looker, repository: SampleRepository) -> None:
    entries = ready(looker)
    found = looker.survey(entries)
    assert not found.situations
    assert {each.path for each in found.unread} == {A, B, CHILD}
    repository.commit({B: "# B, again\n"})
    looker.survey(entries)
    assert looker.read == [B]
    looker.survey({})
    assert looker.counted == [(1, 3), (2, 3), (3, 3)], "a person sees how many are read"


@pytest.mark.parametrize(("written", "unverified"), [(7, False), (8, True), (None, True)])
def test_a_forgotten_record_is_unverified_unless_this_clone_wrote_it(
    repository: SampleRepository, written: int | None, unverified: bool
) -> None:
    repository.commit({A: "# A\n"})
    bonds = {A: Bond("page", written, "")} if written else {}
    known = Known(lost=lambda: {A: entry(A, 7)}, vouched=lambda: bonds)
    with Workspace.open(repository.root, environ={}) as workspace:
        found = Surveyor(workspace.content(Revision())).survey(known, rewind=False, read_all=False)
    (here,) = found.situations
    assert isinstance(here, NewDocument)
    assert here.unverified is unverified


@pytest.mark.parametrize(
    "change", [{"conflict": {"title": "Theirs"}}, {"fingerprints": {"title": UNSURE}}, {"blob": ""}]
)
def test_a_record_that_is_not_settled_is_read(looker: Looker, change: dict[str, object]) -> None:
    entries = ready(looker)
    looker.survey({**entries, A: structs.replace(entries[A], **change)})
    assert looker.read == [A]


def test_a_create_stays_unconfirmed_under_a_new_name(looker: Looker, repository: SampleRepository) -> None:
    entries = ready(looker)
    create = UnconfirmedCreate(B, Kind.PAGE, "b", "2024-01-31T12:00:00+00:00", repository.head(), {})
    del entries[B]
    repository.move(B, "content/pages/new.md")
    repository.commit()
    found = looker.survey(entries, unconfirmed={B: create}).situations
    assert UnconfirmedDocument(create) in found
    assert not any(isinstance(here, NewDocument) for here in found)


def test_an_excluded_file_or_one_without_type_is_out(looker: Looker, repository: SampleRepository) -> None:
    entries = ready(looker)
    repository.commit({"pressync.toml": "exclude = ['pages/a/']\n", B: "---\ntype: none\n---\n"})
    missing = [here for here in looker.survey(entries).situations if isinstance(here, MissingDocument)]
    assert missing == [MissingDocument(entries[path], Absence.LEFT_OUT) for path in (CHILD, B)]
    assert looker.problems == ()


def test_one_id_in_two_files_is_told_of_the_second(looker: Looker, repository: SampleRepository) -> None:
    repository.commit({A: "---\nid: 70\n---\n", B: "---\nid: 70\n---\n"})
    found = [here for here in looker.survey({}).situations if isinstance(here, BoundDocument)]
    assert [(here.desired.path, here.other_path) for here in found] == [(A, None), (B, A)]


def test_a_circle_of_parents_is_a_problem_of_each(looker: Looker, repository: SampleRepository) -> None:
    repository.commit({A: "---\nparent: b\n---\n", B: "---\nparent: a\n---\n"})
    found = looker.survey({})
    assert sorted(problem.path for problem in looker.problems) == [A, B]
    assert {here.path for here in found.situations if isinstance(here, BrokenDocument)} == {A, B}
