"""One call by Git: its branches and sites, the command that runs for a limited time, and its messages.

In the place of pressync stands a program that notes how it was started and ends as the test says.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from pressync.app.hooks import cache, dispatch, installation, subprocess_run
from pressync.app.hooks.dispatch import Call, answer
from pressync.app.hooks.installation import POST_COMMIT, POST_RECEIVE, PRE_COMMIT, PRE_PUSH, SWITCH, Setup
from pressync.app.hooks.subprocess_run import CommandResult, content_is_wrong, lines, problems
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.app.hooks.installation import HookPaths
    from pressync.config.settings import Settings


PROBLEM = "content/pages/a.md:2: the title is no text"


@dataclass
class Stage:
    """A repository, the program that replaces pressync, and the messages of hooks."""

    repository: SampleRepository
    folder: Path
    program: Path
    said: list[str] = field(default_factory=list)

    def ends(self, code: int, *said: str, first: str = "") -> None:
        """Make the program end like this from now on; it runs the shell line `first` before."""
        self.program.write_text(
            "#!/bin/sh\n"
            f'echo "$*" >>{shlex.quote(str(self.folder / "calls"))}\n'
            f"env >{shlex.quote(str(self.folder / 'environment'))}\n"
            f"{first}\n"
            f"printf '%s\\n' {shlex.join(said)} >&2\n"
            f"exit {code}\n",
        )
        self.program.chmod(0o755)

    def calls(self) -> list[str]:
        """List the calls of the program since the last question."""
        noted = self.folder / "calls"
        calls = noted.read_text().splitlines() if noted.exists() else []
        noted.unlink(missing_ok=True)
        return calls

    def environment(self) -> dict[str, str]:
        """Give the environment in which it was started last."""
        rows = (self.folder / "environment").read_text().splitlines()
        return dict(row.split("=", 1) for row in rows if "=" in row)

    def answer(
        self, hook_type: str, setup: Setup, *arguments: str, told: str = "", quiet: bool = False
    ) -> bool:
        """Answer one call of a hook."""
        there = installation.find(self.repository.root)
        self.said.clear()
        return answer(Call(there, hook_type, setup, arguments, told, self.said.append, quiet))


@pytest.fixture
def stage(repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    repository.commit({"content/pages/a.md": "# A\n"})
    program = tmp_path / "pressync"
    monkeypatch.setattr(installation, "python", lambda: [str(program)])
    monkeypatch.setattr(installation, "program", lambda: [str(program)])
    monkeypatch.setenv("PRESSYNC_URL", "http://127.0.0.1:9/wp-json")
    made = Stage(repository, tmp_path, program)
    made.ends(0)
    return made


MAIN = Setup(branch="main")


def words(stage: Stage) -> list[str]:
    """Give the words of the one call without the waiting time, which varies."""
    [call] = stage.calls()
    before, _, behind = call.partition(" --wait ")
    return [*before.split(), *behind.split()[1:]]


class TestWords:
    """The command that syncs a site."""

    def test_it_is_a_sync_that_asks_nobody(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GIT_DIR", ".git")
        assert stage.answer(POST_COMMIT, MAIN)
        sync = ["sync", "--site", "default", "--yes", "--format", "json"]
        assert words(stage) == ["-q", "--color", "never", "-C", str(stage.repository.root), *sync]
        assert stage.environment()[SWITCH] == "0"
        assert "GIT_DIR" not in stage.environment()
        file = stage.repository.write("other.toml", "")
        stage.answer(POST_COMMIT, Setup(branch="main", commit=True, config_file=file))
        said = words(stage)
        assert said[-1] == "--commit"
        assert said[said.index("--config") + 1] == str(file)

    def test_another_branch_is_synced_by_its_name_and_what_is_no_tip_by_its_id(self, stage: Stage) -> None:
        old = stage.repository.git("rev-parse", "HEAD")
        tip = stage.repository.commit({"content/pages/b.md": "# B\n"})
        stage.repository.git("switch", "--quiet", "--create", "topic")
        stage.repository.commit({"content/pages/c.md": "# C\n"})
        for commit, named in ((tip, "refs/heads/main"), (old, old)):
            stage.answer(PRE_PUSH, MAIN, "origin", told=f"refs/heads/x {commit} refs/heads/main {old}\n")
            assert words(stage)[-2:] == ["--ref", named]

    @pytest.mark.parametrize(
        ("undone", "is_rewind"),
        [(("commit", "--amend", "-m", "Better\u2028said"), False), (("reset", "--soft", "HEAD~1"), True)],
    )
    def test_only_an_amended_commit_may_stand_where_another_was_synced(
        self, stage: Stage, undone: tuple[str, ...], is_rewind: bool
    ) -> None:
        synced = stage.repository.commit({"content/pages/b.md": "# B\n"})
        there = installation.find(stage.repository.root)
        cache.write(there, POST_COMMIT, "main", [], synced)
        stage.repository.git(*undone)
        stage.repository.git("commit", "--quiet", "--allow-empty", "--amend", "-m", "Best")
        stage.answer(POST_COMMIT, MAIN)
        assert ("--allow-rewind" in words(stage)) != is_rewind


class TestGoingOn:
    """A site never stops Git; wrong content does, where Git has not acted yet."""

    @pytest.mark.parametrize("hook_type", [POST_COMMIT, PRE_PUSH])
    @pytest.mark.parametrize(("code", "said"), [(1, "Error: no"), (2, "Error: no password"), (5, "")])
    def test_what_goes_wrong_with_a_site_is_said_and_git_goes_on(
        self, stage: Stage, hook_type: str, code: int, said: str
    ) -> None:
        stage.ends(code, said)
        head = stage.repository.head()
        assert stage.answer(hook_type, MAIN, told=f"refs/heads/main {head} refs/heads/main {head}\n")
        assert stage.said[0] == "default: nothing was sent"

    def test_wrong_content_stops_a_push_and_is_all_that_is_said(self, stage: Stage) -> None:
        stage.ends(2, PROBLEM, "Error: 1 problem")
        stage.answer(POST_COMMIT, MAIN)
        assert stage.said[0] == "default: nothing was sent, the content has problems"
        head = stage.repository.head()
        assert not stage.answer(PRE_PUSH, MAIN, told=f"refs/heads/main {head} refs/heads/main {head}\n")
        assert stage.said == [PROBLEM, "Error: 1 problem"]

    def test_what_went_well_is_said_unless_quiet(self, stage: Stage) -> None:
        for quiet, code in ((False, 0), (True, 0), (True, 1)):
            stage.ends(code)
            stage.answer(POST_COMMIT, MAIN, quiet=quiet)
            assert bool(stage.said) == (not quiet or code == 1)


class TestStaged:
    """The check of what is staged, before a commit."""

    @pytest.mark.parametrize(("code", "goes_on"), [(0, True), (1, True), (2, False)])
    def test_wrong_content_alone_stops_the_commit(self, stage: Stage, code: int, goes_on: bool) -> None:
        stage.ends(code, PROBLEM)
        assert stage.answer(PRE_COMMIT, MAIN) == goes_on
        assert stage.said == ([] if code == 0 else [PROBLEM])
        check = ["--site", "default", "check", "--staged"]
        assert words(stage) == ["-q", "--color", "never", "-C", str(stage.repository.root), *check]

    def test_an_index_of_its_own_is_a_whole_path(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(stage.repository.root)
        monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-7.lock")
        stage.answer(PRE_COMMIT, MAIN)
        assert stage.environment()["GIT_INDEX_FILE"] == f"{stage.repository.root}/.git/next-index-7.lock"

    @pytest.mark.parametrize("edited", [False, True])
    def test_settings_that_are_edited_while_they_are_read_are_read_again(
        self, stage: Stage, monkeypatch: pytest.MonkeyPatch, *, edited: bool
    ) -> None:
        stage.repository.commit({"pressync.toml": 'content = "content"\n'})
        read = dispatch.sites

        def sites(paths: HookPaths, setup: Setup, environ: Mapping[str, str]) -> list[Settings]:
            found = read(paths, setup, environ)
            if edited:
                stage.repository.write("pressync.toml", 'content = "elsewhere"\n')
            return found

        monkeypatch.setattr(dispatch, "sites", sites)
        assert stage.answer(PRE_COMMIT, MAIN)
        [seen] = (installation.find(stage.repository.root).cache / PRE_COMMIT).glob("*.seen")
        done = subprocess.run(["/bin/sh", seen], cwd=stage.repository.root, check=False)
        assert (done.returncode != 0) == edited

    def test_a_check_that_takes_too_long_stops_nobody(self, stage: Stage) -> None:
        stage.ends(2, first="exec sleep 60")
        assert stage.answer(PRE_COMMIT, Setup(branch="main", time_limit=0))
        assert stage.said == ["the content was not checked within 0 s; Git goes on"]


class TestReceived:
    """Pushes that are received side by side."""

    def test_a_sync_that_a_later_push_overtook_is_one_of_the_later_push(self, stage: Stage) -> None:
        first = stage.repository.head()
        later = stage.repository.commit({"content/pages/b.md": "# B\n"})
        git = f"git -C {shlex.quote(str(stage.repository.root))}"
        stage.repository.git("update-ref", "refs/heads/main", first)
        stage.ends(4, first=f"{git} update-ref refs/heads/main {later}")
        stage.answer(POST_RECEIVE, MAIN, told=f"{first} {first} refs/heads/main\n")
        assert len(stage.calls()) == 2

    @pytest.mark.parametrize("hook_type", [POST_RECEIVE, POST_COMMIT])
    def test_any_other_refusal_is_one(self, stage: Stage, hook_type: str) -> None:
        stage.ends(4, "Error: too many deletions")
        head = stage.repository.head()
        stage.answer(hook_type, MAIN, told=f"{head} {head} refs/heads/main\n")
        assert len(stage.calls()) == 1
        assert stage.said == ["default: nothing was sent", "too many deletions"]


def test_a_command_is_asked_to_stop_when_its_time_is_up(tmp_path: Path) -> None:
    ended = subprocess_run.run(["--version"], os.environ, time.monotonic() + 60)
    assert (ended.code, ended.stopped, ended.errors, ended.document) == (0, False, "", None)
    assert ended.printed.startswith("pressync")
    ended = subprocess_run.run(
        ["serve", "--data", str(tmp_path), "--port", "0"], os.environ, time.monotonic() + 1
    )
    assert ended.stopped
    assert ended.code is not None
    assert CommandResult(0, '{"version": 1}', "").document == {"version": 1}
    assert CommandResult(0, "[]", "").document is None


ZERO = "0" * 40
TWO = '[sites.live]\nurl = "https://a.example/"\nbranch = "live"\n[sites.trial]\nurl = "https://b.example/"\n'


@pytest.fixture
def there(repository: SampleRepository) -> HookPaths:
    """Make a repository of one commit on main."""
    repository.commit({"content/pages/a.md": "# A\n"})
    return installation.find(repository.root)


def _branches(there: HookPaths, setup: Setup, environ: dict[str, str] | None = None) -> dict[str, str | None]:
    return {found.site.name: found.site.branch for found in dispatch.sites(there, setup, environ or {})}


def test_a_commit_is_one_on_the_branch_of_head(there: HookPaths, repository: SampleRepository) -> None:
    assert dispatch.pushed(there, "post-commit", (), "") == {"main": "HEAD"}
    repository.git("checkout", "--quiet", "--detach")
    assert dispatch.pushed(there, "post-merge", (), "") == {}


def test_a_push_names_branches_and_nothing_else(there: HookPaths, repository: SampleRepository) -> None:
    said = (
        f"refs/heads/x 1111 refs/heads/main {ZERO}\n"
        f"refs/tags/v1 2222 refs/tags/v1 {ZERO}\n"
        f"(delete) {ZERO} refs/heads/gone 3333\n"
        "garbage\n"
    )
    assert dispatch.pushed(there, "pre-push", ("origin", "url"), "") == {}
    repository.git("config", "branch.main.remote", "origin")
    assert dispatch.pushed(there, "pre-push", ("origin", "url"), said) == {"main": "1111"}
    assert dispatch.pushed(there, "pre-push", ("fork", "url"), said) == {}


def test_what_was_received_is_read_at_the_tip(there: HookPaths, repository: SampleRepository) -> None:
    said = f"{ZERO} 1111 refs/heads/main\n{ZERO} 2222 refs/heads/other\n2222 {ZERO} refs/heads/gone\n"
    assert dispatch.pushed(there, "post-receive", (), said) == {"main": repository.head(), "other": "2222"}


def test_a_site_follows_its_branch_or_the_hooks(there: HookPaths, repository: SampleRepository) -> None:
    assert _branches(there, Setup(branch="main")) == {"embedded": "main"}
    assert _branches(there, Setup(), {"PRESSYNC_URL": "https://a.example/"}) == {"default": None}
    repository.write("pressync.toml", TWO)
    assert _branches(there, Setup(branch="main")) == {"live": "live", "trial": "main"}
    assert _branches(there, Setup()) == {"live": "live", "trial": None}
    assert _branches(there, Setup(("trial",), "x")) == {"trial": "x"}
    assert _branches(there, Setup(), {"PRESSYNC_SITE": "live"}) == {"live": "live"}
    repository.write("pressync.toml", b"\xff")
    with pytest.raises(ConfigError, match=r"pressync\.toml"):
        dispatch.sites(there, Setup(), {})


NONE = {"done": 0, "failed": 0, "skipped": 0, "blocked": 0, "in_doubt": 0, "kept": 7}


def _ended(
    code: int | None, counts: dict[str, int], *rows: dict[str, Any], stopped: bool = False
) -> CommandResult:
    document = {"commit": "4f1c2a9b03ff", "counts": {**NONE, **counts}, "outcomes": list(rows)}
    return CommandResult(code, json.dumps(document), "", stopped)


def _row(path: str, result: str = "done", message: str = "", action: str = "update") -> dict[str, Any]:
    link = f"https://example.org/{path}/"
    return {"path": path, "result": result, "message": message, "action": action, "link": link}


def test_what_was_done_where_it_is_and_what_is_next() -> None:
    assert lines(_ended(0, {}), "live", 60) == []
    ended = _ended(0, {"done": 2}, _row("a"), _row("b"))
    assert lines(ended, "live", 60, unsaved="next: commit .pressync/live.json") == [
        "live: 2 done, 7 up to date at 4f1c2a9b03",
        "https://example.org/a/ and 1 more",
        "next: commit .pressync/live.json",
    ]
    assert lines(ended, "live", 60, home="`pressync serve` shows it")[1] == "`pressync serve` shows it"
    row = {**_row("a"), "status": "future", "date": "2027-01-31T10:00:00"}
    assert lines(_ended(0, {"done": 1}, row), "live", 60)[1] == (
        "https://example.org/a/ (scheduled: visible from 2027-01-31T10:00:00)"
    )
    conflict = lines(_ended(1, {"done": 1}, _row("a")), "live", 60)
    assert conflict[2] == "next: `pressync plan` shows the conflicts"


@pytest.mark.parametrize(
    ("code", "result", "todo"),
    [
        (1, "failed", "pressync sync"),
        (1, "skipped", "continues from here"),
        (1, "blocked", "pressync plan"),
        (5, "in_doubt", "pressync resolve PATH"),
    ],
)
def test_what_needs_a_person_goes_before_what_is_done(code: int, result: str, todo: str) -> None:
    ended = _ended(
        code, {"done": 1, result: 2}, _row("a"), _row("b", result, "why\x1b[2J"), _row("c", result)
    )
    what, where, following = lines(ended, "live", 60, unsaved="next: commit m.json")
    assert f"2 {'unconfirmed' if result == 'in_doubt' else result}" in what
    assert where == "b: why\\u001b[2J (and 1 more)"
    assert todo in following


NOTHING = "live: nothing was sent"


@pytest.mark.parametrize(
    ("code", "said", "told"),
    [
        (
            2,
            "Error: 'origin' cannot be reached: fatal: no host\nand\n\nthe repository exists.; `git fetch`\n",
            [
                NOTHING,
                "'origin' cannot be reached: fatal: no host and the repository exists.",
                "next: `git fetch`",
            ],
        ),
        (
            2,
            "warning: x.md: odd\na.md:3: no YAML; mend it\nb.md:1: too\nError: 2 problems in the content\n",
            [
                f"{NOTHING}, the content has problems",
                "a.md:3: no YAML; mend it (and 1 more)",
                "next: `pressync check` lists them all; fix them and commit",
            ],
        ),
        (
            4,
            "Error: it would delete 8 of 13 records; if that is meant, `pressync sync --max-delete 8`\n",
            [
                NOTHING,
                "it would delete 8 of 13 records",
                "next: if that is meant, `pressync sync --max-delete 8`",
            ],
        ),
        (1, "Error: alone\n", [NOTHING, "alone"]),
    ],
    ids=["several lines", "content", "refusal", "alone"],
)
def test_an_error_is_told_in_one_line_with_its_next_step(code: int, said: str, told: list[str]) -> None:
    ended = CommandResult(code, "", said)
    assert lines(ended, "live", 60) == told
    assert content_is_wrong(ended) is ("content has" in told[0])


def test_many_warnings_do_not_hide_the_errors_of_a_stopped_commit() -> None:
    rows = [f"warning: {number}.md: odd" for number in range(12)]
    more = "… and 2 more lines of warnings; `pressync check` lists all of them."
    said = problems(CommandResult(2, "", "\n".join([*rows, "a.md:3: wrong"])))
    assert said == [*rows[:10], more, "a.md:3: wrong"]


def test_time_that_is_up_is_told_by_what_it_left() -> None:
    assert lines(CommandResult(-9, "no JSON", ""), "live", 60)[1] == "it ended with code -9"
    assert "nothing was sent within 2 s" in lines(CommandResult(130, "", "", stopped=True), "live", 2)[0]
    assert "not done after 2 s" in lines(CommandResult(None, "", "", stopped=True), "live", 2)[0]
    part = lines(_ended(130, {"done": 3, "skipped": 4}, _row("a"), stopped=True), "live", 2)
    assert part[0].endswith("3 done, 4 skipped, 7 up to date at 4f1c2a9b03; stopped after 2 s")
