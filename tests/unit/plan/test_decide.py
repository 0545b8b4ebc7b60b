"""The truth table of one path, row by row; and that a plan that was carried out leaves nothing to do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.support.builders import HEAD, PUBLISHED, SITE, desired, entry, prints, without

from pressync.client.dialects import WORDPRESS, Capabilities
from pressync.model.changes import Absence, Block, Blocked, Create, Delete, Keep, Update
from pressync.model.errors import Code, Problem
from pressync.model.fingerprint import UNSURE, fingerprint, fingerprints
from pressync.model.interface import DOCUMENTED_TYPES, Kind
from pressync.model.records import CREATED_WITH, Record, UnconfirmedCreate
from pressync.model.visibility import FRONT_PAGE
from pressync.plan import reasons
from pressync.plan.decide import (
    EMPTY,
    Difference,
    adopted,
    conflicts,
    decide,
    difference,
    refreshed,
)
from pressync.plan.situations import (
    BoundDocument,
    BrokenDocument,
    KnownDocument,
    MissingDocument,
    NewDocument,
    UnconfirmedDocument,
)
from pressync.sync import echo

if TYPE_CHECKING:
    from pressync.model.changes import Change
    from pressync.model.records import Desired, Entry, Fields, Value

PATH = "content/pages/about.md"
PAGES_ONLY = Capabilities(create=frozenset({Kind.PAGE}))
BOTH = Capabilities(create=frozenset(DOCUMENTED_TYPES.kinds))
SENT_CREATE = UnconfirmedCreate(PATH, Kind.PAGE, "about", "2024-01-31T12:00:00Z", HEAD, {})

ABOUT = desired(PATH)
HELD = entry(PATH)
EDITED = structs.replace(ABOUT, fingerprints=prints(PATH, content="<p>new</p>"))
OTHERS_TITLE = {"title": "Theirs"}


def blocked(change: Change) -> Blocked:
    """Expect a blocked change."""
    assert isinstance(change, Blocked)
    return change


def update(change: Change) -> Update:
    """Expect an update."""
    assert isinstance(change, Update)
    return change


# A document without a record


def test_a_new_document_is_created_with_the_fields_it_names_and_a_status() -> None:
    change = decide(NewDocument(ABOUT), PAGES_ONLY)
    assert change == Create(PATH, Kind.PAGE, ("content", "slug", "status", "title"), reasons.NEW, ABOUT)
    assert change.reason == "new document"


def test_a_status_that_the_document_names_is_named_once() -> None:
    draft = structs.replace(ABOUT, fingerprints=prints(PATH, status="draft"), create_only={})
    change = decide(NewDocument(draft), PAGES_ONLY)
    assert isinstance(change, Create)
    assert change.fields == ("content", "slug", "status", "title")


def test_a_new_post_is_created_where_the_service_can() -> None:
    assert isinstance(decide(NewDocument(structs.replace(ABOUT, kind=Kind.POST)), BOTH), Create)


def test_a_new_post_is_blocked_with_the_next_command_where_the_service_cannot() -> None:
    change = blocked(decide(NewDocument(structs.replace(ABOUT, kind=Kind.POST)), PAGES_ONLY))
    assert (change.block, change.id, change.kind) == (Block.BLOCKED, None, Kind.POST)
    assert f"`pressync adopt {PATH} ID`" in change.reason


def test_an_id_in_front_matter_binds_the_file_and_sends_all_that_it_names() -> None:
    bound = structs.replace(ABOUT, bound_id=12)
    change = update(decide(BoundDocument(bound, 12), PAGES_ONLY))
    assert (change.id, change.fields) == (12, ("content", "slug", "title"))
    assert change.entry == adopted(PATH, Kind.PAGE, 12)
    assert "status" not in change.fields, "nobody named it: what the record has stays"


def test_an_id_binds_a_post_even_where_posts_cannot_be_created() -> None:
    bound = structs.replace(ABOUT, kind=Kind.POST, bound_id=12)
    assert update(decide(BoundDocument(bound, 12), PAGES_ONLY)).id == 12


def test_an_id_that_belongs_to_another_file_is_blocked() -> None:
    bound = structs.replace(ABOUT, bound_id=12)
    change = blocked(decide(BoundDocument(bound, 12, "content/pages/team.md"), PAGES_ONLY))
    assert change.id == 12
    assert "content/pages/team.md" in change.reason


def test_a_new_file_that_may_be_a_renamed_one_is_not_created() -> None:
    new = NewDocument(ABOUT, maybe_renamed_from="content/pages/old.md")
    change = blocked(decide(new, PAGES_ONLY))
    assert "content/pages/old.md" in change.reason
    assert change.reason.endswith("pull first (`git pull`)")
    cut_off = blocked(decide(replace(new, shallow=True), PAGES_ONLY))
    assert "git fetch --unshallow" in cut_off.reason


def test_a_post_that_may_be_a_renamed_one_is_not_advised_to_be_made_by_hand() -> None:
    post = structs.replace(ABOUT, kind=Kind.POST)
    change = blocked(decide(NewDocument(post, maybe_renamed_from="content/posts/old.md"), PAGES_ONLY))
    assert "under a new name" in change.reason
    assert "by hand" not in change.reason


def test_a_document_whose_record_the_manifest_has_forgotten_is_not_created_again() -> None:
    change = blocked(decide(NewDocument(ABOUT, forgotten=HELD), BOTH))
    assert "this clone made page 7 for it" in change.reason
    assert f"`pressync adopt {PATH} 7`" in change.reason


def test_a_record_that_only_a_former_manifest_named_is_not_said_to_be_made_by_this_clone() -> None:
    change = blocked(decide(NewDocument(ABOUT, forgotten=HELD, unverified=True), BOTH))
    assert "the manifest said that it is page 7 when this clone synced last" in change.reason
    assert (
        f"if it is that record, `pressync adopt {PATH} 7`, otherwise `pressync forget {PATH}`"
        in change.reason
    )


# An unconfirmed create


def test_an_unconfirmed_create_is_never_sent_again() -> None:
    change = blocked(decide(UnconfirmedDocument(SENT_CREATE), BOTH))
    assert (change.block, change.id) == (Block.UNCONFIRMED, None)
    assert f"`pressync resolve {PATH} --id N`" in change.reason
    assert f"`pressync resolve {PATH} --not-created`" in change.reason


def test_an_unconfirmed_create_is_told_although_the_path_has_a_record() -> None:
    change = blocked(decide(UnconfirmedDocument(SENT_CREATE, HELD), BOTH))
    assert (change.block, change.id) == (Block.UNCONFIRMED, HELD.id)
    assert "second 'about'" in change.reason


# A document with a record


def test_an_up_to_date_record_is_kept() -> None:
    assert decide(KnownDocument(ABOUT, HELD), PAGES_ONLY) == Keep(PATH, Kind.PAGE, 7, HELD)


def test_an_edit_updates_the_fields_that_differ_and_no_others() -> None:
    change = update(decide(KnownDocument(EDITED, HELD), PAGES_ONLY))
    assert (change.id, change.fields, change.resets) == (7, ("content",), ())
    assert change.reason == "content changed"


def test_a_renamed_up_to_date_file_is_kept_under_its_new_name() -> None:
    change = decide(KnownDocument(ABOUT, HELD, came_from="content/pages/old.md"), PAGES_ONLY)
    assert isinstance(change, Keep)
    assert (change.entry.path, change.reason) == (PATH, "moved from content/pages/old.md")


def test_a_renamed_and_edited_file_updates_the_same_record() -> None:
    change = update(decide(KnownDocument(EDITED, HELD, came_from="content/pages/old.md"), PAGES_ONLY))
    assert (change.id, change.reason) == (7, "moved from content/pages/old.md; content changed")


def test_an_id_that_equals_the_record_s_changes_nothing() -> None:
    assert isinstance(decide(KnownDocument(structs.replace(ABOUT, bound_id=7), HELD), PAGES_ONLY), Keep)


def test_an_id_that_is_not_the_record_s_is_blocked() -> None:
    change = blocked(decide(KnownDocument(structs.replace(ABOUT, bound_id=12), HELD), PAGES_ONLY))
    assert change.id == 7
    assert "id 12 and the manifest has 7" in change.reason


def test_a_page_never_becomes_a_post() -> None:
    change = blocked(decide(KnownDocument(structs.replace(ABOUT, kind=Kind.POST), HELD), BOTH))
    assert "`type: page`" in change.reason
    assert f"`pressync forget {PATH}`" in change.reason


def test_what_to_forget_is_named_as_the_manifest_names_it() -> None:
    moved_over = KnownDocument(structs.replace(ABOUT, kind=Kind.POST), HELD, came_from="content/pages/old.md")
    assert "`pressync forget content/pages/old.md`" in blocked(decide(moved_over, BOTH)).reason


def test_a_field_whose_last_write_got_no_response_is_sent_again() -> None:
    unsure = structs.replace(HELD, fingerprints={**HELD.fingerprints, "content": UNSURE})
    change = update(decide(KnownDocument(ABOUT, unsure), PAGES_ONLY))
    assert (change.fields, change.reason) == (
        ("content",),
        "content: the last update got no response, or merged manifests differed; it will be sent again",
    )


def test_unsure_and_changed_fields_are_both_told() -> None:
    unsure = structs.replace(HELD, fingerprints={**HELD.fingerprints, "title": UNSURE})
    change = update(decide(KnownDocument(EDITED, unsure), PAGES_ONLY))
    assert change.fields == ("content", "title")
    assert change.reason.startswith("content changed; title: the last update got no response, or merged ")


# Conflicts


def test_somebody_else_s_value_blocks_what_the_repository_says_otherwise() -> None:
    change = blocked(decide(KnownDocument(ABOUT, structs.replace(HELD, conflict=OTHERS_TITLE)), PAGES_ONLY))
    assert (change.block, change.fields) == (Block.CONFLICT, ("title",))
    assert f"`pressync sync --overwrite {PATH}`" in change.reason


def test_a_conflict_blocks_the_other_fields_as_well() -> None:
    change = blocked(decide(KnownDocument(EDITED, structs.replace(HELD, conflict=OTHERS_TITLE)), PAGES_ONLY))
    assert change.block is Block.CONFLICT


def test_overwrite_sends_the_conflicting_fields_with_the_rest() -> None:
    change = update(
        decide(
            KnownDocument(EDITED, structs.replace(HELD, conflict=OTHERS_TITLE)), PAGES_ONLY, overwrite=True
        )
    )
    assert change.fields == ("content", "title")


def test_a_document_that_took_the_change_in_is_no_conflict() -> None:
    taken = structs.replace(ABOUT, fingerprints=prints(PATH, title="Theirs"))
    change = update(decide(KnownDocument(taken, structs.replace(HELD, conflict=OTHERS_TITLE)), PAGES_ONLY))
    assert change.fields == ("title",)


def test_a_field_changed_by_the_service_is_no_conflict_and_no_difference() -> None:
    changed_by_service = structs.replace(
        HELD, slug="about-2", changed_by_service={"slug": fingerprint("about-2")}
    )
    assert isinstance(decide(KnownDocument(ABOUT, changed_by_service), PAGES_ONLY), Keep)


def test_a_field_changed_by_the_service_that_somebody_changed_again_is_a_conflict() -> None:
    both = structs.replace(
        HELD, changed_by_service={"slug": fingerprint("about-2")}, conflict={"slug": "about-us"}
    )
    assert blocked(decide(KnownDocument(ABOUT, both), PAGES_ONLY)).fields == ("slug",)


def test_a_reset_does_not_erase_what_somebody_else_wrote() -> None:
    held = entry(PATH, fingerprints=prints(PATH, excerpt="Ours"), conflict={"excerpt": "Theirs"})
    assert blocked(decide(KnownDocument(ABOUT, held), PAGES_ONLY)).fields == ("excerpt",)
    assert update(decide(KnownDocument(ABOUT, held), PAGES_ONLY, overwrite=True)).resets == ("excerpt",)


def test_an_unasked_status_that_somebody_changed_blocks_nothing() -> None:
    hidden = structs.replace(HELD, conflict={"status": "draft"})
    assert isinstance(decide(KnownDocument(ABOUT, hidden), PAGES_ONLY), Keep)


def test_a_record_that_somebody_put_into_the_trash_is_a_conflict_though_nobody_asked_for_a_status() -> None:
    binned = structs.replace(HELD, conflict={"status": "trash"})
    in_trash = blocked(decide(KnownDocument(ABOUT, binned), PAGES_ONLY))
    assert in_trash.fields == ("status",)
    assert f"`pressync sync --overwrite {PATH}` to bring it back" in in_trash.reason
    assert "pull" not in in_trash.reason
    assert update(decide(KnownDocument(ABOUT, binned), PAGES_ONLY, overwrite=True)).fields == ("status",)


def test_a_bound_record_in_the_trash_is_a_conflict_though_it_never_had_a_status_from_here() -> None:
    bound = structs.replace(HELD, fingerprints=prints(PATH), conflict={"status": "trash"})
    assert blocked(decide(KnownDocument(ABOUT, bound), PAGES_ONLY)).fields == ("status",)
    assert update(decide(KnownDocument(ABOUT, bound), PAGES_ONLY, overwrite=True)).fields == ("status",)


def test_a_status_named_once_is_not_put_over_somebody_else_s() -> None:
    held = entry(PATH, fingerprints=prints(PATH, status="private"), conflict={"status": "draft"})
    assert blocked(decide(KnownDocument(ABOUT, held), PAGES_ONLY)).fields == ("status",)


@pytest.mark.parametrize(
    ("name", "ours", "same", "other"),
    [
        ("menu_order", 3, "3", "4"),
        ("sticky", True, "true", "false"),
        ("categories", (1, 2), "[1,2]", "[2]"),
        ("meta", {"footnotes": "x"}, '{"footnotes":"x"}', "{}"),
        ("slug", "3", "3", "03"),
    ],
)
def test_conflicts_compare_values_of_every_type(name: str, ours: Value, same: str, other: str) -> None:
    wanted = structs.replace(ABOUT, fingerprints={name: fingerprint(ours)})
    assert conflicts(wanted, structs.replace(HELD, conflict={name: same})) == ()
    assert conflicts(wanted, structs.replace(HELD, conflict={name: other})) == (name,)


# A record without a document


@pytest.mark.parametrize(
    ("absence", "advice"),
    [
        (Absence.UNCOMMITTED, "commit the removal"),
        (
            Absence.UNWITNESSED,
            "HEAD has no commit that shows its removal; pull first (`git pull`), or `pressync",
        ),
        (Absence.OUTSIDE, "move it back"),
        (None, "pull first (`git pull`), or `pressync forget"),
    ],
)
def test_a_file_that_is_merely_absent_never_deletes(absence: Absence | None, advice: str) -> None:
    change = blocked(decide(MissingDocument(HELD, absence), PAGES_ONLY))
    assert (change.id, change.block) == (7, Block.BLOCKED)
    assert advice in change.reason


def test_a_renamed_file_that_is_no_document_any_more_is_forgotten_at_its_old_path() -> None:
    moved = MissingDocument(HELD, Absence.OUTSIDE, came_from="content/pages/before.md")
    assert "`pressync forget content/pages/before.md`" in blocked(decide(moved, PAGES_ONLY)).reason
    assert f"`pressync forget {PATH}`" in blocked(decide(replace(moved, came_from=None), PAGES_ONLY)).reason


def test_a_file_whose_history_was_cut_off_is_blocked_until_that_is_fetched() -> None:
    change = blocked(decide(MissingDocument(HELD, Absence.UNWITNESSED, shallow=True), PAGES_ONLY))
    assert "this clone has no history that shows its removal; fetch the history (`git fetch" in change.reason


def test_a_file_that_a_commit_removed_deletes_its_record() -> None:
    change = decide(MissingDocument(HELD, Absence.REMOVED), PAGES_ONLY)
    assert change == Delete(PATH, Kind.PAGE, 7, reasons.REMOVED, HELD)
    assert change.reason == "its file was removed"


def test_a_file_that_the_settings_leave_out_deletes_its_record() -> None:
    change = decide(MissingDocument(HELD, Absence.LEFT_OUT), PAGES_ONLY)
    assert change == Delete(PATH, Kind.PAGE, 7, reasons.LEFT_OUT, HELD)
    assert change.reason == "the settings or its front matter leave it out"


def test_a_protected_record_outlives_its_file() -> None:
    protected = structs.replace(HELD, protect=True)
    change = blocked(decide(MissingDocument(protected, Absence.REMOVED), PAGES_ONLY, overwrite=True))
    assert "protected" in change.reason


def test_a_record_that_somebody_else_edited_is_deleted_only_with_overwrite() -> None:
    edited = structs.replace(HELD, conflict=OTHERS_TITLE)
    here = MissingDocument(edited, Absence.REMOVED)
    change = blocked(decide(here, PAGES_ONLY))
    assert (change.block, change.fields) == (Block.CONFLICT, ("title",))
    assert isinstance(decide(here, PAGES_ONLY, overwrite=True), Delete)


def test_a_record_that_somebody_put_into_the_trash_is_deleted_with_its_file() -> None:
    trashed = structs.replace(HELD, conflict={"status": "trash"})
    assert isinstance(decide(MissingDocument(trashed, Absence.REMOVED), PAGES_ONLY), Delete)


def test_a_delete_that_got_no_response_is_sent_again() -> None:
    unsure = structs.replace(HELD, fingerprints=dict.fromkeys(HELD.fingerprints, UNSURE))
    assert isinstance(decide(MissingDocument(unsure, Absence.REMOVED), PAGES_ONLY), Delete)


@pytest.mark.parametrize("record", [HELD.id, None])
def test_a_file_with_problems_neither_changes_nor_deletes(record: int | None) -> None:
    problem = Problem(PATH, 3, "`menu_order` is no number", code=Code.VALUE)
    change = blocked(decide(BrokenDocument(PATH, Kind.PAGE, record, problem), BOTH))
    assert change.id == record
    assert "(line 3: `menu_order` is no number)" in change.reason


def test_a_problem_without_a_line_names_none() -> None:
    problem = Problem(PATH, 0, "it is its own ancestor", code=Code.VALUE)
    change = blocked(decide(BrokenDocument(PATH, Kind.PAGE, None, problem), BOTH))
    assert "(it is its own ancestor)" in change.reason


# Differences


def test_what_no_longer_is_named_is_reset_where_it_can_be_and_let_go_where_not() -> None:
    held = entry(PATH, fingerprints=prints(PATH, excerpt="Short", author=3, status="publish"))
    assert difference(ABOUT, held) == Difference((), ("excerpt",), ("author",))


@pytest.mark.parametrize("name", sorted(EMPTY))
def test_every_field_with_an_empty_value_is_reset_once(name: str) -> None:
    named = entry(PATH, fingerprints=prints(PATH, **{name: "anything else"}))
    assert difference(ABOUT, named).resets == (name,)
    reset = entry(PATH, fingerprints=prints(PATH, **{name: EMPTY[name]}))
    assert difference(ABOUT, reset) == Difference((), (), ())


def test_every_empty_value_is_a_field_of_the_interface() -> None:
    assert EMPTY.keys() - {FRONT_PAGE} <= {
        field.name for kind in DOCUMENTED_TYPES.kinds for field in kind.row.body
    }


def test_a_reset_that_got_no_response_is_sent_again() -> None:
    held = entry(PATH, fingerprints={**prints(PATH), "excerpt": UNSURE})
    assert difference(ABOUT, held).resets == ("excerpt",)


def test_a_field_without_an_empty_value_is_let_go_even_when_its_last_write_got_no_response() -> None:
    held = entry(PATH, fingerprints={**prints(PATH), "author": UNSURE})
    change = decide(KnownDocument(ABOUT, held), PAGES_ONLY)
    assert isinstance(change, Keep)
    assert change.reason == "author was removed from front matter; the site keeps its current value"
    assert "author" not in change.entry.fingerprints


def test_a_field_that_the_site_no_longer_has_is_not_said_to_be_removed_from_the_file() -> None:
    held = entry(PATH, fingerprints={**prints(PATH), "genre": "ab"})
    change = decide(KnownDocument(ABOUT, held), PAGES_ONLY)
    gone = "the schema of the site does not have genre any more"
    assert change.reason == f"{gone}; the site keeps its current value"


def test_a_status_that_is_no_longer_named_becomes_the_one_that_a_create_sends() -> None:
    held = entry(PATH, fingerprints=prints(PATH, status="draft"))
    assert difference(ABOUT, held) == Difference(("status",), (), ())


def test_a_status_that_was_never_sent_is_left_alone() -> None:
    held = entry(PATH, fingerprints=prints(PATH))
    assert difference(ABOUT, held) == Difference((), (), ())


def test_an_adopted_record_is_sent_everything_that_is_named() -> None:
    found = difference(ABOUT, adopted(PATH, Kind.PAGE, 12))
    assert found == Difference(("content", "slug", "title"), (), ())


def test_a_named_empty_value_is_a_field_and_no_reset() -> None:
    emptied = structs.replace(ABOUT, fingerprints=prints(PATH, excerpt=""))
    held = entry(PATH, fingerprints=prints(PATH, excerpt="Short", status="publish"))
    assert difference(emptied, held) == Difference(("excerpt",), (), ())


def test_a_parent_that_became_the_top_is_reset_to_none() -> None:
    held = entry(PATH, fingerprints=prints(PATH, parent=12), parent_path="content/pages/docs/index.md")
    assert difference(ABOUT, held).resets == ("parent",)


# The entry of a kept record


def test_a_kept_record_learns_of_today_s_file_and_keeps_its_own_facts() -> None:
    today = structs.replace(
        ABOUT, blob="a" * 40, basis="new", layout="wide.html", links=("x.md",), protect=True
    )
    fresh = refreshed(structs.replace(HELD, conflict={"status": "draft"}, former=(f"{SITE}/old/",)), today)
    assert (fresh.blob, fresh.basis, fresh.layout, fresh.links) == ("a" * 40, "new", "wide.html", ("x.md",))
    assert (fresh.id, fresh.commit, fresh.modified, fresh.link) == (7, HEAD, HELD.modified, HELD.link)
    assert (fresh.former, fresh.conflict, fresh.protect) == ((f"{SITE}/old/",), {}, True)


def test_a_kept_record_forgets_what_is_no_longer_named() -> None:
    held = entry(
        PATH, fingerprints=prints(PATH, author=3, excerpt=""), changed_by_service={"author": "x", "slug": "y"}
    )
    fresh = refreshed(held, ABOUT)
    assert fresh.fingerprints == prints(PATH)
    assert fresh.changed_by_service == {"slug": "y"}


# A plan that was carried out

_TEXTS = st.sampled_from(["", "a", "b"])
_VALUES: dict[str, st.SearchStrategy[Value]] = {
    "excerpt": _TEXTS,
    "author": st.integers(1, 2),
    "status": st.sampled_from(["draft", "publish"]),
    "parent": st.integers(0, 2),
    "menu_order": st.integers(0, 2),
    "comment_status": st.sampled_from(["open", "closed"]),
    "password": _TEXTS,
}
_FIELDS = st.fixed_dictionaries({"title": _TEXTS, "slug": _TEXTS, "content": _TEXTS}, optional=_VALUES)


def document(fields: Fields) -> Desired:
    """Make the document that names these fields."""
    create_only = PUBLISHED if "status" not in fields else {}
    return structs.replace(ABOUT, fingerprints=fingerprints(fields), create_only=create_only)


def carry_out(
    change: Create | Update, fields: Fields, held: Fields, changed_by_service: Fields
) -> tuple[echo.Settlement, Fields]:
    """Send the fields to a service that changes some of them; give what is settled and the record."""
    available = {**CREATED_WITH, **fields}
    if isinstance(change, Create):
        previous, sent = None, available
    else:
        previous = change.entry
        resets = {name: EMPTY[name] for name in change.resets}
        sent = {name: available[name] for name in change.fields if name not in resets} | resets
    after: Fields = {
        **held,
        **sent,
        **{name: value for name, value in changed_by_service.items() if name in sent},
    }
    answer = Record(Kind.PAGE, 7, "about", f"{SITE}/about/", "later", "later", after)
    return echo.settle(change.desired, sent, answer, previous, HEAD), after


@given(st.lists(_FIELDS, min_size=1, max_size=4), _FIELDS, st.sets(st.sampled_from(sorted(_VALUES))))
def test_a_plan_that_was_carried_out_leaves_nothing_to_do(
    edits: list[dict[str, Value]], changed_by_service: dict[str, Value], lost: set[str]
) -> None:
    known: Entry | None = None
    held: Fields = {}
    for fields in edits:
        wanted = document(fields)
        if known and lost:
            # The last write of some fields got no response.
            known = structs.replace(known, fingerprints={**known.fingerprints, **dict.fromkeys(lost, UNSURE)})
        change = decide(KnownDocument(wanted, known) if known else NewDocument(wanted), PAGES_ONLY)
        failure = ""
        if isinstance(change, Create | Update):
            settled, held = carry_out(change, fields, held, changed_by_service)
            known, failure = settled.entry, settled.failure
        else:
            assert isinstance(change, Keep)
            known = change.entry
        again = decide(KnownDocument(wanted, known), PAGES_ONLY)
        if failure:
            assert isinstance(again, Update), "a service that took nothing gets it again"
        else:
            assert again == Keep(PATH, Kind.PAGE, 7, known)


@given(_FIELDS, _FIELDS)
def test_an_update_never_sends_what_no_file_ever_named(
    first: dict[str, Value], second: dict[str, Value]
) -> None:
    known, _ = carry_out(Create(PATH, Kind.PAGE, (), reasons.NEW, document(first)), first, {}, {})
    change = decide(KnownDocument(document(second), known.entry), PAGES_ONLY)
    sent = set(change.fields) if isinstance(change, Update) else set()
    assert sent <= {*first, *second, *CREATED_WITH}


def test_the_builders_are_up_to_date() -> None:
    assert without(HELD.fingerprints, "status") == ABOUT.fingerprints


# The front page of a site

FRONT_FILE = "content/pages/a.md"
FRONT = desired(FRONT_FILE, fingerprints=prints(FRONT_FILE, front_page=True))


def test_a_new_front_page_is_announced() -> None:
    change = decide(NewDocument(FRONT), WORDPRESS.capabilities)
    assert isinstance(change, Create)
    assert change.reason == "new document; it becomes the front page of the site"
    assert FRONT_PAGE in change.fields


@pytest.mark.parametrize("known", [prints(FRONT_FILE), {**prints(FRONT_FILE), FRONT_PAGE: "?"}])
def test_a_page_that_becomes_the_front_page_is_an_update(known: dict[str, str]) -> None:
    change = decide(KnownDocument(FRONT, entry(FRONT_FILE, fingerprints=known)), WORDPRESS.capabilities)
    assert isinstance(change, Update)
    assert (change.fields, change.reason) == ((FRONT_PAGE,), "it becomes the front page of the site")


def test_a_page_whose_file_no_longer_says_so_is_taken_back() -> None:
    change = decide(
        KnownDocument(desired(FRONT_FILE), entry(FRONT_FILE, fingerprints=FRONT.fingerprints)),
        WORDPRESS.capabilities,
    )
    assert isinstance(change, Update)
    assert change.resets == (FRONT_PAGE,)
    assert change.reason.startswith("it is no longer the front page; ")


def test_nothing_is_taken_back_that_the_site_did_not_take() -> None:
    kept = {FRONT_PAGE: fingerprint(value=False)}
    held = entry(FRONT_FILE, fingerprints=FRONT.fingerprints, changed_by_service=kept)
    change = decide(KnownDocument(desired(FRONT_FILE), held), WORDPRESS.capabilities)
    assert isinstance(change, Keep)
    assert "the site keeps its current value" in change.reason
