"""Whatever an agent writes into a clone, no program of it runs, no file outside is read, nothing is lost.

The agent has a tool that writes files, and no shell. So it can write the settings of Git, hooks, attributes,
the settings of the site, the manifest, links and texts.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.embedded_wordpress import ENVIRON, PASSWORD
from tests.support.terminal import Terminal
from tests.system.tools_hand.test_tools import served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

ABOUT, IDEA = "content/posts/about.md", "content/posts/idea.md"
MANIFEST = ".pressync/default.json"
DRAFT = "---\nstatus: draft\n---\n# New\n\nText.\n"
SECRET = "a-secret-of-the-person"
# Every file goes through each program that these may name.
ATTRIBUTES = {".gitattributes": "* filter=x diff=x merge=x\n"}
HOOKS = (
    *("pre-commit", "post-commit", "post-checkout", "post-index-change", "reference-transaction"),
    *("pre-push", "post-merge", "pre-auto-gc", "fsmonitor-watchman"),
)


@dataclass(frozen=True)
class Attack:
    """What the agent writes; `{run}` is a command that leaves a mark, and `{out}` a folder of the person.

    `config` are settings of Git. `files` are committed, and `saved` are not; those of `.git` are programs.
    `links` are symbolic links by their path.
    """

    name: str
    config: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    saved: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


def settings(text: str) -> dict[str, str]:
    """Write settings of the same site with something more."""
    return {"pressync.toml": f"{{site}}{text}"}


# With the manifest in a reference, Git fetches it.
REFERENCE = settings('manifest = "ref"\n')
GIT = (
    Attack("a file watcher", {"core.fsmonitor": "{run}"}),
    Attack(
        "a folder of hooks", {"core.hooksPath": "tools"}, saved={f"tools/{name}": "{run}" for name in HOOKS}
    ),
    Attack("hooks", saved={f".git/hooks/{name}": "{run}" for name in HOOKS}),
    *(Attack(f"a filter, {way}", {f"filter.x.{way}": "{run}"}, ATTRIBUTES) for way in ("clean", "process")),
    Attack("a filter that must run", {"filter.x.smudge": "{run}", "filter.x.required": "true"}, ATTRIBUTES),
    Attack(
        "attributes of the clone",
        {"filter.x.clean": "{run}"},
        saved={".git/info/attributes": "* filter=x\n"},
    ),
    Attack(
        "attributes elsewhere",
        {"filter.x.clean": "{run}", "core.attributesFile": "attributes"},
        saved={"attributes": "* filter=x\n"},
    ),
    Attack(
        "settings that include others",
        {"include.path": "../more"},
        ATTRIBUTES,
        {"more": '[filter "x"]\n\tclean = "{run}"\n'},
    ),
    Attack(
        "settings that include others here",
        {"includeIf.gitdir:**.path": "../more"},
        ATTRIBUTES,
        {"more": '[core]\n\tfsmonitor = "{run}"\n[filter "x"]\n\tclean = "{run}"\n'},
    ),
    Attack(
        "settings of the work tree",
        {"extensions.worktreeConfig": "true"},
        ATTRIBUTES,
        {".git/config.worktree": '[filter "x"]\n\tclean = "{run}"\n'},
    ),
    Attack("a program for differences", {"diff.external": "{run}", "diff.x.command": "{run}"}, ATTRIBUTES),
    Attack("a program for text", {"diff.x.textconv": "{run}"}, ATTRIBUTES),
    Attack("a driver of merges", {"merge.x.driver": "{run}"}, ATTRIBUTES),
    Attack("other words", {f"alias.{name}": "!{run}" for name in ("status", "ls-files", "config", "log")}),
    Attack("a pager and an editor", {"core.pager": "{run}", "core.editor": "{run}", "pager.log": "true"}),
    Attack("a program for signatures", {"log.showSignature": "true", "gpg.program": "{run}"}),
    Attack("an ssh", {"core.sshCommand": "{run}", "remote.origin.url": "ssh://127.0.0.1:9/x"}, REFERENCE),
    Attack(
        "a remote that is a program",
        {"remote.origin.url": "ext::{run}", "protocol.ext.allow": "always"},
        REFERENCE,
    ),
    Attack(
        "a remote of a kind",
        {"remote.origin.url": "x", "remote.origin.vcs": "ext", "protocol.allow": "always"},
        REFERENCE,
    ),
    Attack(
        "another address",
        {
            "url.ext::{run} .insteadOf": "https://",
            "protocol.ext.allow": "always",
            "remote.origin.url": "https://x/",
        },
        REFERENCE,
    ),
    Attack(
        "programs of a remote",
        {f"remote.origin.{name}": "{run}" for name in ("uploadpack", "receivepack")}
        | {"remote.origin.url": "{out}"},
        REFERENCE,
    ),
    Attack(
        "a helper for passwords",
        {"credential.helper": "!{run}", "core.askPass": "{run}", "remote.origin.url": "{evil}/x.git"},
        REFERENCE,
    ),
    Attack("a proxy", {"core.gitProxy": "{run}", "remote.origin.url": "git://127.0.0.1:9/x"}, REFERENCE),
    Attack(
        "objects of a remote",
        {
            "remote.origin.url": "ext::{run}",
            "protocol.ext.allow": "always",
            "remote.origin.promisor": "true",
            "remote.origin.partialclonefilter": "blob:none",
        },
        REFERENCE,
    ),
    Attack(
        "a submodule",
        {"submodule.x.update": "!{run}", "submodule.x.url": "ext::{run}", "submodule.recurse": "true"},
        {".gitmodules": '[submodule "x"]\n\tpath = content/posts/x\n\turl = ext::{run}\n\tupdate = !{run}\n'},
    ),
    Attack(
        "a proxy of the web", {"http.proxy": "{evil}", "remote.origin.url": "http://127.0.0.1:9/x"}, REFERENCE
    ),
    Attack("files of another folder", {"core.worktree": "{out}"}),
)
GROWING = "".join(f"{new}: &{new} [{f'*{old}, ' * 9}*{old}]\n" for old, new in pairwise("abcdefghij"))
TEXTS = (
    Attack("a command for the password", files=settings('password_command = ["sh", "-c", "{run}"]\n')),
    Attack(
        "a command for drawings",
        files=settings('\n[markdown]\nmermaid = "{run}"\n') | {IDEA: f"{DRAFT}\n```mermaid\ngraph TD\n```\n"},
    ),
    Attack(
        "another address of the site", files={"pressync.toml": '[sites.default]\nurl = "{evil}/wp-json"\n'}
    ),
    Attack(
        "a manifest in a reference, and a row for any record",
        files=settings('manifest = "ref"\n') | {IDEA: f"---\nid: {{number}}\n---\n{DRAFT}"},
    ),
    Attack(
        "variables in a file",
        files={".env": "PRESSYNC_URL={evil}/wp-json\nGIT_EXTERNAL_DIFF={run}\nGIT_SSH_COMMAND={run}\n"},
    ),
    Attack("an id of a person's post", files={IDEA: DRAFT.replace("status", "id: {number}\nstatus")}),
    Attack("a file that is a link", links={IDEA: "{out}/secret.md"}),
    Attack("a folder that is a link", links={"content/posts/more": "{out}"}),
    Attack(
        "templates that are links",
        links={"templates": "{out}"},
        files={IDEA: f"---\nlayout: secret\n{DRAFT[4:]}"},
    ),
    Attack("a manifest that is a link", links={MANIFEST: "{out}/manifest.json"}),
    Attack(
        "content of another folder",
        files=settings("").fromkeys(["pressync.toml"], 'content = "../outside"\n{site}'),
    ),
    Attack(
        "a template of another folder",
        files={"templates/post.html": "{{% include '../../outside/secret.md' %}}{{{{ content }}}}"},
    ),
    Attack("a picture of another folder", files={IDEA: f"{DRAFT}\n![x](../../../outside/secret.png)\n"}),
    Attack(
        "a featured picture of another folder",
        files={IDEA: DRAFT.replace("status", "featured_media: ../../../outside/secret.png\nstatus")},
    ),
    Attack(
        "a text that grows",
        files={IDEA: f"---\na: &a [{'x, ' * 9}x]\n{GROWING}---\n"},
    ),
    Attack(
        "a text that is deep", files={IDEA: "---\nmeta: " + "{{a: " * 5000 + "1" + "}}" * 5000 + "\n---\n"}
    ),
    Attack("a type of its own", files={IDEA: DRAFT.replace("status", "type: user\nstatus")}),
    Attack("a name that is an option", files={"content/posts/--overwrite.md": DRAFT}),
)


@dataclass
class Clone:
    """The clone of a person in which an agent works, and a folder of the person that is not in it."""

    repository: SampleRepository
    outside: Path
    site: EmbeddedWordPress
    evil: str
    asked: list[str]

    @property
    def mark(self) -> Path:
        """The file that each program of an attack makes."""
        return self.outside.parent / "ran"

    def write(self, attack: Attack) -> None:
        """Write all of an attack, as a program does that only writes files."""
        number = next(iter(self.site.shown))
        fill: dict[str, Any] = {
            "run": str(self.outside.parent / "program"),
            "out": str(self.outside),
            "evil": self.evil,
            "site": f'[sites.default]\nurl = "{self.site.url}"\ndialect = "wordpress"\n',
            "number": number,
        }
        root = self.repository.root
        for path, text in attack.files.items():
            self.repository.write(path, text.format_map(fill))
        for path, target in attack.links.items():
            file = root / path
            file.unlink(missing_ok=True)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.symlink_to(target.format_map(fill))
        self.repository.commit()
        for path, text in attack.saved.items():
            shown = text.format_map(fill)
            file = self.repository.write(path, f'#!/bin/sh\nexec "{shown}"\n' if text == "{run}" else shown)
            file.chmod(0o755)
        # An edit that is not committed, and a file that Git has to read again.
        file = root / ABOUT
        file.write_text(f"{file.read_text()}\nMore.\n")
        with (root / ".git/config").open("a") as config:
            for name, value in attack.config.items():
                section, _, key = name.rpartition(".")
                outer, _, inner = section.partition(".")
                head = f'{outer} "{inner.format_map(fill)}"' if inner else outer
                config.write(f'[{head}]\n\t{key} = "{value.format_map(fill)}"\n')


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """Serve at an address of the attacker, and note the credentials that somebody sends there."""
    asked: list[str] = []

    class Asked(BaseHTTPRequestHandler):
        def answer(self) -> None:
            asked.append(self.headers.get("Authorization", ""))
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.end_headers()

        def __getattr__(self, name: str) -> Callable[[], None]:
            if name.startswith("do_"):
                return self.answer
            raise AttributeError(name)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def clone(repository: SampleRepository, site: EmbeddedWordPress, tmp_path: Path) -> Iterator[Clone]:
    """Sync a post as a person, and give an agent an account and the clone."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("secret.md", "secret.png", "manifest.json"):
        (outside / name).write_text(f"---\nstatus: draft\n---\n# {SECRET}\n")
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\ncat >>"{tmp_path / "ran"}" </dev/null; echo x >>"{tmp_path / "ran"}"\n')
    program.chmod(0o755)
    toml = f'[sites.default]\nurl = "{site.url}"\ndialect = "wordpress"\n'
    repository.commit({"pressync.toml": toml, ABOUT: "# About\n\nA person wrote this.\n", IDEA: DRAFT})
    repository.git("commit", "--quiet", "--amend", "--no-edit")
    person = Terminal(repository, {**ENVIRON, "PRESSYNC_USER": "admin"})
    person.run("config", "--trust")
    person.run("sync", "--yes", ABOUT)
    repository.commit()
    site.add_person("agent", "An agent", role="contributor")
    with listening() as (evil, asked):
        yield Clone(repository, outside, site, evil, asked)


