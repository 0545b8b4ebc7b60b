"""A file's text and what the site says otherwise -> the text that says what the site does.

It must not know the wire, or write anything. What decided its shape: each field is put in by itself and
the text is read again as a sync would read it. Only if then that field, and no other, says something
else is it taken; so whatever a file cannot be made to say is told, and the rest is not held up by it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.content.front_matter.edit import UneditableError, edited
from pressync.content.front_matter.spans import head_of
from pressync.content.front_matter.split import split
from pressync.content.headings import first_heading
from pressync.html.inline import InexpressibleError, MarkdownStyle, inline
from pressync.html.normalize import canonical, normalized
from pressync.html.pieces import cut
from pressync.html.tree import Text, TooDeepError, parse
from pressync.pull.body import merged_body
from pressync.pull.compose import BodyFormat
from pressync.pull.fields import setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.html.pieces import Piece
    from pressync.model.records import Fields, Prepared, Value
    from pressync.pull.context import PullContext

_BY_HAND = "take it over by hand"
_HTML_BLOCK = re.compile(r"<!-- /?wp:html -->\n?")


@dataclass(frozen=True, slots=True)
class Draft:
    """A text, how it reads, the fields of the site that it says, and a sentence for each that it does not."""

    text: str
    prepared: Prepared
    taken: tuple[str, ...]
    problems: tuple[str, ...]


def draft(text: str, base: Prepared, edits: Fields, around: PullContext) -> Draft:
    """Put the site's values of some fields into a text whose line ends are LF; `base` is how it reads.

    The body goes first: where it begins is known only as long as nothing else has changed.
    """
    drafting = _Drafting(text, base, around)
    for name in sorted(edits, key=lambda name: (name != "content", name)):
        drafting.take(name, edits[name])
    return Draft(drafting.text, drafting.prepared, tuple(sorted(drafting.taken)), tuple(drafting.problems))


class _Drafting:
    """One text as it grows."""

    def __init__(self, text: str, base: Prepared, around: PullContext) -> None:
        self.text = text
        self.prepared = base
        self.taken: list[str] = []
        self.problems: list[str] = []
        self._around = around
        self._path = base.document.path

    def take(self, name: str, value: Value) -> None:
        """Put one field in, or say why not."""
        try:
            if name == "content":
                self._accept(self._with_body(str(value)), name)
            elif name == "title" and (made := self._with_heading(str(value))):
                self._accept(made, name, value)
            else:
                self._accept(self._with_key(name, value), name, value)
        except (UneditableError, InexpressibleError, TooDeepError) as error:
            self.problems.append(f"{name}: {error}; {_BY_HAND}")

    def _accept(self, text: str, name: str, value: Value | None = None) -> None:
        """Take a text if it reads as it should: this field as the site has it, and every other as before."""
        read = self._around.content.read(self._path, self._around.entries, text.encode())
        if read.prepared is None:
            raise UneditableError(f"the file would have a problem ({read.problems[0].what})")
        # A template may show any field: what it makes of the body follows from what is compared here.
        before, after = dict(self.prepared.fields), dict(read.prepared.fields)
        for fields in (before, after):
            fields.pop("content")
        if name != "content":
            before.pop(name, None)
            if not _same(after.pop(name, None), value):
                raise UneditableError("the file cannot be made to say what the site does")
        if before != after:
            raise UneditableError("another field would change with it")
        self.text, self.prepared = text, read.prepared
        self.taken.append(name)

    def _with_body(self, remote: str) -> str:
        document, content = self.prepared.document, self._around.content
        frame = content.renderer.around(document)
        if frame is None:
            raise UneditableError("its template does more with the body than to place it")
        inner = _unframed(remote, *frame)
        hand = BodyFormat(
            render=lambda body: content.laid_out(replace(document, body=body), self._around.entries),
            link=self._around.link,
            blocks=content.settings.site.blocks,
        )
        body = merged_body(document.body, inner, hand)
        return self.text[: len(self.text) - len(document.body)] + body

    def _with_heading(self, title: str) -> str | None:
        """Change the heading that the title was taken from; None if it was not taken from one."""
        whole = split(self._path, self.text).body
        if len(whole) == len(self.prepared.document.body):
            return None
        heading = first_heading(whole)
        if heading is None or "\n" in title:
            return None
        start = len(self.text) - len(whole)
        underline = "\n" in whole[heading.start : heading.end].strip()
        voices = (MarkdownStyle(str), MarkdownStyle(str, thorough=True))
        for said in (title, *(inline([Text(title)], voice) for voice in voices)):
            line = f"{said}\n{'=' * max(3, len(said))}" if underline else f"# {said}"
            found = first_heading(f"{line}\n")
            if found and found.text == title:
                return self.text[: start + heading.start] + line + self.text[start + heading.end :]
        return None

    def _with_key(self, name: str, value: Value) -> str:
        head = head_of(self.text)
        made = setting(name, value, head.spans.keys() if head else (), self._around.words)
        if made is None:
            raise UneditableError(_UNWRITTEN[name])
        return edited(self.text, [made])


_UNWRITTEN: Mapping[str, str] = {
    "password": "it was changed on the site, and a password is never written into a file",
    "meta": "it was changed on the site, and its members are not taken over",
}


def _same(ours: Value | None, theirs: Value | None) -> bool:
    """Whether two values say the same; terms have no order."""
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return sorted(ours) == sorted(theirs)
    return ours == theirs


def _unframed(remote: str, before: str, behind: str) -> str:
    """Take what a template puts around the body off a text of the site."""
    if not before.strip() and not behind.strip():
        return remote
    # An editor may have written it anew, as blocks: then what it reads is compared.
    text = _HTML_BLOCK.sub("", remote)
    end = len(text.rstrip()) - len(behind.rstrip())
    if text.startswith(before) and text.rstrip().endswith(behind.rstrip()) and end >= len(before):
        return text[len(before) : end]
    pieces, head, tail = (cut(parse(each)) for each in (text, before, behind))
    body = pieces[len(head) : len(pieces) - len(tail)]
    around = (pieces[: len(head)], pieces[len(pieces) - len(tail) :])
    if len(pieces) < len(head) + len(tail) or [*map(_reads, around)] != [_reads(head), _reads(tail)]:
        raise UneditableError(
            "what stands around the body on the site is not what its template puts there now"
        )
    return text[body[0].start : body[-1].end] if body else ""


def _reads(pieces: Sequence[Piece]) -> list[str]:
    return [canonical(normalized(piece.nodes)) for piece in pieces]
