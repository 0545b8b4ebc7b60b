"""`pressync serve`: one server for the folder of a site, found by sync or started for a block."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.syncing import Site, stored_pages
from tests.support.terminal import Terminal

import pressync
from pressync.app import embedded_server
from pressync.app.embedded_server import RunningServer
from pressync.app.workspace import Workspace
from pressync.cli.commands import serve
from pressync.cli.options import Globals
from pressync.model.errors import ConfigError, PressyncError, StorageError
from pressync.model.interface import DOCUMENTED_TYPES
from pressync.stage import embedded
from pressync.stage.embedded import EMBEDDED_SERVICE
from pressync.stage.server.server import running as serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.stage.server.server import RunningService


def _run(repository: SampleRepository, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pressync", *arguments],
        cwd=repository.root,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.sweep
def test_a_detached_server_shows_what_is_synced_until_it_is_stopped(repository: SampleRepository) -> None:
    repository.commit({"content/pages/index.md": "# Home\n\nWelcome.\n"})
    started = _run(repository, "serve", "--detach", "--port", "0")
    try:
        assert started.returncode == 0, started.stderr
        site = re.findall(r"http://[\d.:]+/", started.stdout)[0]
        synced = _run(repository, "sync", "--yes")
        assert f"Look at it: {site}" in synced.stdout, synced.stderr
        with urllib.request.urlopen(site, timeout=10) as page:  # noqa: S310 - our own loopback service
            assert b"Welcome." in page.read()
        assert "runs already" in _run(repository, "serve", "--detach", "--port", "0").stdout
    finally:
        stopped = _run(repository, "serve", "--stop")
    assert stopped.stdout == "Stopped.\n"
    assert _run(repository, "serve", "--stop").stdout == "This site has no running server.\n"


@contextmanager
def package_that_goes(folder: Path, repository: SampleRepository, style: str = "") -> Iterator[str]:
    """Serve with a copy of the package, with more style, and take the copy away; give the site's address."""
    copy = folder / "other/pressync"
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(pressync.__file__).parent, copy, ignore=skipped)
    with (copy / "stage/server/static/style.css").open("a", encoding="utf-8") as file:
        file.write(style)
    command = [sys.executable, "-m", "pressync", "-C", str(repository.root), "serve", "--port", "0"]
    environ = {**os.environ, "PYTHONPATH": str(copy.parent)}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        said = "".join(server.stdout.readline() for _ in range(2))
        shutil.rmtree(copy)
        try:
            yield re.findall(r"The site: +(http://\S+)", said)[0]
        finally:
            server.terminate()


@pytest.mark.sweep
def test_a_server_keeps_its_pages_when_its_package_is_replaced(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({"content/pages/index.md": "# Home\n", "content/posts/new.md": "# New\n\nText.\n"})
    terminal = Terminal(repository, {})
    with package_that_goes(tmp_path, repository) as site:
        terminal.run("sync", "--yes")
        for path in ("", "blog/", "blog/new/", "-/style.css", "feed/", "feed.xml", "sitemap.xml", "wp-json/"):
            with urllib.request.urlopen(f"{site}{path}", timeout=10) as page:  # noqa: S310 - our own loopback service
                assert page.status == 200, path
        assert "The server runs already" in terminal.run("serve", "--detach").output
        assert "and shows the pages of this version" in terminal.run("doctor").output


def test_a_server_of_another_version_is_named_and_not_called_ok(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({"content/pages/index.md": "# Home\n"})
    terminal = Terminal(repository, {})
    with package_that_goes(tmp_path, repository, style="b {}") as site:
        told = terminal.run("serve", "--detach", exits=1).output
        assert f"serves this site at {site}, but it shows the pages of another version of pressync" in told
        assert "wrong    service:" in terminal.run("doctor", exits=1).output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--address", "nowhere"), "Error: --address: 'nowhere' is not the address of a site"),
        (
            ("--permalinks", "/%nothing%/"),
            "Error: --permalinks: '/%nothing%/' is not a permalink structure",
        ),
    ],
)
def test_what_is_not_an_address_or_a_permalink_structure_is_refused(
    repository: SampleRepository, words: tuple[str, ...], said: str
) -> None:
    refused = _run(repository, "serve", "--port", "0", *words)
    assert refused.returncode == 2
    assert refused.stderr.startswith(said)


def standing_in(directory: Path) -> Globals:
    return Globals(directory, site=None, config_file=None, quiet=False, verbose=False)


def served(directory: Path, service: RunningService) -> None:
    """Note that this process serves the site of a folder."""
    embedded_server.write_note(
        directory, embedded_server.RunningServer(os.getpid(), service.url, service.site)
    )


def serve_at(directory: Path, *, port: int = 0) -> None:
    given = standing_in(directory)
    serve.serve_here(
        given,
        directory,
        host="127.0.0.1",
        port=port,
        address=None,
        title=None,
        permalinks=None,
        seed_posts=0,
        dialect="both",
        types=DOCUMENTED_TYPES,
    )


