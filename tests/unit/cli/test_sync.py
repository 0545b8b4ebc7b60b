"""`sync` at work: it reads reviewed plans, asks for approval, and commits the manifest."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.desk import Desk
from tests.support.repository import SampleRepository
from tests.support.terminal import Terminal

from pressync.app import up_to_date
from pressync.app.workspace import Workspace
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.stage.server.server import RunningService

PAGE, OTHER = "content/pages/one.md", "content/pages/two.md"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"commit": "HEAD"}', "[" * 100_000])
def test_a_file_that_is_not_a_reviewed_plan_is_told_with_the_command_that_writes_one(
    terminal: Terminal, service: RunningService, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    told = terminal.run("sync", "--plan", str(file), exits=2).stderr
    # A long path makes a long message, which has a hint at its end.
    assert told.startswith(f"Error: {file}: this is not a plan; write one with `pressync plan --out FILE`")
    assert service.store.records(Kind.PAGE) == []


@pytest.mark.parametrize(("word", "code"), [("n", 1), ("", 1), ("y", 0)])
def test_a_person_sees_the_plan_and_is_asked(
    terminal: Terminal, service: RunningService, monkeypatch: pytest.MonkeyPatch, word: str, code: int
) -> None:
    monkeypatch.setattr("pressync.cli.console.is_watched", lambda _given: True)
    told = terminal.run("sync", exits=code, said=f"{word}\n".encode()).stderr
    assert "content/pages/about.md" in told.partition("Send 3 changes? [y/N]")[0]
    assert ("Nothing was sent." in told) == (code == 1)
    assert len(service.store.records(Kind.PAGE)) == (0 if code else 3)


@pytest.mark.parametrize("words", [[], ["--keep-going"]])
def test_problems_and_warnings_are_shown_once_before_the_question_with_their_numbers(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr("pressync.cli.console.is_watched", lambda _given: True)
    terminal.repository.commit({f"content/pages/{name}.md": "# A\n\n[x](gone.md)\n" for name in "ab"})
    if words:
        terminal.repository.commit({"content/pages/c.md": "---\nstatus: [\n---\n"})
    told = terminal.run("sync", *words, exits=1 if words else 0, said=b"y\n").stderr
    before, _, after = told.partition(
        f"{'1 problem, ' if words else ''}1 warning (at 2 places). Send 5 changes? [y/N]"
    )
    assert "warning: content/pages/a.md:3: links to `gone.md`" in before
    assert "also content/pages/b.md:3" in before
    assert after
    assert "gone.md" not in after


def test_a_person_at_a_real_terminal_reads_the_warnings_above_the_question(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/a.md": "# A\n\n[x](gone.md)\n"})
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pressync", "-C", str(terminal.repository.root), "sync"]
    environ = {**os.environ, **terminal.environ}
    with subprocess.Popen(command, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, env=environ) as run:
        os.close(theirs)
        seen = b""
        while not seen.endswith(b"1 warning. Send 4 changes? [y/N]: "):
            seen += os.read(ours, 4096)
        os.write(ours, b"n\n")
        assert run.wait(timeout=30) == 1
    os.close(ours)
    assert b"links to `gone.md`" in seen


def test_the_question_tells_what_nobody_will_see_and_no_look_that_is_done(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pressync.cli.console.is_watched", lambda _given: True)
    repository.commit({"content/pages/a.md": "---\nstatus: draft\n---\n# A\n"})
    with embedded_wordpress.serving() as site:
        terminal = Terminal(repository, {"PRESSYNC_URL": site.url, **embedded_wordpress.ENVIRON})
        assert "A sync first looks up" in terminal.run("plan").stdout
        told = terminal.run("sync", said=b"y\n")
    asked = told.stderr.partition("Send 1 change? [y/N]")[0]
    assert "Visitors do not see 1 new record (draft)" in asked
    assert "A sync first looks up" not in asked
    assert "Visitors do not see 1 new record (draft)" in told.stdout


def test_a_manifest_without_a_change_is_not_committed_again(terminal: Terminal) -> None:
    assert "Committed the manifest as " in terminal.run("sync", "--yes", "--commit").stderr
    head = terminal.repository.head()
    assert "no change to commit" in terminal.run("sync", "--yes", "--commit").stderr
    assert terminal.repository.head() == head


def test_a_manifest_that_git_does_not_commit_is_not_called_nothing_sent(terminal: Terminal) -> None:
    (terminal.repository.root / ".git/index.lock").touch()
    ended = terminal.run("sync", "--yes", "--commit", exits=1)
    assert "3 done" in ended.stdout
    assert "the changes were made, but Git did not commit the manifest" in " ".join(ended.stderr.split())


def test_a_bare_repository_is_synced_and_has_no_manifest_to_commit(
    terminal: Terminal, service: RunningService, tmp_path: Path
) -> None:
    terminal.repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "site.git"))
    bare = Terminal(SampleRepository(tmp_path / "site.git"), terminal.environ)
    told = bare.run("sync", "--yes", "--commit", exits=2).stderr
    assert "a bare repository has no manifest to commit" in told
    assert len(service.store.records(Kind.PAGE)) == 3


NEXT = "next: commit .pressync/default.json, so that other clones know these records\n"


def _manifest(terminal: Terminal, *arguments: str) -> object:
    shown = terminal.run("sync", "--yes", "--format", "json", *arguments).stdout
    return json.loads(shown)["manifest"]


@pytest.mark.sweep
def test_the_next_step_is_told_until_the_manifest_is_committed(terminal: Terminal) -> None:
    assert terminal.run("sync", "--yes").stderr.endswith(NEXT)
    assert NEXT not in terminal.run("-q", "sync", "--yes").stderr
    said = terminal.run("--log-format", "json", "sync", "--yes").stderr.splitlines()
    assert json.loads(said[-1])["message"] == NEXT.rstrip()
    assert _manifest(terminal) == {"path": ".pressync/default.json", "committed": False}
    terminal.repository.commit({"content/pages/about.md": "# About them\n"})
    assert _manifest(terminal) == {"path": ".pressync/default.json", "committed": False}
    terminal.repository.commit()
    assert "next:" not in terminal.run("sync", "--yes").stderr
    assert _manifest(terminal) == {"path": ".pressync/default.json", "committed": True}


def test_nobody_is_told_to_commit_what_the_run_commits(terminal: Terminal) -> None:
    assert "next:" not in terminal.run("sync", "--yes", "--commit").stderr
    terminal.repository.commit({"content/pages/about.md": "# About them\n"})
    assert _manifest(terminal, "--commit") == {"path": ".pressync/default.json", "committed": True}


def test_a_manifest_that_git_ignores_is_told_to_be_taken_out_of_gitignore(terminal: Terminal) -> None:
    terminal.repository.commit({".gitignore": "/.pressync/\n"})
    assert "next: take .pressync/default.json out of .gitignore and commit it" in (
        terminal.run("sync", "--yes").stderr
    )


def test_a_manifest_in_a_reference_is_committed_already(terminal: Terminal, service: RunningService) -> None:
    settings = f'[sites.live]\nurl = "{service.url}"\nmanifest = "ref"\n'
    terminal.repository.commit({"pressync.toml": settings})
    terminal.environ.clear()
    assert _manifest(terminal) == {"path": "refs/pressync/live", "committed": True}


def test_nobody_has_to_commit_the_manifest_of_a_bare_repository(terminal: Terminal, tmp_path: Path) -> None:
    terminal.repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "site.git"))
    bare = Terminal(SampleRepository(tmp_path / "site.git"), terminal.environ)
    assert _manifest(bare) is None
    terminal.repository.commit({"content/pages/about.md": "# About them\n"})


@pytest.mark.parametrize("form", ["text", "json"])
def test_creates_whose_slug_the_service_changed_are_one_warning_and_json_has_each(
    terminal: Terminal, form: str
) -> None:
    terminal.repository.commit({f"content/pages/{name}.md": "Text.\n" for name in "abcd"})
    terminal.run("sync", "--yes")
    terminal.repository.remove(".pressync", ".git/pressync")
    shown = terminal.run("sync", "--yes", "--format", form).stdout
    if form == "json":
        messages = [outcome["message"] for outcome in json.loads(shown)["outcomes"]]
        assert sum("changed by the service" in message for message in messages) == 6
        return
    (warned,) = (line for line in shown.splitlines() if line.startswith("warning: "))
    assert warned == (
        "warning: content/pages/a.md: slug: changed by the service from 'a' to 'a-2'; "
        "also content/pages/about.md, content/pages/b.md and 3 more"
    )


@pytest.fixture
def desk(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Sync two pages to a site in memory; an editor then changes a title and unpublishes the other page."""
    desk = Desk(repository.root, "https://site.test/wp-json")
    monkeypatch.setattr(Workspace, "service", lambda *_: nullcontext(desk.service))
    repository.commit({PAGE: "# One\n", OTHER: "# Two\n"})
    desk.sync()
    desk.edit(PAGE, title="Theirs")
    desk.edit(OTHER, status="draft")
    return desk


