"""The files that were read: what each has become, and what a plan keeps of them for the sync that sends them.

The text of a page is kept once: as HTML if nothing that the HTML depends on is still missing, else as
Markdown. The texts are in a file, because those of a thousand pages would take more memory than a run has for
all of them.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from pressync.config.keys import LEFT_OUT
from pressync.content.render.links import Unresolved
from pressync.model.bounds import FileTooLarge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from io import FileIO

    from pressync.config.settings import Settings
    from pressync.model.errors import Problem
    from pressync.model.records import Document, Prepared, Source

# By default at most this many documents, each of at most this many characters, are kept.
_MOST, _SHORT = 1000, 10_000
# At most this many bytes of their texts are kept.
_MOST_BYTES = 64_000_000
# At most this many bytes of documents are kept that were asked for before they were read.
_MOST_UNREAD = 8_000_000


class ReadFile(msgspec.Struct, frozen=True):
    """A file that was read: its document, unless one of its problems is an error; and all its problems.

    `left_out` tells that the type of the file is `none`. If it `names_addresses` in its front matter, one may
    be of the site, and is read so. A file that was rendered too has `prepared`, and the
    `addresses` that went into the HTML, by path.
    """

    document: Document | None
    problems: tuple[Problem, ...] = ()
    left_out: bool = False
    names_addresses: bool = False
    prepared: Prepared | None = None
    addresses: Mapping[str, str | Unresolved] = {}

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that prevent the document."""
        return tuple(problem for problem in self.problems if not problem.warning)

    @property
    def obstacle(self) -> str:
        """The first reason why there is no document: an error, if there is one."""
        reasons = (*self.errors, *self.problems)
        return reasons[0].what if reasons else "its type is `none`"


class TextPlace(NamedTuple):
    """The place of a text in the file."""

    begin: int
    size: int


class KeptFiles:
    """The kept documents of one tree, by path: those only read, and those prepared; without body and HTML."""

    def __init__(self, *, keeps: bool = True, most: int = _MOST, longest: int = _SHORT) -> None:
        """Keep nothing, unless it `keeps`: a check reads each document once, and a plan may send it.

        At most so many documents are kept, each of at most so many characters.
        """
        self._keeps, self._most, self._longest = keeps, most, longest
        self._texts = KeptTexts()
        # Most documents are prepared as soon as they are read. So the last one is not in the file yet.
        self._last: ReadFile | None = None
        self._read: dict[str, tuple[ReadFile, TextPlace]] = {}
        self._prepared: dict[str, tuple[ReadFile, TextPlace]] = {}

    def reading(self, path: str, parse: Callable[[str], ReadFile], *, keep: bool) -> ReadFile:
        """Give a document that was read, or read it now; keep it if there is room, or give it away."""
        if not self._keeps:
            return parse(path)
        reading = self._held(path, keep=keep) or parse(path)
        if keep and path not in self._read:
            self._last = reading
        return reading

    def _held(self, path: str, *, keep: bool) -> ReadFile | None:
        last, self._last = self._last, None
        if last and last.document:
            if last.document.path == path:
                return last
            self.keep_read(last)
        return self.read_before(path, keep=keep)

    def keep_read(self, read: ReadFile) -> None:
        """Keep a document that was only read, if there is room."""
        if read.document and (place := self._kept(read.document.path, read.document.body)):
            bare = replace(read.document, body="")
            self._read[bare.path] = replace(read, document=bare), place

    def read_before(self, path: str, *, keep: bool = True) -> ReadFile | None:
        """Give a document that was only read; keep it, or give it away."""
        held = self._read.get(path) if keep else self._read.pop(path, None)
        body = self._texts.read(held[1]) if held else None
        if held is None or held[0].document is None or body is None:
            return None
        return replace(held[0], document=replace(held[0].document, body=body))

    def keep_prepared(self, prepared: Prepared, addresses: Mapping[str, str | Unresolved]) -> None:
        """Keep a prepared page in the place of what was read, unless it has to be rendered again."""
        path = prepared.document.path
        if Unresolved.UNKNOWN not in addresses.values() and (
            place := self._kept(path, f"{prepared.fields['content']}")
        ):
            self._read.pop(path, None)
            self._last = None
            bare = replace(prepared, document=replace(prepared.document, body=""), fields={})
            self._prepared[path] = ReadFile(bare.document, prepared=bare, addresses=addresses), place

    def prepared(self, path: str, *, keep: bool = True) -> ReadFile | None:
        """Give a prepared page, whose only field is its HTML; keep it, or give it away."""
        held = self._prepared.get(path) if keep else self._prepared.pop(path, None)
        content = self._texts.read(held[1]) if held else None
        if held is None or held[0].prepared is None or content is None:
            return None
        return replace(held[0], prepared=replace(held[0].prepared, fields={"content": content}))

    def _kept(self, path: str, text: str) -> TextPlace | None:
        is_kept = path in self._read or path in self._prepared
        has_room = is_kept or len(self._read) + len(self._prepared) < self._most
        has_room = has_room and len(text) <= self._longest
        return self._texts.keep(text) if has_room else None


