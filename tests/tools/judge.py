"""Compares what a tool made of a site with what an import makes of it: addresses, titles, dates and words."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import MINYEAR, datetime
from typing import TYPE_CHECKING
from urllib.parse import unquote
from zoneinfo import ZoneInfo

import html5lib
from tests.support.repository import SampleRepository

from pressync.config.settings import load
from pressync.content.render.markdown import to_html, with_alert_titles
from pressync.importing.run import ImportRequest, import_source
from pressync.importing.sources.item import ImportSource
from pressync.importing.sources.source_tree import Front, SourceTree
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from pressync.importing.account import Account

# A theme, WordPress and some tools write other quotes and dashes than a person.
_WORD = re.compile(r"[^\W_]+")
_BLOCKS = re.compile(r"p|li|h[1-6]|t[dhr]|d[td]|blockquote|figcaption|summary|div|pre|br")


@dataclass(frozen=True, slots=True)
class Page:
    """What readers get of one page, in parts that can be compared."""

    title: str
    moment: str
    words: tuple[str, ...]
    code: tuple[str, ...]
    pictures: int

    @classmethod
    def of(cls, main: Element, title: str, moment: str) -> Page:
        """Read the parts of an element."""
        code = tuple(_text(each).strip("\n").expandtabs(4).rstrip() for each in main.iter("pre"))
        return cls(title, moment, tuple(_WORD.findall(_text(main))), code, sum(1 for _ in main.iter("img")))


@dataclass(frozen=True, slots=True)
class Difference:
    """One kind of difference of a page at an address, with both sides."""

    kind: str
    address: str
    old: object
    new: object


@dataclass(frozen=True, slots=True)
class Comparison:
    """The old pages by address, the imported ones, the account of the import, and each difference."""

    old: dict[str, Page]
    new: dict[str, Page]
    account: Account
    differences: list[Difference]

    @property
    def kinds(self) -> dict[str, int]:
        """How many pages have each kind of difference."""
        return dict(Counter(each.kind for each in self.differences))

    @property
    def line(self) -> str:
        """The comparison in one line."""
        differing = {each.address for each in self.differences if each.kind != "address"}
        without = sum(each.kind == "address" for each in self.differences)
        same = len(self.old) - len(differing) - without
        many = f"{len(self.old)} pages: {same} same, {len(differing)} differ, {without} without address"
        return f"{many} {self.kinds}"


def imported(source: Path, target: Path, zone: str) -> tuple[Account, dict[str, Page]]:
    """Import a source into a new repository, and give what readers get at each old address.

    A date without an offset is one of the `zone`.
    """
    repository = SampleRepository.create(target)
    request = ImportRequest(ImportSource(source.name, source))
    account = import_source(Repository(repository.root), load(None, where="", environ={}), request)
    pages: dict[str, Page] = {}
    for file in account.files:
        front = SourceTree(repository.root).front(file.path)
        assert isinstance(front, Front), front
        rendered = _parsed(with_alert_titles(to_html(front.body)))
        page = Page.of(rendered, front.text("title"), _clock(file.item.date, zone))
        pages |= {_plain(address): page for address in (file.item.address, *file.item.aliases) if address}
    return account, pages


def built_pages(folder: Path, zone: str) -> dict[str, Page]:
    """Give the pages that a tool made, by address; a page without our layout is the tool's own."""
    pages = {}
    for file in sorted(folder.rglob("*.html")):
        main = next(_parsed(file.read_text()).iter("main"), None)
        if main is not None:
            address = _plain(f"/{file.relative_to(folder).as_posix()}")
            moment = _clock(main.get("data-date", "").replace("undefined", ""), zone)
            pages[address] = Page.of(main, main.get("title", ""), moment)
    return pages


def compared(old: dict[str, Page], account: Account, new: dict[str, Page]) -> Comparison:
    """Compare each page of the old site with the imported one."""
    found = [each for address, page in old.items() for each in _differences(address, page, new.get(address))]
    return Comparison(old, new, account, found)


def _differences(address: str, old: Page, new: Page | None) -> Iterator[Difference]:
    if new is None:
        yield Difference("address", address, address, None)
        return
    if _WORD.findall(old.title) != _WORD.findall(new.title):
        yield Difference("title", address, old.title, new.title)
    if old.moment and old.moment != new.moment:
        yield Difference("date", address, old.moment, new.moment)
    # The heading of the title may be in the old text.
    titled = (*_WORD.findall(new.title), *new.words)
    if old.words not in {new.words, titled}:
        yield Difference(
            "words", address, *_around(old.words, new.words if old.words[:1] == new.words[:1] else titled)
        )
    if old.code != new.code:
        yield Difference("code", address, *_first(old.code, new.code))
    if old.pictures != new.pictures:
        yield Difference("pictures", address, old.pictures, new.pictures)


def _around(old: Sequence[str], new: Sequence[str]) -> tuple[str, str]:
    """Give some words of both sides from before their first difference on."""
    pairs = zip(old, new, strict=False)
    start = next((at for at, (one, two) in enumerate(pairs) if one != two), min(len(old), len(new)))
    return " ".join(old[max(0, start - 4) : start + 8]), " ".join(new[max(0, start - 4) : start + 8])


def _first(old: Sequence[str], new: Sequence[str]) -> tuple[str, str]:
    pairs = zip([*old, *[""] * len(new)], [*new, *[""] * len(old)], strict=False)
    return next((one, two) for one, two in pairs if one != two)


def _text(element: Element) -> str:
    """Give the text of an element; a block parts words, and the rest does not."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            around = "\n" if _BLOCKS.fullmatch(child.tag) and element.tag != "pre" else ""
            parts += ["" if child.tag in {"script", "style"} else f"{around}{_text(child)}{around}"]
        parts.append(child.tail or "")
    return "".join(parts)


def _parsed(text: str) -> Element:
    document: Element = html5lib.parse(text, namespaceHTMLElements=False)
    return document


def _clock(moment: str, zone: str) -> str:
    """Give the day and the time that a clock in a zone shows at a moment; "" for no moment."""
    try:
        read = datetime.fromisoformat(moment)
    except ValueError:
        return ""
    # Hugo writes the first moment of its calendar for a page without a date.
    is_set = read.year > MINYEAR
    return f"{read.astimezone(ZoneInfo(zone)) if read.tzinfo else read:%Y-%m-%d %H:%M}" if is_set else ""


def _plain(address: str) -> str:
    """Give one spelling of an address: `/x`, `/x/`, `/x.html` and `/x/index.html` are one to a server."""
    path = unquote(address).removesuffix("index.html").removesuffix(".html")
    return f"/{path.strip('/')}"