def at(desk: Desk) -> Terminal:
    environ = {"PRESSYNC_URL": desk.url, "PRESSYNC_DIALECT": "wordpress"}
    return Terminal(SampleRepository(desk.root), environ)


def test_a_reviewed_plan_of_drift_is_the_plan_that_is_applied(desk: Desk, tmp_path: Path) -> None:
    file, terminal = str(tmp_path / "plan.json"), at(desk)
    terminal.run("plan", "--drift", "--overwrite", "--out", file)
    assert json.loads(Path(file).read_text())["drift"] is True
    assert desk.record(PAGE).fields["title"] == "Theirs"

    terminal.run("sync", "--overwrite", "--plan", file, exits=1)

    assert (desk.record(PAGE).fields["title"], desk.record(OTHER).fields["status"]) == ("One", "draft")


def test_overwrite_names_the_edits_that_no_plan_had_before_it_sends(desk: Desk) -> None:
    told = at(desk).run("sync", "--yes", "--overwrite").stderr
    assert f"Edits on the site are overwritten in 1 record: {PAGE}." in told
    assert desk.record(PAGE).fields["title"] == "One"


def test_a_reviewed_plan_of_drift_sends_nothing_if_somebody_edited_more_since(
    desk: Desk, tmp_path: Path
) -> None:
    file, terminal = str(tmp_path / "plan.json"), at(desk)
    terminal.run("plan", "--drift", "--overwrite", "--out", file)
    desk.edit(OTHER, title="Theirs as well")
    told = terminal.run("sync", "--overwrite", "--plan", file, exits=4).stderr
    assert "the plan that was reviewed: content, configuration, manifest or site changed since" in told
    assert desk.record(PAGE).fields["title"] == "Theirs"


