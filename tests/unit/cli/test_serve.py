"""`serve` at work: it finds the folder of the site, and only one server may use it."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pressync.app import embedded_server
from pressync.cli import serve as serve_action
from pressync.cli.main import Globals
from pressync.model.errors import ConfigError, PressyncError

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.server.server import RunningService


def standing_in(directory: Path) -> Globals:
    return Globals(directory, site=None, config_file=None, quiet=False, verbose=False)


def served(directory: Path, service: RunningService) -> None:
    """Note that this process serves the site of a folder."""
    embedded_server.write_note(
        directory, embedded_server.RunningServer(os.getpid(), service.url, service.site)
    )


def serve(directory: Path, *, port: int = 0) -> None:
    given = standing_in(directory)
    serve_action.serve(
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
    assert serve_action.directory(standing_in(repository.root), Path("data")) == tmp_path / "data"
    assert (
        serve_action.directory(standing_in(repository.root), None) == repository.root / ".git/pressync/serve"
    )
    assert serve_action.directory(standing_in(Path()), None) == tmp_path / "pressync-site"


def test_a_site_that_is_served_is_not_served_twice_and_its_note_stays(
    tmp_path: Path, service: RunningService
) -> None:
    served(tmp_path, service)
    with pytest.raises(
        ConfigError, match=f"process {os.getpid()} serves this site already, at {service.site}/"
    ):
        serve(tmp_path)
    assert embedded_server.find(tmp_path) is not None


def test_the_command_that_stops_a_server_names_its_folder(
    tmp_path: Path, service: RunningService, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.root)
    folder = tmp_path / "my site"
    own = serve_action.directory(standing_in(Path()), None)
    for each, named in ((folder, f"pressync serve --stop --data '{folder}'"), (own, "pressync serve --stop")):
        embedded_server.make_directory(each)
        served(each, service)
        with pytest.raises(ConfigError) as told:
            serve(each)
        assert told.value.todo == f"open that address, or run `{named}` first"


def test_in_the_background_nothing_is_started_where_a_server_runs(
    tmp_path: Path, service: RunningService, capsys: pytest.CaptureFixture[str]
) -> None:
    served(tmp_path, service)
    serve_action.detach(standing_in(tmp_path), tmp_path, ["--port", "0"])
    assert capsys.readouterr().out == f"The server runs already: {service.site}/\n"
    assert not (tmp_path / "serve.log").exists()


def test_a_server_in_the_background_that_does_not_start_is_told_by_its_last_word(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        arguments = ["--port", str(taken.getsockname()[1]), "--data", str(tmp_path)]
        with pytest.raises(
            PressyncError,
            match=r"did not start: Cannot listen on .*without `--port` it takes the next free port",
        ) as told:
            serve_action.detach(standing_in(tmp_path), tmp_path, arguments)
    assert told.value.todo == f"see {tmp_path}/serve.log"


def test_a_server_that_could_not_start_leaves_no_note_of_one_before(
    tmp_path: Path, service: RunningService
) -> None:
    embedded_server.write_note(tmp_path, embedded_server.RunningServer(2**22 + 1, service.url, service.site))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(PressyncError):
            serve(tmp_path, port=taken.getsockname()[1])
    assert not (tmp_path / "running.json").exists()
