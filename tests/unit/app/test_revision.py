"""A state of the repository: its files, and the branch that a site is synced from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.revision import Revision, refuse_other_branch
from pressync.config import settings
from pressync.model.errors import RepositoryError, SafetyRefusal
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository

PAGES = {"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n"}


@pytest.fixture
def opened(repository: SampleRepository) -> Iterator[Repository]:
    """Open a repository of two pages, on its branch `main`."""
    repository.commit(PAGES)
    with Repository(repository.root) as opened:
        yield opened


def files(opened: Repository, revision: Revision) -> set[str]:
    return set(revision.tree(opened, ["content", "templates"]).files)


def check(opened: Repository, ref: str = "HEAD", *, branch: str | None = "main") -> None:
    """Ask whether a site of this branch may be synced from a revision."""
    line = f'branch = "{branch}"' if branch else ""
    text = f'[sites.live]\nurl = "https://example.org/wp-json"\n{line}\n'
    site = settings.load(text, where=settings.FILE_NAME, environ={}).site
    refuse_other_branch(Revision(ref), opened, site)


def everything_below(folder: Path) -> dict[str, bytes]:
    """Read every file of a folder, to tell whether anything was written there."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_what_is_staged_is_read_as_the_next_commit_and_leaves_no_trace(
    repository: SampleRepository, opened: Repository
) -> None:
    repository.write("content/pages/staged.md", "# Staged\n")
    repository.git("add", ".")
    repository.write("content/pages/not-staged.md", "# Not\n")
    before = everything_below(repository.root)
    assert files(opened, Revision(staged=True)) == {*PAGES, "content/pages/staged.md"}
    assert everything_below(repository.root) == before


def test_another_branch_or_none_is_refused_with_the_way_to_the_right_one(
    repository: SampleRepository, opened: Repository
) -> None:
    repository.commit({"content/pages/later.md": "# Later\n"})
    repository.git("switch", "--quiet", "--create", "draft")
    repository.commit({"content/pages/draft.md": "# Draft\n"})
    with pytest.raises(SafetyRefusal) as refused:
        check(opened)
    assert str(refused.value) == (
        "site 'live' is synced from branch 'main' only, and this is 'draft'; "
        "`git switch main`, or change `branch` in pressync.toml"
    )
    check(opened, "main")
    check(opened, "refs/heads/main")
    repository.git("switch", "--quiet", "main")
    check(opened, "main~1")
    with pytest.raises(SafetyRefusal, match="branch 'main' only, and this is 'draft'"):
        check(opened, "draft")
    with pytest.raises(RepositoryError):
        check(opened, "nowhere")


def test_a_detached_head_is_no_branch_and_a_bare_repository_has_none_checked_out(
    repository: SampleRepository, opened: Repository, tmp_path: Path
) -> None:
    repository.git("switch", "--quiet", "--detach")
    with pytest.raises(SafetyRefusal, match="a detached HEAD"):
        check(opened)
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    with Repository(tmp_path / "bare.git") as bare:
        check(bare)
