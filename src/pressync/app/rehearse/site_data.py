"""Makes the rows of the embedded stage out of what was read of the site and of what the manifest knows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from pressync.client.wordpress import WORDPRESS
from pressync.client.wordpress.body import body
from pressync.client.wordpress.permalinks import structure
from pressync.model.interface import BODIES, SHOWN_VALUES, Kind
from pressync.server import given_state, permalinks
from pressync.server import slugs as slugs_of_trash
from pressync.server.record import TRASH
from pressync.server.wordpress import slugs
from pressync.server.wordpress.media import FOLDER, TYPES, Attachment
from pressync.server.wordpress.roles import CAPABILITIES, User
from pressync.server.wordpress.terms import CATEGORY, TAG, TermRow

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from pressync.app.rehearse.last_synced import LastSynced
    from pressync.app.rehearse.live_site import LiveSite
    from pressync.client.port import Term
    from pressync.model.records import Entry, Fields, Manifest, Record
    from pressync.repo.repository import Repository
    from pressync.server.database import SiteSettings
    from pressync.server.record import StoredRecord

_USUAL = "/%postname%/"
# The slug of an upload of pressync: without its bytes, it must not be found.
_OURS = re.compile("[0-9a-f]{16}$")
_DATED = re.compile(r"/([0-9]{4})/([0-9]{2})(?:/([0-9]{2}))?/")
_NOTHING: Fields = MappingProxyType({})
_TAXONOMIES: Mapping[str, str] = {"categories": CATEGORY, "tags": TAG}


def settings(before: SiteSettings, live: LiveSite, known: Manifest, address: str) -> SiteSettings:
    """Give the settings of a stage: the address of the site's pages, its permalinks, title and time.

    The title of a site that was not read is its address without `https://`.
    """
    return replace(
        before,
        address=address,
        title=live.title or address.partition("://")[2],
        offset=live.offset or 0,
        permalinks=_permalinks(live, known, address),
        front=_front(before, live, known, address),
    )


def _front(before: SiteSettings, live: LiveSite, known: Manifest, address: str) -> int:
    """Give the front page of the site, or that of the manifest, whose address is the site's own."""
    if live.front is not None:
        return live.front
    front = (entry.id for entry in known.entries.values() if entry.link.rstrip("/") == address)
    return next(front, 0 if known.entries else before.front)


def _permalinks(live: LiveSite, known: Manifest, address: str) -> str:
    """Give the site's permalink structure, or that of the addresses in the manifest, or the commonest one."""
    found = live.permalinks
    if found is None:
        posts = (entry for entry in known.entries.values() if entry.kind is Kind.POST)
        found = structure(map(_with_date, posts), home=address)
    try:
        return _USUAL if found is None else permalinks.structure(found)
    except ValueError:
        return _USUAL


def _with_date(post: Entry) -> dict[str, object]:
    """Give the members of a post that show the structure; an address with a date has its date."""
    date = _DATED.search(post.link)
    return {
        "id": post.id,
        "slug": post.slug,
        "link": post.link,
        # An empty part of a date would be in every address.
        "date": "-".join(filter(None, date.groups())) if date else "?",
    }


def users(live: LiveSite) -> tuple[User, ...]:
    """Give the users that were read; one without a visible role may do what editors may."""
    return tuple(
        User(
            each.id,
            each.login or each.slug,
            each.email or f"user-{each.id}@localhost",
            each.name,
            each.slug,
            each.role if each.role in CAPABILITIES else "editor",
            visible=True,
        )
        for each in live.users
    )


def rows(
    live: LiveSite, known: Manifest
) -> Iterator[tuple[type[User | TermRow], tuple[User | TermRow, ...]]]:
    """Give the users and the terms by their kind; those that were not read come from the manifest's names."""
    found = users(live)
    if found:
        yield User, found
    unread = {part.what for part in live.unread}
    terms = {} if live.terms is None else live.terms
    read = [_term(field, term) for field in terms.keys() - unread for term in terms[field]]
    yield TermRow, (*read, *_named(known, _TAXONOMIES.keys() - (terms.keys() - unread)))


