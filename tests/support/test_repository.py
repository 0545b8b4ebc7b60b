"""A commit of the tests is the one that Git itself makes."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import ODD_NAMES, SampleRepository

if TYPE_CHECKING:
    from pathlib import Path

FILES: dict[str, str | bytes] = {"a.md": "A", "a/b.md": "B", "a-b/c d.md": b"\xff\0", "empty.md": ""}


def _told(repository: SampleRepository) -> list[str]:
    log = ("log", "--format=%T %an %ae %cn %ce %B%D", "-g", "--stat")
    return [
        repository.git(*asked) for asked in (log, ("ls-files", "--stage", "-z"), ("status", "--porcelain"))
    ]


def test_commits_are_those_of_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    for way in ("quick", "git"):
        repository = SampleRepository.create(tmp_path / way)
        if way == "git":
            monkeypatch.setattr("tests.support.plain_commit.is_plain", lambda _environ: False)
        files = FILES.copy()
        files.update(dict.fromkeys(ODD_NAMES, "odd"))
        made = [
            repository.commit(files, "First\n\nMore words\nand lines"),
            repository.commit(),
        ]
        (repository.root / "link").symlink_to("a.md")
        (repository.root / "a.md").chmod(0o755)
        repository.remove("a", "empty.md")
        made.append(repository.commit({"a": "a file now"}))
        assert repository.git("rev-parse", "HEAD", "HEAD^", "HEAD^^").split() == made[::-1]
        assert repository.git("fsck", "--strict", "--no-dangling") == ""
        told.append(_told(repository))
    assert told[0] == told[1]


@pytest.mark.parametrize("which", ["hook", "setting", "ignored", "merge", "excluded", "packed"])
def test_git_commits_where_it_decides(tmp_path: Path, which: str) -> None:
    repository = SampleRepository.create(tmp_path / "repository")
    first = repository.commit({"a.md": "A"})
    match which:
        case "hook":
            hook = repository.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
            hook.chmod(0o755)
            with pytest.raises(subprocess.CalledProcessError):
                repository.commit({"b.md": "B"})
            return
        case "setting":
            repository.git("config", "core.autocrlf", "input")
        case "ignored":
            repository.write("sub/.gitignore", "*.log\n")
        case "merge":
            repository.git("switch", "--quiet", "--create", "other")
            other = repository.commit({"o.md": "O"})
            repository.git("switch", "--quiet", "main")
            repository.commit({"m.md": "M"})
            repository.git("merge", "--quiet", "--no-commit", "--no-ff", "other")
        case "excluded":
            repository.write(".git/info/exclude", "*.log\n")
        case "packed":
            repository.git("pack-refs", "--all")
    repository.commit({"b.md": "B\r\n", "sub/b.log": "L"})
    if which == "merge":
        assert repository.git("rev-parse", "HEAD^2") == other
    assert repository.git("rev-list", "--max-parents=0", "HEAD") == first
    assert repository.git("cat-file", "-s", "HEAD:b.md") == ("2" if which == "setting" else "3")
    is_added = bool(repository.git("ls-files", "sub/b.log"))
    assert is_added == (which not in {"ignored", "excluded"})
