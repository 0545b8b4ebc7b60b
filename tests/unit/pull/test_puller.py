"""One file on a real disk: what is not written, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository

PAGE = "content/pages/about.md"


@pytest.fixture
def edited(desk: Desk, repository: SampleRepository) -> Desk:
    """Sync a page that somebody then edits."""
    repository.commit({PAGE: "# About\n\nOne.\n"})
    desk.sync()
    desk.edit(PAGE, content=("One.", "Two."))
    return desk


def problem(desk: Desk) -> str:
    """Pull, and give the one sentence that says why nothing was taken over."""
    before = desk.entries()
    (pulled,) = desk.pull(PAGE)
    assert pulled.taken == ()
    assert desk.entries() == before
    (said,) = pulled.problems
    assert said.endswith("; nothing was taken over")
    return said


def test_a_file_that_a_filter_changes_on_the_disk_is_left_alone(
    edited: Desk, repository: SampleRepository
) -> None:
    # As Git LFS does, or keywords: what is checked out is not what is committed.
    repository.git("config", "filter.shout.smudge", "tr a-z A-Z")
    repository.git("config", "filter.shout.clean", "tr A-Z a-z | sed 's/^# about/# About/; s/^one/One/'")
    repository.commit({".gitattributes": "*.md filter=shout\n"})
    repository.remove(PAGE)
    repository.git("checkout", "--", PAGE)
    assert "a filter" in problem(edited)
    assert edited.text(PAGE) == "# ABOUT\n\nONE.\n"


def test_a_file_that_is_gone_from_the_disk_is_told(edited: Desk, repository: SampleRepository) -> None:
    repository.remove(PAGE)
    assert "its file is not here" in problem(edited)


def test_a_file_that_a_sparse_checkout_left_out_is_told(edited: Desk, repository: SampleRepository) -> None:
    repository.git("update-index", "--skip-worktree", PAGE)
    repository.remove(PAGE)
    assert "cannot be written (No such file or directory)" in problem(edited)


def test_a_file_with_problems_is_to_be_mended_first(edited: Desk, repository: SampleRepository) -> None:
    repository.commit({PAGE: "---\nstatus: nonsense\n---\n"})
    assert "`pressync check`" in problem(edited)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        # Its broken link is a warning, and comes first.
        ("---\nlayout: odd\n---\n[x](gone.md)\n", "'nothing' is undefined"),
        ("---\ntype: none\n---\n", "its type is `none`"),
    ],
)
def test_the_problem_that_is_told_is_the_one_in_the_way(
    edited: Desk, repository: SampleRepository, text: str, why: str
) -> None:
    repository.commit(
        {PAGE: text, "templates/odd.html": "{{ nothing }}", "templates/page.html": "{{ content }}"}
    )
    assert why in problem(edited)


def test_a_base_that_is_not_in_this_clone_is_the_file_itself(
    edited: Desk, repository: SampleRepository
) -> None:
    """As in a shallow clone: what the site says goes in, and `git diff` shows all of it."""
    repository.commit({PAGE: "# About\n\nOne.\n\nMine.\n"})
    blob = edited.entries()[PAGE].blob
    manifest = edited.root / ".pressync/default.json"
    manifest.write_text(manifest.read_text().replace(blob, "0" * 40))
    (pulled,) = edited.pull(PAGE)
    assert pulled.settled
    assert edited.text(PAGE) == "# About\n\nTwo.\n"


def test_the_pulled_text_is_kept_in_git_as_the_base_of_the_next_merge(
    edited: Desk, repository: SampleRepository
) -> None:
    edited.pull(PAGE)
    blob = edited.entries()[PAGE].blob
    assert repository.git("cat-file", "blob", blob) == "# About\n\nTwo."
    assert blob == repository.git("hash-object", PAGE)


def test_the_page_of_a_folder_without_a_file_gets_its_file(desk: Desk, repository: SampleRepository) -> None:
    repository.commit({"pressync.toml": 'folders = "pages"\n', "content/pages/guide/one.md": "# One\n"})
    desk.sync()
    page = "content/pages/guide/index.md"
    desk.edit(page, content="<p>Read this.</p>\n")

    assert [pulled.taken for pulled in desk.pull(page)] == [("content",)]

    assert desk.text(page) == "Read this.\n"
    repository.commit()
    assert desk.plan().pending == ()
