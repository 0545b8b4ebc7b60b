"""Reads what a tool made of a site, and what an import makes of it: titles, dates and addresses."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import MINYEAR, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from zoneinfo import ZoneInfo

import html5lib
from click.testing import CliRunner
from tests.support.repository import SampleRepository

from pressync.cli.main import pressync
from pressync.config.settings import load
from pressync.importing.run import ImportRequest, import_source
from pressync.importing.sources.item import ImportSource
from pressync.importing.sources.source_tree import Front, SourceTree
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.importing.account import Account


@dataclass(frozen=True, slots=True)
class Page:
    """The title of a page, and the day and time that its date shows; "" for no date."""

    title: str
    moment: str


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
        page = Page(front.text("title"), _clock(file.item.date, zone))
        pages |= {_plain(address): page for address in (file.item.address, *file.item.aliases) if address}
    return account, pages


def compared(source: Path, built: Path, target: Path) -> Any:  # noqa: ANN401 - the document of `compare`
    """Import a source into a new repository as a user does, and compare it with its built site."""
    repository = SampleRepository.create(target)
    # The guide tells to write it before an import, so that folders without a page stay in addresses.
    (target / "pressync.toml").write_text('folders = "pages"\n')

    def run(*words: str) -> str:
        result = CliRunner().invoke(pressync, ["-C", str(target), *words], env={})
        assert result.exit_code in {0, 1, 3}, result.output
        return result.stdout

    run("import", str(source), "--no-compare")
    repository.commit()
    return json.loads(run("compare", str(built), "--format", "json"))


def built_pages(folder: Path, zone: str) -> dict[str, Page]:
    """Give the pages that a tool made, by address; a page without our layout is the tool's own."""
    pages = {}
    for file in sorted(folder.rglob("*.html")):
        main = next(html5lib.parse(file.read_text(), namespaceHTMLElements=False).iter("main"), None)
        if main is not None:
            address = _plain(f"/{file.relative_to(folder).as_posix()}")
            moment = _clock(main.get("data-date", "").replace("undefined", ""), zone)
            pages[address] = Page(main.get("title", ""), moment)
    return pages


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
