"""python-frontmatter's own entry points read and write our files through our handlers."""

from __future__ import annotations

import datetime as dt

import frontmatter
import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from pressync.content.front_matter.formats import (
    HANDLERS,
    JSON,
    TOML,
    YAML,
    Bare,
    FrontMatterHandler,
    fenced,
    json_value,
    toml_key,
    toml_value,
    yaml_value,
)
from pressync.content.front_matter.value import Given, UnreadableError

FILES = {
    YAML: "---\ntitle: No\nslug: 010\ntags: [1, two]\n---\n\nText\n",
    TOML: "+++\ntitle = 'No'\nslug = '010'\ntags = [1, 'two']\n+++\n\nText\n",
    JSON: '{\n"title": "No",\n"slug": "010",\n"tags": [1, "two"]\n}\n\nText\n',
}

_words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
# YAML merges what stands below `<<` into the mapping around it.
_keys = _words.filter(lambda key: key != "<<")
_scalars = _words | st.integers(-(10**9), 10**9) | st.booleans() | st.floats(allow_nan=False)
_values = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=2)
)


def plain(metadata: dict[str, object]) -> dict[str, object]:
    return {key: value.plain() if isinstance(value, Given) else value for key, value in metadata.items()}


@pytest.mark.parametrize("new", HANDLERS)
@pytest.mark.parametrize("text", FILES.values())
def test_a_file_goes_from_each_format_to_each_other(text: str, new: FrontMatterHandler) -> None:
    old = frontmatter.detect_format(text, HANDLERS)
    post = frontmatter.loads(text, handler=old)
    written = frontmatter.dumps(post, handler=new)
    assert frontmatter.detect_format(written, HANDLERS) is new
    assert plain(frontmatter.loads(written, handler=new).metadata) == plain(post.metadata)


@pytest.mark.parametrize("handler", HANDLERS)
@examples(values=st.dictionaries(_keys, _values, max_size=4))
def test_plain_values_survive_writing_and_reading(
    handler: FrontMatterHandler, values: dict[str, object]
) -> None:
    head, body = handler.split(f"{fenced(handler, values)}\nText\n")
    assert {key: value.plain() for key, value in handler.load(head).items()} == values
    assert body.strip() == "Text"


def test_null_is_written_where_the_format_has_a_word_for_it() -> None:
    assert [handler.export({"a": None, "b": 1}) for handler in (YAML, TOML)] == ["a: null\nb: 1", "b = 1"]
    assert JSON.export({"a": None}) == '{\n  "a": null\n}'


def test_a_fence_that_is_never_closed_is_a_rule_for_the_library_as_well() -> None:
    assert frontmatter.parse("---\nA rule, and text.", handler=YAML) == ({}, "---\nA rule, and text.")
    with pytest.raises(UnreadableError) as caught:
        frontmatter.parse("---\n\n\ntitle: a\ntitle: b\n---\n", handler=YAML)
    assert caught.value.reasons[0][0] == 5
    with pytest.raises(UnreadableError, match="never closed"):
        frontmatter.parse("---\ntitle: a", handler=YAML)


@pytest.mark.parametrize(
    ("value", "yaml", "toml", "json"),
    [
        ("plain", "plain", '"plain"', '"plain"'),
        ("No", "'No'", '"No"', '"No"'),
        ("it's: so", "'it''s: so'", '"it\'s: so"', '"it\'s: so"'),
        (1e16, "1.0e+16", "1e+16", "1e+16"),
        (float("inf"), ".inf", "inf", "Infinity"),
        (dt.date(2024, 1, 31), "2024-01-31", "2024-01-31", '"2024-01-31"'),
        (Bare("2024-01-31T10:00Z"), "2024-01-31T10:00Z", "2024-01-31T10:00Z", '"2024-01-31T10:00Z"'),
        (("a", 1), "[a, 1]", '["a", 1]', '["a", 1]'),
        ({"a b": [None]}, "{a b: [null]}", None, '{"a b": [null]}'),
    ],
)  # fmt: skip
def test_a_value_is_written_as_it_is_read(value: object, yaml: str, toml: str | None, json: str) -> None:
    assert yaml_value(value) == yaml
    assert json_value(value) == json
    if toml is not None:
        assert toml_value(value) == toml
    quoted = [yaml_value("new", "'old'"), yaml_value("new", '"old"'), toml_value("new", "'old'")]
    assert quoted == ["'new'", '"new"', "'new'"], "quotes stay as they were"
    assert [toml_key(key) for key in ("a-b_1", "a b", "")] == ["a-b_1", '"a b"', '""']
    with pytest.raises(ValueError, match="no null"):
        toml_value(None)
