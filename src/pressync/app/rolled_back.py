"""The refusal of a sync that would do a run again which somebody has just rolled back.

A rollback changes the site and not the files, so the files still say what the run sent. The mark in the
manifest reaches every clone, hook and workflow. It holds until the content of HEAD differs.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.model.changes import Refusal
from pressync.repo.discover import SETTINGS
from pressync.repo.paths import is_below

if TYPE_CHECKING:
    from pressync.content.content import Content
    from pressync.plan.build import PlanOptions
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
    message = (
        f"run {mark.run} was rolled back, and the files still say what it sent; "
        f"`git revert {mark.commit[:10]}` and commit, or `pressync sync --again` to send it again"
    )
    return (Refusal("rolled_back", message),)


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
