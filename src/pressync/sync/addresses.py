"""Follows the addresses of the pages below a page that moved: the service moves them without telling us.

The documented interface has no read. So we assume that a child's address begins with its parent's address,
but only if it did so before the move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.visibility import is_front
from pressync.sync import entries

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.model.records import Entry
    from pressync.state.state import State


class AddressTracker:
    """Follows the addresses of one run. Only the deciding thread may use it."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._former: dict[str, set[str]] = {}

    def follow(self, path: str, previous: Entry | None, busy: Collection[str]) -> None:
        """Record the present addresses of a page that was just written, and of the pages below it.

        `previous` is the page's entry from before its write. Pages in `busy` are left out: their own calls
        are under way, and they are followed when the response is here.

        :raises StorageError: the journal cannot be written.
        """
        entry = self._state.manifest.entries.get(path)
        if entry is None:
            return
        parent = self._state.manifest.entries.get(entry.parent_path or "")
        if parent and self._former.get(parent.path) and (link := self._below(parent, entry.link)):
            # The page above moved after this response was sent, and before it was taken in.
            entry = self._moved(entry, link)
        if previous:
            self._note_move(path, previous.link, entry.link)
        if self._former.get(path):
            self._move_children(entry, busy)

    def _move_children(self, entry: Entry, busy: Collection[str]) -> None:
        children: dict[str, list[Entry]] = {}
        for other in self._state.manifest.entries.values():
            if other.parent_path is not None and other.path not in busy:
                children.setdefault(other.parent_path, []).append(other)
        # The loop appends to the list that it walks.
        pages = [entry]
        for page in pages:
            pages += [
                self._moved(child, link)
                for child in children.get(page.path, ())
                if (link := self._below(page, child.link))
            ]

    def _moved(self, entry: Entry, link: str) -> Entry:
        self._note_move(entry.path, entry.link, link)
        moved = entries.moved(entry, link)
        self._state.put(moved)
        return moved

    def _note_move(self, path: str, before: str, after: str) -> None:
        """Note the address that a page left; an address that it came back to is no longer a former one."""
        former = self._former.setdefault(path, set())
        if before and before != after:
            former.add(before)
        former.discard(after)

    def _below(self, page: Entry, link: str) -> str | None:
        """Work out the present address of a page below `page`, if `link` is from before `page` moved."""
        here = self._start_below(page)
        all_prefixes = {here, *map(_prefix, self._former.get(page.path, ()))}
        # A page may move up to the address of its parent, from `/docs/docs/` to `/docs/`, or down again. Then
        # one of its addresses begins with the other. The longest one that still leaves a name is meant.
        nearest = max(
            (at for at in all_prefixes if at and link.startswith(at) and link != at), key=len, default=""
        )
        return here + link.removeprefix(nearest) if here and nearest and nearest != here else None

    def _start_below(self, page: Entry) -> str:
        """Give the start of all addresses below a page.

        WordPress gives a draft an address with its id, and keeps the draft's slug in the addresses below it.
        The front page has the address of the site, and its slug is in the addresses below it.
        """
        own = "" if is_front(page) else _prefix(page.link)
        earlier = next((link for link in reversed(page.former) if _prefix(link)), "")
        if own or not earlier:
            return own
        parent = self._state.manifest.entries.get(page.parent_path or "")
        above = _prefix(parent.link) if parent else earlier.rstrip("/").rpartition("/")[0] + "/"
        return f"{above}{page.slug}/" if above else ""


def _prefix(link: str) -> str:
    """Give the start of all addresses below a page; "" if an address like this one cannot have any.

    Some sites write their addresses with a slash at the end, and many WordPress sites without.
    """
    if "?" in link or "#" in link:
        return ""
    return link if link.endswith("/") else f"{link}/"
