"""One contract for the commands of both implementations: names, commits, references, settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model.errors import RepositoryError
from pressync.repo.commands import PlainGit
from pressync.repo.discover import find
from pressync.repo.process import GitProcess

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.repo.port import GitPort

NAME = "refs/pressync/live"
US = {f"GIT_{role}_{what}": "us" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def test_names_are_resolved(sample: SampleRepository, port: GitPort) -> None:
    commit = sample.commit({"a b/ä.md": "A"})
    assert port.resolve("refs/heads/main") == commit
    assert port.resolve(f"{commit}:a b/ä.md") == sample.git("rev-parse", "HEAD:a b/ä.md")
    assert [port.resolve(name) for name in ("refs/heads/no", f"{commit}:no", "--all", "")] == [None] * 4


def test_ancestors_are_known(sample: SampleRepository, port: GitPort) -> None:
    first, second = sample.commit({"a.md": "A"}), sample.commit({"b.md": "B"})
    assert port.is_ancestor(first, second)
    assert port.is_ancestor(second, second)
    assert not port.is_ancestor(second, first)
    assert not port.is_ancestor("0" * len(first), second)


def test_a_commit_holds_its_files_and_moves_nothing(sample: SampleRepository, port: GitPort) -> None:
    head = sample.commit({"a.md": "A"})
    first = port.write_commit({"m.json": b"{}\n", "ä.json": "Ä".encode()}, None, "One", US)
    second = port.write_commit({"m.json": b"{}\n"}, first, "Two\n\nlines", US)
    assert sample.git("-c", "core.quotePath=false", "ls-tree", "--name-only", first) == "m.json\nä.json"
    assert sample.git("show", f"{first}:ä.json") == "Ä"
    assert sample.git("log", "--format=%an %s", second) == "us Two\nus One"
    assert sample.git("rev-parse", "HEAD") == head
    assert sample.git("status", "--porcelain") == ""


def test_a_commit_upon_nothing_is_refused(sample: SampleRepository, port: GitPort) -> None:
    sample.commit({"a.md": "A"})
    with pytest.raises(RepositoryError, match="git commit-tree failed"):
        port.write_commit({"m.json": b""}, "no-such-commit", "One", US)


def test_a_reference_moves_only_from_where_it_is_believed_to_be(
    sample: SampleRepository, port: GitPort
) -> None:
    first, second = sample.commit({"a.md": "A"}), sample.commit({"b.md": "B"})
    assert port.move(NAME, first, "") == ""
    assert "already exists" in port.move(NAME, second, "")
    assert "expected" in port.move(NAME, second, second)
    assert port.resolve(NAME) == first
    assert port.move(NAME, second, first) == ""
    assert port.move(NAME, first, None) == ""
    assert port.resolve(NAME) == first


def test_settings_are_this_clones_own_and_comments_stay(sample: SampleRepository, port: GitPort) -> None:
    config = sample.root / ".git/config"
    config.write_text(config.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    port.configure("merge.pressync.driver", 'python -m "pressync" %O')
    assert port.setting("merge.pressync.driver") == 'python -m "pressync" %O'
    assert port.setting("merge.other.driver") is None
    assert "# mine\n" in config.read_text(encoding="utf-8")
    with pytest.raises(RepositoryError, match="git config failed"):
        port.configure("no-section", "x")


def test_remotes_are_named(sample: SampleRepository, port: GitPort) -> None:
    sample.commit({"a.md": "A"})
    assert port.remotes() == frozenset()
    sample.git("remote", "add", "origin", "/nowhere")
    assert port.remotes() == {"origin"}


# The implementation on plain `git`: one process for all blobs, and the objects that it cannot get.


def test_one_process_reads_all_blobs(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit({"a.md": "A", "b.md": "B"})
    started: list[GitProcess] = []
    blobs = GitProcess.blobs
    monkeypatch.setattr(GitProcess, "blobs", lambda git: started.append(git) or blobs(git))  # type: ignore[func-returns-value]
    opened = PlainGit(GitProcess(find(repository.root)))
    assert [opened.read(repository.git("rev-parse", f"HEAD:{name}.md")) for name in "ab"] == [b"A", b"B"]
    assert len(started) == 1
    opened.close()


def test_a_blob_that_was_not_cloned_and_cannot_be_fetched_is_none(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({"a.md": "A\n"})
    opened = PlainGit(GitProcess(find(repository.partial_clone(tmp_path / "partial"))))
    blob = repository.git("rev-parse", "HEAD:a.md")
    assert [opened.read(blob), opened.read(blob)] == [None, None]
    opened.close()
