"""A manifest is pushed to its branch, and merged with the one that another run pushed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry
from tests.support.repository import SampleRepository

from pressync.app.github.push_manifest import commit_and_push, require_push
from pressync.model.errors import ManifestError
from pressync.model.records import Manifest
from pressync.repo.repository import Repository
from pressync.state.manifest.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE = ".pressync/live.json"
TARGET = "https://site.test/wp-json"


def text(**ids: int) -> str:
    """Write a manifest of pages by their ids."""
    entries = {f"{name}.md": entry(f"{name}.md", number) for name, number in ids.items()}
    return encode(Manifest(TARGET, entries))


def ids(repository: SampleRepository) -> dict[str, int]:
    """Read the ids in the manifest of the origin's branch."""
    found = decode(repository.git("show", f"main:{FILE}") + "\n", where=FILE)
    return {path.removesuffix(".md"): record.id for path, record in found.entries.items()}


@pytest.fixture
def origin(tmp_path: Path) -> SampleRepository:
    made = SampleRepository.create(tmp_path / "origin")
    made.git("config", "receive.denyCurrentBranch", "updateInstead")
    made.commit({FILE: text(a=1)})
    return made


@pytest.fixture
def clone(origin: SampleRepository, tmp_path: Path) -> SampleRepository:
    origin.git("clone", "--quiet", f"file://{origin.root}", str(tmp_path / "clone"))
    made = SampleRepository(tmp_path / "clone")
    made.git("config", "user.name", "A Writer")
    made.git("config", "user.email", "writer@example.org")
    return made


@pytest.fixture
def repository(clone: SampleRepository) -> Iterator[Repository]:
    with Repository(clone.root) as opened:
        yield opened


def carried(repository: Repository, clone: SampleRepository, manifest: str) -> str | None:
    """Write a manifest as a sync does, commit it and push it."""
    return commit_and_push(repository, clone.write(FILE, manifest), "main", "Sync")


def test_without_a_change_there_is_nothing_to_carry(
    repository: Repository, clone: SampleRepository, origin: SampleRepository
) -> None:
    before = origin.head()
    assert carried(repository, clone, text(a=1)) is None
    assert origin.head() == before


def test_records_of_both_sides_are_kept(
    repository: Repository, clone: SampleRepository, origin: SampleRepository
) -> None:
    require_push(repository, "main")
    origin.commit({FILE: text(a=1, b=2)})
    assert carried(repository, clone, text(a=1, c=3)) == origin.head()
    assert ids(origin) == {"a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize("gone", [True, False])
def test_a_side_that_did_not_touch_it_or_lost_it_changes_nothing(
    repository: Repository, clone: SampleRepository, origin: SampleRepository, gone: bool
) -> None:
    if gone:
        origin.remove(FILE)
    origin.commit({"README.md": "Read"})
    carried(repository, clone, text(a=1, c=3))
    assert ids(origin) == {"a": 1, "c": 3}


def test_two_ids_for_one_path_are_a_persons_to_choose(
    repository: Repository, clone: SampleRepository, origin: SampleRepository
) -> None:
    origin.commit({FILE: text(a=1, b=2)})
    with pytest.raises(ManifestError, match=r"b\.md is page 3 on one side and page 2 on the other"):
        carried(repository, clone, text(a=1, b=3))
    assert ids(origin) == {"a": 1, "b": 2}
