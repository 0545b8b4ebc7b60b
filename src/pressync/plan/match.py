"""Tells whether a document, an entry of the manifest and a record of the site belong together.

A file verifies an entry by the fields that it decides alone (`has_sent`). A record was made by a create, or
belongs to a document, only if it holds exactly what is sent (`made_by`, `is_record_of`). It was made from an
older version of a file if the words agree (`similarity`): links, templates and settings may have changed
since, and the site filters what it gets. A response is of another record if nothing agrees (`is_another`).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from pressync.model.fingerprint import UNSURE, fingerprint, may_be
from pressync.plan.decide import EMPTY
from pressync.repo.merge_file import merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.model.records import Document, Entry, Fields, Record, Value

# The fields that a file decides by itself. A field that only a default names does not count.
_OWN = ("title", "slug", "date", "date_gmt")
# A record must be equal in these fields to be the one that was sent. A site may change all other fields.
_CERTAIN = ("title", "content", "parent")
_TOP = fingerprint(EMPTY["parent"])
# A tag. The expression reads each character once, for any input.
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\w+")
_NUMBER = r"(-\d+)?(__trashed(-\d+)?)?"
# Fewer words than this cannot identify a page.
_FEW = 5
# If the site filters the text, this share of the words must be there.
_MOST = 0.9
# If a pull was merged with other edits, no commit has the text of the site alone.
_HALF = 0.5


def has_sent(document: Document, entry: Entry) -> bool:
    """Tell whether a file has the entry's fingerprints in the fields that it decides by itself."""
    if all(may_be(entry.fingerprints.get(name, "-")) is None for name in ("title", "slug")):
        # The last write got no response.
        return True
    checked = 0
    for name in _OWN:
        if name not in document.fields or name not in entry.fingerprints:
            continue
        possible = may_be(entry.fingerprints[name])
        if possible is None:
            continue
        if fingerprint(document.fields[name]) not in possible:
            # A file that was only renamed: the slug of its old name was sent. Such an entry has no basis.
            if name == "slug" and not entry.basis:
                continue
            return False
        checked += 1
    return checked > 0


def made_by(sent: Mapping[str, str], records: Iterable[Record]) -> Record | None:
    """Give the record that a create made, if exactly one record holds exactly what was sent.

    `sent` are the fingerprints of the create's fields; `UNSURE` stands for a value that was not known yet.
    """
    certain = {name: sent[name] for name in _CERTAIN if sent.get(name, UNSURE) != UNSURE}
    if not certain:
        return None
    # A page that was sent without a parent is at the top of the site. A page with a parent is not.
    if "parent" not in sent:
        certain["parent"] = _TOP
    if sent.get("parent") == UNSURE:
        records = [record for record in records if not holds(record, "parent", _TOP)]
    same = [
        record for record in records if all(holds(record, name, digest) for name, digest in certain.items())
    ]
    return same[0] if len(same) == 1 else None


def holds(record: Record, name: str, digest: str) -> bool:
    """Tell whether a field of a record has a fingerprint; a field that the record lacks is empty."""
    return fingerprint(record.fields.get(name, EMPTY.get(name, ""))) == digest


def is_record_of(sent: Fields, record: Record, user: int) -> bool:
    """Tell whether a record holds what is sent for a document; `user` is the author if a file names none."""
    same_place = not record.kind.row.hierarchical or record.fields.get("parent", 0) == sent.get("parent", 0)
    return (
        same_place
        and record.fields.get("author") == sent.get("author", user)
        and all(record.fields.get(name, "") == sent.get(name, "") for name in ("title", "content"))
    )


def is_another(sent: Fields, record: Record) -> bool:
    """Tell whether the response to a create is a record that it cannot have made: no field is as it was sent.

    A service may change a title, filter a text and number a slug that is taken, but not all three at once.
    """
    title = record.fields.get("title")
    return (
        bool(title)
        and title != sent.get("title")
        and record.fields.get("content") != sent.get("content")
        and not _is_slug(record.slug, str(sent.get("slug", "")))
    )


class Similarity(NamedTuple):
    """The parts of a record that match a file; `text` is None if the file has too little text."""

    title: bool
    slug: bool
    text: bool | None


@dataclass
class FileVersion:
    """One version of a file."""

    document: Document

    @cached_property
    def words(self) -> list[str]:
        """The words of its body."""
        from pressync.content.render.markdown import to_html  # noqa: PLC0415 - comrak

        try:
            return words(to_html(self.document.body))
        except UnicodeEncodeError:
            return []


