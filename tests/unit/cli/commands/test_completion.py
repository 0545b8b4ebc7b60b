"""What a shell offers behind a command, and what `pressync help` explains without a network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from tests.support.strict_service import Fault
from tests.support.strict_service import serving as strictly_serving
from tests.support.terminal import Terminal

from pressync.cli import completions
from pressync.cli.commands import help as guide
from pressync.cli.main import pressync

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService


_SITES = '[sites.live]\nurl = "https://a.example/"\n[sites.local]\nurl = "https://b.example/"\n'
# What bash does when somebody presses the key behind these words.
_PRESSED = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_pressync_completion "$1" "${COMP_WORDS[COMP_CWORD]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes_commands_options_types_and_sites(terminal: Terminal, tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("pressync")
    script = tmp_path / "completion.bash"
    script.write_text(terminal.run("completion", "bash").stdout, encoding="utf-8")
    terminal.repository.write("pressync.toml", _SITES)

    def pressed(*words: str) -> list[str]:
        done = subprocess.run(
            ["bash", "-c", _PRESSED, "bash", script, program, *words],
            cwd=terminal.repository.root / "content",
            env=dict(os.environ),
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split()

    assert pressed("re") == ["rehearse", "resolve", "redirects"]
    assert pressed("hook", "install", "--type", "post-m") == ["post-merge"]
    assert pressed("sync", "--site", "l") == ["live", "local"]
    assert pressed("explain", "pages/ab") == ["pages/about.md", "pages/about/history.md"]


@pytest.mark.parametrize(("shell", "word"), [("zsh", "#compdef pressync"), ("fish", "complete --no-files")])
def test_other_shells_get_a_script_of_their_own(terminal: Terminal, shell: str, word: str) -> None:
    shown = terminal.run("completion", shell).stdout
    assert word in shown
    assert "_PRESSYNC_COMPLETE" in shown


ABOUT, HOME, POST = "content/pages/about.md", "content/pages/index.md", "content/posts/2024-01-31-hello.md"


@pytest.fixture
def site() -> Iterator[StrictService]:
    with strictly_serving() as site:
        yield site


@pytest.fixture
def clone(site: StrictService, repository: SampleRepository) -> Terminal:
    """Make a repository with two pages, a page that is not committed, and settings of a service."""
    settings = f'[sites.live]\nurl = "{site.url}"\n'
    repository.commit({"pressync.toml": settings, ABOUT: "# About\n", HOME: "# Home\n", "notes.md": "x"})
    return Terminal(repository, {})


def offered(clone: Terminal, *words: str, folder: str = "") -> list[tuple[str, str]]:
    """Give what the shell is given behind these words: the type and the value of each."""
    given = ["-C", str(clone.repository.root / folder), *words]
    arguments: dict[str, Any] = {}
    shell = ShellComplete(pressync, arguments, "pressync", "_PRESSYNC_COMPLETE")
    return [(item.type, item.value) for item in shell.get_completions(given[:-1], given[-1])]


def plain(*values: str) -> list[tuple[str, str]]:
    return [("plain", value) for value in values]


def test_documents_are_offered_and_behind_that_of_explain_its_fields(clone: Terminal) -> None:
    clone.repository.write("content/pages/new.md", "# New\n")
    clone.repository.write(".gitignore", "/content/pages/ignored.md\n")
    clone.repository.write("content/pages/ignored.md", "# No\n")
    for command in ("plan", "sync", "pull", "check", "explain", "preview"):
        assert offered(clone, command, "") == plain(ABOUT, HOME, "content/pages/new.md")
        assert offered(clone, command, "content/pages/ab") == plain(ABOUT)
    found = [value for _, value in offered(clone, "explain", ABOUT, "t")]
    assert found == ["tags", "template", "title"]


def test_a_path_is_offered_as_it_is_typed_in_the_current_folder(clone: Terminal, tmp_path: Path) -> None:
    assert offered(clone, "plan", "in", folder="content/pages") == plain("index.md")
    assert offered(clone, "plan", "content/pages/in", folder="content/pages") == [
        ("file", "content/pages/in")
    ]
    clone.repository.write("content/pages/two words.md", "# Two\n")
    assert offered(clone, "plan", "content/pages/t") == [("file", "content/pages/t")], "it needs quotes"
    clone.repository.write("pressync.toml", 'content = "docs"\n')
    clone.repository.write("docs/pages/a.md", "# A\n")
    assert offered(clone, "plan", "") == plain("docs/pages/a.md")
    ctx = pressync.make_context("pressync", ["-C", str(tmp_path), "plan"])
    (item,) = completions.documents(ctx, click.Argument(["paths"]), "a")
    assert (item.type, item.value) == ("file", "a"), "there is no repository"


def test_what_can_be_resolved_adopted_or_forgotten_is_offered(clone: Terminal, site: StrictService) -> None:
    assert offered(clone, "resolve", "con") == [("file", "con")]
    site.faults.extend([None, Fault(acts=True)])
    clone.run("sync", "--yes", exits=5)
    records = json.loads(clone.run("status", "--format", "json").stdout)["records"]
    open_ = [record["path"] for record in records if record["state"] == "in_doubt"]
    assert len(open_) == 1
    assert offered(clone, "resolve", "") == plain(*open_)
    clone.run("resolve", *open_, "--not-created")
    site.records.clear()
    clone.run("sync", "--yes")
    clone.repository.write(POST, "# Hello\n")
    assert offered(clone, "adopt", "content") == plain(POST)
    assert offered(clone, "forget", "content") == plain(ABOUT, HOME)
    for settings in ("[sites.", 'content = "docs"\n[sites.a]\nx = 1\n'):
        clone.repository.write("pressync.toml", settings)
        for command in ("resolve", "adopt", "forget"):
            assert offered(clone, command, "x") == [("file", "x")]


def test_the_runs_of_this_clone_can_be_rolled_back_the_newest_first(clone: Terminal) -> None:
    assert offered(clone, "rollback", "") == []
    runs = []
    for text in ("# About\n", "# About us\n"):
        clone.repository.commit({ABOUT: text})
        runs.append(json.loads(clone.run("sync", "--yes", "--format", "json").stdout)["run"])
    assert offered(clone, "rollback", "") == plain(*reversed(runs))
    assert offered(clone, "rollback", runs[0][:-1]) == plain(runs[0])
    clone.repository.write("pressync.toml", "[sites.")
    assert offered(clone, "rollback", "") == []


def test_the_remote_of_a_manifest_is_not_asked(clone: Terminal, tmp_path: Path) -> None:
    repository = clone.repository
    text = (repository.root / "pressync.toml").read_text(encoding="utf-8")
    repository.commit({"pressync.toml": f'{text}manifest = "ref"\n'})
    remote = tmp_path / "remote.git"
    repository.git("init", "--bare", str(remote))
    repository.git("remote", "add", "origin", str(remote))
    clone.run("sync", "--yes")
    assert "refs/pressync/live" in repository.git("ls-remote", "origin")
    repository.git("update-ref", "-d", "refs/pressync/live")
    offered(clone, "adopt", "content")
    assert "pressync" not in repository.git("for-each-ref")
    clone.run("status")
    assert "refs/pressync/live" in repository.git("for-each-ref")


def said(*arguments: str, exits: int = 0) -> str:
    result = CliRunner().invoke(pressync, ["help", *arguments])
    assert result.exit_code == exits, result.output
    return result.output


def test_a_name_is_explained_without_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = said("not_pulled")
    assert text.startswith("not_pulled (A limit stopped the sync)\n\n    HEAD … lacks")
    assert "Run `git pull`" in text
    assert said("lost_manifest").rstrip().split("\n")[-1] == (
        "In the guide: manifest.md#a-manifest-that-is-not-here"
    )
    assert "Did you mean `pressync help broken-link`?" in said("brokn-link", exits=2)
    assert "`pressync help` lists all" in said("zzz", exits=2)


@pytest.mark.parametrize(
    ("word", "page"),
    [("gitlab", "forges"), ("Forgejo", "forges"), ("github", "github-action"), ("cron", "team")],
)
def test_a_word_of_the_guide_names_the_page_that_is_about_it_and_the_page_is_printed(
    word: str, page: str
) -> None:
    assert f"`pressync help {page}`" in said(word, exits=2)
    assert said(page).startswith("---\ntitle: ")


@pytest.mark.parametrize("name", ["no_right", "hearsay", "entry_lost_unverified", "looks_up"])
def test_a_reason_of_a_plan_is_explained_by_its_code_and_by_its_name(name: str) -> None:
    assert " (In a plan)\n\n" in said(name)


def test_without_a_name_all_names_are_listed() -> None:
    text = said()
    assert max(map(len, text.splitlines())) <= 80
    for name in ("conflict", "too_many_deletes", "lock-held", "broken-link"):
        assert name in text


def test_the_name_of_a_command_shows_its_help_and_then_the_explanation() -> None:
    assert said("sync") == CliRunner().invoke(pressync, ["sync", "--help"]).output
    text = said("manifest")
    assert text.startswith(CliRunner().invoke(pressync, ["manifest", "--help"]).output)
    assert "\n\nMessages with this name:\n\nmanifest (Outside of the content)\n" in text


def test_errors_and_check_end_with_the_command_that_explains_them(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/a.md": "---\nstatus: publik\ntitel: A\n---\n# A\n"})
    assert "(`pressync help value` explains the first)" in terminal.run("sync", "--yes", exits=2).stderr
    assert "these are: unknown-key, value." in terminal.run("check", exits=2).stderr
    lines = terminal.run("--log-format", "json", "sync", "--yes", exits=2).stderr.splitlines()
    assert [json.loads(line)["code"] for line in lines] == ["value", "content-error"]
    terminal.repository.commit({"content/pages/a.md": "# A\n"})
    terminal.run("sync", "--yes")
    terminal.repository.commit({"pressync.toml": 'content = "elsewhere"\n'})
    told = terminal.run("sync", "--yes", exits=4).stderr
    assert told.rstrip().endswith("(`pressync help no_documents` says more)")
    last = terminal.run("--log-format", "json", "sync", "--yes", exits=4).stderr.splitlines()[-1]
    assert json.loads(last)["code"] == "no_documents"


@pytest.mark.parametrize("said", ["lock-held", "lock_held", "LockHeld", "lock held"])
def test_a_name_is_found_however_its_words_are_joined(said: str) -> None:
    found = guide.find(said)
    assert found is not None
    assert (found.name, found.page, found.part) == (
        "lock-held",
        "troubleshooting.md",
        "A limit stopped the sync",
    )


def test_a_paragraph_is_a_line_a_message_is_indented_and_links_are_places_after_it() -> None:
    text = "```text\nit is wrong\n```\n\nSee [it](c.md#d), [it](c.md#d),\n[below](#e) and [them](https://example.org)."
    section = guide.Section("a", "b.md", "", text)
    assert section.paragraphs == ("    it is wrong", "See it, it, below and them.")
    assert section.further == ("c.md#d", "b.md#e")
