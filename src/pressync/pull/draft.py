"""Edits a file's text so that it has the values of the site. It writes no file.

Each field is put in by itself, and the text is then read again as a sync would read it. The edit is accepted
only if this field and no other has changed. So a field that the file cannot express becomes a message, and
does not hold up the others.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import structs

from pressync.content.documents import split
from pressync.content.front_matter.edit import Plain, Setting, UneditableError, edited, head_of
from pressync.content.front_matter.keys import DRAFTS, SPELLINGS, Authors
from pressync.content.front_matter.registered import form_in_file, place_of, with_paths
from pressync.content.markdown_text import first_heading
from pressync.content.references import without_ids
from pressync.content.render.page_forms import without_page_form
from pressync.content.vault import is_in_vault
from pressync.html.normalize import canonical, normalized
from pressync.html.pieces import Forms, Piece, cut
from pressync.html.to_markdown import InexpressibleError, MarkdownStyle, inline
from pressync.html.tree import Text, TooDeepError, parse
from pressync.model.interface import OBJECTS
from pressync.model.records import Name
from pressync.pull.body import merged_body
from pressync.pull.compose import BodyFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from pressync.config.settings import Settings
    from pressync.content.content import Content
    from pressync.model.records import Entry, Fields, Manifest, Prepared, Value


# These need no escape in a relative link. A colon is missing: the text before it would become a scheme.
_SAFE = "/-_.~!$'*+,;=@"


@dataclass(frozen=True, slots=True)
class PullContext:
    """The tree's content, the manifest's entries, and the names and links for one document.

    `uploads` are the ids of uploaded files by their addresses.
    """

    content: Content
    entries: Mapping[str, Entry]
    names: IdNames
    link: Callable[[str], str]
    uploads: Mapping[str, int] = field(default_factory=dict)


class PullContexts:
    """Makes the context of each document from one tree and the manifest of one site."""

    def __init__(self, content: Content, entries: Mapping[str, Entry], manifest: Manifest) -> None:
        self._content = content
        self._entries = entries
        # A link to a file that is no longer in the tree would be broken.
        self._pages = {path: entry for path, entry in entries.items() if path in content.sources}
        self._media = [
            medium for medium in manifest.media.values() if content.tree.files.get(medium.path) == medium.blob
        ]
        self._names = dict(_names_in_files(manifest.names, content.settings))
        self._paths = {medium.link: medium.path for medium in self._media}
        self._uploads = {medium.link: medium.id for medium in self._media}
        self._paths |= {entry.link: path for path, entry in self._pages.items() if entry.link}

    def for_document(self, path: str) -> PullContext:
        """Make the context of the document at a path."""
        folder = posixpath.dirname(path) or "."
        names = IdNames(
            pages={entry.id: page for page, entry in self._pages.items() if entry.kind.row.hierarchical},
            names=self._names,
            files={medium.id: posixpath.relpath(medium.path, folder) for medium in self._media},
        )
        link = link_writer(path, self._paths)
        return PullContext(self._content, self._entries, names, link, self._uploads)


def _names_in_files(numbers: Mapping[Name, int], settings: Settings) -> Iterator[tuple[tuple[str, int], str]]:
    """Give the name that a file uses for an id; `[authors]` and `[terms]` have other names than the site.

    An id without a name that means it alone is left out.
    """
    authors = Authors(settings.authors)
    for known_name, number in sorted(numbers.items(), reverse=True):
        of, text = known_name.field, known_name.text
        name = authors.name_of(text, number) if of == "author" else term_in_files(of, text, settings)
        if name is not None:
            yield (of, number), name


def term_in_files(field_: str, text: str, settings: Settings) -> str | None:
    """Give the one name by which files mean a term of the site; None if there is none, or several."""
    head = f"{field_}/"
    rows = [key for key, there in settings.terms.items() if there == text and key.startswith(head)]
    if len(rows) == 1:
        return rows[0].removeprefix(head)
    return text if settings.terms.get(head + text, text) == text else None


# An address becomes a path only if it equals, to the last character, the address that the service gave for
# a document. Any other address stays as it is.
def link_writer(document: str, paths: Mapping[str, str]) -> Callable[[str], str]:
    """Give the function that turns an address into a link; `paths` maps addresses to paths from the root."""
    folder = posixpath.dirname(document)

    def link(address: str) -> str:
        whole, hash_, fragment = address.partition("#")
        # A query may belong to the address (`?page_id=12`), or somebody added it to the link.
        shorter = [whole[:at] for at, letter in enumerate(whole) if letter in "?&"]
        for prefix in (whole, *reversed(shorter)):
            path = paths.get(prefix)
            # A fragment alone would link to the same place, so the author wrote this address out on purpose.
            if path is not None and not (path == document and fragment and prefix == whole):
                query = whole[len(prefix) + 1 :]
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


def setting(
    field: str,
    value: Value,
    keys: Collection[str],
    names: IdNames,
    written: Sequence[tuple[str | int, int]] = (),
) -> Setting | None:
    """Choose what to write for a field of the site, in a file whose front matter has these keys.

    `written` are the values of a list in the file, with their ids: those that stay keep words and order.
    None for the two fields that pressync never writes into a file: a password, and `meta`.
    """
    if field in _UNWRITTEN:
        return None
    if field == "status" and "status" not in keys:
        for key, is_draft in DRAFTS.items():
            if key in keys and value == "draft":
                return Setting(key, is_draft)
            if key in keys:
                return Setting("status", str(value), instead_of=key)
    # A list of authors belongs to another tool.
    spellings = SPELLINGS.get(field, ()) if field != "author" else ()
    key = next((key for key in spellings if key in keys), field)
    # A date-time is read as GMT only with its offset.
    text = f"{value}Z" if field == "date_gmt" else _named(field, value, names, written)
    return Setting(key, text, bare=field in {"date", "date_gmt"})


def _named(field: str, value: Value, names: IdNames, written: Sequence[tuple[str | int, int]]) -> Plain:
    match value:
        case tuple():
            kept = {number: text for text, number in written if number in value}
            added = (number for number in value if number not in kept)
            return (*kept.values(), *(names.names.get((field, number), number) for number in added))
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


_BY_HAND = "take it over by hand"
_HTML_BLOCK = re.compile(r"<!-- /?wp:html -->\n?")


@dataclass(frozen=True, slots=True)
class Draft:
    """A text, its document, the fields that have the site's value, and a sentence for each other field."""

    text: str
    prepared: Prepared
    taken: tuple[str, ...]
    problems: tuple[str, ...]


