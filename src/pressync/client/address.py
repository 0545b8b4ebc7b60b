"""The base address of a service: it is checked once, joined with paths, and never shown with secrets."""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple
from urllib.parse import parse_qsl, quote

from pressync.model.errors import ConfigError
from pressync.model.interface import NAMESPACE
from pressync.model.web_address import origin_of, path_of, split

_ROUTE = "rest_route"
# The name or the number of one site among many.
_SITE = r"([A-Za-z0-9][A-Za-z0-9.-]*)"
# A route that ends so has each path of the interface behind the address of the site.
_NAMESPACE_LAST = "{namespace}{rest}"
# A namespace of two parts, and the rest. The root of the interface has no namespace.
_PATH = re.compile(r"(/[^/?]+/[^/?]+|)(.*)", re.DOTALL)

# The dashboard of WordPress and its login page.
_DASHBOARD = re.compile(r"/(?:wp-admin(?:[/?#].*)?|wp-login\.php(?:[?#].*)?)\Z", re.DOTALL)


# A dataclass would load `dataclasses` and `inspect`, which takes 5 ms of a plan with nothing to do.
class Address(NamedTuple):
    """A base address. `host` has the port if one was given. `query` is () or ends with `rest_route`.

    `route` is the form of a path below it, with the places `{namespace}` and `{rest}`; "" if they follow it.
    """

    scheme: str
    host: str
    path: str
    query: tuple[tuple[str, str], ...]
    loopback: bool
    route: str = ""

    @property
    def origin(self) -> str:
        """Scheme, host and port. Credentials are sent to no other origin."""
        return f"{self.scheme}://{self.host}"

    def through_script(self) -> Address:
        """Name WordPress's script if the interface is behind a query: `/index.php?rest_route=/`.

        nginx responds with 405 to a DELETE of a folder, which it would have to pass to the folder's index
        (measured). WordPress itself gives its address with the script for the same reason.
        """
        folder = self.path or "/"
        if not self.query or not folder.endswith("/"):
            return self
        return self._replace(path=f"{folder}index.php")

    def of_one_site(self, route: str) -> Address:
        """Take the site out of an address such as `https://HOST/wp/v2/sites/SITE`; `route` has its place.

        :raises ConfigError: the address does not end with one site.
        """
        place = None if self.query else _one_site(self.path, route)
        if place is None:
            form = _form(route).replace("{site}", "SITE")
            raise _wrong("does not end with a site", f"write it as https://HOST{form}")
        if route.endswith(_NAMESPACE_LAST):
            # Then each path follows the address, that of the root as well.
            return self._replace(path=self.path.rstrip("/"))
        return self._replace(path=place[1], route=route.replace("{site}", place[2]))

    def join(self, path: str) -> str:
        """Give the full URL of a path of the interface, which begins with a slash and may have a query."""
        base = self.origin + self.path
        if self.route:
            namespace, rest = _PATH.findall(path)[0]
            return base + self.route.format(namespace=namespace or NAMESPACE, rest=rest)
        if not self.query:
            return base.rstrip("/") + path
        path, mark, query = path.partition("?")
        *others, (name, route) = self.query
        pairs = [*others, (name, route.rstrip("/") + path)]
        joined = f"{base}?" + "&".join(f"{quote(key)}={quote(value)}" for key, value in pairs)
        return f"{joined}&{query}" if mark else joined


def _form(route: str) -> str:
    """Give the end of the address of one site, with the place `{site}`."""
    return route.removesuffix(_NAMESPACE_LAST).replace("{namespace}", NAMESPACE).replace("{rest}", "")


def _one_site(path: str, route: str) -> re.Match[str] | None:
    """Find the folder before the route, and the site; None if the path does not end with one site."""
    before, _, after = _form(route).partition("{site}")
    return re.fullmatch(f"(.*){re.escape(before)}{_SITE}{re.escape(after)}/?", path)


def above_dashboard(url: str) -> str:
    """Give the address of the site of an address of its dashboard, which people copy; any other as it is."""
    return _DASHBOARD.sub("/", url)


def home_of(url: str, route: str = "") -> str:
    """Give the address of a site's pages, as far as the address of its interface shows it; maybe ""."""
    place = _one_site(path_of(url), route) if route else None
    if place is not None:
        return f"https://{place[2]}" if "." in place[2] else ""
    path = path_of(url).partition("/wp-json")[0].partition("/index.php")[0].rstrip("/")
    return f"{origin_of(url)}{path if '/wp-json' in url or '?' in url else ''}"


def parse(url: str) -> Address:
    """Check a base address (document, preamble: JSON route prefix included); ConfigError if it is invalid.

    No message repeats the address, because it may have a password in the wrong place.
    """
    # Python drops tabs and line breaks without an error, and parsers disagree about backslashes.
    if not url.isprintable() or any(c in url for c in " \\"):
        raise _wrong("has a blank, a backslash or a control character in it", "remove it")
    parts = split(url)
    if parts is None:
        raise _wrong("is not a well-formed address", "check its host and port")
    if parts.scheme not in {"http", "https"}:
        raise _wrong("does not begin with https:// or http://", "write it as https://example.org/wp-json")
    if parts.username is not None or parts.password is not None:
        raise _wrong(
            "has a user name or a password in it", "move them to PRESSYNC_USER and PRESSYNC_PASSWORD"
        )
    if not parts.hostname:
        raise _wrong("names no host", "write it as https://example.org/wp-json")
    if parts.fragment:
        raise _wrong("has a fragment (#…)", "remove it")
    bare = parts.hostname.lower()
    host = f"[{bare}]" if ":" in bare else bare
    return Address(
        scheme=parts.scheme,
        host=host if parts.port is None else f"{host}:{parts.port}",
        path=parts.path,
        query=_query(parts.query),
        loopback=is_loopback(bare),
    )


def _query(query: str) -> tuple[tuple[str, str], ...]:
    pairs = parse_qsl(query, keep_blank_values=True)
    if not pairs:
        return ()
    routes = [pair for pair in pairs if pair[0] == _ROUTE]
    if len(routes) != 1:
        # The document shows no query, and a token in a query would end up in manifests and logs.
        raise _wrong(f"has a query that is not `?{_ROUTE}=`", "remove it; a token belongs in PRESSYNC_TOKEN")
    return (*(pair for pair in pairs if pair[0] != _ROUTE), routes[0])


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _wrong(problem: str, todo: str) -> ConfigError:
    return ConfigError(f"the service's address (`url`) {problem}", todo=todo)