AGENT = {"PRESSYNC_AGENT_USER": "agent", "PRESSYNC_AGENT_PASSWORD": PASSWORD}


def others(site: EmbeddedWordPress) -> dict[int, Any]:
    """Give all that the site has and that no agent made."""
    return {number: row for number, row in site.shown.items() if row["status"] not in {"draft", "pending"}}


ATTACKS = [
    pytest.param(attack, id=attack.name, marks=() if number % 12 == 1 else pytest.mark.sweep)
    for number, attack in enumerate([*GIT, *TEXTS])
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_that_an_agent_writes_runs_or_reads_or_overwrites(
    clone: Clone, attack: Attack, capfd: pytest.CaptureFixture[str]
) -> None:
    before = others(clone.site)
    clone.write(attack)
    terminal = Terminal(clone.repository, AGENT)
    commands = (("check", "--worktree"), ("plan", "--diff", "--worktree"), ("sync", "--keep-going"))

    said = [terminal.attempt(*words, "--as-agent") for words in commands]

    said.append(json.dumps(clone.site.shown) + "".join(capfd.readouterr()))
    assert not clone.mark.exists()
    assert SECRET not in "".join(said)
    assert others(clone.site) == before
    assert not any(clone.asked)


@pytest.mark.sweep
def test_the_tools_run_git_without_the_settings_of_the_clone(clone: Clone) -> None:
    refused = {"programs of a remote", "files of another folder"}
    kept = [attack for attack in GIT if attack.name not in refused]
    config = {name: value for attack in kept for name, value in attack.config.items()}
    saved = {path: text for attack in kept for path, text in attack.saved.items()}
    clone.write(Attack("all", config, ATTRIBUTES, saved))
    calls: list[tuple[str, dict[str, Any]]] = [
        ("check", {"worktree": True}),
        ("plan", {"worktree": True}),
        ("status", {}),
        ("explain", {"path": ABOUT, "worktree": True}),
        ("pull", {"paths": [ABOUT]}),
    ]
    answers = served(clone.repository.root, *calls)
    assert not any(said.is_error for said in answers[:-1]), answers
    assert "password" in str(answers[-1].structured_content)
    assert not clone.mark.exists()
    clone.repository.git("config", "remote.origin.uploadpack", str(clone.mark.with_name("program")))
    (said,) = served(clone.repository.root, calls[0])
    assert (said.is_error, "remote.origin.uploadpack" in str(said.structured_content)) == (True, True)
