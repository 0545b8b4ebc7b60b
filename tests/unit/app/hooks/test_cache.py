"""A hook caches tests that fail as soon as a fact has changed on which up to date depends."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pressync.app.hooks import cache, installation
from pressync.app.hooks.installation import Setup
from pressync.app.up_to_date import settings_facts
from pressync.config import settings as config

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repository import SampleRepository

    from pressync.app.hooks.installation import HookPaths

FILES = {
    "content/pages/a.md": "# A\n",
    "templates/page.html": "{{ content }}",
    "pressync.toml": 'content = "content"\n',
    ".pressync/embedded.json": "{}\n",
}


@dataclass
class Cached:
    """The cached tests of a repository, and the shell that runs them as the hook does."""

    repository: SampleRepository
    paths: HookPaths
    environ: dict[str, str] = field(default_factory=lambda: {"PATH": os.environ["PATH"]})

    def write(self) -> None:
        """Write the tests, as a hook does after a sync."""
        text = (self.repository.root / "pressync.toml").read_text(encoding="utf-8")
        settings = config.load(text, where="pressync.toml", environ=self.environ)
        tests = cache.settings_tests(self.paths, Setup(), Path(sys.executable), self.environ)
        cache.write(
            self.paths, "post-commit", "main", [*tests, *cache.site_tests(self.paths, settings, "HEAD")], "1"
        )

    def holds(self, commit: str = "HEAD") -> bool:
        """Run the tests."""
        file = self.paths.cache / "post-commit" / "main.seen"
        done = subprocess.run(
            ["/bin/sh", "-c", f'commit={commit}; . "{file}"'],
            cwd=self.paths.base,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == done.stderr == ""
        return done.returncode == 0


@pytest.fixture
def cached(repository: SampleRepository) -> Cached:
    """Cache that a repository of one page is up to date."""
    repository.commit(FILES)
    made = Cached(repository, installation.find(repository.root))
    made.write()
    return made


def test_it_holds_while_nothing_that_decides_has_changed(cached: Cached) -> None:
    assert cached.holds()
    before = cached.repository.head()
    cached.repository.commit({"notes.txt": "1"})
    assert cached.holds()
    assert cached.holds(before)
    assert cache.commit_of(cached.paths, "post-commit", "main") == "1"


CHANGES: dict[str, Callable[[Cached], object]] = {
    "content": lambda cached: cached.repository.commit({"content/pages/b.md": "# B\n"}),
    "templates": lambda cached: cached.repository.commit({"templates/page.html": "other"}),
    "settings": lambda cached: cached.repository.write("pressync.toml", "content = 'x'\n"),
    "same size": lambda cached: cached.repository.write(".pressync/embedded.json", "[]\n"),
    "put back": lambda cached: os.replace(  # noqa: PTH105 - as mv does it, with its old time
        cached.repository.write("x", "{}\n"), cached.repository.root / ".pressync/embedded.json"
    ),
    "no manifest": lambda cached: cached.repository.remove(".pressync/embedded.json"),
    "journal": lambda cached: cached.repository.write(".git/pressync/embedded.journal", "x"),
    "environment": lambda cached: cached.environ.update(PRESSYNC_URL="https://example.org/"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_fails_when_something_has(cached: Cached, change: str) -> None:
    CHANGES[change](cached)
    assert not cached.holds()


def test_the_shell_tests_every_variable(cached: Cached, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in settings_facts(None)[0].names:
        before = dict(cached.environ)
        cached.environ[name] = "other"
        assert not cached.holds(), name
        cached.environ = before
    assert cached.holds()
    # A Git client may call hooks with a PATH that leads nowhere.
    monkeypatch.setattr(cache, "_STAT", ("no-such-stat",))
    cached.write()
    assert not cached.holds()


def test_a_manifest_in_a_reference_is_compared_by_its_id(cached: Cached) -> None:
    site = config.Site("live", "https://example.org", "documented", None, "ref")
    settings = config.Settings("content", "templates", site, ("live",), {})
    cached.repository.git("update-ref", "refs/pressync/live", "HEAD")
    cache.write(cached.paths, "post-commit", "main", cache.site_tests(cached.paths, settings, "HEAD"))
    assert cached.holds()
    cached.repository.commit({"notes.txt": "1"})
    cached.repository.git("update-ref", "refs/pressync/live", "HEAD")
    assert not cached.holds()


def test_a_bare_repository_is_compared_by_commits(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit(FILES)
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    paths = installation.find(tmp_path / "bare.git")
    cache.write(paths, "post-commit", "main", cache.settings_tests(paths, Setup(), Path(sys.executable), {}))
    cached = Cached(repository, paths)
    assert cached.holds()
    repository.commit({"pressync.toml": "# other\n"})
    repository.git("push", "--quiet", str(paths.base), "main")
    assert not cached.holds()


@pytest.mark.parametrize(("path", "holds"), [("notes.txt", True), ("content/new.md", False), ("a*", True)])
def test_what_is_staged_elsewhere_needs_no_check(cached: Cached, path: str, holds: bool) -> None:
    cache.write(cached.paths, "post-commit", "main", cache.nothing_staged(["content", "templates", "b*"]))
    cached.repository.write(path, "x")
    cached.repository.git("add", ".")
    assert cached.holds() is holds
