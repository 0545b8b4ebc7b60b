"""Resolves the terms, authors and files that documents name, by what the manifest knows of the site.

A plan opens no connection, so the id of a name may not be known yet. So the fingerprint of such a field is of
its names, or of the file's content, which stay the same when the ids are known.
"""

from __future__ import annotations

import html
import json
import posixpath
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.client.dialects import capabilities_of
from pressync.content.render.diagrams import blob_of
from pressync.content.render.links import Unresolved, safe
from pressync.model.errors import Code, Problem
from pressync.model.fingerprint import fingerprint
from pressync.model.records import Desired, Document, FieldReference, Manifest, Medium, Name, NoUser, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pressync.config.settings import Settings
    from pressync.model.changes import Change

_AUTHOR = "author"
NO_AUTHOR_TODO = "write the user's id or another login, or map the name below `[authors]`"

# An image block as `editor_blocks` writes it.
_BARE = re.compile(
    r'<!-- wp:image -->\n<figure class="wp-block-image">'
    r'<img src="(?P<address>[^"<>]*)" alt="(?P<alternative>[^"<>]*)"/>'
)
# The same with the id of its upload, as `with_ids` writes it.
_NUMBERED = re.compile(
    r'<!-- wp:image \{"id":(?P<id>[0-9]{1,18}),"sizeSlug":"full","linkDestination":"none"\} -->\n'
    r'<figure class="wp-block-image size-full">'
    r'<img src="(?P<address>[^"<>]*)" alt="(?P<alternative>[^"<>]*)" '
    r'class="wp-image-(?P<class>[0-9]{1,18})"/>'
)
# The comment of a block, or a picture that names its id. WordPress escapes angles in attributes.
_MARK = re.compile(
    r"<!-- (?P<end>/)?wp:(?P<attributes>[a-z][^<>]*+)>"
    r"|<img (?=[^<>]*\bwp-image-(?P<id>[0-9]{1,18})\b)[^<>]*+>"
)
_SOURCE = re.compile(r'\ssrc="([^"<>]*)"')
_PICTURE = re.compile(r'(?<=\bwp-image-)[0-9]+\b|(?<=\sdata-id=")[0-9]+(?=")')
# The ids of a block: its own, or those of its list.
_OWN = re.compile(r'(?<="id":)[0-9]+\b|(?<="mediaId":)[0-9]+\b|(?<="ids":\[)[0-9,]+')
_NUMBER = re.compile(r"[0-9]+")
# Deeper blocks are not searched for an id.
_DEEPEST = 40


