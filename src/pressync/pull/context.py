"""The context in which a document is read and written: keys of fields, names of ids, paths of addresses.

Both come from the manifest. One id is a path in one file, a name in the next, and a number where this
repository has no name for it.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from pressync.content.front_matter.edit import Setting
from pressync.content.front_matter.keys import DRAFTS, SPELLINGS
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pressync.content.content import Content
    from pressync.content.front_matter.edit import Plain
    from pressync.model.records import Entry, Manifest, Medium, Value

# These need no escape in a relative link. A colon is missing: the text before it would become a scheme.
_SAFE = "/-_.~!$'*+,;=@"


@dataclass(frozen=True, slots=True)
class PullContext:
    """The tree's content, the manifest's entries, and the names and links for one document."""

    content: Content
    entries: Mapping[str, Entry]
    names: IdNames
    link: Callable[[str], str]


class PullContexts:
    """Makes the context of each document from one tree and the manifest of one site."""

    def __init__(self, content: Content, entries: Mapping[str, Entry], manifest: Manifest) -> None:
        self._content = content
        self._entries = entries
        # A link to a file that is no longer in the tree would be broken.
        self._pages = {path: entry for path, entry in entries.items() if path in content.sources}
        self._media = [medium for medium in manifest.media.values() if self._has(medium)]
        self._names = {(name.field, number): name.text for name, number in manifest.names.items()}
        self._paths = {medium.link: medium.path for medium in self._media}
        self._paths |= {entry.link: path for path, entry in self._pages.items() if entry.link}

    def for_document(self, path: str) -> PullContext:
        """Make the context of the document at a path."""
        folder = posixpath.dirname(path) or "."
        names = IdNames(
            pages={entry.id: page for page, entry in self._pages.items() if entry.kind is Kind.PAGE},
            names=self._names,
            files={medium.id: posixpath.relpath(medium.path, folder) for medium in self._media},
        )
        return PullContext(self._content, self._entries, names, link_writer(path, self._paths))

    def _has(self, medium: Medium) -> bool:
        return self._content.tree.files.get(medium.path) == medium.blob


# An address becomes a path only if it equals, to the last character, the address that the service gave for
# a document. Any other address stays as it is.
def link_writer(document: str, paths: Mapping[str, str]) -> Callable[[str], str]:
    """Give the function that turns an address into a link; `paths` maps addresses to paths from the root."""
    folder = posixpath.dirname(document)

    def link(address: str) -> str:
        whole, hash_, fragment = address.partition("#")
        # A query may belong to the address (`?page_id=12`), or somebody added it to the link.
        shorter = [whole[:at] for at, letter in enumerate(whole) if letter in "?&"]
        for known in (whole, *reversed(shorter)):
            path = paths.get(known)
            # A fragment alone would link to the same place, so the author wrote this address out on purpose.
            if path is not None and not (path == document and fragment and known == whole):
                query = whole[len(known) + 1 :]
                relative = quote(posixpath.relpath(path, folder or "."), safe=_SAFE)
                return f"{relative}{'?' if query else ''}{query}{hash_}{fragment}"
        return address

    return link


# A file keeps its own keys: a `weight` stays a `weight`, and `draft: true` becomes a `status` only where
# that is necessary. An id becomes the name or the path that this repository has for it.
@dataclass(frozen=True, slots=True)
class IdNames:
    """The names of this repository for ids: paths of pages and files, names of terms and people."""

    pages: Mapping[int, str]
    names: Mapping[tuple[str, int], str]
    files: Mapping[int, str]


def setting(field: str, value: Value, keys: Collection[str], names: IdNames) -> Setting | None:
    """Choose what to write for a field of the site, in a file whose front matter has these keys.

    None for the two fields that pressync never writes into a file: a password, and `meta`.
    """
    if field in {"password", "meta"}:
        return None
    if field == "status" and "status" not in keys:
        return _status(str(value), keys)
    # A list of authors belongs to another tool.
    spellings = SPELLINGS.get(field, ()) if field != "author" else ()
    key = next((key for key in spellings if key in keys), field)
    # A date-time is read as GMT only with its offset.
    text = f"{value}Z" if field == "date_gmt" else _named(field, value, names)
    return Setting(key, text, bare=field in {"date", "date_gmt"})


def _status(status: str, keys: Collection[str]) -> Setting:
    for key, draft in DRAFTS.items():
        if key in keys:
            return Setting(key, draft) if status == "draft" else Setting("status", status, instead_of=key)
    return Setting("status", status)


def _named(field: str, value: Value, names: IdNames) -> Plain:
    """Give a value with names in the place of ids."""
    match value:
        case tuple():
            return tuple(names.names.get((field, number), number) for number in value)
        case bool() | str():
            return value
        case int() if field == "parent":
            return names.pages.get(value, value)
        case int() if field == "author":
            return names.names.get((field, value), value)
        case int() if field == "featured_media":
            return names.files.get(value, value)
        case int():
            return value
        case _:
            raise ValueError(f"front matter cannot express the value of {field}")
