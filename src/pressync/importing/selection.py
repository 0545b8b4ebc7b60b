"""Chooses which items of a source get a file, and where. Pure.

A person wants a part of a source by its old addresses. The paths are those of an import of the whole source,
so two imports of two parts fit together. An importer that knows a path says so. For the others, the folders
of a page are its parents, and the name is its slug. Two items never get one file, also on a disk that does
not tell `A` from `a`.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.content.documents import name_and_date
from pressync.content.sources import INDEXES, below, folder_parent, place_of, readmes, stem
from pressync.importing.sources.item import Item, LeftOut, OwnSite
from pressync.model.bounds import names_git
from pressync.model.errors import ConfigError
from pressync.model.interface import DOCUMENTED_TYPES, TREE_KIND, SiteTypes
from pressync.model.web_address import from_root

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence


OUTSIDE = "outside of --under"
EXCLUDED = "below --without"
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Part:
    """The addresses whose items are taken, all of them without any, and those whose items are left out.

    An address has all addresses below it. Each is a path from the root of the host, or a whole address.
    """

    under: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def refusal(self, item: Item, address: str) -> LeftOut | None:
        """Say why an item does not belong to the part; None if it does. `address` is its own or one above."""
        if _is_below(address, self.without):
            return _left_out(EXCLUDED, item, f"it is below {_names(self.without)}")
        if self.under and not address:
            return _left_out(OUTSIDE, item, "it has no address yet")
        if not self.has(address):
            return _left_out(OUTSIDE, item, f"its address is not below {_names(self.under)}")
        return None

    def has(self, address: str) -> bool:
        """Tell whether an address belongs to the part."""
        is_wanted = not self.under or _is_below(address, self.under)
        return is_wanted and not _is_below(address, self.without)

    def check(self, addresses: Iterable[str]) -> None:
        """Refuse a part that has none of these addresses, and name the ones that there are.

        :raises ConfigError: nothing belongs to the part, or a person named an empty address.
        """
        for flag, named in (("--under", self.under), ("--without", self.without)):
            if not all(map(str.strip, named)):
                raise ConfigError("the address is empty", where=flag, todo="name an address, like /docs/")
        found = [address for address in addresses if address]
        if not self.under or any(map(self.has, found)):
            return
        if any(_is_below(address, self.under) for address in found):
            raise ConfigError(
                f"it leaves out every page and post below {_names(self.under)}",
                where="--without",
                todo="leave out less",
            )
        first = Counter(f"/{address.strip('/').partition('/')[0]}/" for address in found)
        shown = ", ".join(f"{name} ({count})" for name, count in first.most_common(_SHOWN))
        raise ConfigError(
            f"no page or post has an address below {_names(self.under)}",
            where="--under",
            todo=f"name one of those that there are: {shown}" if shown else "import the whole source",
        )


def _left_out(kind: str, item: Item, why: str) -> LeftOut:
    return LeftOut(kind, item.place, why, item.address, is_wanted=True)


def _names(addresses: Iterable[str]) -> str:
    return " or ".join(addresses)


def _is_below(address: str, above: Iterable[str]) -> bool:
    path = _path(address)
    # There is nothing below a query.
    return bool(address) and any(
        path == each or ("?" not in each and path.startswith(each)) for each in map(_path, above)
    )


def _path(address: str) -> str:
    """Give one spelling for the addresses of one page; a query is a part of a folder's name."""
    path, mark, query = (from_root(address) or "").partition("?")
    query = f"{mark}{query}"
    inner = unquote(path).strip("/").casefold()
    return f"/{inner}/{query}" if inner else f"/{query}"


# The kinds of records that are not for this repository: they had a file here once, or have another manifest.
FORGOTTEN, OTHERS = "forgotten here", "of another manifest"


