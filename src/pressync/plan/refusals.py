"""Collects the reasons for which a plan must not run: limits, a lost manifest, a history that lacks commits.

A sync refuses before it reads the site. So these reasons come from files, Git and the manifest alone, and a
plan gives the same ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.changes import Create, Delete, Keep, Update
from pressync.plan import limits, synced_commits
from pressync.plan.synced_commits import Lineage
from pressync.state.manifest_file import UNWRITABLE

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pressync.content.content import Content
    from pressync.model.changes import Change, Refusal
    from pressync.model.errors import Problem
    from pressync.plan.limits import DeleteLimit
    from pressync.plan.survey import Known, Survey


def lineage(content: Content, survey: Survey, changes: Sequence[Change], *, whole: bool) -> Lineage:
    """Judge whether HEAD has what was synced; the changes may not be the `whole` plan."""
    commit = content.tree.commit
    synced = {entry.commit for entry in survey.entries.values()} - {"", commit}
    if not synced:
        return Lineage()

    def takes_nothing_back(commits: Collection[str]) -> bool:
        """Tell whether the plan keeps all that was sent from some commits, and makes nothing.

        A create may bring back a page that one of them removed.
        """
        if not whole or any(isinstance(change, Create) for change in changes):
            return False
        touched = {change.path for change in changes if not isinstance(change, Keep)}
        return not any(survey.entries[p].commit in commits for p in touched & survey.entries.keys())

    return synced_commits.lineage(
        content.repository, content.settings.site, synced, commit, takes_nothing_back
    )


def of_limits(
    content: Content, survey: Survey, changes: Sequence[Change], delete_limit: DeleteLimit
) -> list[Refusal]:
    """Refuse a commit without documents, and too many deletes."""
    records = len(survey.entries)
    empty = limits.empty_source(survey.documents, records, content.settings.content, content.tree.commit)
    deletes = sum(isinstance(change, Delete) for change in changes)
    return [*filter(None, (empty, delete_limit.exceeded(deletes, records)))]


def of_lost_manifest(
    content: Content, known: Known, changes: Sequence[Change], *, starts_new: bool
) -> tuple[list[Refusal], list[Problem]]:
    """Before a create, or if only notes of this clone know a record, search Git for a missing manifest.

    A person who `starts_new` has said that there is none.
    """
    site = content.settings.site
    makes = any(isinstance(c, Create) for c in changes)
    # The lost records may be in the file of a manifest that moved to a reference, or of one that is not here.
    makes = makes or bool((known.manifest is False or site.reference) and known.lost())
    if known.manifest is None or site.url is None or not makes:
        return [], []
    from pressync.plan import known_elsewhere, manifest_search  # noqa: PLC0415 - few plans create

    if known.manifest and site.reference:
        left = known_elsewhere.left_behind(content.repository, site, content.tree, known.entries.values())
        return [left] if left else [], []
    if known.manifest:
        return manifest_search.not_pulled(content.repository, site, known.entries.values()), []
    if starts_new:
        return [], []
    return manifest_search.lost(content.repository, site, content.tree.commit)


def of_manifest_s_place(known: Known, changes: Sequence[Change]) -> tuple[Refusal, ...]:
    """Give the refusal of the manifest's place; some of them stop only a run that changes something."""
    if known.refusal is None:
        return ()
    pending = any(isinstance(change, Create | Update | Delete) for change in changes)
    return (known.refusal,) if pending or known.refusal.code != UNWRITABLE else ()
