"""The folders of stages: they go with their rehearsal, or are kept by name."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pressync.app.rehearse import directories

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_goes_with_its_rehearsal_also_after_an_error(tmp_path: Path) -> None:
    with directories.opened(tmp_path) as folder:
        (folder.path / "site.db").write_text("rows")
        assert folder.path.stat().st_mode & 0o777 == 0o700
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyboardInterrupt), directories.opened(tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_kept_folder_replaces_the_one_before_and_stays(tmp_path: Path) -> None:
    for text in ("old", "new"):
        with directories.opened(tmp_path) as folder:
            (folder.path / "site.db").write_text(text)
            kept = folder.keep("live-1234567")
    assert (kept / "site.db").read_text() == "new"
    with directories.opened(tmp_path):
        pass
    assert [path.name for path in directories.root(tmp_path).iterdir()] == ["kept-live-1234567"]


def test_a_folder_that_is_used_stays_and_that_of_a_killed_process_goes(tmp_path: Path) -> None:
    killed = directories.root(tmp_path) / "running-1-killed"
    killed.mkdir(parents=True)
    (killed / "site.db").write_text("rows")
    with directories.opened(tmp_path) as first, directories.opened(tmp_path) as second:
        assert not killed.exists()
        assert first.path.is_dir()
        assert second.path.is_dir()
    assert list(tmp_path.iterdir()) == []


def test_the_next_rehearsal_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    dies = (
        "import os, pathlib, signal, sys\n"
        "from pressync.app.rehearse import directories\n"
        "with directories.opened(pathlib.Path(sys.argv[1])) as folder:\n"
        "    (folder.path / 'site.db').write_text('rows')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", dies, str(tmp_path)], check=False)
    assert len(list(directories.root(tmp_path).iterdir())) == 1
    with directories.opened(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []
