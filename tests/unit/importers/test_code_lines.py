"""Lines of code are told from lines of text."""

from __future__ import annotations

from pressync.importers.code_lines import lines


def test_a_fence_ends_with_as_many_of_the_same_characters() -> None:
    text = "a\n````md\n```\n# b\n~~~~\n````\nc"
    assert [line for line, is_code in lines(text) if not is_code] == ["a", "c"]


def test_code_in_a_list_is_code() -> None:
    text = "- ```\n  {x}\n  ```\n- b"
    assert [line for line, is_code in lines(text) if not is_code] == ["- b"]


def test_a_line_of_inline_code_opens_nothing() -> None:
    assert not any(is_code for _, is_code in lines("``` a ``` b\nc"))


def test_a_fence_that_is_indented_further_is_code_of_the_block() -> None:
    text = "```\n    ```\n    a\n    ```\n```\nb"
    assert [line for line, is_code in lines(text) if not is_code] == ["b"]


def test_a_block_ends_with_the_list_that_holds_it() -> None:
    text = "- a\n\n    ```\n    b\n\nc\n> > ```\n> > d\n> > ```\n> e"
    assert [line for line, is_code in lines(text) if not is_code] == ["- a", "", "c", "> e"]