# A text that may write a word in another way than by its letters: by escapes of YAML or JSON.
_ESCAPED = re.compile(rb"\\[uUx\r\n]")


class LeftOutDocuments:
    """Knows the documents of one tree that their front matter keeps off the site. Links to them are dead.

    A check asks about the target of each link, often before it reads the target. Most texts show without a
    parser that they are not left out. Their bytes are kept until they are read.
    """

    def __init__(self, settings: Settings) -> None:
        self.known: dict[str, bool] = {}
        self._settings = settings
        # A table of defaults names a type for all files of its folder.
        kinds = {str(table.get("type")) for table in settings.site.defaults.values()}
        self._are_folders_left_out = LEFT_OUT in kinds
        self._unread: dict[str, bytes] = {}
        self._room = _MOST_UNREAD

    def has(
        self, source: Source, read: Callable[[str, str], bytes], parse: Callable[[str], ReadFile]
    ) -> bool:
        """Tell whether a document is left out; `parse` is called only if its bytes do not show it."""
        path = source.path
        if path not in self.known:
            try:
                self.known[path] = (
                    self.may_have(path, data := read(path, source.blob)) and parse(path).left_out
                )
            except FileTooLarge:
                self.known[path] = False
            else:
                self._keep(path, data)
        return self.known[path]

    def may_have(self, path: str, data: bytes) -> bool:
        """Tell whether a document with these bytes may be left out. Only a parser is certain that it is."""
        from pressync.content.vault import is_in_vault  # noqa: PLC0415 - few runs read a file

        if self._are_folders_left_out or is_in_vault(path, self._settings):
            return True
        names_it = LEFT_OUT.encode() in data and b"type" in data
        return names_it or (b"\\" in data and bool(_ESCAPED.search(data)))

    def noted(self, source: Source, read: ReadFile) -> ReadFile:
        """Note what was read, unless it is a text that is not in the tree, and give it."""
        if source.blob:
            self.known[source.path] = read.left_out
        return read

    def taken(self, path: str) -> bytes | None:
        """Give away the bytes that were kept of a document; None if there are none."""
        data = self._unread.pop(path, None)
        self._room += len(data or b"")
        return data

    def _keep(self, path: str, data: bytes) -> None:
        if len(data) <= self._room:
            self._room -= len(data)
            self._unread[path] = data


class KeptTexts:
    """The texts of one tree, in a temporary file without a name. Only one thread may use it.

    The texts may be private, and only this process can open the file, which ends with it. If the disk is
    full, a text is not kept, and its reader makes it again.
    """

    def __init__(self) -> None:
        self._file: FileIO | None = None
        self._end = 0

    def keep(self, text: str) -> TextPlace | None:
        """Write a text; None if there is no room for it."""
        data = text.encode(errors="surrogatepass")
        if self._end + len(data) > _MOST_BYTES:
            return None
        place = TextPlace(self._end, len(data))
        try:
            written = os.pwrite(self._opened().fileno(), data, place.begin)
        except OSError:
            return None
        if written != place.size:
            return None
        self._end += place.size
        return place

    def read(self, place: TextPlace) -> str | None:
        """Read a text that was kept; None if the disk does not give it."""
        try:
            data = os.pread(self._opened().fileno(), place.size, place.begin)
        except OSError:
            return None
        return data.decode(errors="surrogatepass") if len(data) == place.size else None

    def _opened(self) -> FileIO:
        if self._file is None:
            from tempfile import TemporaryFile  # noqa: PLC0415 - few runs read a file

            self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - closed with this object
        return self._file

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()
