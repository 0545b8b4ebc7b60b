"""Compares the two sides of each change: what was last sent, and what will be sent or is on the site now.

Both sides are the source where they can be, and pages show both as a reader sees them, too. The manifest has
no values, so a change of a template is shown by rendering the commit that was last synced again. Bodies are
text from outside: each block is closed in itself, and the work is bounded.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import zip_longest
from typing import TYPE_CHECKING

from pressync.content.content import Content
from pressync.content.documents import text_of
from pressync.content.former import FormerTexts, last_synced
from pressync.html import tokens
from pressync.html.contained import contained
from pressync.model.changes import Block, Blocked, Change, Create, Delete, Keep, Update
from pressync.model.errors import ContentError, PressyncError
from pressync.model.fingerprint import from_text, to_text
from pressync.model.printable import listed
from pressync.model.visibility import is_deleted
from pressync.plan.decide import replaces_markup
from pressync.pull.bounded_diff import Work, matcher, unified
from pressync.pull.draft import PullContexts, draft

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from pressync.app.revision import Revision
    from pressync.app.workspace import Workspace
    from pressync.model.records import Entry, Fields, Manifest
    from pressync.plan.build import PlannedRun

# Nobody reads the diff of longer texts, and a site may send any text. More blocks are not compared either.
_LONGEST, _MOST_BLOCKS = 1_000_000, 4_000
# Words are marked in two blocks whose numbers of pieces have at most this product.
_MOST_PAIRS = 250_000
# This many equal blocks are shown beside a changed one.
_AROUND = 1
_EQUAL = {"same", "gap"}
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


def rows(before: str | None, after: str | None) -> str:
    """Write the rows of a comparison as HTML; "" if both look the same, None for a side that is not there."""
    if before is None or after is None:
        side = "new" if before is None else "gone"
        return _row(f"only {side}", contained((before if after is None else after) or ""))
    old, new = _blocks(before), _blocks(after)
    if old == new:
        return ""
    if max(len(before), len(after)) > _LONGEST or max(len(old), len(new)) > _MOST_BLOCKS:
        return _row("gap", f"{len(before):,} and {len(after):,} characters: too many to compare")
    compared = [*_compared(old, new)]
    differs = not _EQUAL.issuperset(word for word, _ in compared)
    return "".join(text for _, text in compared) if differs else ""


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Give the rows, each with its word."""
    work = Work()
    for tag, i, j, k, m in matcher(old, new, autojunk=True).get_opcodes():
        if tag == "equal":
            yield from _equal(old[i:j], first=not i + k, last=(j, m) == (len(old), len(new)))
            continue
        for raw in zip_longest(old[i:j], new[k:m], fillvalue=""):
            left, right = map(contained, raw)
            if left == right:
                yield "same", _row("same", left, right)
            elif left and right:
                yield "changed", _row("changed", *_marked(left, right, work))
            else:
                word = "gone" if left else "new"
                yield word, _row(word, left, right)


def _equal(blocks: Sequence[str], *, first: bool, last: bool) -> Iterator[tuple[str, str]]:
    """Show the blocks next to a change, and count the others."""
    head = 0 if first else _AROUND
    tail = 0 if last else _AROUND
    hidden = len(blocks) - head - tail
    # A row in place of a single block would save nothing.
    if hidden <= 1:
        head, tail, hidden = len(blocks), 0, 0
    yield from (_same(block) for block in blocks[:head])
    if hidden:
        yield "gap", _row("gap", f"{hidden} blocks are the same")
    yield from (_same(block) for block in (blocks[-tail:] if tail else ()))


def _same(block: str) -> tuple[str, str]:
    inside = contained(block)
    return "same", _row("same", inside, inside)


def _row(word: str, *sides: str) -> str:
    inner = "".join(f"<div>{side}</div>" for side in sides)
    return f'<div class="row {word}">{inner}</div>\n'


def _blocks(html: str) -> list[str]:
    """Cut a text into blocks; elements around the whole text, such as those of a template, are left out."""
    nodes = _seen(tokens.parse(html))
    while len(nodes) == 1 and nodes[0].name in {"article", "div", "main", "section"}:
        nodes = _seen(nodes[0].children)
    return [node.outer.strip(tokens.BLANKS) for node in nodes]


