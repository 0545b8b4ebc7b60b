"""`pressync plan` and `status`: what they show in each format, and that they change nothing."""

from __future__ import annotations

import json
import os
import socket
from typing import TYPE_CHECKING

from tests.support.terminal import Terminal

from pressync.app import embedded_server
from pressync.stage import embedded

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.support.repository import SampleRepository

    from pressync.stage.server.server import RunningService


def test_json_has_the_commit_and_every_change_and_other_formats_show_the_same(terminal: Terminal) -> None:
    document = json.loads(terminal.run("plan", "--format", "json", "--exit-code", exits=3).stdout)
    assert (document["site"], document["commit"]) == ("default", terminal.repository.head())
    assert document["counts"] == {"create": 3, "update": 0, "delete": 0, "keep": 0, "blocked": 0}
    about = {change["path"]: change for change in document["changes"]}["content/pages/about.md"]
    assert (about["action"], about["code"], about["status"]) == ("create", "new", "publish")
    assert about["fields"] == ["content", "menu_order", "slug", "status", "title"]
    assert "diff" not in about
    document = json.loads(terminal.run("plan", "--diff", "--format", "json").stdout)
    shown = {change["path"]: change["diff"] for change in document["changes"]}
    lines = shown["content/pages/about/history.md"].splitlines()
    assert lines[:2] == ["--- nothing yet", "+++ as it will be"]
    for form, sign in (
        ("markdown", "| `content/pages/about.md` | page | publish | new document |"),
        ("html", 'data-action="create"'),
    ):
        assert sign in terminal.run("plan", "--format", form).stdout


def test_it_opens_no_socket_and_writes_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a plan opened a socket")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    terminal.run("plan")
    assert terminal.repository.git("status", "--porcelain") == ""
    terminal.repository.write("content/pages/new.md", "# New\n")
    for command in (("plan",), ("sync", "--yes"), ("check", "--ref", "HEAD")):
        said = terminal.run(*command, "content/pages/new.md", exits=2).stderr
        assert "'content/pages/new.md' is not in the commit; commit it, or include" in said
    assert "1 to create" in terminal.run("plan", "content/pages/new.md", "--worktree").stdout
    assert terminal.run("check", "content/pages/new.md").stdout.startswith("1 document: 0 problems")


def test_json_names_the_saved_files_that_a_plan_does_not_see(terminal: Terminal) -> None:
    left_out = ["content/pages/about.md", "content/pages/new.md"]
    terminal.run("sync", "--yes")
    # The first plan has nothing to do. The commit before the second one has what was left out of the first.
    for creates in (0, 2):
        if creates:
            terminal.repository.commit({"content/pages/other.md": "# Other\n"})
        assert "uncommitted" not in json.loads(terminal.run("plan", "--format", "json").stdout)
        for path in left_out:
            terminal.repository.write(path, f"# New {creates}\n")
        drawn = json.loads(terminal.run("plan", "--format", "json").stdout)
        assert (drawn["uncommitted"], drawn["counts"]["create"]) == (left_out, creates)
        drawn = json.loads(terminal.run("plan", "--worktree", "--format", "json").stdout)
        assert "uncommitted" not in drawn
    file = terminal.repository.root / "plan.json"
    terminal.run("plan", "--out", str(file))
    assert "3 done" in terminal.run("sync", "--plan", str(file)).stdout