class References:
    """Resolves references and links to files, for one tree and one site."""

    def __init__(self, files: Mapping[str, str], settings: Settings, manifest: Manifest) -> None:
        """Open the references of a tree's files, by path."""
        self._files = files
        self._content = settings.content
        self.manifest = manifest
        self._dialect = settings.site.dialect
        self._taxonomies = settings.types.taxonomies
        self._capabilities = capabilities_of(settings.site.dialect)

    def learn(self, names: Mapping[Name, int], media: Mapping[str, Medium] | None = None) -> None:
        """Take in ids of names, and files by blob id, that the manifest does not have."""
        known = self.manifest
        self.manifest = replace(known, names={**known.names, **names}, media={**known.media, **(media or {})})

    def accepts(self, path: str) -> bool:
        """Tell whether the site accepts a file of this name."""
        ending = posixpath.splitext(path)[1]
        return ending[1:].lower() in self._capabilities.files

    def blob(self, path: str) -> str:
        """Give the blob id of a file of the tree, or of the picture of a diagram; "" if there is none."""
        return self._files.get(path) or blob_of(path) or ""

    def address(self, path: str) -> str | Unresolved:
        """Give the address of a file of the tree that is not a document, or why it has none."""
        blob = self.blob(path)
        if not blob:
            return Unresolved.MISSING
        if not self.accepts(path):
            return Unresolved.NOT_A_DOCUMENT
        medium = self.manifest.media.get(blob)
        return safe(medium.link) if medium else Unresolved.UNKNOWN

    def in_page_form(self, content: str, targets: Mapping[str, str | Unresolved]) -> str:
        """Give a body the ids of its pictures, and the form in which themes show it right.

        `targets` are the addresses of its links by path.
        """
        from pressync.content.render import page_forms  # noqa: PLC0415 - a check does not send a page

        ids = self._ids(targets)
        return page_forms.in_page_form(with_ids(content, ids) if ids else content, ids)

    def former_forms(
        self, body: str, first: Callable[[], str], targets: Mapping[str, str | Unresolved]
    ) -> Iterator[str]:
        """Give the forms that former versions sent of a body, the newest first.

        `body` has the links of the version before. `first` renders it as the first of these versions did,
        which had ids in blocks at most.
        """
        from pressync.content.render import page_forms  # noqa: PLC0415 - as above

        ids = self._ids(targets)
        page = with_ids(body, ids) if ids else body
        yield page_forms.as_before(page_forms.in_page_form(page, ids))
        yield page_forms.in_page_form(page, ids, former=True)
        content = page_forms.with_cuts_as_html(first())
        if "<!-- wp:" in content:
            yield with_ids(content, ids)
        yield content

    def _ids(self, targets: Mapping[str, str | Unresolved]) -> Mapping[str, int]:
        """Give the ids of the uploads among the targets, by their addresses."""
        media = (self.manifest.media.get(self.blob(path)) for path in targets)
        return {medium.link: medium.id for medium in media if medium}

    def problems(self, document: Document) -> Iterator[Problem]:
        """Give the problems of references that this site does not support, and of missing files."""
        for reference in document.mentions:
            if not self._is_supported(reference):
                ids = "ids" if reference.field in self._taxonomies else "an id"
                problem = f"{reference.field} takes {ids} here"
                names = ", ".join(f"'{given}'" for given in reference.given)
                todo = f"{names} is left out: the {self._dialect} dialect cannot look up names"
                yield Problem(
                    document.path, reference.line, problem, todo, warning=True, code=Code.NOT_SUPPORTED
                )
                continue
            for file in reference.files:
                if self._path(file, document.path) is None:
                    problem = f"{reference.field} is '{file}', which is not a file here that the site accepts"
                    todo = "name a file by its path from this one, or by its id on the site"
                    yield Problem(document.path, reference.line, problem, todo, code=Code.MISSING_FILE)

    def supported(self, document: Document) -> tuple[FieldReference, ...]:
        """Give the references that this site supports."""
        return tuple(reference for reference in document.mentions if self._is_supported(reference))

    def with_files(self, document: Document, links: tuple[str, ...]) -> tuple[str, ...]:
        """Add the files that front matter names to the paths that the body links to."""
        named = (file for reference in document.mentions for file in reference.files)
        files = {self._path(file, document.path) for file in named} - {None}
        return tuple(sorted({*links, *filter(None, files)})) if files else links

    def fingerprints(self, document: Document) -> dict[str, str]:
        """Digest each field with references: its names and ids as they are written, or its file's content."""
        digests = {}
        for reference in self.supported(document):
            blobs = {file: self._files.get(self._path(file, document.path) or "") for file in reference.files}
            written = json.dumps(reference.given)
            if blobs and all(blobs.values()):
                filled = reference.filled(blobs.get)
                written = filled if isinstance(filled, str) else json.dumps(filled, sort_keys=True)
            digests[reference.field] = fingerprint(f"{reference.field} by name: {written}")
        return digests

    def ids(self, document: Document) -> dict[str, Value]:
        """Give the ids of each field with references, if the manifest has all of them."""
        filled: dict[str, Value] = {}
        for reference in self.supported(document):
            ids_of_names, field, given = self.manifest.names, reference.field, reference.given
            if reference.files:
                uploads = {file: self._upload(file, document.path) for file in reference.files}
                if all(uploads.values()):
                    filled[field] = reference.filled(uploads.get)
                continue
            named = (v if isinstance(v, int) else ids_of_names.get(Name(field, v), 0) for v in given)
            ids = tuple(named)
            if all(ids):
                # Two names of one term have the same id, and terms have no order.
                filled[field] = tuple(sorted(set(ids))) if field in self._taxonomies else ids[0]
        return filled

    def names_of(self, changes: Iterable[Change]) -> list[Name]:
        """List the terms and authors that the documents of changes name and whose id is not known."""
        from pressync.model.changes import sent_of  # noqa: PLC0415 - a check of an edit has no changes

        return sorted({name for desired in sent_of(changes) for name in self.unknown_names(desired)})

    def files_of(self, changes: Iterable[Change]) -> dict[str, str]:
        """Give the path of each file to upload by blob id; equal files have one path, the first."""
        from pressync.model.changes import sent_of  # noqa: PLC0415 - the same

        # Many pages link to one path.
        linked = {path for desired in sent_of(changes) for path in desired.links}
        paths = (path for path in linked if self.address(path) is Unresolved.UNKNOWN)
        return {self.blob(path): path for path in sorted(paths, reverse=True)}

    def unknown_names(self, desired: Desired) -> Iterator[Name]:
        """Give the names without an id in the manifest."""
        for reference in desired.mentions:
            yield from self.names_without_id(reference)

    def names_without_id(self, reference: FieldReference) -> Iterator[Name]:
        """Give the names of one reference without an id in the manifest."""
        return (name for name in reference.names if name not in self.manifest.names)

    def unknown_files(self, desired: Desired) -> Iterator[str]:
        """Give the paths of the files that must be uploaded first."""
        for path in desired.links:
            if self.address(path) is Unresolved.UNKNOWN:
                yield path

    def unmade(self, desired: Desired, *, may_upload: bool) -> Iterator[tuple[int, Name | str]]:
        """Give the terms and files that no tool makes, with the line; 0 for a file of the text."""
        for reference in desired.mentions:
            names = self.names_without_id(reference) if reference.field != _AUTHOR else ()
            yield from ((reference.line, name) for name in names)
        if may_upload:
            return
        lines = {posixpath.basename(file): m.line for m in desired.mentions for file in m.files}
        for path in self.unknown_files(desired):
            yield lines.get(posixpath.basename(path), 0), path

    def unused(self, links: Iterable[tuple[str, ...]]) -> list[Medium]:
        """Give the files that pressync uploaded and none of these links refers to, by path."""
        if not self.manifest.media:
            return []
        paths = {path for group in links for path in group}
        used = {self.blob(path) for path in paths}
        # A record that shows a file which was renamed since is not sent for that. It keeps the former path.
        renamed = {path for path in paths if not self.blob(path)}
        own = (medium for medium in self.manifest.media.values() if not medium.foreign)
        idle = (medium for medium in own if medium.blob not in used and medium.path not in renamed)
        return sorted(idle, key=lambda medium: medium.path)

    def missing(self, desired: Desired, refused: Mapping[Name | str, str | NoUser]) -> tuple[Problem, ...]:
        """Give a problem for each name and file without an id; `refused` says why it has none."""
        lines = {name: reference.line for reference in desired.mentions for name in reference.names}
        later = "sync again"
        rows = [
            (lines[name], f"{name.field} ", refused.get(name, f"'{name.text}' has no id yet"))
            for name in self.unknown_names(desired)
        ]
        files = self.unknown_files(desired)
        rows += [(0, "", refused.get(path, f"{path} was not uploaded")) for path in files]
        return tuple(
            Problem(desired.path, line, f"{of}{why.why}", NO_AUTHOR_TODO, logins=why.logins, code=Code.NO_ID)
            if isinstance(why, NoUser)
            else Problem(desired.path, line, f"{of}{why}", later, code=Code.NO_ID)
            for line, of, why in rows
        )

    def _is_supported(self, reference: FieldReference) -> bool:
        if reference.files:
            return bool(self._capabilities.files)
        return self._capabilities.finds(reference.field, self._taxonomies)

    def _upload(self, file: str, document: str) -> int:
        """Give the id of the upload of a file; 0 if the manifest does not have it."""
        path = self._path(file, document)
        medium = self.manifest.media.get(self._files[path]) if path else None
        return medium.id if medium else 0

    def _path(self, file: str, document: str) -> str | None:
        """Find the file of a reference: beside the document, in the content folder, or from the root."""
        folders = [] if file.startswith("/") else [posixpath.dirname(document)]
        for folder in (*folders, self._content, ""):
            path = posixpath.normpath(posixpath.join(folder, file.lstrip("/")))
            if path in self._files and self.accepts(path):
                return path
        return None


