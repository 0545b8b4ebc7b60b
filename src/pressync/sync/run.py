"""One sync, from the first plan to the saved manifest; the caller holds the site's lock throughout.

A service that can be read is asked before a person is asked. So the plan that the person approves already
knows of remote edits, unconfirmed creates and names, and it is the plan that runs. Changes that depend on a
create of the last moment wait for the next sync: a look-up of that create is certain only after the server
had 30 s to finish it. Content, state and service are opened by the caller.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.client.port import require_readable
from pressync.model.changes import (
    Block,
    Blocked,
    Create,
    CustomFields,
    Keep,
    Outcome,
    Plan,
    Result,
    Update,
    sent_of,
)
from pressync.model.errors import SafetyRefusal
from pressync.model.outcomes import RunResult
from pressync.model.reason import ReasonCode
from pressync.plan import limits, reasons
from pressync.plan.blocks import Permissions, keep_parents
from pressync.plan.order import schedule
from pressync.plan.survey import NO_FINDINGS
from pressync.sync import drift, prerequisites
from pressync.sync.apply import ApplyLoop, RunOptions
from pressync.sync.claim import holding_claim
from pressync.sync.jobs import SentDocuments
from pressync.sync.site_look import (
    AGENTS_ACCOUNT,
    PlanBuilder,
    SyncInspection,
    lacks,
    refuse_wordpress,
    refusing_documented,
)
from pressync.sync.vanished import OpenSite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pressync.client.port import Service
    from pressync.model.records import Entry
    from pressync.plan.build import PlannedRun
    from pressync.repo.repository import Repository
    from pressync.state.state import State
    from pressync.sync.control import Approval, RunControl
    from pressync.sync.run_recording import RunRecording


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncRun:
    """All that one sync needs; `service` opens the site's service at the first call that needs it.

    `address` is asked for its dialect before the first write; None for a service of our own.
    `compared` builds the first plan beside every record of the site, if such a plan was reviewed.
    """

    plans: PlanBuilder
    service: Callable[[], AbstractContextManager[Service]]
    address: str | None
    options: RunOptions
    approval: Approval
    control: RunControl
    recording: RunRecording
    on_outcome: Callable[[Outcome], None]
    compared: Callable[[State, Service], PlannedRun] | None = None

    def execute(self) -> RunResult | None:
        """Plan, get approval, send the changes, save the manifest; None if the approval was not given.

        :raises ContentError: content has problems, and nobody chose to keep going; nothing was sent.
        :raises SafetyRefusal: a limit, or a plan that is not the reviewed one; nothing was sent.
        :raises Overtaken: another machine was first; nothing was sent.
        """
        state = self.plans.state
        with ExitStack() as opened:
            connect = cache(lambda: opened.enter_context(self.service()))
            # 1. Plan from the files and the manifest, without the network. No work means no request later.
            planned = self._first_plan(connect)
            # 2. Refuse a plan that must not run, a missing password, and a wrong dialect, before other
            #    machines are told of it.
            self.approval.check(planned.plan)
            self._judge_account(connect, planned.plan)
            reads = self.plans.capabilities.read
            if planned.plan.pending or (reads and state.unconfirmed):
                # To open the service sends nothing, and it fails without a password, or for an address that
                # must not get one.
                connect()
            if planned.plan.pending and not reads:
                refuse_wordpress(self.address, self.plans.content.settings, state, self.options.limits)
            # 3. Claim the site before anything of it is read. Other machines then wait, so what the next
            #    steps read stays true; and they know which creates to look up if this run dies.
            prove = partial(self._prove_account, connect, planned.plan) if reads else None
            about = self.recording.about
            opened.enter_context(holding_claim(state, planned.plan, self.control, about, prove=prove))
            # 4. Read the site before a person is asked, so that the approved plan is the one that runs.
            recent: frozenset[str] = frozenset()
            if reads and (self._reads_all or drift.is_due(planned, state)):
                look = self._look(connect())
                planned, recent = look.plan(planned), look.recent
            # 5. Ask for approval as late as possible: nothing of the site has been changed yet.
            if planned.plan.pending and not self.approval.agree(planned.plan):
                return None
            # 6. Send. Changes that depend on creates of the last moment wait for the next sync: the server
            #    may need 30 s to finish those creates.
            self._judge_account(connect, planned.plan, now=True)
            opened.callback(self.recording.end)
            run = self._send(connect, planned, recent)
            # 7. `holding_claim` saves the manifest, also after an error: the journal has all responses now.
        return replace(run, run=self.recording.run, seconds=self.control.seconds)

    def _first_plan(self, connect: Callable[[], Service]) -> PlannedRun:
        if self.compared is None:
            return self.plans.build()
        # The plan is built as it was for the review. It binds what that one found at addresses.
        planned = self.compared(self.plans.state, connect())
        self._bind(planned.bound)
        return planned

    def _judge_account(self, connect: Callable[[], Service], plan: Plan, *, now: bool = False) -> None:
        """Refuse what no tool of an agent sends; `now` is right before the first write.

        The site says what the account of the agent may do. It is asked twice: somebody may give the account
        another role meanwhile. The embedded service of this clone shows nothing to the public.

        :raises SafetyRefusal: the account may do more than write own drafts, or a term or a file is missing.
        """
        if not self.plans.options.as_agent or not plan.pending:
            return
        is_public = self.address is not None
        references = self.plans.content.references
        for desired in sent_of(plan.pending) if now else ():
            for _line, needed in references.unmade(desired, may_upload=not is_public):
                raise limits.refused_by_tools(f"{desired.path} {limits.lacking(needed)}")
        if not is_public:
            return
        reads = require_readable(connect())
        judgement = self.control.retrying(reads).account()
        if now and not judgement.beyond:
            # Where the account has no draft yet, one without text is made to see its rights.
            judgement = reads.with_drafts(judgement, {change.kind for change in plan.pending})
        if judgement.beyond:
            problem = f"a tool sends nothing with this account: {judgement.beyond}"
            todo = "a person gives the agent an account that can only write drafts: a Contributor's"
            raise SafetyRefusal(problem, todo=todo, code="beyond_agent_policy")

    def _prove_account(self, connect: Callable[[], Service], plan: Plan) -> None:
        """Have the site say what the account may do, and refuse one that may do nothing of the plan."""
        settings, state = self.plans.content.settings, self.plans.state
        user = AGENTS_ACCOUNT if self.plans.options.as_agent else settings.site.user
        # The note of this clone may be of a password that is no longer valid.
        with refusing_documented(self.address, settings, state, self.options.limits):
            rights = self.control.reads(connect()).rights()
        state.log.note_rights(user or "", rights)
        may = Permissions(rights, NO_FINDINGS.held, state.manifest.names)
        lacks(may, plan, site=settings.site.name, user=user)

    @property
    def _reads_all(self) -> bool:
        """Whether the records are read that the plan would keep, too; `--overwrite` is about their edits."""
        return self.plans.options.overwrite or self.compared is not None

    def _look(self, service: Service) -> SyncInspection:
        control = self.control
        return SyncInspection(
            plans=self.plans,
            site=OpenSite(control.reads(service), control.library(service), self.plans.state, control.say),
            with_kept=self._reads_all,
            approval=self.approval,
            control=control,
            address=self.address,
            limits=self.options.limits,
            bind=self._bind,
        )

    def _bind(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if self.plans.options.as_agent:
                there = f"the site has {entry.kind} {entry.id} at the address of {entry.path} already"
                raise limits.refused_by_tools(there)
            self.plans.state.put(entry)
            self.plans.state.vouched.add(entry)
            self.recording.bound.add((entry.kind, entry.id))

    def _send(self, connect: Callable[[], Service], planned: PlannedRun, recent: frozenset[str]) -> RunResult:
        """Send a plan's changes; those that depend on the creates `recent` are left to the next sync."""
        is_read = self.plans.capabilities.read and planned.plan.pending
        self.recording.begin(planned, self.control.reads(connect()) if is_read else None)
        # A tool writes down only records that it sends itself.
        if not self.plans.options.as_agent:
            rewind = self.plans.options.allow_rewind
            carry_over(self.plans.state, planned, self.plans.content.repository, rewind=rewind)
        slugs = {path: create.slug for path, create in self.plans.state.unconfirmed.items() if path in recent}
        waiting = waiting_changes(planned.plan, slugs)
        sent = planned
        if waiting:
            # A page above one that waits is not deleted.
            left = keep_parents([c for c in planned.plan.changes if c.path not in waiting], planned.entries)
            plan = replace(planned.plan, changes=tuple(left))
            sent = replace(planned, plan=plan, schedule=schedule(left, planned.entries))
        outcomes = self._apply(connect(), sent, planned.plan.quiet) if sent.plan.pending else []
        return run_result(planned.plan, outcomes, waiting)

    def _apply(
        self, service: Service, planned: PlannedRun, quiet: Mapping[str, CustomFields]
    ) -> list[Outcome]:
        library, uploads, files = self.control.library(service), None, dict[str, frozenset[str]]()
        if library:
            documents = {self.plans.content: planned.plan.changes}
            uploads, files = prerequisites.make(
                library, self.plans.state, self.plans.content.repository, documents, self.control
            )
        refused = uploads.refused if uploads else {}
        outcomes = ApplyLoop(
            planned.schedule,
            SentDocuments(
                commit=planned.plan.commit,
                prepare=lambda change, entries: self.plans.content.prepare(
                    change.path, entries, refused, fields=change.fields
                ),
                basis=lambda e, entries: self.plans.content.basis(e.layout, e.parent_path, e.links, entries),
                uploads=uploads,
                files=files,
                quiet=quiet,
            ),
            service=service,
            state=self.plans.state,
            options=self.options,
            control=self.control,
            on_outcome=self.on_outcome,
        ).run()
        if any(outcome.result is Result.FAILED for outcome in outcomes):
            self.plans.state.log.note_rights()
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
    unknown = planned.plan.replaced
    if rewind:
        commits = {entry.commit for entry in planned.entries.values() if entry.commit}
        present = repository.history.known(commits)
        unknown = repository.history.non_ancestors(present, planned.plan.commit) | (commits - present)
    for change in planned.plan.changes:
        if isinstance(change, Keep):
            entry = change.entry
            if entry.commit in unknown:
                entry = structs.replace(entry, commit=planned.plan.commit)
            if state.manifest.entries.get(entry.path) != entry:
                state.put(entry)


