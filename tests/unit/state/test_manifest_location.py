"""Where the manifest's file may be, and that it is there if Git has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model.errors import ManifestError
from pressync.repo.repository import Repository
from pressync.state import manifest_file

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository

NAME = ".pressync/default.json"


def check(folder: Path) -> None:
    with Repository(folder) as opened:
        manifest_file.check(opened, NAME)


def test_before_the_first_commit_and_before_the_first_sync_it_need_not_be_there(
    repository: SampleRepository,
) -> None:
    check(repository.root)
    repository.commit({"content/pages/a.md": "# A"})
    check(repository.root)


def test_one_that_is_committed_must_be_there_until_its_removal_is_committed(
    repository: SampleRepository,
) -> None:
    repository.commit({NAME: "{}"})
    check(repository.root)
    repository.remove(NAME)
    with pytest.raises(
        ManifestError, match=r"it is committed, but it is not in this work tree; `git sparse-checkout add"
    ):
        check(repository.root)
    repository.commit()
    check(repository.root)


def test_a_link_to_another_file_of_the_work_tree_is_followed(repository: SampleRepository) -> None:
    repository.commit({"elsewhere.json": "{}"})
    (repository.root / ".pressync").mkdir()
    (repository.root / NAME).symlink_to("../elsewhere.json")
    check(repository.root)


@pytest.mark.parametrize("target", ["../../outside.json", "../.git/config", "/dev/null"])
def test_a_link_that_leads_out_of_the_work_tree_is_refused(repository: SampleRepository, target: str) -> None:
    (repository.root / ".pressync").mkdir()
    (repository.root / NAME).symlink_to(target)
    with pytest.raises(ManifestError, match="which is outside the work tree; make it a file"):
        check(repository.root)
