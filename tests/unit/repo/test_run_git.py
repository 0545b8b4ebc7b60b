"""Git as a process: one place starts it, with one list of what it does not inherit."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pressync
from pressync.app import up_to_date
from pressync.app.hooks import installation
from pressync.repo import discover, run_git
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

_SOURCE = Path(pressync.__file__).parent


def test_only_a_line_feed_ends_a_row_of_git() -> None:
    assert run_git.rows("a\u2028b\x85\n\vc") == ["a\u2028b\x85", "\vc"]
    assert run_git.rows("") == []
    reading = [file for folder in ("app/hooks", "plan", "repo") for file in (_SOURCE / folder).glob("*.py")]
    for file in (*reading, _SOURCE / "app/up_to_date.py"):
        assert ".splitlines(" not in file.read_text(encoding="utf-8"), file


@pytest.mark.parametrize("name", run_git.INHERITED)
def test_where_git_stood_when_it_called_a_hook_decides_nothing_anywhere(
    name: str, repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"content/pages/a.md": "A\n"})
    monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert run_git.text(repository.root, "status", "--porcelain") == ""
    assert discover.find(repository.root).root == repository.root
    assert installation.find(repository.root).root == repository.root
    assert up_to_date.read(repository.root, site=None, config_file=None) is None
    with Repository(repository.root) as repo:
        assert list(repo.tree(repo.commit()).files) == ["content/pages/a.md"]
        assert repo.uncommitted(["content"]) == (0, 0)


def test_what_is_laid_over_the_environment_goes_to_git_whose_complaints_are_in_plain_words(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = run_git.run(
        "var", "GIT_AUTHOR_IDENT", directory=repository.root, env={"GIT_AUTHOR_NAME": "Somebody Else"}
    )
    assert said.text.startswith("Somebody Else <")
    assert "GIT_AUTHOR_NAME" not in run_git.environment({}) | {"PATH": os.environ["PATH"]}
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    said = run_git.run("rev-parse", "--verify", "nothing", directory=repository.root)
    assert (said.status, said.text, said.err) == (128, "", b"fatal: Needed a single revision\n")
    assert run_git.text(repository.root, "rev-parse", "--verify", "nothing") is None


def test_a_reader_that_nobody_closed_ends_when_the_garbage_is_collected(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a cycle, the collector may reach the process before the object that would close it."""
    complaints: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    reader = run_git.start("cat-file", "--batch", directory=repository.root)
    number = reader.pid
    cycle: list[object] = [reader]
    cycle.append(cycle)
    del reader, cycle
    gc.collect()
    assert not complaints
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
