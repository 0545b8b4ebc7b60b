"""The documented dialect, and a service that makes one attempt for each call, over a real socket."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.client.documented import encode_form, record, request
from pressync.client.port import HttpResponse, WrongDialectShown
from pressync.model.changes import CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import BadAnswer, ServiceError
from pressync.model.interface import DOCUMENTED_TYPES, Kind, Type

if TYPE_CHECKING:
    from pressync.model.changes import Call
    from pressync.model.records import Fields, Value


Json = dict[str, Any]

PAGE: Json = {
    "id": 12,
    "type": "page",
    "slug": "about",
    "link": "https://example.org/about/",
    "modified": "2024-03-01T11:00:00",
    "modified_gmt": "2024-03-01T10:00:00",
    "title": {"raw": "About", "rendered": "About"},
    "content": {"raw": "<p>x</p>", "rendered": "<p>x</p>", "block_version": 0, "protected": False},
}
POST = PAGE | {"type": "post"}
UPDATE = UpdateCall(Kind.PAGE, 12, {"slug": "about"})


def sent(fields: Fields, kind: Kind = Kind.PAGE) -> dict[str, str]:
    """Give the form fields of an update, decoded as a server would."""
    body = request(UpdateCall(kind, 12, fields)).body.decode("ascii")
    pairs = parse_qsl(body, keep_blank_values=True, strict_parsing=bool(body))
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def answer(body: Json, status: int = 200) -> HttpResponse:
    return HttpResponse(status, "application/json", {}, json.dumps(body).encode())


@pytest.mark.parametrize(
    ("call", "method", "path", "body"),
    [
        (CreateCall(Kind.PAGE, {}), "POST", "/wp/v2/pages", b""),
        (UpdateCall(Kind.PAGE, 12, {}), "POST", "/wp/v2/pages/12", b""),
        (UpdateCall(Kind.POST, 12, {}), "POST", "/wp/v2/posts/12", b""),
        (DeleteCall(Kind.PAGE, 12), "DELETE", "/wp/v2/pages/12", b"force=false"),
        (DeleteCall(Kind.POST, 12, permanent=True), "DELETE", "/wp/v2/posts/12", b"force=true"),
    ],
)
def test_each_operation_has_its_method_and_path(call: Call, method: str, path: str, body: bytes) -> None:
    made = request(call)
    assert (made.method, made.path, made.body) == (method, path, body)
    assert made.content_type == "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("kind", "fields", "form"),
    [
        (Kind.PAGE, {"slug": "über uns"}, {"slug": "über uns"}),
        (Kind.PAGE, {"parent": 0}, {"parent": "0"}),
        (Kind.PAGE, {"menu_order": -3}, {"menu_order": "-3"}),
        (Kind.PAGE, {"date": "2024-03-01T10:00:00"}, {"date": "2024-03-01T10:00:00"}),
        (Kind.PAGE, {"meta": {"footnotes": "[]"}}, {"meta": '{"footnotes":"[]"}'}),
        (Kind.PAGE, {"template": ""}, {"template": ""}),
        (Kind.PAGE, {}, {}),
        (Kind.POST, {"sticky": True}, {"sticky": "true"}),
        (Kind.POST, {"sticky": False}, {"sticky": "false"}),
        (Kind.POST, {"categories": (3, 1)}, {"categories": "[3,1]"}),
        (Kind.POST, {"tags": ()}, {"tags": "[]"}),
    ],
)
def test_a_record_is_encoded_as_documented(kind: Kind, fields: Fields, form: dict[str, str]) -> None:
    assert sent(fields, kind) == form


@pytest.mark.parametrize(("password", "protected"), [("geheim", True), ("", False), (None, False)])
def test_texts_are_sent_as_the_whole_documented_objects(password: str | None, protected: bool) -> None:
    texts: Fields = {"title": 'R&D "now"', "content": "<p>é</p>", "excerpt": "<b>e</b>"}
    form = sent({**texts, "password": password} if password is not None else texts)
    assert form.pop("password", None) == password
    assert {name: json.loads(text) for name, text in form.items()} == {
        "title": {"raw": 'R&D "now"', "rendered": "R&amp;D &quot;now&quot;"},
        "content": {"raw": "<p>é</p>", "rendered": "<p>é</p>", "block_version": 0, "protected": protected},
        "excerpt": {"raw": "<b>e</b>", "rendered": "<b>e</b>", "protected": protected},
    }


@pytest.mark.parametrize("kind", list(DOCUMENTED_TYPES.kinds))
def test_every_field_of_the_interface_can_be_sent(kind: Kind) -> None:
    samples: dict[Type, Value] = {
        Type.STRING: "x",
        Type.DATETIME: "2024-03-01T10:00:00",
        Type.INTEGER: 1,
        Type.BOOLEAN: True,
        Type.INTEGERS: (1,),
        Type.OBJECT: "x",
    }
    fields = {field.name: samples[field.type] for field in kind.row.body} | {"meta": {"footnotes": ""}}
    assert sent(fields, kind).keys() == {field.name for field in kind.row.body}


@pytest.mark.parametrize(
    "fields",
    [
        {"id": 13},
        {"sticky": True},
        {"modified": "2024-03-01T10:00:00"},
        {"parent": "12"},
        {"parent": True},
        {"slug": 12},
        {"title": {"raw": "x"}},
        {"meta": "x"},
        {"meta": {"other": "x"}},
        {"slug": None},
    ],
)
def test_what_the_operation_does_not_have_is_never_sent(fields: Fields) -> None:
    with pytest.raises(ValueError, match=next(iter(fields))):
        request(UpdateCall(Kind.PAGE, 12, fields))


@pytest.mark.parametrize("number", [0, -1, True, 2**63])
def test_a_number_that_is_not_an_id_is_never_put_into_a_path(number: int) -> None:
    with pytest.raises(ValueError, match="not the id"):
        request(DeleteCall(Kind.PAGE, number))


def test_the_password_of_a_page_is_not_in_the_repr_of_its_request() -> None:
    assert "geheim" not in repr(request(UpdateCall(Kind.PAGE, 12, {"password": "geheim"})))


def test_a_record_is_read_from_the_response() -> None:
    made = record(UPDATE, answer(PAGE | {"parent": 3, "menu_order": 0, "meta": {"footnotes": "f", "x": "y"}}))
    assert (made.kind, made.id, made.slug, made.link) == (Kind.PAGE, 12, "about", PAGE["link"])
    assert (made.modified, made.modified_gmt) == ("2024-03-01T11:00:00", "2024-03-01T10:00:00")
    assert made.fields == {
        "slug": "about",
        "title": "About",
        "content": "<p>x</p>",
        "parent": 3,
        "menu_order": 0,
        "meta": {"footnotes": "f"},
    }


def test_a_post_is_read_with_its_lists_and_booleans_and_without_its_type() -> None:
    without = {name: value for name, value in POST.items() if name != "type"}
    response = answer(without | {"sticky": False, "categories": [3], "tags": []})
    made = record(UpdateCall(Kind.POST, 12, {}), response)
    shown = (made.kind, *(made.fields[name] for name in ("sticky", "categories", "tags")))
    assert shown == (Kind.POST, False, (3,), ())


@pytest.mark.parametrize(
    ("kind", "odd"),
    [
        (Kind.PAGE, {"title": "text"}),
        (Kind.PAGE, {"title": {"rendered": "x"}}),
        (Kind.PAGE, {"title": {"raw": 1}}),
        *((Kind.PAGE, {"parent": odd}) for odd in ("3", True, None)),
        (Kind.PAGE, {"menu_order": 1.5}),
        (Kind.PAGE, {"status": None}),
        (Kind.PAGE, {"meta": []}),
        *(
            (Kind.POST, odd)
            for odd in ({"sticky": 1}, {"categories": ["3"]}, {"tags": [True]}, {"tags": "3"})
        ),
    ],
)
def test_a_field_of_another_type_is_left_out(kind: Kind, odd: Json) -> None:
    made = record(UpdateCall(kind, 12, {}), answer(PAGE | {"type": str(kind)} | odd))
    assert next(iter(odd)) not in made.fields


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"id": None}, "no id"),
        ({"id": "12"}, "no id"),
        ({"id": True}, "no id"),
        ({"id": 0}, "no id"),
        ({"id": 12.0}, "no id"),
        ({"id": 2**63}, "no id"),
        ({"id": 13}, "record 13, but page 12"),
        ({"type": "post"}, "of type “post”"),
        ({"type": 5}, "of type “5”"),
        ({"slug": None}, "record 12 but no text `slug`"),
        ({"link": False}, "`link`"),
        ({"modified": 5}, "`modified`"),
        ({"modified_gmt": None}, "`modified_gmt`"),
    ],
)
def test_a_response_with_another_record_is_a_bad_response(odd: Json, said: str) -> None:
    with pytest.raises(BadAnswer) as caught:
        record(UPDATE, answer(PAGE | odd))
    assert said in str(caught.value)


def test_a_lone_surrogate_in_a_response_does_not_travel_further() -> None:
    made = record(UPDATE, answer(PAGE | {"title": {"raw": "a\ud800b"}}))
    assert made.fields["title"] == "a?b"


@pytest.mark.parametrize("name", ["title", "content", "excerpt"])
def test_a_response_of_literal_json_text_shows_the_wrong_dialect_and_keeps_the_record(name: str) -> None:
    call = CreateCall(Kind.PAGE, {name: 'R&D "now"'})
    literal = dict(parse_qsl(request(call).body.decode()))[name]
    filtered = " " + literal.replace("&", "&amp;")
    for echoed in (literal, filtered):
        with pytest.raises(WrongDialectShown) as caught:
            record(call, answer(PAGE | {name: {"raw": echoed, "rendered": echoed}}, 201))
        assert caught.value.record.id == 12
        assert 'dialect = "wordpress"' in str(caught.value)


def test_a_title_that_is_meant_to_look_like_json_or_was_not_sent_is_not_a_sign_of_the_wrong_dialect() -> None:
    title = '{"raw": "a lesson in JSON"}'
    for call in (CreateCall(Kind.PAGE, {"title": title}), UPDATE):
        assert record(call, answer(PAGE | {"title": {"raw": title}})).fields["title"] == title


_ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
_ANY_RECORD = st.fixed_dictionaries({}, optional={field.name: _ANY_JSON for field in Kind.PAGE.row.record})


@pytest.mark.sweep
@given(_ANY_RECORD.map(lambda odd: PAGE | odd))
def test_any_json_object_is_a_record_or_a_service_error(body: Json) -> None:
    try:
        made = record(UPDATE, answer(body))
    except ServiceError:
        return
    assert made.id == 12
    assert made.fields.keys() <= {field.name for field in Kind.PAGE.row.body}


# The fast form encoding is the standard library's, byte for byte.


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.text("é🎉%+ &=\0a"))))
def test_any_pairs_are_encoded_as_urlencode_does_and_come_back(pairs: list[tuple[str, str]]) -> None:
    body = encode_form(pairs)
    assert body == urlencode(pairs).encode()
    assert parse_qsl(body.decode(), keep_blank_values=True) == pairs