@dataclass(frozen=True, slots=True)
class Selection:
    """The keys of the `wanted` items, and the items that are left out.

    `paths` are those of all items that have a file afterwards, by key. `fresh` are the places of the wanted
    items of the own site that no file here had before; it is empty for the first import.
    """

    wanted: frozenset[str]
    paths: Mapping[str, str]
    left_out: tuple[LeftOut, ...]
    fresh: tuple[str, ...]


def select(
    items: Sequence[Item],
    content: str,
    part: Part,
    own: OwnSite | None,
    has_file: Callable[[str], bool],
    *,
    forgotten: bool,
) -> Selection:
    """Choose among the items; `own` is the own site if it is the source. With `forgotten`, take those, too.

    :raises ConfigError: nothing belongs to the part.
    """
    part.check(item.address for item in items)
    by_key = chosen_paths(items, content)
    places = _own_or_above(items)
    refused = {item.key: refusal for item in items if (refusal := part.refusal(item, places[item.key]))}
    # Such an item has neither an entry with a file nor a file at its place.
    new = {
        (item.kind, item.id): item
        for item in items
        if own and item.id and not item.path and item.key not in refused and not has_file(by_key[item.key])
    }
    for record, (kind, why) in (own.not_ours(new.keys()) if own and new else {}).items():
        if not (forgotten and kind == FORGOTTEN):
            item = new.pop(record)
            refused[item.key] = _left_out(kind, item, why)
    # The first import finds no file.
    is_first = not any(item.path for item in items)
    paths = {key: path for key, path in by_key.items() if key not in refused or has_file(path)}
    return Selection(
        frozenset(by_key.keys() - refused.keys()),
        paths,
        tuple(refused[item.key] for item in items if item.key in refused),
        () if is_first else tuple(str(item.place) for item in new.values()),
    )


def _own_or_above(items: Sequence[Item]) -> dict[str, str]:
    """Give the address of each item; one that is not published gets the nearest address above it."""
    sources = {item.key: item for item in items}
    found: dict[str, str] = {}
    for item in items:
        line: list[str] = []
        above: Item | None = item
        while above is not None and above.key not in found:
            found[above.key] = above.address
            line.append(above.key)
            above = None if above.address else sources.get(above.parent)
        if line and above is not None:
            found |= dict.fromkeys(line, found[above.key])
    return found


# A file name has at most 255 bytes. The ending and a number need some of them.
_LONGEST = 200
_LONGEST_ENDING = 20
# macOS takes 1,024 bytes for a whole path. A page of a longer one is at the top, and names its parent.
_LONGEST_PATH = 800
# A page below more pages than this has no certain address.
_DEEPEST = 100
_NOT_IN_NAMES = re.compile(r'[\x00-\x20\x7f-\x9f\ud800-\udfff/\\:*?"<>|#%]+')
_CERTAIN = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*", re.ASCII)


def chosen_paths(items: Sequence[Item], content: str) -> dict[str, str]:
    """Give the path from the repository's root for the key of each item; `content` is the content folder."""
    by_key = {item.key: item for item in items}
    parents = {item.parent for item in items if item.parent in by_key}
    found: dict[str, str] = {}
    names: dict[str, str] = {}
    for item in items:
        slug = slug_of(item)
        # The page of a folder has the name of an index.
        names[item.key] = f"{slug}-{item.kind}" if slug in INDEXES else slug
    free = _FreeNames()
    for item in items:
        path = _wanted_path(item, by_key, names, is_parent=item.key in parents)
        found[item.key] = posixpath.join(content, free.take(path))
    return found


