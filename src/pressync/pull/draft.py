"""Edits a file's text so that it has the values of the site. It writes no file.

Each field is put in by itself, and the text is then read again as a sync would read it. The edit is accepted
only if this field and no other has changed. So a field that the file cannot express becomes a message, and
does not hold up the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.content.front_matter.edit import Setting, UneditableError, edited, head_of
from pressync.content.front_matter.split import split
from pressync.content.markdown_text import first_heading
from pressync.html.normalize import canonical, normalized
from pressync.html.pieces import cut
from pressync.html.to_markdown import InexpressibleError, MarkdownStyle, inline
from pressync.html.tree import Text, TooDeepError, parse
from pressync.pull.body import merged_body
from pressync.pull.compose import BodyFormat
from pressync.pull.context import setting
from pressync.repo import versions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.html.pieces import Piece
    from pressync.model.records import Fields, Prepared, Value
    from pressync.pull.context import PullContext

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
        """Put one field in, or note why that is not possible."""
        try:
            if name == "content":
                self._accept(self._with_old_title(self._with_body(str(value))), name)
            elif name == "title" and (changed := self._with_heading(str(value))):
                self._accept(changed, name, value)
            else:
                self._accept(self._with_key(name, value), name, value)
        except (UneditableError, InexpressibleError, TooDeepError) as error:
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
            if not _same(after.pop(name, None), value):
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
        inner = _without_frame(remote, *frame)
        body_format = BodyFormat(
            render=lambda body: content.laid_out(replace(document, body=body), self._context.entries),
            link=self._context.link,
            blocks=content.settings.site.blocks,
            former_headings=lambda: versions.lines(content.repository, document.path, "^#{1,6} "),
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
        styles = (MarkdownStyle(str), MarkdownStyle(str, thorough=True))
        for text in (title, *(inline([Text(title)], style) for style in styles)):
            line = f"{text}\n{'=' * max(3, len(text))}" if underline else f"# {text}"
            found = first_heading(f"{line}\n")
            if found and found.text == title:
                return self.text[: start + heading.start] + line + self.text[start + heading.end :]
        return None

    def _with_key(self, name: str, value: Value) -> str:
        head = head_of(self.text)
        found = setting(name, value, head.spans.keys() if head else (), self._context.names)
        if found is None:
            raise UneditableError(_UNWRITTEN[name])
        return edited(self.text, [found])


_UNWRITTEN: Mapping[str, str] = {
    "password": "it was changed on the site, and pressync never writes a password into a file",
    "meta": "it was changed on the site, and pressync does not take its members over",
}


def _same(ours: Value | None, theirs: Value | None) -> bool:
    """Whether two values are equal; terms have no order."""
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return sorted(ours) == sorted(theirs)
    return ours == theirs


def _without_frame(remote: str, before: str, after: str) -> str:
    """Remove the HTML that a template puts before and after the body from a text of the site."""
    if not before.strip() and not after.strip():
        return remote
    # The editor may have written the frame anew, as blocks. Then its normalized pieces are compared.
    text = _HTML_BLOCK.sub("", remote)
    end = len(text.rstrip()) - len(after.rstrip())
    if text.startswith(before) and text.rstrip().endswith(after.rstrip()) and end >= len(before):
        return text[len(before) : end]
    pieces, head, tail = (cut(parse(each)) for each in (text, before, after))
    body = pieces[len(head) : len(pieces) - len(tail)]
    frame = (pieces[: len(head)], pieces[len(pieces) - len(tail) :])
    if len(pieces) < len(head) + len(tail) or [*map(_canonical, frame)] != [*map(_canonical, (head, tail))]:
        raise UneditableError("on the site, the HTML around the body differs from its template's of today")
    return text[body[0].start : body[-1].end] if body else ""


def _canonical(pieces: Sequence[Piece]) -> list[str]:
    return [canonical(normalized(piece.nodes)) for piece in pieces]