def similarity(versions: Iterable[FileVersion], entry: Entry, record: Record) -> Similarity:
    """Compare a record with each version of a file, and give the best result."""
    results = [Similarity(title=False, slug=False, text=False)]
    there = str(record.fields.get("title", ""))
    for version in versions:
        fields = version.document.fields
        title = str(fields.get("title", ""))
        results.append(
            Similarity(
                title=title == there or (bool(words(title)) and words(title) == words(there)),
                slug=_is_slug(record.slug, str(fields.get("slug", ""))),
                text=is_text(version.words, entry, record),
            )
        )
    return max(results, key=lambda result: (result.text is not False, sum(map(bool, result))))


def is_similar(versions: Iterable[FileVersion], record: Record) -> bool:
    """Tell whether a record has at least half of the words of a file, in any order."""
    there = Counter(words(str(record.fields.get("content", ""))))
    return any(
        sum((Counter(version.words) & there).values()) >= _HALF * len(version.words) for version in versions
    )


def has_edit(ours: str, before: str, record: Record, *, by_words: bool) -> bool:
    """Tell whether a content has an edit of the site already: whether a merge of the two changes nothing.

    `before` is the content that was last sent. Paragraphs are compared as readers see them. With `by_words`,
    a person may have merged both sides of one paragraph by hand: it then has each word that the site added.
    """
    from pressync.html.paragraphs import paragraphs  # noqa: PLC0415 - few runs compare texts

    value = str(record.fields.get("content", ""))
    there = paragraphs(value) if record.classic else value
    texts = [_by_paragraph(text) for text in (ours, before, there)]
    merged = merge(*texts)
    if not merged.conflicts or not by_words:
        return not merged.conflicts and merged.text == texts[0]
    return _has_words(ours, before, there) and merge(*texts, ours_wins=True).text == texts[0]


def has_value(ours: Value | None, before: Value | None, there: Value | None, *, by_words: bool) -> bool:
    """Tell whether a field has an edit of the site already, as `has_edit` does for the content."""
    if there in (ours, before):
        return True
    if isinstance(there, tuple):
        now, last = (set(value) if isinstance(value, tuple) else set() for value in (ours, before))
        return by_words and set(there) - last <= now and not (last - set(there)) & now
    return by_words and _has_words(str(ours), str(before), str(there))


def _has_words(ours: str, before: str, there: str) -> bool:
    """Tell whether a text has each word that an edit has brought, or else lacks one that it took away."""
    now, last, there_now = (frozenset(words(text)) for text in (ours, before, there))
    new, gone = there_now - last, last - there_now
    return new <= now if new else bool(gone - now)


def _by_paragraph(html: str) -> str:
    """Write each paragraph of a content on a line of its own, in one spelling for all that looks the same."""
    from pressync.html.normalize import canonical, ids_of_headings, normalized  # noqa: PLC0415 - the same
    from pressync.html.pieces import cut  # noqa: PLC0415 - the same
    from pressync.html.tree import TooDeepError, parse  # noqa: PLC0415 - the same

    try:
        nodes = parse(html)
        pieces = (canonical(normalized(part.nodes, frozenset(ids_of_headings(nodes)))) for part in cut(nodes))
        return "".join(f"{' '.join(piece.split())}\n\n" for piece in pieces if piece.strip())
    except TooDeepError:
        return f"{html}\n"


def words(text: str) -> list[str]:
    """Give the visible words of HTML."""
    import html  # noqa: PLC0415 - 2,000 names of characters, and few runs compare texts

    return _WORD.findall(html.unescape(_TAG.sub(" ", _uncommented(text))).casefold())


def is_text(expected: list[str], entry: Entry, record: Record) -> bool | None:
    """Tell whether the words are in a record's text, in their order; None if there are too few words."""
    if len(expected) < _FEW:
        return None
    there = words(str(record.fields.get("content", "")))
    if f" {' '.join(expected)} " in f" {' '.join(there)} ":
        return True
    same = sum((Counter(expected) & Counter(there)).values())
    return "content" in entry.changed_by_service and same >= _MOST * len(expected)


def _is_slug(there: str, sent: str) -> bool:
    """Tell whether a slug is the one that was sent, perhaps encoded, numbered, or changed by the trash."""
    return re.fullmatch(_plain(sent) + _NUMBER, _plain(there)) is not None


def _plain(slug: str) -> str:
    return re.sub(r"[^\w]+", "-", unquote(slug).casefold())


def _uncommented(text: str) -> str:
    pieces, start = [], 0
    while (begin := text.find("<!--", start)) >= 0:
        pieces.append(text[start:begin])
        end = text.find("-->", begin)
        if end < 0:
            return " ".join(pieces)
        start = end + 3
    return " ".join([*pieces, text[start:]])
