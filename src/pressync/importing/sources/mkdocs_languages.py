"""Gives the pages of MkDocs with the plug-in `i18n` their languages and addresses.

The plug-in builds each page in every language, and shows the one of the main language where nobody has
translated it. The language is in the name of a file (`a.de.md`), or it is the first folder (`de/a.md`).
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pressync.importing.sources.source_tree import table_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

_LOCALE = re.compile(r"[a-z]{2}(-[A-Za-z]{4})?(-[A-Z]{2})?|[a-z]{2}_[A-Z]{2}")


@dataclass(frozen=True, slots=True)
class Languages:
    """The languages of a site. `off` are those that it does not build."""

    main: str = ""
    others: tuple[str, ...] = ()
    off: frozenset[str] = frozenset()
    in_folders: bool = False
    falls_back: bool = True

    @classmethod
    def of(cls, options: Mapping[str, Any] | None) -> Languages:
        """Read the options of the plug-in; None for a site without it."""
        given = (options or {}).get("languages")
        tables = [table_in(each) for each in given] if isinstance(given, list) else []
        built = {
            str(each.get("locale")): bool(each.get("default")) for each in tables if each.get("build", True)
        }
        main = next((code for code, is_main in built.items() if is_main), "")
        if options is None or not main:
            return cls()
        return cls(
            main,
            tuple(code for code in built if code != main),
            frozenset(str(each.get("locale")) for each in tables) - built.keys(),
            options.get("docs_structure") == "folder",
            options.get("fallback_to_default", True) is not False,
        )

    def parted(self, inner: str) -> tuple[str, str]:
        """Give the language of a file and its path without it; "" if the file is one of all languages."""
        if not self.main:
            return "", inner
        if self.in_folders:
            folder, _, rest = inner.partition("/")
            return (folder, rest) if rest and folder in {self.main, *self.others, *self.off} else ("", inner)
        root, ending = posixpath.splitext(inner)
        bare, _, code = root.rpartition(".")
        is_named = bool(posixpath.basename(bare)) and bool(_LOCALE.fullmatch(code))
        return (code, f"{bare}{ending}") if is_named else (self.main, inner)

    def is_off(self, inner: str) -> bool:
        """Tell whether the site does not build the language of a file."""
        return self.parted(inner)[0] not in {"", self.main, *self.others}

    def placed(self, inner: str) -> str:
        """Give the path below which a file is shown."""
        code, bare = self.parted(inner)
        return bare if code in {"", self.main} else f"{code}/{bare}"

    def untranslated(self, inner: str, files: Collection[str]) -> Iterator[str]:
        """Give the further paths below which a page of the main language is shown."""
        code, bare = self.parted(inner)
        if code == self.main and code and self.falls_back:
            for other in self.others:
                if next(self._names(other, bare, files), None) is None:
                    yield f"{other}/{bare}"

    def linked(self, inner: str, written: str, files: Collection[str]) -> str | None:
        """Give the file to which a path in a page leads: that of its language, else of the main one."""
        code = self.parted(inner)[0] or self.main
        target = posixpath.normpath(posixpath.join(posixpath.dirname(inner), written))
        bare = self.parted(target)[1]
        names = (name for each in (code, self.main) for name in self._names(each, bare, files))
        return next(names, None) if self.main else None

    def _names(self, code: str, bare: str, files: Collection[str]) -> Iterator[str]:
        root, ending = posixpath.splitext(bare)
        spelled: Iterable[str] = (f"{root}.{code}{ending}", *([bare] if code == self.main else ()))
        return (name for name in ([f"{code}/{bare}"] if self.in_folders else spelled) if name in files)
