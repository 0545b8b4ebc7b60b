"""Compares each page of an old site with the record that answers at its address.

An import counts what its reader saw, and cannot count what its reader did not see. The old site can. A text
of an old page that its record does not have is lost, unless pages of other records repeat it: then it belongs
to the theme. A list of records repeats their texts, and says nothing of the theme.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING

from pressync.app.redirects import CheckedAddress, Fate
from pressync.model.bounds import FileTooLarge
from pressync.model.web_address import from_root
from pressync.stage.compare.alignment import DifferenceKind, PageDifference, shown_word
from pressync.stage.compare.old_addresses import Imports, OldAddresses
from pressync.stage.compare.page_comparison import PageComparison, compared
from pressync.stage.compare.page_text import CODE, page_text
from pressync.stage.compare.repetitions import Repetitions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pressync.model.interface import Kind
    from pressync.plan.survey import Progress
    from pressync.stage.compare.new_site import NewSite
    from pressync.stage.compare.old_site import OldPage, OldSite
    from pressync.stage.compare.page_text import PageText

STATES = ("same", "differs", "no_address", "list", "unread")


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """An address of the old site, and what became of its page.

    `state` is `same`, also where only the language differs, `differs`, `no_address`, `list` for an address
    that answers without being a record, or `unread`, for which `why` says why. `to` is the address of the new
    page and `path` its document. `sides` are both texts as HTML.
    """

    address: str
    state: str
    to: str = ""
    path: str = ""
    why: str = ""
    differences: tuple[PageDifference, ...] = ()
    sides: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Compared:
    """The result: all pages in the order of the old site. `unmade` is as in `NewSite`."""

    pages: tuple[ComparedPage, ...]
    unmade: tuple[tuple[str, str], ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """Count the pages by their state."""
        found = Counter(page.state for page in self.pages)
        return {state: found[state] for state in STATES}

    @property
    def kinds(self) -> Mapping[str, int]:
        """Count the pages that have a difference of each kind."""
        found = Counter(kind for page in self.pages for kind in {each.kind for each in page.differences})
        return {kind.value: found[kind] for kind in DifferenceKind if found[kind]}

    @property
    def is_same(self) -> bool:
        """Whether every page was read and says the same; False if no page was compared."""
        counts = self.counts
        return bool(counts["same"]) and not any(counts[each] for each in ("differs", "no_address", "unread"))


# Both texts of pages that differ are kept for the sheet, up to so many words in all. A word takes 84 bytes.
_MOST_WORDS = 750_000


@dataclass(slots=True)
class _Begun:
    """A page that was read: its result so far, the number of its record, and what is left of the page."""

    page: ComparedPage
    record: int = -1
    language: str = ""
    comparison: PageComparison | None = None
    left: tuple[tuple[int, int, str], ...] = ()


@dataclass
class SiteComparison:
    """One comparison. `imports` is what their accounts say; `selector` names the part of a page.

    With `keep_sides`, the pages that differ get both texts.
    """

    old: OldSite
    new: NewSite
    imports: Imports = field(default_factory=Imports)
    selector: str = ""
    keep_sides: bool = False
    progress: Progress = lambda _done, _total: None
    stopped: Callable[[], bool] = lambda: False
    _repetitions: Repetitions = field(default_factory=Repetitions, init=False)
    _room: int = field(default=_MOST_WORDS, init=False)

    def run(self) -> Compared:
        """Compare all pages.

        :raises ConfigError: the selector is wrong, or a table of an import leads in a circle.
        """
        addresses = OldAddresses.of(self.old, self.new, self.imports)
        paths = {(each.kind, each.id): each.path for each in self.new.manifest.entries.values()}
        begun: list[_Begun] = []
        for number, page in enumerate(self.old.pages, 1):
            if self.stopped():
                break
            begun.append(self._begun(page, addresses, paths))
            self.progress(number, len(self.old.pages))
        self._repetitions.count()
        # WordPress has one language for all records, and most pages of a site are in its main one.
        spoken = Counter(each.language for each in begun if each.language)
        main = spoken.most_common(1)[0][0] if spoken else ""
        return Compared(tuple(self._judged(each, main) for each in begun), self.new.unmade)

    def _begun(self, page: OldPage, addresses: OldAddresses, paths: Mapping[tuple[Kind, int], str]) -> _Begun:
        try:
            old = page_text(self.old.read(page), self.selector)
        except (OSError, FileTooLarge) as error:
            return _Begun(ComparedPage(page.address, "unread", why=str(error)))
        if old is None:
            return _Begun(
                ComparedPage(page.address, "unread", why="no part of it is what the selector names")
            )
        fate = addresses.fate(page.address)
        if old.leads_to:
            return _Begun(
                self._moved(page, fate, addresses.fate(addresses.path(page.address, old.leads_to) or ""))
            )
        record = self.new.pages.page_at(from_root(fate.to) or "") if fate and fate.to else None
        if record is None:
            self._repetitions.pass_by(old)
            return _Begun(self._without_record(page, fate))
        found = compared(page.address, old, record, addresses, self.new.pages)
        path = paths.get((record.kind, record.id), "")
        to = from_root(record.address) or ""
        begun = _Begun(ComparedPage(page.address, "same", to, path, differences=tuple(found.differences)))
        begun.language, begun.record = old.language, self._repetitions.add(record.address, old, found.new)
        begun.left = tuple((each.start, each.digest, each.text) for each in found.left)
        if self.keep_sides and (found.differences or found.left):
            self._room -= len(old.words) + len(found.new.words)
            begun.comparison = found if self._room > 0 else None
        return begun

    def _without_record(self, page: OldPage, fate: CheckedAddress | None) -> ComparedPage:
        """Say what is at the address of a page that is not a record."""
        if fate is not None and fate.fate is Fate.HIDDEN:
            return _differs(page, PageDifference(DifferenceKind.HIDDEN, page.address))
        address = from_root(fate.to if fate and fate.to else page.address) or "/"
        below = self.new.pages.below
        if self.new.pages.has(address) or (below and self.new.pages.has(f"{below}{address}")):
            return ComparedPage(page.address, "list", address)
        return replace(
            _differs(page, PageDifference(DifferenceKind.NO_ADDRESS, page.address)), state="no_address"
        )

    def _moved(
        self, page: OldPage, fate: CheckedAddress | None, target: CheckedAddress | None
    ) -> ComparedPage:
        """Compare a page that only leads to another one: both must lead to the same record."""
        if fate is None or not fate.to:
            return self._without_record(page, fate)
        if target is not None and target.to != fate.to:
            return _differs(
                page,
                PageDifference(DifferenceKind.LINKS, from_root(target.old) or "", from_root(fate.to) or ""),
            )
        return ComparedPage(page.address, "same", from_root(fate.to) or "")

    def _judged(self, begun: _Begun, main: str) -> ComparedPage:
        """Add what is lost: the blocks that pages of other records do not repeat."""
        page = begun.page
        is_repeated = self._repetitions.is_repeated
        repeated = {digest for _, digest, text in begun.left if is_repeated(digest, begun.record, text)}
        lost = [
            PageDifference(DifferenceKind.LOST, text)
            for _, digest, text in begun.left
            if digest not in repeated
        ]
        if begun.language and _primary(begun.language) != _primary(main):
            lost.append(PageDifference(DifferenceKind.LANGUAGE, begun.language, main))
        found = tuple(dict.fromkeys((*page.differences, *lost)))
        if page.state != "same" or not found:
            return page
        if all(each.kind is DifferenceKind.LANGUAGE for each in found):
            # The page says the same to its readers. No page of WordPress alone can have a language.
            return replace(page, differences=found)
        both = ("", "")
        if kept := begun.comparison:
            without = {start for start, digest, _ in begun.left if digest in repeated}
            both = _as_html(kept.old, kept.repeated | without), _as_html(kept.new)
        return replace(page, state="differs", differences=found, sides=both)


def _differs(page: OldPage, difference: PageDifference) -> ComparedPage:
    return ComparedPage(page.address, "differs", differences=(difference,))


def _primary(language: str) -> str:
    return language.lower().replace("_", "-").partition("-")[0]


# Nobody reads a longer page to its end.
_SHOWN_WORDS = 20_000


def _as_html(text: PageText, without: Collection[int] = ()) -> str:
    """Write a text as plain HTML of its words, without the blocks that begin with one of these words."""
    levels = {span.start: span.value for span in text.headings}
    parts = []
    for start, end in text.block_ranges(0, _SHOWN_WORDS):
        if start in without:
            continue
        words = text.words[start:end]
        name = "pre" if len(words) == 1 and words[0].startswith(CODE) else levels.get(start, "p")
        parts.append(f"<{name}>{escape(' '.join(map(shown_word, words)))}</{name}>")
    return "\n".join(parts)
