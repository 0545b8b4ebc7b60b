"""One contract for both implementations of what a repository asks of Git; and which one is chosen."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.repository import SampleRepository

from pressync.model.errors import RepositoryError
from pressync.repo.discover import find
from pressync.repo.gitpython import LibraryGit
from pressync.repo.plain_git import PlainGit
from pressync.repo.port import choose
from pressync.repo.process import GitProcess
from pressync.repo.repository import Repository
from pressync.repo.run_git import INHERITED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.repo.port import GitPort

NAME = "refs/pressync/live"
US = {f"GIT_{role}_{what}": "us" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@pytest.fixture(params=["library", "plain", "plain, sha256"])
def sample(request: pytest.FixtureRequest, tmp_path: Path) -> SampleRepository:
    """Make a repository; that of SHA-256 is for plain Git alone."""
    made = SampleRepository(tmp_path / "sample")
    made.root.mkdir()
    form = "sha256" if "sha256" in request.param else "sha1"
    made.git("init", "--quiet", "--initial-branch=main", f"--object-format={form}")
    return made


@pytest.fixture
def port(request: pytest.FixtureRequest, sample: SampleRepository) -> Iterator[GitPort]:
    """Open it by one of the implementations."""
    asking = GitProcess(find(sample.root))
    is_library = request.node.callspec.params["sample"] == "library"
    opened = LibraryGit(asking.working, asking.environment) if is_library else PlainGit(asking)
    yield opened
    opened.close()


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


def test_a_blob_that_was_not_cloned_and_cannot_be_fetched_is_none(
    tmp_path: Path, repository: SampleRepository
) -> None:
    repository.commit({"a.md": "A\n"})
    repository.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    source = f"file://{repository.root}"
    repository.git("clone", "--quiet", "--bare", "--filter=blob:none", source, str(partial))
    SampleRepository(partial).git("remote", "set-url", "origin", "/nowhere")
    blob = repository.git("rev-parse", "HEAD:a.md")
    for opened in (LibraryGit(partial, {}), PlainGit(GitProcess(find(partial)))):
        assert [opened.read(blob), opened.read(blob)] == [None, None]
        opened.close()


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
    first = port.write_commit({"m.json": "{}\n", "ä.json": "Ä"}, None, "One", US)
    second = port.write_commit({"m.json": "{}\n"}, first, "Two\n\nlines", US)
    assert sample.git("-c", "core.quotePath=false", "ls-tree", "--name-only", first) == "m.json\nä.json"
    assert sample.git("show", f"{first}:ä.json") == "Ä"
    assert sample.git("log", "--format=%an %s", second) == "us Two\nus One"
    assert sample.git("rev-parse", "HEAD") == head
    assert sample.git("status", "--porcelain") == ""


def test_a_commit_upon_nothing_is_refused(sample: SampleRepository, port: GitPort) -> None:
    sample.commit({"a.md": "A"})
    with pytest.raises(RepositoryError, match="git commit-tree failed"):
        port.write_commit({"m.json": ""}, "no-such-commit", "One", US)


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


def test_remotes_and_work_trees_are_named(sample: SampleRepository, port: GitPort, tmp_path: Path) -> None:
    sample.commit({"a.md": "A"})
    assert port.remotes() == frozenset()
    sample.git("remote", "add", "origin", "/nowhere")
    sample.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "an other"))
    assert port.remotes() == {"origin"}
    assert port.worktrees() == (sample.root, tmp_path / "an other")


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
