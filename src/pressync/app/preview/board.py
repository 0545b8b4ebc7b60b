"""The place where the one thread that works meets the threads that answer browsers.

Git and the manifest are read by one thread only. So a browser asks for the facts about the page that it
shows, and waits here until that thread has put up newer ones. The number of waiting browsers is bounded,
because the stage answers its own sync with the same threads.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# A browser waits this many seconds for news, and at most this many browsers wait at once. The others ask
# again after this many milliseconds.
_PATIENCE, _MOST_WAITING, _AGAIN = 20.0, 4, 1_000
# Facts are made for the pages that were asked for last.
_MOST_PAGES = 8

Facts = dict[str, object]


class Board:
    """The facts about the pages that browsers show. All methods may be called from any thread."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._waiting = threading.BoundedSemaphore(_MOST_WAITING)
        self._pages: OrderedDict[str, Facts | None] = OrderedDict()
        self._number = 1
        self._session = secrets.token_hex(4)
        self._stage = 0
        self._closed = False

    @property
    def stage(self) -> str:
        """The name of the state that the pages of the stage show; a page of another state is loaded anew."""
        return f"{self._session}-{self._stage}"

    def ask(self, page: str, since: int) -> Facts:
        """Give the facts about a page as soon as they are newer than `since`, or the time is over."""
        if not self._waiting.acquire(blocking=False):
            return {**self._now(page), "again": _AGAIN}
        try:
            until = time.monotonic() + _PATIENCE
            with self._news:
                self._want(page)
                while not self._closed and not self._is_newer(page, since):
                    left = until - time.monotonic()
                    if left <= 0 or not self._news.wait(left):
                        break
            return self._now(page)
        finally:
            self._waiting.release()

    def wait(self, seconds: float) -> None:
        """Return when a page is wanted that has no facts, or after some seconds."""
        with self._news:
            self._news.wait_for(lambda: self._closed or None in self._pages.values(), seconds)

    @property
    def wanted(self) -> list[str]:
        """The pages without facts."""
        with self._news:
            return [page for page, facts in self._pages.items() if facts is None]

    def renew(self, *, stage_changed: bool = False) -> None:
        """Forget the facts: something has changed, perhaps the pages of the stage themselves."""
        with self._news:
            self._number += 1
            self._stage += stage_changed
            self._pages = OrderedDict.fromkeys(self._pages)
            self._news.notify_all()

    def put(self, page: str, facts: Mapping[str, object]) -> None:
        """Put up the facts about a page."""
        with self._news:
            self._pages[page] = dict(facts)
            self._news.notify_all()

    def close(self) -> None:
        """Answer all who wait, now and later."""
        with self._news:
            self._closed = True
            self._news.notify_all()

    def _want(self, page: str) -> None:
        self._pages.setdefault(page, None)
        self._pages.move_to_end(page)
        while len(self._pages) > _MOST_PAGES:
            self._pages.popitem(last=False)
        self._news.notify_all()

    def _is_newer(self, page: str, since: int) -> bool:
        return self._number > since and self._pages.get(page) is not None

    def _now(self, page: str) -> Facts:
        with self._news:
            facts = self._pages.get(page)
            return {"stage": self.stage, "number": self._number if facts else 0, **(facts or {})}
