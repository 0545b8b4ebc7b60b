"""Takes the anchors of editors' notes out of a content, and puts them into its next version. Pure.

WordPress 6.9 and later keep a note as a comment, and its place in the content: the comment of a block names
the note, and `<mark class="wp-note">` may stand around the words. A note is not an edit of the text. So
contents are compared without the anchors, and are sent with them. All other bytes of a block stay as they
are.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from pressync.html.editor_spelling import BETWEEN, EMPTY_PARAGRAPH
from pressync.html.tokens import edited

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


# The name of the ids in the comment of a block.
NOTE = '"noteId"'
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of one note: their text, and how often the same text stands before them in the block."""

    note: int
    text: str
    before: int


def without_notes(content: str) -> str:
    """Take out the anchors of all notes; a content that has none is not changed."""
    if NOTE not in content:
        return content
    edits: list[tuple[int, int, str]] = []
    for block in blocks(content):
        if notes := block.notes:
            comment = content[block.start : block.inside]
            edits.append((block.start, block.inside, with_attributes(comment, without_ids(block.attributes))))
            edits += [(start, end, "") for start, end, _ in marks(content, block, notes)]
    plain = edited(content, edits)
    # Without its notes, the last paragraph is the place that `with_notes` has made.
    has_place = bool(edits) and plain.endswith(EMPTY_PARAGRAPH)
    return plain.removesuffix(EMPTY_PARAGRAPH).removesuffix(BETWEEN) if has_place else plain


def with_notes(content: str, noted: str) -> str:
    """Put the notes of a `noted` version of a content into it: at the same text, the same words, or near it.

    A note that the content has already stays where it is.
    """
    before, after = blocks(noted), blocks(content)
    there = {note for block in after for note in block.notes}
    if all(there.issuperset(block.notes) for block in before):
        return content
    if not after:
        # A text without blocks has no place for a note. So it gets an empty paragraph at its end.
        return with_notes(f"{content}{BETWEEN if content else ''}{EMPTY_PARAGRAPH}", noted)
    places: dict[int, list[int]] = {}
    covered: dict[tuple[int, int], list[int]] = {}
    ours, theirs = _unique(before), _unique(after)
    # The blocks whose text stands once in both versions, by their numbers.
    neighbours = {number: theirs[key] for key, number in ours.items() if key in theirs}
    is_single = {note for block in before for note in block.notes if is_number(block.attributes)}
    for number, block in enumerate(before):
        notes = [note for note in block.notes if note not in there]
        words = [anchor for anchor in _words(noted, block) if anchor.note in notes] if notes else []
        if notes:
            place = _place(number, before, after, neighbours, [anchor.text for anchor in words])
            places.setdefault(place, []).extend(notes)
            for anchor in words:
                for span in _spans(content, after[place], anchor):
                    covered.setdefault(span, []).append(anchor.note)
    edits = list(_marked(covered))
    for place, notes in places.items():
        block = after[place]
        attributes = with_ids(block.attributes, notes, is_number=is_single.issuperset(notes))
        edits.append(
            (block.start, block.inside, with_attributes(content[block.start : block.inside], attributes))
        )
    return edited(content, edits)


def notes_of(content: str) -> tuple[int, ...]:
    """Give the ids of the notes that are anchored in a content, each once."""
    notes = (note for block in blocks(content) for note in block.notes) if NOTE in content else ()
    return tuple(dict.fromkeys(notes))


def quoted(content: str) -> dict[int, str]:
    """Give the words of each note in a content, or else the text of its block."""
    texts: dict[int, str] = {}
    for block in blocks(content) if NOTE in content else ():
        words = {anchor.note: anchor.text for anchor in _words(content, block)}
        texts |= {note: words.get(note) or block.text for note in block.notes if note not in texts}
    return texts


def _words(content: str, block: AnchoredBlock) -> Iterator[_Words]:
    """Give the words of each note of a block that has words."""
    ends = {start: note for start, _, note in marks(content, block, block.notes)}
    text = ""
    opened: list[tuple[int, int]] = []
    for start, _, sign in signs(content, block):
        note = ends.get(start)
        if note:
            opened.append((note, len(text)))
        elif note == 0:
            of, begun = opened.pop()
            if marked := text[begun:]:
                yield _Words(of, marked, text.count(marked, 0, begun))
        text += sign


def _spans(content: str, block: AnchoredBlock, words: _Words) -> list[tuple[int, int]]:
    """Give where each character of some words stands in a block; nothing if they are not there."""
    if block.name in HTML:
        return []
    shown = [(start, end, sign) for start, end, sign in signs(content, block) if len(sign) == 1]
    text = "".join(sign for _, _, sign in shown)
    places = [match.start() for match in re.finditer(re.escape(words.text), text)]
    if not places:
        return []
    first = places[min(words.before, len(places) - 1)]
    return [(start, end) for start, end, _ in shown[first : first + len(words.text)]]


