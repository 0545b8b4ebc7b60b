"""Chooses between two records of one file, where two places of one manifest name different ones.

A clone forgot a record and made another one, and a clone that had not pulled still wrote to the first. The
manifest keeps no history of its own. So the site is asked which of the two it has, and then the times of the
last writes are compared, which one clock has written.
"""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError, ServiceError
from pressync.model.records import TRASH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.app.workspace import Workspace
    from pressync.model.records import Entry, Manifest
    from pressync.state.manifest.merge import MergedManifest


def chosen(workspace: Workspace, merged: MergedManifest) -> tuple[Manifest, tuple[str, ...]]:
    """Give the manifest with one record for each file, and a sentence for each choice.

    A term or a file that was made twice keeps our id: both mean the same.
    """
    entries, sentences = dict(merged.manifest.entries), []
    pairs = [clash.records for clash in merged.clashes if clash.records]
    there = _on_site(workspace, pairs)
    for ours, theirs in pairs:
        kept, why = _choose(workspace, ours, theirs, there)
        entries[kept.path] = kept
        sentences.append(_told(kept, theirs if kept is ours else ours, why))
    return replace(merged.manifest, entries=entries), tuple(sentences)


def _choose(
    workspace: Workspace, ours: Entry, theirs: Entry, there: frozenset[tuple[str, int]] | None
) -> tuple[Entry, str]:
    alive = [entry for entry in (ours, theirs) if there is not None and (entry.kind, entry.id) in there]
    if len(alive) == 1:
        return alive[0], "the site has it, and not the other"
    if ours.modified_gmt != theirs.modified_gmt:
        return max(ours, theirs, key=lambda entry: entry.modified_gmt), "it was written later"
    if _descends(workspace, ours, theirs):
        return ours, "its commit is the later one"
    if _descends(workspace, theirs, ours):
        return theirs, "its commit is the later one"
    return ours, "the manifest that is in use has it"


def _descends(workspace: Workspace, later: Entry, earlier: Entry) -> bool:
    repository, commits = workspace.repository, {later.commit, earlier.commit} - {""}
    if len(commits) == 1 or repository.known(commits) != commits:
        return False
    return earlier.commit in repository.ancestors({earlier.commit}, later.commit)


def _on_site(workspace: Workspace, pairs: Sequence[tuple[Entry, Entry]]) -> frozenset[tuple[str, int]] | None:
    """Give the records that the site has outside of the trash; None if it cannot be asked."""
    entries = [entry for pair in pairs for entry in pair]
    if not entries or not workspace.capabilities.read:
        return None
    try:
        with workspace.service(1) as service:
            reads = service.readable
            if reads is None:
                return None
            return frozenset(
                (kind, number)
                for kind in {entry.kind for entry in entries}
                for number, record in reads.records(kind, [e.id for e in entries if e.kind is kind]).items()
                if record.fields.get("status") != TRASH
            )
    except (ConfigError, ServiceError):
        # Without the site, the times decide.
        return None


def _told(kept: Entry, other: Entry, why: str) -> str:
    path = quote(kept.path)
    return (
        f"{kept.path} was {kept.kind} {kept.id} in one place and {other.kind} {other.id} in the other: "
        f"{kept.kind} {kept.id} stays, because {why}; delete {other.kind} {other.id} on the site, or take it "
        f"instead with `pressync forget {path}` and `pressync adopt {path} {other.id}`"
    )
