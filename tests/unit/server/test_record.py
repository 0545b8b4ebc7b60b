"""What the fields of a request make of a record."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from pressync.model.interface import Kind
from pressync.server.record import ALLOWED, StoredRecord, applied, check
from pressync.server.refusal import HttpRefusal

if TYPE_CHECKING:
    from pressync.server.form_decoding import FormFields

NOON = 1709294400  # 2024-03-01T12:00:00 in GMT
PAGE = StoredRecord(id=7, kind=Kind.PAGE, guid="", date=NOON, modified=NOON, slug="about", title="About")


def change(
    fields: FormFields, stored: StoredRecord = PAGE, *, now: int = NOON + 60, offset: int = 0
) -> StoredRecord:
    return applied(stored, fields, now=now, offset=offset)


def test_only_the_named_fields_change() -> None:
    changed = change({"title": {"raw": "About us"}, "menu_order": 3})
    assert (changed.title, changed.menu_order, changed.slug) == ("About us", 3, "about")


def test_what_is_rendered_is_the_services_own() -> None:
    changed = change({"content": {"rendered": "<p>theirs</p>", "protected": True, "block_version": 9}})
    assert (changed.content, changed.password, changed.block_version) == ("", "", 0)


def test_modified_is_now() -> None:
    assert change({}).modified == NOON + 60


@pytest.mark.parametrize("now", [NOON, NOON - 86400])
def test_modified_moves_forward_though_the_clock_does_not(now: int) -> None:
    assert change({}, now=now).modified == NOON + 1


def test_a_slug_comes_from_the_title_when_it_is_emptied() -> None:
    assert change({"slug": "", "title": {"raw": "Über uns"}}).slug == "uber-uns"


def test_a_slug_falls_back_to_the_id() -> None:
    assert change({"slug": "!", "title": {"raw": "?"}}).slug == "7"


def test_a_slug_that_looks_like_one_in_the_trash_is_kept() -> None:
    stored = change({"slug": "a__trashed"})
    assert change({}, stored).slug == "a__trashed"


def test_site_time_is_ahead_of_gmt_by_the_offset() -> None:
    assert change({"date": datetime(2024, 3, 1, 12)}, offset=90).date == NOON - 90 * 60  # noqa: DTZ001


def test_a_date_in_gmt_needs_no_offset() -> None:
    assert change({"date_gmt": datetime(2024, 3, 1, 12)}, offset=90).date == NOON  # noqa: DTZ001


def test_a_date_with_a_zone_means_that_zone() -> None:
    moment = datetime(2024, 3, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    assert change({"date": moment}, offset=90).date == NOON


def test_site_time_wins_over_gmt() -> None:
    both = {"date": datetime(2024, 3, 1, 12, tzinfo=UTC), "date_gmt": datetime(1999, 1, 1, tzinfo=UTC)}
    assert change(both).date == NOON


def test_what_is_published_in_the_future_is_scheduled() -> None:
    assert change({"date": datetime(2035, 1, 1, tzinfo=UTC)}).status == "future"


def test_what_was_scheduled_and_is_due_is_published() -> None:
    scheduled = change({"date_gmt": datetime(2024, 3, 1, 13, tzinfo=UTC)})
    assert change({}, scheduled, now=NOON + 3600).status == "publish"


def test_a_draft_stays_a_draft_whatever_its_date() -> None:
    assert change({"status": "draft", "date": datetime(2035, 1, 1, tzinfo=UTC)}).status == "draft"


@pytest.mark.parametrize("name", ALLOWED)
def test_a_value_that_no_record_can_have_is_refused(name: str) -> None:
    for value in ALLOWED[name]:
        check({name: value})
    with pytest.raises(HttpRefusal, match=f"{name} must be one of"):
        check({name: "trash"})


@pytest.mark.parametrize("fields", [{"author": 0}, {"parent": -1}, {"featured_media": -1}, {"tags": (3, 0)}])
def test_an_id_that_cannot_exist_is_refused(fields: FormFields) -> None:
    with pytest.raises(HttpRefusal, match="or more"):
        check(fields)


@pytest.mark.parametrize(
    ("content", "summary"),
    [
        ("<p>One</p><p>two &amp; th<em>r</em>ee</p>", "One two & three"),
        ("<!-- note --><style>p {}</style><p>Text</p>", "Text"),
        (" ".join(["word"] * 60), " ".join(["word"] * 55) + " …"),
        ("<p>word</p>" * 400, " ".join(["word"] * 55) + " …"),
        # A tag and a word that go on behind the part of a text in which most excerpts end.
        (f"<p>{'a' * 990}<em title='{'b ' * 60}'>c</em></p>", f"{'a' * 990}c"),
        (f"{'a ' * 55}<b>{'b' * 990}</b><b>c</b>", f"{'a ' * 55}…"),
        ("", ""),
    ],
)
def test_a_summary_is_the_first_words_of_the_content(content: str, summary: str) -> None:
    assert change({"content": {"raw": content}}).summary == summary


def test_a_given_excerpt_is_the_summary() -> None:
    assert (
        change({"content": {"raw": "<p>Text</p>"}, "excerpt": {"raw": "In <b>short</b>"}}).summary
        == "In short"
    )


def test_blocks_are_seen() -> None:
    assert change({"content": {"raw": "<!-- wp:paragraph --><p></p>"}}).block_version == 1