def test_a_reviewed_plan_of_drift_binds_the_records_that_it_found(
    repository: SampleRepository, desk: Desk, tmp_path: Path
) -> None:
    file, terminal = str(tmp_path / "plan.json"), at(desk)
    repository.commit({"content/pages/three.md": "# Three\n", "content/pages/four.md": "# Four\n"})
    three = desk.service.hold(9, title="Three", slug="three", content="")
    terminal.run("plan", "--drift", "--out", file)
    terminal.run("sync", "--plan", file, exits=1)
    assert desk.entries()["content/pages/three.md"].id == three.id
    assert "content/pages/four.md" in desk.entries()


def test_plans_name_the_command_that_shows_both_sides_where_only_a_look_finds_them(desk: Desk) -> None:
    terminal = at(desk)
    said = terminal.run("plan", "--drift").stdout
    assert "2 conflicts: `pressync plan --drift --diff` shows" in said
    shown = terminal.run("plan", "--drift", "--diff").stdout
    assert "+# Theirs" in shown
    assert "+status: draft" in shown
    terminal.run("plan", "--exit-code", exits=1)


def test_a_record_that_somebody_deleted_has_no_other_side_to_show(desk: Desk) -> None:
    desk.edit(OTHER, status="publish")
    desk.edit(PAGE, title="One")
    del desk.service.held[desk.record(PAGE).id]
    said = at(desk).run("plan", "--drift").stdout
    assert f"`pressync forget {PAGE}` and sync to create a new one" in said
    assert "conflict" not in said


def test_the_named_command_creates_a_new_record(desk: Desk) -> None:
    old = desk.record(PAGE).id
    del desk.service.held[old]
    terminal = at(desk)
    terminal.run("forget", PAGE)
    terminal.run("sync", "--yes")
    assert desk.record(PAGE).fields["title"] == "One"


def test_after_a_run_the_next_one_has_nothing_to_do_and_no_plan_was_made_for_that(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.delattr(Workspace, "plan")
        terminal.run("sync", "--yes")
    monkeypatch.setenv("PRESSYNC_URL", terminal.environ["PRESSYNC_URL"])
    stamp = up_to_date.read(terminal.repository.root, site=None, config_file=None)
    assert stamp is not None
    assert (stamp.commit, stamp.kept) == (terminal.repository.head(), 3)
