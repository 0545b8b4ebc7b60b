"""Front matter with another value: only that value's bytes are others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.content.documents import split
from pressync.content.front_matter.edit import Plain, Setting, UneditableError, edited, head_of

YAML = """\
---
# what it is about
title: "Old"   # short
weight:   2
tags:
  - 1   # one
  - 2
excerpt: >
  folded
  text

empty:
nested: {a: 1, b: [2]}
---

Body
"""
TOML = """\
+++
# what it is about
"title" = 'Old' # has a #
tags = [1,
  2] # two
date = 2024-01-31T10:00:00Z

[params]
weight = 2
+++
Body
"""
JSON = '{\n  "title" : "Old",\n  "tags": [1, 2]\n}\n\nBody\n'


@pytest.mark.parametrize(
    ("text", "setting", "old", "new"),
    [
        (YAML, Setting("title", 'New "one"'), '"Old"', '"New \\"one\\""'),
        (YAML, Setting("weight", 3), "2\n", "3\n"),
        (YAML, Setting("tags", (3,)), "  - 1   # one\n  - 2\n", "  - 3\n"),
        (YAML, Setting("tags", ()), "\n  - 1   # one\n  - 2\n", " []\n"),
        (YAML, Setting("excerpt", "a\nb"), ">\n  folded\n  text\n", '"a\\nb"\n'),
        (YAML, Setting("empty", "full"), "empty:", "empty: full"),
        (YAML, Setting("slug", "a"), "nested: {a: 1, b: [2]}\n", "nested: {a: 1, b: [2]}\nslug: a\n"),
        (TOML, Setting("title", "it's"), "'Old'", '"it\'s"'),
        (TOML, Setting("tags", (3, "x")), "[1,\n  2]", '[3, "x"]'),
        (TOML, Setting("date", "2025-01-31T10:00:00Z", bare=True), "2024", "2025"),
        (TOML, Setting("sticky", value=True), "00Z\n", "00Z\nsticky = true\n"),
        (JSON, Setting("title", "É"), '"Old"', '"É"'),
        (JSON, Setting("slug", "a"), "2]", '2],\n  "slug": "a"'),
        ("Body\n", Setting("slug", "a"), "Body", "---\nslug: a\n---\n\nBody"),
        ("---\n\nBody\n", Setting("slug", "a"), "---", "---\nslug: a\n---\n\n---"),
        ("{}\nBody\n", Setting("slug", "a"), "{}", '{\n  "slug": "a"\n}'),
        ("---\n---\nBody\n", Setting("slug", "a"), "---\n---", "---\nslug: a\n---"),
        ("+++\n[a]\n+++\n", Setting("slug", "a"), "[a]", 'slug = "a"\n[a]'),
        ("---\n{a: 1}\n---\n", Setting("slug", "a"), "a: 1}", "a: 1, slug: a}"),
        ("+++\na.b = 1\nc = 2\n+++\n", Setting("slug", "a"), "c = 2\n", 'c = 2\nslug = "a"\n'),
    ],
)
def test_a_value_is_put_in_the_place_of_the_old_one(text: str, setting: Setting, old: str, new: str) -> None:
    assert edited(text, [setting]) == text.replace(old, new, 1)


NESTED_YAML = """\
---
meta:
  isbn: "1"  # one
  size:
    width: 1   # wide

    height: 2
  words: [a, b]
  rows:
    - name: x
      size: 1
    - {name: y, size: 2}
---
"""
NESTED_TOML = """\
+++
title = "Old"
[meta]
isbn = '1'  # one
words = ["a",
  "b",  # last
]
rows = [{name = "x", size = 1}]

[meta.size]
width = 1   # wide
height = 2

