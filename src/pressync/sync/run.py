"""One sync, from the first plan to the saved manifest; the caller holds the site's lock throughout.

A service that can be read is asked before a person is asked. So the plan that the person approves already
knows of remote edits, unconfirmed creates and names, and it is the plan that runs. Content, state and service
are opened by the caller.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.model.changes import Delete, Keep, Result, Update
from pressync.model.errors import ContentError
from pressync.plan import notes
from pressync.plan.build import build_plan
from pressync.plan.survey import NO_FINDINGS, known
from pressync.sync import deferred, drift, first_contact, occupied_addresses, prerequisites, vanished
from pressync.sync.apply import apply
from pressync.sync.claim import claim, holding_claim
from pressync.sync.jobs import SentDocuments
from pressync.sync.rights import lacks, permissions
from pressync.sync.unconfirmed import settle_unconfirmed
from pressync.sync.vanished import SiteLook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pressync.client.capabilities import Capabilities
    from pressync.client.port import Reads, Service
    from pressync.content.content import Content
    from pressync.model.changes import CustomFields, Outcome, Plan
    from pressync.model.interface import Kind
    from pressync.model.outcomes import RunResult
    from pressync.model.records import Entry
    from pressync.plan.blocks import Held
    from pressync.plan.build import PlannedRun, PlanOptions
    from pressync.plan.survey import Progress, SiteFindings
    from pressync.repo.repository import Repository
    from pressync.state.state import State
    from pressync.sync.apply import RunOptions
    from pressync.sync.approval import Approval
    from pressync.sync.control import RunControl
    from pressync.sync.drift import CheckEvidence, Drift
    from pressync.sync.run_recording import RunRecording


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncRun:
    """All that one sync needs; `service` opens the site's service at the first call that needs it.

    `address` is asked for its dialect before the first write; None for a service of our own.
    `compared` builds the plan beside every record of the site, for a reviewed plan that was built so.
    """

    content: Content
    state: State
    capabilities: Capabilities
    service: Callable[[], AbstractContextManager[Service]]
    address: str | None
    plan_options: PlanOptions
    options: RunOptions
    approval: Approval
    control: RunControl
    recording: RunRecording
    on_outcome: Callable[[Outcome], None]
    compared: Callable[[State, Service], PlannedRun] | None = None
    progress: Progress | None = None

    def execute(self) -> RunResult | None:
        """Plan, get approval, send the changes, save the manifest; None if the approval was not given.

        :raises ContentError: content has problems, and nobody chose to keep going; nothing was sent.
        :raises SafetyRefusal: a limit, or a plan that is not the reviewed one; nothing was sent.
        :raises Overtaken: another machine was first; nothing was sent.
        """
        state = self.state
        with ExitStack() as opened:
            connect = cache(lambda: opened.enter_context(self.service()))
            # 1. Plan from the files and the manifest, without the network. No work means no request later.
            planned = self._compared(connect()) if self.compared else self._plan()
            # 2. Refuse a plan that must not run, and a wrong dialect, before other machines are told of it.
            self.approval.check(planned.plan)
            reads = self.capabilities.read
            if planned.plan.pending and not reads and self.address:
                # To open the service sends nothing, but it refuses an address that must not get credentials.
                connect()
                first_contact.refuse_wordpress(
                    self.address, self.content.settings, state, self.options.limits
                )
            # 3. Claim the site before anything of it is read. Other machines then wait, so what the next
            #    steps read stays true; and they know which creates to look up if this run dies.
            claimed = holding_claim(state, planned.plan, self.control, self.recording.about, readable=reads)
            opened.enter_context(claimed)
            # 4. Read the site before a person is asked, so that the approved plan is the one that runs.
            #    `--overwrite` is also about the edits of records that the plan would keep.
            recent: frozenset[str] = frozenset()
            if reads and (self._reads_all or drift.is_due(planned, state)):
                planned, recent = self._first_look(connect(), planned)
            # 5. Ask for approval as late as possible: nothing of the site has been changed yet.
            if planned.plan.pending and not self.approval.agree(planned.plan):
                return None
            # 6. Send. Changes that depend on creates of the last moment wait for the next sync: the server
            #    may need 30 s to finish those creates.
            opened.callback(self.recording.end)
            run = self._send(connect, planned, recent)
            # 7. `holding_claim` saves the manifest, also after an error: the journal has all responses now.
        return replace(run, run=self.recording.run, seconds=self.control.seconds)

    @property
    def _reads_all(self) -> bool:
        """Whether the records are read that the plan would keep, too."""
        return self.plan_options.overwrite or self.compared is not None

    def _compared(self, service: Service) -> PlannedRun:
        """Build the plan as it was built for the review, and bind what it found at addresses."""
        if self.compared is None:
            raise AssertionError("nobody has reviewed a plan of drift")
        planned = self.compared(self.state, service)
        self._bind(planned.bound)
        return planned

    def _bind(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self.state.put(entry)
            self.state.vouched.add(entry)
            self.recording.bound.add((entry.kind, entry.id))

    def _plan(self, findings: SiteFindings = NO_FINDINGS, paths: Sequence[str] = ()) -> PlannedRun:
        options = replace(self.plan_options, paths=tuple(paths)) if paths else self.plan_options
        beside = known(self.state, findings, self.recording.records)
        return build_plan(self.content, self.capabilities, beside, options, self.progress)

    def _first_look(self, service: Service, planned: PlannedRun) -> tuple[PlannedRun, frozenset[str]]:
        """Read the site for the plan; give also the paths of the creates that are too recent to look up."""
        reads = self.control.reads(service)
        before = set(self.state.unconfirmed)
        with first_contact.refusing_documented(
            self.address, self.content.settings, self.state, self.options.limits
        ):
            planned = self._permitted(reads, planned)
        recent = settle_unconfirmed(reads, self.state, wait=None, say=self.control.say)
        learned = set(self.state.unconfirmed) != before
        return self._look(service, planned, learned=learned), recent

    def _permitted(
        self, reads: Reads, planned: PlannedRun, held: Mapping[tuple[Kind, int], Held] = NO_FINDINGS.held
    ) -> PlannedRun:
        """Block what the site's user may not do; `held` says whose the records of the plan are.

        :raises ConfigError: the user may make none of the changes.
        """
        site = self.content.settings.site
        may = permissions(reads, planned.plan, self.state, site.user, held)
        findings = planned.findings.with_rights(may.rights, held)
        if not lacks(may, planned.plan, site=site.name, user=site.user):
            return replace(planned, findings=findings) if may.rights and may.rights.lacking else planned
        return self._plan(findings)

    def _look(self, service: Service, planned: PlannedRun, *, learned: bool) -> PlannedRun:
        """Read what the plan must know before it overwrites anything; build it again if there is news.

        `learned` tells that there is news already.
        """
        before, reads = planned.plan, self.control.reads(service)
        look = SiteLook(reads, self.control.library(service), self.state, self.control.say)
        if vanished.forget(look, self.content, planned.plan):
            # Other documents need what was deleted, too. The next step must read their records as well.
            planned, learned = self._plan(planned.findings), True
        looked = self.control.last_look.now()
        check = partial(drift.check_before_write, reads, self.state, with_kept=self._reads_all)
        found = check(planned.plan, planned.against)
        if found.moved:
            # The pages that link there are work, too, and their records must be read.
            planned = self._plan(planned.findings)
            found = replace(check(planned.plan, planned.against), moved=found.moved)
        self.control.last_look.saw(planned.plan, looked)
        allowed = self._permitted(reads, planned, found.held)
        learned |= allowed.plan is not planned.plan
        planned = allowed
        if self.plan_options.overwrite:
            edited = {name for entry in self.state.manifest.entries.values() for name in entry.conflict}
            learned |= vanished.forget_edited(look, edited)
        if look.library:
            names, problems = prerequisites.look_up(look.library, self.state, self.content, planned.plan)
            learned |= names
            if problems and not self.approval.keep_going:
                raise ContentError(tuple(problems))
        if found or learned:
            news = planned.findings.with_missing(found.gone, found.unverified, found.in_trash)
            planned = self._plan(news)
            if self._reads_all:
                planned = self._with_checked_overwrites(check, planned, before)
            self.approval.check_again(planned.plan, before)
        planned = self._look_at_addresses(service, planned)
        notify = self.plan_options.notify or self.content.settings.site.notify
        plan = notes.keep_quiet(planned.plan, reads.post_fields, notify=notify)
        self.approval.check_again(plan, plan)
        planned = replace(planned, plan=plan)
        if planned.plan is not before:
            claim(self.state, planned.plan)
        return planned

    def _with_checked_overwrites(
        self, check: Callable[[Plan, CheckEvidence], Drift], planned: PlannedRun, before: Plan
    ) -> PlannedRun:
        """Check the evidence of the records that were kept `before` and are overwritten now."""
        work = {change.path for change in before.pending}
        if not any(isinstance(c, Update | Delete) and c.path not in work for c in planned.plan.changes):
            return planned
        found = check(planned.plan, planned.against)
        if not found.unverified.keys() - planned.findings.unverified.keys():
            return planned
        return self._plan(planned.findings.with_missing(found.gone, found.unverified, found.in_trash))

    def _look_at_addresses(self, service: Service, planned: PlannedRun) -> PlannedRun:
        """Look up the addresses of new documents; build the plan again where the site has a record there."""
        reads, anyway = self.control.reads(service), self.plan_options.create_anyway
        there = occupied_addresses.look_up(reads, self.state, self.content, planned, anyway=anyway)
        if not there:
            return planned
        self._bind(there.bound)
        there.tell(self.control.say)
        again = self._plan(planned.findings.with_taken(there.taken))
        self.approval.check_occupied(again.plan, there.path)
        self.approval.check_again(again.plan, planned.plan)
        return again

    def _send(self, connect: Callable[[], Service], planned: PlannedRun, recent: frozenset[str]) -> RunResult:
        """Send a plan's changes; those that depend on the creates `recent` are left to the next sync."""
        self._begin(connect, planned)
        slugs = {path: create.slug for path, create in self.state.unconfirmed.items() if path in recent}
        waiting = deferred.waiting_changes(planned.plan, slugs)
        rest = [change.path for change in planned.plan.pending if change.path not in waiting]
        outcomes: list[Outcome] = []
        if rest:
            sent = self._plan(planned.findings, rest) if waiting else planned
            outcomes = self._apply(connect(), sent, planned.plan.quiet)
        return deferred.run_result(planned.plan, outcomes, waiting)

    def _begin(self, connect: Callable[[], Service], planned: PlannedRun) -> None:
        is_read = self.capabilities.read and planned.plan.pending
        self.recording.begin(planned, self.control.reads(connect()) if is_read else None)
        carry_over(self.state, planned, self.content.repository, rewind=self.plan_options.allow_rewind)

    def _apply(
        self, service: Service, planned: PlannedRun, quiet: Mapping[str, CustomFields]
    ) -> list[Outcome]:
        library, uploads, files = self.control.library(service), None, dict[str, frozenset[str]]()
        if library:
            uploads, files = prerequisites.make(library, self.state, self.content, planned.plan, self.control)
        refused = uploads.refused if uploads else {}
        outcomes = apply(
            planned.schedule,
            SentDocuments(
                commit=planned.plan.commit,
                prepare=lambda path, entries: self.content.prepare(path, entries, refused),
                basis=lambda e, entries: self.content.basis(e.layout, e.parent_path, e.links, entries),
                uploads=uploads,
                files=files,
                quiet=quiet,
            ),
            service=service,
            state=self.state,
            options=self.options,
            control=self.control,
            on_outcome=self.on_outcome,
        )
        if any(outcome.result is Result.FAILED for outcome in outcomes):
            self.state.rights.drop()
        return outcomes


