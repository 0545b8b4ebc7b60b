"""The record of a run is there before its first call, and tells how the run left the records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.library_repository import Shelf

from pressync.app.rollback import records_of
from pressync.model.errors import NoAnswer
from pressync.model.interface import Kind
from pressync.state.clone_facts import digest

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.model.changes import Call
    from pressync.model.records import Fields, Record
    from pressync.state.clone_facts import RunRecord

A, B = "content/pages/a.md", "content/pages/b.md"


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    """Make a site with one page of ours."""
    repository.commit({A: "# A\n"})
    made = Shelf(repository.root, "https://site.test/wp-json")
    made.sync()
    return made


def runs(shelf: Shelf) -> list[RunRecord]:
    with shelf.workspace() as workspace:
        return records_of(workspace).all()


def images(shelf: Shelf) -> dict[tuple[Kind, int], Fields]:
    with shelf.workspace() as workspace:
        found = records_of(workspace).images(records_of(workspace).ids()[-1])
        return {key: image.values for key, image in found.items()}


def test_the_manifest_of_before_is_written_before_the_first_call(
    shelf: Shelf, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({A: "# Anew\n"})
    seen: list[RunRecord] = []
    carry_out = shelf.service.carry_out

    def looks_first(call: Call) -> Record:
        seen.extend(runs(shelf)[1:])
        return carry_out(call)

    monkeypatch.setattr(shelf.service, "carry_out", looks_first)
    shelf.sync()
    assert seen[0].touched[0].before
    assert seen[0].after is None


def test_the_next_run_writes_down_how_a_killed_one_left_its_records(
    shelf: Shelf, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({A: "# Anew\n"})
    with monkeypatch.context() as patched:
        patched.setattr("pressync.sync.run_recording.RunRecording.end", lambda _self: None)
        shelf.sync()
    killed = shelf.entries()[A]
    assert runs(shelf)[-1].after is None
    repository.commit({A: "# Once more\n"})
    shelf.sync()
    after = runs(shelf)[-2].after
    assert after
    assert after[A].digest == digest(killed)


def test_values_of_others_are_kept_and_our_own_are_not(shelf: Shelf, repository: SampleRepository) -> None:
    shelf.service.hold(31, title="Theirs", slug="theirs", content="<p>Theirs</p>", status="draft")
    repository.commit({A: "---\ntitle: Anew\nexcerpt: Ours\n---\n", B: "---\nid: 31\ntitle: Ours\n---\nB\n"})
    number = shelf.entries()[A].id
    shelf.service.held[number].fields["excerpt"] = "Theirs"  # type: ignore[index]
    shelf.sync()
    kept = images(shelf)
    assert kept[Kind.PAGE, 31] == {"title": "Theirs", "slug": "theirs", "content": "<p>Theirs</p>"}
    assert kept[Kind.PAGE, number] == {"excerpt": "Theirs"}


def test_an_unconfirmed_create_is_known_as_such(shelf: Shelf, repository: SampleRepository) -> None:
    repository.commit({B: "# B\n"})
    shelf.service.ends.append(NoAnswer("lost"))
    shelf.sync()
    after = runs(shelf)[-1].after
    assert after
    assert after[B].id == 0
