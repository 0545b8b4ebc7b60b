"""The embedded service of a clone is found if it runs, and started for a block if it does not."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.syncing import Site, stored_pages
from tests.support.terminal import Terminal

from pressync.app import embedded_server
from pressync.app.embedded_server import RunningServer
from pressync.app.workspace import Workspace
from pressync.model.errors import StorageError
from pressync.stage.server.server import running as serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
    with embedded_server.running_or_started(directory) as url:
        assert url == server.url
    embedded_server.remove_note(directory)
    embedded_server.remove_note(directory)
    assert embedded_server.find(directory) is None


@pytest.mark.parametrize(
    "note",
    [
        *(b"", b"{", b"[]", b"null", b'{"pid": 1}', b'{"pid": "x", "url": "", "site": ""}', b"\xff"),
        b'{"pid": %d, "url": "http://127.0.0.1:x/", "site": "http://127.0.0.1:x"}' % os.getpid(),
    ],
)
def test_a_note_that_cannot_be_read_does_not_count(directory: Path, note: bytes) -> None:
    directory.mkdir(parents=True)
    (directory / "running.json").write_bytes(note)
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
    with embedded_server.running_or_started(directory) as url:
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
        embedded_server.running_or_started(directory).__enter__()
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
        directory = embedded_server.data_directory(workspace.embedded_home)
    with serving(embedded_server.database(directory)) as service:
        return sorted(page["title"]["raw"] for page in stored_pages(service))


class Embedded(Site):
    """A repository without settings."""

    def workspace(self) -> Workspace:
        """Open the workspace; the caller closes it."""
        return Workspace.open(self.root, environ={}, wait=0)


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
    monkeypatch.setattr(embedded_server, "DEFAULT_PORT", taken)
    port = embedded_server.free_port(directory)
    assert port > taken
    assert embedded_server.port_of_links(directory) is None
    with embedded_server.running_or_started(directory):
        assert embedded_server.port_of_links(directory) == port
    look = f"Look at it: run `pressync serve` and open http://127.0.0.1:{port}/"
    assert embedded_server.where_to_look(directory) == look
    for address, kept in (
        (f"http://127.0.0.1:{taken}", taken),
        ("http://127.0.0.1:45678", 45678),
        ("https://example.org:444", None),
    ):
        with serving(embedded_server.database(directory), address=address):
            pass
        assert embedded_server.port_of_links(directory) == kept
        assert embedded_server.free_port(directory) != taken
    assert not embedded_server.is_free("no such host", 1)


def test_a_site_may_change_its_dialect(
    repository: SampleRepository,
) -> None:
    repository.commit({"content/pages/index.md": "# A & B <x>\n\n| a |\n|---|\n| `[b]` |\n"})
    Terminal(repository, {"PRESSYNC_DIALECT": "documented"}).run("sync", "--yes")
    terminal = Terminal(repository, {})

    assert "Nothing to do: 1 record is up to date." in terminal.run("plan", "--drift").stdout
    repository.commit({"content/posts/hello.md": "---\ntags: [News]\n---\n# Hello\n"})
    assert "1 done, 1 up to date" in terminal.run("sync", "--yes").output
