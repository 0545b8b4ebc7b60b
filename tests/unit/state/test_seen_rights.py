"""The note of the rights that a user was seen to have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model.interface import Kind
from pressync.state.seen_rights import SeenRights

if TYPE_CHECKING:
    from pathlib import Path

TARGET = "https://site.test/wp-json"


def seen(folder: Path, target: str = TARGET) -> SeenRights:
    return SeenRights(folder / "pressync" / "live.rights", target)


def test_rights_are_known_for_the_kinds_the_user_and_the_site_that_were_asked_for(tmp_path: Path) -> None:
    seen(tmp_path).add("ed", [Kind.PAGE])
    assert seen(tmp_path).cover("ed", [Kind.PAGE])
    assert not seen(tmp_path).cover("ed", [Kind.PAGE, Kind.POST])
    assert not seen(tmp_path).cover("jo", [Kind.PAGE])
    assert not seen(tmp_path, "https://other.test/wp-json").cover("ed", [Kind.PAGE])


def test_another_kind_is_added(tmp_path: Path) -> None:
    seen(tmp_path).add("ed", [Kind.PAGE])
    seen(tmp_path).add("ed", [Kind.POST])
    assert seen(tmp_path).cover("ed", [Kind.PAGE, Kind.POST])


def test_dropped_they_are_asked_for_again(tmp_path: Path) -> None:
    seen(tmp_path).drop()
    seen(tmp_path).add("ed", [Kind.PAGE])
    seen(tmp_path).drop()
    assert not seen(tmp_path).cover("ed", [Kind.PAGE])


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"target": 1}', '{"target": "x", "user": "ed", "kinds": 7}']
)
def test_a_note_that_cannot_be_read_knows_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "pressync").mkdir()
    (tmp_path / "pressync" / "live.rights").write_text(text)
    assert not seen(tmp_path).cover("ed", [Kind.PAGE])


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "pressync").write_text("a file")
    seen(tmp_path).add("ed", [Kind.PAGE])
    assert not seen(tmp_path).cover("ed", [Kind.PAGE])
