"""The repository as pressync reads it: every kind of file, clone and history, always from real Git."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import ODD_NAMES, SampleRepository

from pressync.model.errors import RepositoryError
from pressync.repo import discover
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path


def test_a_broken_git_file_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    with pytest.raises(RepositoryError):
        Repository(tmp_path)


def test_a_folder_may_have_a_dollar_sign_in_its_name(tmp_path: Path) -> None:
    sample = SampleRepository.create(tmp_path / "$HOME")
    sample.commit({"a.md": "A"})
    with Repository(sample.root) as opened:
        assert opened.tree(opened.commit()).files.keys() == {"a.md"}


class TestCommits:
    """Revisions, branches, and which commits descend from which."""

    def test_head_without_a_commit_says_to_commit_first(self, repository: SampleRepository) -> None:
        with (
            Repository(repository.root) as opened,
            pytest.raises(RepositoryError, match="no commit yet; commit"),
        ):
            opened.commit()

    @pytest.mark.parametrize("revision", ["nowhere", "", "HEAD:a.md", "HEAD~1..HEAD", "--all", "-x"])
    def test_what_names_no_commit_is_refused(self, repository: SampleRepository, revision: str) -> None:
        repository.commit({"a.md": "A"})
        repository.commit({"a.md": "B"})
        with (
            Repository(repository.root) as opened,
            pytest.raises(RepositoryError, match="there is no commit"),
        ):
            opened.commit(revision)

    def test_a_branch_a_tag_and_an_abbreviation_name_a_commit(self, repository: SampleRepository) -> None:
        head = repository.commit({"a.md": "A"})
        repository.git("tag", "-a", "-m", "The first", "v1")
        with Repository(repository.root) as opened:
            assert {opened.commit(name) for name in ("main", "v1", head[:8], "HEAD")} == {head}

    def test_a_branch_whose_name_begins_with_a_dash_is_no_option(self, repository: SampleRepository) -> None:
        head = repository.commit({"a.md": "A"})
        repository.git("update-ref", "refs/heads/--all", head)
        with Repository(repository.root) as opened:
            assert opened.commit("--all") == head

    def test_the_branch_is_told_even_beside_a_tag_of_its_name(self, repository: SampleRepository) -> None:
        repository.commit({"a.md": "A"})
        repository.git("tag", "main")
        with Repository(repository.root) as opened:
            assert opened.branch == "main"

    def test_a_detached_head_is_on_no_branch(self, repository: SampleRepository) -> None:
        repository.commit({"a.md": "A"})
        repository.git("checkout", "--quiet", "--detach")
        with Repository(repository.root) as opened:
            assert opened.branch is None

    def test_only_commits_that_are_here_are_known(self, repository: SampleRepository) -> None:
        head = repository.commit({"a.md": "A"})
        blob = repository.git("rev-parse", "HEAD:a.md")
        with Repository(repository.root) as opened:
            assert opened.history.known([head, "0" * 40, blob, "HEAD", "no such\nthing"]) == {head}
            assert opened.history.known([]) == frozenset()

    def test_a_commit_beside_the_history_of_head_is_a_stray(self, repository: SampleRepository) -> None:
        first = repository.commit({"a.md": "A"})
        lost = repository.commit({"a.md": "B"})
        repository.git("reset", "--quiet", "--hard", first)
        head = repository.commit({"a.md": "C"})
        with Repository(repository.root) as opened:
            assert opened.history.non_ancestors([first, lost, head], head) == {lost}
            assert opened.history.ancestors([first, lost, head], head) == {first, head}
            assert opened.history.non_ancestors([], head) == opened.history.ancestors([], head) == frozenset()


class TestCommittedTree:
    """What a commit holds, file by file."""

    def test_uncommitted_edits_are_not_in_it(self, repository: SampleRepository) -> None:
        repository.commit({"a.md": "committed"})
        repository.write("a.md", "edited")
        repository.git("add", "a.md")
        repository.write("new.md", "new")
        with Repository(repository.root) as opened:
            tree = opened.tree(opened.commit())
            assert tree.files.keys() == {"a.md"}
            assert opened.blob_at(tree, "a.md") == b"committed"

    @pytest.mark.parametrize("name", ODD_NAMES)
    def test_odd_names_are_read_as_they_are(self, repository: SampleRepository, name: str) -> None:
        repository.commit({f"content/{name}": name})
        with Repository(repository.root) as opened:
            tree = opened.tree(opened.commit())
            assert opened.blob_at(tree, f"content/{name}") == name.encode()

    def test_a_name_that_is_no_utf_8_is_kept_byte_by_byte(self, repository: SampleRepository) -> None:
        # Put into the index by Git itself: some file systems refuse such a name.
        blob = repository.git("hash-object", "-w", "--stdin")
        row = f"100644 {blob}\tcontent/".encode() + b"caf\xe9.md\0"
        subprocess.run(
            ["git", "update-index", "-z", "--index-info"], cwd=repository.root, input=row, check=True
        )
        repository.git("commit", "--quiet", "-m", "Latin-1")
        with Repository(repository.root) as opened:
            (path,) = opened.tree(opened.commit()).files
            assert os.fsencode(path) == b"content/caf\xe9.md"

    def test_symbolic_links_and_submodules_are_no_files(
        self, repository: SampleRepository, tmp_path: Path
    ) -> None:
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
            assert tree.others == {"link.md", "sub"}

    def test_an_executable_file_is_a_file(self, repository: SampleRepository) -> None:
        repository.write("a.md", "A").chmod(0o755)
        repository.commit()
        with Repository(repository.root) as opened:
            assert opened.tree(opened.commit()).files.keys() == {"a.md"}

    def test_blobs_are_read_as_bytes_empty_and_large_ones_too(self, repository: SampleRepository) -> None:
        large = os.urandom(3_000_000)
        repository.commit({"empty.md": b"", "large.bin": large, "after.md": b"no line break"})
        with Repository(repository.root) as opened:
            tree = opened.tree(opened.commit())
            assert opened.blob_at(tree, "empty.md") == b""
            assert opened.blob_at(tree, "large.bin") == large
            assert opened.blob_at(tree, "after.md") == b"no line break"

    def test_a_blob_that_is_not_here_is_told_and_has_no_text(self, repository: SampleRepository) -> None:
        repository.commit({"a.md": b"caf\xe9"})
        with Repository(repository.root) as opened:
            with pytest.raises(RepositoryError, match="Git has no object 1234"):
                opened.read("1234" * 10)
            assert opened.text("1234" * 10) is None
            assert opened.text("") is None
            # The process that reads is still in step after a miss.
            assert opened.text(repository.git("rev-parse", "HEAD:a.md")) == "caf\N{REPLACEMENT CHARACTER}"


class TestKindsOfClone:
    """Bare, linked, nested, shallow, and counted in SHA-256."""

    def test_a_bare_repository_has_a_tree_and_no_root(
        self, repository: SampleRepository, tmp_path: Path
    ) -> None:
        head = repository.commit({"content/a.md": "A"})
        repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
        with Repository(tmp_path / "bare.git") as opened:
            assert opened.root is None
            assert opened.commit() == head
            assert opened.blob_at(opened.tree(head), "content/a.md") == b"A"
            assert opened.uncommitted(["content"]) == (0, 0)
            assert opened.common_directory == (tmp_path / "bare.git").resolve()
            with pytest.raises(RepositoryError, match="a bare repository has no working tree"):
                opened.worktree(["content"])

    def test_a_shallow_clone_says_so_and_calls_no_commit_a_stray(
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


class TestHooks:
    """What Git sets in the environment of a hook does not choose the repository."""

    def test_the_folder_decides_whatever_repository_a_hook_runs_in(
        self, repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repository.commit({"content/a.md": "A"})
        other = SampleRepository.create(tmp_path / "other")
        other.commit({"b.md": "B"})
        monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
        monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git" / "index"))
        monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
        (repository.root / "content/new.md").write_text("new")
        with Repository(repository.root / "content") as opened:
            assert opened.root == repository.root
            assert opened.tree(opened.commit()).files.keys() == {"content/a.md"}
            assert opened.worktree(["content"]).files.keys() == {"content/a.md", "content/new.md"}
            assert opened.uncommitted(["content"]) == (0, 1)

    def test_a_relative_git_dir_of_a_hook_does_not_lead_astray_below_the_root(
        self, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        head = repository.commit({"content/a.md": "A"})
        monkeypatch.setenv("GIT_DIR", ".git")
        monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
        with Repository(repository.root / "content") as opened:
            assert opened.commit() == head
            assert opened.history.known([head]) == {head}


class TestUncommitted:
    """Work that is not part of a sync."""

    def test_edits_and_untracked_files_below_the_folders_are_counted(
        self, repository: SampleRepository
    ) -> None:
        repository.commit({"content/a.md": "A", "content/ab c.md": "B" * 50, "content/c.md": "C", "x": "X"})
        repository.write("content/a.md", "edited")
        repository.git("mv", "content/ab c.md", "content/moved.md")
        repository.remove("content/c.md")
        repository.write("content/new/one.md", "1")
        repository.write("content/new/two.md", "2")
        repository.write("x", "outside")
        with Repository(repository.root) as opened:
            assert opened.uncommitted(["content", "templates"]) == (3, 2)


def test_without_git_the_message_says_so(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"a.md": "A"})
    with Repository(repository.root) as opened:
        monkeypatch.setenv("PATH", "/nonexistent")
        with pytest.raises(RepositoryError, match="Git is not installed on this machine"):
            opened.commit()


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
