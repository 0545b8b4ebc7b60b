"""The refusal of a sync that would do a run again which somebody has just rolled back.

A rollback changes the site and not the files, so the files still say what the run sent. The mark in the
manifest reaches every clone, hook and workflow. It holds until the content of HEAD differs.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.changes import Refusal
from pressync.repo.discover import SETTINGS
from pressync.repo.paths import is_below
from pressync.state.clone_facts import RunRecords

if TYPE_CHECKING:
    from pressync.config.settings import Settings
    from pressync.content.content import Content
    from pressync.model.records import RolledBack
    from pressync.plan.build import PlanOptions
    from pressync.repo.repository import Repository
    from pressync.state.state import State


def refusing(plan_options: PlanOptions, state: State, content: Content) -> PlanOptions:
    """Add the refusal to the options of a plan, unless it is to do the run again."""
    found = () if plan_options.again else refusals(state, content)
    return replace(plan_options, refusals=(*plan_options.refusals, *found)) if found else plan_options


def refusals(state: State, content: Content) -> tuple[Refusal, ...]:
    """Give the refusal, while the content is still that of the run."""
    mark = state.whole.rolled_back
    if mark is None or mark.content != content_of(content):
        return ()
    again = "or `pressync sync --again` to send it again"
    made = [record for record in RunRecords(state.log).all() if record.undoes == mark.run]
    # A rollback that was killed has its beginning here, and not its end.
    if made and made[-1].after is None:
        going_on = f"`pressync rollback {mark.run}` goes on with it"
        message = f"the rollback of run {mark.run} was interrupted; {going_on}, {again}"
        return (Refusal("rolled_back", message),)
    message = (
        f"run {mark.run} was rolled back, and the files still say what it sent; "
        f"{way_back(content.repository, content.settings, mark)}, {again}"
    )
    return (Refusal("rolled_back", message),)


def way_back(repository: Repository, settings: Settings, mark: RolledBack) -> str:
    """Say how the files get the text of before; a commit that has the manifest too is not reverted."""
    since, last = mark.since, mark.commit
    if repository.history.known(wanted := {since, last}) != wanted:
        # The files of before are in no commit of this clone, as after a first sync.
        return "change or revert the files, and commit"
    files = files_of(settings)
    only = repository.history.single_change(since, last, *files)
    if only and not repository.history.changed(only, settings.site.file):
        return f"`git revert {only[:10]}`"
    paths = " ".join(map(quote, files))
    diff = f"git diff --binary {last[:10]} {since[:10]} -- {paths}"
    return f"`{diff} | git apply --index` and commit"


def files_of(settings: Settings) -> tuple[str, ...]:
    """Name the files that decide what is sent, and not the manifest, as patterns for Git."""
    folders, manifest = (settings.content, settings.templates, SETTINGS), settings.site.file
    paths = folders if all(folders) else (".",)
    return (*paths, f":(exclude){manifest}") if is_below(manifest, folders) else paths


def content_of(content: Content) -> str:
    """Digest the files that decide what is sent: content, templates and settings."""
    settings = content.settings
    folders = (settings.content, settings.templates, SETTINGS)
    files = (
        f"{path} {blob}\n"
        for path, blob in sorted(content.tree.files.items())
        # A rollback changes the manifest, and people commit it.
        if is_below(path, folders) and path != settings.site.file
    )
    return hashlib.sha256("".join(files).encode(errors="surrogateescape")).hexdigest()[:20]
