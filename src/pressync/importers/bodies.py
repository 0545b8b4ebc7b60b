"""Turns the HTML of a whole body into Markdown, piece by piece.

Each piece becomes the Markdown that renders to it, or stays HTML, because Markdown accepts HTML as it is. In
the end the whole is rendered and compared, because pieces can run together. If it differs, every piece stays
HTML, and if that differs too, the body stays as it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.content.render.markdown import with_places
from pressync.html.paragraphs import paragraphs
from pressync.html.pieces import cut
from pressync.html.shortcodes import unescape_shortcodes
from pressync.html.to_markdown import raw
from pressync.html.tree import Element, TooDeepError, parse
from pressync.importers.item import Form
from pressync.pull.compose import BodyFormat, MarkdownWriter, separator
from pressync.pull.source_map import is_footnotes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.html.pieces import Piece
    from pressync.pull.compose import NormalizedPiece

_BLOCK = re.compile(r"<!--\s+wp:(?:core/)?([a-z][a-z0-9_/-]*)")
# WordPress cuts the text at these marks, and shows no paragraph for them.
_ALONE = re.compile(r"<p>\s*(<!--(?:more\b.{0,200}?|nextpage)-->)\s*</p>")
_WHOLE = "body"


@dataclass(frozen=True, slots=True)
class MarkdownBody:
    """A body as Markdown; `kept` names each piece in it that stays HTML, like `block gallery` or `table`."""

    text: str
    kept: tuple[str, ...] = ()


def as_html(text: str, form: Form) -> str:
    """Give the HTML of a body: WordPress adds the paragraphs of its classic editor when it shows a text."""
    if form is not Form.BLOCKS or _BLOCK.search(text):
        return text
    return _ALONE.sub(r"\1", paragraphs(text))


def as_markdown(html: str, *, captions: bool = False) -> MarkdownBody:
    """Write the HTML of a body as Markdown; with `captions` the caption of a picture becomes its title."""
    html = unescape_shortcodes(html.replace("\r\n", "\n").replace("\r", "\n"))
    try:
        body = _Body(html, captions=captions)
    except TooDeepError:
        return MarkdownBody(_ended(raw(html)), (_WHOLE,))
    return body.by_piece() or body.with_html() or MarkdownBody(_ended(raw(html)), (_WHOLE,))


class _Body:
    """The pieces of one body."""

    def __init__(self, html: str, *, captions: bool) -> None:
        self._writer = MarkdownWriter("", "", BodyFormat(with_places, str, blocks=captions))
        pieces = cut(parse(html), captions=captions)
        # Markdown has the footnotes at the end, wherever they are written.
        ordered = sorted(pieces, key=_is_last)
        self._pieces = self._writer.normalize(ordered, html)

    def by_piece(self) -> MarkdownBody | None:
        """Write each piece as Markdown if that is possible, else as HTML."""
        written = [(piece, self._writer.as_markdown(piece)) for piece in self._pieces]
        texts = [self._writer.as_raw(piece) if text is None else text for piece, text in written]
        return self._checked(texts, [piece for piece, text in written if text is None])

    def with_html(self) -> MarkdownBody | None:
        """Write each piece as HTML."""
        return self._checked([self._writer.as_raw(piece) for piece in self._pieces], self._pieces)

    def _checked(self, texts: Sequence[str], kept: Sequence[NormalizedPiece]) -> MarkdownBody | None:
        """Join the pieces; None if the whole does not render to them."""
        joined: list[str] = []
        for number, text in enumerate(texts):
            if number:
                joined.append(separator(self._pieces[number - 1], self._pieces[number]))
            joined.append(text)
        text = _ended("\n\n".join(filter(None, joined)))
        if self._writer.rendered(text) != [piece.canonical for piece in self._pieces]:
            return None
        return MarkdownBody(text, tuple(_name(piece) for piece in kept))


def _is_last(piece: Piece) -> bool:
    return is_footnotes(piece)


def _name(piece: NormalizedPiece) -> str:
    """Name a piece for the account: by its block, else by its element."""
    if found := _BLOCK.match(piece.source):
        return f"block {found[1]}"
    first = piece.nodes[0] if piece.nodes else None
    return first.name if isinstance(first, Element) else "html"


def _ended(text: str) -> str:
    return f"{text}\n" if text else ""
