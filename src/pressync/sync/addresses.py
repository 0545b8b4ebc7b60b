"""Addresses of pages below a page that moved: the service moves them without a word, and we say so.

It must not know calls or plans. What decided its shape: the documented interface has no read, so a child's
address is taken to begin with its parent's, and only where it did before is it taken to do so still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.sync import echo

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.model.records import Entry
    from pressync.state.state import State


class AddressTracker:
    """Follows the addresses of one run. For the deciding thread alone."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._former: dict[str, set[str]] = {}

    def follow(self, path: str, previous: Entry | None, busy: Collection[str]) -> None:
        """Give a page that was just written, and those below it, the addresses that they have now.

        `previous` is what the manifest said of the page before its write. Pages in `busy` are left out:
        their own calls are under way, and their turn comes with the answer.

        :raises StorageError: the journal cannot be written.
        """
        entry = self._state.manifest.entries.get(path)
        if entry is None:
            return
        parent = self._state.manifest.entries.get(entry.parent_path or "")
        if parent and (link := self._below(parent, entry.link)):
            # Echoed before, and taken in after, the page above it moved.
            entry = self._moved(entry, link)
        if previous:
            self._left(path, previous.link, entry.link)
        if self._former.get(path):
            self._move_those_below(entry, busy)

    def _move_those_below(self, entry: Entry, busy: Collection[str]) -> None:
        children: dict[str, list[Entry]] = {}
        for other in self._state.manifest.entries.values():
            if other.parent_path is not None and other.path not in busy:
                children.setdefault(other.parent_path, []).append(other)
        # The list grows while it is walked.
        pages = [entry]
        for page in pages:
            pages += [
                self._moved(child, link)
                for child in children.get(page.path, ())
                if (link := self._below(page, child.link))
            ]

    def _moved(self, entry: Entry, link: str) -> Entry:
        self._left(entry.path, entry.link, link)
        moved = echo.moved(entry, link)
        self._state.put(moved)
        return moved

    def _left(self, path: str, before: str, after: str) -> None:
        """Note that a page no longer stands at an address; one that it came back to counts no more."""
        former = self._former.setdefault(path, set())
        if before and before != after:
            former.add(before)
        former.discard(after)

    def _below(self, page: Entry, link: str) -> str | None:
        """Work out the address that a page below `page` has now, if `link` is from before that one moved."""
        here = _place(page.link)
        stood = {here, *map(_place, self._former.get(page.path, ()))}
        # A page that moved up to where its parent stood, from `/docs/docs/` to `/docs/`, or down again, has
        # one address that begins with the other: the longest that still leaves a name is the one meant.
        nearest = max((at for at in stood if at and link.startswith(at) and link != at), key=len, default="")
        return here + link.removeprefix(nearest) if here and nearest and nearest != here else None


def _place(link: str) -> str:
    """Give what the addresses below a page begin with; nothing if none can.

    Sites write their addresses with a slash at the end or, as many with WordPress do, without.
    """
    if "?" in link or "#" in link:
        return ""
    return link if link.endswith("/") else f"{link}/"
