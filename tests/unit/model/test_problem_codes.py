"""The names of problems: programs filter by them."""

from __future__ import annotations

import re

import pytest

from pressync.model.problem_codes import Code


@pytest.mark.parametrize("code", Code)
def test_a_code_is_a_kebab_case_text_and_its_help_is_a_sentence(code: Code) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
    assert re.fullmatch(r"[A-Z].*[^.]\.", code.help)
    assert f"{code}" == code.value
