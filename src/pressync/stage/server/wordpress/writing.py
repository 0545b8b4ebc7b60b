"""The effect of a create or an update on a stored record, as WordPress's `wp_insert_post` has it.

The order of the steps is that of WordPress, because its oddities follow from it: a draft has no slug, its
date follows its saves, a created record was “modified” at its date, and the trash renames a slug.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import structs

from pressync.model.interface import BLOG_KIND, TREE_KIND, Kind
from pressync.stage.server import rows, slugs, wire
from pressync.stage.server.rows import TRASH, StoredRecord
from pressync.stage.server.wire import HttpRefusal

if TYPE_CHECKING:
    from pressync.stage.server.wordpress.session import Session

# A TEXT of MariaDB has this many bytes, and the column of passwords this many characters (measured).
_TEXT, _PASSWORD = 65_535, 255


class _DatabaseRefusal(HttpRefusal):
    """The refusal of the database; its words are beside the message."""

    @property
    def body(self) -> dict[str, object]:
        return {**super().body, "data": {"status": self.status}, "additional_data": [self.data["words"]]}


def check(record: StoredRecord, *, new: bool) -> None:
    """Refuse a record with a value that is too long for its column."""
    longest = {
        "post_title": len(record.title.encode()) > _TEXT,
        "post_excerpt": len(record.excerpt.encode()) > _TEXT,
        "post_password": len(record.password) > _PASSWORD,
    }
    names = [name for name, is_too_long in longest.items() if is_too_long]
    if not names:
        return
    one = len(names) == 1
    s = "" if one else "s"
    words = (
        f"WordPress database error: Processing the value{s} for the following field{s} failed: "
        f"{', '.join(names)}. The supplied value{s} may be too long "
        f"or contain{'s' if one else ''} invalid data."
    )
    verb, where = ("insert", "into") if new else ("update", "in")
    message = f"Could not {verb} post {where} the database."
    raise _DatabaseRefusal(500, f"db_{verb}_error", message, words=words)


# In these states a record needs no slug, and its date is not fixed.
DRAFTS = frozenset({"draft", "pending"})

# A record that is published this many seconds ahead is published at once.
_SOON = 60

DEFAULT_CATEGORY = 1
_TRIMMED = " \t\n\r\0\x0b"


def blank(session: Session, kind: Kind) -> StoredRecord:
    """Make the record that a create begins with."""
    number = rows.next_id(session.db)
    talked = kind != TREE_KIND and kind.row.has("comment_status")
    return StoredRecord(
        id=number,
        kind=kind,
        guid=f"{session.settings.address}/?{'page_id' if kind == TREE_KIND else 'p'}={number}",
        date=session.now,
        modified=session.now,
        status="draft",
        author=session.user.id,
        comment_status="open" if talked else "closed",
        ping_status="open" if talked else "closed",
        categories=(DEFAULT_CATEGORY,) if kind == BLOG_KIND else (),
        floating=True,
    )


def written(
    session: Session, stored: StoredRecord, given: Mapping[str, object], *, new: bool
) -> StoredRecord:
    """Give the record after a create or an update with these parameters.

    :raises HttpRefusal: WordPress refuses the values together.
    """
    plain: dict[str, Any] = {
        name: given[name]
        for name in _COLUMNS
        if name in given and (given[name] or name not in _KEPT_IF_EMPTY)
    }
    changed = structs.replace(stored, **plain, **_texts(stored, given))
    _check_sticky(stored, changed, given, new=new)
    changed = _dated(session, stored, changed, given, new=new)
    if changed.status in {"publish", "future"}:
        status = "future" if changed.date - session.now >= _SOON else "publish"
        changed = structs.replace(changed, status=status)
    # WordPress has no excerpts of pages, so a page may be empty.
    has_all = all(map(changed.kind.row.has, ("title", "content", "excerpt"))) and changed.kind != TREE_KIND
    if has_all and not any(
        text not in {"", "0"} for text in (changed.title, changed.content, changed.excerpt)
    ):
        raise HttpRefusal(400, "empty_content", "Content, title, and excerpt are empty.")
    if changed.kind == BLOG_KIND and not (stored.categories or "categories" in given):
        changed = structs.replace(changed, categories=(DEFAULT_CATEGORY,))
    above = {number for number, _ in rows.upwards(session.db, changed.parent)}
    if changed.id in above:
        changed = structs.replace(changed, parent=0)
    return _named(session, stored, changed, given, new=new)


def trashed(session: Session, stored: StoredRecord) -> StoredRecord:
    """Give the record after its move to the trash, where a post is not sticky any more."""
    return written(session, structs.replace(stored, sticky=False), {"status": TRASH}, new=False)


# The parameters that become a column as they are.
_COLUMNS = (
    *("status", "password", "parent", "author", "comment_status", "ping_status", "menu_order", "template"),
    *("format", "sticky", "categories", "tags", "featured_media", "footnotes", "own"),
)
_KEPT_IF_EMPTY = frozenset({"author", "comment_status", "ping_status"})


def _texts(stored: StoredRecord, given: Mapping[str, object]) -> dict[str, Any]:
    """Give the texts; WordPress takes a string, or the `raw` of an object, and ignores any other value."""
    texts: dict[str, Any] = {}
    for name in ("title", "content", "excerpt"):
        value = given.get(name)
        raw = value.get("raw") if isinstance(value, Mapping) else None
        if isinstance(value, str):
            texts[name] = value
        elif raw is not None and (name != "title" or raw not in {"", "0"}):
            texts[name] = str(raw)
    title = texts.get("title", stored.title)
    return texts | {"title": title.strip(_TRIMMED)}


def _check_sticky(
    stored: StoredRecord, changed: StoredRecord, given: Mapping[str, object], *, new: bool
) -> None:
    if given.get("password"):
        if given.get("sticky"):
            raise HttpRefusal(400, "rest_invalid_field", "A post can not be sticky and have a password.")
        if not new and stored.sticky:
            raise HttpRefusal(400, "rest_invalid_field", "A sticky post can not be password protected.")
    if given.get("sticky") and not new and stored.password and changed.sticky:
        raise HttpRefusal(400, "rest_invalid_field", "A password protected post can not be set to sticky.")


def _dated(
    session: Session, stored: StoredRecord, changed: StoredRecord, given: Mapping[str, object], *, new: bool
) -> StoredRecord:
    """Give the record with its date, and with the time of the change, which is the date for a new record."""
    chosen = wire.chosen_second(given, session.settings.offset)
    date, floating = stored.date, stored.floating
    if any(name in given and given[name] is None for name in ("date", "date_gmt")):
        date, floating = session.now, changed.status in DRAFTS
    elif chosen is not None and (new or chosen != stored.date):
        date, floating = chosen, False
    elif floating:
        date = session.now if new or stored.status in DRAFTS else stored.date
        floating = changed.status in DRAFTS
    return structs.replace(changed, date=date, floating=floating, modified=date if new else session.now)


def _named(
    session: Session, stored: StoredRecord, changed: StoredRecord, given: Mapping[str, object], *, new: bool
) -> StoredRecord:
    """Give the record with its slug. The steps and their order are those of WordPress."""
    slug = str(given["slug"]) if "slug" in given else stored.slug
    if slug and "slug" in given and changed.status in DRAFTS and ("status" in given or not new):
        slug = unique(session, changed, slug)
    if not slug and changed.status not in DRAFTS:
        slug = slugs.as_wordpress(changed.title)
    desired = stored.desired
    was_trashed = stored.status == TRASH
    if was_trashed and changed.status != TRASH and desired:
        slug, desired = desired, ""
    if changed.status == TRASH and not was_trashed:
        # WordPress reads the stored slug here, and remembers it.
        slug, desired = slugs.trashed_as_wordpress(stored.slug), stored.slug.removesuffix(slugs.TRASHED)
    if changed.status not in DRAFTS:
        slug = unique(session, changed, slug)
        if not slug:
            slug = unique(session, changed, slugs.as_wordpress(changed.title) or str(changed.id))
    password = "" if changed.status == "private" else changed.password
    return structs.replace(changed, slug=slug, desired=desired, password=password)


def unique(session: Session, record: StoredRecord, slug: str) -> str:
    """Give the slug, or the first numbered one that no record or file beside this record has."""

    def taken(text: str) -> bool:
        query = "SELECT 1 FROM records WHERE kind = ? AND parent = ? AND slug = ? AND id != ? LIMIT 1"
        parent = record.parent if record.kind.row.hierarchical else 0
        if session.db.execute(query, (record.kind, parent, text, record.id)).fetchone():
            return True
        # Files have no parent here, so they stand beside the root pages, and not beside posts.
        beside_files = record.kind.row.hierarchical and parent == 0
        query = "SELECT 1 FROM media WHERE slug = ? LIMIT 1"
        return beside_files and session.db.execute(query, (text,)).fetchone() is not None

    # Any number of records may have no slug.
    reserved = slugs.dates(session.settings.permalinks) if record.kind == BLOG_KIND else None
    reserved = slugs.PAGE_NUMBERS if record.kind.row.hierarchical else reserved
    return slug and slugs.free(slug, taken, reserved=reserved)
