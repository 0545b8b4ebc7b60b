"""The old site of a comparison, as both of its readers give it: a folder of built HTML, or a live site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class OldPage:
    """A page of the old site: its address below the host, and the place of its text."""

    address: str
    place: str


class OldSite(Protocol):
    """An old site. `origin` is the address of its host, "" if not known; `files` are its other addresses."""

    @property
    def pages(self) -> Sequence[OldPage]:
        """Its pages, in order."""

    @property
    def files(self) -> frozenset[str]:
        """The paths of what is not a page."""

    @property
    def origin(self) -> str:
        """The address of its host."""

    def read(self, page: OldPage) -> bytes:
        """Read a page.

        :raises OSError: it cannot be read.
        :raises FileTooLarge: it is larger than a page.
        """