def _term(field: str, term: Term) -> TermRow:
    return TermRow(term.id, _TAXONOMIES[field], term.name, term.slug, term.parent)


def _named(known: Manifest, unread: Collection[str]) -> Iterator[TermRow]:
    """Make the terms of unread fields whose ids the manifest knows; the first category is on every site."""
    ids = {(name.field, name.text): number for name, number in known.names.items()}
    if "categories" in unread and 1 not in ids.values():
        yield TermRow(1, CATEGORY, "Uncategorized", "uncategorized")
    for (field, text), number in ids.items():
        if field in unread:
            above, _, own = text.rpartition("/") if field == "categories" else ("", "", text)
            slug = slugs.sanitise(text if above else own)
            yield TermRow(number, _TAXONOMIES[field], own, slug, ids.get((field, above), 0))


def media(
    live: LiveSite, known: Manifest, address: str, uploads: Path, repository: Repository
) -> Iterator[Attachment]:
    """Put the uploaded files that the manifest knows at their addresses; give their rows, and those read."""
    for medium in known.media.values():
        file = _file(medium.link, address) or PurePosixPath(medium.path)
        if repository.text(medium.blob) is not None and ".." not in file.parts and not file.is_absolute():
            target = uploads / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(repository.read(medium.blob))
        kind = TYPES.get(file.suffix[1:].lower(), "application/octet-stream")
        yield Attachment(medium.id, f"media-{medium.id}", file.stem, "", str(file), kind, 0, 0, 1)
    ids = {medium.id for medium in known.media.values()}
    for each in live.files:
        if each.id not in ids and not _OURS.search(each.slug):
            # Only beside a file without a record can no page have its slug.
            slug = f"media-{each.id}" if each.parent else each.slug
            file = _file(each.link, address) or PurePosixPath(str(each.id))
            yield Attachment(each.id, slug, each.slug, "", str(file), each.type, 0, 0, 1)


def _file(link: str, address: str) -> PurePosixPath | None:
    """Give the path of an uploaded file below the folder of all uploads; None for another address."""
    folder = f"{urlsplit(address).path.rstrip('/')}/{FOLDER}/"
    path = unquote(urlsplit(link).path)
    return PurePosixPath(path.removeprefix(folder)) if path.startswith(folder) else None


def synced(kept: LastSynced, dialect: str, offset: int) -> StoredRecord:
    """Make the record of an entry, with the fields as a call of this dialect would send them."""
    entry = kept.entry
    takes = {field.name for field in BODIES[entry.kind]}
    fields = {name: value for name, value in kept.fields.items() if name in takes}
    given = {**SHOWN_VALUES, **(body(entry.kind, fields) if dialect == WORDPRESS.name else fields)}
    return given_state.record(entry.kind, entry.id, given, modified=entry.modified_gmt, offset=offset)


def as_it_is(record: Record, dialect: str, offset: int, synced: Fields = _NOTHING) -> StoredRecord:
    """Make a record that was read from the site; a classic text is without a block, as on the site.

    A visitor does not see all fields. The others are those that were last synced.
    """
    takes = {field.name for field in BODIES[record.kind]}
    before = {name: value for name, value in synced.items() if name in takes}
    fields = {**before, **record.fields}
    given = dict(body(record.kind, fields)) if dialect == WORDPRESS.name else dict(fields)
    if dialect == WORDPRESS.name and record.classic and "content" in record.fields:
        given["content"] = record.fields["content"]
    given["slug"] = record.slug
    if given.get("status") == TRASH:
        given["desired"] = slugs_of_trash.restored(record.slug)
    return given_state.record(record.kind, record.id, given, modified=record.modified_gmt, offset=offset)


def last_id(live: LiveSite, known: Manifest) -> int:
    """Give the largest id that records and files of the site are known to have."""
    ids = [entry.id for entry in known.entries.values()]
    ids += [medium.id for medium in known.media.values()]
    ids += [file.id for file in live.files]
    return max([*ids, *(record.id for record in live.records)], default=0)
