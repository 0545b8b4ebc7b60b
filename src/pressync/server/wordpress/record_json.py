"""Writes a stored record as WordPress shows it: more members than the documented record has, and links.

`server.serialize` writes the members that both dialects share. The slug of a sample address and the link need
queries, so they are only made if they are requested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.model.interface import Kind
from pressync.server import permalinks
from pressync.server.serialize import to_json
from pressync.server.wordpress import slugs, writing

if TYPE_CHECKING:
    from pressync.server.record import StoredRecord
    from pressync.server.wordpress.fields import Fields
    from pressync.server.wordpress.session import Session

# Visitors reach these records by their number alone.
_WITHOUT_ADDRESS = frozenset({"draft", "pending", "future", "trash"})

_EDIT_ONLY = ("password", "permalink_template", "generated_slug")
_OBJECTS = ("guid", "title", "content", "excerpt")


def shown(session: Session, stored: StoredRecord, fields: Fields, *, edit: bool) -> dict[str, object]:
    """Write a record; `edit` is the context with the raw texts."""
    path = permalinks.path_of(session.db, stored) if fields.has("link") or fields.paths is None else "/"
    members = to_json(stored, path, session.settings)
    if stored.status in _WITHOUT_ADDRESS:
        query = "page_id" if stored.kind is Kind.PAGE else "p"
        members["link"] = f"{session.settings.address}/?{query}={stored.id}"
    if fields.has("generated_slug"):
        wanted = slugs.sanitise(stored.title) or str(stored.id)
        members["generated_slug"] = unquote(writing.unique(session, stored, wanted))
    if stored.kind is Kind.POST:
        for name, taxonomy in (("categories", "category"), ("tags", "post_tag")):
            members[name] = _known_terms(session, taxonomy, getattr(stored, name))
    if fields.has("_links"):
        members["_links"] = _links(session, stored, edit=edit)
    return members if edit else _for_visitors(members)


def _for_visitors(members: dict[str, object]) -> dict[str, object]:
    """Leave out the members that only people who may edit see."""
    kept = {name: value for name, value in members.items() if name not in _EDIT_ONLY}
    for name in _OBJECTS:
        value = kept[name]
        if isinstance(value, dict):
            kept[name] = {key: inner for key, inner in value.items() if key not in {"raw", "block_version"}}
    return kept


def _known_terms(session: Session, taxonomy: str, ids: tuple[int, ...]) -> list[int]:
    """List the terms that exist, by name as WordPress does."""
    if not ids:
        return []
    query = "SELECT id FROM terms WHERE taxonomy = ? ORDER BY name COLLATE NOCASE, id"
    if len(ids) == 1:
        query = query.replace(" ORDER", f" AND id = {int(ids[0])} ORDER")
    return [number for (number,) in session.db.execute(query, (taxonomy,)) if number in ids]


def _links(session: Session, stored: StoredRecord, *, edit: bool) -> dict[str, object]:
    kinds, number, user = f"{stored.kind}s", stored.id, session.user
    own = f"{session.base}/wp/v2/{kinds}/{number}"
    links: dict[str, str] = {
        "self": own,
        "collection": f"{session.base}/wp/v2/{kinds}",
        "author": f"{session.base}/wp/v2/users/{stored.author}",
    }
    if stored.parent:
        links["up"] = f"{session.base}/wp/v2/{kinds}/{stored.parent}"
    if edit and user.may(f"publish_{kinds}"):
        links["wp:action-publish"] = own
    if edit and user.may("unfiltered_html"):
        links["wp:action-unfiltered-html"] = own
    return {name: [{"href": href}] for name, href in links.items()}
