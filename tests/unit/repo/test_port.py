"""One contract for both ways to ask Git, the choice of one, and the processes."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import git
import pytest
from tests.support.repository import SampleRepository

from pressync.model.bounds import FileBound, FileTooLarge
from pressync.model.errors import RepositoryError
from pressync.repo import push, run_git
from pressync.repo.discover import find
from pressync.repo.port import Blobs, Git, OutOfTime, complaint
from pressync.repo.repository import Repository
from pressync.repo.run_git import INHERITED

if TYPE_CHECKING:
    from pathlib import Path


NAME = "refs/pressync/live"
US = {f"GIT_{role}_{what}": "us" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def test_blobs_are_read_whatever_they_hold(sample: SampleRepository, port: Git) -> None:
    texts = {"a.md": "A\n", "empty.md": "", "lines.md": "\n\n", "b.md": "x" * 200_000}
    commit = sample.commit({**texts, "odd.md": b"\xff\0\r\n"})
    for path, text in texts.items():
        assert port.read(sample.git("rev-parse", f"HEAD:{path}")) == text.encode()
    assert port.read(sample.git("rev-parse", "HEAD:odd.md")) == b"\xff\0\r\n"
    assert [port.read(name) for name in ("1234", "two words\n", "", "HEAD", commit)] == [None] * 5
    assert port.read(sample.git("rev-parse", "HEAD:a.md")) == b"A\n"


def test_threads_may_read_at_once(sample: SampleRepository, port: Git) -> None:
    texts = [f"{number}:" * 20_000 for number in range(20)]
    sample.commit({f"{number}.bin": text for number, text in enumerate(texts)})
    blobs = sample.git("rev-parse", *(f"HEAD:{number}.bin" for number in range(20))).split()
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(port.read, blobs * 3)
        assert [data == text.encode() for data, text in zip(found, texts * 3, strict=True)] == [True] * 60


def test_a_blob_above_the_bound_is_refused(sample: SampleRepository, port: Git) -> None:
    sample.commit({"a.md": "A", "large.md": "x" * 200_000})
    small, large = (sample.git("rev-parse", f"HEAD:{name}.md") for name in ("a", "large"))
    bound = FileBound(199_999, "a page has", "split it")
    for _ in range(2):
        with pytest.raises(
            FileTooLarge, match=r"^the file has 0\.2 MiB, and a page has at most 0 MiB; split it$"
        ):
            port.read(large, bound)
        assert port.read(small, bound) == b"A"
    assert len(port.read(large) or b"") == 200_000


def test_any_question_has_an_answer_and_a_complaint(sample: SampleRepository, port: Git) -> None:
    sample.commit({"a.md": "A"})
    assert port.run("rev-parse", "--verify", "no") == (128, "", "fatal: Needed a single revision")
    blob = port.run("hash-object", "-w", "--stdin", given="ä\udcff\n")[1]
    assert port.read(blob) == b"\xc3\xa4\xff\n"
    assert port.run("cat-file", "blob", blob) == (0, "ä\udcff", "")
    assert port.run("var", "GIT_AUTHOR_IDENT", env=US)[1].startswith("us <us>")
    assert port.run("ls-files", "--", "a.*") == (0, "", "")


def test_names_ancestors_and_remotes_are_known(sample: SampleRepository, port: Git) -> None:
    first, second = sample.commit({"a b/ä.md": "A"}), sample.commit({"b.md": "B"})
    assert port.resolve("refs/heads/main") == second
    assert port.resolve(f"{first}:a b/ä.md") == sample.git("rev-parse", "HEAD:a b/ä.md")
    assert [port.resolve(name) for name in ("refs/heads/no", f"{first}:no", "--all", "")] == [None] * 4
    sample.commit({"two\nlines.md": "C"})
    assert port.resolve("HEAD:two\nlines.md") == sample.git("rev-parse", "HEAD:two\nlines.md")
    assert port.resolve("HEAD:a b\nHEAD") is None
    assert port.is_ancestor(first, second)
    assert port.is_ancestor(second, second)
    assert not port.is_ancestor(second, first)
    assert not port.is_ancestor("0" * len(first), second)
    assert port.remotes() == frozenset()
    sample.git("remote", "add", "origin", "/nowhere")
    assert port.remotes() == {"origin"}
    port.close()
    port.close()
    assert port.read(sample.git("rev-parse", "HEAD:b.md")) == b"B"


def test_a_commit_holds_its_files_and_moves_nothing(sample: SampleRepository, port: Git) -> None:
    head = sample.commit({"a.md": "A"})
    first = port.write_commit({"m.json": b"{}\n", "ä.json": "Ä".encode()}, None, "One", US)
    second = port.write_commit({"m.json": b"{}\n"}, first, "Two\n\nlines", US)
    assert sample.git("-c", "core.quotePath=false", "ls-tree", "--name-only", first) == "m.json\nä.json"
    assert sample.git("show", f"{first}:ä.json") == "Ä"
    assert sample.git("log", "--format=%an %s", second) == "us Two\nus One"
    assert sample.git("rev-parse", "HEAD") == head
    assert sample.git("status", "--porcelain") == ""
    with pytest.raises(RepositoryError, match="git commit-tree failed"):
        port.write_commit({"m.json": b""}, "no-such-commit", "One", US)


def test_a_reference_moves_only_from_where_it_is(sample: SampleRepository, port: Git) -> None:
    first, second = sample.commit({"a.md": "A"}), sample.commit({"b.md": "B"})
    assert port.move(NAME, first, "") == ""
    assert "already exists" in port.move(NAME, second, "")
    assert "expected" in port.move(NAME, second, second)
    assert port.resolve(NAME) == first
    assert port.move(NAME, second, first) == ""
    assert port.move(NAME, first, None) == ""
    assert port.resolve(NAME) == first


def test_settings_are_this_clones_own_and_comments_stay(sample: SampleRepository, port: Git) -> None:
    config = sample.root / ".git/config"
    config.write_text(config.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    port.configure("merge.pressync.driver", 'python -m "pressync" %O')
    assert port.setting("merge.pressync.driver") == 'python -m "pressync" %O'
    assert port.setting("merge.other.driver") is None
    assert "# mine\n" in config.read_text(encoding="utf-8")
    with pytest.raises(RepositoryError, match="git config failed"):
        port.configure("no-section", "x")


class TestChoice:
    """GitPython where there is work, plain Git for the rest."""

    def test_only_work_in_a_repository_that_gitpython_reads_outside_of_a_hook_is_its(
        self, repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def is_chosen(sample: SampleRepository) -> bool | None:
            opened = Git(sample.root)
            opened.begin_work(sample.git("rev-parse", "HEAD"))
            return opened.uses_library

        repository.commit({"a.md": "A"})
        other = SampleRepository(tmp_path / "other")
        other.root.mkdir()
        other.git("init", "--quiet", "--initial-branch=main", "--object-format=sha256")
        other.commit({"a.md": "A"})
        assert is_chosen(repository)
        assert not is_chosen(other)
        commit = repository.git("rev-parse", "HEAD")
        for name in INHERITED:
            with monkeypatch.context() as patch:
                patch.setenv(name, "/elsewhere")
                opened = Git(repository.root)
                opened.begin_work(commit)
                assert opened.uses_library is False, name

    def test_a_run_begins_plainly_and_goes_on_with_gitpython(self, repository: SampleRepository) -> None:
        repository.commit({"content/a.md": "A"})
        repository.write("content/b.md", "B")
        blob = repository.git("rev-parse", "HEAD:content/a.md")
        with Repository(repository.root) as opened:
            assert opened.read(blob) == b"A"
            before = opened.port.uses_library
            opened.port.begin_work(blob)
            assert opened.read(blob) == b"A"
            assert opened.blob_at(opened.worktree(["content"]), "content/b.md") == b"B"
            assert (before, opened.port.uses_library) == (None, True)

    def test_the_commit_of_a_manifest_is_gitpythons(
        self, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = repository.commit({"a.md": "A"})
        asked: list[str] = []
        execute = git.Git.execute

        def noting(self: git.Git, command: list[str], **options: Any) -> object:  # noqa: ANN401
            asked.extend(command)
            return execute(self, command, **options)

        monkeypatch.setattr(git.Git, "execute", noting)
        with Repository(repository.root) as opened:
            opened.port.begin_work(repository.git("rev-parse", "HEAD:a.md"))
            made = push.commit_file(opened, repository.write("m.json", "{}\n"), "Note it")
            assert opened.is_on_branch(first, "main")
        assert repository.head() == made
        assert {"commit", "rev-list"} <= set(asked)
        assert repository.git("show", "--format=%s", "--name-only") == "Note it\n\nm.json"


def test_a_complaint_has_no_credentials_and_no_blanks_at_the_ends_of_its_lines() -> None:
    said = "remote: no   \nfatal: https://me:secret@example.org/x.git: not found\r\n\n"
    assert complaint(said) == "remote: no\nfatal: https://example.org/x.git: not found"


def test_git_is_ended_when_its_time_is_over(repository: SampleRepository) -> None:
    with pytest.raises(OutOfTime, match="git cat-file took longer"):
        Git(repository.root).run("cat-file", "--batch", seconds=1e-9)


def test_a_machine_without_git_is_told(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    asking = Git(repository.root)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RepositoryError, match="Git is not installed on this machine"):
        find(repository.root)
    with pytest.raises(RepositoryError, match="Git is not installed on this machine"):
        asking.run("status")
    with pytest.raises(RepositoryError, match="Git is not installed on this machine"):
        asking.read("1234")


def test_the_bytes_of_another_blob_are_never_given(repository: SampleRepository) -> None:
    repository.commit({"a.md": "A\n", "b.md": "first row\n"})
    blob, other = (repository.git("rev-parse", f"HEAD:{name}.md") for name in "ab")
    process = run_git.start("cat-file", "--batch", directory=repository.root)
    assert process.stdin
    # An exception has ended a read after its question.
    process.stdin.write(f"{other}\n".encode())
    blobs = Blobs(lambda *_: process)
    for _ in range(2):
        with pytest.raises(RepositoryError, match=f"for the object {blob}, and gave another answer"):
            blobs.read(blob)
    blobs.close()


def test_a_part_of_a_blob_is_not_the_blob() -> None:
    killed = ("sh", "-c", "read -r blob; echo $blob blob 5; printf abc")
    with subprocess.Popen(killed, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        blobs = Blobs(lambda *_: process)
        with pytest.raises(RepositoryError, match="gave another answer"):
            blobs.read("a" * 40)


@pytest.mark.parametrize("uses_library", [False, True])
def test_a_blob_that_was_not_cloned_and_cannot_be_fetched_is_none(
    repository: SampleRepository, tmp_path: Path, uses_library: bool
) -> None:
    repository.commit({"a.md": "A\n"})
    opened = Git(repository.partial_clone(tmp_path / "partial"))
    opened.uses_library = uses_library
    blob = repository.git("rev-parse", "HEAD:a.md")
    assert [opened.read(blob), opened.read(blob)] == [None, None]
    opened.close()


@pytest.mark.parametrize("uses_library", [False, True])
def test_names_have_answers_after_one_that_git_ends_at(
    repository: SampleRepository, tmp_path: Path, uses_library: bool
) -> None:
    commit = repository.commit({"a.md": "A\n", "b.md": "B\n"})
    opened = Git(repository.partial_clone(tmp_path / "partial"))
    opened.uses_library = uses_library
    for _ in range(2):
        assert [each and each.id for each in opened.names.find(["HEAD", "HEAD:a.md", "HEAD:b.md"])] == [
            commit
        ]
        assert opened.resolve("refs/heads/main") == commit
        assert opened.resolve("HEAD:a.md") == repository.git("rev-parse", "HEAD:a.md")
    opened.close()


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note the processes that answer questions."""
    started: list[int] = []
    start = run_git.start

    def noting(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401 - of `start`
        process = start(*arguments, **options)
        started.append(process.pid)
        return process

    monkeypatch.setattr(run_git, "start", noting)
    return started


def test_one_process_reads_all_blobs(repository: SampleRepository, children: list[int]) -> None:
    repository.commit({"a.md": "A", "b.md": "B"})
    plain = Git(repository.root)
    a, b = (repository.git("rev-parse", f"HEAD:{name}.md") for name in "ab")
    first = plain.read(a)
    plain.begin_work(a)
    assert [first, plain.read(b)] == [b"A", b"B"]
    [reader] = children
    assert os.getsid(reader) == reader, "Ctrl-C at the terminal does not reach it"
    plain.close()
    with pytest.raises(ProcessLookupError):
        os.kill(reader, 0)


def test_one_process_finds_all_names_and_sees_what_moves(
    repository: SampleRepository, children: list[int]
) -> None:
    opened = Git(repository.root)
    for number in range(3):
        commit = repository.commit({"a.md": str(number)})
        assert opened.resolve("HEAD^{commit}") == opened.resolve("refs/heads/main") == commit
        repository.git("pack-refs", "--all")
        repository.git("gc", "--quiet")
    assert len(children) == 1
    opened.close()


def test_many_long_names_are_found_at_once(repository: SampleRepository) -> None:
    paths = [f"{number}/{'long ' * 40}/{'long ' * 40}.md" for number in range(100)]
    repository.commit(dict.fromkeys(paths, "A"))
    names = [f"HEAD:{path}{end}" for path in paths for end in ("", "x" * 3000)]
    found = Git(repository.root).names.find(names)
    assert [bool(each) for each in found] == [True, False] * 100
