"""`pressync preview`: its options and output, the address, the files that it follows, and its end."""

from __future__ import annotations

import json
import signal
import socket
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest
from tests.support.shared_manifest import started
from tests.support.terminal import Terminal

from pressync.stage.rehearse.stage import stages_folder

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.support.repository import SampleRepository


ABOUT = "content/pages/about.md"


@pytest.fixture
def here(repository: SampleRepository) -> Terminal:
    """Sit in a repository of one page, without a configured site."""
    repository.commit({ABOUT: "# About\n\nText.\n"})
    return Terminal(repository, {})


def line(process: subprocess.Popen[str], begin: str) -> str:
    """Read what a command prints up to a line that begins so."""
    assert process.stdout
    return next(found for found in process.stdout if found.startswith(begin)).strip()


def files(root: Path) -> set[Path]:
    """Name all files of a repository but the objects and notes of its commits."""
    git = root / ".git"
    return {file for file in root.rglob("*") if git not in file.parents or git / "pressync" in file.parents}


def page(address: str) -> str:
    """Open an address."""
    with urlopen(address, timeout=60) as shown:  # noqa: S310 - loopback
        return str(shown.read().decode())


@pytest.mark.sweep
def test_it_follows_a_saved_file_and_ctrl_c_leaves_nothing_behind(here: Terminal) -> None:
    root = here.repository.root
    before = files(root)
    process = started(root, "preview", ABOUT, "--no-open", "--port", "0")
    try:
        address = line(process, "The preview: ").removeprefix("The preview: ")
        assert "<p>Text.</p>" in page(address)
        # At once, as editors save: the preview must not meet half of a file.
        (root / ".saved").write_text("# About\n\nSaved.\n")
        (root / ".saved").replace(root / ABOUT)
        assert line(process, "Changed: ") == f"Changed: {ABOUT}."
        assert "<p>Saved.</p>" in page(address)
        here.repository.commit()
        assert line(process, "Changed: ") == "Changed: the commits of this clone, or its manifest."
        origin = address.removesuffix("/about/")
        # A machine that is too slow for an answer in 20 seconds gives one without facts.
        answers = (json.loads(page(f"{origin}/-/preview/state?at=/about/")) for _ in range(10))
        assert next(said["path"] for said in answers if said["number"]) == ABOUT
    finally:
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate()
    assert process.returncode == 0
    assert rest.endswith("Ending the preview.\n")
    assert files(root) == before
    assert not stages_folder(root / ".git").exists()


def test_a_port_that_another_program_has_is_refused(here: Terminal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        said = here.run("preview", "--port", port, exits=2).stderr
    assert f"--port: another program has port {port}; leave `--port` out for the next free one" in said


def test_a_path_that_is_not_there_is_refused_before_anything_is_started(here: Terminal) -> None:
    assert "'nowhere.md' is not a committed file" in here.run("preview", "nowhere.md", exits=2).stderr
    assert not stages_folder(here.repository.root / ".git").exists()


def test_a_bare_repository_has_no_files_to_show(here: Terminal) -> None:
    here.repository.git("config", "core.bare", "true")
    said = here.run("preview", exits=2).stderr
    assert "a bare repository has no working tree; run this in a clone" in said
