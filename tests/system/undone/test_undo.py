"""The truth table of a rollback, row by row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs
from tests.support.builders import desired, entry, prints, record, without
from tests.support.library_repository import Shelf

from pressync.app import rollback
from pressync.app.revision import Revision
from pressync.model.changes import Block, Blocked, Delete, Update
from pressync.model.fingerprint import UNSURE, fingerprint, fingerprints, unsure
from pressync.model.interface import Kind
from pressync.plan.limits import DEFAULT_LIMIT
from pressync.state.clone_facts import RecordAfter, TouchedRecord, record_after
from pressync.sync.undo import Undo, UndoItem, as_before, undo
from pressync.sync.undo_plan import UndoPlanner

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.model.changes import Change
    from pressync.model.records import Record
    from pressync.sync.undo_plan import Undoing

A, B = "content/pages/a.md", "content/pages/b.md"
BEFORE = entry(A)
AFTER = entry(A, fingerprints={**prints(A, title="New"), "status": fingerprint("publish")})
SENT = ("title",)
NEW = record(A, title="New")
LEFT = entry(A, fingerprints=prints(A, title="New"))
TOUCHED = TouchedRecord(A, Kind.PAGE, 7, BEFORE)


def item(before: Any = BEFORE, now: Any = AFTER, **members: Any) -> UndoItem:  # noqa: ANN401 - any member
    """Make an updated record that nobody has changed since; a test names what is otherwise."""
    number = 7 if before else None
    made = UndoItem(
        touched=TouchedRecord(A, Kind.PAGE, number, before, SENT),
        after=record_after(now) if now else None,
        now=now,
        record=NEW,
        read=True,
        text=desired(A),
    )
    return replace(made, **members)


def why(found: Undo | Blocked | None) -> str:
    assert isinstance(found, Blocked)
    return found.reason


def fields_of(found: Undo) -> tuple[str, ...]:
    assert isinstance(found.change, Update)
    return found.change.fields


def done(given: UndoItem, kind: type[Change] = Update) -> Undo:
    found = undo(given)
    assert isinstance(found, Undo)
    assert isinstance(found.change, kind)
    return found


@pytest.mark.parametrize(
    "site", [NEW, record(A, title="New", status="trash", slug="a__trashed")], ids=["there", "in the trash"]
)
def test_a_created_record_goes_to_the_trash_and_is_forgotten(site: Record) -> None:
    assert done(item(None, record=site), Delete).entry is None


@pytest.mark.parametrize("before", [BEFORE, None])
def test_a_record_that_somebody_edited_since_is_left(before: Any) -> None:  # noqa: ANN401 - an entry
    found = undo(item(before, record=record(A, title="Somebody's")))
    assert isinstance(found, Blocked)
    assert (found.block, found.fields, found.id) == (Block.CONFLICT, ("title",), AFTER.id)
    assert "somebody has edited it on the site since: title" in found.reason


def test_an_edit_of_before_the_run_is_not_one_since() -> None:
    known = {"conflict": {"content": "theirs"}}
    before, now = structs.replace(BEFORE, **known), structs.replace(AFTER, **known)
    assert done(item(before, now, record=record(A, title="New", content="theirs"))).entry == before


LATER = entry(A, fingerprints=prints(A, title="Later"))


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"record": None}, "somebody deleted it on the site since"),
        ({"record": record(A, title="New", status="trash")}, "put it into the trash since"),
        ({"image": {"status": "trash", "title": "Theirs"}}, "in the trash before the run"),
        ({"now": LATER, "after": record_after(AFTER)}, "a later run has changed it"),
        ({"text": None}, "its text before the run is not in Git"),
    ],
)
def test_an_updated_record_that_others_had_or_removed_or_whose_text_is_gone_is_left(
    members: dict[str, Any], says: str
) -> None:
    assert says in why(undo(item(**members)))


def test_a_rollback_that_was_killed_goes_on_with_its_records() -> None:
    half = structs.replace(
        AFTER, fingerprints={**AFTER.fingerprints, "title": unsure(fingerprint("New"), fingerprint("A"))}
    )
    assert done(item(now=half, after=record_after(AFTER), begun=True))


def test_nothing_is_undone_twice() -> None:
    assert undo(item(now=BEFORE, after=record_after(AFTER))) is None
    assert undo(item(None, None, after=record_after(AFTER))) is None


@pytest.mark.parametrize(
    ("before", "now", "says"),
    [
        (None, None, "the manifest no longer has this record; mend it"),
        (BEFORE, None, "the manifest no longer has this record; mend it"),
        (BEFORE, BEFORE, "the manifest has the entry of before the run again; mend it"),
    ],
)
def test_a_record_that_the_manifest_has_lost_is_left(before: Any, now: Any, says: str) -> None:  # noqa: ANN401
    lost = item(before, now, after=record_after(AFTER), restore="mend it")
    assert says in why(undo(lost))
    assert undo(replace(lost, restore="")) is None or before


@pytest.mark.parametrize(
    "other", [{"commit": "e" * 40}, {"blob": "e" * 40}, {"basis": "other"}, {"parent_path": B}]
)
def test_a_rollback_that_was_killed_before_it_wrote_down_the_file_of_before_does_that_alone(
    other: dict[str, str],
) -> None:
    half = structs.replace(BEFORE, **other)
    assert undo(item(now=half, after=record_after(AFTER), record=record(A))) == Undo(A, None, BEFORE)


def test_a_record_that_the_manifest_has_lost_and_somebody_has_trashed_is_not_named() -> None:
    gone = record(A, title="New", status="trash", slug="a__trashed")
    for site in (None, gone):
        assert undo(item(None, None, after=record_after(AFTER), record=site, restore="mend it")) is None


def test_a_moved_record_gets_its_old_path_back_without_a_call() -> None:
    moved = structs.replace(BEFORE, path=B)
    touched = TouchedRecord(B, Kind.PAGE, 7, BEFORE)
    found = undo(item(now=moved, touched=touched, record=record(A)))
    assert found == Undo(A, None, BEFORE)
    assert "has another record now" in why(
        undo(item(now=moved, touched=touched, record=record(A), other=True))
    )


class TestSlug:
    """The service had made another slug of ours: that one comes back."""

    before = structs.replace(BEFORE, slug="a-2", changed_by_service={"slug": fingerprint("a-2")})

    def test_the_stored_slug_is_sent(self) -> None:
        now = entry(A, fingerprints={**BEFORE.fingerprints, "slug": fingerprint("c")}, slug="c")
        found = done(item(self.before, now, record=record(A, slug="c")))
        assert (fields_of(found), found.values) == (("slug",), {"slug": "a-2"})

    def test_it_is_not_sent_where_it_stayed(self) -> None:
        now = structs.replace(self.before, fingerprints=AFTER.fingerprints)
        found = done(item(self.before, now, record=record(A, title="New", slug="a-2")))
        assert (fields_of(found), found.values) == (("title",), {})

    def test_it_does_not_look_like_an_edit_afterwards(self) -> None:
        settled = structs.replace(self.before, changed_by_service={})
        assert as_before(self.before, settled).changed_by_service == self.before.changed_by_service
        again = structs.replace(settled, slug="a-3", changed_by_service={"slug": fingerprint("a-3")})
        assert as_before(self.before, again).changed_by_service == again.changed_by_service

    def test_neither_does_a_text_in_place_of_one_that_the_service_had_changed(self) -> None:
        theirs = {"content": "<p>theirs</p>"}
        filtered = structs.replace(BEFORE, changed_by_service={"content": fingerprint("<p>filtered</p>")})
        assert as_before(filtered, BEFORE, theirs).changed_by_service == fingerprints(theirs)
        assert as_before(BEFORE, BEFORE, theirs).changed_by_service == {}


class TestNotOurs:
    """Values that were not ours before the run come from the clone's own notes."""

    adopted = entry(A, fingerprints={}, commit="")

    def test_an_adopted_record_gets_what_it_had(self) -> None:
        image = {"title": "Theirs"}
        found = done(item(self.adopted, image=image, text=None))
        assert (fields_of(found), found.values) == (("title",), image)
        assert (found.entry, found.from_file) == (self.adopted, False)

    def test_a_record_that_the_run_bound_is_not_ours_in_the_end(self) -> None:
        touched = TouchedRecord(A, Kind.PAGE, 7, None, SENT)
        assert done(item(None, touched=touched, image={"title": "Theirs"}, text=None)).entry is None

    def test_without_the_notes_it_is_left(self) -> None:
        assert "title had another value, which this clone has not kept" in why(undo(item(self.adopted)))

    def test_a_field_that_the_file_named_first_gets_its_value_back(self) -> None:
        before = structs.replace(BEFORE, fingerprints=without(BEFORE.fingerprints, "excerpt"))
        now = structs.replace(before, fingerprints={**before.fingerprints, "excerpt": fingerprint("New")})
        touched = TouchedRecord(A, Kind.PAGE, 7, before, ("excerpt",))
        given = {"touched": touched, "record": record(A, excerpt="New")}
        assert "excerpt had another value" in why(undo(item(before, now, **given)))
        found = done(item(before, now, **given, image={"excerpt": "Theirs"}))
        assert found.values == {"excerpt": "Theirs"}