def draft(text: str, base: Prepared, edits: Fields, context: PullContext) -> Draft:
    """Put the site's values of some fields into a text with LF line ends; `base` is its document.

    The body goes first, because its start is known only as long as nothing else has changed.
    """
    drafting = _Drafting(text, base, context)
    for name in sorted(edits, key=lambda name: (name != "content", name)):
        drafting.take(name, edits[name])
    return Draft(drafting.text, drafting.prepared, tuple(sorted(drafting.taken)), tuple(drafting.problems))


class _Drafting:
    """A text to which one field after the other is applied."""

    def __init__(self, text: str, base: Prepared, context: PullContext) -> None:
        self.text = text
        self.prepared = base
        self.taken: list[str] = []
        self.problems: list[str] = []
        self._context = context
        self._path = base.document.path

    def take(self, name: str, value: Value) -> None:
        try:
            if name == "content":
                self._accept(self._with_old_title(self._with_body(str(value))), name)
            elif name == "title" and (changed := self._with_heading(str(value))):
                self._accept(changed, name, value)
            else:
                self._accept(self._with_key(name, value), name, value)
        except (ValueError, InexpressibleError, TooDeepError) as error:
            self.problems.append(f"{name}: {error}; {_BY_HAND}")

    def _accept(self, text: str, name: str, value: Value | None = None) -> None:
        """Accept a text if this field has the site's value, and every other field its old one."""
        read = self._context.content.read(self._path, self._context.entries, text.encode())
        if read.prepared is None:
            raise UneditableError(f"the file would have a problem ({read.obstacle})")
        # The content is not compared: a template may show any field, and the other fields are compared here.
        before, after = dict(self.prepared.fields), dict(read.prepared.fields)
        for fields in (before, after):
            fields.pop("content")
        if name != "content":
            before.pop(name, None)
            ours, theirs = after.pop(name, None), value
            field = self.prepared.document.kind.row.fields.get(name)
            if isinstance(ours, tuple) and isinstance(theirs, tuple) and field and field.taxonomy:
                # Terms have no order.
                ours, theirs = tuple(sorted(ours)), tuple(sorted(theirs))
            if field and field.inside:
                ours, theirs = map(field.meaning, (ours, theirs))
            if ours != theirs:
                raise UneditableError("pressync cannot write this value into the file")
        if before != after:
            raise UneditableError("another field would change with it")
        self.text, self.prepared = text, read.prepared
        self.taken.append(name)

    def _with_body(self, remote: str) -> str:
        document, content = self.prepared.document, self._context.content
        frame = content.renderer.around(document)
        if frame is None:
            raise UneditableError("its template changes the body and does not only insert it")
        uploads = self._context.uploads

        def as_in_a_file(page: str) -> str:
            # A sync adds the ids of uploads, which belong to one site, and what themes need.
            return without_page_form(without_ids(page, uploads), uploads)

        inner = as_in_a_file(_without_frame(remote, *frame))
        is_blocks, markdown = content.settings.site.blocks, content.settings.markdown
        body_format = BodyFormat(
            render=lambda body: as_in_a_file(
                content.laid_out(structs.replace(document, body=body), self._context.entries)
            ),
            link=self._context.link,
            forms=Forms(is_blocks, markdown.embeds, is_blocks and markdown.galleries),
            former_headings=lambda: content.repository.history.lines_ever(document.path, "^#{1,6} "),
            by_words=is_in_vault(document.path, content.settings),
        )
        body = merged_body(document.body, inner, body_format)
        return self.text[: len(self.text) - len(document.body)] + body

    def _with_old_title(self, text: str) -> str:
        """Name the title in a new text whose first heading would change it; on the site it did not change."""
        title = self.prepared.fields.get("title")
        read = self._context.content.read(self._path, self._context.entries, text.encode()).prepared
        if read is None or title is None or read.fields.get("title") == title:
            return text
        return edited(text, [Setting("title", str(title))])

    def _with_heading(self, title: str) -> str | None:
        """Change the heading that gives the title; None if no heading gives it."""
        whole = split(self._path, self.text).body
        if len(whole) == len(self.prepared.document.body):
            return None
        heading = first_heading(whole)
        if heading is None or "\n" in title:
            return None
        start = len(self.text) - len(whole)
        underline = "\n" in whole[heading.start : heading.end].strip()
        # The heading of a vault's note only repeats its title, which is the key or the name of the file.
        head, settings = head_of(self.text), self._context.content.settings
        is_named = (head and "title" in head.keys) or is_in_vault(self._path, settings)
        named = [Setting("title", title)] if is_named else []
        styles = (MarkdownStyle(str), MarkdownStyle(str, thorough=True))
        for text in (title, *(inline([Text(title)], style) for style in styles)):
            line = f"{text}\n{'=' * max(3, len(text))}" if underline else f"# {text}"
            first = first_heading(f"{line}\n")
            if first and first.text == title:
                return edited(
                    self.text[: start + heading.start] + line + self.text[start + heading.end :], named
                )
        return None

    def _with_key(self, name: str, value: Value) -> str:
        head, names = head_of(self.text), self._context.names
        if name == "meta" or name.partition(".")[0] not in OBJECTS:
            edit = setting(name, value, head.keys if head else (), names, self._written(name))
            if edit is None:
                raise UneditableError(_UNWRITTEN[name])
            return edited(self.text, [edit])
        document, settings = self.prepared.document, self._context.content.settings
        value = form_in_file(document.kind.row.fields[name], value)
        if any(mention.field == name for mention in document.mentions):
            # A file with the path of an upload keeps a path.
            value = with_paths(document.kind.row.fields[name].schema, value, names.files)
        path, plain = place_of(name, value, document.kind, settings, head.spans if head else ())
        return edited(self.text, [Setting(path, plain, old=self.prepared.fields.get(name))])

    def _written(self, name: str) -> list[tuple[str | int, int]]:
        """Give the terms that the file has in a field, in its words, with their ids."""
        content = self._context.content
        if name not in content.settings.types.taxonomies:
            return []
        numbers, terms = content.references.manifest.names, content.settings.terms
        given = split(self._path, self.text).values.get(name)
        pairs: list[tuple[str | int, int]] = []
        for item in given.items if given and given.value is not None else ():
            text = item.value if isinstance(item.value, int) else item.text
            there = Name(name, terms.get(f"{name}/{text}", str(text)))
            number = text if isinstance(text, int) else numbers.get(there)
            pairs += [(text, number)] if number else []
        return pairs


