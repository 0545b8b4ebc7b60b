"""The calls that pressync asks a service to carry out: create, update and delete.

A port takes one of these three classes, so a create cannot have an id, and a delete cannot lack one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.model.interface import Kind
    from pressync.model.records import Fields


@dataclass(frozen=True, slots=True)
class CreateCall:
    """Ask the service to create a record."""

    kind: Kind
    fields: Fields


@dataclass(frozen=True, slots=True)
class UpdateCall:
    """Ask the service to change the named fields of a record."""

    kind: Kind
    id: int
    fields: Fields


@dataclass(frozen=True, slots=True)
class DeleteCall:
    """Ask the service to delete a record. The delete can be undone unless it is `permanent`."""

    kind: Kind
    id: int
    permanent: bool = False


Call = CreateCall | UpdateCall | DeleteCall
