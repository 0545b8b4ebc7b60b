"""The verdict on each field of a response: taken, as before, or something else; alone and with others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs
from tests.support.builders import desired, entry, record

from pressync.model.fingerprint import UNSURE, fingerprint, fingerprints, unsure
from pressync.model.interface import DOCUMENTED_TYPES
from pressync.model.visibility import FRONT_PAGE
from pressync.sync import echo
from pressync.sync.field_comparison import GUARDED, FieldComparison, FieldVerdict, compare

if TYPE_CHECKING:
    from pressync.model.records import Entry, Fields, Value

PATH = "content/pages/about.md"
ABOUT, HELD = desired(PATH), entry(PATH)
LATER = "d" * 40
TAKEN, KEPT, CHANGED, EFFECT, EDITED = FieldVerdict

# Of each field: the value of before, the one that is sent, and another.
VALUES: dict[str, tuple[Value, Value, Value]] = {
    "title": ("About", "About us", "ABOUT US"),
    "content": ("<p>a</p>", "<p>b</p>", "<p>b!</p>"),
    "excerpt": ("Short", "Shorter", "S"),
    "slug": ("about", "about-us", "about-us-2"),
    "status": ("publish", "draft", "pending"),
    "password": ("old", "new", ""),
    "parent": (3, 4, 5),
    "date": ("2024-01-31T12:00:00", "2024-02-01T12:00:00", "2024-02-02T12:00:00"),
    "date_gmt": ("2024-01-31T12:00:00", "2024-02-01T12:00:00", "2024-02-02T12:00:00"),
    "author": (1, 2, 3),
    "featured_media": (7, 8, 0),
    "comment_status": ("open", "closed", "later"),
    "ping_status": ("open", "closed", "later"),
    "menu_order": (1, 2, 3),
    "meta": ({"footnotes": "1"}, {"footnotes": "2"}, {"footnotes": "3"}),
    "template": ("wide", "narrow", ""),
    "format": ("standard", "aside", "link"),
    "sticky": (False, True, False),
    "categories": ((1,), (1, 2), (1, 3)),
    "tags": ((4,), (4, 5), (4, 6)),
}
# A switch has two values: it is taken, or as before.
TWO_VALUES = frozenset({"sticky"})


def test_the_table_has_each_field() -> None:
    assert VALUES.keys() == {field.name for kind in DOCUMENTED_TYPES.kinds for field in kind.row.body}


def settled(
    name: str, came_back: Value, *, beside: bool, held: Entry | None = None
) -> tuple[echo.Settlement, Entry]:
    """Send a field, alone or beside one that is taken; give what was settled, and the entry of before."""
    former, sent, _ = VALUES[name]
    other = "menu_order" if name != "menu_order" else "author"
    known = {**fingerprints({name: former, other: VALUES[other][0]})}
    before = held or structs.replace(HELD, fingerprints={**HELD.fingerprints, **known})
    fields: Fields = {name: sent, **({other: VALUES[other][1]} if beside else {})}
    wanted = structs.replace(before, fingerprints={**before.fingerprints, **fingerprints(fields)})
    answer = replace(record(PATH), fields={**fields, name: came_back})
    return echo.settle(desired(PATH, fingerprints=wanted.fingerprints), fields, answer, before, LATER), before


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside another"])
@pytest.mark.parametrize("name", VALUES)
def test_a_field_that_is_taken_is_done(name: str, *, beside: bool) -> None:
    sent = VALUES[name][1]
    done, _ = settled(name, sent, beside=beside)
    assert (done.failure, done.notices) == ("", ())
    assert (done.entry.fingerprints[name], done.entry.basis) == (fingerprint(sent), "basis")
    assert name not in done.entry.changed_by_service


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside another"])
@pytest.mark.parametrize("name", sorted(VALUES.keys() - TWO_VALUES))
def test_a_field_that_holds_something_else_is_told_and_remembered(name: str, *, beside: bool) -> None:
    _, sent, other = VALUES[name]
    done, _ = settled(name, other, beside=beside)
    assert done.failure == ""
    assert [notice.partition(":")[0] for notice in done.notices] == [name]
    assert done.entry.fingerprints[name] == fingerprint(sent)
    assert done.entry.changed_by_service[name] == fingerprint(other)


@pytest.mark.parametrize("name", VALUES)
def test_a_field_that_was_sent_alone_and_is_as_before_fails(name: str) -> None:
    failed, before = settled(name, VALUES[name][0], beside=False)
    assert f"has nothing of what was sent ({name})" in failed.failure
    assert (failed.entry.fingerprints, failed.entry.blob) == (before.fingerprints, before.blob)


@pytest.mark.parametrize("name", VALUES)
def test_a_field_that_is_as_before_beside_a_taken_one_fails_if_it_hides_protects_or_moves(name: str) -> None:
    former, sent, _ = VALUES[name]
    done, before = settled(name, former, beside=True)
    if name in GUARDED:
        assert f"still has its former {name}" in done.failure
        assert done.entry.fingerprints[name] == before.fingerprints[name], "it is sent again"
        assert done.entry.basis == "", "the next plan reads the file"
        assert not done.notices
    else:
        assert done.failure == ""
        assert [notice.partition(":")[0] for notice in done.notices] == [name]
        assert done.entry.fingerprints[name] == fingerprint(sent)
        assert done.entry.changed_by_service[name] == fingerprint(former)


@pytest.mark.parametrize("name", ["date", "date_gmt"])
@pytest.mark.parametrize(
    ("date", "status", "fails"),
    [
        ("2999-01-01T12:00:00", "publish", True),
        ("2999-01-01T12:00:00", "draft", False),
        ("2024-02-01T12:00:00", "publish", False),
    ],
)
def test_a_date_that_hides_a_page_and_is_as_before_fails_while_visitors_see_the_page(
    name: str, date: str, status: str, *, fails: bool
) -> None:
    former = VALUES[name][0]
    before = structs.replace(
        HELD, fingerprints={**HELD.fingerprints, **fingerprints({name: former, "author": 1})}
    )
    fields: Fields = {name: date, "author": 2}
    wanted = desired(PATH, fingerprints={**before.fingerprints, **fingerprints(fields)}, date=date)
    answer = replace(record(PATH), fields={**fields, name: former, "status": status})
    done = echo.settle(wanted, fields, answer, before, LATER)
    assert (f"still has its former {name}" in done.failure) is fails
    assert (done.entry.fingerprints[name] == before.fingerprints[name]) is fails


def test_a_password_is_in_no_sentence_and_in_no_entry() -> None:
    for beside in (False, True):
        failed, _ = settled("password", "old", beside=beside)
        assert not {"old", "new"} & set(failed.message.replace(";", " ").split())


def verdict(name: str, sent: Value, stored: Value, held: Entry | None = HELD, **more: Any) -> FieldVerdict:  # noqa: ANN401 - any field's value
    """Compare one field."""
    compared = compare({name: sent}, record(PATH, **{name: stored, **more}), held, desired(PATH)).fields
    return next(field.verdict for field in compared if field.name == name)


def holding(name: str, *digests: str, **members: Any) -> Entry:  # noqa: ANN401 - any member of an entry
    """Give the entry of a page whose field may hold these values."""
    return structs.replace(HELD, fingerprints={**HELD.fingerprints, name: unsure(*digests)}, **members)


OLD, NEW = fingerprint("<p>old</p>"), fingerprint("<p>new</p>")
ADOPTED = structs.replace(HELD, fingerprints={})


@pytest.mark.parametrize(
    ("name", "sent", "stored", "held", "expected"),
    [
        # A new record had no value before.
        ("parent", 3, 0, None, CHANGED),
        # A lost write may have been carried out.
        ("content", "<p>new</p>", "<p>old</p>", holding("content", OLD, NEW), KEPT),
        ("content", "<p>new</p>", "<p>filtered</p>", holding("content", OLD, NEW), CHANGED),
        # The service stored another value before, and it stores that again.
        (
            "slug",
            "us",
            "about-2",
            structs.replace(HELD, changed_by_service={"slug": fingerprint("about-2")}),
            KEPT,
        ),
        # Somebody's edit that is overwritten is the value of before.
        ("title", "About", "Theirs", structs.replace(HELD, conflict={"title": "Theirs"}), KEPT),
        ("menu_order", 2, 5, structs.replace(HELD, conflict={"menu_order": "5"}), KEPT),
        ("status", "publish", "trash", structs.replace(HELD, conflict={"status": "trash"}), KEPT),
        ("password", "ours", "theirs", structs.replace(HELD, conflict={"password": ""}), KEPT),
        # A field that was never sent has a value that nobody knows. A filter may leave anything of a text.
        ("parent", 3, 0, HELD, KEPT),
        ("author", 3, 1, HELD, KEPT),
        ("excerpt", "<script>1</script>", "", HELD, KEPT),
        ("excerpt", "a<script>1</script>", "a1", HELD, CHANGED),
        ("excerpt", "Ours", "Theirs", ADOPTED, KEPT),
        ("title", "Ours", "Theirs", structs.replace(HELD, fingerprints={"title": UNSURE}), KEPT),
        # The front page is a setting of the site, and only an administrator may change it.
        (FRONT_PAGE, True, False, holding(FRONT_PAGE, fingerprint(value=False)), CHANGED),
        # The time of a scheduled page has come, and an update that hides it is ignored.
        ("status", "draft", "publish", holding("status", fingerprint("future")), KEPT),
        ("slug", "мы", "%d0%bc%d1%8b", HELD, TAKEN),
    ],
)
def test_what_was_before_is_what_the_field_may_have_held(
    name: str, sent: Value, stored: Value, held: Entry | None, expected: FieldVerdict
) -> None:
    assert verdict(name, sent, stored, held) is expected


def test_a_text_that_the_editor_spelled_otherwise_is_as_before() -> None:
    before = "<!-- wp:paragraph -->\n<p>say &quot;a&quot;</p>\n<!-- /wp:paragraph -->"
    held = holding("content", fingerprint(before))
    assert verdict("content", "<p>new</p>", before.replace("&quot;", '"'), held) is KEPT


@pytest.mark.parametrize(
    ("date", "sent", "stored", "expected"),
    [
        ("2135-01-31T12:00:00", "publish", "future", TAKEN),
        ("2035-01-31T12:00:00+00:00", "future", "publish", CHANGED),
        ("2001-01-31T12:00:00", "future", "publish", TAKEN),
        ("2001-01-31T12:00:00", "publish", "future", CHANGED),
        ("", "publish", "future", KEPT),
    ],
)
def test_a_status_that_the_date_decides_is_as_the_plan_said(
    date: str, sent: str, stored: str, expected: FieldVerdict
) -> None:
    wanted = desired(PATH, fingerprints=fingerprints({"status": sent}), create_only={}, date=date)
    held = holding("status", fingerprint("future"))
    (field,) = compare({"status": sent}, record(PATH, status=stored), held, wanted).fields
    assert field.verdict is expected


def test_a_private_record_cannot_have_a_password() -> None:
    held = holding("password", fingerprint(""))
    assert verdict("password", "ours", "", held, status="private") is CHANGED
    assert verdict("password", "ours", "", held, status="publish") is KEPT


def test_a_field_that_the_response_lacks_counts_as_taken() -> None:
    assert compare({"excerpt": "Short"}, record(PATH), HELD, ABOUT).fields == ()
    assert echo.settle(ABOUT, {"excerpt": "Short"}, record(PATH), HELD, LATER).failure == ""


@pytest.mark.parametrize(
    ("sent", "echoed", "fails"),
    [
        ({"title": "About", "content": "<p>about</p>"}, {"title": "", "content": ""}, True),
        ({"title": "About", "content": "<p>about</p>"}, {"title": ""}, False),
        ({"title": "About", "content": "<p>about</p>"}, {"title": "", "content": " "}, False),
        ({"slug": "about"}, {"title": ""}, False),
    ],
)
def test_a_create_whose_record_is_empty_fails(sent: Fields, echoed: dict[str, Any], *, fails: bool) -> None:
    made = echo.settle(ABOUT, sent, record(PATH, **echoed), None, LATER)
    assert bool(made.failure) is fails
    assert (set(made.entry.fingerprints.values()) == {UNSURE}) is fails


def test_the_fingerprints_of_before_are_shown() -> None:
    (field,) = compare({"title": "New"}, record(PATH, title="Old"), HELD, ABOUT).fields
    assert field == FieldComparison("title", "New", "Old", frozenset({fingerprint("About")}), CHANGED)
