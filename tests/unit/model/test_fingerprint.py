"""A fingerprint is of what would be sent, and says with dates and the clock who sees a record."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.builders import blocked, create, delete, desired, entry, prints, update
from tests.support.kinds import BOOK

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
from pressync.model.interface import DOCUMENTED_TYPES, Kind, Type
from pressync.model.visibility import (
    FRONT_PAGE,
    is_front,
    of_change,
    of_desired,
    of_entry,
    preview,
    with_unwritten,
)

if TYPE_CHECKING:
    from pressync.model.records import Value


_TYPES = {field.name: field.type for kind in DOCUMENTED_TYPES.kinds for field in kind.row.body}
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
    kind = next(kind for kind in DOCUMENTED_TYPES.kinds if kind.row.has(name))
    assert from_text(kind, name, to_text(one)) == one


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("meta.isbn", "3540"),
        ("acf.subtitle", "true"),
        ("meta.copies", 3),
        ("meta.in_print", True),
        ("meta.keywords", ("1", "2")),
        ("genre", (3, 4)),
    ],
)
def test_a_value_of_a_field_that_a_site_registers_is_read_back_as_its_schema_says(
    name: str, value: Value
) -> None:
    assert from_text(BOOK, name, to_text(value)) == value


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


PATH = "content/pages/a.md"
LATER, PAST = "2999-01-01T00:00:00", "2020-01-01T00:00:00"


@pytest.mark.parametrize("status", ["publish", "draft", "pending", "private"])
def test_a_status_is_read_from_its_fingerprint_unless_somebody_set_another(status: str) -> None:
    known = entry(PATH, fingerprints=prints(PATH, status=status))
    assert str(of_entry(known)) == status
    assert of_entry(known).hidden == (status != "publish")
    assert of_entry(entry(PATH, changed_by_service={"status": fingerprint(status)})).status == status
    assert of_entry(entry(PATH, conflict={"status": "trash"})).status == "trash"
    assert str(of_entry(entry(PATH, fingerprints={}))) == str(of_change(blocked(PATH))) == ""
    assert str(of_desired(desired(PATH))) == "publish"


@pytest.mark.parametrize(
    ("status", "date", "shown"),
    [
        ("publish", LATER, f"future {LATER}"),
        ("publish", f"{LATER}Z", f"future {LATER}Z"),
        ("future", LATER, f"future {LATER}"),
        ("future", PAST, "publish"),
        ("publish", PAST, "publish"),
        ("draft", LATER, "draft"),
        ("future", "", "future"),
        ("publish", "9999-99-99", "publish"),
    ],
)
def test_the_date_decides_between_publish_and_future(status: str, date: str, shown: str) -> None:
    wanted = desired(PATH, fingerprints=prints(PATH, status=status), date=date)
    assert str(of_desired(wanted)) == shown


def test_an_update_that_names_no_status_leaves_the_sites() -> None:
    draft = entry(PATH, fingerprints=prints(PATH, status="draft"))
    assert of_change(update(PATH, old=draft)).status == "draft"
    named = update(PATH, old=draft, fingerprints=prints(PATH, status="publish"))
    assert of_change(named).status == "publish"
    assert of_change(create(PATH)).status == of_change(delete(PATH)).status == "publish"
    # It was taken out of the file, so the sync publishes the record.
    assert of_change(update(PATH, "status", old=draft)).status == "publish"


@pytest.mark.parametrize(
    ("link", "seen"),
    [
        ("https://site.test/?page_id=7", "https://site.test/?page_id=7&preview=true"),
        ("https://site.test/?p=7", "https://site.test/?p=7&preview=true"),
        ("https://site.test/about/", "https://site.test/about/"),
        ("", ""),
    ],
)
def test_a_preview_is_the_plain_address_with_one_word_more(link: str, seen: str) -> None:
    assert preview(link) == seen


PATH_OF_FRONT_PAGE = "content/pages/index.md"
YES = prints(PATH_OF_FRONT_PAGE, front_page=True)
PLAIN = prints(PATH_OF_FRONT_PAGE)


def test_a_record_is_the_front_page_unless_the_site_kept_its_own_and_marked_until_that_is_set() -> None:
    path, front = PATH_OF_FRONT_PAGE, entry(PATH_OF_FRONT_PAGE, fingerprints=YES)
    kept = entry(path, fingerprints=YES, changed_by_service={FRONT_PAGE: fingerprint(value=False)})
    assert is_front(front)
    assert not is_front(kept)
    assert not is_front(entry(path))
    begins = with_unwritten(entry(path), YES, None)
    assert begins.fingerprints[FRONT_PAGE] == "?"
    assert not is_front(begins)
    ends = with_unwritten(entry(path), PLAIN, front)
    assert ends.fingerprints[FRONT_PAGE] == f"?{YES[FRONT_PAGE]}"
    assert is_front(ends)
    # An edit that is overwritten is still to be written.
    edited = entry(path, fingerprints=YES, conflict={FRONT_PAGE: "false"})
    assert with_unwritten(front, YES, edited).fingerprints[FRONT_PAGE] == "?"
