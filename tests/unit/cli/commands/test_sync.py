"""`pressync sync`: what it sends, asks, refuses, prints, and the code it ends with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.strict_service import Fault, serving
from tests.support.syncing import stored_pages
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

    from pressync.stage.server.server import RunningService


def _pages(service: RunningService) -> dict[str, dict[str, Any]]:
    return {page["slug"]: page for page in stored_pages(service)}


def test_a_sync_makes_the_site_say_what_the_repository_says(
    terminal: Terminal, service: RunningService
) -> None:
    shown = terminal.run("sync", "--yes").stdout
    assert "3 done" in shown
    pages = _pages(service)
    assert pages["about"]["title"]["raw"] == "About us"
    assert pages["about"]["menu_order"] == 2
    assert pages["history"]["parent"] == pages["about"]["id"]
    assert f'href="{pages["about"]["link"]}#team"' in pages["history"]["content"]["raw"]
    assert f'href="{pages["about"]["link"]}"' in pages["index"]["content"]["raw"]


def test_a_second_sync_sends_nothing(terminal: Terminal, service: RunningService) -> None:
    terminal.run("sync", "--yes")
    before = _pages(service)
    assert "Nothing to do: 3 records are up to date" in terminal.run("sync").stdout
    assert _pages(service) == before


def test_json_has_the_documented_shape(terminal: Terminal) -> None:
    document = json.loads(terminal.run("sync", "--yes", "--format", "json").stdout)
    assert document["counts"] == {
        "done": 3,
        "failed": 0,
        "skipped": 0,
        "blocked": 0,
        "in_doubt": 0,
        "kept": 0,
    }
    about = next(o for o in document["outcomes"] if o["path"] == "content/pages/about.md")
    known = {"action", "path", "kind", "id", "result", "message", "modified", "link"}
    assert set(about) == known | {"status", "date", "preview", "code", "facts"}
    assert (about["action"], about["kind"], about["result"]) == ("create", "page", "done")
    assert (about["status"], about["preview"]) == ("publish", None)
    document = json.loads(terminal.run("sync", "--format", "json").stdout)
    assert document["counts"]["kept"] == 3
    assert document["outcomes"] == []


def test_only_changed_fields_are_sent(terminal: Terminal) -> None:
    with serving() as strict:
        terminal.environ["PRESSYNC_URL"] = strict.url
        terminal.run("sync", "--yes")
        before = len(strict.received)
        terminal.repository.commit(
            {"content/pages/about.md": "---\ntitle: About them\nweight: 2\n---\nWe are.\n\n## Team\n"}
        )
        terminal.run("sync", "--yes")
        assert len(strict.received) == before + 1
        assert strict.received[-1].body.startswith(b"title=")
        assert b"&" not in strict.received[-1].body


def test_without_a_terminal_it_wants_yes(terminal: Terminal, service: RunningService) -> None:
    assert "pressync sync --yes" in terminal.run("sync", exits=2).stderr
    assert not _pages(service)


def test_a_removed_file_is_a_deleted_record(terminal: Terminal, service: RunningService) -> None:
    terminal.run("sync", "--yes")
    terminal.repository.remove("content/pages/about/history.md")
    terminal.repository.commit()
    terminal.run("sync", "--yes")
    assert sorted(_pages(service)) == ["about", "index"]


def test_too_many_deletions_are_refused_before_the_first_call(
    terminal: Terminal, service: RunningService
) -> None:
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


@pytest.mark.sweep
def test_an_empty_source_is_refused(terminal: Terminal, service: RunningService) -> None:
    terminal.run("sync", "--yes")
    terminal.repository.remove("content")
    terminal.repository.commit()
    assert "no document" in terminal.run("sync", "--yes", exits=4).stderr
    assert len(_pages(service)) == 3


def test_a_rewound_branch_is_refused_unless_allowed(terminal: Terminal) -> None:
    first = terminal.repository.head()
    terminal.repository.commit({"content/pages/new.md": "# New\n"})
    terminal.run("sync", "--yes")
    terminal.repository.git("reset", "--quiet", "--hard", first)
    terminal.repository.commit({"content/pages/about.md": "# Another history\n"})
    assert "--allow-rewind" in terminal.run("sync", "--yes", exits=4).stderr
    terminal.run("sync", "--yes", "--allow-rewind")
    terminal.run("sync", "--yes")


def test_problems_stop_everything_unless_told_to_keep_going(
    terminal: Terminal, service: RunningService
) -> None:
    terminal.repository.commit({"content/pages/bad.md": "---\ntitle: [\n---\n"})
    terminal.run("sync", "--yes", exits=2)
    assert not _pages(service)
    terminal.run("sync", "--yes", "--keep-going", exits=1)
    assert sorted(_pages(service)) == ["about", "history", "index"]


def test_a_file_that_went_bad_never_deletes_its_record(terminal: Terminal, service: RunningService) -> None:
    terminal.run("sync", "--yes")
    terminal.repository.commit({"content/pages/about.md": "---\ntitle: [\n---\n"})
    terminal.run("sync", "--yes", "--keep-going", exits=1)
    assert "about" in _pages(service)


def test_a_new_post_is_blocked_with_the_next_command(terminal: Terminal) -> None:
    terminal.repository.commit({"content/posts/hello.md": "# Hello\n"})
    shown = terminal.run("sync", "--yes", exits=1).stdout
    assert "pressync adopt content/posts/hello.md ID" in shown
    terminal.run("adopt", "content/posts/hello.md", "1")
    terminal.run("sync", "--yes")
    terminal.run("plan", "--exit-code")


def test_a_reviewed_plan_is_the_plan_that_is_applied(
    terminal: Terminal, service: RunningService, tmp_path: Path
) -> None:
    file = str(tmp_path / "plan.json")
    terminal.run("plan", "--out", file)
    terminal.repository.commit({"content/pages/later.md": "# Later\n"})
    terminal.run("sync", "--plan", file)
    assert sorted(_pages(service)) == ["about", "history", "index"]
    assert "not the plan that was reviewed" in terminal.run("sync", "--plan", file, exits=4).stderr


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


def test_the_manifest_can_be_committed(terminal: Terminal) -> None:
    terminal.run("sync", "--yes", "--commit")
    assert terminal.repository.git("log", "-1", "--format=%s").endswith("[skip ci]")
    assert terminal.repository.git("status", "--porcelain") == ""
    assert "Nothing to do" in terminal.run("sync", "--yes").stdout


def test_an_interrupted_sync_goes_on_where_it_stopped(terminal: Terminal) -> None:
    terminal.repository.commit({f"content/pages/p{n}.md": f"# Page {n}\n" for n in range(40)})
    with serving() as strict:
        terminal.environ["PRESSYNC_URL"] = strict.url
        command = [sys.executable, "-m", "pressync", "-C", str(terminal.repository.root), "sync", "--yes"]
        process = subprocess.Popen(
            [*command, "--concurrency", "1", "--rate", "50"], env={**os.environ, **terminal.environ}
        )
        while not strict.pages:
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert len(strict.pages) < 43
        terminal.run("sync", "--yes")
        assert len(strict.pages) == 43
        assert not strict.violations


@pytest.mark.sweep
def test_a_second_interrupt_ends_a_sync_whose_service_is_silent(terminal: Terminal) -> None:
    with serving() as strict:
        strict.faults.append(Fault(end="hang"))
        terminal.environ["PRESSYNC_URL"] = strict.url
        command = [sys.executable, "-m", "pressync", "-C", str(terminal.repository.root), "sync", "--yes"]
        process = subprocess.Popen(
            command, env={**os.environ, **terminal.environ}, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        strict.wait_for_requests(1, process)
        process.send_signal(signal.SIGINT)
        assert "Ctrl-C again ends at once" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == "Interrupted.\n"
        assert "about.md" in terminal.run("sync", "--yes", exits=5).stdout
        assert [page["slug"] for page in strict.pages] == ["about", "index"], (
            "the unconfirmed page exists once"
        )


@pytest.mark.sweep
def test_a_sync_that_is_interrupted_says_so_in_json_too(terminal: Terminal) -> None:
    with serving() as strict:
        strict.faults.append(Fault(end="hang"))
        terminal.environ["PRESSYNC_URL"] = strict.url
        command = [sys.executable, "-m", "pressync", "-C", str(terminal.repository.root)]
        process = subprocess.Popen(
            [*command, "--log-format", "json", "sync", "--yes"],
            env={**os.environ, **terminal.environ},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        strict.wait_for_requests(1, process)
        process.send_signal(signal.SIGINT)
        assert "Ctrl-C again" in json.loads(process.stderr.readline())["message"]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert [json.loads(line)["message"] for line in process.stderr] == ["Interrupted."]


def test_a_repository_without_documents_is_told_where_to_put_them(terminal: Terminal) -> None:
    terminal.repository.remove("content")
    terminal.repository.commit({"notes.md": "# Notes\n"})
    assert "commit Markdown below content/pages/" in terminal.run("sync", "--yes").stderr
    assert "commit Markdown below content/pages/" in terminal.run("plan").stdout


def test_a_limit_makes_the_first_changes_and_leaves_the_others_for_later_syncs(
    terminal: Terminal, service: RunningService
) -> None:
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


def test_a_limit_and_a_reviewed_plan_are_two_different_plans(terminal: Terminal, tmp_path: Path) -> None:
    reviewed = tmp_path / "plan.json"
    terminal.run("plan", "--out", str(reviewed))
    ended = terminal.run("sync", "--plan", str(reviewed), "--limit", "1", exits=2)
    assert "leave one of them out" in ended.stderr


def test_after_as_many_failures_as_are_allowed_nothing_more_is_sent(
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


def test_a_reviewed_plan_is_not_made_permanent(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "plan.json").touch()
    both = ("sync", "--permanent", "--plan", str(tmp_path / "plan.json"))
    assert "--permanent deletes for good" in terminal.run(*both, exits=2).stderr


def test_the_log_of_the_manifest_has_the_runs_of_this_clone(terminal: Terminal) -> None:
    document = json.loads(terminal.run("sync", "--yes", "--format", "json").stdout)
    run = document["run"]
    assert document["seconds"] > 0
    assert f"run {run}" in terminal.run("manifest", "log").stdout
    (report,) = json.loads(terminal.run("manifest", "log", "--format", "json").stdout)["reports"]
    assert (report["run"], report["changes"], report["ended"]) == (run, 3, True)
