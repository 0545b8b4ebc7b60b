"""Lets the texts go that this clone took from the site, once a sync has settled them, and says so.

A record that the sync has sent has another base for the next merge. A text that HEAD has is in Git anyway.
This comes after the manifest is saved: a run that is killed before keeps a text for longer than it needs to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.changes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.model.outcomes import RunResult
    from pressync.model.records import Entry
    from pressync.repo.kept_takes import KeptTake, KeptTakes
    from pressync.repo.repository import Repository

_SHORT = 10


def let_go(
    kept: KeptTakes,
    run: RunResult,
    entries: Callable[[], Mapping[str, Entry]],
    say: Callable[[str], object],
    *,
    by_reference: bool,
) -> None:
    """Let go what a run has settled; `entries` reads the manifest after it.

    A manifest in a reference is one for all branches: an entry without the text has gone on. In a file, the
    branch with the text may be waiting for its merge.
    """
    takes = kept.read()
    if not takes:
        return
    known, head = entries(), kept.repository.tree(run.plan.commit).files
    done = {outcome.change.path for outcome in run.outcomes if outcome.result is Result.DONE}
    settled = {}
    for path, take in takes.items():
        entry = known.get(path)
        has_gone_on = by_reference and (entry is None or entry.blob != take.taken != "")
        if path in done or has_gone_on or head.get(path) == take.taken:
            settled[path] = take
    kept.let_go(settled)
    for path, take in settled.items():
        say(f"{path}: {_sentence(kept.repository, take, run.plan.commit)}")


def _sentence(repository: Repository, take: KeptTake, head: str) -> str:
    if any(repository.history.has_had(blob, head) for blob in {take.taken, take.written} - {""}):
        return "the text that was taken from the site is in HEAD, and pressync does not keep it any longer"
    show = f"git show {(take.taken or take.written)[:_SHORT]}"
    return (
        "the text that was taken from the site is not in HEAD, and pressync does not keep it any longer: "
        f"`{show}` shows it until Git removes it, in about two weeks"
    )
