"""What documents mention by name (terms, an author, files), beside what the manifest knows of the site.

It must not look anything up or upload it. What decided its shape: a plan opens no socket, so what a
mention stands for may not be known yet. Its fingerprint is of the names, or of the file's content: that
is what the repository says, and it stays the same when the ids are learned.
"""

from __future__ import annotations

import json
import posixpath
from typing import TYPE_CHECKING

from pressync.client.capabilities import capabilities_of
from pressync.content.render.link_targets import Unresolved, safe
from pressync.model.errors import Problem
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import BODIES, Type
from pressync.model.records import Name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pressync.config.settings import Settings
    from pressync.model.records import Desired, Document, FieldReference, Manifest, Medium, Value
    from pressync.repo.repository import Tree

_LISTS = frozenset(f.name for body in BODIES.values() for f in body if f.type is Type.INTEGERS)


class References:
    """Answers for one tree and one site what mentions and links to files stand for."""

    def __init__(self, tree: Tree, settings: Settings, site: Manifest) -> None:
        """`site` may learn names and files while this is in use."""
        self._tree = tree
        self._content = settings.content
        self._site = site
        self._dialect = settings.site.dialect
        self._capabilities = capabilities_of(settings.site.dialect)

    def accepts(self, path: str) -> bool:
        """Tell whether the site takes a file of this name."""
        ending = posixpath.splitext(path)[1]
        return ending[1:].lower() in self._capabilities.files

    def address(self, path: str) -> str | Unresolved:
        """Give the address of a file of the tree that is no document, or why it has none."""
        blob = self._tree.files.get(path)
        if blob is None:
            return Unresolved.MISSING
        if not self.accepts(path):
            return Unresolved.NOT_A_DOCUMENT
        medium = self._site.media.get(blob)
        return safe(medium.link) if medium else Unresolved.UNKNOWN

    def problems(self, document: Document) -> Iterator[Problem]:
        """Tell of mentions that this site cannot have, and of files that are not there."""
        for mention in document.mentions:
            if not self._understands(mention):
                what = f"{mention.field} takes {'ids' if mention.field in _LISTS else 'an id'} here"
                todo = f"{_quoted(mention)} is left out: the {self._dialect} dialect looks nothing up by name"
                yield Problem(document.path, mention.line, what, todo, warning=True)
            elif mention.file is not None and self._path(mention, document.path) is None:
                what = f"{mention.field} is '{mention.file}', which is no file here that the site takes"
                todo = "name a picture by its path from this file, or by its id on the site"
                yield Problem(document.path, mention.line, what, todo)

    def supported(self, document: Document) -> tuple[FieldReference, ...]:
        """Give the mentions that this site can have."""
        return tuple(mention for mention in document.mentions if self._understands(mention))

    def with_files(self, document: Document, links: tuple[str, ...]) -> tuple[str, ...]:
        """Add the files that front matter mentions to the paths that the body refers to."""
        files = {self._path(mention, document.path) for mention in document.mentions} - {None}
        return tuple(sorted({*links, *filter(None, files)})) if files else links

    def fingerprints(self, document: Document) -> dict[str, str]:
        """Digest each mentioned field: its names and ids as they are given, or its file's content."""
        found = {}
        for mention in self.supported(document):
            path = self._path(mention, document.path)
            said = self._tree.files[path] if path else json.dumps(mention.given)
            found[mention.field] = fingerprint(f"{mention.field} by name: {said}")
        return found

    def ids(self, document: Document) -> dict[str, Value]:
        """Give the ids of each mentioned field, as far as the manifest knows all of them."""
        found: dict[str, Value] = {}
        for mention in self.supported(document):
            path = self._path(mention, document.path)
            medium = self._medium(path) if path else None
            ids = (medium.id,) if medium else tuple(self._id(mention.field, given) for given in mention.given)
            if all(ids):
                # Two names of one term are one id, and terms have no order.
                found[mention.field] = tuple(sorted(set(ids))) if mention.field in _LISTS else ids[0]
        return found

    def unknown_names(self, desired: Desired) -> Iterator[Name]:
        """Give the names that the manifest has no id for."""
        for mention in desired.mentions:
            yield from (name for name in mention.names if name not in self._site.names)

    def unknown_files(self, desired: Desired) -> Iterator[str]:
        """Give the paths of the files that would have to be uploaded first."""
        for path in desired.links:
            if self.address(path) is Unresolved.UNKNOWN:
                yield path

    def unused(self, links: Iterable[tuple[str, ...]]) -> list[Medium]:
        """Give the uploaded files that none of these links refers to any more, by path."""
        if not self._site.media:
            return []
        used = {self._tree.files.get(path) for paths in links for path in paths}
        idle = (medium for blob, medium in self._site.media.items() if blob not in used)
        return sorted(idle, key=lambda medium: medium.path)

    def missing(self, desired: Desired, refused: Mapping[Name | str, str]) -> tuple[Problem, ...]:
        """Give a problem for each name and file without an id; `refused` says why it has none."""
        lines = {name: mention.line for mention in desired.mentions for name in mention.names}
        later = "sync again"
        problems = [
            Problem(desired.path, lines[name], f"{name.field}: {refused.get(name, _unmade(name))}", later)
            for name in self.unknown_names(desired)
        ]
        problems += [
            Problem(desired.path, 0, refused.get(path, f"{path} was not uploaded"), later)
            for path in self.unknown_files(desired)
        ]
        return tuple(problems)

    def _understands(self, mention: FieldReference) -> bool:
        if mention.file is not None:
            return bool(self._capabilities.files)
        return mention.field in self._capabilities.names

    def _path(self, mention: FieldReference, document: str) -> str | None:
        """Find the file that is mentioned: beside the document, in the content folder, or from the root."""
        file = mention.file
        if file is None:
            return None
        beside = [] if file.startswith("/") else [posixpath.dirname(document)]
        for folder in (*beside, self._content, ""):
            path = posixpath.normpath(posixpath.join(folder, file.lstrip("/")))
            if path in self._tree.files and self.accepts(path):
                return path
        return None

    def _medium(self, path: str) -> Medium | None:
        return self._site.media.get(self._tree.files[path])

    def _id(self, field: str, given: int | str) -> int:
        if isinstance(given, int):
            return given
        return self._site.names.get(Name(field, given), 0)


def _quoted(mention: FieldReference) -> str:
    return ", ".join(f"'{given}'" for given in mention.given)


def _unmade(name: Name) -> str:
    return f"'{name.text}' has no id yet"