# WordPress makes width, height and smaller sizes only for a picture whose class names its id. A block that
# has an id already keeps its form; only the id changes, because a replaced picture is another upload.
def with_ids(page: str, ids: Mapping[str, int]) -> str:
    """Give the pictures of a page the ids that `ids` has for their addresses.

    The form of a new block is that of the editor: a picture in its full size, without a link.
    """
    return _BARE.sub(lambda block: _with_id(block, ids), _corrected(page, ids))


def without_ids(page: str, ids: Mapping[str, int]) -> str:
    """Give the pictures of a page the form that they have before `with_ids`; another id is corrected."""
    return _NUMBERED.sub(lambda block: _without_id(block, ids), _corrected(page, ids))


def _without_id(block: re.Match[str], ids: Mapping[str, int]) -> str:
    is_ours = {block["id"], block["class"]} == {str(ids.get(html.unescape(block["address"])))}
    bare = (
        '<!-- wp:image -->\n<figure class="wp-block-image">'
        f'<img src="{block["address"]}" alt="{block["alternative"]}"/>'
    )
    return bare if is_ours else block[0]


def _with_id(block: re.Match[str], ids: Mapping[str, int]) -> str:
    number = ids.get(html.unescape(block["address"]))
    if not number:
        return block[0]
    return (
        f'<!-- wp:image {{"id":{number},"sizeSlug":"full","linkDestination":"none"}} -->\n'
        f'<figure class="wp-block-image size-full">'
        f'<img src="{block["address"]}" alt="{block["alternative"]}" class="wp-image-{number}"/>'
    )


