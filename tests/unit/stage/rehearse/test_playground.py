"""WordPress Playground: the folders that it sees, and its start."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import threading
from contextlib import AbstractContextManager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from pressync.model.errors import ConfigError, StorageError
from pressync.stage.rehearse import playground
from pressync.stage.rehearse.playground import FILES, PACKAGE, Mounted, Mounts, copy_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


# It notes how it was started, answers as WordPress does, and has a child, as npx has. Both hold the lock.
SERVER = """
import fcntl, http.server, json, os, subprocess, sys
if "--version" in sys.argv:
    raise SystemExit(print("v22.1.0"))
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], pass_fds=[lock.fileno()])
with open("started.json", "w") as file:
    json.dump({"arguments": sys.argv[1:], "environ": dict(os.environ)}, file)
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
    def log_message(self, *_):
        pass
port = int(sys.argv[sys.argv.index("--port") + 1])
http.server.HTTPServer(("127.0.0.1", port), Answer).serve_forever()
"""


# It installs as `npm ci` does: into the folder that it starts in.
INSTALLER = """
import pathlib, sys
pathlib.Path("started.txt").write_text(" ".join(sys.argv[1:]))
program = pathlib.Path("node_modules/@wp-playground/cli/wp-playground.js")
program.parent.mkdir(parents=True)
program.touch()
"""
VERSION = json.loads((FILES / "package.json").read_text())["dependencies"][PACKAGE]
TOKEN = "ghp_everybody-wants-this"
REAL_NPM = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")


@pytest.fixture(autouse=True)
def no_grace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Kill at once: the small programs do not read the pipe. Nothing is installed yet."""
    monkeypatch.setattr(playground, "_GRACE", 0.0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Give PATH these programs alone; their text is Python."""

    def give(*, node: str = SERVER, npm: str = INSTALLER) -> None:
        place = tmp_path / "programs"
        place.mkdir()
        monkeypatch.setenv("PATH", str(place))
        for name, text in (("node", node), ("npm", npm)):
            (place / name).write_text(f"#!{sys.executable}\n{text}")
            (place / name).chmod(0o755)

    return give


def start(
    directory: Path, *, stop: threading.Event | None = None, say: Callable[[str], None] = lambda _: None
) -> AbstractContextManager[str]:
    directory.mkdir(parents=True)
    mounts = [Mounted(directory / "wp", "/wordpress", before=True), Mounted(directory / "mu", "/mu")]
    return playground.running(directory, ["--wp", "6.8"], mounts, stop=stop or threading.Event(), say=say)


def installed(tmp_path: Path) -> Path:
    (folder,) = (tmp_path / "cache/pressync").iterdir()
    return folder


def has_ended(directory: Path) -> bool:
    """Tell whether nobody holds the lock any more; a killed process may take a moment."""
    with (directory / "lock").open() as lock:
        for _ in range(600):
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            threading.Event().wait(0.05)
    return False


def test_it_answers_until_the_block_ends_with_its_children(
    programs: Callable[..., None], tmp_path: Path
) -> None:
    programs()
    stage, said = tmp_path / "a stage", list[str]()
    with start(stage, say=said.append) as address:
        assert address.startswith("http://127.0.0.1:")
        started = json.loads((stage / "started.json").read_text())
    assert started["arguments"] == [
        *(f"{installed(tmp_path)}/node_modules/@wp-playground/cli/wp-playground.js", "server"),
        *("--port", address.rpartition(":")[2], "--wp", "6.8"),
        *("--mount-before-install", f"{stage}/wp:/wordpress", "--mount", f"{stage}/mu:/mu"),
        *("--verbosity", "quiet"),
    ]
    assert "580 MB" in said[0]
    assert has_ended(stage)
    with start(tmp_path / "second", say=said.append):
        pass
    assert len(said) == 3, "it was installed once, from the locked packages"
    assert (installed(tmp_path) / "started.txt").read_text().split()[:3] == [
        *("ci", "--workspaces=false", "--ignore-scripts")
    ]
    for name in ("package.json", "package-lock.json"):
        assert (installed(tmp_path) / name).read_bytes() == (FILES / name).read_bytes()


def test_half_of_an_installation_is_begun_again(programs: Callable[..., None], tmp_path: Path) -> None:
    programs(npm="raise SystemExit(7)")
    with pytest.raises(StorageError, match="npm does not install"), start(tmp_path / "first"):
        pass
    (tmp_path / "programs/npm").write_text(f"#!{sys.executable}\n{INSTALLER}")
    with start(tmp_path / "second"):
        assert (installed(tmp_path) / "node_modules").is_dir()


def test_each_package_is_locked_with_its_integrity_and_no_host() -> None:
    packages = json.loads((FILES / "package-lock.json").read_text())["packages"]
    assert packages.pop("")["dependencies"] == {PACKAGE: VERSION}
    assert packages[f"node_modules/{PACKAGE}"]["version"] == VERSION
    for package in packages.values():
        assert package["integrity"].startswith("sha512-")
        assert "resolved" not in package


def test_a_stopped_run_does_not_wait_for_it(programs: Callable[..., None], tmp_path: Path) -> None:
    programs(npm="import time\ntime.sleep(600)")
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt), start(tmp_path / "stage", stop=stop):
        pass


@contextmanager
def heard(answer: Callable[[str], bytes | None] = lambda _path: None) -> Iterator[tuple[str, list[str]]]:
    """Serve what `answer` gives for a path; give the address, and all that was asked with its headers."""
    asked = list[str]()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.path}\n{self.headers}")
            body = answer(unquote(self.path))
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        do_POST = do_PUT = do_GET  # noqa: N815 - the names of the library

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have npm ask this registry, as its user's choice, with a token in the environment."""

    def use(address: str) -> None:
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", f"{address}/")
        monkeypatch.setenv("NPM_CONFIG_CACHE", str(tmp_path / "npm"))
        monkeypatch.setenv("NPM_CONFIG_USERCONFIG", str(tmp_path / "npmrc"))
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)

    return use