def test_a_page_that_the_run_made_the_front_page_is_none_again() -> None:
    now = structs.replace(AFTER, fingerprints={**BEFORE.fingerprints, "front_page": fingerprint(value=True)})
    touched = TouchedRecord(A, Kind.PAGE, 7, BEFORE, ("front_page",))
    found = done(item(BEFORE, now, touched=touched, record=record(A)))
    assert isinstance(found.change, Update)
    assert found.change.resets == ("front_page",)


class TestDeleted:
    """A deleted record comes out of the trash, with its id."""

    trashed = record(A, status="trash", slug="a__trashed")

    def deleted(self, **members: Any) -> UndoItem:  # noqa: ANN401 - any member
        return item(now=None, **{"record": self.trashed, **members})

    def test_it_is_taken_out_of_the_trash_without_its_file_by_its_status_alone(self) -> None:
        found = done(self.deleted())
        assert (fields_of(found), found.entry) == (("slug", "status"), BEFORE)
        found = done(self.deleted(text=None))
        assert (found.values, found.from_file) == ({"status": "publish"}, False)

    @pytest.mark.parametrize(("known", "status"), [({}, "draft"), ({"status": "private"}, "private")])
    def test_a_status_that_nobody_knows_is_the_safe_one(self, known: dict[str, str], status: str) -> None:
        before = structs.replace(BEFORE, fingerprints=without(BEFORE.fingerprints, "status"))
        touched = TouchedRecord(A, Kind.PAGE, 7, before)
        assert done(self.deleted(touched=touched, image=known)).values == {"status": status}

    def test_one_that_somebody_has_restored_is_ours_again(self) -> None:
        assert undo(self.deleted(record=record(A))) == Undo(A, None, BEFORE)
        assert "pressync adopt" in why(undo(self.deleted(record=record(A, title="Theirs"))))

    @pytest.mark.parametrize(
        ("members", "says"),
        [
            (
                {"record": record(A, status="trash", slug="a__trashed", title="Theirs")},
                "edited it on the site since: title",
            ),
            ({"record": None}, "deleted for good"),
            ({"permanent": True}, "deleted for good"),
            ({"other": True}, "has another record now"),
        ],
    )
    def test_one_that_was_edited_or_is_gone_for_good_or_has_a_successor_is_left(
        self, members: dict[str, Any], says: str
    ) -> None:
        assert says in why(undo(self.deleted(**members)))