def _corrected(page: str, ids: Mapping[str, int]) -> str:
    """Replace the ids of other uploads: in each picture, and in the blocks around it."""
    renamed: dict[tuple[int, int], dict[str, str]] = {}
    opened: list[re.Match[str]] = []
    for mark in _MARK.finditer(page):
        if mark["end"]:
            opened = opened[:-1]
        elif mark["attributes"]:
            opened += [] if mark["attributes"].endswith("/--") else [mark]
        elif source := _SOURCE.search(mark[0]):
            number = ids.get(html.unescape(source[1]))
            for comment in (mark, *opened[-_DEEPEST:]) if number not in {None, int(mark["id"])} else ():
                renamed.setdefault(comment.span(), {})[mark["id"]] = str(number)
    parts, end_before = [], 0
    for (start, end), numbers in sorted(renamed.items()):
        parts += [page[end_before:start], _with_other_ids(page[start:end], numbers)]
        end_before = end
    return "".join((*parts, page[end_before:]))


def _with_other_ids(mark: str, numbers: Mapping[str, str]) -> str:
    def other(match: re.Match[str]) -> str:
        return _NUMBER.sub(lambda number: numbers.get(number[0], number[0]), match[0])

    return (_PICTURE if mark.startswith("<img") else _OWN).sub(other, mark)
