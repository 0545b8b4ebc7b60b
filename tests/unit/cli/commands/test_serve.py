"""`pressync serve`: in the background, found by sync, stopped again."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING

import pytest

from pressync.app import embedded_server
from pressync.server.server import running

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository


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


@pytest.mark.sweep
def test_a_detached_server_takes_the_next_port_if_another_program_has_its_own(
    repository: SampleRepository,
) -> None:
    directory = embedded_server.data_directory(repository.root / ".git")
    embedded_server.make_directory(directory)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with running(embedded_server.database(directory), address=f"http://127.0.0.1:{port}"):
            pass
        started = _run(repository, "serve", "--detach")
    try:
        found = embedded_server.find(directory)
        assert found is not None
        assert int(found.site.rpartition(":")[2]) > port
        assert started.stdout == f"The site: {found.site}/ (`pressync serve --stop` ends it)\n"
        assert started.stderr == ""
        assert embedded_server.port_of_links(directory) == int(found.site.rpartition(":")[2])
    finally:
        _run(repository, "serve", "--stop")


@pytest.mark.sweep
def test_a_detached_server_names_the_command_that_stops_it(repository: SampleRepository) -> None:
    started = _run(repository, "serve", "--detach", "--port", "0", "--data", "my site")
    folder = repository.root / "my site"
    stopped = _run(repository, "serve", "--stop", "--data", str(folder))
    assert f"(`pressync serve --stop --data '{folder}'` ends it)" in started.stdout
    assert stopped.stdout == "Stopped.\n"


@pytest.mark.sweep
def test_sync_starts_the_service_for_its_own_time_when_none_runs(repository: SampleRepository) -> None:
    repository.commit({"content/pages/index.md": "# Home\n"})
    assert "1 done" in _run(repository, "sync", "--yes").stdout
    assert "Nothing to do" in _run(repository, "sync", "--yes").stdout


def test_a_taken_port_is_told_with_the_flag_that_changes_it(repository: SampleRepository) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        told = _run(repository, "serve", "--port", str(taken.getsockname()[1]))
    assert told.returncode == 1
    assert "--port" in told.stderr


def test_an_address_that_is_none_is_refused(repository: SampleRepository) -> None:
    refused = _run(repository, "serve", "--port", "0", "--address", "nowhere")
    assert refused.returncode == 2
    assert refused.stderr.startswith("Error: --address: 'nowhere' is not the address of a site")


def test_a_permalink_structure_that_is_none_is_refused(repository: SampleRepository) -> None:
    refused = _run(repository, "serve", "--port", "0", "--permalinks", "/%nothing%/")
    assert refused.returncode == 2
    assert refused.stderr.startswith("Error: --permalinks: '/%nothing%/' is not a permalink structure")


@pytest.mark.sweep
def test_a_folder_that_is_not_for_it_is_told(repository: SampleRepository, tmp_path: Path) -> None:
    (tmp_path / "site.db").write_bytes(b"somebody else's" * 100)
    (tmp_path / "file").write_bytes(b"")
    for folder, said in ((tmp_path, "file is not a database"), (tmp_path / "file" / "x", "Not a directory")):
        told = _run(repository, "serve", "--port", "0", "--data", str(folder))
        assert told.returncode == 1
        assert told.stderr.startswith("Error: ")
        assert said in told.stderr