def parents(
    items: Iterable[Item],
    paths: Mapping[str, str],
    content: str,
    types: SiteTypes = DOCUMENTED_TYPES,
    *,
    by_id: bool = False,
) -> dict[str, str | int]:
    """Give, by key, the parent that front matter must name, because the folders give another one.

    With `by_id` the site is the own one, and a parent without a file keeps its id.
    """
    pages = {paths[item.key] for item in items if item.kind.row.hierarchical}
    own = readmes(pages)
    found: dict[str, str | int] = {}
    for item in items:
        if item.kind.row.hierarchical:
            wanted = paths.get(item.parent)
            by_folder = folder_parent(paths[item.key], pages, content, types, own)
            if item.parent and wanted is None and by_id:
                # A person may have moved the file below another page.
                if not (item.path and by_folder):
                    found[item.key] = int(item.parent.rpartition(" ")[2])
            elif not item.path and wanted != by_folder:
                found[item.key] = wanted or 0
    return found


def addresses(
    items: Sequence[Item],
    paths: Mapping[str, str],
    content: str,
    named: Mapping[str, str | int],
    types: SiteTypes = DOCUMENTED_TYPES,
    *,
    folders: bool,
) -> dict[str, str]:
    """Give, by key, the address that each page will certainly have; the site decides about those of posts.

    `named` are the parents that front matter names. Nobody here knows the address below the id of one.
    A folder without a page is in an address only with `folders`, which is the setting `folders = "pages"`.
    """
    # The permalinks of a type decide about its addresses.
    pages = {paths[item.key]: item for item in items if item.kind == TREE_KIND}
    of_folders = readmes(pages)
    roots = {posixpath.join(content, folder) for folder in ("", *types.folders)}

    def above(path: str) -> str | int | None:
        return named.get(pages[path].key, folder_parent(path, pages, content, types, of_folders))

    def names(path: str) -> list[str]:
        parent, by_folder = above(path), folder_parent(path, pages, content, types, of_folders)
        between: list[str] = []
        folder, above_it = (_place(place_of(each, of_folders)) for each in (path, by_folder or ""))
        folder = posixpath.dirname(folder)
        while folders and parent == by_folder and folder not in roots and folder != above_it:
            between.insert(0, posixpath.basename(folder))
            folder = posixpath.dirname(folder)
        own, _ = name_and_date(below(place_of(path, of_folders), content), TREE_KIND, types)
        return [*between, unquote(pages[path].slug) or "-".join(own.lower().split())]

    known = _joined(pages, above, names)
    found = {}
    for path, item in pages.items():
        parts = [] if _place(place_of(path, of_folders)) in roots else known[path]
        # A site makes another slug of a name with other characters, like `v3-5` of `v3.5`.
        if parts is not None and all(map(_CERTAIN.fullmatch, parts)):
            found[item.key] = "/" + "".join(f"{part}/" for part in parts)
    return found


def _joined(
    pages: Collection[str], above: Callable[[str], str | int | None], names: Callable[[str], list[str]]
) -> dict[str, list[str] | None]:
    """Give each page the names of the pages above it and its own; None for one that nobody here knows.

    `above` gives the parent of a page: its path, its id, or neither. Each page is looked at once, because a
    stranger can make a line of all pages, or a circle.
    """
    known: dict[str, list[str] | None] = {}
    for page in pages:
        line: list[str] = []
        here: str | int | None = page
        while isinstance(here, str) and here in pages and here not in known:
            known[here] = None
            line.append(here)
            here = above(here)
        found: list[str] | None = None if here else []
        found = known.get(here) if isinstance(here, str) else found
        for path in reversed(line):
            found = None if found is None or len(found) > _DEEPEST else [*found, *names(path)]
            known[path] = found
    return known


def _place(path: str) -> str:
    """Give the folder that a page stands for: its own for an index, else that of its name."""
    return posixpath.dirname(path) if stem(path) in INDEXES else posixpath.splitext(path)[0]


def slug_of(item: Item) -> str:
    """Give an item's slug as people read it, or make one of its title, or of its key."""
    slug = _file_part(unquote(item.slug))
    return (
        slug
        or _file_part(re.sub(r"[^\w.-]+", "-", item.title.lower())[:80])
        or _file_part(f"{item.kind}-{item.key}")
    )


_NOT_IN_SLUGS = re.compile(r"[^\w\s%-]")


