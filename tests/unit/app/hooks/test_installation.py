"""Installing a hook loses none of another tool; any shell runs its text and the tests in its cache."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pressync.app.hooks import cache, installation
from pressync.app.hooks.installation import TYPES, Setup
from pressync.app.up_to_date import settings_facts
from pressync.config import settings as config
from pressync.model.errors import ConfigError, RepositoryError
from pressync.repo import shell_tests

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repository import SampleRepository

    from pressync.app.hooks.installation import HookPaths


SETUP = Setup(branch="main")
OTHERS = b"#!/usr/bin/env python3\nprint('not a shell script')\xff\n"


@pytest.fixture
def there(repository: SampleRepository) -> HookPaths:
    """Make an empty repository, and find its hooks."""
    return installation.find(repository.root)


def _write(file: Path, data: bytes = OTHERS, mode: int = 0o750) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    file.chmod(mode)
    return file


def _files(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        file.name: (file.read_bytes(), stat.S_IMODE(file.stat().st_mode))
        for file in folder.iterdir()
        if not file.name.endswith(".sample")
    }


def test_a_hook_that_was_there_comes_back_byte_for_byte_with_its_mode(there: HookPaths) -> None:
    _write(there.hooks / "post-commit")
    before = _files(there.hooks)
    hook = installation.install(there, "post-commit", SETUP)
    assert hook.runs
    assert hook.chained == there.hooks / "post-commit.before-pressync"
    assert os.access(there.hooks / "post-commit", os.X_OK)
    # A second installation rewrites our hook, and does not keep it as somebody else's.
    installation.install(there, "post-commit", Setup(branch="other"))
    assert "other" in installation.words_of(installation.inspect(there, "post-commit").file or there.hooks)
    installation.uninstall(there, "post-commit")
    assert _files(there.hooks) == before


def test_a_link_is_kept_as_a_link(there: HookPaths, tmp_path: Path) -> None:
    target = _write(tmp_path / "shared-hook")
    spot = there.hooks / "post-commit"
    spot.parent.mkdir(exist_ok=True)
    spot.symlink_to(target)
    installation.install(there, "post-commit", SETUP)
    assert target.read_bytes() == OTHERS
    installation.uninstall(there, "post-commit")
    assert spot.readlink() == target


def test_the_hook_that_was_there_has_the_first_word_if_it_may_run(there: HookPaths, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    _write(there.hooks / "pre-push", f'#!/bin/sh\necho "$@" >{heard}\ncat >>{heard}\nexit 7\n'.encode())
    installation.install(there, "pre-push", SETUP)
    rows = "refs/heads/main 1 refs/heads/main 0\nrefs/tags/v1 2 refs/tags/v1 0\n"
    done = subprocess.run(
        [there.hooks / "pre-push", "origin", "an address"], cwd=there.root, input=rows, text=True, check=False
    )
    assert done.returncode == 7
    assert heard.read_text() == f"origin an address\n{rows}"
    _write(there.hooks / "pre-commit", b"#!/bin/sh\nexit 3\n", mode=0o644)
    installation.install(there, "pre-commit", SETUP)
    off = {**os.environ, "PRESSYNC_HOOK": "0"}
    subprocess.run([there.hooks / "pre-commit"], cwd=there.root, env=off, check=True)


def test_a_framework_that_comes_later_runs_each_hook_once(there: HookPaths, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    framework = f'#!/bin/sh\necho framework >>{runs}\n"$0.legacy" "$@"\n'.encode()
    spot = _write(there.hooks / "pre-commit", framework)
    installation.install(there, "pre-commit", SETUP)
    # The framework is installed again: it renames our hook, as the pre-commit framework does.
    spot.rename(there.hooks / "pre-commit.legacy")
    _write(spot, framework)
    environ = {**os.environ, "PRESSYNC_HOOK": "0"}
    subprocess.run([spot], cwd=there.root, env=environ, check=True)
    assert runs.read_text() == "framework\n"
    hook = installation.inspect(there, "pre-commit")
    assert hook.runs
    assert hook.in_front == spot
    renewed = installation.install(there, "pre-commit", Setup(branch="other"))
    assert renewed.file == there.hooks / "pre-commit.legacy"
    installation.uninstall(there, "pre-commit")
    assert spot.read_bytes() == framework


def test_a_tool_that_moved_ours_is_called_first_after_the_next_install(there: HookPaths) -> None:
    installation.install(there, "post-commit", SETUP)
    (there.hooks / "post-commit").rename(there.hooks / "post-commit.old")
    _write(there.hooks / "post-commit")
    assert not installation.inspect(there, "post-commit").runs
    hook = installation.install(there, "post-commit", SETUP)
    assert hook.runs
    assert hook.chained
    assert hook.chained.read_bytes() == OTHERS


def test_two_hooks_of_others_are_one_too_many(there: HookPaths) -> None:
    _write(there.hooks / "post-commit")
    installation.install(there, "post-commit", SETUP)
    _write(there.hooks / "post-commit", b"#!/bin/sh\n# an overwriting tool\n")
    before = _files(there.hooks)
    with pytest.raises(ConfigError, match="replaced the hook"):
        installation.install(there, "post-commit", SETUP)
    assert installation.uninstall(there, "post-commit").file is None
    assert _files(there.hooks) == before


def test_a_hook_under_version_control_is_left_alone(repository: SampleRepository) -> None:
    repository.commit({".githooks/post-commit": "#!/bin/sh\n"})
    repository.git("config", "core.hooksPath", ".githooks")
    there = installation.find(repository.root)
    with pytest.raises(ConfigError, match="under version control"):
        installation.install(there, "post-commit", SETUP)
    assert repository.git("status", "--porcelain") == ""
    assert installation.install(there, "post-merge", SETUP).runs


def test_a_type_is_for_a_kind_of_repository(
    repository: SampleRepository, tmp_path: Path, there: HookPaths
) -> None:
    repository.git("init", "--quiet", "--bare", str(tmp_path / "bare.git"))
    bare = installation.find(tmp_path / "bare.git")
    with pytest.raises(ConfigError, match="--type post-commit"):
        installation.install(there, "post-receive", SETUP)
    with pytest.raises(ConfigError, match="--type post-receive"):
        installation.install(bare, "pre-push", SETUP)
    assert installation.install(bare, "post-receive", Setup()).runs


@pytest.mark.parametrize("renewed", [True, False])
def test_what_was_found_up_to_date_is_forgotten_with_the_hook(there: HookPaths, renewed: bool) -> None:
    installation.install(there, "post-commit", SETUP)
    note = there.cache / "post-commit" / "main.seen"
    note.parent.mkdir(parents=True)
    note.write_text("true\n", encoding="utf-8")
    if renewed:
        installation.install(there, "post-commit", SETUP)
    else:
        installation.uninstall(there, "post-commit")
    assert not note.exists()
    assert installation.is_ours(there.hooks / "post-commit") is renewed


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (".githooks", ""),
        (".husky/_", "husky rewrites this folder"),
        ("/dev/null", "other repositories share"),
        ("../hooks", "other repositories share"),
    ],
)
def test_a_configured_folder_may_be_shared(repository: SampleRepository, path: str, why: str) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    repository.git("config", "core.hooksPath", path)
    found = installation.find(repository.root / "content")
    assert found.hooks_path == path
    assert found.hooks.resolve() == (repository.root / path).resolve()
    with pytest.raises(ConfigError, match=why) if why else nullcontext() as refusal:
        installation.install(found, "post-commit", SETUP)
    if refusal:
        line = r'nothing was written.*pressync hook run post-commit --branch main .*"\$@"'
        assert re.search(line, str(refusal.value), re.DOTALL)
        assert not (repository.root / path).is_dir()


def test_without_a_repository_that_is_said(repository: SampleRepository, tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="not in a Git repository"):
        installation.find(tmp_path)
    with pytest.raises(RepositoryError, match="inside a Git directory"):
        installation.find(repository.root / ".git")


ODD = Setup(("live", "trial"), "it's/a\u2028branch", 2.5, commit=True, config_file=Path("/srv/a dir/x.toml"))


@pytest.mark.parametrize("hook_type", TYPES)
def test_a_shell_can_read_every_hook_and_we_can_read_its_words_again(hook_type: str, tmp_path: Path) -> None:
    hook = tmp_path / hook_type
    hook.write_text(installation.script(hook_type, ODD), encoding="utf-8")
    subprocess.run(["/bin/sh", "-n", hook], check=True)
    assert installation.is_ours(hook)
    assert "@" not in hook.read_text(encoding="utf-8").replace('"$@"', "").replace("HEAD@{1}", "")
    words = installation.words_of(hook)
    assert words[-12:] == [
        *("hook", "run", hook_type, "--site", "live", "--site", "trial"),
        *("--branch", "it's/a\u2028branch", "--commit", "--time-limit", "2.5"),
    ]
    assert words[: len(installation.program())] == installation.program()
    assert "/srv/a dir/x.toml" in words


def test_the_program_is_the_one_that_runs_now() -> None:
    said = subprocess.run(
        [*installation.program(), "--version"], capture_output=True, text=True, check=True
    ).stdout
    assert said.startswith("pressync")
    assert Path(installation.program()[0]).parent == Path(sys.executable).parent
    assert installation.python()[:2] == [sys.executable, "-P"]


@pytest.mark.parametrize("there", [True, False])
def test_a_program_that_is_gone_is_looked_for_on_path_and_that_is_said(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "program", lambda: [str(tmp_path / "gone" / "pressync")])
    hook = tmp_path / "post-commit"
    hook.write_text(installation.script("post-commit", Setup(branch="main")), encoding="utf-8")
    if there:
        other = tmp_path / "pressync"
        other.write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
        other.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", hook],
        cwd=tmp_path,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}" if there else "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"{tmp_path}/gone/pressync is gone" in done.stderr
    assert done.stdout == ("hook run post-commit --branch main --time-limit 60\n" if there else "")


def test_a_link_to_a_hook_of_ours_and_a_hook_of_others_are_not_ours(tmp_path: Path) -> None:
    ours, link, other = tmp_path / "ours", tmp_path / "link", tmp_path / "other"
    ours.write_text(installation.script("post-commit", ODD), encoding="utf-8")
    link.symlink_to(ours)
    other.write_text("#!/bin/sh\npressync sync\n", encoding="utf-8")
    found = [installation.is_ours(file) for file in (ours, link, other, tmp_path / "none")]
    assert found == [True, False, False, False]
    # Somebody has broken its quotation.
    ours.write_text(ours.read_text(encoding="utf-8").replace("'it'", "'it"), encoding="utf-8")
    assert installation.words_of(ours) == []


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
    test = shell_tests.nothing_staged(["content", "templates", "b*"])
    cache.write(cached.paths, "post-commit", "main", [test])
    cached.repository.write(path, "x")
    cached.repository.git("add", ".")
    assert cached.holds() is holds


def test_where_nothing_can_be_written_nothing_is_remembered(cached: Cached) -> None:
    cached.repository.write(".git/pressync/hook/pre-push", "in the way")
    cache.write(cached.paths, "pre-push", "main", ["true"])
    assert cache.commit_of(cached.paths, "pre-push", "main") == ""
    cache.remove(cached.paths, "post-commit", "main")
    assert cache.commit_of(cached.paths, "post-commit", "main") == ""
