"""Writes pieces of a page as Markdown: in the author's style, in our style, or as HTML. Pure.

Every candidate text is rendered by itself and compared with the page, because no rule of escaping is safe in
all surroundings. The first candidate that renders to the same text is taken. HTML is the last candidate:
Markdown accepts it as it is.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.content import markdown_text
from pressync.html.normalize import canonical, ids_of_headings, normalized
from pressync.html.pieces import NO_FORMS, Forms, Piece, cut, is_footnotes
from pressync.html.player_blocks import is_player_form
from pressync.html.to_markdown import InexpressibleError, MarkdownStyle, blocks, raw
from pressync.html.tree import Element, Node, attribute_text, parse
from pressync.pull.bounded_diff import matcher

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence


_DEFINITION = re.compile(r" {0,3}\[(?!\^)[^\]\n]+\]:\s*\S")
_BULLET = re.compile(r"\s*([-*+])\s", re.MULTILINE)
_LINKED = re.compile(r"""(<(?:a\s[^<>]*?\bhref|img\s[^<>]*?\bsrc)=")([^"<>]*)(?=")""", re.IGNORECASE)
# The end of the id of a second heading with the same text.
_NUMBER = re.compile(r"-\d+$", re.ASCII)
_LISTS = frozenset({"ul", "ol", "dl"})
_CAPTIONED = ("<!-- wp:table", "<!-- wp:image")
# A comment that ends a list. A reader does not see it.
_SEPARATOR = "<!-- -->"
# Two writers of the same words differ in these: markers of lists and emphasis, rules, escapes, blanks.
_MARKER = re.compile(r"^(\s*)(?:[*+-]|(\d+)[.)])\s+")
_RULE = re.compile(r":-+:?|-{2,}:?|`{3,}|~{3,}")
_MARKS = re.compile(r"[\\*_<>|\s]+")
_WORD_OR_SIGN = re.compile(r"\w+|\s+|[^\w\s]")
# The same, and each link, picture or comment as one piece, in Markdown or in the form of a vault.
_COMMENT = re.compile(r"(?<!\\)%%.*?(?<!\\)%%", re.DOTALL)
_LINK_OR_WORD = re.compile(
    r"""%%.*?%% | (?P<picture>!\[\[[^\[\]\n]+\]\]|!\[[^\[\]\n]*\]\([^()\s]*\)|<img\b[^<>]*>)
      | \[\[(?P<name>[^\[\]|\n]+)(?:\|(?P<shown>[^\[\]\n]*))?\]\]
      | \[(?P<text>[^\[\]\n]*)\]\((?P<path>[^()\s]*)\) | \w+ | \s+ | [^\w\s]""",
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class BodyFormat:
    """How a body is rendered and written.

    `render` gives HTML with source positions. `link` gives the path to write for an address. `forms` are
    those that stand for blocks: a body that is sent as blocks has captions. `former_headings` gives the lines
    of headings that the file ever had. With `by_words`, an edit replaces words and not lines: a line may have
    forms that the page does not show. With `keeps_captions`, a table or picture with a caption stays a block.
    """

    render: Callable[[str], str]
    link: Callable[[str], str]
    forms: Forms = NO_FORMS
    former_headings: Callable[[], Iterable[str]] = tuple
    by_words: bool = False
    keeps_captions: bool = True


@dataclass(frozen=True, slots=True)
class NormalizedPiece:
    """One piece of a page: its normalized nodes, their canonical text, its source.

    An `opaque` piece stays HTML.
    """

    nodes: tuple[Node, ...]
    canonical: str
    source: str
    opaque: bool

    @property
    def name(self) -> str:
        """The name of its first element."""
        first = self.nodes[0] if self.nodes else None
        return first.name if isinstance(first, Element) else ""

    def footnotes(self) -> list[str]:
        """Name the footnotes that it refers to or holds."""
        return list(_footnotes(self.nodes))


class MarkdownWriter:
    """Writes pieces for one body. It knows the body's link definitions, list marker and heading ids."""

    def __init__(self, body: str, placed: str, body_format: BodyFormat) -> None:
        """Read the style of `body`; `placed` is its HTML with source positions."""
        bullets = Counter(_BULLET.findall(body)).most_common(1)
        self._style = MarkdownStyle(body_format.link, bullet=bullets[0][0] if bullets else "-")
        self._format = body_format
        self._heading_ids = frozenset(ids_of_headings(parse(placed)))
        self._definitions = "\n".join(line for line in body.split("\n") if _DEFINITION.match(line))

    def learn_former_ids(self, page: Sequence[Node]) -> None:
        """Learn the ids that headings of a page of the site have from an earlier text.

        Somebody who edits a heading in the block editor does not renew its id, and pressync sends nothing for
        that. So such an id is ours, and it is not one that somebody chose.
        """
        unknown = frozenset(ids_of_headings(page)) - self._heading_ids
        if unknown and (headings := dict.fromkeys(self._format.former_headings())):
            former = frozenset(ids_of_headings(parse(self._format.render("\n\n".join(headings)))))
            self._heading_ids |= {name for name in unknown if {name, _NUMBER.sub("", name)} & former}

    def normalize(self, pieces: Sequence[Piece], source: str) -> list[NormalizedPiece]:
        """Normalize the pieces of a page whose HTML is `source`."""
        normal = [(normalized(piece.nodes, self._heading_ids), piece) for piece in pieces]
        return [
            NormalizedPiece(nodes, canonical(nodes), source[piece.start : piece.end], piece.opaque)
            for nodes, piece in normal
        ]

    def rendered(self, body: str) -> list[str] | None:
        """Render a body and give the canonical text of each of its pieces; None if that would take long."""
        if markdown_text.excess("", body):
            return None
        placed = self._format.render(body)
        return [piece.canonical for piece in self.normalize(self._cut(placed), placed)]

    def _cut(self, placed: str) -> tuple[Piece, ...]:
        return cut(parse(placed), self._format.forms)

    def write(self, pieces: Sequence[NormalizedPiece], written: Sequence[str | None] = ()) -> str:
        """Write pieces in our style, or as `written`, with separators between lists that would run together.

        A piece that cannot be written, or is not, stays HTML.
        """
        texts: list[str] = []
        for number, (piece, text) in enumerate(
            zip(pieces, written or map(self.as_markdown, pieces), strict=True)
        ):
            texts += [separator(pieces[number - 1], piece)] if number else []
            texts.append(self.as_raw(piece) if text is None else text)
        return "\n\n".join(filter(None, texts))

    def rewrite(self, authored: str, old: Sequence[NormalizedPiece], new: Sequence[NormalizedPiece]) -> str:
        """Write `new` in the place of `authored`, the Markdown in which the author wrote `old`.

        Write the old and the new pieces in our style, and apply the difference of the two to the author's
        lines. Lines without a difference keep the author's style. For text that the author wrote as HTML, try
        the same with HTML. Of the results that render to `new`, take the one that is nearest to the author's
        text; without any, take `new` in our style.
        """
        in_our_style = self.write(new)
        # The old pieces are written as those of the site, so that a comparison shows the edits alone.
        usual = ((self.in_usual_style(piece), piece) for piece in old)
        written = (self.as_raw(piece) if text is None else text for text, piece in usual)
        candidates = [("\n\n".join(written), in_our_style)]
        if "<figcaption" in authored:
            # The author has a table with a caption in this form.
            candidates.append((candidates[0][0], self.write(new, [self._alone(piece) for piece in new])))
        candidates += self._in_html(authored, old, new)
        if self._format.by_words:
            # The author may have forms of another tool between the words.
            texts = (
                with_other_words(*words, authored, in_front=in_front, link=link)
                for words in self._in_same_styles(old, new)
                for link in (None, _as_wikilink, lambda piece, _names: piece[0])
                for in_front in (False, True)
            )
            right = next((text for text in texts if text and self._renders_to(text, new)), None)
            if right:
                return right
            in_our_style = self.with_comments(in_our_style, authored)
        lines = authored.split("\n")
        results = (
            "\n".join(apply_changes(before.split("\n"), after.split("\n"), lines))
            for before, after in candidates
        )
        return max(
            (text for text in results if self._renders_to(text, new)),
            key=lambda text: (matcher(text.split("\n"), lines).ratio(), _likeness(text, authored)),
            default=in_our_style,
        )

    def _in_html(
        self, authored: str, old: Sequence[NormalizedPiece], new: Sequence[NormalizedPiece]
    ) -> Iterator[tuple[str, str]]:
        """Write both versions as HTML if the author did: without the comments of blocks, and with them."""
        # A block that has nothing more to say than Markdown is not HTML that the author chose.
        is_block = authored.startswith("<!-- wp:")
        if authored.startswith("<") and not (is_block and all(map(self.as_markdown, new))):
            for as_html in (self._as_html, self._as_block):
                yield "\n\n".join(map(as_html, old)), "\n\n".join(map(as_html, new))

    def _in_same_styles(
        self, old: Sequence[NormalizedPiece], new: Sequence[NormalizedPiece]
    ) -> Iterator[tuple[str, str]]:
        """Write both versions in our style if Markdown can express all of it, and then as HTML."""
        for thorough in (False, True):
            before, after = (
                [self.in_usual_style(piece, thorough=thorough) for piece in pieces] for pieces in (old, new)
            )
            if None not in before + after:
                yield "\n\n".join(filter(None, before)), "\n\n".join(filter(None, after))
        old_html, new_html = ([self._with_paths(piece.canonical) for piece in some] for some in (old, new))
        yield "\n\n".join(old_html), "\n\n".join(new_html)

    def as_markdown(self, piece: NormalizedPiece) -> str | None:
        """Write one piece with few escapes, or with all escapes; None if it must stay HTML."""
        texts = (self.in_usual_style(piece, thorough=thorough) for thorough in (False, True))
        return next((text for text in texts if text is not None and self._renders_to(text, [piece])), None)

    def with_comments(self, text: str, authored: str) -> str:
        """Put the comments of a vault that a new text lacks behind it: only their author could miss them."""
        comments = _COMMENT.findall(authored) if self._format.by_words else []
        return " ".join(filter(None, (text, *(comment for comment in comments if comment not in text))))

    def in_usual_style(self, piece: NormalizedPiece, *, thorough: bool = False) -> str | None:
        """Write one piece with few escapes, without a look at how it renders; None if it must stay HTML."""
        return None if self._is_captioned(piece) else self._alone(piece, thorough=thorough)

    # Markdown cannot write the caption of a table, or markup in that of a picture. The figure alone is not a
    # block any more, so the editor would show its HTML, and the theme would not know its caption.
    def _is_captioned(self, piece: NormalizedPiece) -> bool:
        is_block = piece.source.startswith(_CAPTIONED) and "<figcaption" in piece.canonical
        return is_block and self._format.keeps_captions

    def _alone(self, piece: NormalizedPiece, *, thorough: bool = False) -> str | None:
        """Write one piece without the comment of its block; None if it must stay HTML."""
        try:
            return None if piece.opaque else blocks(piece.nodes, replace(self._style, thorough=thorough))
        except InexpressibleError:
            return None

    def as_raw(self, piece: NormalizedPiece) -> str:
        """Write one piece as HTML that Markdown accepts."""
        return raw(self._as_html(piece))

    def _as_block(self, piece: NormalizedPiece) -> str:
        """Give the source of a piece, with the comment of its block, and with paths."""
        return raw(self._with_paths(piece.source))

    def _as_html(self, piece: NormalizedPiece) -> str:
        """Give the source of a piece with paths in the place of addresses.

        A block whose comment adds nothing is written as its element alone, so that the text can be sent as
        blocks again.
        """
        is_plain_block = piece.source.startswith("<!--") and not piece.opaque and not piece.footnotes()
        # Of such a figure alone, nothing would make this block again.
        is_lost = self._is_captioned(piece) or any(map(is_player_form, piece.nodes))
        is_plain_block = is_plain_block and not is_lost
        return self._with_paths(piece.canonical if is_plain_block else piece.source)

    def _with_paths(self, source: str) -> str:
        def linked(attribute: re.Match[str]) -> str:
            address = attribute_text(attribute[2])
            link = self._format.link(address)
            return attribute[0] if link == address else attribute[1] + html.escape(link)

        return _LINKED.sub(linked, source)

    def _renders_to(self, text: str, pieces: Sequence[NormalizedPiece]) -> bool:
        """Whether Markdown by itself renders to these pieces, given the links and footnotes that it uses."""
        names = [name for piece in pieces for name in piece.footnotes()]
        # Markdown renders a footnote only where both its reference and its text are present.
        notes = [f"[^{name}]: text" for name in names if f"[^{name}]:" not in text]
        references = ["".join(f"[^{name}]" for name in names)] if names else []
        body = "\n\n".join([*references, text, *notes, self._definitions])
        if markdown_text.excess("", body):
            return False
        placed = self._format.render(body)
        rendered = self._cut(placed)[len(references) :]
        if notes:
            rendered = tuple(piece for piece in rendered if not is_footnotes(piece))
        return [piece.canonical for piece in self.normalize(rendered, placed)] == [
            piece.canonical for piece in pieces
        ]


def separator(first: NormalizedPiece, second: NormalizedPiece, *, indented: bool = False) -> str:
    """Give the text that separates two pieces if Markdown would read the second as a part of the first.

    With `indented`, code may be indented, and is then a part of a list before it.
    """
    runs_on = second.name == first.name or (indented and second.name == "pre")
    return _SEPARATOR if first.name in _LISTS and runs_on else ""


def without_orphans(notes: NormalizedPiece, named: Collection[str]) -> NormalizedPiece:
    """Leave out the footnotes that have no reference any more: Markdown does not render these."""
    nodes: tuple[Node, ...] = ()
    for node in notes.nodes:
        items = [item for item in node.children if _name(item) in named] if isinstance(node, Element) else []
        if isinstance(node, Element) and items:
            nodes += (replace(node, children=tuple(items)),)
    return replace(notes, nodes=nodes, canonical=canonical(nodes))


def _name(item: Node) -> str:
    return item.attributes.get("name", "") if isinstance(item, Element) else ""


def _footnotes(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Element):
            if node.name == "footnote":
                yield _name(node)
            elif node.name == "footnotes":
                yield from map(_name, node.children)
            else:
                yield from _footnotes(node.children)


def _likeness(text: str, authored: str) -> float:
    """Measure how much of two texts is the same, by their words and signs."""
    return matcher(_WORD_OR_SIGN.findall(text), _WORD_OR_SIGN.findall(authored)).ratio()


# The base is the old HTML as our converter writes it, "theirs" is the new HTML as the converter writes it,
# and "ours" is the author's Markdown. Where base and theirs agree, nobody edited the lines, so these keep
# the author's list markers and line width.
def apply_changes(base: Sequence[str], theirs: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Apply the changes from `base` to `theirs` to `ours`; where the match is not clear, take theirs."""
    merged: list[str] = []
    at_base = at_theirs = at_ours = 0
    for base_line, theirs_line, ours_line, size in _common(base, theirs, ours):
        current, new = ours[at_ours:ours_line], theirs[at_theirs:theirs_line]
        edited = base[at_base:base_line] != new
        filled = [number for number, line in enumerate(current) if line.strip()]
        if edited and filled and new and new[0].strip() and new[-1].strip():
            # The author's blank lines before and after the lines stay.
            merged += [*current[: filled[0]], *new, *current[filled[-1] + 1 :]]
        else:
            merged += new if edited else current
        merged += ours[ours_line : ours_line + size]
        at_base, at_theirs, at_ours = base_line + size, theirs_line + size, ours_line + size
    return merged


def with_other_words(
    before: str,
    after: str,
    authored: str,
    *,
    in_front: bool = False,
    link: Callable[[re.Match[str], Mapping[str, str]], str] | None = None,
) -> str | None:
    """Replace in `authored` the words that differ from `before` to `after`; None if it lacks one of them.

    New words stand behind the word before them, or with `in_front` in front of the next one. With `link`, a
    link is one word, the same as a link of a vault with its text, and `link` writes a new one.
    """
    pattern = _LINK_OR_WORD if link else _WORD_OR_SIGN
    pieces = [list(pattern.finditer(text)) for text in (before, after, authored)]
    base, theirs, ours = ([piece[0] for piece in matches] for matches in pieces)
    written = [name for piece in pieces[2] if (name := piece.groupdict().get("name"))]
    names = {posixpath.basename(name).casefold(): name for name in written}
    written = [link(piece, names) if link else piece[0] for piece in pieces[1]]
    shown, our_shown = ([_shown(piece) for piece in row] for row in (pieces[0], pieces[2]))
    there = {
        word + offset: match + offset
        for word, match, size in matcher(shown, our_shown).get_matching_blocks()
        for offset in range(size)
    }
    there |= {-1: -1, len(base): len(ours)}
    result: list[str] = []
    at = 0
    for operation, first, last, new, end in matcher(base, theirs).get_opcodes():
        if operation == "equal":
            continue
        is_new = first == last
        is_behind = is_new and not in_front and first - 1 in there
        start = there[first - 1] + 1 if is_behind else there.get(first, -1)
        stop = start if is_new else there.get(last - 1, -2) + 1
        if start < at or stop - start != last - first:
            return None
        result += [*ours[at:start], *written[new:end]]
        at = stop
    return "".join([*result, *ours[at:]])


def _shown(piece: re.Match[str]) -> str:
    """Give the text by which a piece is found in a text of another style."""
    groups = piece.groupdict()
    if groups.get("picture"):
        return "!["
    name, text = groups.get("name"), groups.get("text")
    if name:
        return f"[{groups['shown'] or ' > '.join(filter(None, name.split('#')))}"
    return piece[0] if text is None else f"[{text}"


def _as_wikilink(piece: re.Match[str], names: Mapping[str, str]) -> str:
    """Write a link as a vault does, if its path is that of a note; `names` are those of the author."""
    path, text = piece["path"] or "", piece["text"]
    name = unquote(posixpath.basename(path)).removesuffix(".md")
    if not path.endswith(".md") or ":" in path or "\\" in text:
        return piece[0]
    name = names.get(name.casefold(), name)
    return f"[[{name}]]" if text == name else f"[[{name}|{text}]]"


def _common(
    base: Sequence[str], theirs: Sequence[str], ours: Sequence[str]
) -> Iterator[tuple[int, int, int, int]]:
    """Give the runs of lines that all three have: the start in each version, and the length."""
    words, our_words = [_words(line) for line in base], [_words(line) for line in ours]
    others = {
        line + offset: match + offset
        for line, match, size in matcher(words, our_words).get_matching_blocks()
        for offset in range(size)
    }
    for line, match, size in matcher(base, theirs).get_matching_blocks():
        for offset in range(size):
            if line + offset in others:
                yield line + offset, match + offset, others[line + offset], 1
    yield len(base), len(theirs), len(ours), 0


def _words(line: str) -> str:
    """Give the words of a line without the marks in which writers differ."""
    marked = _MARKER.sub(lambda match: f"{match[2] or ''}- ", line)
    return _MARKS.sub(" ", _RULE.sub("--", marked)).strip()
