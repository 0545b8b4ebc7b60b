"""`pressync manifest`: the record of what was sent is shown, merged and verified."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry, manifest

from pressync.state.manifest.codec import decode, encode

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.terminal import Terminal

MANIFEST = ".pressync/default.json"


def test_show_as_json_is_the_file_without_what_moves_the_terminal(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    file = terminal.repository.root / MANIFEST
    assert terminal.run("manifest", "show", "--format", "json").stdout == file.read_text()
    assert "shows no way to read" in terminal.run("manifest", "verify", "--remote", exits=2).stderr
    document = json.loads(file.read_text())
    document["records"][0]["link"] = "\x1b[31m"
    file.write_text(json.dumps(document))
    for form in ("text", "json"):
        assert "\x1b" not in terminal.run("manifest", "show", "--format", form).stdout
    file.write_text('{"version": 1,\n "target": "x",\n "records": [\n<<<<<<< ours\n]}\n')
    assert f"{MANIFEST}:4: it has the conflict markers" in terminal.run("manifest", "verify", exits=2).stderr


def test_verify_counts_and_ends_with_one_if_something_is_wrong(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    assert terminal.run("manifest", "verify").stdout == "3 records read: 0 wrong, 0 to look at.\n"
    (terminal.repository.root / MANIFEST).unlink()
    told = terminal.run("manifest", "verify", exits=1)
    assert told.stdout == "0 records read: 3 wrong, 0 to look at.\n"
    assert told.stderr.startswith("content/pages/about.md: this clone created page")
    assert told.stderr.endswith("; also content/pages/about/history.md, content/pages/index.md\n")
    assert len(terminal.run("manifest", "verify", "-v", exits=1).stderr.splitlines()) == 3


def test_merge_writes_over_ours_and_tells_what_to_choose(terminal: Terminal, tmp_path: Path) -> None:
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    base.write_text("")
    for file, number in ((ours, 1), (theirs, 2)):
        file.write_text(encode(manifest(entry("a.md", number))))
    said = terminal.run("manifest", "merge", str(base), str(ours), str(theirs), "m.json", exits=1).stderr
    assert said == "m.json: a.md is page 1 on one side and page 2 on the other\n"
    ours.write_text(encode(manifest(entry("b.md", 1))))
    terminal.run("manifest", "merge", str(base), str(ours), str(theirs))
    assert len(decode(ours.read_text(), where="ours").entries) == 2


def test_merge_wants_its_files_or_is_installed(terminal: Terminal) -> None:
    terminal.run("manifest", "merge", exits=2)
    terminal.run("manifest", "merge", "base", "ours", exits=2)
    terminal.run("manifest", "merge", "base", "ours", "theirs", "--install", exits=2)
    lines = terminal.run("manifest", "merge", "--install").stdout.splitlines()
    assert lines[0].startswith("Wrote git config merge.pressync.driver: ")
    assert lines[1] == "Wrote .gitattributes: /.pressync/*.json merge=pressync; commit it"


def test_log_lists_the_commits_of_the_file_and_show_what_it_said_then(terminal: Terminal) -> None:
    terminal.run("sync", "--yes", "--commit")
    terminal.repository.commit({"content/pages/new.md": "# New\n"})
    terminal.run("sync", "--yes", "--commit")
    second, first, *reports = terminal.run("manifest", "log").stdout.splitlines()
    assert "Sync default to" in first
    assert [report.split()[0] for report in reports] == ["run", "run"]
    said = terminal.run("manifest", "show", "--ref", first.split()[0]).stdout
    assert said.splitlines()[-1].startswith("3 records on")
    runs = json.loads(terminal.run("manifest", "log", "--format", "json", "--limit", "1").stdout)["runs"]
    assert [run["commit"][:10] for run in runs] == [second.split()[0]]
    assert set(runs[0]) == {"commit", "time", "by", "subject"}
    root = terminal.repository.git("rev-list", "--max-parents=0", "HEAD")
    assert "has no .pressync/default.json" in terminal.run("manifest", "show", "--ref", root, exits=2).stderr


def test_without_a_run_the_log_is_empty_and_without_a_commit_it_says_so(terminal: Terminal) -> None:
    assert terminal.run("manifest", "log").stdout == ""
    terminal.repository.git("checkout", "--quiet", "--orphan", "new")
    said = terminal.run("manifest", "log", exits=2).stderr
    assert said.startswith("Error: there is no commit yet; commit your content first")


class TestReference:
    """The same, and every other command, with the manifest in a reference of this clone."""

    @pytest.fixture(autouse=True)
    def in_a_reference(self, terminal: Terminal) -> None:
        url = terminal.environ.pop("PRESSYNC_URL")
        settings = f'[sites.live]\nurl = "{url}"\nmanifest = "ref"\n'
        terminal.repository.commit({"pressync.toml": settings})

    def test_a_sync_and_a_rollback_are_commits_of_the_reference(self, terminal: Terminal) -> None:
        terminal.run("sync", "--yes")
        assert terminal.repository.git("status", "--porcelain") == ""
        commit = terminal.repository.head()[:8]
        run = json.loads(terminal.run("manifest", "log", "--format", "json").stdout)["reports"][0]["run"]
        terminal.run("rollback", "--yes")
        subjects = terminal.repository.git("log", "--format=%s", "refs/pressync/live").splitlines()
        assert subjects[-2:] == [
            f"Sync of {commit}, run {run}: 3 created",
            f"Claim: Sync of {commit}, 3 to create",
        ]
        assert subjects[0].startswith(f"Rollback of run {run}")

    def test_log_lists_the_runs_and_show_what_each_left(self, terminal: Terminal) -> None:
        assert terminal.run("manifest", "log").stdout == ""
        terminal.run("sync", "--yes")
        terminal.repository.commit({"content/pages/new.md": "# New\n"})
        terminal.run("sync", "--yes")
        second, first = terminal.run("manifest", "log").stdout.splitlines()
        assert first.endswith(": 3 created")
        assert second.endswith(": 1 created")
        said = terminal.run("manifest", "show", "--ref", first.split()[0]).stdout
        assert said.splitlines()[-1].startswith("3 records on")
        assert terminal.run("manifest", "verify").stdout == "4 records read: 0 wrong, 0 to look at.\n"

    def test_the_other_commands_read_it_and_commit_there_what_a_person_says(self, terminal: Terminal) -> None:
        terminal.run("adopt", "content/pages/about.md", "7")
        terminal.run("forget", "content/pages/about.md")
        runs = terminal.run("manifest", "log").stdout
        assert "Forget content/pages/about.md: 1 deleted" in runs
        assert "Adopt content/pages/about.md: 1 created" in runs
        terminal.run("sync", "--yes")
        assert terminal.run("status").stdout.endswith("\n3 up to date.\n")
        terminal.run("redirects")
        assert "refs/pressync/live: 3 records" in terminal.run("doctor").stdout
        assert "  refs/pressync/live  (" in terminal.run("config").stdout
        terminal.repository.commit({"content/pages/new.md": "# New\n"})
        said = terminal.run("sync", "--yes", "--commit").stderr
        assert "The manifest is in refs/pressync/live, and it is committed there already." in said