def waiting_changes(plan: Plan, recent: Mapping[str, str]) -> dict[str, str]:
    """List the writes of a plan that wait for recent unconfirmed creates, each with the path it waits for.

    `recent` has the slugs of these creates, by path. A page waits if it links to one of them, or if it wants
    the same slug, because the server may still be assigning that slug. New pages below such a page wait too.
    The plan itself blocks the pages below an unconfirmed create.
    """
    waiting: dict[str, str] = {}
    by_slug = {slug: path for path, slug in recent.items()}
    writes = [change for change in plan.pending if isinstance(change, Create | Update)]
    for change in writes:
        if linked := sorted(set(recent).intersection(change.desired.links)):
            waiting[change.path] = linked[0]
        elif change.desired.slug in by_slug:
            waiting[change.path] = by_slug[change.desired.slug]
    above = {change.path: change.desired.parent_path for change in writes}
    made = {change.path for change in writes if isinstance(change, Create)}
    for path, direct in above.items():
        parent, seen = direct, {path}
        while parent in made and parent not in seen:
            seen.add(parent)
            if parent in waiting:
                waiting.setdefault(path, waiting[parent])
            parent = above[parent]
    return waiting


def run_result(plan: Plan, outcomes: Iterable[Outcome], waiting: Mapping[str, str]) -> RunResult:
    """Give the result of a run: the changes that wait are skipped."""
    ended = {outcome.change.path: outcome for outcome in outcomes}
    # The delete of a page waits if pages below it wait.
    skipped = []
    for change in plan.pending:
        if change.path not in ended:
            why = reasons.because(ReasonCode.PARENT_WAITS)
            if needed := waiting.get(change.path):
                why = reasons.because(ReasonCode.WAITS, waits_for=needed)
            skipped.append(Outcome.because(change, Result.SKIPPED, why))
    blocked = [
        Outcome.because(c, Result.UNCONFIRMED if c.block is Block.UNCONFIRMED else Result.BLOCKED, c.why)
        for c in plan.changes
        if isinstance(c, Blocked)
    ]
    return RunResult(plan, (*ended.values(), *skipped, *blocked))
