"""The repository as pressync reads it: every kind of file, clone and history, by one way to start Git."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.repository import ODD_NAMES, SampleRepository

import pressync
from pressync.app import up_to_date
from pressync.app.hooks import installation
from pressync.model.errors import RepositoryError
from pressync.repo import discover, run_git
from pressync.repo.repository import Repository


class TestCommits:
    """Revisions, branches, and which commits descend from which."""

    def test_what_names_no_commit_is_refused(self, repository: SampleRepository) -> None:
        with Repository(repository.root) as opened, pytest.raises(RepositoryError, match="no commit yet"):
            opened.commit()
        repository.commit({"a.md": "A"})
        head = repository.commit({"a.md": "B"})
        with Repository(repository.root) as opened:
            for revision in ("nowhere", "", "HEAD:a.md", "HEAD~1..HEAD", "--all", "-x"):
                with pytest.raises(RepositoryError, match="there is no commit"):
                    opened.commit(revision)
        # A branch is told beside a tag of its name, and its name may begin with a dash.
        repository.git("tag", "-a", "-m", "The first", "main")
        repository.git("update-ref", "refs/heads/--all", head)
        with Repository(repository.root) as opened:
            assert {opened.commit(name) for name in ("refs/heads/main", "main", head[:8], "--all")} == {head}
            assert opened.branch == "main"

    def test_a_clone_that_has_nothing_checked_out_is_told_which_branch_has_commits(
        self, repository: SampleRepository, tmp_path: Path
    ) -> None:
        repository.commit({"a.md": "A"})
        repository.git("branch", "--move", "docs/live")
        repository.git("symbolic-ref", "HEAD", "refs/heads/master")
        clone = tmp_path / "clone"
        repository.git("clone", "--quiet", str(repository.root), str(clone))
        for root in (repository.root, clone):
            with (
                Repository(root) as opened,
                pytest.raises(RepositoryError, match=r"branch 'master'; .*`git switch docs/live`"),
            ):
                opened.commit()


class TestCommittedTree:
    """What a commit holds, file by file."""

    def test_odd_names_and_any_bytes_are_read(self, repository: SampleRepository) -> None:
        large = os.urandom(3_000_000)
        files = {"empty.md": b"", "large.bin": large, "after.md": b"no line break", "latin.md": b"caf\xe9"}
        repository.commit({**files, **{f"content/{name}": name for name in ODD_NAMES}})
        # Put into the index by Git itself: some file systems refuse such a name.
        blob = repository.git("hash-object", "-w", "--stdin")
        row = f"100644 {blob}\tcontent/".encode() + b"caf\xe9.md\0"
        subprocess.run(
            ["git", "update-index", "-z", "--index-info"], cwd=repository.root, input=row, check=True
        )
        repository.git("commit", "--quiet", "-m", "Latin-1")
        repository.write("after.md", "edited")
        repository.write("new.md", "new")
        repository.git("add", "after.md")
        with Repository(repository.root) as opened:
            tree = opened.tree(opened.commit())
            assert len(tree.files) == len(files) + len(ODD_NAMES) + 1
            assert b"content/caf\xe9.md" in map(os.fsencode, tree.files)
            for name, text in files.items():
                assert opened.blob_at(tree, name) == text
            for name in ODD_NAMES:
                assert opened.blob_at(tree, f"content/{name}") == name.encode()
            with pytest.raises(RepositoryError, match="Git has no object 1234"):
                opened.read("1234" * 10)
            assert opened.text("1234" * 10) is opened.text("") is None
            # The process that reads is still in step after a miss.
            assert opened.text(tree.files["latin.md"]) == "caf\N{REPLACEMENT CHARACTER}"

    def test_links_and_submodules_are_no_files(self, repository: SampleRepository, tmp_path: Path) -> None:
        inner = SampleRepository.create(tmp_path / "inner")
        inner.commit({"b.md": "B"})
        (repository.root / "link.md").symlink_to("/etc/passwd")
        repository.git(
            "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "sub"
        )
        repository.commit({"a.md": "A"})
        with Repository(repository.root) as opened:
            tree = opened.tree(opened.commit())
            assert tree.files.keys() == {".gitmodules", "a.md"}
            assert [*tree.symlinks, *tree.submodules] == ["link.md", "sub"]


class TestKindsOfClone:
    """Bare, linked, nested, shallow, and counted in SHA-256."""

    def test_a_bare_repository_has_no_root(self, repository: SampleRepository, tmp_path: Path) -> None:
        head = repository.commit({"content/a.md": "A"})
        repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
        with Repository(tmp_path / "bare.git") as opened:
            assert opened.root is None
            assert opened.commit() == head
            assert opened.blob_at(opened.tree(head), "content/a.md") == b"A"
            assert opened.uncommitted(["content"]) == ([], [])
            assert opened.common_directory == (tmp_path / "bare.git").resolve()
            with pytest.raises(RepositoryError, match="a bare repository does not have a working tree"):
                opened.worktree(["content"])

    def test_a_shallow_clone_calls_no_commit_stray(
        self, repository: SampleRepository, tmp_path: Path
    ) -> None:
        first = repository.commit({"a.md": "A"})
        second = repository.commit({"a.md": "B"})
        repository.git(
            "clone", "--quiet", "--depth=1", f"file://{repository.root}", str(tmp_path / "shallow")
        )
        third = repository.commit({"a.md": "C"})
        shallow = SampleRepository(tmp_path / "shallow")
        shallow.git("fetch", "--quiet", "--depth=1", "origin", "main")
        shallow.git("reset", "--quiet", "--hard", "FETCH_HEAD")
        with Repository(shallow.root) as opened:
            assert opened.shallow
            assert opened.history.known([first, second, third]) == {second, third}
            # `second` is below `third`, and nothing here shows it.
            assert opened.history.ancestors([second, third], third) == {third}
            assert opened.history.non_ancestors([second, third], third) == frozenset()


class TestUncommitted:
    """Work that is not part of a sync."""

    def test_edits_and_untracked_files_are_named(self, repository: SampleRepository) -> None:
        repository.commit({"content/a.md": "A", "content/ab c.md": "B" * 50, "content/c.md": "C", "x": "X"})
        repository.write("content/a.md", "edited")
        repository.git("mv", "content/ab c.md", "content/moved.md")
        repository.remove("content/c.md")
        repository.write("content/new/one.md", "1")
        repository.write("content/new/two.md", "2")
        repository.write("x", "outside")
        with Repository(repository.root) as opened:
            assert opened.uncommitted(["content", "templates"]) == (
                ["content/a.md", "content/c.md", "content/moved.md"],
                ["content/new/one.md", "content/new/two.md"],
            )


def test_an_interrupt_at_the_terminal_does_not_end_the_reading(repository: SampleRepository) -> None:
    """Ctrl-C goes to every process of a terminal, to Git as well; the run still ends in good order."""
    repository.commit({"a.md": "A", "b.md": "B"})
    blobs = [repository.git("rev-parse", f"HEAD:{name}") for name in ("a.md", "b.md")]
    script = (
        "import os, pathlib, signal, sys; from pressync.repo.repository import Repository; "
        "signal.signal(signal.SIGINT, lambda *_: None); "
        "root, a, b = sys.argv[1:]; opened = Repository(pathlib.Path(root)); first = opened.read(a); "
        "os.killpg(0, signal.SIGINT); print(first, opened.read(b))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(repository.root), *blobs],
        start_new_session=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "b'A' b'B'\n"


FILES = {"b/c.md": "c", "b.md": "b", "ä.md": "ä", "line\nbreak.md": "x", "run.sh": "#!/bin/sh\n"}


@pytest.mark.parametrize("size", [7, 1 << 16])
def test_the_rows_are_those_of_the_whole_tree_in_byte_order(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(discover, "_PIECE", size)
    commit = repository.commit(FILES)
    rows = "".join(discover.pieces(repository.root, commit)).split("\0")[:-1]
    found = [discover.regular_file(row) for row in rows]
    assert dict(filter(None, found)) == Repository(repository.root).tree(commit).files
    paths = [row.partition("\t")[2].encode() for row in rows]
    assert paths == sorted(paths)


def test_a_commit_that_does_not_exist_is_an_error(repository: SampleRepository) -> None:
    with pytest.raises(RepositoryError):
        [*discover.pieces(repository.root, "0" * 40)]


def test_blobs_are_read_by_one_process_and_a_missing_one_is_an_error(repository: SampleRepository) -> None:
    commit = repository.commit({"a.md": "A", "b.md": "B"})
    files = Repository(repository.root).tree(commit).files
    with discover.blobs(discover.find(repository.root)) as read:
        assert [read(files["a.md"]), read(files["b.md"])] == [b"A", b"B"]
        with pytest.raises(RepositoryError):
            read("0" * 40)


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
    assert up_to_date.read(discover.at_head(repository.root), site=None, config_file=None) is None
    with Repository(repository.root) as repo:
        assert list(repo.tree(repo.commit()).files) == ["content/pages/a.md"]
        assert repo.uncommitted(["content"]) == ([], [])


def test_what_is_laid_over_the_environment_goes_to_git_whose_complaints_are_in_plain_words(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = run_git.run(
        "var", "GIT_AUTHOR_IDENT", directory=repository.root, env={"GIT_AUTHOR_NAME": "Somebody Else"}
    )
    assert said.text.startswith("Somebody Else <")
    assert "Somebody Else" not in run_git.environment().values()
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
