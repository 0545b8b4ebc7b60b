"""The right that a change needs and a user lacks, as a table of roles, changes and whose the record is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.builders import create, delete, entry, keep, update

from pressync.client.capabilities import UserRights
from pressync.model.changes import Blocked, Create
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.model.records import FieldReference, Name
from pressync.plan.rights import HIDDEN, Held, Permissions, reason
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


def test_nobody_who_was_not_asked_lacks_a_right() -> None:
    changes: list[Change] = [NEW, EDIT, GONE]
    assert Permissions(None, {}, {}).block_forbidden(changes) == changes


def test_a_blocked_change_names_the_right_and_whose_the_record_is() -> None:
    next_step = "sync it as a user who has it: an editor has all of them"
    page = update("a.md", "title", old=entry("a.md", 9))
    blocked = permissions("author", OTHERS).block_forbidden([NEW, EDIT, page, NUMBERED])
    others = f"this user lacks the right edit_others_posts; {next_step}"
    assert [(c.path, None if isinstance(c, Create) else c.id, c.reason) for c in blocked[1:]] == [
        (PATH, NUMBER, f"post 7 is another user's, and {others}"),
        ("a.md", 9, f"this user lacks the right edit_pages; {next_step}"),
        (PATH, None, others),
    ]
    assert blocked[1:] == [
        Blocked(PATH, Kind.POST, NUMBER, reason("edit_others_posts"), fields=("content",)),
        Blocked("a.md", Kind.PAGE, 9, reason("edit_pages"), fields=("title",)),
        Blocked(PATH, Kind.POST, None, reason("edit_others_posts"), fields=NUMBERED.fields),
    ]
    assert blocked[0] == NEW
