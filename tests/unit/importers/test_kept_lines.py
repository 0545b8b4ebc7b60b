"""Values of a killed import come back, and half a value does not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pressync.importers.kept_lines import KeptLines

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def kept(file: Path, **values: object) -> KeptLines:
    with KeptLines(file) as lines:
        lines.keep(values)
    return lines


def test_another_import_gets_the_newest_value_of_each_key_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    file = tmp_path / "import/rows"
    kept(file, a={"text": "one\ntwo"}, b=[1])
    kept(file, b=[2])
    with KeptLines(file) as lines:
        assert [lines.get(key) for key in "abc"] == [{"text": "one\ntwo"}, [2], None]
        assert (lines.has_any("a"), lines.has_any("c")) == (True, False)
    assert file.stat().st_mode & 0o777 == 0o600


def test_half_a_line_is_not_read_and_the_lines_after_it_are(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    kept(file, a="whole", b="cut off by a kill")
    os.truncate(file, file.stat().st_size - 5)
    kept(file, c="after")
    with KeptLines(file) as lines:
        assert [lines.get(key) for key in "abc"] == ["whole", None, "after"]


def test_bytes_of_a_power_cut_are_not_a_value(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    file.write_bytes(b'a "one"\nb "t\0\0\0\n\0\0\0\n')
    with KeptLines(file) as lines:
        assert [lines.get(key) for key in "ab"] == ["one", None]


def test_a_text_of_yesterday_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    kept(file, a="old")
    os.utime(file, (1, 1))
    with KeptLines(file) as lines:
        assert lines.get("a") is None


def test_without_a_place_for_them_an_import_keeps_nothing_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for nowhere in (None, tmp_path / "file/rows"):
        with KeptLines(nowhere) as lines:
            lines.keep({"a": 1})
            assert lines.get("a") is None


def test_a_full_disk_does_not_stop_an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open
    monkeypatch.setattr(os, "open", lambda *_: real("/dev/full", os.O_WRONLY))
    with KeptLines(tmp_path / "rows") as lines:
        lines.keep({"a": 1})
        assert lines.get("a") is None
