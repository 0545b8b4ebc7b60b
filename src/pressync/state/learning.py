"""Learning the ids of names and files on a site, for good (`State`) or for one plan (`OneLook`).

`plan --drift` compares texts with those of the site, and the texts have addresses of uploaded files in them.
It changes nothing, so it keeps the ids that it learns for this one plan.
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
    """Knows the ids of names and files on a site, and learns more of them."""

    @property
    def manifest(self) -> Manifest:
        """The names and files that are known."""

    def learn(self, *, names: Mapping[Name, int] = _NOTHING, media: Iterable[Medium] = ()) -> None:
        """Note the ids of names, and the files that are on the site."""


@dataclass(frozen=True, slots=True)
class OneLook:
    """Learns for one look at a site; `manifest` has the new ids, and nothing is written to disk."""

    manifest: Manifest
    _names: dict[Name, int]
    _media: dict[str, Medium]

    @classmethod
    def beside(cls, known: Manifest) -> Self:
        """Begin with the names and files of a manifest."""
        names, media = dict(known.names), dict(known.media)
        return cls(replace(known, names=names, media=media), names, media)

    def learn(self, *, names: Mapping[Name, int] = _NOTHING, media: Iterable[Medium] = ()) -> None:
        """Note the ids of names, and the files that are on the site."""
        self._names.update(names)
        self._media.update({medium.blob: medium for medium in media})