[[acf.team]]
name = "x"
[[acf.team]]
name = "y"
+++
"""
NESTED_JSON = """\
{
  "title": "Old",
  "meta": {"isbn": "1", "words": ["a", "b"],
    "size": {
      "width" : 1, "height": 2
    }
  }
}
"""
SIZE = ("meta", "size")


@pytest.mark.parametrize(
    ("text", "setting", "old", "new"),
    [
        (NESTED_YAML, Setting(("meta", "isbn"), "9"), '"1"', '"9"'),
        (
            NESTED_YAML,
            Setting(SIZE, {"width": 3, "height": 2}, old={"width": 1, "height": 2}),
            "1   #",
            "3   #",
        ),
        (NESTED_YAML, Setting(SIZE, {"height": 2}), "    width: 1   # wide\n\n    h", "    h"),
        (NESTED_YAML, Setting((*SIZE, "depth"), 3), "height: 2\n", "height: 2\n    depth: 3\n"),
        (NESTED_YAML, Setting(("meta", "words"), ("a", "c", "d"), old=("a", "b")), "b]", "c, d]"),
        (NESTED_YAML, Setting(("meta", "new"), 1.5), "size: 2}\n", "size: 2}\n  new: 1.5\n"),
        (NESTED_YAML, Setting(("acf", "new"), "No"), "size: 2}\n---", "size: 2}\nacf: {new: 'No'}\n---"),
        (
            NESTED_YAML,
            Setting(
                ("meta", "rows"),
                ({"name": "x", "size": 3}, {"name": "z", "size": 2}, {"name": "new"}),
                old=({"name": "x", "size": 1}, {"name": "y", "size": 2}),
            ),
            "size: 1\n    - {name: y, size: 2}\n",
            "size: 3\n    - {name: z, size: 2}\n    - {name: new}\n",
        ),
        (
            NESTED_TOML,
            Setting(SIZE, {"width": 3, "height": 2}, old={"width": 1, "height": 2}),
            "1   #",
            "3   #",
        ),
        (NESTED_TOML, Setting((*SIZE, "depth"), 3), "height = 2\n", "height = 2\ndepth = 3\n"),
        (NESTED_TOML, Setting(("meta", "words"), ("a", "b", "c"), old=("a", "b")), '"b"', '"b",\n  "c"'),
        (NESTED_TOML, Setting(("meta", "rows", 0, "size"), 2), "size = 1}", "size = 2}"),
        (NESTED_TOML, Setting(("seo", "title"), "a"), 'Old"\n', 'Old"\nseo = {title = "a"}\n'),
        (NESTED_JSON, Setting((*SIZE, "depth"), 3), "2\n", '2, "depth": 3\n'),
        (NESTED_JSON, Setting(("acf", "a"), {"b": [1]}), "  }\n}", '  },\n  "acf": {"a": {"b": [1]}}\n}'),
        ("Body\n", Setting(("meta", "a"), 1), "Body", "---\nmeta: {a: 1}\n---\n\nBody"),
        ("---\nmeta:\n---\n", Setting(("meta", "a"), 1), "meta:", "meta: {a: 1}"),
    ],
)
def test_a_member_of_an_object_or_a_list_is_a_place(text: str, setting: Setting, old: str, new: str) -> None:
    found = edited(text, [setting])
    assert found == text.replace(old, new, 1)
    assert not split("a.md", found).problems


# Texts that YAML or TOML would not read as the same text without quotes.
ODD = (
    *("No", "010", "null", "2024-01-31", "a: b", "# a", "- a", "[a]", "{a}", "a\tb\nc", "'", '"', ""),
    *(" a ", "\x7f"),
)


@pytest.mark.parametrize("text", [YAML, TOML, JSON, "Body\n", "---\nkey: 1\n---\n", '{"a": 1}'])
@given(value=st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))) | st.sampled_from(ODD))
def test_any_text_is_read_again_as_it_was_written(text: str, value: str) -> None:
    for key in ("title", "new_key"):
        read = split("a.md", edited(text, [Setting(key, value)]))
        assert not read.problems
        assert read.values[key].value == value
        assert read.values[key].text == value


@pytest.mark.parametrize("value", [7, -1, True, (1, 2), (), ("a", 3), ("a, b", "[c]", "d: e")])
@pytest.mark.parametrize("text", [YAML, TOML, JSON])
def test_numbers_truth_and_lists_too(text: str, value: Plain) -> None:
    read = split("a.md", edited(text, [Setting("tags", value), Setting("other", value)])).values
    expected = list(value) if isinstance(value, tuple) else value
    assert read["tags"].plain() == read["other"].plain() == expected


def test_front_matter_without_keys_is_not_edited() -> None:
    with pytest.raises(UneditableError):
        edited("---\n- a\n---\n", [Setting("title", "x")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: 1 # one\n'b c': x y\n---\n", {"a": "1", "b c": "x y"}),
        ("---\na: &x [1,\n  2]\nb: *x\n---\n", {"a": "&x [1,\n  2]", "b": "*x"}),
        ("---\na:\n- 1\n- 2 # two\n# end\nb: |\n  text\n\n---\n", {"a": "\n- 1\n- 2", "b": "|\n  text"}),
        (
            '+++\na = "#" # x\nb = """\nc = 1\n"""\n[t]\nd = 1\n+++\n',
            {"a": '"#"', "b": '"""\nc = 1\n"""', "t": "d = 1"},
        ),
        ('{"a": {"b": [1]}, "c" :2 }', {"a": '{"b": [1]}', "c": "2"}),
    ],
)
def test_each_value_is_found_without_what_stands_around_it(text: str, expected: dict[str, str]) -> None:
    head = head_of(text)
    assert head is not None
    found = {key: text[span.start : span.end] for key in head.keys for span in [head.spans[key,]]}
    assert found == expected
    assert head_of("Body\n") is head_of("---\n\nA rule.\n") is None