def test_an_unconfirmed_create_is_left_to_a_person() -> None:
    found = undo(item(None, None, after=RecordAfter(0, ""), unconfirmed=True))
    assert "pressync resolve" in why(found)


@pytest.mark.parametrize(
    ("now", "begun", "as_left"),
    [(LEFT, False, True), (BEFORE, False, False), (None, False, False), (BEFORE, True, True)],
)
def test_a_record_is_as_left_or_untouched_by_what_the_manifest_has(
    now: Any,  # noqa: ANN401 - an entry
    begun: bool,
    as_left: bool,
) -> None:
    made = UndoItem(touched=TOUCHED, after=record_after(LEFT), now=now, begun=begun)
    assert (made.is_as_left, made.is_untouched) == (as_left, now is BEFORE)


def test_a_delete_that_was_killed_is_known_by_the_trash_and_the_unsure_status() -> None:
    unsure = entry(A, fingerprints={"status": UNSURE})
    trashed = record(A, status="trash")
    assert UndoItem(touched=TOUCHED, after=None, now=unsure, record=trashed).is_half_deleted
    assert not UndoItem(touched=TOUCHED, after=None, now=BEFORE, record=trashed).is_half_deleted
    assert not UndoItem(touched=TOUCHED, after=None, now=unsure, record=record(A)).is_half_deleted


