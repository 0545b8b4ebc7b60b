"""Texts are kept in a file that nobody else sees, and come back as they were."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from pressync.content import kept_texts
from pressync.content.kept_texts import KeptTexts, TextPlace

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


@given(st.lists(st.text(st.characters())))
def test_each_text_comes_back_as_it_was(texts: list[str]) -> None:
    kept = KeptTexts()
    places = [kept.keep(text) for text in texts]
    assert [kept.read(place) for place in places if place] == texts


def test_the_file_has_no_name_and_ends_with_its_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kept = KeptTexts()
    assert kept.keep("a private page")
    assert list(tmp_path.iterdir()) == []
    file = kept._opened()  # noqa: SLF001 - nothing else shows whether it is closed
    del kept
    assert file.closed


def test_without_a_folder_for_it_no_text_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    kept = KeptTexts()
    assert kept.keep("text") is None
    assert kept.read(TextPlace(0, 4)) is None


def test_a_full_disk_keeps_what_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = KeptTexts()
    first = kept.keep("first")
    assert first
    file = kept._opened()  # noqa: SLF001 - its place has no other name
    os.ftruncate(file.fileno(), 3)
    assert kept.read(first) is None
    monkeypatch.setattr(kept_texts, "_MOST", 8)
    assert kept.keep("more than that") is None
    assert kept.keep("two")
