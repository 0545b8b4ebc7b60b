"""The values of registered fields on a site become front matter that `check` accepts, of any shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from pressync.client.wordpress.whole_site import record_of
from pressync.config import settings
from pressync.content.documents import DocumentReader
from pressync.importing.conversion import front_matter
from pressync.importing.own_site import as_agreed
from pressync.importing.sources.item import Item
from pressync.importing.sources.item import seen as entry_of
from pressync.importing.sources.wordpress_record import Names, stored_item
from pressync.model.fingerprint import fingerprints
from pressync.model.records import Desired, Document, Record, Source
from pressync.model.site_schema import SiteSchema, SiteType, decode, encode, site_types
from pressync.sync import field_comparison

if TYPE_CHECKING:
    from pressync.model.interface import SiteTypes

NAMES = Names({}, {}, {7: "https://example.org/seven.jpg"})
# What Advanced Custom Fields answers for a field that nobody has filled in.
NOTHING: tuple[object, ...] = (None, "", [], {}, False, [""])


def imported(types: SiteTypes, inside: str, value: object) -> tuple[Record, Item, Document]:
    """Import a record whose object `inside` has this value, and read the file as `check` does."""
    record = record_of(
        types.kind("page"),
        {
            "id": 7,
            "type": "page",
            "slug": "about",
            "link": "https://example.org/about/",
            "status": "publish",
            "modified": "2024-03-01T10:00:00",
            "modified_gmt": "2024-03-01T09:00:00",
            "title": {"raw": "About"},
            "content": {"raw": "<p>x</p>"},
            inside: value,
        },
    )
    item = stored_item(record, NAMES, all_statuses=True)
    assert isinstance(item, Item)
    text = front_matter(item, "pages/about.md", types, parent=None, now=None)
    reader = DocumentReader(settings.load(None, where="", environ={})._replace(types=types))
    read = reader.read(Source("content/pages/about.md", "b10b"), text.encode())
    # A picture is a path or an address here: whether the file is there is another check.
    assert read.document, (text, read.problems)
    return record, item, read.document


def types_of(fields: dict[str, Any], inside: str = "acf") -> SiteTypes:
    page = structs.replace(SiteType(route="/wp/v2/pages", right="edit_pages"), **{inside: fields})
    made = SiteSchema(types={"page": page})
    return site_types(decode(encode(made), where="x"), {}, where="x")


IMAGE = {"type": ["integer", "null"]}
GROUP = {"type": ["object", "null"], "properties": {"pic": IMAGE, "alt": {"type": ["string", "null"]}}}
TERMS = {"type": ["integer", "array", "null"], "items": {"type": ["integer"]}}
ROWS = {"type": ["array", "null"], "items": GROUP}


@pytest.mark.parametrize(
    "rules", [IMAGE, GROUP, TERMS, ROWS, {"type": ["string", "null"]}, {"type": "integer"}]
)
@pytest.mark.parametrize("nothing", NOTHING, ids=repr)
def test_a_field_of_acf_that_nobody_has_filled_in_is_not_in_the_file(
    rules: dict[str, Any], nothing: object
) -> None:
    types = types_of({"field": rules, "group": {"type": "object", "properties": {"inner": rules}}})
    _, item, read = imported(types, "acf", {"field": nothing, "group": {"inner": nothing}})
    assert not item.fields
    assert not item.remainders
    assert not any(name.startswith("acf") for name in read.fields)


@pytest.mark.parametrize(
    ("rules", "value", "read"),
    [
        (GROUP, {"pic": None, "alt": "A cat"}, {"pic": None, "alt": "A cat"}),
        (GROUP, {"pic": False, "alt": "A cat"}, {"alt": "A cat"}),
        (GROUP, {"pic": 7, "alt": ""}, {"pic": 7, "alt": None}),
        (TERMS, [3, 4], (3, 4)),
        (ROWS, [{"pic": None}, {"pic": "", "alt": "x"}], ({"pic": None}, {"pic": None, "alt": "x"})),
        ({"type": "array", "items": {"type": "string"}}, ["a", None], ("a", "")),
        ({"type": ["boolean", "null"]}, False, False),
    ],
)  # fmt: skip
def test_a_value_with_empty_parts_keeps_the_others(
    rules: dict[str, Any], value: object, read: object
) -> None:
    types = types_of({"field": rules})
    _, item, document = imported(types, "acf", {"field": value})
    assert not item.remainders
    assert document.fields["acf.field"] == read


def test_a_value_that_its_schema_refuses_is_named_in_the_account() -> None:
    types = types_of({"field": {"type": ["integer", "null"], "maximum": 5}})
    _, item, document = imported(types, "acf", {"field": 9})
    assert [each.kind for each in item.remainders] == ["field acf.field"]
    assert "acf.field" not in document.fields


def rules_of(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    lists = st.builds(
        lambda each, types: {"type": types, "items": each},
        inner,
        st.sampled_from([["array", "null"], "array", ["integer", "array", "null"], ["array", "string"]]),
    )
    groups = st.builds(
        lambda members, types, more: {"type": types, "properties": members, **more},
        st.dictionaries(st.sampled_from(["pic", "alt", "n", "on"]), inner, max_size=3),
        st.sampled_from([["object", "null"], "object"]),
        st.sampled_from([{}, {"additionalProperties": False}, {"required": ["pic"]}]),
    )
    return lists | groups


RULES = st.recursive(
    st.builds(
        lambda types, more: {"type": types, **more},
        st.sampled_from(
            [
                "string",
                "integer",
                "number",
                "boolean",
                ["string", "null"],
                ["integer", "null"],
                ["boolean", "null"],
            ]
        ),
        st.sampled_from(
            [
                {},
                {},
                {"minimum": 1},
                {"maximum": 3},
                {"enum": ["a", 1]},
                {"format": "uri"},
                {"format": "date-time"},
                {"minLength": 2},
                {"title": "T"},
            ]
        ),
    ),
    rules_of,
    max_leaves=5,
)
SCALARS = (
    st.sampled_from(
        [None, "", False, True, 0, 1, 7, 2.5, "a", "photo.jpg", "2024-01-31 10:00:00", "null", "~", "010"]
    )
    | st.integers(-(2**53), 2**53)
    | st.text(max_size=6)
)


def values_of(rules: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Give values that fit the rules, and some that do not: plug-ins describe their values badly."""
    types = rules.get("type")
    names = types if isinstance(types, list) else [types]
    found = [st.sampled_from(NOTHING), SCALARS]
    if "array" in names:
        found += [st.lists(values_of(rules.get("items", {})), max_size=2)] * 3
    if "object" in names:
        members = {name: values_of(each) for name, each in rules.get("properties", {}).items()}
        found += [st.fixed_dictionaries({}, optional=members), st.fixed_dictionaries(members)]
    return st.one_of(found)


@given(st.data(), st.sampled_from(["acf", "meta"]))
def test_every_value_is_imported_into_a_file_without_problems_that_is_in_step(
    data: st.DataObject, inside: str
) -> None:
    fields = data.draw(st.dictionaries(st.sampled_from(["one", "two"]), RULES, min_size=1))
    value = {name: data.draw(values_of(rules)) for name, rules in fields.items()}
    types = types_of(fields, inside)
    record, item, document = imported(types, inside, value)
    desired = Desired(
        path=document.path,
        blob="b10b",
        kind=record.kind,
        slug="about",
        title="About",
        fingerprints=fingerprints(document.fields),
        parent_path=None,
        basis="",
    )
    agreed = as_agreed(desired, entry_of(record), "")
    own = {name for name in agreed.fingerprints if name.startswith(inside)}
    assert not own & field_comparison.edits(agreed, record).keys()
    # A value is in the file, or it is one for nothing, or the account has it.
    named = {each.kind.removeprefix("field ") for each in item.remainders}
    assert own | {each.field for each in document.mentions} >= {
        n for n in item.fields if n.startswith(inside)
    }
    assert not named & own
