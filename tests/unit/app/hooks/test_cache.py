"""What a hook finds in step is written down as a test, which fails for whatever could change the answer."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pressync.app.hooks import cache, hooks_path
from pressync.app.hooks.setup import Setup
from pressync.config import settings as config

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repository import SampleRepository

    from pressync.app.hooks.hooks_path import HookPaths

FILES = {
    "content/pages/a.md": "# A\n",
    "templates/page.html": "{{ content }}",
    "pressync.toml": 'content = "content"\n',
    ".pressync/embedded.json": "{}\n",
}


@dataclass
class Note:
    """A comparison for a repository in step, and the shell that runs it as the hook does."""

    repository: SampleRepository
    there: HookPaths
    environ: dict[str, str] = field(default_factory=lambda: {"PATH": os.environ["PATH"]})

    def write(self) -> None:
        """Write the comparison down, as a hook does after a sync."""
        text = (self.repository.root / "pressync.toml").read_text(encoding="utf-8")
        settings = config.load(text, where="pressync.toml", environ=self.environ)
        tests = cache.settings_tests(self.there, Setup(), Path(sys.executable), self.environ)
        cache.write(
            self.there, "post-commit", "main", [*tests, *cache.site_tests(self.there, settings, "HEAD")], "1"
        )

    def holds(self, commit: str = "HEAD") -> bool:
        """Run it."""
        file = self.there.cache / "post-commit" / "main.seen"
        done = subprocess.run(
            ["/bin/sh", "-c", f'commit={commit}; . "{file}"'],
            cwd=self.there.base,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == done.stderr == ""
        return done.returncode == 0


@pytest.fixture
def note(repository: SampleRepository) -> Note:
    """Write down that a repository of one page is in step."""
    repository.commit(FILES)
    made = Note(repository, hooks_path.find(repository.root))
    made.write()
    return made


def test_it_holds_while_nothing_that_decides_has_changed(note: Note) -> None:
    assert note.holds()
    before = note.repository.head()
    note.repository.commit({"notes.txt": "1"})
    assert note.holds()
    assert note.holds(before)
    assert cache.commit_of(note.there, "post-commit", "main") == "1"


CHANGES: dict[str, Callable[[Note], object]] = {
    "content": lambda note: note.repository.commit({"content/pages/b.md": "# B\n"}),
    "templates": lambda note: note.repository.commit({"templates/page.html": "other"}),
    "settings": lambda note: note.repository.write("pressync.toml", "content = 'x'\n"),
    "same size": lambda note: note.repository.write(".pressync/embedded.json", "[]\n"),
    "put back": lambda note: os.replace(  # noqa: PTH105 - as mv does it, with its old time
        note.repository.write("x", "{}\n"), note.repository.root / ".pressync/embedded.json"
    ),
    "no manifest": lambda note: note.repository.remove(".pressync/embedded.json"),
    "journal": lambda note: note.repository.write(".git/pressync/embedded.journal", "x"),
    "environment": lambda note: note.environ.update(PRESSYNC_URL="https://example.org/"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_fails_when_something_has(note: Note, change: str) -> None:
    CHANGES[change](note)
    assert not note.holds()


def test_without_a_stat_to_ask_it_never_holds(note: Note, monkeypatch: pytest.MonkeyPatch) -> None:
    # A Git client may call hooks with a PATH that leads nowhere.
    monkeypatch.setattr(cache, "_STAT", ("no-such-stat",))
    note.write()
    assert not note.holds()


def test_settings_that_appear_are_a_change(repository: SampleRepository) -> None:
    repository.commit({name: text for name, text in FILES.items() if name != "pressync.toml"})
    there = hooks_path.find(repository.root)
    cache.write(there, "post-commit", "main", cache.settings_tests(there, Setup(), Path(sys.executable), {}))
    note = Note(repository, there)
    assert note.holds()
    repository.write("pressync.toml", "")
    assert not note.holds()


def test_a_manifest_in_a_reference_is_compared_by_its_id(note: Note) -> None:
    site = config.Site("live", "https://example.org", "documented", None, "ref")
    settings = config.Settings("content", "templates", site, ("live",), {})
    note.repository.git("update-ref", "refs/pressync/live", "HEAD")
    cache.write(note.there, "post-commit", "main", cache.site_tests(note.there, settings, "HEAD"))
    assert note.holds()
    note.repository.commit({"notes.txt": "1"})
    note.repository.git("update-ref", "refs/pressync/live", "HEAD")
    assert not note.holds()


def test_a_bare_repository_is_compared_by_what_is_committed(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit(FILES)
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    there = hooks_path.find(tmp_path / "bare.git")
    cache.write(there, "post-commit", "main", cache.settings_tests(there, Setup(), Path(sys.executable), {}))
    note = Note(repository, there)
    assert note.holds()
    repository.commit({"pressync.toml": "# other\n"})
    repository.git("push", "--quiet", str(there.base), "main")
    assert not note.holds()


@pytest.mark.parametrize(("path", "holds"), [("notes.txt", True), ("content/new.md", False), ("a*", True)])
def test_what_is_staged_elsewhere_needs_no_check(note: Note, path: str, holds: bool) -> None:
    cache.write(note.there, "post-commit", "main", cache.nothing_staged(["content", "templates", "b*"]))
    note.repository.write(path, "x")
    note.repository.git("add", ".")
    assert note.holds() is holds


def test_where_nothing_can_be_written_nothing_is_remembered(note: Note) -> None:
    note.repository.write(".git/pressync/hook/pre-push", "in the way")
    cache.write(note.there, "pre-push", "main", ["true"])
    assert cache.commit_of(note.there, "pre-push", "main") == ""
    cache.remove(note.there, "post-commit", "main")
    assert cache.commit_of(note.there, "post-commit", "main") == ""