def test_the_site_is_kept_where_it_is_told_or_in_the_clone_or_here(
    repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert serve.directory_of(standing_in(repository.root), Path("data")) == tmp_path / "data"
    assert serve.directory_of(standing_in(repository.root), None) == repository.root / ".git/pressync/serve"
    assert serve.directory_of(standing_in(Path()), None) == tmp_path / "pressync-site"


def test_a_site_that_is_served_is_not_served_twice_and_its_note_stays(
    tmp_path: Path, service: RunningService, capsys: pytest.CaptureFixture[str]
) -> None:
    served(tmp_path, service)
    said = f"process {os.getpid()} serves this site already, at {service.site}/"
    with pytest.raises(ConfigError, match=said):
        serve_at(tmp_path)
    assert embedded_server.find(tmp_path) is not None
    serve.serve_detached(standing_in(tmp_path), tmp_path, ["--port", "0"])
    assert capsys.readouterr().out == f"The server runs already: {service.site}/\n"
    assert not (tmp_path / "serve.log").exists()


def test_the_command_that_stops_a_server_names_its_folder(
    tmp_path: Path, service: RunningService, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.root)
    folder = tmp_path / "my site"
    own = serve.directory_of(standing_in(Path()), None)
    for each, named in ((folder, f"pressync serve --stop --data '{folder}'"), (own, "pressync serve --stop")):
        embedded_server.make_directory(each)
        served(each, service)
        with pytest.raises(ConfigError) as told:
            serve_at(each)
        assert told.value.todo == f"open that address, or run `{named}` first"


def test_a_server_that_does_not_start_leaves_no_note(tmp_path: Path, service: RunningService) -> None:
    embedded_server.write_note(tmp_path, embedded_server.RunningServer(2**22 + 1, service.url, service.site))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PressyncError, match="--port"):
            serve_at(tmp_path, port=port)
        assert not (tmp_path / "running.json").exists()
        with pytest.raises(
            PressyncError,
            match=r"did not start: Cannot listen on .*without `--port` it takes the next free port",
        ) as told:
            serve.serve_detached(
                standing_in(tmp_path), tmp_path, ["--port", str(port), "--data", str(tmp_path)]
            )
    assert told.value.todo == f"see {tmp_path}/serve.log"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Name the data directory of a clone's service; it does not exist yet."""
    return embedded_server.data_directory(tmp_path / ".git")


@pytest.fixture
def server(directory: Path) -> Iterator[RunningServer]:
    """Serve the directory in this process, and write the note as `pressync serve` does."""
    directory.mkdir(parents=True)
    with serving(embedded_server.database(directory)) as service:
        running = RunningServer(os.getpid(), service.url, service.site)
        embedded_server.write_note(directory, running)
        yield running


def test_the_note_of_a_server_that_ended_does_not_count(directory: Path, server: RunningServer) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    for number in (dead.pid, 0, -1, 10**30):
        embedded_server.write_note(directory, RunningServer(number, server.url, server.site))
        assert embedded_server.find(directory) is None
    with socket.create_server(("127.0.0.1", 0)) as listening:
        site = f"http://127.0.0.1:{listening.getsockname()[1]}"
    embedded_server.write_note(directory, RunningServer(os.getpid(), f"{site}/wp-json", site))
    assert embedded_server.find(directory) is None
    embedded_server.write_note(directory, server)
    with embedded.running_or_started(directory) as url:
        assert url == server.url
    embedded_server.remove_note(directory)
    embedded_server.remove_note(directory)
    assert embedded_server.find(directory) is None


def test_a_server_that_does_not_answer_is_named_and_gets_no_second_one_beside_it(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_server, "_PATIENCE", 0.1)
    repository.commit({"content/pages/index.md": "# Home\n"})
    terminal = Terminal(repository, {})
    directory = embedded_server.data_directory(repository.root / ".git")
    embedded_server.make_directory(directory)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        site = f"http://127.0.0.1:{listening.getsockname()[1]}"
        embedded_server.write_note(directory, RunningServer(os.getpid(), f"{site}/wp-json", site))
        what = f"process {os.getpid()} serves this site at {site}/, but it does not answer"
        for line in (["serve", "--detach"], ["serve", "--stop"], ["serve"], ["sync", "--yes"]):
            assert f"Error: {what}; try again later" in terminal.run(*line, exits=1).output
        assert f"wrong    service:      {what}" in terminal.run("doctor", exits=1).output
        assert what in terminal.run("status").output
    assert not embedded_server.is_running(directory)


