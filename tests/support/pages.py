"""A model of content: what each file says, and what of it a site must show.

It shares nothing with what plans and renders. Every page has a title, a marker that no other page has, and
links to others. `Content` writes them as Markdown and holds a site's own records to them, member by member.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.model.records import Entry

Json = dict[str, Any]

TOP = "content/pages"
# A page's own lines that never change: enough that Git sees an edited and renamed file as the same one, and
# no other.
_STEADY = 12
# WordPress gets content inside a block, which leaves it alone.
_BLOCK = ("<!-- wp:html -->\n", "<!-- /wp:html -->")

_TEMPLATE, _CONFIGURATION = "templates/page.html", "pressync.toml"
_DESIGN, _ORDER = re.compile(r"<!-- design (\d+)"), re.compile(r"weight = (\d+)")
_PAGE = re.compile(
    r"---\ntitle: (?P<title>.*)\n(?:id: (?P<number>\d+)\n)?"
    r"(?:status: (?P<status>.*)\n)?(?:slug: (?P<slug>.*)\n)?(?:meta: .*\nmood: .*\n)?---\n"
    r"(?P<birth>.*) stays\.\n(?:.* stays\.\n)*"
    r"\n(?P<marker>.*)\n\n(?P<links>.*)\n"
)
_LINK = re.compile(r"\[link\]\((?:\.\./)*([^)]*)\)")


@dataclass
class Page:
    """What one file says; `birth` is in it for ever, `number` is the record that its front matter names.

    The `status` and the `slug` are "" where the front matter names none.
    """

    title: str
    birth: str
    marker: str
    links: list[str] = field(default_factory=list)
    number: int | None = None
    status: str = ""
    slug: str = ""

    @property
    def steady(self) -> str:
        """The lines that stay."""
        return "\n".join([f"{self.birth} stays."] * _STEADY)


@dataclass
class Content:
    """Pages and posts by path; `design` counts edits of the template, `order` is every page's default."""

    pages: dict[str, Page] = field(default_factory=dict)
    design: int = 0
    order: int | None = None

    @classmethod
    def read(cls, repository: SampleRepository) -> Content:
        """Read back what the files of a working tree say, whoever wrote or merged them."""
        root = repository.root
        pages = {
            path.relative_to(root).as_posix(): _parsed(path.read_text(encoding="utf-8"))
            for path in sorted((root / "content").rglob("*.md"))
        }
        design = _DESIGN.search(_text(root / _TEMPLATE))
        order = _ORDER.search(_text(root / _CONFIGURATION))
        return cls(pages, int(design[1]) if design else 0, int(order[1]) if order else None)

    def text(self, path: str) -> str:
        """Write a page's file."""
        page = self.pages[path]
        named = f"id: {page.number}\n" if page.number else ""
        named += f"status: {page.status}\n" if page.status else ""
        named += f"slug: {page.slug}\n" if page.slug else ""
        # A book has its marker in a field, too, and a term.
        named += f"meta: {{isbn: {page.marker}}}\nmood: [dark]\n" if _kind(path) == "book" else ""
        links = " ".join(f"[link]({_relative(path, target)})" for target in page.links)
        return f"---\ntitle: {page.title}\n{named}---\n{page.steady}\n\n{page.marker}\n\n{links}\n"

    def write(self, repository: SampleRepository, *paths: str) -> None:
        """Write the files of these paths, or of all."""
        for path in paths or self.pages:
            repository.write(path, self.text(path))

    def write_design(self, repository: SampleRepository) -> None:
        """Write the template that every page goes through."""
        repository.write(_TEMPLATE, f"<!-- design {self.design} -->\n{{{{ content }}}}\n")

    def write_defaults(self, repository: SampleRepository) -> None:
        """Write the configuration with its defaults."""
        said = "" if self.order is None else f"[defaults.pages]\nweight = {self.order}\n"
        repository.write(_CONFIGURATION, said)

    def parent(self, path: str) -> str | None:
        """Find the nearest page beside a folder that holds the path."""
        folder = path.rpartition("/")[0]
        while folder.count("/") > 1:
            if f"{folder}.md" in self.pages:
                return f"{folder}.md"
            folder = folder.rpartition("/")[0]
        return None

    def html(self, path: str, addresses: Mapping[str, str]) -> str:
        """Say what the record of a page must hold, given every page's address."""
        page = self.pages[path]
        targets = [addresses.get(target, _relative(path, target)) for target in page.links]
        links = " ".join(f'<a href="{target}">link</a>' for target in targets)
        design = f"<!-- design {self.design} -->\n" if self.design and _kind(path) == "page" else ""
        body = f"<p>{page.steady}</p>\n<p>{page.marker}</p>"
        return f"{design}{body}\n<p>{links}</p>" if links else design + body

    def census(self, records: Mapping[int, Json]) -> tuple[int, int]:
        """Count the records too many and the pages without one, by what each page says all its life."""
        live = [record["content"]["raw"] for record in records.values() if record["status"] != "trash"]
        found = [sum(page.steady in text for text in live) for page in self.pages.values()]
        return sum(max(0, count - 1) for count in found), found.count(0)

    def assert_shown(self, entries: Mapping[str, Entry], records: Mapping[int, Json]) -> None:
        """Hold a site's records, those in the trash left out, and the manifest to this content.

        Each path is one record, no record is nobody's, and what it holds is what its file says.
        """
        live = {number: record for number, record in records.items() if record["status"] != "trash"}
        assert sorted(entries) == sorted(self.pages), "the manifest knows each document and no other"
        held = sorted(entry.id for entry in entries.values())
        assert held == sorted(live), f"each document is one record, once: {_titles(live)}"
        addresses = {path: str(live[entry.id]["link"]) for path, entry in entries.items()}
        for path, page in self.pages.items():
            record, entry = live[entries[path].id], entries[path]
            parent, slug = self.parent(path), page.slug or path.rpartition("/")[2].removesuffix(".md")
            shown = {
                "title": record["title"]["raw"],
                # WordPress writes no dot in a slug.
                "slug": slug if record["slug"] == slug.replace(".", "-") else record["slug"],
                "status": record["status"],
                "type": record["type"],
                "parent": record.get("parent", 0),
                "content": _unwrapped(record["content"]["raw"]),
                "order": record.get("menu_order", 0),
                "link": entry.link,
                **(
                    {"isbn": record["meta"]["isbn"], "moods": len(record["mood"])}
                    if _kind(path) == "book"
                    else {}
                ),
            }
            assert shown == {
                "title": page.title,
                "slug": slug,
                "status": page.status or "publish",
                "type": _kind(path),
                "parent": entries[parent].id if parent else 0,
                "content": self.html(path, addresses),
                "order": (self.order or 0) if _kind(path) == "page" else 0,
                "link": record["link"],
                **({"isbn": page.marker, "moods": 1} if _kind(path) == "book" else {}),
            }, path


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _parsed(text: str) -> Page:
    found = _PAGE.fullmatch(text)
    assert found, f"no page of ours: {text}"
    return Page(
        found["title"],
        found["birth"],
        found["marker"],
        _LINK.findall(found["links"]),
        int(found["number"]) if found["number"] else None,
        found["status"] or "",
        found["slug"] or "",
    )


def _kind(path: str) -> str:
    return path.split("/")[1].removesuffix("s")


def _relative(path: str, target: str) -> str:
    return f"{'../' * path.count('/')}{target}"


def _unwrapped(text: str) -> str:
    return text.removeprefix(_BLOCK[0]).removesuffix(_BLOCK[1]).rstrip("\n")


def _titles(records: Mapping[int, Json]) -> dict[int, str]:
    return {number: record["title"]["raw"] for number, record in records.items()}
