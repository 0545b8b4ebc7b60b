"""The fate of a file that the manifest knows is told by real histories, and never guessed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.repository import SampleRepository

from pressync.model.changes import Absence
from pressync.model.interface import Kind
from pressync.model.records import Entry
from pressync.plan.history import Trace, trace
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

A, B, C = "content/a.md", "content/b.md", "content/c.md"
TEXT = "".join(f"Line {number} of a page that is long enough.\n" for number in range(20))
OTHER = "".join(f"{number}: nothing that the first text said.\n" for number in range(20))


@dataclass
class Story:
    """A repository, and the entries of what was synced from it."""

    repository: SampleRepository
    entries: dict[str, Entry] = field(default_factory=dict)

    def sync(self, *paths: str) -> None:
        """Note the files of HEAD as synced; all of them if none is named."""
        for path in paths or self.repository.git("ls-files", "content").splitlines():
            blob = self.repository.git("rev-parse", f"HEAD:{path}")
            number = len(self.entries) + 1
            self.entries[path] = Entry(
                path, Kind.PAGE, number, "", "", "", "", blob, self.repository.head(), {}
            )

    def rename(self, old: str, new: str) -> None:
        """Rename a file and commit that."""
        self.repository.git("mv", old, new)
        self.repository.commit(message=f"Rename {old}")

    def remove(self, *paths: str) -> None:
        """Remove files and commit that."""
        self.repository.git("rm", "--quiet", "--force", *paths)
        self.repository.commit(message=f"Remove {paths}")

    def trace(self, *, worktree: bool = False, rewind: bool = False, where: Path | None = None) -> Trace:
        """Trace the entries in the clone at `where`, or in the repository itself."""
        with Repository(where or self.repository.root) as opened:
            tree = opened.worktree(["content"]) if worktree else opened.tree(opened.commit())
            new = {
                path: blob
                for path, blob in tree.files.items()
                if path.startswith("content/") and path not in self.entries
            }
            return trace(opened, tree, self.entries, new, rewind=rewind)

    def shallow_clone(self, depth: int = 1) -> Path:
        """Clone the last commits only."""
        place = self.repository.root.parent / f"shallow-{depth}"
        self.repository.git(
            "clone", "--quiet", f"--depth={depth}", f"file://{self.repository.root}", str(place)
        )
        return place


@pytest.fixture
def story(repository: SampleRepository) -> Story:
    """Two pages, committed and synced."""
    repository.commit({A: TEXT, "content/kept.md": "kept"})
    told = Story(repository)
    told.sync()
    return told


def test_a_file_renamed_and_edited_in_one_commit_is_the_same_record(story: Story) -> None:
    story.repository.git("mv", A, B)
    story.repository.commit({B: TEXT + "One line more.\n"})
    assert story.trace() == Trace(renamed={A: B})


def test_a_file_renamed_and_rewritten_on_a_merged_branch_is_the_same_record(story: Story) -> None:
    story.repository.git("checkout", "--quiet", "-b", "side")
    story.rename(A, B)
    story.repository.commit({B: OTHER})
    story.repository.git("checkout", "--quiet", "main")
    story.repository.commit({"content/kept.md": "edited"})
    story.repository.git("merge", "--quiet", "--no-ff", "-m", "Merge", "side")
    assert story.trace() == Trace(renamed={A: B})


def test_a_file_renamed_on_the_branch_that_was_synced_survives_its_merge(story: Story) -> None:
    story.repository.git("checkout", "--quiet", "-b", "side")
    story.repository.commit({A: TEXT + "Synced from the side branch.\n"})
    story.sync()
    story.rename(A, B)
    story.repository.commit({B: OTHER})
    story.repository.git("checkout", "--quiet", "main")
    story.repository.commit({"content/kept.md": "edited"})
    story.repository.git("merge", "--quiet", "--no-ff", "-m", "Merge", "side")
    assert story.trace() == Trace(renamed={A: B})


def test_a_file_renamed_to_and_fro_and_away_ends_where_it_is(story: Story) -> None:
    story.rename(A, B)
    story.rename(B, A)
    story.repository.commit({A: OTHER})
    story.rename(A, C)
    story.repository.commit({C: "Rewritten."})
    assert story.trace() == Trace(renamed={A: C})


def test_a_file_that_moved_into_one_with_its_own_record_is_removed(story: Story) -> None:
    story.repository.commit({B: OTHER})
    story.sync(B)
    story.repository.git("rm", "--quiet", B)
    story.repository.git("mv", A, B)
    story.repository.commit()
    assert story.trace() == Trace(absences={A: Absence.REMOVED})


def test_two_records_never_become_one_file(story: Story) -> None:
    story.repository.commit({B: TEXT})
    story.sync(B)
    story.repository.git("rm", "--quiet", A)
    story.repository.git("mv", B, C)
    story.repository.commit()
    found = story.trace()
    assert list(found.renamed.values()) == [C]
    assert list(found.absences.values()) == [Absence.REMOVED]
    assert {*found.renamed, *found.absences} == {A, B}


def test_a_file_that_became_a_symbolic_link_is_not_removed(story: Story) -> None:
    (story.repository.root / A).unlink()
    (story.repository.root / A).symlink_to("kept.md")
    story.repository.commit()
    assert story.trace() == Trace(absences={A: Absence.OUTSIDE})


class TestWorkingTree:
    """With `--worktree`, a rename counts before it is committed, a removal does not."""

    def test_a_file_gone_from_the_working_tree_only_is_uncommitted(self, story: Story) -> None:
        (story.repository.root / A).unlink()
        assert story.trace(worktree=True) == Trace(absences={A: Absence.UNCOMMITTED})

    def test_a_rename_that_is_not_committed_is_a_rename(self, story: Story) -> None:
        (story.repository.root / A).rename(story.repository.root / B)
        assert story.trace(worktree=True) == Trace(renamed={A: B})

    def test_a_rename_that_was_committed_goes_on_in_the_working_tree(self, story: Story) -> None:
        story.rename(A, B)
        story.repository.commit({B: OTHER})
        (story.repository.root / B).rename(story.repository.root / C)
        assert story.trace(worktree=True) == Trace(renamed={A: C})

    def test_a_renamed_file_that_is_gone_from_the_working_tree_is_uncommitted(self, story: Story) -> None:
        story.rename(A, B)
        (story.repository.root / B).unlink()
        assert story.trace(worktree=True) == Trace(absences={A: Absence.UNCOMMITTED})


class TestCommittedLater:
    """An import and a pull note the commit before their files, because people commit the files later."""

    def import_page(self, story: Story) -> None:
        """Commit a page whose entry names the commit before it."""
        before = story.repository.head()
        story.repository.commit({B: TEXT})
        story.sync(B)
        story.entries[B] = structs.replace(story.entries[B], commit=before)

    def test_a_page_that_was_edited_and_then_removed_is_removed(self, story: Story) -> None:
        self.import_page(story)
        story.repository.commit({B: OTHER})
        story.remove(B)
        assert story.trace() == Trace(absences={B: Absence.REMOVED})

    def test_a_page_that_was_edited_and_then_moved_out_of_the_content_is_removed(self, story: Story) -> None:
        self.import_page(story)
        story.repository.commit({B: OTHER})
        story.rename(B, "drafts.md")
        assert story.trace() == Trace(absences={B: Absence.REMOVED})

    def test_a_page_whose_bytes_the_history_never_had_is_not_removed(self, story: Story) -> None:
        self.import_page(story)
        story.entries[B] = structs.replace(story.entries[B], blob="1" * 40)
        story.remove(B)
        assert story.trace() == Trace(absences={B: Absence.UNWITNESSED}, untraceable=(B,))


class TestWithoutHistory:
    """A shallow clone knows little, so it deletes nothing and makes nothing twice."""

    def test_a_missing_file_is_not_a_removed_file(self, story: Story) -> None:
        story.remove(A)
        found = story.trace(where=story.shallow_clone())
        assert found == Trace(absences={A: Absence.UNWITNESSED}, untraceable=(A,), shallow=True)

    def test_the_commit_that_removed_what_was_synced_is_evidence(self, story: Story) -> None:
        story.repository.commit({"content/kept.md": "between"})
        story.remove(A)
        found = story.trace(where=story.shallow_clone(depth=2))
        assert found == Trace(absences={A: Absence.REMOVED})

    def test_the_commit_that_removed_other_bytes_is_not_evidence(self, story: Story) -> None:
        story.repository.commit({A: OTHER})
        story.remove(A)
        found = story.trace(where=story.shallow_clone(depth=2))
        assert found == Trace(absences={A: Absence.UNWITNESSED}, untraceable=(A,), shallow=True)

    def test_a_file_with_the_same_bytes_is_the_renamed_one(self, story: Story) -> None:
        story.rename(A, B)
        assert story.trace(where=story.shallow_clone()) == Trace(renamed={A: B})

    def test_two_files_with_the_same_bytes_show_no_rename(self, story: Story) -> None:
        story.rename(A, B)
        story.repository.commit({C: TEXT})
        found = story.trace(where=story.shallow_clone())
        assert found == Trace(absences={A: Absence.UNWITNESSED}, untraceable=(A,), shallow=True)

    def test_a_commit_that_is_here_and_not_shown_to_be_below_head_is_not_evidence(self, story: Story) -> None:
        place = story.shallow_clone()
        story.repository.git("checkout", "--quiet", "--orphan", "fresh")
        story.remove(A)
        clone = SampleRepository(place)
        clone.git("fetch", "--quiet", "--depth=1", "origin", "fresh")
        clone.git("reset", "--quiet", "--hard", "FETCH_HEAD")
        found = story.trace(where=place)
        assert found == Trace(absences={A: Absence.UNWITNESSED}, untraceable=(A,), shallow=True)

    def test_an_adopted_file_that_is_gone_was_removed_by_nobody_we_know(self, story: Story) -> None:
        story.entries[A] = Entry(A, Kind.PAGE, 7, "", "", "", "", "", "", {})
        story.remove(A)
        assert story.trace() == Trace(absences={A: Absence.UNWITNESSED}, untraceable=(A,))


class TestOtherBranches:
    """A commit that HEAD does not descend from is not evidence, unless a rewind was asked for."""

    def test_a_page_of_another_branch_is_not_removed(self, story: Story) -> None:
        story.repository.git("checkout", "--quiet", "-b", "side")
        story.repository.commit({B: OTHER})
        story.sync(B)
        story.repository.git("checkout", "--quiet", "main")
        story.repository.commit({"content/kept.md": "edited"})
        assert story.trace() == Trace(absences={B: Absence.UNWITNESSED}, untraceable=(B,))

    def test_a_rewritten_history_still_shows_a_rename_by_its_bytes(self, story: Story) -> None:
        story.repository.git("checkout", "--quiet", "--orphan", "fresh")
        story.rename(A, B)
        assert story.trace() == Trace(renamed={A: B})

    def test_a_rewind_takes_the_other_commit_as_evidence(self, story: Story) -> None:
        first = story.repository.head()
        story.repository.commit({B: OTHER})
        story.sync(B)
        story.repository.git("reset", "--quiet", "--hard", first)
        assert story.trace(rewind=True) == Trace(absences={B: Absence.REMOVED})


def test_the_history_decides_before_equal_bytes(story: Story) -> None:
    blob = story.entries[A].blob
    story.entries["content/0.md"] = Entry("content/0.md", Kind.PAGE, 9, "", "", "", "", blob, "0" * 40, {})
    story.rename(A, B)
    assert story.trace() == Trace(
        renamed={A: B}, absences={"content/0.md": Absence.UNWITNESSED}, untraceable=("content/0.md",)
    )
