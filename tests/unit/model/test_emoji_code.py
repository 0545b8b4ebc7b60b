"""An emoji code is told from times, modules and the codes that WordPress knows."""

from __future__ import annotations

import re

import pytest

from pressync.model.emoji_code import EMOJI_CODE


@pytest.mark.parametrize("text", [":heart:", "a :+1: b", "(:man_shrugging:)", '":cherries:', ":wink2:"])
def test_a_code_is_found(text: str) -> None:
    assert re.search(EMOJI_CODE, text)


@pytest.mark.parametrize("text", [":wink:", "10:20:30", "a::b::c", "a:b:", ":Title:", ":role:`x`", ":a b:"])
def test_other_text_is_not(text: str) -> None:
    assert not re.search(EMOJI_CODE, text)
