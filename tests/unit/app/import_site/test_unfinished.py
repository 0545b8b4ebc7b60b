"""The command of an import that writes files is kept until the import is finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.import_site import unfinished
from pressync.app.import_site.unfinished import ImportNote

if TYPE_CHECKING:
    from pathlib import Path


def test_a_command_is_kept_until_its_import_is_finished(tmp_path: Path) -> None:
    one, other = ImportNote("a", "pressync import 'a b'"), ImportNote("b", "pressync import b")
    assert unfinished.commands(tmp_path) == []
    unfinished.begin(tmp_path, one)
    unfinished.begin(tmp_path, one._replace(command="pressync import 'a b' --forgotten"))
    unfinished.begin(tmp_path, other)
    assert unfinished.commands(tmp_path, "b") == ["pressync import 'a b' --forgotten"]
    unfinished.end(tmp_path, "b")
    assert unfinished.commands(tmp_path) == ["pressync import 'a b' --forgotten"]
    unfinished.end(tmp_path, "a")
    assert not unfinished.folder(tmp_path).exists()
