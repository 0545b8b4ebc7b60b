"""Ways around the account of an agent: each ends without a write beyond it, a command, or a foreign file."""

from __future__ import annotations

import hashlib
import json
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from tests.support import clones
from tests.support.embedded_wordpress import PASSWORD

from pressync.cli.main import pressync
from pressync.config.agreement import TOOL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

ABOUT, TAKEN = "content/posts/about.md", "content/posts/taken.md"
DRAFT = "---\nstatus: draft\n---\n# Taken\n\nBy the agent.\n"
SECRET = "a secret beside the repository"


class Attack:
    """What an agent has: the work tree, its Git directory, and a person's published post `number`."""

    def __init__(self, repository: SampleRepository, number: int, marker: Path) -> None:
        self.repository, self.root = repository, repository.root
        self.number, self.marker = number, marker

    def commit(self, files: dict[str, str]) -> str:
        """Commit files."""
        return self.repository.commit(files)

    def row(self, **changed: object) -> None:
        """Commit a row of the manifest for the person's post, beside a draft at its path."""
        file = self.root / ".pressync/default.json"
        manifest = json.loads(file.read_text())
        row: dict[str, Any] = {**manifest["records"][0], "path": TAKEN, "id": self.number, "blob": "0" * 40}
        row |= {"fingerprints": {}, "slug": "", **changed}
        keeps = [each for each in manifest["records"] if each["path"] not in {TAKEN, ABOUT}]
        manifest["records"] = [*keeps, row]
        self.commit({".pressync/default.json": json.dumps(manifest), TAKEN: DRAFT})

    def settings(self, text: str) -> str:
        """Commit settings."""
        return self.commit({"pressync.toml": text, TAKEN: DRAFT})

    def remove(self, path: str) -> str:
        """Commit that a file is gone."""
        (self.root / path).unlink()
        return self.repository.commit()

    def touches(self) -> str:
        """Give a command that leaves a mark."""
        return f"touch {self.marker}"

    def link(self, target: str, path: str = TAKEN) -> str:
        """Commit a symbolic link."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)
        return self.repository.commit()


def _digest(text: str) -> str:
    return hashlib.sha256(f"s{text}".encode()).hexdigest()[:20]


def _git(attack: Attack, *words: str) -> None:
    subprocess.run(["git", "-C", str(attack.root), "config", *words], check=True)
    attack.commit({TAKEN: DRAFT})


def _hook(attack: Attack, name: str) -> None:
    hook = attack.root / ".git/hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{attack.touches()}\n")
    attack.commit({TAKEN: DRAFT})
    hook.chmod(0o755)


SITE = '[sites.other]\nurl = "http://127.0.0.1:9/wp-json"\ndialect = "wordpress"\n'
MERMAID = f"{DRAFT}\n```mermaid\ngraph TD\n```\n"
WAYS: dict[str, Callable[[Attack], object]] = {
    "a row that says draft": lambda a: a.row(bent={"status": _digest("draft")}),
    "a row without a word of the status": lambda a: a.row(),
    "a row with every fingerprint of a draft": lambda a: a.row(fingerprints={"status": _digest("draft")}),
    "a row with the address of the post": lambda a: a.row(link="http://x/", slug="about"),
    "a row that was renamed": lambda a: a.row(path="content/posts/elsewhere.md"),
    "a manifest that is a link": lambda a: (
        a.remove(".pressync/default.json"),
        a.link("../../outside.md", ".pressync/default.json"),
    ),
    "a manifest elsewhere": lambda a: a.settings(f'{SITE}manifest = "../outside.md"\n'),
    "a manifest in a reference": lambda a: a.settings(f'{SITE}manifest = "ref"\nremote = ""\n'),
    "an id in front matter": lambda a: a.commit({TAKEN: f"---\nid: {a.number}\nstatus: draft\n---\nX\n"}),
    "a status that publishes": lambda a: a.commit({TAKEN: "---\nstatus: publish\n---\n# Out\n"}),
    "a status that comes later": lambda a: a.commit(
        {TAKEN: "---\nstatus: future\ndate: 2099-01-01\n---\nX\n"}
    ),
    "a private status": lambda a: a.commit({TAKEN: "---\nstatus: private\n---\n# Out\n"}),
    "another author": lambda a: a.commit({TAKEN: DRAFT.replace("status", "author: 1\nstatus")}),
    "a sticky post": lambda a: a.commit({TAKEN: DRAFT.replace("status", "sticky: true\nstatus")}),
    "a new tag": lambda a: a.commit({TAKEN: DRAFT.replace("status", "tags: [x]\nstatus")}),
    "a picture": lambda a: a.commit({TAKEN: f"{DRAFT}![x](x.png)\n", "content/posts/x.png": "x"}),
    "a removed file": lambda a: a.remove(ABOUT),
    "an edit of what is published": lambda a: a.commit({ABOUT: "# About\n\nBy the agent.\n"}),
    "a published page that becomes a draft": lambda a: a.commit(
        {ABOUT: "---\nstatus: draft\n---\n# About\n"}
    ),
    "another site": lambda a: a.settings(SITE),
    "a command for the password": lambda a: a.settings(f'{SITE}password_command = "{a.touches()}"\n'),
    "a command for diagrams": lambda a: (
        a.settings(f'[markdown]\nmermaid = "{a.touches()}"\n'),
        a.commit({TAKEN: MERMAID}),
    ),
    "the old policy": lambda a: a.settings('[agents]\nmay = ["drafts"]\nmost = 99\n'),
    "a document that is a link": lambda a: a.link("../../../outside.md"),
    "a folder that is a link": lambda a: a.link("../..", "content/posts/out"),
    "templates that are a link": lambda a: (a.commit({TAKEN: DRAFT}), a.link("..", "templates")),
    "a file watcher": lambda a: _git(a, "core.fsmonitor", a.touches()),
    "a program that shows differences": lambda a: _git(a, "diff.external", a.touches()),
    "a program for passwords of remotes": lambda a: _git(a, "credential.helper", f"!{a.touches()}"),
    "a hook of Git": lambda a: _hook(a, "reference-transaction"),
    "a hook after a checkout": lambda a: _hook(a, "post-checkout"),
    "a note that is settled": lambda a: a.repository.commit({TAKEN: DRAFT}, "x\n\nResolves-Note: 1"),
    "words for a runner": lambda a: a.commit({TAKEN: "---\nstatus: draft\n---\n# ::error::\x1b[31m\n"}),
}


CONTROL = "the old policy"


# Each ninth way is tried in the ordinary run, and each way in the sweeps.
@pytest.mark.parametrize(
    "way",
    [
        pytest.param(way, marks=() if number % 9 == 0 or way == CONTROL else pytest.mark.sweep)
        for number, way in enumerate(WAYS)
    ],
)
def test_no_way_around_writes_beyond_the_account_runs_a_command_or_reads_another_file(
    repository: SampleRepository, site: EmbeddedWordPress, tmp_path: Path, way: str
) -> None:
    repository.commit({ABOUT: "# About\n"})
    clones.bound(repository, site).sync()
    repository.commit()
    site.add_person("agent", "An agent", role="contributor")
    number, before = site.put("A page of a person", "person", "post"), site.shown
    (tmp_path / "outside.md").write_text(SECRET)
    if repository.root.parent != tmp_path:
        (repository.root.parent / "outside.md").write_text(SECRET)
    marker = tmp_path / "RAN"
    with suppress(ValueError):
        WAYS[way](Attack(repository, number, marker))
    marker.unlink(missing_ok=True)

    agent = {"PRESSYNC_AGENT_USER": "agent", "PRESSYNC_AGENT_PASSWORD": PASSWORD}
    environ = {"PRESSYNC_DIALECT": "wordpress", TOOL: "1", **agent}
    settings = repository.root / "pressync.toml"
    # The settings name the address, or else the environment does, as that of a server of tools.
    is_moved = settings.is_file() and "url" in settings.read_text()
    environ |= {} if is_moved else {"PRESSYNC_URL": site.url}
    told = ""
    for command in ("plan --drift", "rehearse", "sync --as-agent"):
        words = ["-C", str(repository.root), *command.split(), "--format", "json"]
        done = CliRunner().invoke(pressync, words, env=environ)
        told += done.output
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception

    after = site.shown
    assert {number: row for number, row in after.items() if number in before} == before
    assert {row["status"] for number, row in after.items() if number not in before} <= {"draft", "pending"}
    assert not marker.exists()
    assert SECRET not in told + json.dumps([*after.values()])
    # What is within the account is sent, so the others were refused and not only lost.
    assert way != CONTROL or {row["status"] for row in after.values()} == {"publish", "draft"}
    refused = ("no person of this clone has agreed to site 'other'", "the manifest must be a file of the")
    assert not is_moved or any(each in told for each in refused)