def test_a_file_gets_the_plan_that_sync_takes_unless_another_is_named(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pressync.cli.console.colour_wanted", lambda: True)
    file = tmp_path / "plan"
    terminal.run("plan", "--out", str(file))
    written = json.loads(file.read_text())
    assert ({"commit", "digest"} <= written.keys(), written["counts"]["create"]) == (True, 3)
    terminal.run("plan", "--out", str(file), "--format", "markdown")
    assert file.read_text().startswith("### pressync")
    terminal.run("plan", "--out", str(file), "--format", "text")
    assert "\x1b" not in file.read_text()
    monkeypatch.setattr("pressync.cli.console.colour_wanted", lambda: False)
    monkeypatch.setattr("pressync.cli.console.columns", lambda: 50)
    shown = terminal.run("plan").stdout
    assert max(map(len, shown.splitlines())) <= 50
    assert (shown != file.read_text(), shown.split()) == (True, file.read_text().split())
    said = terminal.run("plan", "--out", "/nowhere/plan.json", exits=1).stderr
    assert "Error: /nowhere/plan.json: the file cannot be written (No such file or directory)" in said


def test_a_summary_is_text_with_numbers_and_without_paths(terminal: Terminal) -> None:
    shown = terminal.run("plan", "--summary").stdout
    assert "  + 3 pages to create\n" in shown
    assert ".md" not in shown
    for words in (["--diff"], ["--format", "json"], ["--out", "plan.json"]):
        said = terminal.run("plan", "--summary", *words, exits=2).stderr
        assert "leave out --diff, --format and --out" in said
    terminal.run("sync", "--yes")
    terminal.run("plan", "--exit-code")
    assert "Nothing to do: 3 records are up to date" in terminal.run("plan", "--summary").stdout


def test_json_has_the_title_the_status_and_the_reason_of_each_record(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/draft.md": "---\nstatus: draft\n---\n# Not yet\n"})
    terminal.run("sync", "--yes")
    shown = terminal.run("status", "content/pages/about").stdout
    assert "content/pages/about/history.md" in shown
    assert shown.endswith("1 up to date.\n")
    assert "nowhere.md" in terminal.run("status", "nowhere.md", exits=2).stderr
    terminal.repository.remove("content/pages/about/history.md")
    terminal.repository.commit(
        {"content/pages/index.md": "# Home, edited\n", "content/pages/broken.md": "---\nslug: [\n---\n"}
    )
    document = json.loads(terminal.run("status", "--format", "json").stdout)
    rows = {row["path"]: (row["title"], row["status"], row["reason"]) for row in document["records"]}
    broken = rows.pop("content/pages/broken.md")
    assert rows == {
        "content/pages/about.md": ("About us", "publish", ""),
        "content/pages/about/history.md": (None, "publish", "its file was removed"),
        "content/pages/draft.md": ("Not yet", "draft", ""),
        "content/pages/index.md": ("Home, edited", "publish", "content, title changed"),
    }
    assert broken[:2] == (None, None)
    assert broken[2].startswith("its file has problems (line 3: front matter is not YAML")
    # A clone that has lost the manifest says so before somebody believes that all is new.
    bare = terminal.repository.root.parent / "site.git"
    terminal.repository.git("clone", "--quiet", "--bare", ".", str(bare))
    assert "Sync would refuse: the manifest " in terminal.run("-C", str(bare), "status").stderr


def test_people_are_told_where_the_site_is_shown(
    repository: SampleRepository, service: RunningService
) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    directory = embedded_server.data_directory(repository.root / ".git")
    here = Terminal(repository, {})
    port = embedded.free_port(directory)
    assert f"run `pressync serve` and open http://127.0.0.1:{port}/" in here.run("status").stderr
    embedded_server.make_directory(directory)
    embedded_server.write_note(
        directory, embedded_server.RunningServer(os.getpid(), service.url, service.site)
    )
    assert f"Look at it: {service.site}/" in here.run("status").stderr


def test_a_plan_for_an_agent_says_offline_what_a_tool_is_refused(repository: SampleRepository) -> None:
    head = "---\nstatus: draft\ntags: [new]\n---\n"
    live = '[sites.live]\nurl = "http://127.0.0.1:9/wp-json"\ndialect = "wordpress"\n'
    repository.commit(
        {
            "pressync.toml": live,
            "content/posts/a.md": f"{head}# A\n\n![x](x.png)\n",
            "content/posts/b.md": "# B\n",
            "content/posts/x.png": "x",
        }
    )
    terminal = Terminal(repository, {})
    plan = json.loads(terminal.run("plan", "--as-agent", "--format", "json", exits=2).stdout)
    assert [
        (each["path"], each["line"], each["code"]) for each in plan["problems"] if not each["warning"]
    ] == [
        ("content/posts/a.md", 3, "no-id"),
        ("content/posts/a.md", 7, "no-id"),
    ]
    about = {each["name"]: each["facts"] for each in plan["remarks"]}
    assert about["needs_person"] == {"paths": ["content/posts/b.md"]}
    assert "account_not_asked" in about
    assert "asks no site" in terminal.run("plan", "--as-agent", "--drift", exits=2).stderr
