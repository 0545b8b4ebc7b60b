"""Leads the addresses of a source to the files that the import writes or copies.

A tree of another tool links by address: `/docs/x/`, or `../x/` from the address of the page. pressync links
by file, so that a link is checked and survives a move. An address that is not known keeps its bytes, and so
does everything in code. `Uploads` are the files of a copy of `wp-content/uploads`, where an address of one of
the eight sizes of a picture means the original; `FolderFiles` are those of another tool's folder.
"""

from __future__ import annotations

import hashlib
import html
import posixpath
import re
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pressync.client.dialects import FILES
from pressync.content.render.links import ATTRIBUTES, with_links
from pressync.importing.sources.item import Form, Item, SourceFiles
from pressync.model.web_address import from_root, joined, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path


# A link to the item with a key: an importer writes it for a link of the tool's own syntax.
BY_KEY = "import:"

_KEY = re.compile(rf"{BY_KEY}([\w.~/%-]+)", re.ASCII)

_SAFE = "/-_.~!$'*+,;=@"
_QUERY_ID = re.compile(r"(?:p|page_id|post)=(\d{1,18})(?:&|\Z)")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_ENDING = re.compile(r"\.(?:md|markdown|mdx|html?)\Z", re.IGNORECASE)
_TAG = rf"(?P<tag><(?:{'|'.join(ATTRIBUTES)})\b[^<>]*>|<[a-z][^<>]*?\sstyle\s*=[^<>]*?\burl\([^<>]*>)"
# Other sizes of a picture. The new site makes its own of a picture that it has.
_SIZES = re.compile(r"""\s(?:srcset|sizes)\s*=\s*(?:"[^"<>]*"|'[^'<>]*')""", re.IGNORECASE)
_RAW = r"<(?P<raw>script|style|textarea)\b.*?(?:</(?P=raw)\s*>|\Z)"
# WordPress alone reads these: the comment of a block, and a shortcode with attributes.
_OF_WORDPRESS = r"<!--(?P<block>\s+wp:.*?)(?:-->|\Z)|\[(?P<shortcode>[a-z][\w-]{0,60}\s[^\[\]<>]{1,2000})\]"
_HTML = re.compile(
    rf"{_OF_WORDPRESS}|<!--.*?(?:-->|\Z)|{_RAW}|{_TAG}", re.VERBOSE | re.DOTALL | re.IGNORECASE
)
_ADDRESS = re.compile(r"(?:(?:https?:)?//|(?<=[\"'])/)[^\s\"'<>\\]{1,2000}", re.IGNORECASE)
# Code comes first, so that its links are skipped. Each alternative is bounded.
_MARKDOWN = re.compile(
    rf"""
      ^[ \t>]*(?P<fence>`{{3,}}|~{{3,}}).*?(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)
    | (?<![`\\])(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).){{1,1000}}?(?<!`)(?P=ticks)(?!`)
    | <!--.*?(?:-->|\Z)
    | {_RAW}
    | {_TAG}
    | (?P<inline>\]\([ \t]*)
      (?P<target><[^<>\n]*>
        | (?:[^\s()<>\\]|\\.){{1,2000}}(?:\([^\s()]{{0,500}}\)[^\s()]{{0,500}}){{0,3}})(?=[ \t\n)])
    | ^(?P<named>[ ]{{0,3}}\[(?!\^)[^\]\n]{{1,500}}\]:[ \t]*)(?P<named_target><[^<>\n]*>|\S+)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class LinkTargets:
    """The paths of all items: by key, by old address, by id, and by the file in the source.

    `addresses` are the old ones, by key. `origin` is the public address of the source; `file_of` gives
    the path of a file like a picture, and `stay` gets the address of one to which no file leads. `gone` are
    the old addresses of what is left out.
    """

    origin: str
    by_key: Mapping[str, str]
    addresses: dict[str, str] = field(default_factory=dict)
    by_address: dict[str, str] = field(default_factory=dict)
    by_id: dict[int, str] = field(default_factory=dict)
    by_file: dict[str, list[str]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    file_of: Callable[[str], str | None] = lambda _address: None
    stay: Callable[[str], None] = lambda _address: None

    def learn(self, items: Iterable[Item], gone: Iterable[str] = ()) -> None:
        """Learn the addresses of items; where two items have one address, the first of them has it."""
        self.gone.update(map(_plain, gone))
        known = [(item, self.by_key[item.key]) for item in items if item.key in self.by_key]
        for item, path in known:
            if item.id is not None:
                self.by_id.setdefault(item.id, path)
            if item.address:
                self.addresses[item.key] = item.address
                self.by_address.setdefault(_plain(item.address), path)
            self.by_file.setdefault(_ENDING.sub("", item.place.path), []).append(path)
        for item, path in known:
            for alias in item.aliases:
                self.by_address.setdefault(_plain(alias), path)

    def redirect(self, addresses: Mapping[str, Iterable[str]]) -> None:
        """Learn further addresses, by the paths of the pages to which they lead."""
        for path, olds in addresses.items():
            for old in olds:
                self.by_address.setdefault(_plain(old), path)

    def link(self, item: Item, written: str) -> str | None:
        """Give the relative link for what a body of this item has written; None if it stays."""
        here = posixpath.dirname(self.by_key[item.key])
        before, hash_, fragment = written.partition("#")
        if not before:
            return None
        path, query = self._target(item, before)
        if path is None:
            return None
        if path == self.by_key[item.key] and fragment and not query:
            return f"#{fragment}"
        relative = quote(posixpath.relpath(path, here or "."), safe=_SAFE)
        return f"{relative}{'?' if query else ''}{query}{hash_}{fragment}"

    def page_at(self, address: str) -> str | None:
        """Give the path of the page at an old address of the source; None if it has none."""
        own = self._from_root(address) if "//" in address else address
        return self.by_address.get(_plain(own)) if own else None

    def link_from_root(self, item: Item, written: str) -> str | None:
        """Give the address from the root for a relative link to what is left out, else what `link` gives.

        The new page may have another folder, and the link would lead elsewhere.
        """
        link = self.link(item, written)
        if link is not None or written.startswith(("/", "#")) or _SCHEME.match(written):
            return link
        address = self.address_of(item, written)
        return address if address and _plain(address.partition("#")[0]) in self.gone else None

    def stays(self, item: Item, written: str) -> None:
        """Note the address of a file that a text shows, and that no link to a file can replace."""
        whole = written if "//" in written else ""
        if address := self.address_of(item, written) or whole:
            self.stay(address)

    def without_keys(self, item: Item, text: str) -> str:
        """Write an address for each key outside of a link, as the tool does in code and in text."""
        return _KEY.sub(lambda found: self._spelled(item, found), text) if BY_KEY in text else text

    def _spelled(self, item: Item, found: re.Match[str]) -> str:
        # A sentence, or the path of an address, may go on behind the key.
        written = found[1].rstrip("/.")
        key = next((key for key in map(unquote, (found[1], written)) if key in self.by_key), None)
        if key is None:
            return found[0]
        after = found[1][len(written) :] if key == unquote(written) else ""
        return f"{self.addresses.get(key) or self.link(item, BY_KEY + quote(key))}{after}"

    def address_of(self, item: Item, written: str) -> str | None:
        """Give the address from the root of the host; None if it is elsewhere, or not known."""
        if _SCHEME.match(written) or written.startswith("//"):
            return self._from_root(written)
        if written.startswith("/"):
            return written
        return joined(item.address, written) if item.address else None

    def _from_root(self, address: str) -> str | None:
        """Give the address from the root of the host for a whole one of the source; None for another one."""
        parts, origin = split(address), split(self.origin)
        if parts is None or origin is None or parts.scheme not in {"http", "https", ""}:
            return None
        is_own = origin.netloc and _host(parts.netloc) == _host(origin.netloc)
        return from_root(address) if is_own else None

    def _target(self, item: Item, written: str) -> tuple[str | None, str]:
        """Find the path that an address without a fragment means, and the query that stays in the link."""
        if written.startswith(BY_KEY):
            bare, _, query = written.removeprefix(BY_KEY).partition("?")
            return self.by_key.get(unquote(bare)) or self.by_key.get(unquote(bare.rstrip("/"))), query
        address = self.address_of(item, written)
        if address is not None:
            bare, _, query = address.partition("?")
            if number := _QUERY_ID.match(query):
                return self.by_id.get(int(number[1])), ""
            if found := self.by_address.get(_plain(bare)):
                return found, query
            if found := self.file_of(unquote(bare)):
                return found, ""
        if _SCHEME.match(written) or written.startswith(("/", "?")):
            # The source may have its pictures on other hosts, too.
            return (self.file_of(written) if address is None and "//" in written else None), ""
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(item.place.path), unquote(written)))
        pages = self.by_file.get(_ENDING.sub("", beside)) or self.by_file.get(f"{beside}/index") or []
        here = self.by_key[item.key]
        if pages and len(self.by_file.get(_ENDING.sub("", item.place.path), ())) > 1:
            # A file that is a page in several languages links to the page of its own language.
            same = posixpath.normpath(posixpath.join(posixpath.dirname(here), unquote(written)))
            pages = [each for each in self.by_key.values() if each == same] or pages
        nearest = min(
            pages,
            key=lambda there: (-len(posixpath.commonpath([here, there])), there.count("/")),
            default=None,
        )
        return nearest or self.file_of(f"/{beside.lstrip('/')}"), ""


def rewritten(
    text: str,
    form: Form,
    link: Callable[[str], str | None],
    stays: Callable[[str], None] = lambda _written: None,
) -> str:
    """Replace the links of a body by what `link` gives for each; None leaves a link as it is.

    `stays` gets each address of a file that a sync cannot replace: those that only WordPress reads.
    """
    attribute = partial(_attribute, link, stays)
    if form is Form.MARKDOWN:
        return _MARKDOWN.sub(partial(_markdown, link, attribute), text)
    return _HTML.sub(attribute, text)


def _markdown(
    link: Callable[[str], str | None], attribute: Callable[[re.Match[str]], str], found: re.Match[str]
) -> str:
    if found["tag"]:
        return attribute(found)
    start, target = (found["inline"] or found["named"]), (found["target"] or found["named_target"])
    if not start:
        return found[0]
    written = target[1:-1] if target.startswith("<") else re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", target)
    new = link(html.unescape(written))
    if new is None:
        return found[0]
    # Markdown reads all of a target with these only in angle brackets.
    return f"{start}<{new}>" if re.search(r"[()\s]", new) else start + new


def _attribute(link: Callable[[str], str | None], stays: Callable[[str], None], found: re.Match[str]) -> str:
    if not found["tag"]:
        inner = found.groupdict()
        for address in _ADDRESS.findall(
            (inner.get("block") or inner.get("shortcode") or "").replace("\\/", "/")
        ):
            stays(html.unescape(address))
        return found[0]
    written, bare = found["tag"], _SIZES.sub("", found["tag"])

    def linked(address: str) -> str | None:
        return link(address.strip())

    made = with_links(bare, linked) if bare != written and bare[:4].lower() == "<img" else bare
    return made if made != bare else with_links(written, linked)


def _plain(address: str) -> str:
    """Give one spelling for the addresses of one page: `/x`, `/x/`, `/x.html` and `/x/index.html`."""
    path = unquote(address.partition("?")[0])
    path = re.sub(r"/index\.html?\Z|\.html\Z", "/", path)
    return f"/{path.strip('/')}".casefold()


def _host(netloc: str) -> str:
    return netloc.rpartition("@")[2].lower().removeprefix("www.")


# The folder of uploads, wherever WordPress is installed.
_UPLOADS = re.compile(r"(?:^|/)wp-content/uploads/(?=[^/])")
_PHOTON = re.compile(r"i[0-9]\.wp\.com")
# The end of the name of a size, and of a picture that WordPress made smaller or turned after the upload.
_SIZE = re.compile(r"-\d{1,5}x\d{1,5}\Z", re.ASCII)
_EDITED = re.compile(r"-(?:scaled|rotated)\Z")
_FOLDER = "media"


class Uploads(SourceFiles):
    """The uploads of one site: which files the texts need, and which of them are missing."""

    def __init__(self, folder: Path | None, origin: str, addresses: Iterable[str] = ()) -> None:
        """`folder` is the copy, or None; `origin` is the scheme and the host of the site.

        The hosts of the `addresses` have uploads of the site as well.
        """
        super().__init__()
        uploads = folder / "uploads" if folder is not None else None
        # People also copy the folder around it.
        self._folder = uploads if uploads is not None and uploads.is_dir() else folder
        self._origin = origin
        parts = [split(address) for address in (origin, *addresses)]
        self._hosts = {_host(part.netloc) for part in parts if part}
        self._by_digest: dict[str, str] = {}
        self._missing: dict[str, None] = {}
        self._asked: dict[str, str | None] = {}

    def file_of(self, address: str) -> str | None:
        """Find a file, or the original of a picture, by its full address or from the root of the host."""
        inner = self._inner(address)
        if inner is None:
            return None
        if inner not in self._asked:
            self._asked[inner] = None
            if found := self._find(inner):
                name, file = found
                with file.open("rb") as data:
                    digest = hashlib.file_digest(data, "sha256").hexdigest()
                copied = self._by_digest.setdefault(digest, f"{_FOLDER}/{name}")
                self._copies.setdefault(copied, file)
                self._asked[name] = self._asked[inner] = copied
            else:
                self._note(address, original=True)
        return self._asked[inner]

    def path_of(self, address: str) -> str | None:
        """Give the path of a file that was asked for; another address is not looked up."""
        inner = self._inner(address)
        found = self._find(inner) if inner is not None and self._copies else None
        return self._asked.get(found[0]) or self._asked.get(inner or "") if found else None

    def stay(self, address: str) -> None:
        """Note a file whose address stays in a text, if it is one of the site."""
        if self._inner(address) is not None:
            self._note(address, original=False)

    def _note(self, address: str, *, original: bool) -> None:
        host, path = self._place(address) or ("", "")
        names = (_original_names(path)[0], path) if original else (path,)
        origin = self._origin if host in {"", self._host} else f"https://{host}"
        self._missing.update(dict.fromkeys(f"{origin}{quote(name)}" for name in names))

    def missing(self) -> list[str]:
        """Give the full addresses of the files that were asked for and are not in the copy."""
        return sorted(self._missing)

    @property
    def _host(self) -> str:
        parts = split(self._origin)
        return _host(parts.netloc) if parts else ""

    def _place(self, address: str) -> tuple[str, str] | None:
        """Give the host and the path of an address, "" for the own host; None if the host is another one."""
        parts = split(address)
        if parts is None:
            return None
        host, path = _host(parts.netloc), unquote(parts.path)
        if _PHOTON.fullmatch(host):
            # WordPress.com shows a picture of any site at an address that has the other one in its path.
            host, _, path = path.strip("/").partition("/")
            host, path = _host(host), f"/{path}"
        return (host, path) if not host or host in self._hosts else None

    def _inner(self, address: str) -> str | None:
        """Give the path of an address below the folder of uploads; None if it is not there."""
        if (place := self._place(address)) is None:
            return None
        host, path = place
        found = _UPLOADS.search(path)
        # A host for files alone has their paths from its root, as those of WordPress.com.
        below = path.lstrip("/") if host not in {"", self._host} else ""
        below = path[found.end() :] if found else below
        inner = posixpath.normpath(below)
        ending = posixpath.splitext(inner)[1][1:].lower()
        return None if inner.startswith((".", "/")) or "\0" in inner or ending not in FILES else inner

    def _find(self, inner: str) -> tuple[str, Path] | None:
        """Find the original of a file, or else the file itself; a link to the outside is not read."""
        if self._folder is None:
            return None
        root = self._folder.resolve()
        for name in _original_names(inner):
            # Python 3.11 raises RuntimeError for a link that leads to itself.
            with suppress(OSError, RuntimeError):
                file = (root / name).resolve()
                if file.is_relative_to(root) and file.is_file():
                    return name, file
        return None


def _original_names(path: str) -> list[str]:
    """Give the names that the original of a picture may have, the likeliest first, and the name itself."""
    stem, ending = posixpath.splitext(path)
    base = _SIZE.sub("", stem)
    names = [_EDITED.sub("", base), base, f"{base}-scaled", stem]
    return list(dict.fromkeys(f"{name}{ending}" for name in names))


# Files that are pages, programs or styles of the old site; a link to them stays as it is.
_NOT_MEDIA = (
    ".html",
    ".htm",
    ".md",
    ".markdown",
    ".mdx",
    ".js",
    ".css",
    ".php",
    ".xml",
    ".txt",
    ".json",
    ".map",
)


class FolderFiles(SourceFiles):
    """The files of another tool's folder; `files` has them by address.

    `moved` are a folder of the source and its address, for tools whose pages link to the files beside them.
    A text shows a file of the site where its link leads `below` an address, whether it is here or not.
    """

    def __init__(
        self, files: Mapping[str, Path], moved: tuple[str, str] = ("", ""), *, below: str = ""
    ) -> None:
        super().__init__()
        self._moved, self._below = moved, below
        self._left: set[str] = set()
        self._files = {path: file for path, file in files.items() if not path.lower().endswith(_NOT_MEDIA)}

    def stay(self, address: str) -> None:
        """Note a file whose address stays in a text."""
        path = _asked_path(address)
        if path in self._files or (self._below and path.startswith(self._below)):
            self._left.add(path)

    def missing(self) -> list[str]:
        """Give the addresses that stay, from the root of the host."""
        return sorted(self._left)

    def has(self, address: str) -> bool:
        """Tell whether a file has this address; nothing is copied for it."""
        return _asked_path(address) in self._files

    def file_of(self, address: str) -> str | None:
        """Find a file by its address, or by its path in the folder that the tool moves."""
        path = _asked_path(address)
        folder, above = self._moved
        if path not in self._files and folder and path.startswith(f"{folder}/"):
            path = f"{above}{path.removeprefix(folder)}"
        if path not in self._files:
            self.stay(address)
            return None
        inner = f"media{path}"
        self._copies[inner] = self._files[path]
        return inner


def _asked_path(address: str) -> str:
    return posixpath.normpath(f"/{unquote(address).partition('?')[0].lstrip('/')}")
