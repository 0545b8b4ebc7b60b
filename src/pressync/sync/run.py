"""One sync, from the first plan to the saved manifest; the caller holds the site's lock throughout.

A service that can be read is asked before a person is asked. So the plan that the person approves already
knows of remote edits, unconfirmed creates and names, and it is the plan that runs. Content, state and service
are opened by the caller.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from pressync.model.changes import Result
from pressync.model.errors import ContentError, PressyncError, StorageError
from pressync.plan.build import build_plan
from pressync.plan.survey import NO_FINDINGS, known
from pressync.sync import deferred, drift, first_contact, occupied_addresses, prerequisites, vanished
from pressync.sync.apply import apply
from pressync.sync.approval import new_paths
from pressync.sync.claim import claim, holding_claim
from pressync.sync.jobs import SentDocuments
from pressync.sync.renames import carry_over
from pressync.sync.rights import require_rights
from pressync.sync.unconfirmed import settle_unconfirmed
from pressync.sync.vanished import SiteLook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from pressync.client.capabilities import Capabilities
    from pressync.client.port import Service
    from pressync.content.content import Content
    from pressync.model.changes import Outcome
    from pressync.model.outcomes import RunResult
    from pressync.model.records import Entry
    from pressync.plan.build import PlannedRun, PlanOptions
    from pressync.plan.survey import Progress, SiteFindings
    from pressync.state.state import State
    from pressync.sync.apply import RunOptions
    from pressync.sync.approval import Approval
    from pressync.sync.control import RunControl
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
            # 1. Plan from the files and the manifest: this needs no network. If nothing is to be done, no
            #    later step sends a request.
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
            # 6. Send. Changes that depend on recent unconfirmed creates go last: the server may need 30 s
            #    to finish those creates.
            opened.callback(self.recording.end)
            run = self._send(connect, planned, recent)
            # 7. Delete unused files after all records are up to date: until then records still show them.
            if run and self._may_delete_media:
                self._delete_unused_media(connect(), run)
            # 8. `holding_claim` saves the manifest, also after an error: the journal has all responses now.
        return run and replace(run, run=self.recording.run, account=self.control.clock.account())

    @property
    def _may_delete_media(self) -> bool:
        wanted = self.options.delete_unused_media and self.capabilities.files
        return bool(wanted and not self.plan_options.paths)

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
        reads, site = self.control.reads(service), self.content.settings.site
        before = set(self.state.unconfirmed)
        with first_contact.refusing_documented(
            self.address, self.content.settings, self.state, self.options.limits
        ):
            require_rights(reads, planned.plan, self.state.rights, site=site.name, user=site.user)
        recent = settle_unconfirmed(reads, self.state, wait=None, say=self.control.say)
        learned = set(self.state.unconfirmed) != before
        return self._look(service, planned, learned=learned), recent

    def _look(
        self, service: Service, planned: PlannedRun, *, paths: Sequence[str] = (), learned: bool = False
    ) -> PlannedRun:
        """Read what the plan must know before it overwrites anything; build it again if there is news.

        `learned` tells that there is news already.
        """
        before, reads = planned.plan, self.control.reads(service)
        look = SiteLook(reads, self.control.library(service), self.state, self.control.say)
        if vanished.forget(look, self.content, planned.plan):
            # Other documents need what was deleted, too. The next step must read their records as well.
            planned, learned = self._plan(planned.findings, paths), True
        looked = self.control.last_look.now()
        found = drift.check_before_write(
            reads, self.state, planned.plan, planned.against, with_kept=self._reads_all
        )
        self.control.last_look.saw(planned.plan, looked)
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
            planned = self._plan(news, paths)
            self.approval.check_again(planned.plan, before)
        planned = self._look_at_addresses(service, planned, paths)
        if planned.plan is not before:
            claim(self.state, planned.plan, first=not paths)
        return planned

    def _look_at_addresses(self, service: Service, planned: PlannedRun, paths: Sequence[str]) -> PlannedRun:
        """Look up the addresses of new documents; build the plan again where the site has a record there."""
        there = occupied_addresses.look_up(
            self.control.reads(service),
            self.state,
            self.content,
            planned,
            anyway=self.plan_options.create_anyway,
        )
        if not there:
            return planned
        self._bind(there.bound)
        there.tell(self.control.say)
        again = self._plan(planned.findings.with_taken(there.taken), paths)
        self.approval.check_occupied(again.plan, there.path)
        self.approval.check_again(again.plan, planned.plan)
        return again

    def _send(
        self, connect: Callable[[], Service], planned: PlannedRun, recent: frozenset[str]
    ) -> RunResult | None:
        """Send a plan's changes; those that depend on the creates `recent` wait until the others are sent.

        None if nothing was sent, and the changes that waited were not approved.
        """
        self._begin(connect, planned)
        slugs = {path: create.slug for path, create in self.state.unconfirmed.items() if path in recent}
        waiting = deferred.waiting_changes(planned.plan, slugs)
        rest = [change.path for change in planned.plan.pending if change.path not in waiting]
        outcomes: list[Outcome] = []
        if rest:
            outcomes = self._apply(connect(), self._plan(planned.findings, rest) if waiting else planned)
        so_far = deferred.first_part(planned.plan, outcomes, waiting)
        if not recent:
            return replace(so_far, waiting=False)
        try:
            return self._send_waiting(connect(), so_far, outcomes, recent, planned.findings)
        except PressyncError as error:
            if isinstance(error, StorageError) or not outcomes:
                raise
            self.control.say(f"The unconfirmed creates are left to the next sync: {error}")
        return so_far

    def _send_waiting(
        self,
        service: Service,
        so_far: RunResult,
        outcomes: list[Outcome],
        recent: frozenset[str],
        findings: SiteFindings,
    ) -> RunResult | None:
        """Look up the creates that were too recent, and send the changes that waited for them."""
        if self.control.stopped or deferred.ended_early(outcomes):
            return replace(so_far, waiting=False)
        control = self.control
        reads = control.reads(service)
        settle_unconfirmed(reads, self.state, among=recent, wait=control.wait, say=control.say)
        if control.stopped:
            return so_far
        # With a limit, the changes after the approved ones stay for a later sync.
        approved = so_far.plan.pending if so_far.plan.later else ()
        planned = self._plan(findings, [change.path for change in approved])
        whole, paths = planned.plan, deferred.remaining_paths(planned.plan, outcomes)
        if not paths:
            return deferred.joined(so_far, outcomes, (whole,), ())
        if len(paths) < len(whole.pending):
            planned = self._plan(findings, paths)
        self.approval.check_again(planned.plan, so_far.plan)
        claim(self.state, planned.plan, first=False)
        planned = self._look(service, planned, paths=paths)
        if new_paths(planned.plan, so_far.plan) and not self.approval.agree(planned.plan):
            return so_far if outcomes else None
        self._begin(lambda: service, planned)
        later = self._apply(service, planned) if planned.plan.pending else []
        return deferred.joined(so_far, outcomes, (whole, planned.plan), later)

    def _begin(self, connect: Callable[[], Service], planned: PlannedRun) -> None:
        is_read = self.capabilities.read and planned.plan.pending
        self.recording.begin(planned, self.control.reads(connect()) if is_read else None)
        carry_over(self.state, planned, self.content.repository, rewind=self.plan_options.allow_rewind)

    def _apply(self, service: Service, planned: PlannedRun) -> list[Outcome]:
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

    def _delete_unused_media(self, service: Service, run: RunResult) -> None:
        """Delete the files that nothing uses, if every record is up to date."""
        library = self.control.library(service)
        if library and all(outcome.result in {Result.DONE, Result.KEPT} for outcome in run.outcomes):
            prerequisites.delete_unused(library, self.state, self.content, self.control)
        else:
            self.control.say("Uploaded files are not deleted before every record is up to date.")
