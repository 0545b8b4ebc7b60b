"""`pressync resolve`: a person settles an unconfirmed create."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.strict_service import Fault, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.strict_service import StrictService
    from tests.support.terminal import Terminal


@pytest.fixture
def doubtful(terminal: Terminal) -> Iterator[StrictService]:
    """Lose the answer of the first create of a run, which was carried out."""
    with serving() as strict:
        terminal.environ["PRESSYNC_URL"] = strict.url
        strict.faults.append(Fault(acts=True, end="close"))
        terminal.run("sync", "--yes", exits=5)
        yield strict


def test_told_that_it_was_not_created_the_next_sync_creates_it(
    terminal: Terminal, doubtful: StrictService
) -> None:
    doubtful.records.clear()
    terminal.run("resolve", "content/pages/about.md", "--not-created")
    terminal.run("sync", "--yes")
    assert sorted(str(page["slug"]) for page in doubtful.pages) == ["about", "history", "index"]


def test_told_the_id_the_next_sync_updates_that_record(terminal: Terminal, doubtful: StrictService) -> None:
    number = doubtful.pages[0]["id"]
    terminal.run("resolve", "content/pages/about.md", "--id", str(number))
    terminal.run("sync", "--yes")
    assert sorted(str(page["slug"]) for page in doubtful.pages) == ["about", "history", "index"]
    assert not doubtful.violations


def test_adopting_settles_it_as_well(terminal: Terminal, doubtful: StrictService) -> None:
    terminal.run("adopt", "content/pages/about.md", str(doubtful.pages[0]["id"]))
    terminal.run("sync", "--yes")
    assert len(doubtful.pages) == 3


def test_it_stays_unconfirmed_under_the_new_name_of_its_file(
    terminal: Terminal, doubtful: StrictService
) -> None:
    terminal.repository.move("content/pages/about.md", "content/pages/us.md")
    terminal.repository.move("content/pages/about/history.md", "content/pages/history.md")
    terminal.repository.commit(
        {"content/pages/index.md": "# Home\n", "content/pages/history.md": "# History\n"}
    )
    terminal.run("sync", "--yes", exits=5)
    assert [page["slug"] for page in doubtful.pages].count("us") == 0
    terminal.run("resolve", "content/pages/about.md", "--id", str(doubtful.pages[0]["id"]))
    terminal.run("sync", "--yes")
    assert sorted(str(page["slug"]) for page in doubtful.pages) == ["history", "index", "us"]


def test_only_an_unconfirmed_create_can_be_resolved(terminal: Terminal, doubtful: StrictService) -> None:
    told = terminal.run("resolve", "content/pages/index.md", "--not-created", exits=2).stderr
    assert "unconfirmed: content/pages/about.md" in told
    assert doubtful.pages


def test_it_wants_one_of_the_two_answers(terminal: Terminal) -> None:
    terminal.run("resolve", "content/pages/index.md", exits=2)
    terminal.run("resolve", "content/pages/index.md", "--id", "1", "--not-created", exits=2)


def test_several_that_were_not_created_are_settled_at_once(
    terminal: Terminal, doubtful: StrictService
) -> None:
    doubtful.faults.append(Fault(acts=True, end="close"))
    terminal.run("sync", "--yes", exits=5)
    doubtful.records.clear()
    paths = ("content/pages/about.md", "content/pages/index.md")
    told = terminal.run("resolve", *paths, "--not-created").stdout
    assert told == "2 documents were not created; the next sync creates them.\n"
    terminal.run("sync", "--yes")
    assert sorted(str(page["slug"]) for page in doubtful.pages) == ["about", "history", "index"]


def test_an_id_is_the_record_of_one_path(terminal: Terminal, doubtful: StrictService) -> None:
    paths = ("content/pages/about.md", "content/pages/index.md")
    said = terminal.run("resolve", *paths, "--id", str(doubtful.pages[0]["id"]), exits=2).stderr
    assert "--id N is the record of one PATH" in said
