"""The pages of the WordPress stage as visitors get them; WordPress itself lists its records and renders them.

The interface has the addresses of the site, and the stage answers at its own. An address that is not one of a
record, such as an archive or a file, is requested once from the stage.
"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self
from urllib.parse import unquote, urlsplit

from pressync.app.rehearse.stage import RenderedPage
from pressync.client.address import parse
from pressync.client.get_only import GetOnly
from pressync.client.wordpress.lists import every_row
from pressync.client.wordpress.record import PATHS
from pressync.model.errors import ServiceError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.client.credentials import Secret

_HIDDEN = (("context", "edit"), ("status", "draft,pending,private,future"))
_ADDRESS = (("_fields", "id,link,slug,generated_slug,permalink_template"),)
_SHOWN = (("_fields", "id,link,content.rendered,excerpt.rendered"),)
_PLACES = ("%pagename%", "%postname%")


@dataclass(frozen=True, slots=True)
class WordPressPages:
    """The rendered site of a WordPress; see `stage.RenderedSite`. `stage` is where it answers visitors."""

    address: str
    stage: str
    public: Mapping[str, RenderedPage]
    secret_paths: frozenset[str]
    seen: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, url: str, authorization: Secret | None, *, home: str, stage: str) -> Self:
        """Read all pages and posts.

        :raises ServiceError: WordPress does not answer.
        """
        public: dict[str, RenderedPage] = {}
        hidden: set[str] = set()
        reader = GetOnly(parse(url).through_script(), authorization=authorization, allow_http=False)
        with closing(reader):
            for kind in Kind:
                for row in every_row(reader.send, PATHS[kind], _SHOWN, kind):
                    page = RenderedPage(kind, _number(row), str(row.get("link", "")), _html(row))
                    public |= dict.fromkeys(_paths(page.address, page.id), page)
                for row in every_row(reader.send, PATHS[kind], (*_HIDDEN, *_ADDRESS), kind):
                    hidden |= {*_paths(_future(row), _number(row))}
        return cls(home, stage, public, frozenset(hidden - public.keys()))

    def pages(self) -> Iterator[RenderedPage]:
        """Give every public page and post, one at a time."""
        yield from {(page.kind, page.id): page for page in self.public.values()}.values()

    def has(self, path: str) -> bool:
        """Tell whether a visitor gets something at a path."""
        if _normal(path) in self.public:
            return True
        if path not in self.seen:
            self.seen[path] = self._answers(path.removeprefix(urlsplit(self.address).path.rstrip("/")))
        return self.seen[path]

    def hidden(self, path: str) -> bool:
        """Tell whether a record is there that visitors do not see."""
        return _normal(path) in self.secret_paths

    def page_at(self, path: str) -> RenderedPage | None:
        """Give the public record at a path."""
        return self.public.get(_normal(path))

    def _answers(self, path: str) -> bool:
        reader = GetOnly(parse(self.stage), authorization=None, allow_http=False)
        with closing(reader), suppress(ServiceError):
            return reader.get(path or "/").status < 400  # noqa: PLR2004 - the first error
        return False


def _html(row: Mapping[str, object]) -> str:
    texts = [row.get(name) for name in ("content", "excerpt")]
    return "\n".join(str(text.get("rendered", "")) for text in texts if isinstance(text, dict))


def _number(row: Mapping[str, object]) -> int:
    number = row.get("id")
    return number if isinstance(number, int) else 0


def _future(row: Mapping[str, object]) -> str:
    """Give the address that a record will have when visitors see it."""
    address = str(row.get("permalink_template") or row.get("link") or "")
    for place in _PLACES:
        address = address.replace(place, str(row.get("slug") or row.get("generated_slug") or ""))
    return address


def _paths(address: str, number: int) -> Iterator[str]:
    """Give the paths of a record: that of its address, and those by its number, which every record has."""
    parts = urlsplit(address)
    yield _normal(parts.path + (f"?{parts.query}" if parts.query else ""))
    yield from (_normal(f"/?{name}={number}") for name in ("p", "page_id"))


def _normal(path: str) -> str:
    return path if "?" in path else unquote(path).rstrip("/").lower()