_UNWRITTEN: Mapping[str, str] = {
    "password": "it was changed on the site, and pressync never writes a password into a file",
    "meta": "it was changed on the site, and pressync does not take its members over",
}


def _without_frame(remote: str, before: str, after: str) -> str:
    """Remove the HTML that a template puts before and after the body from a text of the site."""
    if not before.strip() and not after.strip():
        return remote
    # The editor may have written the frame anew, as blocks. Then its normalized pieces are compared.
    text = _HTML_BLOCK.sub("", remote)
    end = len(text.rstrip()) - len(after.rstrip())
    if text.startswith(before) and text.rstrip().endswith(after.rstrip()) and end >= len(before):
        return text[len(before) : end]
    pieces, head, tail = (cut(parse(text)) for text in (text, before, after))
    body = pieces[len(head) : len(pieces) - len(tail)]
    frame = (pieces[: len(head)], pieces[len(pieces) - len(tail) :])
    if len(pieces) < len(head) + len(tail) or [*map(_canonical, frame)] != [*map(_canonical, (head, tail))]:
        raise UneditableError("on the site, the HTML around the body differs from its template's of today")
    return text[body[0].start : body[-1].end] if body else ""


def _canonical(pieces: Sequence[Piece]) -> list[str]:
    return [canonical(normalized(piece.nodes)) for piece in pieces]
