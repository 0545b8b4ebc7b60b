"""`pressync sync`: what it sends, asks, refuses, prints, commits, and the code it ends with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.support import embedded_wordpress
from tests.support.desk import Desk
from tests.support.repository import SampleRepository
from tests.support.strict_service import Fault, serving
from tests.support.syncing import stored_pages
from tests.support.terminal import Terminal
from tests.support.wire import Reply

from pressync.app.workspace import Workspace
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.strict_service import StrictService

    from pressync.stage.server.server import RunningService


def _pages(service: RunningService) -> dict[str, dict[str, Any]]:
    return {page["slug"]: page for page in stored_pages(service)}


def test_many_deletions_and_a_rewound_branch_are_refused(terminal: Terminal, service: RunningService) -> None:
    first = terminal.repository.head()
    terminal.repository.commit({f"content/pages/p{n}.md": f"# Page {n}\n" for n in range(10)})
    terminal.run("sync", "--yes")
    terminal.repository.remove(*[f"content/pages/p{n}.md" for n in range(8)])
    terminal.repository.commit()
    told = terminal.run("sync", "--yes", exits=4).stderr
    assert "8 of 13 records" in told
    assert "--max-delete 8" in told
    assert len(_pages(service)) == 13
    terminal.run("sync", "--yes", "--max-delete", "8")
    assert len(_pages(service)) == 5
    (terminal.repository.root / ".git/info/exclude").write_text("/.pressync/\n")
    terminal.repository.git("reset", "--quiet", "--soft", first)
    terminal.repository.commit({"content/pages/about.md": "# Another history\n"})
    assert "--allow-rewind" in terminal.run("sync", "--yes", exits=4).stderr
    terminal.run("sync", "--yes", "--allow-rewind")
    assert "Nothing to do" in terminal.run("sync", "--yes").stdout


def test_problems_stop_everything_and_delete_nothing(terminal: Terminal, service: RunningService) -> None:
    assert "pressync sync --yes" in terminal.run("sync", exits=2).stderr
    terminal.repository.commit({"content/pages/bad.md": "---\ntitle: [\n---\n"})
    terminal.run("sync", "--yes", exits=2)
    assert not _pages(service)
    terminal.run("sync", "--yes", "--keep-going", exits=1)
    terminal.repository.commit({"content/pages/about.md": "---\ntitle: [\n---\n"})
    terminal.run("sync", "--yes", "--keep-going", exits=1)
    assert sorted(_pages(service)) == ["about", "history", "index"]


def test_a_lost_response_of_a_create_is_unconfirmed_until_a_person_says(terminal: Terminal) -> None:
    with serving() as strict:
        terminal.environ["PRESSYNC_URL"] = strict.url
        strict.faults.append(Fault(acts=True, end="close"))
        terminal.run("sync", "--yes", exits=5)
        assert len(strict.pages) == 1
        doubtful = json.loads(terminal.run("status", "--format", "json").stdout)["records"]
        path = next(r["path"] for r in doubtful if r["state"] == "in_doubt")
        terminal.run("sync", "--yes", exits=5)
        number = next(r["id"] for r in strict.pages if f"/{r['slug']}.md" in path)
        terminal.run("resolve", path, "--id", str(number))
        terminal.run("sync", "--yes")
        assert len(strict.pages) == 3
        assert not strict.violations


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.sweep
def test_a_second_interrupt_ends_a_sync_whose_service_is_silent(terminal: Terminal, form: str) -> None:
    def message(line: str) -> str:
        return str(json.loads(line)["message"]) if form == "json" else line.rstrip("\n")

    with serving() as strict:
        strict.faults.append(Fault(end="hang"))
        terminal.environ["PRESSYNC_URL"] = strict.url
        command = [sys.executable, "-m", "pressync", "-C", str(terminal.repository.root)]
        process = subprocess.Popen(
            [*command, "--log-format", form, "sync", "--yes"],
            env={**os.environ, **terminal.environ},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        strict.wait_for_requests(1, lambda: process.poll() is not None)
        process.send_signal(signal.SIGINT)
        assert "Ctrl-C again ends at once" in message(process.stderr.readline())
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert [message(line) for line in process.stderr] == ["Interrupted."]
        assert "about.md" in terminal.run("sync", "--yes", exits=5).stdout
        assert [page["slug"] for page in strict.pages] == ["about", "index"], (
            "the unconfirmed page exists once"
        )


def test_a_repository_without_documents_is_told_where_to_put_them(terminal: Terminal) -> None:
    terminal.repository.remove("content")
    terminal.repository.commit({"notes.md": "# Notes\n"})
    assert "commit Markdown below content/pages/" in terminal.run("sync", "--yes").stderr
    assert "commit Markdown below content/pages/" in terminal.run("plan").stdout


def test_a_limit_leaves_changes_for_later_syncs(terminal: Terminal, service: RunningService) -> None:
    pages = {f"content/pages/docs/p{n}.md": f"[next](p{(n + 1) % 7}.md)\n" for n in range(7)}
    terminal.repository.commit({**pages, "content/pages/docs/index.md": "# Docs\n"})
    before = len(_pages(service))
    first = json.loads(terminal.run("sync", "--yes", "--limit", "4", "--format", "json").stdout)
    assert (first["counts"]["done"], first["later"]) == (4, 7)
    assert "docs" in _pages(service), "the parent came first"
    again = terminal.run("sync", "--yes", "--limit", "4").stdout
    assert "4 done, 4 up to date. 3 more changes are left for later syncs." in " ".join(again.split())
    terminal.run("sync", "--yes", "--limit", "100")
    assert len(_pages(service)) == before + 11
    assert "Nothing to do" in terminal.run("sync", "--yes").stdout


def test_a_record_that_is_deleted_for_good_is_named_with_its_address(
    terminal: Terminal, service: RunningService
) -> None:
    path = "content/pages/about/history.md"
    terminal.run("sync", "--yes")
    link = next(page["link"] for page in _pages(service).values() if page["slug"] == "history")
    terminal.repository.remove(path)
    terminal.repository.commit()
    said = f"1 record is deleted for good, and nothing brings it back: {path} ({link})."
    to_trash = json.loads(terminal.run("plan", "--format", "json").stdout)
    for_good = json.loads(terminal.run("plan", "--permanent", "--format", "json").stdout)
    assert (to_trash["remarks"], [each["message"] for each in for_good["remarks"]]) == ([], [said])
    for form in ("text", "markdown", "github"):
        assert "deleted for good" in terminal.run("plan", "--permanent", "--format", form).stdout
    assert "leave out --permanent" in terminal.run("plan", "--permanent", "--out", "plan", exits=2).stderr
    approved = ("--approved", to_trash["digest"])
    terminal.run("sync", "--yes", "--permanent", *approved, exits=4)

    done = terminal.run("sync", "--yes", "--permanent", "--format", "json")

    assert said in done.stderr
    assert [each["message"] for each in json.loads(done.stdout)["outcomes"]] == [
        f"deleted for good; nothing brings back {link}"
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--limit", "1"), "leave one of them out"), (("--permanent",), "--permanent deletes for good")],
)
def test_a_reviewed_plan_takes_no_limit_and_is_not_made_permanent(
    terminal: Terminal, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    reviewed = tmp_path / "plan.json"
    terminal.run("plan", "--out", str(reviewed))
    assert said in terminal.run("sync", "--plan", str(reviewed), *words, exits=2).stderr


def test_after_the_allowed_failures_nothing_is_sent(
    repository: SampleRepository, strict: StrictService
) -> None:
    body = b'{"code": "no", "message": "No.", "data": {"status": 400}}'
    head = b"HTTP/1.1 400 No\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    repository.commit({f"content/pages/p{n}.md": f"# {n}\n" for n in range(9)})
    strict.faults += [None, *[Fault(acts=False, sends=head + body, end="keep")] * 8]
    terminal = Terminal(repository, {"PRESSYNC_URL": strict.url})
    ended = terminal.run("sync", "--yes", "--concurrency", "1", "--max-failures", "2", exits=1)
    assert "2 failed, so nothing else was sent (--max-failures)" in " ".join(ended.stdout.split())
    assert len(strict.received) < 6


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


def test_the_query_is_used_where_a_path_is_blocked(
    repository: SampleRepository, site: EmbeddedWordPress
) -> None:
    repository.commit({"content/pages/about.md": "# About\n"})
    opened, blocked = site.respond, Reply(403, None, (), b"<title>Blocked</title>", "text/html")
    site.respond = lambda received: (  # type: ignore[method-assign]
        blocked if received.path.startswith("/wp-json") else opened(received)
    )
    terminal = Terminal(repository, {"PRESSYNC_URL": site.url, **embedded_wordpress.ENVIRON})
    said = terminal.run("sync", "--yes").stderr
    assert said.count("something before WordPress blocks") == 1
    assert [page["slug"] for page in site.pages] == ["about"]


def test_a_manifest_is_committed_where_it_changed_and_git_may_refuse(terminal: Terminal) -> None:
    assert "Committed the manifest as " in terminal.run("sync", "--yes", "--commit").stderr
    head = terminal.repository.head()
    again = terminal.run("sync", "--yes", "--commit").stderr
    assert "no change to commit" in again
    assert "next:" not in again
    assert terminal.repository.head() == head
    terminal.repository.commit({"content/pages/about.md": "# About them\n"})
    assert _manifest(terminal, "--commit") == {"path": ".pressync/default.json", "committed": True}
    terminal.repository.commit({"content/pages/about.md": "# About others\n"})
    (terminal.repository.root / ".git/index.lock").touch()
    ended = terminal.run("sync", "--yes", "--commit", exits=1)
    assert "1 done" in ended.stdout
    assert "the changes were made, but Git did not commit the manifest" in " ".join(ended.stderr.split())


def test_the_manifest_of_the_embedded_service_stays_in_its_clone(repository: SampleRepository) -> None:
    terminal = Terminal(repository, {})
    terminal.run("init", "--yes")
    head = repository.commit()
    told = terminal.run("sync", "--yes", "--commit").stderr
    assert "belongs to this clone, and so does its manifest: it is not committed" in told
    assert repository.head() == head
    assert not repository.git("status", "--porcelain")
    # A version before committed it, and a file that Git has is committed again.
    repository.git("add", "--force", ".pressync/embedded.json")
    repository.commit({"content/pages/about.md": "# About\n"})
    assert "Committed the manifest as " in terminal.run("sync", "--yes", "--commit").stderr


def test_a_bare_repository_is_synced(terminal: Terminal, service: RunningService, tmp_path: Path) -> None:
    terminal.repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "site.git"))
    bare = Terminal(SampleRepository(tmp_path / "site.git"), terminal.environ)
    told = bare.run("sync", "--yes", "--commit", exits=2).stderr
    assert "a bare repository does not have a working tree" in told
    assert len(service.store.records(Kind.PAGE)) == 3
    assert _manifest(bare) is None


NEXT = "next: commit .pressync/default.json, so that other clones know these records\n"


def _manifest(terminal: Terminal, *arguments: str) -> object:
    shown = terminal.run("sync", "--yes", "--format", "json", *arguments).stdout
    return json.loads(shown)["manifest"]


@pytest.mark.sweep
def test_the_next_step_is_told_until_the_manifest_is_committed(terminal: Terminal) -> None:
    assert terminal.run("sync", "--yes").stderr.endswith(NEXT)
    assert NEXT not in terminal.run("-q", "sync", "--yes").stderr
    assert _manifest(terminal) == {"path": ".pressync/default.json", "committed": False}
    terminal.repository.commit()
    assert "next:" not in terminal.run("sync", "--yes").stderr
    assert _manifest(terminal) == {"path": ".pressync/default.json", "committed": True}


def test_a_manifest_that_git_ignores_is_told_to_be_taken_out_of_gitignore(terminal: Terminal) -> None:
    terminal.repository.commit({".gitignore": "/.pressync/\n"})
    assert "next: take .pressync/default.json out of .gitignore and commit it" in (
        terminal.run("sync", "--yes").stderr
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


def test_a_reviewed_plan_of_drift_is_applied_unless_somebody_edited_more(desk: Desk, tmp_path: Path) -> None:
    file, terminal = str(tmp_path / "plan.json"), at(desk)
    terminal.run("plan", "--drift", "--overwrite", "--out", file)
    assert json.loads(Path(file).read_text())["drift"] is True
    desk.edit(OTHER, title="Theirs as well")
    told = terminal.run("sync", "--overwrite", "--plan", file, exits=4).stderr
    assert "the plan that was reviewed: content, configuration, manifest or site changed since" in told
    assert desk.record(PAGE).fields["title"] == "Theirs"
    desk.edit(OTHER, title="Two")

    terminal.run("sync", "--overwrite", "--plan", file, exits=1)

    assert (desk.record(PAGE).fields["title"], desk.record(OTHER).fields["status"]) == ("One", "draft")


def test_a_reviewed_plan_of_an_older_commit_says_so_and_deletes_no_record_of_a_file_that_is_back(
    repository: SampleRepository, desk: Desk, tmp_path: Path
) -> None:
    file, terminal = str(tmp_path / "plan.json"), at(desk)
    terminal.run("sync", "--yes", "--overwrite")
    repository.remove(OTHER)
    repository.commit()
    terminal.run("plan", "--out", file)
    repository.commit({OTHER: "# Two\n"})
    told = terminal.run("sync", "--plan", file, exits=4).stderr
    assert f"this is not the plan that was reviewed: it deletes {OTHER}, and HEAD" in told
    repository.commit({"content/pages/three.md": "# Three\n"})
    terminal.run("plan", "--out", file)
    repository.commit({"content/pages/four.md": "# Four\n"})

    told = terminal.run("sync", "--plan", file).stderr

    assert "by now: this sync sends what the plan says." in told
    assert "content/pages/three.md" in desk.entries()
    assert "content/pages/four.md" not in desk.entries()


def test_a_reviewed_plan_binds_what_it_found(
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
    told = terminal.run("sync", "--yes", "--overwrite", PAGE).stderr
    assert f"Edits on the site are overwritten in 1 record: {PAGE}." in told
    desk.edit(OTHER, status="publish")
    del desk.service.held[desk.record(PAGE).id]
    said = terminal.run("plan", "--drift").stdout
    assert f"`pressync forget {PAGE}` and sync to create a new one" in said


@pytest.mark.usefixtures("service")
def test_the_digest_of_a_plan_in_json_is_the_one_that_a_sync_takes(terminal: Terminal) -> None:
    drawn = json.loads(terminal.run("plan", "--format", "json").stdout)["digest"]
    # The merge of a branch makes another commit of the same files.
    terminal.repository.git("commit", "--quiet", "--allow-empty", "--message", "Merge")
    told = terminal.run("sync", "--yes", "--approved", "0" * 32, exits=4).output
    assert f"sync with `--approved {drawn}`" in told
    assert "3 done" in terminal.run("sync", "--yes", "--approved", drawn).output
