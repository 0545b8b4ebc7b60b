"""Finds the notes and files that the links of an Obsidian vault mean, by the names in one tree.

Obsidian writes the shortest path that names one file. So a new, moved or removed file changes the meaning of
links in notes that nobody edited. A note that links to a name depends on the list of all files of that name.
The list is one of its links, in the form `[[name]]`. The digest of the list stands in the place of an
address.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import defaultdict
from functools import cache, cached_property
from typing import TYPE_CHECKING

from pressync.model.bounds import PAGE, FileTooLarge
from pressync.model.fingerprint import small_digest
from pressync.repo.discover import EMPTY_BLOB, ReadAtPath

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pressync.config.settings import Settings

OBSIDIAN = "obsidian"
_NOTE = ".md"
# The beginning of a note in which aliases are looked for.
_HEAD = 16 * 1024
_ALIASES = re.compile(
    r"^aliases:[ \t]*(?:\[(?P<row>[^\[\]]*)\]|(?P<one>[^\s\[\]][^\n]*))?[ \t]*\n"
    r"(?P<list>(?:[ \t]*-[ \t]+[^\n]*\n)*)",
    re.MULTILINE,
)
_ITEM = re.compile(r"[ \t]*-[ \t]+([^\n]*)\n")


def root_of(settings: Settings) -> str:
    """Give the folder of the vault with a slash at its end; "" for the root of the repository."""
    parts = f"{settings.content}/{settings.markdown.vault}".split("/")
    return "".join(f"{part}/" for part in parts if part not in {"", "."})


def is_in_vault(path: str, settings: Settings) -> bool:
    """Tell whether a file of the tree is one of the vault, and not hidden as `.obsidian` and `.trash` are."""
    if settings.markdown.dialect != OBSIDIAN:
        return False
    root = root_of(settings)
    return path.startswith(root) and "/." not in f"/{path[len(root) :]}"


def as_link(name: str) -> str:
    """Give the link that stands for the list of all files of a name."""
    return f"[[{name}]]"


def is_name(link: str) -> bool:
    """Tell whether a link of a record stands for a name, and not for a path."""
    return link.startswith("[[") and link.endswith("]]")


def _folded(text: str) -> str:
    # Case does not count, and macOS may write an accent as a character of its own.
    folded = unicodedata.normalize("NFC", text).lower()
    return folded if folded.isprintable() else "".join(filter(str.isprintable, folded))


def _name_of(path: str) -> str:
    return _folded(posixpath.basename(path)).removesuffix(_NOTE)


def alike(paths: Iterable[str], others: Iterable[str]) -> set[str]:
    """Give the paths whose file has the name of one of the others."""
    names = set(map(_name_of, others))
    return {path for path in paths if _name_of(path) in names}


def _is(path: str, wanted: str, *, end: bool = False) -> bool:
    """Compare paths without case; the wanted path may lack the ending of a note."""
    compared, there = _folded(path), _folded(wanted)
    names = (there,) if there.endswith(_NOTE) else (there, f"{there}{_NOTE}")
    return compared.endswith(names) if end else compared in names


class Vault:
    """The vault of one tree: the names of its files, and the aliases that its notes give themselves."""

    def __init__(self, files: Mapping[str, str], read: ReadAtPath, settings: Settings) -> None:
        """Take the blobs of a tree by path, and the function that reads one."""
        self._files, self._read, self._settings = files, read, settings
        self._root = root_of(settings)
        by_name: defaultdict[str, list[str]] = defaultdict(list)
        for path, blob in files.items():
            if blob != EMPTY_BLOB and is_in_vault(path, settings):
                by_name[_name_of(path)].append(path)
        self._paths = {name: sorted(ps, key=lambda path: (len(path), path)) for name, ps in by_name.items()}
        self._digest_of_name = cache(self._digest)
        self._shortest = cache(self._found)
        self._former: tuple[Mapping[str, str], Vault] | None = None

    def has(self, path: str) -> bool:
        """Tell whether a document is a note of the vault."""
        return is_in_vault(path, self._settings)

    def find(self, written: str, document: str) -> tuple[str | None, tuple[str, ...]]:
        """Give the path that a link means, by a name or an alias; and the links on which that depends."""
        depends = as_link(_name_of(written))
        if path := self._named(written, document):
            return path, (depends,)
        path = self._by_alias.get(_folded(written))
        return path, (depends, as_link(f"={path}")) if path else (depends,)

    def meant(self, written: str, document: str, renamed: Mapping[str, str]) -> Iterator[str]:
        """Give the paths that a broken link may mean: that of a renamed file, and that from the root."""
        # One run asks with one mapping, for each broken link.
        if self._former is None or self._former[0] is not renamed:
            self._former = renamed, Vault(renamed, self._read, self._settings)
        if former := self._former[1]._named(written, document):  # noqa: SLF001 - another one of this class
            yield former
        at_root = posixpath.normpath(f"{self._root}{written.lstrip('/')}")
        if not at_root.startswith("../"):
            yield at_root

    def digest(self, link: str) -> str:
        """Give the digest of the files of a name, or the blob of a note whose alias is used."""
        path = link[3:-2]
        return self._files.get(path, "") if link.startswith("[[=") else self._digest_of_name(link)

    def aliases(self, path: str) -> Iterator[str]:
        """Give the aliases in the front matter of a note; a note that cannot be read has none."""
        try:
            text = self._read(path, self._files[path], PAGE)[:_HEAD].decode(errors="replace")
        except (FileTooLarge, KeyError):
            return
        text = text.replace("\r\n", "\n")
        end = text.find("\n---", 3)
        match = _ALIASES.search(text, 0, end + 1) if text.startswith("---\n") and end > 0 else None
        if match:
            row = (match["row"] or "").split(",") or ()
            for alias in (*row, *_ITEM.findall(match["list"]), match["one"] or ""):
                if name := alias.strip(" \t\n\"'"):
                    yield name

    def links_to_aliases(self, path: str) -> Iterator[str]:
        """Give the links that notes have which use an alias of this note, or may use it from now on."""
        return (as_link(_name_of(alias)) for alias in self.aliases(path)) if self.has(path) else iter(())

    def _named(self, written: str, document: str) -> str | None:
        folder = posixpath.dirname(document)
        if not written.startswith(("./", "../")):
            return self._shortest(_folded(written.strip("/")), written.startswith("/"), f"{folder}/")
        place = posixpath.normpath(posixpath.join(folder, written))
        return next((path for path in self._paths.get(_name_of(place), ()) if _is(path, place)), None)

    def _digest(self, link: str) -> str:
        return small_digest("\n".join(self._paths.get(link[2:-2], ())).encode(errors="surrogateescape"))

    def _found(self, wanted: str, from_root: bool, folder: str) -> str | None:  # noqa: FBT001 - as `cache` takes it
        """Give the file at this path of the vault, else the nearest to its root whose path ends like this."""
        named, ending = self._paths.get(_name_of(wanted), ()), f"/{wanted}"
        fitting = [path for path in named if _is(f"/{path[len(self._root) :]}", ending, end=True)]
        exact = next((path for path in fitting if _is(path[len(self._root) :], wanted)), None)
        if exact or from_root or not fitting:
            return exact
        return next((path for path in fitting if path.startswith(folder)), fitting[0])

    @cached_property
    def _by_alias(self) -> dict[str, str]:
        """The note of each alias. Most links need none, so the notes are read for the first that does."""
        notes = sorted(path for path in self._files if path.lower().endswith(_NOTE) and self.has(path))
        return {_folded(alias): path for path in reversed(notes) for alias in self.aliases(path)}
