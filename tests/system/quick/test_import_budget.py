"""What a command may load: a run with nothing to do pays for Python, Click, and nothing heavy."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

_HEAVY = (
    "requests",
    "urllib3",
    "git",
    "yaml",
    "frontmatter",
    "jinja2",
    "comrak",
    "msgspec",
    "flask",
    "waitress",
    "sqlite3",
)
_PROBE = """
import sys
from pressync.cli.main import pressync
try:
    pressync(sys.argv[1:], prog_name="pressync")
except SystemExit as end:
    assert not end.code, end.code
print("\\n" + " ".join(sorted(sys.modules)))
"""


def _loaded(repository: SampleRepository, *arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, *arguments],
        cwd=repository.root,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("plan", "--help"), ("sync", "--help")])
def test_help_loads_click_and_nothing_heavy(repository: SampleRepository, arguments: tuple[str, ...]) -> None:
    assert not _loaded(repository, *arguments) & {*_HEAVY, "dataclasses", "subprocess"}


@pytest.mark.parametrize(("word", "loads"), [("rolback", 0), ("abcdefgh", 15)])
def test_a_mistyped_word_loads_commands_only_where_no_name_is_similar(word: str, loads: int) -> None:
    ended = _PROBE.replace("assert not end.code", "assert end.code == 2")
    done = subprocess.run([sys.executable, "-c", ended, word], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    commands = {name for name in loaded if name.startswith("pressync.cli.commands.")}
    assert (len(commands) >= loads, bool(commands)) == (True, bool(loads))
    assert not loaded & {*_HEAVY, "pressync.plan.build", "pressync.app.workspace"} - {"msgspec"}


def test_a_run_with_nothing_to_do_loads_nothing_heavy(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    assert "comrak" in _loaded(repository, "sync", "--yes")
    for words in (("plan",), ("sync",), ("sync", "--yes")):
        heavy = _loaded(repository, *words) & {*_HEAVY, "pressync.model.errors", "dataclasses", "shlex"}
        assert (words, heavy) == (words, set())


_MAIN = """
import atexit, sys
atexit.register(lambda: print("\\n" + " ".join(sorted(sys.modules))))
from pressync.__main__ import main
main()
"""


def _ended(repository: SampleRepository, *arguments: str, **environ: str) -> tuple[str, set[str]]:
    """Run the whole program, and give its output and the modules that it had loaded at its end."""
    done = subprocess.run(
        [sys.executable, "-c", _MAIN, *arguments],
        cwd=repository.root,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    said, _, modules = done.stdout.rpartition("\n\n")
    return said, set(modules.split())


def test_a_plain_plan_with_nothing_to_do_loads_neither_click_nor_dataclasses(
    repository: SampleRepository,
) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "templates/page.html": "<p>{{ content }}</p>"})
    _loaded(repository, "sync", "--yes")
    for remembers in (True, False):
        for seen in () if remembers else (repository.root / ".git/pressync").glob("*.seen"):
            seen.unlink()
        said, loaded = _ended(repository, "plan")
        assert said == "Nothing to do: 1 record is up to date with embedded, as of the last sync."
        assert not loaded & {"click", "dataclasses"}


@pytest.mark.sweep
def test_a_plain_plan_that_cannot_be_answered_so_is_made_as_any_other(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n"})
    _loaded(repository, "sync", "--yes")
    repository.commit({"content/pages/a.md": "# A\n\nMore.\n"})
    said, loaded = _ended(repository, "plan")
    assert said.endswith("Plan: 1 to update, 1 up to date.")
    assert "click" in loaded
    # A shell asks for the completions of the word.
    said, _ = _ended(repository, "plan", _PRESSYNC_COMPLETE="bash_source")
    assert "_pressync_completion" in said


def test_a_comparison_of_a_plain_manifest_loads_neither_the_nouns_nor_what_renders_or_resolves() -> None:
    comparing = "import sys, pressync.app.unchanged, pressync.config.settings, pressync.plan.side_by_side"
    comparing += ", pressync.state.manifest.rows, pressync.state.clone_log; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", comparing], capture_output=True, text=True, check=True)
    kept_out = {f"pressync.{name}" for name in ("model.records", "state.manifest.codec", "repo.repository")}
    kept_out |= {f"pressync.content.{name}" for name in ("references", "render.renderer")}
    kept_out |= {"shutil", "bz2", "socket"}
    assert not kept_out & {*done.stdout.split()}


@pytest.mark.parametrize("arguments", [("plan",), ("sync", "--yes")])
@pytest.mark.sweep
def test_a_clone_that_remembers_nothing_loads_what_compares_and_nothing_that_renders_or_speaks(
    repository: SampleRepository, arguments: tuple[str, ...]
) -> None:
    repository.write("templates/base.html", "<main>{% block inner %}{% endblock %}</main>")
    repository.write(
        "templates/page.html", "{% extends 'base.html' %}{% block inner %}{{ content }}{% endblock %}"
    )
    repository.commit({"content/pages/a.md": "# A\n", "content/pages/b.md": "See [A](a.md).\n"})
    _loaded(repository, "sync", "--yes")
    for seen in (repository.root / ".git/pressync").glob("*.seen"):
        seen.unlink()
    loaded = _loaded(repository, *arguments)
    # The manifest is JSON, and read by msgspec.
    unused = {"importlib.metadata", "tempfile", "tomllib", "secrets", "pressync.content.documents"}
    assert not loaded & {*_HEAVY, *unused} - {"msgspec"}


@pytest.mark.sweep
def test_a_plan_with_an_edit_reads_with_gitpython_renders_and_speaks_to_nobody(
    repository: SampleRepository,
) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    _loaded(repository, "sync", "--yes")
    repository.commit({"content/pages/a.md": "# A\n\nMore.\n"})
    loaded = _loaded(repository, "plan")
    assert {"comrak", "git"} <= loaded
    assert not loaded & {"requests", "urllib3", "http.client", "sqlite3", "pressync.client.wordpress"}


def test_a_plan_never_loads_what_speaks_to_a_service(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    assert not _loaded(repository, "plan") & {"requests", "urllib3", "flask", "waitress", "sqlite3"}