# All renames go into one line of the journal, because half of a chain of renames would lose a record.
def carry_over(state: State, planned: PlannedRun, repository: Repository, *, rewind: bool) -> None:
    """Record what a plan found and no response will show.

    After a rebase or an accepted rewind, this history lacks the commits of some kept entries. These entries
    get the plan's commit, so that no later sync is refused, also in another clone.

    :raises StorageError: the journal cannot be written.
    """
    # These include the children of a page whose file was renamed.
    before = state.manifest.entries
    renamed = [entry for path, entry in planned.entries.items() if before.get(path) != entry]
    if renamed:
        state.put(*renamed)
    unknown = _unknown_commits(planned, repository) if rewind else planned.plan.replaced
    for change in planned.plan.changes:
        if isinstance(change, Keep):
            entry = change.entry
            if entry.commit in unknown:
                entry = structs.replace(entry, commit=planned.plan.commit)
            if state.manifest.entries.get(entry.path) != entry:
                state.put(entry)


def _unknown_commits(planned: PlannedRun, repository: Repository) -> frozenset[str]:
    """List the manifest's commits that are missing here, or that the plan's commit does not descend from."""
    commits = {entry.commit for entry in planned.entries.values() if entry.commit}
    known = repository.known(commits)
    return repository.non_ancestors(known, planned.plan.commit) | (commits - known)
