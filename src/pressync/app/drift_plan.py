"""Builds the plan from the records that the site has now.

A plan without `--drift` reads only the repository and the manifest, so it does not load this module.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from pressync.app import rolled_back
from pressync.app.revision import with_refusal
from pressync.client.port import require_readable
from pressync.model.errors import ConfigError
from pressync.plan import limits, notes
from pressync.plan.build import build_plan
from pressync.plan.survey import NO_FINDINGS, known
from pressync.state.run_records import RunRecords
from pressync.state.state import OneLook
from pressync.sync import drift, occupied_addresses, vanished

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.app.revision import Revision
    from pressync.app.workspace import Workspace
    from pressync.client.port import Service
    from pressync.model.reason import Reason
    from pressync.model.records import Entry
    from pressync.plan.build import PlannedRun, PlanOptions
    from pressync.plan.survey import Progress
    from pressync.state.state import State


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
        return DriftPlanner(workspace, revision, plan_options, progress).beside(state, service)


@dataclass(frozen=True, slots=True)
class DriftPlanner:
    """Builds the plan of a revision beside an open site."""

    workspace: Workspace
    revision: Revision
    plan_options: PlanOptions
    progress: Progress | None = None

    def beside(self, state: State, service: Service) -> PlannedRun:
        """Build the plan from the records that the service has now; nothing is changed.

        :raises ConfigError: the service cannot be read.
        :raises ServiceError: it does not answer.
        """
        workspace = self.workspace
        reads = require_readable(service)
        # This call fails without valid credentials: a site hides drafts and edit views from visitors.
        rights = reads.rights()
        learner = OneLook.beside(state.manifest)
        content = workspace.content(self.revision, strict=self.plan_options.strict, manifest=learner.manifest)
        options = rolled_back.refusing(self.plan_options, state, content)
        build = partial(build_plan, content, workspace.capabilities, options=options, progress=self.progress)
        offline = build(known(state))
        found = drift.look(reads, state, offline.plan, offline.against, with_kept=True)
        entries = {**state.manifest.entries, **{entry.path: entry for entry in found.learned}}
        findings = replace(
            NO_FINDINGS.with_missing(found.gone, found.unverified, found.in_trash).with_rights(
                rights, found.held
            ),
            compared=True,
            lost=_lost(service, state, entries),
        )
        runs = RunRecords(state.log)
        beside = replace(known(state, findings, runs), entries=entries)
        planned = occupied_addresses.plan_with_occupied_addresses(
            reads, state, content, build, beside, learner=learner
        )
        # A sync refuses before it reads the site. So a record that was found here does not lift a refusal.
        refusals = limits.distinct(planned.plan.refusals, offline.plan.refusals)
        plan, notify = (
            replace(planned.plan, refusals=refusals),
            options.notify or workspace.settings.site.notify,
        )
        return replace(planned, plan=notes.keep_quiet(plan, reads.post_fields, notify=notify))


def _lost(service: Service, state: State, entries: Mapping[str, Entry]) -> Mapping[str, Reason]:
    """Say, by path, which terms, files and users that somebody deleted explain the edits of a record."""
    terms, edited = service.library, [entry for entry in entries.values() if entry.conflict]
    fields = {name for entry in edited for name in entry.conflict}
    if terms is None or not fields:
        return {}
    return vanished.reasons_of_edits(vanished.look(terms, state.manifest, fields), state.manifest, edited)
