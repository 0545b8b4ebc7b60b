"""Reads the old addresses of a document as other tools write them, and gives them from the site's root.

Each tool has its own key, and its own root for an address without a leading slash. An address that only the
tool itself could complete is not guessed: a wrong redirect would hide a page.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pressync.content.sources import FOLDERS, INDEXES, stem
from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.content.front_matter.value import Given

# The address of the page itself: of Jekyll and Eleventy, of Hugo, and of Zola.
_OWN = ("permalink", "url", "path")
# Further old addresses, of a plugin of Jekyll.
_FORMER = "redirect_from"
# Names of Jekyll's patterns.
_STYLES = frozenset({"date", "pretty", "ordinal", "weekdate", "none"})
_PLACEHOLDER = re.compile(r"(?:^|[/_.-]):\w|[{}<>$\s]")


def old_addresses(
    values: Mapping[str, Given], aliases: tuple[str, ...], inner: str, host: str
) -> tuple[str, ...]:
    """Give all old addresses of a file whose path below the content folder is `inner`, each once.

    `aliases` are its own and its defaults' ones. `host` is the site's: its addresses lose scheme and host.
    """
    found = [address for alias in aliases for address in _of_alias(_reduced(alias, host), inner)]
    found += [_from_root(_reduced(text, host)) for text in _texts(values.get(_FORMER))]
    for key in _OWN:
        found += [_from_root(text) for text in _own(values.get(key), host) if not _PLACEHOLDER.search(text)]
    return tuple(dict.fromkeys(found))


def placeholders(values: Mapping[str, Given], path: str) -> Iterator[Problem]:
    """Warn of addresses that only another tool can complete; a `path` is often something else."""
    for key in _OWN[:2]:
        if any(_PLACEHOLDER.search(text) for text in _own(values.get(key), "")):
            what = f"its {key} has placeholders of another tool"
            todo = "it is left out; write its old address in `aliases`"
            yield Problem(path, values[key].line, what, todo, warning=True, code=Code.FOREIGN_VALUE)


def _own(given: Given | None, host: str) -> Iterator[str]:
    """Give the address that a file has for itself; a whole address elsewhere is not one."""
    for text in _texts(given) if given and given.scalar else ():
        reduced = _reduced(text, host)
        if reduced not in _STYLES and not _is_whole(reduced):
            yield reduced


def _of_alias(alias: str, inner: str) -> Iterator[str]:
    """Give the addresses that an alias may mean.

    Without a leading slash, Zola begins at the root, and Hugo beside the page, whose address has the folders
    of its file. An alias that begins with a dot can only be Hugo's.
    """
    if alias.startswith("/") or _is_whole(alias):
        yield alias
        return
    folder = posixpath.dirname(inner)
    if stem(inner) in INDEXES:
        folder = posixpath.dirname(folder)
    first, _, rest = folder.partition("/")
    beside = posixpath.normpath(posixpath.join("/", rest if first in FOLDERS else folder, alias))
    if not alias.startswith("."):
        yield _from_root(alias)
    yield f"{beside}/" if alias.endswith("/") and beside != "/" else beside


def _texts(given: Given | None) -> Iterator[str]:
    """Give the texts of one value or a list; other tools may have anything there."""
    if given is None:
        return
    for item in given.value if isinstance(given.value, tuple) else (given,):
        if isinstance(item.value, str) and item.value.strip():
            yield item.value.strip()


def _reduced(address: str, host: str) -> str:
    """Take scheme and host from an address of this site."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    if not host or parts.scheme not in {"http", "https"} or parts.netloc.lower() != host:
        return address
    return parts._replace(scheme="", netloc="").geturl() or "/"


def _is_whole(address: str) -> bool:
    return "//" in address[: len("https://")]


def _from_root(address: str) -> str:
    return address if address.startswith("/") or _is_whole(address) else f"/{address}"
