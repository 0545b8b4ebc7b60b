"""Builds the plan from the records that the site has now.

A plan without `--drift` reads only the repository and the manifest, so it does not load this module.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pressync.app.revision import with_refusal
from pressync.client.port import require_readable
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind
from pressync.plan.build import build_plan
from pressync.plan.survey import NO_FINDINGS, known
from pressync.state.learning import OneLook
from pressync.sync import drift, occupied_addresses

if TYPE_CHECKING:
    from pressync.app.revision import Revision
    from pressync.app.workspace import Workspace
    from pressync.plan.build import PlannedRun, PlanOptions
    from pressync.plan.survey import Progress


def plan_with_drift(
    workspace: Workspace, revision: Revision, plan_options: PlanOptions, progress: Progress | None = None
) -> PlannedRun:
    """Build the plan from the records that the site has now; nothing is changed.

    :raises ConfigError: the service cannot be read, or the credentials are missing.
    :raises ServiceError: it does not answer.
    """
    if not workspace.capabilities.read:
        raise ConfigError(
            f"the {workspace.settings.site.dialect} dialect shows no way to read records",
            todo="leave out `--drift`; an edit shows in the response to the next write",
        )
    plan_options = with_refusal(revision, workspace.repository, workspace.settings.site, plan_options)
    with workspace.reading() as state, workspace.service(1) as service:
        reads = require_readable(service)
        # This call fails without valid credentials: a site hides drafts and edit views from visitors.
        reads.missing_rights(Kind.PAGE)
        learner = OneLook.beside(state.manifest)
        content = workspace.content(revision, strict=plan_options.strict, site=learner.manifest)
        build = partial(build_plan, content, workspace.capabilities, options=plan_options, progress=progress)
        offline = build(known(state))
        found = drift.compare(reads, state.manifest.entries.values(), offline.against)
        edited = {entry.path: entry for entry in found.edited}
        entries = {**state.manifest.entries, **edited}
        in_trash = frozenset(path for path, entry in entries.items() if drift.is_trashed(entry))
        findings = NO_FINDINGS.with_missing(found.gone, found.disbelieved, in_trash)
        beside = replace(known(state, findings), entries=entries)
        return occupied_addresses.plan_with_occupied_addresses(
            reads, state, content, build, beside, learner=learner
        )