def _seen(nodes: Iterable[tokens.Node]) -> list[tokens.Node]:
    return [node for node in nodes if not node.is_blank and node.name != tokens.COMMENT]


def _marked(old: str, new: str, work: Work) -> tuple[str, str]:
    """Mark the words that differ between two blocks, unless they have many or the page had many before."""
    left, right = [*_pieces(old)], [*_pieces(new)]
    if len(left) * len(right) > _MOST_PAIRS:
        return old, new
    codes = matcher(left, right, work=work).get_opcodes()
    if work.left < 0:
        return old, new
    return (
        "".join(_side(left, "del", [(tag, i, j) for tag, i, j, _, _ in codes])),
        "".join(_side(right, "ins", [(tag, k, m) for tag, _, _, k, m in codes])),
    )


def _side(
    pieces: Sequence[tuple[str, bool]], mark: str, ranges: Sequence[tuple[str, int, int]]
) -> Iterator[str]:
    for tag, first, last in ranges:
        for text, is_word in pieces[first:last]:
            yield f"<{mark}>{text}</{mark}>" if is_word and tag != "equal" else text


def _pieces(html: str) -> Iterator[tuple[str, bool]]:
    """Cut a block into tags and words, each with whether it is a word."""
    waiting: list[tokens.Node | str] = [*reversed(tokens.parse(html))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node, False
        elif node.name == tokens.TEXT:
            yield from _words(node.outer)
        elif not node.children:
            yield node.outer, False
        else:
            yield node.tag, False
            waiting += [node.page[node.inner_end : node.end], *node.children[::-1]]


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Cut a text into words, blanks and other characters; a character reference is one word."""
    position = 0
    for reference in re.finditer(r"&#?\w{1,32};", text):
        yield from ((word, not word.isspace()) for word in _WORDS.findall(text[position : reference.start()]))
        yield reference[0], True
        position = reference.end()
    yield from ((word, not word.isspace()) for word in _WORDS.findall(text[position:]))


# The elements of a comparison: both the page of a plan and the preview show them.
COMPARISON = "comparison"


@cache
def part(name: str) -> str:
    """Read one file, such as `comparison.js`."""
    return (files("pressync.app") / "static" / name).read_text(encoding="utf-8")


def allowed(text: str) -> str:
    """Name a script or a style sheet as a policy does."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def script(text: str) -> str:
    """Give a script behind the one that shows comparisons, with the style sheet of the frames in it."""
    frame = json.dumps(part("frame.css"))
    return part(f"{COMPARISON}.js").replace('"FRAME_CSS"', frame) + text


_SENT, _WILL, _THERE, _FILE = "as last sent", "as it will be", "on the site now", "in the file now"
_FORMER_FILE = "as the file was, which nobody sent"
_SECRET = "password"  # noqa: S105 - a field's name


def diffs(workspace: Workspace, revision: Revision, planned: PlannedRun) -> dict[str, str]:
    """Compare the two sides of each change, by path; of what is kept or blocked, only conflicts."""
    with opened(workspace, revision, planned) as comparisons:
        sources = {change.path: comparisons.source_of(change) for change in planned.plan.changes}
    # A sentence in place of a diff is said once, with the number of the others.
    counts = Counter(text for text in sources.values() if text and text.startswith("("))
    said = {}
    for path, text in sources.items():
        if text is None:
            continue
        if not text.startswith("("):
            said[path] = text
        elif more := counts.pop(text, 0):
            said[path] = text if more == 1 else f"{text} (and for {more - 1} more)"
    return said


def _fields(names: Iterable[str], before: Fields, after: Fields, new: str) -> str:
    """Compare fields that cannot be shown as source, each by itself."""
    parts = []
    for name in sorted(names):
        if name == _SECRET:
            parts.append("(password: changed; pressync shows no password)")
            continue
        old_text, new_text = (to_text(side[name]) if name in side else "" for side in (before, after))
        parts.append(_unified(old_text, new_text, f"{name} {_SENT}", f"{name} {new}"))
    return "\n".join(filter(None, parts))


def _unified(before: str | None, after: str | None, old: str, new: str, entry: Entry | None = None) -> str:
    if before is None or after is None:
        return _missing(entry)
    if max(len(before), len(after)) > _LONGEST:
        return f"({len(before):,} characters {old}, {len(after):,} {new}: too many to compare)"
    return "\n".join(unified(before, after, old, new, 2))


def _missing(entry: Entry | None) -> str:
    if entry and not entry.blob:
        return "(a merge of the manifest left out which text of the file was last sent)"
    where = f" (commit {entry.commit[:10]})" if entry and entry.commit else ""
    return f"(the file as it was last sent is not in this clone{where}; `git fetch --unshallow` may bring it)"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides of one change: the diff of its source, and the rows of its rendered text.

    `rendered` is "" if both sides look the same, and None if a side cannot be shown; then `why` says why.
    """

    path: str
    source: str
    rendered: str | None
    why: str = ""


def _has_sides(change: Change) -> bool:
    if isinstance(change, Blocked):
        return change.block is Block.CONFLICT and bool(change.fields)
    return isinstance(change, Create | Update | Delete)


class Comparisons:
    """Makes the comparisons of one plan; each is made when it is asked for."""

    def __init__(
        self,
        content: Content,
        manifest: Manifest,
        planned: PlannedRun,
        text: Callable[[str], str | None] | None = None,
    ) -> None:
        """Compare the changes of a plan; `text` renders a file elsewhere, where new pages have addresses."""
        self._repository, self._content = content.repository, content
        self._manifest, self._entries = manifest, planned.entries
        self._former = {new: old for old, new in planned.renamed.items()}
        self._contexts = PullContexts(content, planned.entries, manifest)
        self._text = text or (lambda path: content.text(path, planned.entries))

    def of(self, changes: Collection[Change]) -> Iterator[Comparison]:
        """Compare the sides of changes, in any order; those without two sides are left out."""
        shown = [change for change in changes if _has_sides(change)]
        yield from (self._compared(change, None) for change in shown if isinstance(change, Create))
        older = {self._former.get(c.path, c.path): c for c in shown if not isinstance(c, Create)}
        there = self._repository, self._content.settings, self._manifest
        for record in last_synced(*there, older.keys()):
            change = older.pop(record.entry.path)
            if not record.has_text:
                yield self._compared(change, None)
                continue
            # The text on the site is that of the last sync, or somebody's edit of it.
            entry = self._entries.get(change.path)
            edit = entry.conflict.get("content", "") if entry else ""
            there_now = from_text(change.kind, "content", edit) if edit else record.fields.get("content", "")
            yield self._compared(change, str(there_now))
        yield from (self._compared(change, None) for change in older.values())

    def _compared(self, change: Change, before: str | None) -> Comparison:
        source = self.source_of(change) or ""
        if isinstance(change, Delete):
            after = None
        elif (after := self._text(change.path) if change.path in self._content.sources else "") is None:
            return Comparison(change.path, source, None, "the file has problems, so it is not rendered")
        was_sent = not isinstance(change, Create) and not (
            isinstance(change, Update) and not change.entry.blob
        )
        if before is None and was_sent:
            return Comparison(change.path, source, None, "the text on the site is not in this clone")
        return Comparison(change.path, source, rows(before, after))

    def source_of(self, change: Change) -> str | None:
        """Compare the sources of the two sides of a change; None if one of them is missing."""
        match change:
            case Create(desired=desired):
                return _unified("", self._repository.text(desired.blob), "nothing yet", _WILL)
            case Update(entry=entry, desired=desired):
                before, after = (self._repository.text(blob) for blob in (entry.blob, desired.blob))
                if not entry.blob:
                    return _unified("", after, "nothing yet: the record was only adopted", _WILL)
                old = _FORMER_FILE if replaces_markup(change) else _SENT
                return _unified(before, after, old, _WILL, entry) or self._rendered(change)
            case Delete(entry=entry):
                return _unified(self._repository.text(entry.blob), "", _SENT, "deleted", entry)
            case Blocked(block=Block.CONFLICT):
                edited = self._entries.get(change.path)
                sides = edited and edited.conflict and not is_deleted(edited)
                return self._conflict(edited) if edited and sides else None
            case Keep() | Blocked():
                return None

    def _rendered(self, change: Update) -> str:
        """Compare the fields of a change whose file is the same: a template, a parent or a link changed."""
        if self._is_other_form(change):
            to = "as blocks" if self._content.settings.site.blocks else "as HTML without blocks"
            return f"(its file is the same; from now on it is sent {to}: `blocks` in the settings)"
        if new := sorted(self._content.references.unknown_files(change.desired)):
            return f"(its file is the same; it shows other files, which a sync uploads: {listed(new)})"
        former = self._former.get(change.path, change.path)
        # The plan's entry of a renamed file names a commit that has the new path, so the manifest's is asked.
        entry = self._manifest.entries.get(former, change.entry)
        if not self._repository.history.known([entry.commit]):
            return _missing(entry)
        where = f"its text in commit {entry.commit[:10]}"
        try:
            if (before := self._texts.read(entry)) is None:
                if entry.path not in (there := self._texts.content(entry.commit)).sources:
                    problem = f"commit {entry.commit[:10]} does not have it to compare the texts"
                    return f"(its file is the same; {problem})"
                before = there.prepare(entry.path, self._manifest.entries, fields=change.fields)
            sent, where = before.fields, "its new text"
            will = self._content.prepare(change.path, self._entries, fields=change.fields).fields
        except PressyncError as error:
            # The sentence of a `ContentError` is about a sync.
            fault = error.problems[0] if isinstance(error, ContentError) else error
            return f"(its file is the same; {where} cannot be rendered: {fault})"
        return _fields(change.fields, sent, will, _WILL) or "(its file is the same, and so are its texts)"

    def _is_other_form(self, change: Update) -> bool:
        """Tell whether the body would be as it was last sent, if `blocks` were set otherwise."""
        if "content" not in change.fields:
            return False
        content, settings = self._content, self._content.settings
        site = settings.site._replace(blocks=not settings.site.blocks)
        other = Content(
            content.repository, content.tree, settings._replace(site=site), manifest=self._manifest
        )
        read = other.read(change.path, self._entries, check=False).prepared
        sent = change.entry.fingerprints.get("content")
        return read is not None and read.desired.fingerprints.get("content") == sent

    @cached_property
    def _texts(self) -> FormerTexts:
        """The texts as they were sent."""
        entries, content = self._manifest.entries, self._content
        return FormerTexts(content.repository, content.settings, entries, entries.values(), self._manifest)

    def _conflict(self, entry: Entry) -> str:
        """Compare what was last sent with the site, and with the file if that has changed as well."""
        edits: Fields = {name: from_text(entry.kind, name, text) for name, text in entry.conflict.items()}
        text = self._repository.text(entry.blob) if entry.blob else None
        base = None if text is None else text_of(text.encode())
        read = self._content.read(entry.path, self._entries, base.encode()) if base is not None else None
        if base is None or read is None or read.prepared is None:
            return "\n".join((_missing(entry), _fields(edits, {}, edits, _THERE)))
        short = {name: value for name, value in edits.items() if len(to_text(value)) <= _LONGEST}
        there = draft(base, read.prepared, short, self._contexts.for_document(entry.path))
        left = [name for name in edits if name not in there.taken]
        sent = self._texts.read(entry) or read.prepared
        parts = [_unified(base, there.text, _SENT, _THERE), _fields(left, sent.fields, edits, _THERE)]
        blob = self._content.sources.get(entry.path)
        if blob and blob != entry.blob:
            parts.append(_unified(base, self._repository.text(blob), _SENT, _FILE))
        return "\n".join(filter(None, parts))


@contextmanager
def opened(workspace: Workspace, revision: Revision, planned: PlannedRun) -> Iterator[Comparisons]:
    """Open the tree of a plan, to compare the sides of its changes."""
    with workspace.reading() as state:
        yield Comparisons(workspace.content(revision, manifest=state.manifest), state.manifest, planned)
