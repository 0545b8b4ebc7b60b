"""What blocks a change: a missing right, an entry that is not verified, a parent, an editor's status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.support.builders import blocked, create, delete, entry, keep, prints, update, why

from pressync.client.dialects import UserRights
from pressync.model.changes import Block, Blocked, Create, Delete, Keep
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.model.records import FieldReference, Name
from pressync.plan import reasons
from pressync.plan.blocks import (
    HIDDEN,
    Held,
    Permissions,
    block_below_absent,
    block_orphans,
    keep_parents,
    site_edits,
)
from pressync.stage.server.wordpress.session import CAPABILITIES

if TYPE_CHECKING:
    from pressync.model.changes import Change


PATH = "content/posts/a.md"
ME, JANE, NUMBER = 3, 4, 7
NAMES = {Name("author", "jane"): JANE, Name("author", "me"): ME}
EVERY = {right for right in CAPABILITIES["editor"] if right.endswith(("_pages", "_posts"))}
POST: dict[str, Any] = {"kind": Kind.POST}


def status(value: str) -> dict[str, str]:
    return {"status": fingerprint(value)}


def by(name: str | int) -> tuple[FieldReference, ...]:
    return (FieldReference("author", (name,)),)


def permissions(role: str, held: Held | None = None) -> Permissions:
    rights = UserRights(ME, frozenset(EVERY - CAPABILITIES[role]))
    return Permissions(rights, {(Kind.POST, NUMBER): held} if held else {}, NAMES)


NEW = create(PATH, **POST)
DRAFT = create(PATH, **POST, create_only=status("draft"))
PRIVATE = create(PATH, **POST, create_only=status("private"))
EDIT = update(PATH, **POST)
PUBLISHED = update(PATH, "status", **POST, create_only=status("publish"))
GONE = delete(PATH, **POST)
# The manifest knows that the record is a draft.
GONE_DRAFT = delete(PATH, **POST, fingerprints=status("draft"))
BY_ID = create(PATH, **POST, fingerprints={"author": fingerprint(JANE)})
BY_OWN_ID = create(PATH, **POST, fingerprints={"author": fingerprint(ME)})
NAMED = {
    name: create(PATH, **POST, fingerprints={"author": "x"}, mentions=by(name))
    for name in ("jane", "me", "jo")
}
NUMBERED = create(PATH, **POST, fingerprints={"author": "x"}, mentions=by(JANE))
# The author is not among the fields that are sent.
KEPT_AUTHOR = update(PATH, "title", **POST, fingerprints={"author": fingerprint(JANE)})
OWN, OTHERS = Held(ME, "publish"), Held(JANE, "publish")
OWN_DRAFT, OTHERS_DRAFT = Held(ME, "draft"), Held(JANE, "draft")


@pytest.mark.parametrize(
    ("role", "change", "held", "missing"),
    [
        # An editor may do all of it.
        *(("editor", change, OTHERS, "") for change in (NEW, EDIT, PUBLISHED, GONE, BY_ID, create("a.md"))),
        # An author may do all with the own posts.
        *(("author", change, OWN, "") for change in (NEW, DRAFT, EDIT, PUBLISHED, GONE)),
        *(("author", change, OWN, "") for change in (BY_OWN_ID, KEPT_AUTHOR)),
        ("author", EDIT, OTHERS, "edit_others_posts"),
        ("author", EDIT, OTHERS_DRAFT, "edit_others_posts"),
        ("author", GONE, OTHERS, "delete_others_posts"),
        ("author", EDIT, HIDDEN, "edit_others_posts"),
        # Nobody has looked yet.
        ("author", EDIT, None, ""),
        ("author", GONE, None, ""),
        # Another user becomes the author.
        ("author", BY_ID, None, "edit_others_posts"),
        ("author", NUMBERED, None, "edit_others_posts"),
        ("author", NAMED["jane"], None, "edit_others_posts"),
        ("author", NAMED["me"], None, ""),
        ("author", NAMED["jo"], None, ""),
        # An author has no rights for pages.
        ("author", create("a.md"), None, "edit_pages"),
        ("author", update("a.md"), None, "edit_pages"),
        ("author", delete("a.md"), None, "delete_pages"),
        # A contributor writes and deletes drafts.
        ("contributor", NEW, None, "publish_posts"),
        ("contributor", PRIVATE, None, "publish_posts"),
        ("contributor", DRAFT, None, ""),
        ("contributor", EDIT, OWN_DRAFT, ""),
        ("contributor", EDIT, OWN, "edit_published_posts"),
        ("contributor", PUBLISHED, OWN_DRAFT, "publish_posts"),
        ("contributor", GONE, OWN, "delete_published_posts"),
        ("contributor", GONE, OWN_DRAFT, ""),
        # WordPress does not show the status of such a record, and the manifest does.
        ("contributor", GONE, HIDDEN, "delete_published_posts"),
        ("contributor", GONE_DRAFT, HIDDEN, "delete_others_posts"),
        ("subscriber", DRAFT, None, "edit_posts"),
        ("subscriber", keep("a.md"), None, ""),
    ],
)  # fmt: skip
def test_the_missing_right(role: str, change: Change, held: Held | None, missing: str) -> None:
    assert permissions(role, held).missing(change) == missing


def test_the_reason_ends_in_both_commands() -> None:
    path = "content/pages/a b.md"
    told = str(reasons.unverified(entry(path), reasons.unseen("c" * 40, shallow=True)))
    assert "git fetch --unshallow" in told
    assert f"`pressync adopt 'content/pages/a b.md' {entry(path).id}`" in told
    assert told.endswith("`pressync forget 'content/pages/a b.md'`")


ABOUT = "content/pages/about.md"
UNPUBLISHED = {ABOUT: replace(entry(ABOUT), conflict={"status": "draft"})}


def test_a_page_that_somebody_unpublished_is_a_conflict_though_its_file_names_no_status() -> None:
    (change,) = site_edits([keep(ABOUT)], UNPUBLISHED, {}, {})
    assert isinstance(change, Blocked)
    assert (change.block, change.fields) == (Block.CONFLICT, ("status",))
    assert "its status is 'draft' on the site" in change.reason
    assert f"`pressync pull {ABOUT}`" in change.reason


def test_an_update_of_it_goes_on_and_says_that_the_status_stays() -> None:
    (change,) = site_edits([update(ABOUT, "content")], UNPUBLISHED, {}, {})
    assert change.reason == "content changed; its status stays 'draft', as somebody chose on the site"


def test_a_conflict_that_a_deleted_term_explains_says_so() -> None:
    blocked = Blocked(
        ABOUT, Kind.PAGE, 7, why("categories changed on the site"), Block.CONFLICT, ("categories",)
    )
    (change,) = site_edits([blocked], {ABOUT: entry(ABOUT)}, {ABOUT: why("'News' was deleted")}, {})
    assert change.reason == "'News' was deleted"


DOCS, GUIDE, DEEP = "docs/index.md", "docs/guide/index.md", "docs/guide/deep.md"
BELOW_DOCS = prints(GUIDE, parent=7)


# Orphans


def test_a_create_whose_parent_has_a_record_or_gets_one_goes_on() -> None:
    below = create(GUIDE, parent_path=DOCS)
    bound = update(DOCS, old=entry(DOCS, 12, commit="", link="", slug=""), bound_id=12)
    for parent, entries in ((create(DOCS), set()), (bound, set()), (blocked(DOCS, number=3), {DOCS})):
        assert block_orphans([parent, below], entries) == [parent, below]


def test_a_blocked_parent_blocks_all_creates_below_it() -> None:
    changes: list[Change] = [
        create(DEEP, parent_path=GUIDE),
        create(GUIDE, parent_path=DOCS),
        blocked(DOCS),
        create("other.md"),
    ]
    deep, guide, _, other = block_orphans(changes, entries=())
    assert isinstance(guide, Blocked)
    assert guide.reason == f"its parent {DOCS} does not have a record yet, and cannot get one in this run"
    assert isinstance(deep, Blocked)
    assert GUIDE in deep.reason
    assert isinstance(other, Create)


def test_a_record_is_not_moved_to_the_top_because_its_new_parent_cannot_be_made() -> None:
    moving = update(GUIDE, "content", "parent", parent_path=DOCS)
    below = create(DEEP, parent_path=GUIDE)
    stays, fine, _ = block_orphans([moving, below, blocked(DOCS)], entries={GUIDE})
    assert isinstance(stays, Blocked)
    assert (stays.id, stays.fields) == (moving.id, ("content", "parent"))
    assert fine == below, "its own parent has a record all the same"


def test_no_page_is_put_below_a_page_in_the_trash() -> None:
    trashed = entry(DOCS)
    changes: list[Change] = [
        create(GUIDE, parent_path=DOCS),
        update(DEEP, "parent", number=9, fingerprints=BELOW_DOCS),
        update("text.md", "title", number=10, parent_path=DOCS),
        create("other.md"),
    ]
    new, moved, *rest = block_below_absent(changes, [trashed], [])
    reason = f"its parent {DOCS} is in the trash on the site; restore that page there, or move this file"
    assert isinstance(new, Blocked)
    assert (new.id, new.reason) == (None, reason)
    assert isinstance(moved, Blocked)
    assert (moved.id, moved.fields, moved.reason) == (9, ("parent",), reason)
    assert rest == changes[2:]
    assert block_below_absent(changes, [], []) == changes
    new, *_ = block_below_absent(changes, [], [trashed])
    assert isinstance(new, Blocked)
    assert new.reason == f"its parent {DOCS} was deleted on the site; remove or forget that page first"


# Parents of records that stay


@pytest.mark.parametrize("rest", [[blocked(DEEP, number=9)], []], ids=["blocked", "not chosen"])
def test_no_page_above_a_record_that_stays_is_deleted(rest: list[Change]) -> None:
    entries = {
        DOCS: entry(DOCS),
        GUIDE: entry(GUIDE, 8, parent_path=DOCS),
        DEEP: entry(DEEP, 9, parent_path=GUIDE),
        "other.md": entry("other.md", 10),
    }
    docs, guide, other, *_ = keep_parents(
        [delete(DOCS), delete(GUIDE, 8, parent_path=DOCS), delete("other.md", 10), *rest], entries
    )
    assert isinstance(guide, Blocked)
    assert guide.reason == f"its file was removed, but {DEEP} stays below it; delete or move that page first"
    assert isinstance(docs, Blocked)
    assert GUIDE in docs.reason
    assert isinstance(other, Delete)


@pytest.mark.parametrize(
    "child",
    [
        [],
        [Keep(GUIDE, Kind.PAGE, 8, entry(GUIDE, 8, fingerprints=BELOW_DOCS))],
        [update(GUIDE, number=8, fingerprints=BELOW_DOCS)],
        [create(GUIDE, fingerprints=BELOW_DOCS)],
    ],
    ids=["not chosen", "up to date", "changed", "new"],
)
def test_a_page_that_names_its_parent_by_id_keeps_that_parent(child: list[Change]) -> None:
    entries = {DOCS: entry(DOCS), GUIDE: entry(GUIDE, 8, fingerprints=BELOW_DOCS)}
    docs, *_ = keep_parents([delete(DOCS), *child], entries)
    assert isinstance(docs, Blocked)
    assert f"{GUIDE} stays below it" in docs.reason


def test_a_parent_is_deleted_with_the_page_that_names_it_by_id_or_after_that_page_has_moved() -> None:
    entries = {DOCS: entry(DOCS), GUIDE: entry(GUIDE, 8, fingerprints=BELOW_DOCS)}
    changes: list[Change] = [delete(DOCS), delete(GUIDE, 8, fingerprints=BELOW_DOCS)]
    assert keep_parents(changes, entries) == changes
    changes = [delete(DOCS), update(GUIDE, "parent", old=entries[GUIDE])]
    assert keep_parents(changes, entries) == changes


def test_a_page_that_moves_away_holds_nobody() -> None:
    entries = {DOCS: entry(DOCS), GUIDE: entry(GUIDE, 8, parent_path=DOCS)}
    changes: list[Change] = [update(GUIDE, "parent", old=entries[GUIDE]), delete(DOCS)]
    assert keep_parents(changes, entries) == changes
    changes = [keep(GUIDE, 8), delete(DOCS)]
    assert keep_parents(changes, entries) == changes