def _marked(covered: Mapping[tuple[int, int], Sequence[int]]) -> Iterator[tuple[int, int, str]]:
    """Put marks around the characters of each note; a mark does not go beyond a tag."""
    run: list[tuple[int, int]] = []
    for notes, spans in groupby(sorted(covered), key=lambda span: tuple(covered[span])):
        for span in (*spans, None):
            if run and (span is None or span[0] != run[-1][1]):
                tags = "".join(f'<mark class="wp-note" data-id="{note}">' for note in notes)
                yield run[0][0], run[0][0], tags
                yield run[-1][1], run[-1][1], "</mark>" * len(notes)
                run = []
            run += [span] if span else []


def _unique(version: Sequence[AnchoredBlock]) -> dict[tuple[str, str], int]:
    places: dict[tuple[str, str], list[int]] = {}
    for number, block in enumerate(version):
        places.setdefault((block.name, block.text), []).append(number)
    return {key: numbers[0] for key, numbers in places.items() if len(numbers) == 1}


def _place(
    number: int,
    before: Sequence[AnchoredBlock],
    after: Sequence[AnchoredBlock],
    same: Mapping[int, int],
    words: Sequence[str],
) -> int:
    """Choose the block for the notes of an old block: of the same text, with the words, similar, or near."""
    if number in same:
        return same[number]
    old = before[number]
    above = next((same[n] for n in range(number - 1, -1, -1) if n in same), -1)
    below = next((same[n] for n in range(number + 1, len(before)) if n in same), len(after))
    between = [n for n in range(above + 1, below) if after[n].name == old.name] or [*range(above + 1, below)]
    steps = number - next((n for n in range(number - 1, -1, -1) if n in same), -1)
    near = above + steps

    def nearest(numbers: Iterable[int]) -> int:
        return min(numbers, key=lambda n: (abs(n - near), n))

    equal = [n for n, block in enumerate(after) if (block.name, block.text) == (old.name, old.text)]
    holding = [n for n, block in enumerate(after) if any(text in block.text for text in words)]
    if equal or holding:
        return nearest(equal or [n for n in holding if after[n].name == old.name] or holding)
    similar = {n: _similarity(old.text, after[n].text) for n in between}
    elsewhere = {n: _similarity(old.text, block.text) for n, block in enumerate(after)} if old.text else {}
    best = max(elsewhere.values(), default=0.0)
    if best >= 0.5 and best > max(similar.values(), default=0.0):  # noqa: PLR2004 - half of the words
        return nearest(n for n, value in elsewhere.items() if value == best)
    if similar:
        return nearest(n for n, value in similar.items() if value == max(similar.values()))
    return min(max(above, 0), len(after) - 1)


def _similarity(one: str, other: str) -> float:
    """Give the part of the words of two texts that both have."""
    ours, theirs = set(_WORD.findall(one)), set(_WORD.findall(other))
    return len(ours & theirs) / len(ours | theirs) if ours and theirs else 0.0


# The comment at an end of a block. The editor escapes the signs of HTML in its attributes.
_COMMENT = re.compile(
    r"<!--\s+(?P<end>/)?wp:(?P<name>[a-z][a-z0-9_/-]*)\s+(?P<attributes>\{[^<>]*\}\s+)?(?P<alone>/)?-->"
)
_IDS = r'"noteId":(?:\[[0-9,]*\]|[0-9]+)'
_EMPTY = r'"metadata":\{\}'
_MARK = re.compile(r"<mark\b[^<>]*>|</mark>")
_MARKED = re.compile(r'\bdata-id="([0-9]{1,18})"')
_MARKUP = re.compile(r"<[^<>]*>")
# A tag, or one character as HTML writes it.
_SIGN = re.compile(r"<[^<>]*>|&[#\w]{1,32};|.", re.DOTALL)
# The text of this block is HTML of the author, so a `mark` in it is the author's.
HTML = frozenset({"html", "core/html"})


@dataclass(frozen=True, slots=True)
class AnchoredBlock:
    """A block: its first comment with the attributes in it, where it ends, and the text of no block in it."""

    name: str
    attributes: str
    start: int
    inside: int
    end: int
    own: tuple[tuple[int, int], ...]
    text: str

    @property
    def notes(self) -> tuple[int, ...]:
        """The ids of the notes at it."""
        return _ids(self.attributes)


