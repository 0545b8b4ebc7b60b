"""The fast form encoding is the standard library's, byte for byte."""

from __future__ import annotations

from urllib.parse import parse_qsl, quote_plus, urlencode

from hypothesis import given
from hypothesis import strategies as st

from pressync.client.form_encoding import encode_form, percent_encode


@given(st.binary())
def test_any_bytes_are_encoded_as_quote_plus_does(text: bytes) -> None:
    assert percent_encode(text) == quote_plus(text).encode()


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.text("é🎉%+ &=\0a"))))
def test_any_pairs_are_encoded_as_urlencode_does_and_come_back(pairs: list[tuple[str, str]]) -> None:
    body = encode_form(pairs)

    assert body == urlencode(pairs).encode()
    assert parse_qsl(body.decode(), keep_blank_values=True) == pairs


def test_a_blank_is_a_plus_and_a_plus_is_not() -> None:
    assert encode_form([("title", "a b+c%20")]) == b"title=a+b%2Bc%2520"
