"""Finds the records in the trash that pressync created, by this clone's files and the manifest's history.

If a file was removed and comes back, as after `git revert`, it gets a new record. The old record is in the
trash and still has the address. It must not count as a record of somebody else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.model.interface import Kind
from pressync.state import manifest_ref

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.config.settings import Settings
    from pressync.repo.repository import Repository
    from pressync.state.state import State

_MOST_IDS = 1000
_RECORD = re.compile(r'^[+-].*"kind": ?"(page|post)", ?"id": ?([0-9]+)', re.MULTILINE)


def ours(
    repository: Repository, settings: Settings, state: State, records: Collection[tuple[Kind, int]]
) -> frozenset[tuple[Kind, int]]:
    """Select the records that a manifest of this site once held."""
    known = state.created_copy.removed().intersection(records)
    if unknown := set(records) - known:
        known |= _once_held(repository, settings, unknown)
    return frozenset(known)


def _once_held(
    repository: Repository, settings: Settings, records: Collection[tuple[Kind, int]]
) -> set[tuple[Kind, int]]:
    """Search the manifest's history in Git; a clone without history finds nothing."""
    site = settings.site
    where, name = (site.reference, manifest_ref.MANIFEST) if site.reference else ("HEAD", site.manifest)
    # A command line has room for some thousands of ids. An import asks for those of a whole site.
    ids = "|".join(str(number) for _, number in sorted(records)) if len(records) <= _MOST_IDS else "[0-9]+"
    code, said, _ = repository.ask(
        *("log", "--format=", "-p", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"),
        *("-E", f'-G"id": ?({ids})\\b', where, "--", name),
    )
    if code:
        return set()
    return {(Kind(kind), int(number)) for kind, number in _RECORD.findall(said)}.intersection(records)
