"""A record that a run touched knows whether it is as the run left it."""

from __future__ import annotations

from tests.support.builders import entry, prints, record

from pressync.model.fingerprint import UNSURE
from pressync.model.interface import Kind
from pressync.state.run_records import TouchedRecord, record_after
from pressync.sync.undo_item import UndoItem

A = "content/pages/a.md"
BEFORE, AFTER = entry(A), entry(A, fingerprints=prints(A, title="New"))
TOUCHED = TouchedRecord(A, Kind.PAGE, 7, BEFORE)


def test_it_is_as_left_if_the_manifest_has_what_the_run_settled() -> None:
    assert UndoItem(touched=TOUCHED, after=record_after(AFTER), now=AFTER).is_as_left
    assert not UndoItem(touched=TOUCHED, after=record_after(AFTER), now=BEFORE).is_as_left
    assert not UndoItem(touched=TOUCHED, after=record_after(AFTER), now=None).is_as_left
    assert UndoItem(touched=TOUCHED, after=record_after(AFTER), now=BEFORE, begun=True).is_as_left


def test_it_is_untouched_if_the_manifest_has_what_it_had_before() -> None:
    assert UndoItem(touched=TOUCHED, after=record_after(AFTER), now=BEFORE).is_untouched
    assert not UndoItem(touched=TOUCHED, after=record_after(AFTER), now=AFTER).is_untouched


def test_a_delete_that_was_killed_is_known_by_the_trash_and_the_unsure_status() -> None:
    unsure = entry(A, fingerprints={"status": UNSURE})
    trashed = record(A, status="trash")
    assert UndoItem(touched=TOUCHED, after=None, now=unsure, record=trashed).is_half_deleted
    assert not UndoItem(touched=TOUCHED, after=None, now=BEFORE, record=trashed).is_half_deleted
    assert not UndoItem(touched=TOUCHED, after=None, now=unsure, record=record(A)).is_half_deleted


def test_the_status_of_the_trash_is_never_sent() -> None:
    item = UndoItem(touched=TOUCHED, after=None, now=AFTER, image={"status": "trash", "title": "Theirs"})
    assert item.was_in_trash
    assert item.values == {"title": "Theirs"}
    assert UndoItem(touched=TOUCHED, after=None, now=AFTER, image={"status": "draft"}).values == {
        "status": "draft"
    }
