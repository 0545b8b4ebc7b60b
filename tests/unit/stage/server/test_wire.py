"""What a client sends is decoded strictly, and every refusal is JSON."""

from __future__ import annotations

import json
from contextlib import suppress
from urllib.parse import quote_plus, unquote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.model.interface import OPERATIONS, PAGE_BODY, POST_BODY, Field
from pressync.stage.server import wire
from pressync.stage.server.wire import HttpRefusal, Value, read_form, read_json

NOON = 1709294400  # 2024-03-01T12:00:00 in GMT


@pytest.mark.parametrize(
    ("written", "offset", "second"),
    [
        ("2024-03-01T12:00:00", 0, NOON),
        ("2024-03-01T12:00:00", 60, NOON - 3600),
        ("2024-03-01T06:30:00-0530", 0, NOON),
        ("2024-03-01T12:00:00.999", 0, NOON),
        ("1969-12-31T23:59:59Z", 0, -1),
    ],
)
def test_a_moment_is_read_in_its_own_zone_or_in_the_sites(written: str, offset: int, second: int) -> None:
    assert wire.seconds(wire.read_moment(written), offset=offset) == second


@pytest.mark.parametrize(
    "written",
    [
        *("", "2024-03-01", "2024-03-01 12:00:00", "2024-02-30T12:00:00", "2024-03-01T25:00:00"),
        *("2024-03-01T12:00:00+99:99", "0001-01-01T00:00:00+14:00"),
        *("9999-12-31T23:59:59-14:00", "٢٠٢٤-03-01T12:00:00"),
    ],
)
def test_whatever_is_not_such_a_moment_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"^(is|names) "):
        wire.read_moment(written)


@given(st.integers(-(10**10), 10**11), st.integers(-840, 840))
def test_what_is_written_is_read_back(second: int, offset: int) -> None:
    read = wire.read_moment(wire.moment_text(second, offset=offset))
    assert wire.seconds(read, offset=offset) == second


def read(body: bytes | str) -> dict[str, Value]:
    return read_form(body if isinstance(body, bytes) else body.encode(), PAGE_BODY)


def refused(body: bytes | str) -> tuple[str, str]:
    with pytest.raises(HttpRefusal) as caught:
        read(body)
    assert caught.value.status == 400
    return caught.value.code, str(caught.value.data.get("field", ""))


@pytest.mark.parametrize(
    "body", ["slug", "=a", "&", "slug=a&", "slug=%zz", "slug=%4", "%=a", b"slug=\xff", "slug=%ff"]
)
def test_what_is_not_form_encoded_is_refused(body: bytes | str) -> None:
    assert refused(body)[0] == "bad_form"


@pytest.mark.parametrize("name", ["id", "colour", "modified", "format", "categories", "Title"])
def test_a_field_that_the_operation_does_not_show_is_refused(name: str) -> None:
    assert refused(f"{name}=1") == ("unknown_field", name)
    assert refused("slug=a&slug=a") == ("repeated_field", "slug")


@pytest.mark.parametrize(
    ("fields", "name", "texts", "why"),
    [
        (POST_BODY, "tags", ["1,2", "1", '["1"]', "[1.0]", "[true]", "[[1]]", '{"a": 1}'], "tags must be"),
        (OPERATIONS[2].body, "force", ["", "1", "0", "True", "yes"], "true or false"),
    ],
)
def test_terms_are_arrays_of_integers_and_a_boolean_is_one_of_two_words(
    fields: tuple[Field, ...], name: str, texts: list[str], why: str
) -> None:
    for text in texts:
        with pytest.raises(HttpRefusal, match=why):
            read_form(f"{name}={quote_plus(text)}".encode(), fields)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("parent", ""),
        ("parent", "+1"),
        ("parent", "٣"),
        ("parent", "9" * 19),
        ("parent", "9" * 5000),
        ("date", "yesterday"),
        ("title", "plain text"),
        ("title", "null"),
        ("title", '"text"'),
        ("title", '{"raw": "a", "protected": true}'),
        ("title", '{"raw": "a", "raw": "b"}'),
        ("title", '{"raw": "\\ud800"}'),
        ("title", "[" * 100_000),
        ("content", '{"block_version": true}'),
        ("content", '{"block_version": NaN}'),
        ("content", '{"block_version": 1' + "0" * 6000 + "}"),
        ("content", '{"protected": "true"}'),
    ],
)
def test_a_value_of_another_type_is_refused_by_name(name: str, text: str) -> None:
    assert refused(f"{name}={quote_plus(text)}") == ("invalid_field", name)


_TEXTS = st.text() | st.builds(
    json.dumps, st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists)
)
_NAMES = st.sampled_from([field.name for field in PAGE_BODY] + ["id", "force", ""])


@given(st.binary())
def test_any_bytes_give_fields_or_a_refusal(body: bytes) -> None:
    with suppress(HttpRefusal):
        read(body)


@given(st.lists(st.tuples(_NAMES, _TEXTS), max_size=4))
def test_any_values_give_fields_that_can_be_stored_or_a_refusal(pairs: list[tuple[str, str]]) -> None:
    body = "&".join(f"{name}={quote_plus(text, errors='replace')}" for name, text in pairs)
    with suppress(HttpRefusal):
        repr(read(body)).encode()


@given(
    st.lists(st.sampled_from([b"=", b"%3D", b"%0a", b"\n", b"\r\n", b"+", b"_", b".", b" ", b"=41", b"x"]))
)
def test_a_text_is_decoded_as_urllib_decodes_it(pieces: list[bytes]) -> None:
    text = b"".join(pieces)
    assert read(b"slug=" + text)["slug"] == unquote_plus(text.decode())


@pytest.mark.parametrize("text", ["NaN", "[-Infinity]", r'"\ud800"', r'{"\udc00": 1}', "[1,]", ""])
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_json(text)
