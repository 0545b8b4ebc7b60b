"""Takes apart addresses that come from outside: from a site, an export, front matter, a request. Pure.

Python raises ValueError for some texts, such as `//[`, and for some ports only when somebody reads the port.
Anybody can write such a text into a page or a request. So everything here gives a value for every text.
"""

from __future__ import annotations

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