def plant_programs(tree: Path, _host: str) -> None:
    """Plant what npx runs in place of the package: by its name, its version and its command."""
    script = f'#!/bin/sh\nenv > "{tree}/ran"\n'
    bin_folder = tree / "node_modules/.bin"
    for path in (bin_folder / f"{PACKAGE}@{VERSION}", bin_folder / "wp-playground-cli"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)
    package = {"name": PACKAGE, "version": VERSION, "bin": {"wp-playground-cli": "run"}}
    (tree / "node_modules" / PACKAGE).mkdir(parents=True)
    (tree / "node_modules" / PACKAGE / "package.json").write_text(json.dumps(package))


def plant_settings(tree: Path, host: str) -> None:
    """Plant settings of npm that send a variable to a host, below a root that claims all folders."""
    authority = host.partition(":")[2]
    (tree / ".npmrc").write_text(
        f"@wp-playground:registry={host}/\nregistry={host}/\n{authority}/:_authToken=${{GITHUB_TOKEN}}\n"
        f"script-shell={tree}/shell\nnode-options=--require={tree}/required.cjs\n"
    )
    for name, text in (("shell", "#!/bin/sh\n"), ("required.cjs", "")):
        (tree / name).write_text(text or f"require('fs').writeFileSync({json.dumps(str(tree / 'ran'))}, '')")
    (tree / "package.json").write_text('{"name": "root", "workspaces": ["**", ".git/pressync/*/*"]}')


@REAL_NPM
@pytest.mark.sweep
@pytest.mark.parametrize("plant", [plant_programs, plant_settings])
def test_nothing_of_a_hostile_tree_runs_and_nothing_leaves(
    registry: Callable[[str], None], tmp_path: Path, plant: Callable[[Path, str], None]
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    with heard() as (own, asked), heard() as (host, taken):
        registry(own)
        plant(tree, host)
        with pytest.raises(StorageError), start(tree / ".git/pressync/rehearsals/running-1"):
            pass
    assert not (tree / "ran").exists()
    assert taken == []
    assert asked
    assert TOKEN not in "".join(asked)


@REAL_NPM
@pytest.mark.sweep
def test_a_registry_cannot_give_another_package(registry: Callable[[str], None], tmp_path: Path) -> None:
    packages = json.loads((FILES / "package-lock.json").read_text())["packages"]
    versions = {name.rpartition("node_modules/")[2]: each for name, each in packages.items() if name}
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        member = tarfile.TarInfo("package/wp-playground.js")
        archive.addfile(member, io.BytesIO())
    digest = base64.b64encode(hashlib.sha512(content.getvalue()).digest()).decode()

    def answer(path: str) -> bytes | None:
        name = path.removeprefix("/")
        if name not in versions:
            return content.getvalue()
        number = versions[name]["version"]
        dist = {"tarball": f"{own}/{name}.tgz", "integrity": f"sha512-{digest}"}
        row = {"name": name, "version": number, "dist": dist}
        return json.dumps({"name": name, "versions": {number: row}, "dist-tags": {"latest": number}}).encode()

    with heard(answer) as (own, _):
        registry(own)
        with pytest.raises(StorageError, match="EINTEGRITY"), start(tmp_path / "stage"):
            pass
    assert [each.name for each in (tmp_path / "cache/pressync").iterdir() if each.suffix != ".part"] == []


def folder(place: Path, **files: str) -> Path:
    """Make a folder with these files; two underscores in a name stand for a dot."""
    place.mkdir(parents=True)
    for name, text in files.items():
        (place / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return place


def test_a_theme_a_plugin_and_wordpress_are_known_by_their_files(tmp_path: Path) -> None:
    theme = folder(tmp_path / "harbour", style__css="/* Theme Name: Harbour */")
    plugin = folder(
        tmp_path / "notes", a__php="<?php // a part", main__php="<?php\n/**\n * Plugin Name: Notes\n */"
    )
    folder(tmp_path / "wp/wp-includes", version__php="<?php")
    found = Mounts.of([f"theme={theme}", f"plugin={plugin}", f"wordpress={tmp_path / 'wp'}"])
    assert found == Mounts(theme, ((plugin, "notes/main.php"),), tmp_path / "wp")
    assert found.named == ("harbour", "notes")
    assert Mounts.of([]) == Mounts()


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["{0}"], "does not name what the folder is"),
        (["theme={0}/missing"], "names no folder"),
        (["theme={0}"], "has no `style.css`"),
        (["plugin={0}"], "has no file with the header"),
        (["wordpress={0}"], "has no `wp-includes/version.php`"),
        (["theme={0}/one", "theme={0}/one"], "second of its kind"),
    ],
)
def test_a_folder_that_is_not_what_it_should_be_is_named(tmp_path: Path, texts: list[str], why: str) -> None:
    folder(tmp_path / "one", style__css="")
    with pytest.raises(ConfigError, match=why):
        Mounts.of([text.format(tmp_path) for text in texts])


