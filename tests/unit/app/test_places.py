"""Where the service, the manifest and the clone's files of a site are, in each kind of repository."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from pressync.app.workspace import SitePlaces, Workspace
from pressync.model.errors import ManifestError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository


@contextmanager
def places(root: Path, url: str = "") -> Iterator[SitePlaces]:
    """Open the places of the site in a repository."""
    with Workspace.open(root, environ={"PRESSYNC_URL": url} if url else {}) as workspace:
        yield SitePlaces(workspace.clone)


def test_a_site_has_its_manifest_in_the_work_tree_and_its_files_in_the_git_directory(
    repository: SampleRepository,
) -> None:
    with places(repository.root, "https://site.test") as found:
        assert found.address == "https://site.test"
        assert found.manifest() == repository.root / ".pressync/default.json"
        assert found.clone_files.directory == repository.root / ".git/pressync"


def test_the_embedded_service_has_no_address_and_its_files_are_those_of_the_work_tree(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit()
    beside = tmp_path / "beside"
    repository.git("worktree", "add", "--quiet", str(beside))
    with places(repository.root) as here, places(beside) as there:
        assert here.address is there.address is None
        assert here.clone_files.directory != there.clone_files.directory
    with places(repository.root, "https://site.test") as here, places(beside, "https://site.test") as there:
        assert here.clone_files == there.clone_files


def test_a_bare_repository_has_its_manifest_in_the_git_directory(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit()
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", repository.root, bare], check=True)
    with places(bare, "https://site.test") as found:
        assert found.manifest_path == bare / "pressync/default.json"


def test_a_manifest_in_a_reference_is_opened_once(repository: SampleRepository) -> None:
    repository.commit({"pressync.toml": '[sites.live]\nurl = "https://site.test"\nmanifest = "ref"\n'})
    with places(repository.root) as found:
        assert found.manifest() is found.manifest_reference is not None


def test_a_manifest_outside_of_the_work_tree_is_refused(repository: SampleRepository, tmp_path: Path) -> None:
    (repository.root / ".pressync").symlink_to(tmp_path)
    with places(repository.root, "https://site.test") as found, pytest.raises(ManifestError, match="outside"):
        found.manifest()
