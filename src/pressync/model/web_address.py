"""Takes apart addresses that come from outside: from a site, an export, front matter, a request. Pure.

Python raises ValueError for some texts, such as `//[`, and for some ports only when somebody reads the port.
Anybody can write such a text into a page or a request. So everything here gives a value for every text.
"""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urljoin, urlsplit


def split(address: str) -> SplitResult | None:
    """Take an address apart; None if it is not one. The host and the port of the parts can be read."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    return parts


def joined(base: str, address: str) -> str | None:
    """Resolve an address against the one of its page; None if the result is not an address."""
    try:
        whole = urljoin(base, address)
    except ValueError:
        return None
    return whole if split(whole) else None


def path_of(address: str) -> str:
    """Give the path of an address; "" if it is not an address."""
    parts = split(address)
    return parts.path if parts else ""


def origin_of(address: str) -> str:
    """Give the scheme, the host and the port of an address as it has them; "" if it names no host."""
    parts = split(address)
    return f"{parts.scheme}://{parts.netloc}" if parts and parts.netloc else ""


def shown(address: str) -> str | None:
    """Give an address without what may be secret: user, password, query, fragment; None if it is not one."""
    parts = split(address)
    if parts is None:
        return None
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if host else parts.path


def from_root(address: str) -> str | None:
    """Give the path and the query of an address, which is what a request asks for; None if it is not one."""
    parts = split(address)
    return parts and f"{parts.path or '/'}{'?' * bool(parts.query)}{parts.query}"


# One site among those of a host, which is named by its own host or by a number.
_OF_ONE_SITE = re.compile(r"/wp/v2/sites/([A-Za-z0-9.-]+)/?$")


def home_of(url: str) -> str:
    """Give the address of a site's pages, as far as the address of its interface shows it; maybe ""."""
    if found := _OF_ONE_SITE.search(path_of(url)):
        return f"https://{found[1]}" if "." in found[1] else ""
    path = path_of(url).partition("/wp-json")[0].partition("/index.php")[0].rstrip("/")
    return f"{origin_of(url)}{path if '/wp-json' in url or '?' in url else ''}"