def test_a_stage_gets_a_copy_without_the_folders_of_developers(tmp_path: Path) -> None:
    theme = folder(tmp_path / "theme", style__css="/* */")
    folder(theme / "node_modules", big__js="")
    (theme / "linked.css").symlink_to(theme / "style.css")
    (theme / "gone.css").symlink_to(theme / "nothing")
    copied = copy_folder(theme, tmp_path / "copy")
    assert sorted(path.name for path in copied.iterdir()) == ["linked.css", "style.css"]
    assert not (copied / "linked.css").is_symlink()
    with pytest.raises(StorageError, match="cannot be copied"):
        copy_folder(theme, theme)


NEEDED = {"PATH", "HOME", "HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "NPM_CONFIG_REGISTRY"}
SECRET = {"PRESSYNC_PASSWORD", "GITHUB_TOKEN", "NODE_AUTH_TOKEN", "AWS_SECRET_ACCESS_KEY", "NODE_PATH"}
SECRET |= {"npm_config_registry", "npm_config__auth"}


def test_a_program_gets_what_it_needs_and_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NEEDED | SECRET:
        monkeypatch.setenv(name, "given")
    log = tmp_path / "log"
    command = [sys.executable, "-c", "import os; print(*os.environ, os.environ['TMPDIR'], sep='\\n')"]
    with playground.running_node(command, tmp_path, temporary=tmp_path / "tmp", log=log) as process:
        assert process.wait(60) == 0
    got = set(log.read_text().split("\n"))
    assert got >= NEEDED | {str(tmp_path / "tmp")}
    assert not got & SECRET


def test_a_program_in_a_relative_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, said in (("tree/bin", "v99.0.0"), ("machine", "v22.1.0")):
        (tmp_path / folder).mkdir(parents=True)
        for name in ("node", "npm"):
            program = tmp_path / folder / name
            program.write_text(f'#!/bin/sh\n: > "{program}.ran"\necho {said}\n')
            program.chmod(0o755)
    monkeypatch.chdir(tmp_path / "tree")
    monkeypatch.setenv("PATH", f"bin::.:{tmp_path / 'machine'}")
    assert playground.found_node() == (str(tmp_path / "machine/node"), str(tmp_path / "machine/npm"))
    assert not (tmp_path / "tree/bin/node.ran").exists()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"npm": ""}, "Node.js is not installed"),
        ({"node": "v22.1.0"}, "npm is not installed"),
        ({"node": "v18.20.4", "npm": ""}, "Node.js 18.20.4 is too old"),
    ],
)
def test_a_missing_or_old_node_is_named_with_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, str], why: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, said in given.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho {said}\n")
        (tmp_path / name).chmod(0o755)
    with pytest.raises(ConfigError, match=why) as raised:
        playground.found_node()
    assert raised.value.todo.startswith("install Node.js 20 or later")
    assert "--on embedded" in raised.value.todo


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
@pytest.mark.parametrize("script", ["setInterval(() => {}, 1000)", "console.log(1)"])
def test_node_ends_when_the_pipe_of_its_parent_closes_or_before(script: str) -> None:
    command = ["node", "--require", str(FILES / "end_with_parent.cjs"), "-e", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin
        if "setInterval" in script:
            process.stdin.close()
        assert process.wait(60) == 0
