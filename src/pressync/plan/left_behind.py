"""Finds records in a manifest's file that the reference lacks, after a site has moved to the reference.

A clone that had not pulled syncs once more to the file, and Git merges that file. The reference never had its
records, so a sync would create their pages again. A record that the reference dropped later does not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.changes import Refusal
from pressync.model.errors import ManifestError
from pressync.state.manifest import codec
from pressync.state.manifest_ref import MANIFEST, MOVE, MOVED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.config.settings import Site
    from pressync.model.interface import Kind
    from pressync.model.records import Entry, Manifest
    from pressync.repo.repository import Repository, Tree


def refusal(repository: Repository, site: Site, tree: Tree, entries: Iterable[Entry]) -> Refusal | None:
    """Refuse to create while the committed file has records that the reference never had."""
    blob = tree.files.get(site.file)
    if site.reference is None or blob is None:
        return None
    there = _decoded(repository.text(blob), site.target)
    before = after_last_move(repository, site.reference, site.target)
    if there is None or before is None:
        return None
    known = _records(before.entries.values()) | _records(entries)
    more = len(_records(there.entries.values()) - known)
    if not more:
        return None
    records = "1 record" if more == 1 else f"{more} records"
    return Refusal(
        "two_manifests",
        f"{site.file} in the commit has {records} that {site.reference} does not have: a sync would create "
        "them again; `pressync manifest move --to ref` puts both together",
    )


def after_last_move(repository: Repository, reference: str, target: str) -> Manifest | None:
    """Read the reference as it was after the last move, or at its beginning; None if that is not known."""
    moved = repository.ask("log", "--max-count=1", f"--grep=^{MOVE}", "--format=%H", reference, "--")[1]
    commit = moved or repository.ask("rev-list", "--max-parents=0", reference, "--")[1]
    for name in (MANIFEST, MOVED):
        blob = repository.port.resolve(f"{commit}:{name}") if commit else None
        if blob:
            return _decoded(repository.text(blob), target)
    return None


def _decoded(text: str | None, target: str) -> Manifest | None:
    try:
        known = codec.decode(text or "", where="")
    except ManifestError:
        return None
    return known if known.target == target else None


def _records(entries: Iterable[Entry]) -> set[tuple[Kind, int]]:
    return {(entry.kind, entry.id) for entry in entries}
