"""Who sees a record: read from fingerprints, dates and the clock."""

from __future__ import annotations

import pytest
from tests.support.builders import blocked, create, delete, desired, entry, prints, update

from pressync.model.fingerprint import fingerprint
from pressync.model.visibility import (
    FRONT_PAGE,
    is_front,
    of_change,
    of_desired,
    of_entry,
    preview,
    with_unwritten,
)

PATH = "content/pages/a.md"
LATER, PAST = "2999-01-01T00:00:00", "2020-01-01T00:00:00"


@pytest.mark.parametrize("status", ["publish", "draft", "pending", "private"])
def test_a_status_is_read_from_its_fingerprint_unless_somebody_set_another(
    status: str,
) -> None:
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
