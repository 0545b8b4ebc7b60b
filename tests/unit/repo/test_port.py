"""One contract for both implementations of what a repository asks of Git; and which one is chosen."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.repository import SampleRepository

from pressync.model.bounds import FileBound, FileTooLarge
from pressync.repo.commands import PlainGit
from pressync.repo.discover import find
from pressync.repo.gitpython import LibraryGit
from pressync.repo.port import choose
from pressync.repo.process import GitProcess
from pressync.repo.repository import Repository
from pressync.repo.run_git import INHERITED

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.repo.port import GitPort

US = {f"GIT_{role}_{what}": "us" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def test_blobs_are_read_one_after_the_other_whatever_they_hold(
    sample: SampleRepository, port: GitPort
) -> None:
    texts = {"a.md": "A\n", "empty.md": "", "lines.md": "\n\n", "b.md": "x" * 200_000}
    commit = sample.commit({**texts, "odd.md": b"\xff\0\r\n"})
    for path, text in texts.items():
        assert port.read(sample.git("rev-parse", f"HEAD:{path}")) == text.encode()
    assert port.read(sample.git("rev-parse", "HEAD:odd.md")) == b"\xff\0\r\n"
    assert [port.read(name) for name in ("1234", "two words\n", "", "HEAD", commit)] == [None] * 5
    assert port.read(sample.git("rev-parse", "HEAD:a.md")) == b"A\n"


def test_threads_may_read_at_once_and_each_gets_the_bytes_that_it_asked_for(
    sample: SampleRepository, port: GitPort
) -> None:
    texts = [f"{number}:" * 20_000 for number in range(20)]
    sample.commit({f"{number}.bin": text for number, text in enumerate(texts)})
    blobs = sample.git("rev-parse", *(f"HEAD:{number}.bin" for number in range(20))).split()
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(port.read, blobs * 3)
        assert [data == text.encode() for data, text in zip(found, texts * 3, strict=True)] == [True] * 60


def test_a_blob_above_the_bound_is_refused_and_the_next_one_is_read(
    sample: SampleRepository, port: GitPort
) -> None:
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


def test_any_question_has_its_code_its_answer_and_its_complaint(
    sample: SampleRepository, port: GitPort
) -> None:
    sample.commit({"a.md": "A"})
    assert port.ask("rev-parse", "--verify", "no") == (128, "", "fatal: Needed a single revision")
    blob = port.ask("hash-object", "-w", "--stdin", given="ä\udcff\n")[1]
    assert port.read(blob) == b"\xc3\xa4\xff\n"
    assert port.ask("cat-file", "blob", blob) == (0, "ä\udcff", "")
    assert port.ask("var", "GIT_AUTHOR_IDENT", env=US)[1].startswith("us <us>")
    assert port.ask("ls-files", "--", "a.*") == (0, "", "")


def test_a_reader_that_was_closed_reads_again(sample: SampleRepository, port: GitPort) -> None:
    sample.commit({"a.md": "A"})
    blob = sample.git("rev-parse", "HEAD:a.md")
    assert port.read(blob) == b"A"
    port.close()
    port.close()
    assert port.read(blob) == b"A"


class TestChoice:
    """GitPython where there is work, plain Git for the rest."""

    def chosen(self, sample: SampleRepository, *, has_work: bool = True) -> type[GitPort]:
        return type(choose(GitProcess(find(sample.root)), sample.commit({"a.md": "A"}), has_work=has_work))

    def test_work_in_a_repository_that_gitpython_reads_is_its(self, repository: SampleRepository) -> None:
        assert self.chosen(repository) is LibraryGit
        assert self.chosen(repository, has_work=False) is PlainGit

    def test_sha_256_is_plain_gits(self, tmp_path: Path) -> None:
        made = SampleRepository(tmp_path)
        made.git("init", "--quiet", "--initial-branch=main", "--object-format=sha256")
        assert self.chosen(made) is PlainGit

    @pytest.mark.parametrize("name", INHERITED)
    def test_what_git_told_a_hook_never_goes_through_gitpython(
        self, name: str, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        commit = repository.commit({"a.md": "A"})
        monkeypatch.setenv(name, "/elsewhere")
        assert type(choose(GitProcess(find(repository.root)), commit, has_work=True)) is PlainGit

    def test_a_run_begins_plainly_and_goes_on_with_gitpython(self, repository: SampleRepository) -> None:
        repository.commit({"a.md": "A"})
        blob = repository.git("rev-parse", "HEAD:a.md")
        with Repository(repository.root) as opened:
            assert opened.read(blob) == b"A"
            before = type(opened.port)
            opened.begin_work(blob)
            assert opened.read(blob) == b"A"
            assert (before, type(opened.port)) == (PlainGit, LibraryGit)

    def test_the_commit_of_a_manifest_is_gitpythons(
        self, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repository.commit({"a.md": "A"})
        asked: list[str] = []
        ask = LibraryGit.ask

        def noting(self: LibraryGit, *arguments: str, **options: Any) -> tuple[int, str, str]:  # noqa: ANN401
            asked.extend(arguments)
            return ask(self, *arguments, **options)

        monkeypatch.setattr(LibraryGit, "ask", noting)
        with Repository(repository.root) as opened:
            opened.begin_work(repository.git("rev-parse", "HEAD:a.md"))
            made = opened.commit_file(repository.write("m.json", "{}\n"), "Note it")
            assert opened.is_on_branch(str(made), "main")
        assert {"commit", "rev-list"} <= set(asked)
        assert repository.git("show", "--format=%s", "--name-only") == "Note it\n\nm.json"

    def test_a_working_tree_is_read_through_gitpython_too(self, repository: SampleRepository) -> None:
        repository.commit({"content/a.md": "A"})
        repository.write("content/b.md", "B")
        with Repository(repository.root) as opened:
            opened.begin_work(repository.git("rev-parse", "HEAD:content/a.md"))
            assert opened.blob_at(opened.worktree(["content"]), "content/b.md") == b"B"
            assert type(opened.port) is LibraryGit
        assert "git" in sys.modules