def blocks(content: str) -> list[AnchoredBlock]:
    """Find all blocks, in the order of their beginnings; one without an end has no text."""
    opened: list[tuple[re.Match[str], list[tuple[int, int]]]] = []
    anchored: list[AnchoredBlock] = []
    last = 0
    for comment in _COMMENT.finditer(content):
        if opened:
            opened[-1][1].append((last, comment.start()))
        last = comment.end()
        if not comment["end"] and not comment["alone"]:
            opened.append((comment, []))
        elif comment["alone"] or (opened and opened[-1][0]["name"] == comment["name"]):
            first, own = (comment, []) if comment["alone"] else opened.pop()
            written = content[first.end() : comment.start()] if first is not comment else ""
            text = " ".join(html.unescape(_MARKUP.sub(" ", written)).split())
            attributes = (first["attributes"] or "").rstrip()
            ends = (first.start(), first.end(), comment.end())
            anchored.append(AnchoredBlock(first["name"], attributes, *ends, tuple(own), text))
    return sorted(anchored, key=lambda block: block.start)


def _ids(attributes: str) -> tuple[int, ...]:
    given = _metadata(attributes).get("noteId")
    numbers = given if isinstance(given, list) else [given]
    return tuple(number for number in numbers if type(number) is int and number > 0)


def is_number(attributes: str) -> bool:
    """Whether the editor of 6.9 wrote the id of its only note, and not a list."""
    return isinstance(_metadata(attributes).get("noteId"), int)


def _metadata(attributes: str) -> Mapping[str, object]:
    members = _read(attributes).get("metadata")
    return members if isinstance(members, dict) else {}


def _read(attributes: str) -> dict[str, object]:
    try:
        members = json.loads(attributes) if attributes else {}
    except (ValueError, RecursionError):
        return {}
    return members if isinstance(members, dict) else {}


def without_ids(attributes: str) -> str:
    """Take the ids out of the attributes of a block; everything else keeps its bytes."""
    others = _read(attributes)
    metadata = {name: value for name, value in _metadata(attributes).items() if name != "noteId"}
    others = {name: metadata if name == "metadata" else value for name, value in others.items()}
    left = _without_member(attributes, _IDS)
    if not metadata:
        others.pop("metadata")
        left = _without_member(left, _EMPTY)
    if _read(left) != others:
        left = _written(others)
    return left if others else ""


def _without_member(attributes: str, member: str) -> str:
    return re.sub(rf"(?<=\{{){member},?|,{member}", "", attributes, count=1)


def with_ids(attributes: str, notes: Iterable[int], *, is_number: bool) -> str:
    """Add ids to the attributes of a block; everything else keeps its bytes."""
    own = _ids(attributes)
    ids = list(dict.fromkeys((*own, *notes)))
    written = str(ids[0]) if is_number and len(ids) == 1 else json.dumps(ids, separators=(",", ":"))
    plain = without_ids(attributes) if own else attributes
    others = _read(plain)
    metadata = _metadata(plain)
    wanted = {**others, "metadata": {"noteId": json.loads(written), **metadata}}
    member = f'"noteId":{written}'
    if metadata:
        made = plain.replace('"metadata":{', f'"metadata":{{{member},', 1)
    else:
        made = f'{plain[:-1] or "{"}{"," if others else ""}"metadata":{{{member}}}}}'
    return made if _read(made) == wanted else _written(wanted)


def _written(attributes: Mapping[str, object]) -> str:
    """Write attributes as WordPress does."""
    text = json.dumps(attributes, separators=(",", ":"), ensure_ascii=False)
    for sign in ("--", "<", ">", "&", '\\"'):
        text = text.replace(sign, "".join(f"\\u{ord(character):04x}" for character in sign.lstrip("\\")))
    return text


def with_attributes(comment: str, attributes: str) -> str:
    """Give the comment of a block with other attributes."""
    parts = _COMMENT.fullmatch(comment)
    if parts is None:
        return comment
    before, after = comment[: parts.end("name")], "/-->" if parts["alone"] else "-->"
    return f"{before} {attributes}{' ' if attributes else ''}{after}"


def marks(content: str, block: AnchoredBlock, notes: Sequence[int]) -> list[tuple[int, int, int]]:
    """Give each tag of the words of these notes: where it stands, and the id, which is 0 for an end."""
    places: list[tuple[int, int, int]] = []
    opened: list[int] = []
    for start, end in () if block.name in HTML else block.own:
        for tag in _MARK.finditer(content, start, end):
            if tag[0].startswith("</"):
                if opened and opened.pop():
                    places.append((*tag.span(), 0))
                continue
            named = _MARKED.search(tag[0]) if "wp-note" in tag[0] else None
            opened.append(int(named[1]) if named and int(named[1]) in notes else 0)
            places += [(*tag.span(), opened[-1])] if opened[-1] else []
    return places


def signs(content: str, block: AnchoredBlock) -> Iterator[tuple[int, int, str]]:
    """Give each tag of a block's own text as "" and each other character, with their place."""
    for first, last in block.own:
        for sign in _SIGN.finditer(content, first, last):
            yield *sign.span(), "" if sign[0].startswith("<") else html.unescape(sign[0])
