"""A check that uses the cache gives the same answer as one without it, after any order of edits."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support.share import share

from pressync.app import cache_file, check, check_cache, quick_check
from pressync.app.check_cache import CheckCache
from pressync.app.quick_check import QuickCheck
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.content.content import Content

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.content.read_files import ReadFile

SAVED = Revision(worktree=True, needs_commit=False)
NAMES = [f"content/pages/{name}.md" for name in ("a", "b", "c", "d/index", "d/e", "f/README", "f/g")]
NAMES += ["content/posts/2026-01-02-h.md", "content/posts/i.md", "content/other/j.md"]
LINKS = (
    "a.md",
    "b.md#one",
    "d/e.md#two",
    "./d/index.md",
    "../posts/i.md",
    "pic.png",
    "none.md",
    "../../notes/x.md",
    "/a/",
    "/d/e/#x",
)
HEADINGS = ("# One", "## One", "## Two", "## Three {{ x }}")
KEYS = (
    "slug: a",
    "slug: other",
    "type: none",
    "parent: a",
    "parent: d/e",
    "id: 7",
    "aliases: [/old/]",
    "featured_media: pic.png",
    "tags: [x]",
    "weight: 3",
    "status: draft",
    "front_page: true",
    "odd: 1",
    "date: never",
    "layout: wide",
)
SETTINGS = (
    "",
    'exclude = ["/other/"]\n',
    'folders = "pages"\n',
    "[defaults]\nstatus = 'draft'\n",
    "[markdown]\nmath = true\nhighlight = 'default'\n",
)
TEMPLATES = ("<p>{{ content }}</p>\n", "{{ content }}{{ odd }}\n", "{{ content }}{% broken\n")


class Walk:
    """A person who edits a repository in any order, and checks it after each edit."""

    def __init__(self, repository: SampleRepository, home: Path, seed: int) -> None:
        self.repository, self.home = repository, home
        self.chance = random.Random(seed)  # noqa: S311 - the same walk every time
        self.steps: list[str] = []
        self.quick_answers = 0

    def step(self) -> None:
        """Do one thing, and note it."""
        edits = [self.write, self.add_words] * 3
        others = [
            self.remove,
            self.rename,
            self.commit,
            self.settings,
            self.template,
            self.picture,
            self.note,
        ]
        act = self.chance.choice([*edits, *others])
        self.steps.append(f"{act.__name__} {act()}")

    def write(self) -> str:
        path = self.chance.choice(NAMES)
        keys = "\n".join(self.chance.sample(KEYS, self.chance.choice((0, 0, 1, 2))))
        links = (f"[x]({link})" for link in self.chance.sample(LINKS, self.chance.choice((0, 1, 2))))
        heading = self.chance.choice((*HEADINGS, "Text."))
        text = f"---\ntitle: {path[-4:]}\n{keys}\n---\n\n{heading}\n\n{' '.join(links)}\n"
        self.repository.write(path, text)
        return f"{path}: {keys!r} {text[-60:]!r}"

    def add_words(self) -> str:
        file = self.repository.root / self.chance.choice(NAMES)
        if file.exists():
            words = self.chance.choice(("A word.\n", "```\n", "{{ figure }}\n", "`x`\n", "[x](none.md)\n"))
            file.write_text(file.read_text() + "\n" + words)
        return str(file)

    def remove(self) -> str:
        path = self.chance.choice(NAMES)
        (self.repository.root / path).unlink(missing_ok=True)
        return path

    def rename(self) -> str:
        one, other = self.chance.sample(NAMES, 2)
        source, target = self.repository.root / one, self.repository.root / other
        if source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(source, target)
        return f"{one} -> {other}"

    def commit(self) -> str:
        self.repository.commit()
        return ""

    def settings(self) -> str:
        text = self.chance.choice(SETTINGS)
        self.repository.write("pressync.toml", text)
        return repr(text)

    def template(self) -> str:
        path, text = self.chance.choice(("page.html", "wide.html")), self.chance.choice(TEMPLATES)
        self.repository.write(f"templates/{path}", text)
        return f"{path} {text!r}"

    def picture(self) -> str:
        file = self.repository.root / "content/pages/pic.png"
        if file.exists():
            file.unlink()
        else:
            file.write_bytes(self.chance.choice((b"\x89PNG", b"", b"\x89PNG more")))
        return str(file)

    def note(self) -> str:
        """Write or remove a file outside of the content, which only Git's listing of the commit may have."""
        file = self.repository.root / "notes/x.md"
        if file.exists():
            file.unlink()
        else:
            self.repository.write("notes/x.md", "Text.\n")
        return str(file)

    def quick_answer(self) -> QuickCheck | None:
        """Check without a plan in half of the steps, so that the other check has something to do as well."""
        if self.chance.random() < 0.5:
            return None
        found = quick_check.find(self.repository.root, {"HOME": str(self.home)})
        self.quick_answers += found is not None
        return found

    def answers(self) -> tuple[check.Checked, check.Checked]:
        """Check with the cache, and without it."""
        warm = checked(self.repository.root, self.home)
        with Workspace.open(self.repository.root, environ={}) as workspace:
            cold = check.check(workspace, SAVED, strict=False)
        return warm, cold


