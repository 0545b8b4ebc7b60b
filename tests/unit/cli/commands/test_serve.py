"""`pressync serve`: one server for the folder of a site, in the background, found by sync, stopped again."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pressync.app import embedded_server
from pressync.cli.commands import serve
from pressync.cli.main import Globals
from pressync.model.errors import ConfigError, PressyncError

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

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
        token=None,
        dialect="both",
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