@pytest.mark.parametrize(
    "note",
    [
        *(b"", b"{", b"[]", b"null", b'{"pid": 1}', b'{"pid": "x", "url": "", "site": ""}', b"\xff"),
        b'{"pid": OURS, "url": "http://127.0.0.1:x/", "site": "http://127.0.0.1:x"}',
    ],
)
def test_a_note_that_cannot_be_read_does_not_count(directory: Path, note: bytes) -> None:
    directory.mkdir(parents=True)
    (directory / "running.json").write_bytes(note.replace(b"OURS", b"%d" % os.getpid()))
    assert embedded_server.find(directory) is None


class _Other(BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        """Answer well, and under another name."""
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_somebody_elses_server_on_the_port_does_not_count(directory: Path) -> None:
    with HTTPServer(("127.0.0.1", 0), _Other) as other:
        threading.Thread(target=other.serve_forever, args=(0.01,)).start()
        site = f"http://127.0.0.1:{other.server_port}"
        embedded_server.write_note(directory, RunningServer(os.getpid(), f"{site}/wp-json", site))
        try:
            assert embedded_server.find(directory) is None
        finally:
            other.shutdown()


def test_if_none_runs_one_is_started_for_the_time_of_the_block(directory: Path) -> None:
    with embedded.running_or_started(directory) as url:
        assert embedded_server.database(directory).exists()
        port = int(url.split(":")[2].split("/")[0])
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        # There is no note of it, because `serve --stop` must not end a sync.
        assert embedded_server.find(directory) is None
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_data_that_is_no_sites_is_told_and_kept(directory: Path) -> None:
    directory.mkdir(parents=True)
    embedded_server.database(directory).write_bytes(b"somebody else's" * 100)
    with pytest.raises(StorageError, match=r"the embedded service does not start .*file is not a database"):
        embedded.running_or_started(directory).__enter__()
    assert embedded_server.database(directory).read_bytes() == b"somebody else's" * 100


def linked(repository: SampleRepository, folder: Path) -> SampleRepository:
    """Add a linked work tree, on a branch of its own."""
    repository.git("worktree", "add", "--quiet", "-b", "topic", str(folder))
    return SampleRepository(folder)


def synced(tree: SampleRepository) -> list[str]:
    """Sync a work tree to its embedded service, and list the titles that this service has."""
    site = Embedded(tree.root, "")
    site.sync()
    assert site.plan().settled
    with site.workspace() as workspace:
        directory = embedded_server.data_directory(workspace.clone.embedded_home)
    with serving(embedded_server.database(directory)) as service:
        return sorted(page["title"]["raw"] for page in stored_pages(service))


class Embedded(Site):
    """A repository without settings."""

    def workspace(self) -> Workspace:
        """Open the workspace; the caller closes it."""
        return Workspace.open(self.root, environ={}, embedded=EMBEDDED_SERVICE, wait=0)


@pytest.mark.sweep
def test_each_work_tree_has_a_service_of_its_own(repository: SampleRepository, tmp_path: Path) -> None:
    """A linked work tree has no manifest at first, and would make the pages of the other one again."""
    repository.commit({".gitignore": ".pressync/\n", "content/pages/a.md": "# A\n"})
    tree = linked(repository, tmp_path / "linked")
    tree.commit({"content/pages/b.md": "# B\n"})
    assert synced(repository) == ["A"]
    assert synced(tree) == ["A", "B"]
    assert synced(repository) == ["A"]
    own = embedded_server.home(tree.root, repository.root / ".git/worktrees/linked", repository.root / ".git")
    assert own == repository.root / ".git/worktrees/linked"
    repository.git("worktree", "remove", str(tree.root))
    assert not own.exists()


def test_a_linked_work_tree_keeps_the_clones_service(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    tree = linked(repository, tmp_path / "linked")
    tree.write(embedded_server.MANIFEST, "{}")
    common = repository.root / ".git"
    assert embedded_server.home(tree.root, common / "worktrees/linked", common) == common
    (common / "worktrees/linked/pressync").mkdir()
    assert embedded_server.home(tree.root, common / "worktrees/linked", common) != common


@pytest.fixture
def taken() -> Iterator[int]:
    """Listen on a port, as another program does, and give its number."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_a_service_gets_the_next_free_port_and_its_links_begin_with_it(
    directory: Path, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "DEFAULT_PORT", taken)
    port = embedded.free_port(directory)
    assert port > taken
    assert embedded.port_of_links(directory) is None
    with embedded.running_or_started(directory):
        assert embedded.port_of_links(directory) == port
    look = f"Look at it: run `pressync serve` and open http://127.0.0.1:{port}/"
    assert embedded.EMBEDDED_SERVICE.where_to_look(directory) == look
    for address, kept in (
        (f"http://127.0.0.1:{taken}", taken),
        ("http://127.0.0.1:45678", 45678),
        ("https://example.org:444", None),
    ):
        with serving(embedded_server.database(directory), address=address):
            pass
        assert embedded.port_of_links(directory) == kept
        assert embedded.free_port(directory) != taken
    assert not embedded_server.is_free("no such host", 1)
