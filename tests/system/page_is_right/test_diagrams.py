"""Diagrams become pictures by a command that a person of this clone has agreed to."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
import requests
from tests.support.terminal import Terminal

from pressync.model.errors import ConfigError
from pressync.stage.server.server import running
from pressync.sync import diagrams

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
FENCE = '```mermaid\ngraph TD\naccTitle: Flow\naccDescr: From "a" to b\na-->b\n```\n'
PAGES = {"content/pages/a.md": f"# A\n\nText.\n\n{FENCE}", "content/pages/b/index.md": f"# B\n\n{FENCE}"}
DRAWS = f"open(made, 'wb').write(base64.b64decode({DOT!r}))"


@pytest.fixture
def terminal(repository: SampleRepository, tmp_path: Path) -> Iterator[Terminal]:
    """Make a repository of one page, and an embedded service that speaks as WordPress does."""
    with running(tmp_path / "site.db", dialect="wordpress") as serving:
        repository.commit({"content/pages/first.md": "# First\n"})
        yield Terminal(repository, {"PRESSYNC_URL": serving.url, "PRESSYNC_DIALECT": "wordpress"})


def command(folder: Path, does: str) -> str:
    """Write a program that gets `-i FILE -o FILE`, and give the setting that names it."""
    program = folder / "draw.py"
    counts = f"with open({str(folder / 'runs')!r}, 'a') as runs: runs.write('x')"
    program.write_text(f"import base64, sys\n{counts}\nmade = sys.argv[4]\n{does}\n", encoding="utf-8")
    return f"[markdown]\nmermaid = {json.dumps([sys.executable, str(program)])}\n"


def runs(folder: Path) -> int:
    return len((folder / "runs").read_text()) if (folder / "runs").exists() else 0


def test_a_text_is_drawn_and_uploaded_once(terminal: Terminal, tmp_path: Path) -> None:
    terminal.repository.commit({"pressync.toml": command(tmp_path, DRAWS), **PAGES})
    terminal.run("plan")
    assert runs(tmp_path) == 0
    assert "Uploading 1 file." in terminal.run("sync", "--yes").output
    url = terminal.environ["PRESSYNC_URL"]
    found = requests.get(f"{url}/wp/v2/pages", params={"slug": "a"}, timeout=10).json()
    assert 'alt="Flow: From &quot;a&quot; to b"' in found[0]["content"]["rendered"]
    assert (runs(tmp_path), len(requests.get(f"{url}/wp/v2/media", timeout=10).json())) == (1, 1)
    assert "Nothing to do" in terminal.run("plan").output
    terminal.repository.commit({"content/pages/a.md": f"# A\n\nOther words.\n\n{FENCE}"})
    terminal.run("sync", "--yes")
    assert runs(tmp_path) == 1


def test_a_command_that_somebody_else_brought_runs_only_after_a_person_agreed(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.run("sync", "--yes")
    terminal.repository.commit({"pressync.toml": command(tmp_path, DRAWS), **PAGES})
    said = terminal.run("sync", "--yes", exits=1).output
    assert "nobody agreed to the command `mermaid` here; run `pressync --site default config --trust`" in said
    assert runs(tmp_path) == 0
    assert "for the pictures of diagrams" in terminal.run("config", "--trust").output
    terminal.run("sync", "--yes")
    assert runs(tmp_path) == 1


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("sys.exit(3)", "failed with exit code 3"),
        ("open(made, 'wb').write(b'<svg>')", "made no PNG picture"),
        ("pass", "made no PNG picture"),
    ],
)
def test_a_page_whose_diagram_cannot_be_drawn_fails_and_the_others_go_on(
    terminal: Terminal, tmp_path: Path, does: str, why: str
) -> None:
    terminal.repository.commit({"pressync.toml": command(tmp_path, does), "content/pages/a.md": FENCE})
    said = terminal.run("sync", "--yes", exits=1).output
    assert why in said
    assert "1 done, 1 failed" in said


def test_a_command_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagrams, "_SECONDS", 0)
    with pytest.raises(ConfigError, match="took more than 0 seconds"):
        diagrams.picture(("/bin/sh", "-c", "sleep 600; true"), "graph", "0" * 40, tmp_path)
    assert not any(tmp_path.iterdir())


def test_a_command_that_is_not_here_is_told_before_a_sync(terminal: Terminal) -> None:
    terminal.repository.commit({"pressync.toml": '[markdown]\nmermaid = "no-such-mmdc"\n', **PAGES})
    assert "the command `mermaid` is not on this machine" in terminal.run("plan").output
    assert "failed with exit code 127" in terminal.run("sync", "--yes", exits=1).output


def test_a_pull_keeps_the_fence(terminal: Terminal, tmp_path: Path) -> None:
    terminal.repository.commit({"pressync.toml": command(tmp_path, DRAWS), **PAGES})
    terminal.run("sync", "--yes")
    url = terminal.environ["PRESSYNC_URL"]
    page = requests.get(f"{url}/wp/v2/pages", params={"slug": "a"}, timeout=10).json()[0]
    changed = page["content"]["rendered"].replace("Text.", "Words.")
    requests.post(f"{url}/wp/v2/pages/{page['id']}", json={"content": changed}, timeout=10).raise_for_status()
    terminal.run("pull", "content/pages/a.md")
    text = (terminal.repository.root / "content/pages/a.md").read_text(encoding="utf-8")
    assert text == f"# A\n\nWords.\n\n{FENCE}"
