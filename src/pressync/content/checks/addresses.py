"""Tells which addresses of the site the documents answer, as far as files alone can tell.

A page's address consists of the slugs of its parents and its own. The address of a post also depends on a
setting of the site, so any address that ends with a post's slug counts as answered. The same holds for the
addresses that WordPress itself answers.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from pressync.content.sources import INDEXES, stem
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.model.records import Desired

_SERVICE = re.compile(r"/wp-json(?:/|$).*")
_OF_THE_SITE = re.compile(
    r"wp-|\d{4}(?:/|$)|(?:feed|comments|category|tag|tags|author|page|search|blog)(?:/|$)"
    r"|(?:sitemap[^/]*|robots\.txt|favicon\.ico|xmlrpc\.php|index\.php)$"
)
_INDEX_FILE = re.compile(r"(?:^|/)index\.(?:html?|php)$")


class Addresses:
    """The addresses of one site's documents; `unread` are documents whose slug is not known."""

    def __init__(self, documents: Mapping[str, Desired], unread: Iterable[str], url: str | None) -> None:
        """Collect the addresses; `url` is the service's address, None for the embedded service."""
        self.base = _key(_SERVICE.sub("", urlsplit(url).path)) if url and _SERVICE.search(url) else ""
        self._documents = documents
        self._of: dict[str, str] = {}
        self._names = {
            stem(path) if stem(path) not in INDEXES else posixpath.basename(posixpath.dirname(path))
            for path in unread
        }
        self._known = {""}
        for path, document in documents.items():
            self._known.update(_key(_path_of(alias)) for alias in document.aliases)
            if document.kind is Kind.POST:
                self._names.add(document.slug.casefold())
            else:
                self._known.add(_key(self.of(path) or ""))

    def of(self, path: str) -> str | None:
        """Give the address of a page, with a slash at both ends; None if it is not known."""
        slugs: list[str] = []
        seen = set()
        here: str | None = path
        while here is not None and here not in seen:
            document = self._documents.get(here)
            if document is None or document.kind is Kind.POST:
                return None
            seen.add(here)
            slugs.append(unquote(document.slug))
            here = document.parent_path
        return f"/{'/'.join(filter(None, (self.base, *reversed(slugs))))}/"

    def answer(self, address: str) -> bool:
        """Tell whether the site answers an address that begins with `/`, as far as one can know."""
        key = _key(address)
        if self.base and not f"{key}/".startswith(f"{self.base}/"):
            # It is not below the site, and another site may answer it; a page of that name is a mistake.
            return _key(f"{self.base}/{key}") not in self._known
        inner = key[len(self.base) :].strip("/")
        return (
            not inner
            or key in self._known
            or inner.rpartition("/")[2] in self._names
            or bool(_OF_THE_SITE.match(inner))
        )


def _key(address: str) -> str:
    """Give an address in the form in which two are compared."""
    return _INDEX_FILE.sub("", address.strip("/").casefold()).strip("/")


def _path_of(alias: str) -> str:
    try:
        return unquote(urlsplit(alias).path)
    except ValueError:  # such as `//[`
        return ""