def walk(repository: SampleRepository, home: Path, seed: int, steps: int) -> None:
    home.mkdir(exist_ok=True)
    walk = Walk(repository, home, seed)
    for path in NAMES:
        repository.write(path, f"---\ntitle: {path}\n---\n\nText.\n")
    repository.commit()
    for _ in range(steps):
        walk.step()
        quick = walk.quick_answer()
        warm, cold = walk.answers()
        assert warm == cold, "\n".join(walk.steps)
        assert quick in {None, quickly(cold)}, "\n".join(walk.steps)
    assert walk.quick_answers, "\n".join(walk.steps)


def quickly(checked: check.Checked) -> QuickCheck:
    """Give the same as a check without a plan would give it."""
    documents = len(checked.uncommitted.intersection(checked.documents))
    uncommitted = documents, len(checked.uncommitted) - documents
    return QuickCheck(len(checked.documents), checked.problems, uncommitted)


def test_a_dozen_edits_give_the_answers_of_a_check_without_a_cache(
    repository: SampleRepository, tmp_path: Path
) -> None:
    walk(repository, tmp_path / "home", seed=1, steps=12)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", share(range(2, 22), 7))
def test_any_order_of_edits_gives_the_answers_of_a_check_without_a_cache(
    repository: SampleRepository, tmp_path: Path, seed: int
) -> None:
    walk(repository, tmp_path / "home", seed, steps=60)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the paths of the documents that are read."""
    paths: list[str] = []
    original = Content.read

    def reading(content: Content, path: str, *arguments: object, **options: object) -> ReadFile:
        paths.append(path)
        return original(content, path, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Content, "read", reading)
    return paths


def checked(root: Path, home: Path) -> check.Checked:
    """Check what is saved, with the cache of a person."""
    opening = Workspace.open(root, environ={"HOME": str(home)})
    with opening as workspace, opened_cache(workspace) as cache:
        return check.check(workspace, SAVED, strict=False, cache=cache)


def opened_cache(workspace: Workspace) -> AbstractContextManager[CheckCache]:
    return check_cache.opened(workspace.repository, workspace.settings, workspace.environ)


def database(home: Path) -> Path:
    (file,) = (home / ".cache/pressync/check").iterdir()
    return file


def test_only_an_edited_text_is_read_again(
    repository: SampleRepository, tmp_path: Path, read: list[str]
) -> None:
    repository.commit(dict.fromkeys(NAMES, "Text.\n"))
    checked(repository.root, tmp_path)
    read.clear()

    repository.write(NAMES[0], "Another text.\n")
    checked(repository.root, tmp_path)

    assert read == [NAMES[0]]


def test_a_new_link_is_compared_without_reading_its_target(
    repository: SampleRepository, tmp_path: Path, read: list[str]
) -> None:
    repository.commit(dict.fromkeys(NAMES, "# Title\n\nText.\n"))
    checked(repository.root, tmp_path)
    read.clear()

    repository.write(NAMES[0], "# Title\n\n[x](b.md#nowhere)\n")
    found = checked(repository.root, tmp_path).problems

    assert read == [NAMES[0]]
    assert "dead-anchor" in [problem.code for problem in found]


def test_a_file_outside_of_the_content_that_is_gone_changes_what_a_broken_link_says(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({NAMES[0]: "[x](../../notes/x.md)\n"})
    file = repository.write("notes/x.md", "Text.\n")
    assert "is not committed" in str(checked(repository.root, tmp_path).problems)

    file.unlink()

    assert "is not committed" not in str(checked(repository.root, tmp_path).problems)


def test_attributes_outside_of_the_tree_are_asked_for_again(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({NAMES[0]: "Text.\n"})
    assert checked(repository.root, tmp_path).problems == ()
    attributes = repository.root / ".git/info/attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("*.md filter=other\n")
    (repository.root / NAMES[0]).write_text("Text that the filter hides.\n")
    repository.git("config", "filter.other.clean", "echo Text.")

    assert [str(each.code) for each in checked(repository.root, tmp_path).problems] == ["git-filter"]


@pytest.mark.parametrize("damage", [b"not a database", b""])
def test_a_damaged_cache_is_begun_anew(repository: SampleRepository, tmp_path: Path, damage: bytes) -> None:
    repository.commit({NAMES[0]: "[x](none.md)\n"})
    before = checked(repository.root, tmp_path)
    database(tmp_path).write_bytes(damage)

    assert checked(repository.root, tmp_path) == before
    assert checked(repository.root, tmp_path) == before


def test_a_cache_that_another_check_holds_is_kept(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit({NAMES[0]: "[x](none.md)\n"})
    before = checked(repository.root, tmp_path)
    with closing(sqlite3.connect(database(tmp_path), isolation_level=None)) as other:
        # A file with this journal is locked as a whole while somebody writes to it.
        other.execute("BEGIN EXCLUSIVE")
        assert checked(repository.root, tmp_path) == before
        assert other.execute("SELECT count(*) FROM files").fetchone() != (0,)
    assert database(tmp_path).exists()


def test_a_row_that_nothing_can_decode_is_read_again(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit({NAMES[0]: "[x](none.md)\n", NAMES[1]: "Text.\n"})
    before = checked(repository.root, tmp_path)
    with sqlite3.connect(database(tmp_path)) as rows:
        rows.execute("UPDATE files SET result = x'00'")

    repository.write(NAMES[1], "Other.\n")

    assert checked(repository.root, tmp_path).problems == before.problems


def test_a_folder_that_others_may_write_to_is_not_used(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit({NAMES[0]: "Text.\n"})
    folder = tmp_path / ".cache/pressync/check"
    folder.mkdir(parents=True)
    folder.chmod(0o777)

    checked(repository.root, tmp_path)

    assert list(folder.iterdir()) == []


def test_nothing_is_kept_in_the_clone(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit({NAMES[0]: "Text.\n"})
    before = {file for file in repository.root.rglob("*") if "objects" not in file.parts}

    checked(repository.root, tmp_path / "home")

    assert {file for file in repository.root.rglob("*") if "objects" not in file.parts} == before


def test_a_new_version_reads_everything_again(
    repository: SampleRepository,
    tmp_path: Path,
    read: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repository.commit(dict.fromkeys(NAMES, "Text.\n"))
    checked(repository.root, tmp_path)
    read.clear()
    monkeypatch.setattr(cache_file, "program_state", lambda: "another version")

    checked(repository.root, tmp_path)

    assert sorted(set(read)) == sorted(NAMES)


def test_without_a_home_nothing_is_kept(repository: SampleRepository) -> None:
    repository.commit({NAMES[0]: "Text.\n"})
    with Workspace.open(repository.root, environ={}) as workspace, opened_cache(workspace) as cache:
        assert isinstance(cache, CheckCache)
        assert check.check(workspace, SAVED, strict=False, cache=cache).problems == ()
