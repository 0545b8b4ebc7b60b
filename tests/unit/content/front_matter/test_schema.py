"""The JSON schema of front matter marks what pressync refuses, and nothing that pressync takes."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import YAMLError
from tests.support.kinds import BOOK, TYPES

from pressync.config.settings import load
from pressync.content.documents import DocumentReader
from pressync.content.front_matter import keys, schema
from pressync.content.front_matter.schema import front_matter, properties
from pressync.model.interface import DOCUMENTED_TYPES, Kind
from pressync.model.records import Source

if TYPE_CHECKING:
    from pressync.model.errors import Problem

KEYS = sorted({*keys.readers(Kind.PAGE.row), *keys.readers(Kind.POST.row), *schema.FOREIGN})
GUIDE = Path(__file__).parents[4] / "content/pages/writing/index.md"


class _Editor(SafeConstructor):
    """YAML 1.2 as an editor reads it: a date is text."""


_Editor.add_constructor(
    "tag:yaml.org,2002:timestamp", lambda constructor, node: constructor.construct_scalar(node)
)


def as_an_editor_reads(text: str) -> Any:  # noqa: ANN401 - any YAML
    reader = YAML(typ="safe", pure=True)
    reader.Constructor = _Editor
    return reader.load(text)


@cache
def validator(kind: Kind | None = None) -> jsonschema.Draft7Validator:
    schema = front_matter(kind)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def marked(value: object, kind: Kind | None) -> list[str]:
    """Give what an editor marks: the key and the message."""
    return [f"{error.json_path}: {error.message}" for error in validator(kind).iter_errors(value)]


def refused(text: str, kind: Kind) -> list[Problem]:
    """Give the problems for which pressync refuses a file with this front matter."""
    source = Source(f"content/{kind}s/a.md", "0" * 40)
    read = DocumentReader(load(None, where="", environ={})).read(source, text.encode())
    return [problem for problem in read.problems if not problem.warning]


WORDS = [
    *("", " ", "publish", " draft ", "bogus", "new", "open", "closed", "yes", "No", "on", "OFF", "true", "y"),
    *("0", "1", "-1", "010", "1.5", "1_000", "+5", "1e3", "0x1f", "1:30", ".5", "-.5", "9223372036854775808"),
    *("2024-01-31", "2024-1-1 9:30", "2024-02-30", "2024-01-31T10:00:00+02:00", "31.1.2024", "2024-01-01Z"),
    *("a/b", "a//b", "/", "/a/", "a/ /b", "page", "post", "aside", "x.html", "null", "~"),
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([2**63, -(2**63) - 1, 2024]),
    st.sampled_from([0.5, 1.0, -1.0, 1.5, -0.5]),
    st.sampled_from(WORDS),
    st.text(max_size=5),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["created", "footnotes", "name", "raw"]), inner, max_size=2),
    ),
    max_leaves=4,
)


def is_beyond_a_schema(key: str, value: object) -> bool:
    """Tell whether a schema cannot know that pressync refuses a value: text of numbers, calendars, sizes."""
    texts = value if isinstance(value, list) else [value]
    if key in {"date", "date_gmt"}:
        return True  # The calendar does not have the date.
    if key == "aliases" and None in texts:
        return True  # A null has a text in YAML: `~`.
    return any(
        isinstance(text, str | float) or (isinstance(text, int) and (text == 0 or abs(text) >= 2**63))
        for text in texts
    )


def _has_empty_item(values: dict[str, object]) -> bool:
    """Tell whether pressync leaves a whole list out with a warning, because one of its items is empty."""
    lists = [
        value
        for key, value in values.items()
        if key in DOCUMENTED_TYPES.taxonomies and isinstance(value, list)
    ]
    items = [item for each in lists for item in each]
    return any(item is None or isinstance(item, list | dict) or not str(item).strip() for item in items)


@pytest.mark.parametrize("kind", DOCUMENTED_TYPES.kinds)
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, min_size=1, max_size=3))
def test_schema_and_pressync_refuse_the_same_json(kind: Kind, values: dict[str, object]) -> None:
    if str(values.get("type")) in {"page", "post"}:
        values.pop("type")
    wrong, marks = refused(json.dumps(values), kind), marked(values, kind)
    if marks and not _has_empty_item(values):
        assert wrong, marks
    for problem in wrong:
        named = [key for key in values if re.search(rf"\b{key}\b", problem.what)]
        sayable = [key for key in named if not is_beyond_a_schema(key, values[key])]
        assert marks or not sayable or problem.code == "front-matter", problem


PLAIN = st.sampled_from([word for word in WORDS if word.strip()]) | st.sampled_from(
    ["[a, b]", "[]", "{}", "[~]", "{created: 2024-01-31}", "{footnotes: x}", "[2024, 010]", "'0'", '"x"', "-"]
)


@pytest.mark.parametrize("kind", DOCUMENTED_TYPES.kinds)
@given(st.dictionaries(st.sampled_from(KEYS), PLAIN, min_size=1, max_size=3))
def test_an_editor_marks_no_yaml_that_pressync_takes(kind: Kind, values: dict[str, str]) -> None:
    if values.get("type") in {"page", "post"}:
        values.pop("type")
    text = "".join(f"{key}: {value}\n" for key, value in values.items())
    try:
        seen = as_an_editor_reads(text)
    except YAMLError:
        return
    if marks := marked(seen, kind):
        assert refused(f"---\n{text}---\n", kind), (text, marks)


WRONG: list[tuple[Kind | None, str]] = [
    *((None, f"{key}: [a]") for key in ("title", "slug", "excerpt", "description", "layout", "template")),
    *(
        (None, f"{key}: bogus")
        for key in ("status", "comment_status", "ping_status", "date", "draft", "meta")
    ),
    *((None, f"{key}: maybe") for key in ("protect", "date_gmt")),
    *((Kind.PAGE, line) for line in ("parent: -1", "parent: ''", "menu_order: many", "weight: [1]")),
    *((Kind.POST, line) for line in ("format: asid", "sticky: maybe", "categories: 0", "tags: [0]")),
    *((Kind.POST, line) for line in ("categories: [a//b]", "categories: /", "tags: [-1]", "tags: -1")),
    *(
        (None, line)
        for line in ("author: -1", "featured_media: -1", "id: 0", "aliases: ['']", "aliases: [[a]]")
    ),
    (None, "type: [page]"),
    (None, "date: 2024-01-31\ndate_gmt: 2024-01-31"),
    (None, "draft: true\nstatus: publish"),
    (None, "published: false\nstatus: private"),
]


@pytest.mark.parametrize(("kind", "text"), WRONG, ids=[text.replace("\n", ", ") for _, text in WRONG])
def test_both_refuse(kind: Kind | None, text: str) -> None:
    assert refused(f"---\n{text}\n---\n", kind or Kind.POST)
    assert marked(as_an_editor_reads(text), kind)
    assert marked(as_an_editor_reads(text), None)


def test_each_key_that_pressync_reads_is_described_with_an_example() -> None:
    read = {key for kind in DOCUMENTED_TYPES.kinds for key in keys.readers(kind.row)} - {"content"}
    assert schema.KEYS.keys() == read
    for key, says in {**schema.KEYS, **schema.FOREIGN}.items():
        assert says.description.endswith((".", '".')), key
        assert 10 < len(says.description) <= 110, key
        assert any(f"`{key}{end}" in GUIDE.read_text(encoding="utf-8") for end in ("`", ":")), key
        for example in says.examples:
            kind = Kind.PAGE if key in keys.readers(Kind.PAGE.row) else Kind.POST
            assert not refused(json.dumps({key: example}), kind), key
            assert not marked({key: example}, kind), key
    assert {"parent", "weight", "menu_order"} <= properties(Kind.PAGE).keys()
    assert not {"parent", "weight"} & properties(Kind.POST).keys()
    assert not {"sticky", "tags"} & properties(Kind.PAGE).keys()
    assert properties().keys() == properties(Kind.PAGE).keys() | properties(Kind.POST).keys()


def test_names_of_the_site_are_offered_and_others_are_not_marked() -> None:
    schema = front_matter(names={"tags": ("Bread",), "author": ("jane",), "layout": ("reference",)})
    listed = schema["properties"]["tags"]["anyOf"][0]["items"]["anyOf"][0]
    assert listed == {"enum": ["Bread"]}
    assert schema["properties"]["author"]["anyOf"][0] == {"enum": ["jane"]}
    jsonschema.validate({"tags": ["Bread", "new"], "author": "anna", "layout": "page"}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"tags": [0]}, schema)


def test_the_schema_of_a_book_has_its_fields_with_their_values() -> None:
    found = front_matter(BOOK, types=TYPES)
    fields = found["properties"]["meta"]["properties"]
    assert fields["binding"]["anyOf"][0] == {"enum": ["paper", "cloth", "leather"]}
    assert fields["size"]["properties"].keys() == {"width", "height"}
    assert found["properties"]["seo"]["properties"].keys() == {"title", "description", "noindex", "canonical"}
    acf = found["properties"]["acf"]["properties"]["cover"]
    assert acf["description"] == "Cover. An image. A field that the site registered: integer or null."
    editor = jsonschema.Draft7Validator(found)
    taken = {"meta": {"binding": "cloth", "isbn": 1, "size": {"width": "2"}}, "acf": {"cover": "a.png"}}
    assert editor.is_valid(taken)
    assert not editor.is_valid({"meta": {"binding": "wood"}})
    assert not editor.is_valid({"meta": {"isbn": ["1"]}})
