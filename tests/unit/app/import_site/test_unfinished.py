"""The command of an import that writes files is kept until the import is finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.import_site import unfinished

if TYPE_CHECKING:
    from pathlib import Path


def test_a_command_is_kept_until_its_import_is_finished(tmp_path: Path) -> None:
    assert unfinished.command(tmp_path) == ""
    unfinished.begin(tmp_path, "pressync import 'a b'")
    assert unfinished.command(tmp_path) == "pressync import 'a b'"
    unfinished.end(tmp_path)
    assert unfinished.command(tmp_path) == ""