def plain_slug(name: str) -> str:
    """Make a slug of a name as WordPress does: it leaves signs out, and a dot becomes a hyphen."""
    return re.sub(r"[\s-]+", "-", _NOT_IN_SLUGS.sub("", name.lower().replace(".", "-"))).strip("-")


def own_slugs(items: Iterable[Item], paths: Mapping[str, str]) -> dict[str, str]:
    """Give a slug with a number, by key, to each page whose name becomes the slug of a page beside it.

    WordPress makes `a` of `~a`, and which of two pages got the number was decided by the order of the sync.
    """
    beside: dict[tuple[str, str], dict[str, list[str]]] = {}
    for item in items:
        place = _place(paths[item.key])
        name = unquote(item.slug) or posixpath.basename(place)
        if item.kind.row.hierarchical and (slug := plain_slug(name)):
            names = beside.setdefault((posixpath.dirname(place), slug), {})
            names.setdefault(name.lower(), []).append(item.key)
    found: dict[str, str] = {}
    for (folder, slug), names in beside.items():
        number = 2
        # The page that has this name keeps it, else the first one.
        for name in [*(names.keys() & {slug}), *sorted(names.keys() - {slug})][1:]:
            while (folder, f"{slug}-{number}") in beside:
                number += 1
            found |= dict.fromkeys(names[name], f"{slug}-{number}")
            number += 1
    return found


def _wanted_path(item: Item, by_key: Mapping[str, Item], names: Mapping[str, str], *, is_parent: bool) -> str:
    # A slug like `..` does not name a file.
    named = item.path if posixpath.basename(item.path).removesuffix(".md").strip(".") else ""
    path = "/".join(filter(None, (_part(part) for part in named.split("/"))))
    if path and _fits(path):
        return path
    folder = item.kind.row.folder
    if not item.kind.row.hierarchical:
        return f"{folder}/{names[item.key]}.md"
    if item.address == "/":
        return f"{folder}/index.md"
    ending = "/index.md" if is_parent else ".md"
    path = own = names[item.key]
    seen, above = {item.key}, by_key.get(item.parent)
    while above is not None and above.key not in seen and above.address != "/":
        seen.add(above.key)
        path = f"{names[above.key]}/{path}"
        if not _fits(path):
            return f"{folder}/{own}{ending}"
        above = by_key.get(above.parent)
    return f"{folder}/{path}{ending}"


def _fits(path: str) -> bool:
    return len(path.encode()) <= _LONGEST_PATH


def _file_part(text: str) -> str:
    """Give a text as the name of a file; it may be empty."""
    name = _NOT_IN_NAMES.sub("-", unicodedata.normalize("NFC", text)).strip("-. ")
    name = name.encode()[:_LONGEST].decode(errors="ignore").rstrip("-. ")
    return name.replace("~", "-") if names_git(name) else name


def _part(part: str) -> str:
    """Give one part of a path that an importer wants; a part of dots would lead out of the folder."""
    stem, ending = posixpath.splitext(part)
    if len(ending) > _LONGEST_ENDING:
        stem, ending = part, ""
    ending = _file_part(ending)
    leading = "_" if stem.startswith("_") else ""
    name = f"{leading}{_file_part(stem.removeprefix('_'))}{'.' if ending else ''}{ending}"
    return name if stem.strip(".") else ""


class _FreeNames:
    """The paths that items have; two paths that differ in their case are one on some disks."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        # The next number for a path, because a stranger can give thousands of items one path.
        self._numbers: dict[str, int] = {}

    def take(self, path: str) -> str:
        """Give the path, with a number if another item has it."""
        stem, ending = posixpath.splitext(path)
        number, free = self._numbers.get(path.casefold(), 2), path
        while free.casefold() in self._taken:
            free, number = f"{stem}-{number}{ending}", number + 1
        self._numbers[path.casefold()] = number
        self._taken.add(free.casefold())
        return free
