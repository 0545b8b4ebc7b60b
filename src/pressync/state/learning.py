"""Who learns what names and files stand for on a site: a state notes it, one look forgets it.

`plan --drift` compares texts with what a site holds, and these texts have addresses of uploaded files in
them. It changes nothing, so what it learns is kept for the one plan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.model.records import Manifest, Medium, Name

_NOTHING: Mapping[Name, int] = MappingProxyType({})


class Learner(Protocol):
    """Knows names and files of a site, and learns more of them."""

    @property
    def manifest(self) -> Manifest:
        """What is known."""

    def learn(self, *, names: Mapping[Name, int] = _NOTHING, media: Iterable[Medium] = ()) -> None:
        """Learn what names stand for, and which files are there."""


@dataclass(frozen=True, slots=True)
class OneLook:
    """Learns for one look at a site; `manifest` shows what was learned, and nothing is written."""

    manifest: Manifest
    _names: dict[Name, int]
    _media: dict[str, Medium]

    @classmethod
    def beside(cls, known: Manifest) -> Self:
        """Begin with what a manifest knows."""
        names, media = dict(known.names), dict(known.media)
        return cls(replace(known, names=names, media=media), names, media)

    def learn(self, *, names: Mapping[Name, int] = _NOTHING, media: Iterable[Medium] = ()) -> None:
        """Learn what names stand for, and which files are there."""
        self._names.update(names)
        self._media.update({medium.blob: medium for medium in media})