def test_the_status_of_the_trash_is_never_sent() -> None:
    item = UndoItem(touched=TOUCHED, after=None, now=LEFT, image={"status": "trash", "title": "Theirs"})
    assert item.was_in_trash
    assert item.values == {"title": "Theirs"}
    assert UndoItem(touched=TOUCHED, after=None, now=LEFT, image={"status": "draft"}).values == {
        "status": "draft"
    }


A, B, C, BELOW = (f"content/pages/{name}.md" for name in ("a", "b", "c", "c/below"))
MANIFEST = ".pressync/default.json"


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    repository.commit({A: "# A\n", B: "# B\n", "content/pages/z.md": "# Z\n"})
    made = Shelf(repository.root, "https://site.test/wp-json")
    made.sync()
    return made


def planned(shelf: Shelf, *, reads: bool = True) -> Undoing:
    with shelf.workspace() as workspace, workspace.reading() as state:
        planner = UndoPlanner(
            workspace.content(Revision()),
            state,
            rollback.find(workspace, None),
            rollback.records_of(workspace),
        )
        return planner.plan(DEFAULT_LIMIT, shelf.service if reads else None)


def test_pages_below_a_created_page_are_trashed_first(shelf: Shelf, repository: SampleRepository) -> None:
    repository.commit({C: "# C\n", BELOW: "# Below\n"})
    shelf.sync()
    plan = planned(shelf).plan
    assert [change.path for change in plan.changes if isinstance(change, Delete)] == [BELOW, C]


def test_a_created_page_frees_the_address_of_a_deleted_one_first(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.remove(B)
    repository.commit({C: "---\nslug: b\ntitle: Another page altogether\n---\nIts text.\n"})
    shelf.sync()
    # Without a look at the site: this service in memory has no trash.
    plan = planned(shelf, reads=False).plan
    assert [(type(change), change.path) for change in plan.changes] == [(Delete, C), (Update, B)]


def test_only_records_of_the_run_are_in_it_and_a_look_finds_the_edits_of_others(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.commit({A: "# Anew\n"})
    shelf.sync()
    plan = planned(shelf).plan
    assert [(type(change), change.path) for change in plan.changes] == [(Update, A)]
    assert plan.commit == repository.head()
    shelf.service.held[shelf.entries()[A].id].fields["title"] = "Somebody's"  # type: ignore[index]
    assert [type(change) for change in planned(shelf, reads=False).plan.changes] == [Update]
    assert [type(change) for change in planned(shelf).plan.changes] == [Blocked]


def test_a_manifest_that_was_taken_back_or_removed_is_named_with_the_command_that_restores_it(
    shelf: Shelf, repository: SampleRepository
) -> None:
    earlier = repository.commit({})
    repository.commit({A: "# Anew\n", C: "# C\n"})
    run = shelf.sync().run
    newest = repository.commit({})
    restoring = (
        f"`git restore --source={newest[:10]} -- {MANIFEST}` restores it, then `pressync rollback {run}`"
    )
    lost = f"left as it is: the manifest no longer has this record; {restoring}"
    back = f"left as it is: the manifest has the entry of before the run again; {restoring}"
    repository.git("restore", f"--source={earlier}", "--", MANIFEST)
    assert [(each.path, each.reason) for each in planned(shelf).plan.changes] == [(A, back), (C, lost)]
    repository.git("rm", "--quiet", "--force", MANIFEST)
    repository.commit({})
    assert [(each.path, each.reason) for each in planned(shelf).plan.changes] == [(A, lost), (C, lost)]
    repository.git("restore", f"--source={newest}", "--", MANIFEST)
    assert len(planned(shelf).plan.pending) == 2


def test_without_a_manifest_in_git_a_backup_is_asked_for(shelf: Shelf, repository: SampleRepository) -> None:
    repository.remove(MANIFEST)
    plan = planned(shelf).plan
    assert len(plan.changes) == 3
    assert all(f"restore {MANIFEST} from a backup, then" in change.reason for change in plan.changes)
