"""A fingerprint is of what would be sent: equal for equal values, and for nothing else."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.model.fingerprint import (
    UNSURE,
    fingerprint,
    fingerprints,
    from_text,
    is_unsure,
    may_be,
    small_digest,
    to_text,
    unsure,
)
from pressync.model.interface import KINDS, Kind, Type

if TYPE_CHECKING:
    from pressync.model.records import Value


_TYPES = {field.name: field.type for row in KINDS.values() for field in row.body}
_VALUES: dict[Type, st.SearchStrategy[Value]] = {
    Type.STRING: st.text(),
    Type.DATETIME: st.datetimes().map(lambda moment: moment.isoformat()),
    Type.INTEGER: st.integers(),
    Type.BOOLEAN: st.booleans(),
    Type.INTEGERS: st.lists(st.integers()).map(tuple),
}


def value_of(name: str) -> st.SearchStrategy[Value]:
    """Draw a value of a field: an object is its raw text, but `meta` is its members."""
    if name == "meta":
        return st.dictionaries(st.just("footnotes"), st.text())
    return _VALUES.get(_TYPES[name], st.text())


ANY_FIELD = st.sampled_from(sorted(_TYPES)).flatmap(
    lambda name: st.tuples(st.just(name), value_of(name), value_of(name))
)


@given(ANY_FIELD)
def test_equal_fingerprints_mean_equal_values_which_are_read_back(drawn: tuple[str, Value, Value]) -> None:
    name, one, other = drawn
    assert (fingerprint(one) == fingerprint(other)) == (one == other)
    assert fingerprint(one) != UNSURE
    if not isinstance(one, str):
        assert to_text(one) == json.dumps(one, sort_keys=True, separators=(",", ":"))
    kind = next(kind for kind in Kind if kind.row.has(name))
    assert from_text(kind, name, to_text(one)) == one


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("3", 3), ("true", True), (1, True), (0, False), ("", 0), ("", ()), ("[1,2]", (1, 2))),
        *(((1, 2), (2, 1)), ("{}", {}), ("a", "a "), ("é", "e\u0301"), ("j3", 3), ("\ud800", "\ud801")),
    ],
)
def test_values_that_are_sent_differently_have_different_fingerprints(one: Value, other: Value) -> None:
    assert fingerprint(one) != fingerprint(other)
    assert fingerprints({"title": one}) == {"title": fingerprint(one)}
    # They are the same everywhere.
    assert fingerprint("About us") == "4dadb0fc64e6d3316539"
    assert fingerprint((1, 2)) == "d742bf16af09d0521523"


def test_a_field_of_a_lost_write_may_hold_what_it_had_and_what_was_sent() -> None:
    once = unsure("had", "sent")
    assert is_unsure(once)
    assert may_be(once) == frozenset({"had", "sent"})
    assert may_be(unsure(once, "sent again")) == frozenset({"had", "sent", "sent again"})
    assert unsure("sent", "had") == once
    # Nothing was known of it.
    assert unsure(UNSURE, "sent") == UNSURE
    assert is_unsure(UNSURE)
    assert may_be(UNSURE) is None


@given(st.sampled_from(sorted(_TYPES)), st.text())
def test_any_text_can_be_read(name: str, text: str) -> None:
    fingerprint(from_text(Kind.POST, name, text))


@given(st.text())
def test_a_text_has_the_digest_of_a_fingerprint_when_its_kind_is_put_before_it(text: str) -> None:
    data = f"s{text}".encode(errors="surrogatepass")
    assert small_digest(data) == hashlib.sha256(data).hexdigest()[:20] == fingerprint(text)


def test_openssl_is_not_loaded_unless_python_has_no_function_of_its_own() -> None:
    program = "import sys, pressync.model.fingerprint; sys.exit('hashlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
    program = "import sys; sys.modules['_sha2'] = sys.modules['_sha256'] = None; import hashlib; "
    program += "from pressync.model import fingerprint; sys.exit(fingerprint.sha256 is not hashlib.sha256)"
    subprocess.run([sys.executable, "-c", program], check=True)
