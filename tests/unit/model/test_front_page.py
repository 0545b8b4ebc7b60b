"""The field of the front page: who has it, and the mark that it is still to be written."""

from __future__ import annotations

from tests.support.builders import entry, prints

from pressync.model.fingerprint import fingerprint
from pressync.model.front_page import FRONT_PAGE, is_front, is_wanted, with_unwritten

PATH = "content/pages/index.md"
YES, NO = prints(PATH, front_page=True), prints(PATH, front_page=False)
PLAIN = prints(PATH)


def test_a_document_is_wanted_as_the_front_page_only_if_it_says_so() -> None:
    assert is_wanted(YES)
    assert not is_wanted(NO)
    assert not is_wanted(PLAIN)


def test_a_record_is_the_front_page_unless_the_site_kept_its_own() -> None:
    kept = entry(PATH, fingerprints=YES, changed_by_service={FRONT_PAGE: fingerprint(value=False)})
    assert is_front(entry(PATH, fingerprints=YES))
    assert not is_front(kept)
    assert not is_front(entry(PATH))


def test_a_record_that_was_written_without_its_setting_is_marked() -> None:
    begins = with_unwritten(entry(PATH), YES, None)
    assert begins.fingerprints[FRONT_PAGE] == "?"
    assert not is_front(begins)

    ends = with_unwritten(entry(PATH), PLAIN, entry(PATH, fingerprints=YES))
    assert ends.fingerprints[FRONT_PAGE] == f"?{YES[FRONT_PAGE]}"
    assert is_front(ends)


def test_an_edit_that_is_overwritten_is_still_to_be_written() -> None:
    edited = entry(PATH, fingerprints=YES, conflict={FRONT_PAGE: "false"})
    assert with_unwritten(entry(PATH, fingerprints=YES), YES, edited).fingerprints[FRONT_PAGE] == "?"


def test_a_record_whose_setting_is_right_is_not_marked() -> None:
    for wanted, before in ((YES, YES), (PLAIN, PLAIN), (NO, PLAIN)):
        held = entry(PATH, fingerprints=before)
        assert with_unwritten(held, wanted, held) is held
