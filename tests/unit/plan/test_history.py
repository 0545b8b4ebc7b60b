"""The fate of a file that the manifest knows is told by real histories, and never guessed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.repository import SampleRepository

from pressync.content.sources import folder_pages
from pressync.model.changes import Absence
from pressync.model.interface import Kind
from pressync.model.records import Entry
from pressync.plan.history import Trace, trace
from pressync.repo.discover import EMPTY_BLOB
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

A, B, C = "content/a.md", "content/b.md", "content/c.md"
TEXT = "".join(f"Line {number} of a page that is long enough.\n" for number in range(20))
OTHER = "".join(f"{number}: nothing that the first text said.\n" for number in range(20))


UNWITNESSED = Trace(absences={A: Absence.UNWITNESSED}, untraceable=(A,))
UNKNOWN_B = Trace(absences={B: Absence.UNWITNESSED}, untraceable=(B,))
REMOVED, REMOVED_B = Trace(absences={A: Absence.REMOVED}), Trace(absences={B: Absence.REMOVED})
CUT_OFF = Trace(absences={A: Absence.UNWITNESSED}, untraceable=(A,), shallow=True)
MOVED = Trace(renamed={A: B})


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

    def tell(self, steps: str) -> None:
        """Take one step after the other, each of them a commit; a, b and c are files of the content."""
        for step in steps.split("; "):
            match [f"content/{word}.md" if len(word) == 1 else word for word in step.split()]:
                case ["write", path, "as", other]:
                    self.repository.commit({path: (self.repository.root / other).read_text()})
                case ["write" | "edit" as how, path]:
                    before = (self.repository.root / path).read_text() if how == "edit" else OTHER
                    self.repository.commit({path: f"{before}More.\n"})
                case ["sync", *paths]:
                    self.sync(*paths)
                case ["adopt", path]:
                    self.entries[path] = Entry(path, Kind.PAGE, 7, "", "", "", "", "", "", {})
                case ["import", path]:
                    # An import and a pull note the commit before their files, which people commit later.
                    before = self.repository.head()
                    self.repository.commit({path: TEXT})
                    self.sync(path)
                    self.entries[path] = structs.replace(self.entries[path], commit=before)
                case ["back"]:
                    self.repository.git("checkout", "--quiet", "main")
                    self.repository.commit({"content/kept.md": "edited"})
                case ["rename", old, new]:
                    self.repository.git("mv", "--force", old, new)
                    self.repository.commit(message=step)
                case ["remove", *paths]:
                    self.repository.git("rm", "--quiet", "--force", *paths)
                    self.repository.commit(message=step)
                case words:
                    self.repository.git(*words)

    def trace(self, *, worktree: bool = False, rewind: bool = False, where: Path | None = None) -> Trace:
        """Trace the entries in the clone at `where`, or in the repository itself."""
        with Repository(where or self.repository.root) as opened:
            tree = opened.worktree(["content"]) if worktree else opened.tree(opened.commit())
            documents = {path: blob for path, blob in tree.files.items() if path.startswith("content/")}
            documents |= folder_pages(documents, "content", {})
            new = {path: blob for path, blob in documents.items() if path not in self.entries}
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


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ("remove a", REMOVED),
        ("mv a b; edit b", MOVED),
        ("rename a b; write b", MOVED),
        (
            "switch --quiet -C side; rename a b; write b; back; merge --no-ff -m Merge side",
            MOVED,
        ),
        # The branch that was synced is merged.
        (
            "switch --quiet -C side; edit a; sync; rename a b; back; merge --no-ff -m Merge side",
            MOVED,
        ),
        ("rename a b; write b; remove b", REMOVED),
        ("rename a b; rename b a; write a; rename a c; write c", Trace(renamed={A: C})),
        # It moved into a file with a record of its own, or out of the content.
        ("write b; sync b; rename a b", REMOVED),
        ("rename a drafts.md", REMOVED),
        # It was adopted, and never synced.
        ("adopt a; remove a", UNWITNESSED),
        ("adopt a; rename a b; write b", MOVED),
        # It was committed after the commit that its entry names.
        ("import b; write b; remove b", REMOVED_B),
        ("import b; write b; rename b drafts.md", REMOVED_B),
        # HEAD does not descend from the commit that was synced.
        ("switch --quiet -C side; write b; sync b; back", UNKNOWN_B),
        ("switch --quiet -C side; import b; back", UNKNOWN_B),
        (
            "write b as README.md; remove b; switch --quiet -C side; write b; sync b; back",
            UNKNOWN_B,
        ),
        ("checkout --quiet --orphan fresh; rename a b", MOVED),
    ],
)
def test_a_record_follows_its_file_and_is_removed_only_if_a_commit_says_so(
    story: Story, steps: str, found: Trace
) -> None:
    (story.repository.root / "README.md").write_text("An old page of that name.\n")
    story.tell(steps)
    assert story.trace() == found


@pytest.mark.parametrize(
    ("depth", "steps", "found"),
    [
        (1, "remove a", CUT_OFF),
        # The commit that removed what was synced is evidence, and one that removed other bytes is not.
        (2, "write kept.md; remove a", REMOVED),
        (2, "write a; remove a", CUT_OFF),
        # A file with the same bytes is the renamed one, and two of them show no rename.
        (1, "rename a b", MOVED),
        (1, "rename a b; write c as content/b.md", CUT_OFF),
        (3, "edit a; rename a b; write b", MOVED),
    ],
)
def test_a_shallow_clone_deletes_nothing_and_makes_nothing_twice(
    story: Story, depth: int, steps: str, found: Trace
) -> None:
    story.tell(steps)
    assert story.trace(where=story.shallow_clone(depth)) == found


@pytest.mark.parametrize(
    ("steps", "old", "new", "found"),
    [
        # A rename counts before it is committed, and a removal does not.
        ("sync", A, "", Trace(absences={A: Absence.UNCOMMITTED})),
        ("sync", A, B, MOVED),
        ("adopt a", A, B, MOVED),
        ("rename a b; write b", B, C, Trace(renamed={A: C})),
        ("rename a b", B, "", Trace(absences={A: Absence.UNCOMMITTED})),
        ("remove a", "content/kept.md", "content/kept.md", REMOVED),
    ],
)
def test_the_working_tree_goes_on_from_the_commits(
    story: Story, steps: str, old: str, new: str, found: Trace
) -> None:
    story.tell(steps)
    text = (story.repository.root / old).read_text()
    (story.repository.root / old).unlink()
    if new:
        story.repository.write(new, text)
    assert story.trace(worktree=True) == found


@pytest.mark.parametrize(
    ("steps", "known", "found"),
    [
        ("write b; sync b; reset --quiet --hard HEAD^", B, REMOVED_B),
        ("rename a b; sync b; reset --quiet --hard HEAD^", B, Trace(renamed={B: A})),
    ],
)
def test_a_rewind_takes_the_other_commit_as_evidence(
    story: Story, steps: str, known: str, found: Trace
) -> None:
    story.tell(steps)
    story.entries = {known: story.entries[known]}
    assert story.trace(rewind=True) == found


def test_two_records_never_become_one_file(story: Story) -> None:
    story.tell("write b as content/a.md; sync b; rm --quiet content/a.md; rename b c")
    found = story.trace()
    assert list(found.renamed.values()) == [C]
    assert list(found.absences.values()) == [Absence.REMOVED]
    assert {*found.renamed, *found.absences} == {A, B}


def test_a_file_that_became_a_symbolic_link_is_not_removed(story: Story) -> None:
    (story.repository.root / A).unlink()
    (story.repository.root / A).symlink_to("kept.md")
    story.repository.commit()
    assert story.trace() == Trace(absences={A: Absence.OUTSIDE})


def test_a_page_whose_bytes_the_history_never_had_or_lost_before_is_not_removed(story: Story) -> None:
    story.tell("import b; write b; remove b")
    whole = story.entries[B]
    for other in ({"blob": "1" * 40}, {"commit": story.repository.head()}):
        story.entries[B] = structs.replace(whole, **other)
        assert story.trace() == UNKNOWN_B


def test_a_commit_that_is_here_and_not_shown_to_be_below_head_is_not_evidence(story: Story) -> None:
    place = story.shallow_clone()
    story.tell("checkout --quiet --orphan fresh; remove a")
    clone = SampleRepository(place)
    clone.git("fetch", "--quiet", "--depth=1", "origin", "fresh")
    clone.git("reset", "--quiet", "--hard", "FETCH_HEAD")
    assert story.trace(where=place) == CUT_OFF


@pytest.mark.parametrize("steps", ["rename a b", "rename a b; write b"])
def test_the_history_decides_before_equal_bytes(story: Story, steps: str) -> None:
    story.tell(steps)
    blob, other = story.repository.git("rev-parse", f"HEAD:{B}"), "content/0.md"
    story.entries[other] = Entry(other, Kind.PAGE, 9, "", "", "", "", blob, "0" * 40, {})
    assert story.trace() == Trace(renamed={A: B}, absences={other: Absence.UNWITNESSED}, untraceable=(other,))


FOLDER = "content/pages/docs/index.md"


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ("rename content/pages/docs content/pages/guide", "content/pages/guide/index.md"),
        ("write content/pages/docs.md", "content/pages/docs.md"),
        # Its only file left the folder for a place that only looks like another folder with this file.
        (
            "write content/pages/to-index.md; rename content/pages/docs/x.md content/pages/to-x.md",
            Absence.REMOVED,
        ),
        ("remove content/pages/docs/x.md", Absence.REMOVED),
        ("rm --quiet content/pages/docs/x.md", Absence.UNCOMMITTED),
        ("rename content/pages/docs/x.md content/pages/docs/x.txt", Absence.LEFT_OUT),
        # Without the commit that was synced, the page of a new folder is not the page of the old one.
        (
            "checkout --quiet --orphan fresh; remove content/pages/docs/x.md; write content/pages/new/y.md",
            Absence.UNWITNESSED,
        ),
    ],
)
def test_the_page_of_a_folder_follows_the_files_of_the_folder(
    story: Story, steps: str, found: str | Absence
) -> None:
    story.repository.commit({"content/pages/docs/x.md": TEXT})
    head = story.repository.head()
    story.entries = {FOLDER: Entry(FOLDER, Kind.PAGE, 9, "", "", "", "", EMPTY_BLOB, head, {})}
    story.tell(steps)
    traced = story.trace(worktree=True)
    assert {**traced.renamed, **traced.absences} == {FOLDER: found}
    assert traced.untraceable == ((FOLDER,) if found is Absence.UNWITNESSED else ())


def test_the_record_of_a_folders_removed_file_goes_to_the_page_that_the_folder_still_needs(
    story: Story,
) -> None:
    story.repository.commit({"content/pages/docs.md": OTHER, "content/pages/docs/x.md": TEXT})
    story.tell("sync; remove content/pages/docs.md")
    assert story.trace() == Trace(renamed={"content/pages/docs.md": FOLDER})
