"""Queries are read as PHP reads them."""

from __future__ import annotations

import pytest

from pressync.server.wordpress.query import parse_query


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("a=1&a=2&b=", {"a": "2", "b": ""}),
        ("slug[]=x&slug[]=y", {"slug": ["x", "y"]}),
        ("meta[footnotes]=z&meta[b]=", {"meta": {"footnotes": "z", "b": ""}}),
        ("a=1&a[]=2", {"a": ["2"]}),
        ("=x&%FF=1", {"": "x", "\ufffd": "1"}),
        ("&".join(f"a{n}=1" for n in range(1001)), {f"a{n}": "1" for n in range(1000)}),
    ],
)
def test_a_query_becomes_parameters(text: str, given: dict[str, object]) -> None:
    assert parse_query(text) == given
