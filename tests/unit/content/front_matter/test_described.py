"""The descriptions of front matter: the guide has a row or a line for each key."""

from __future__ import annotations

from pathlib import Path

import pytest

from pressync.content.front_matter.described import FOREIGN, KEYS

GUIDE = Path(__file__).parents[4] / "content/pages/writing/index.md"


@pytest.mark.parametrize("key", [*KEYS, *FOREIGN])
def test_the_guide_names_each_key(key: str) -> None:
    assert any(f"`{key}{end}" in GUIDE.read_text(encoding="utf-8") for end in ("`", ":"))


@pytest.mark.parametrize("key", [*KEYS, *FOREIGN])
def test_an_editor_has_room_for_a_description(key: str) -> None:
    assert 10 < len({**KEYS, **FOREIGN}[key].description) <= 110
