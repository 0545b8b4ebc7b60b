"""One sync, from the first look at the plan to the saved manifest, with the site's lock held throughout.

It must not know how content, state and service are found; they are handed in, open. What decided its
shape: a service that can be read is asked before a person is, so the plan that somebody agrees to already
knows of edits, doubts and names, and is the plan that is applied.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.client.port import library, reading
from pressync.client.retry import PatientLibrary, PatientReads
from pressync.model.changes import Blocked, Result
from pressync.model.errors import ContentError, PressyncError, SafetyRefusal, StorageError
from pressync.plan.build import build_plan
from pressync.plan.survey import NO_FINDINGS, known
from pressync.sync import deferred, drift, occupied_addresses, prerequisites
from pressync.sync import doubts as doubt_checks
from pressync.sync.apply import apply
from pressync.sync.claim import claim, holding_claim
from pressync.sync.rate_limit import RateLimiter
from pressync.sync.renames import carry_over

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from pressync.client.port import Library, Service
    from pressync.content.content import Content
    from pressync.model.changes import Outcome, Plan
    from pressync.model.outcomes import RunResult
    from pressync.model.records import Capabilities, Name
    from pressync.plan.build import PlannedRun, PlanOptions
    from pressync.plan.reviewed import ReviewedPlan
    from pressync.plan.survey import Progress, SiteFindings
    from pressync.state.state import State
    from pressync.sync.apply import RunListener, RunOptions
    from pressync.sync.occupied_addresses import OccupiedAddresses


@dataclass(frozen=True, slots=True)
class Approval:
    """How a sync gets its go-ahead: by asking, and by a reviewed plan if there is one."""

    agree: Callable[[Plan], bool]
    reviewed: ReviewedPlan | None = None
    keep_going: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncRun:
    """What one sync is held with; `service` opens the site's service, when it is needed."""

    content: Content
    state: State
    capabilities: Capabilities
    service: Callable[[], AbstractContextManager[Service]]
    choices: PlanOptions
    pace: RunOptions
    consent: Approval
    stop: threading.Event
    watcher: RunListener
    progress: Progress | None = None

    def execute(self) -> RunResult | None:
        """Draw the plan, get consent, make the changes, save the manifest; None if nobody agreed.

        :raises ContentError: content has problems and nobody said to keep going; nothing was sent.
        :raises SafetyRefusal: a limit, or a plan that is not the reviewed one.
        :raises Overtaken: another machine was first; nothing was sent.
        """
        state, pace = self.state, self.pace
        with ExitStack() as opened:
            drawn = self._draw()
            _refuse(drawn.plan, self.consent)
            reads = self.capabilities.read
            opened.enter_context(
                holding_claim(state, drawn.plan, readable=reads, stop=self.stop, say=self.watcher.say)
            )
            service: Service | None = None
            young: frozenset[str] = frozenset()
            if reads and (drawn.plan.pending or state.doubts):
                service = opened.enter_context(self.service())
                drawn, young = self._settled(service, drawn)
            if drawn.plan.pending and not self.consent.agree(drawn.plan):
                return None
            if drawn.plan.pending:
                service = service or opened.enter_context(self.service())
            run = self._made(service, drawn, young)
            if run and pace.delete_unused_media and self.capabilities.files and not self.choices.paths:
                service = service or opened.enter_context(self.service())
                self._delete_unused_media(service, run)
        return run

    def _made(self, service: Service | None, drawn: PlannedRun, young: frozenset[str]) -> RunResult | None:
        """Make a plan's changes; those that depend on the creates `young` last, when these can be looked up.

        None if nothing was sent and nobody agreed to what could be sent at last.
        """
        carry_over(self.state, drawn, self.content.repository, rewind=self.choices.allow_rewind)
        doubts = {path: doubt.slug for path, doubt in self.state.doubts.items() if path in young}
        held = deferred.waiting_changes(drawn.plan, doubts)
        rest = [change.path for change in drawn.plan.pending if change.path not in held]
        outcomes: list[Outcome] = []
        if service and rest:
            outcomes = self._apply(service, self._draw(drawn.findings, rest) if held else drawn)
        so_far = deferred.first_part(drawn.plan, outcomes, held)
        if service is None or not young:
            return replace(so_far, waiting=False)
        try:
            return self._at_last(service, so_far, outcomes, young, drawn.findings)
        except PressyncError as error:
            if isinstance(error, StorageError) or not outcomes:
                raise
            self.watcher.say(f"The unconfirmed creates are left to the next sync: {error}")
        return so_far

    def _at_last(
        self,
        service: Service,
        so_far: RunResult,
        outcomes: list[Outcome],
        young: frozenset[str],
        findings: SiteFindings,
    ) -> RunResult | None:
        """Look up the creates that were too young for it, and make the changes that waited for them."""
        if self.stop.is_set() or deferred.ended_early(outcomes):
            return replace(so_far, waiting=False)
        reads = self._reads(service)
        doubt_checks.settle_doubts(reads, self.state, among=young, wait=self.stop.wait, say=self.watcher.say)
        if self.stop.is_set():
            return so_far
        drawn = self._draw(findings)
        whole, paths = drawn.plan, deferred.remaining_paths(drawn.plan, outcomes)
        if not paths:
            return deferred.joined(so_far, outcomes, (whole,), ())
        if len(paths) < len(whole.pending):
            drawn = self._draw(findings, paths)
        _refuse_more(drawn.plan, so_far.plan, self.consent)
        claim(self.state, drawn.plan)
        drawn = self._inspected(service, drawn, paths=paths)
        if deferred.has_more(drawn.plan, so_far.plan) and not self.consent.agree(drawn.plan):
            return so_far if outcomes else None
        carry_over(self.state, drawn, self.content.repository, rewind=self.choices.allow_rewind)
        later = self._apply(service, drawn) if drawn.plan.pending else []
        return deferred.joined(so_far, outcomes, (whole, drawn.plan), later)

    def _draw(self, findings: SiteFindings = NO_FINDINGS, paths: Sequence[str] = ()) -> PlannedRun:
        beside = known(self.state, findings)
        choices = replace(self.choices, paths=tuple(paths)) if paths else self.choices
        return build_plan(self.content, self.capabilities, beside, choices, self.progress)

    def _reads(self, service: Service) -> PatientReads:
        return PatientReads(reading(service), self.pace.patience, self.stop.wait, self.watcher.say)

    def _settled(self, service: Service, drawn: PlannedRun) -> tuple[PlannedRun, frozenset[str]]:
        """Settle the creates in doubt that can be settled now; give the paths of those too young for it."""
        reads, site, doubts = self._reads(service), self.content.settings.site, set(self.state.doubts)
        doubt_checks.require_rights(reads, drawn.plan, site=site.name, user=site.user)
        young = doubt_checks.settle_doubts(reads, self.state, wait=None, say=self.watcher.say)
        learned = set(self.state.doubts) != doubts
        return self._inspected(service, drawn, learned=learned), young

    def _inspected(
        self, service: Service, drawn: PlannedRun, *, paths: Sequence[str] = (), learned: bool = False
    ) -> PlannedRun:
        """Ask a service with reads what the plan must know before it overwrites anything.

        If there is anything new, the plan is drawn once more; `learned` tells that there is.
        """
        found = drift.check_before_write(self._reads(service), self.state, drawn.plan, drawn.against)
        if shelves := self._library(service):
            names, problems = prerequisites.look_up(shelves, self.state, self.content, drawn.plan)
            learned |= names
            if problems and not self.consent.keep_going:
                raise ContentError(tuple(problems))
        before = drawn.plan
        if found or learned:
            drawn = self._draw(drawn.findings.with_missing(found.gone, found.disbelieved), paths)
            _refuse_more(drawn.plan, before, self.consent)
        drawn = self._beside_addresses(service, drawn, paths)
        if drawn.plan is not before:
            claim(self.state, drawn.plan)
        return drawn

    def _beside_addresses(self, service: Service, drawn: PlannedRun, paths: Sequence[str]) -> PlannedRun:
        """Look up the addresses of the new documents; draw the plan once more where something is there."""
        reads, before = self._reads(service), drawn.plan
        there = occupied_addresses.look_up(
            reads, self.state, self.content, drawn, anyway=self.choices.create_anyway
        )
        if not there:
            return drawn
        self.state.put(*there.bound)
        for entry in there.bound:
            self.state.vouched.add(entry)
        there.tell(self.watcher.say)
        drawn = self._draw(drawn.findings.with_taken(there.taken), paths)
        _refuse_other(drawn.plan, there, self.consent)
        _refuse_more(drawn.plan, before, self.consent)
        return drawn

    def _library(self, service: Service) -> Library | None:
        found = library(service)
        return found and PatientLibrary(found, self.pace.patience, self.stop.wait, self.watcher.say)

    def _turns(self) -> Callable[[], bool]:
        """Give what waits for each call's turn, and is false once the run is stopped."""
        pacer = RateLimiter(self.pace.rate, self.stop)

        def go_on() -> bool:
            pacer.wait()
            return not self.stop.is_set()

        return go_on

    def _apply(self, service: Service, drawn: PlannedRun) -> list[Outcome]:
        refused: dict[Name | str, str] = {}
        if shelves := self._library(service):
            refused = prerequisites.make(
                shelves,
                self.state,
                self.content,
                drawn.plan,
                at_a_time=self.pace.concurrency,
                say=self.watcher.say,
                go_on=self._turns(),
            )
        return apply(
            drawn.schedule,
            service=service,
            state=self.state,
            prepare=lambda path, entries: self.content.prepare(path, entries, refused),
            commit=drawn.plan.commit,
            pace=self.pace,
            stop=self.stop,
            watcher=self.watcher,
        )

    def _delete_unused_media(self, service: Service, run: RunResult) -> None:
        """Delete the files that nothing uses: only if every record is in step, for others still show them."""
        shelves = self._library(service)
        if shelves and all(outcome.result in {Result.DONE, Result.KEPT} for outcome in run.outcomes):
            prerequisites.delete_unused(shelves, self.state, self.content, self.watcher.say, self._turns())
        else:
            self.watcher.say("No uploaded file is deleted before every record is in step.")


def _refuse(plan: Plan, consent: Approval) -> None:
    errors = tuple(problem for problem in plan.problems if not problem.warning)
    if errors and not consent.keep_going:
        raise ContentError(errors)
    if plan.refusals:
        raise SafetyRefusal("; ".join(plan.refusals))
    if consent.reviewed is not None and not consent.reviewed.matches(plan):
        raise _not_reviewed("content, configuration or manifest changed since")


def _refuse_more(plan: Plan, before: Plan, consent: Approval) -> None:
    """Refuse a plan that was drawn once more, where it has more changes than the reviewed one."""
    _refuse(plan, replace(consent, reviewed=None))
    known = {(type(change), change.path) for change in before.pending}
    more = [change.path for change in plan.pending if (type(change), change.path) not in known]
    if consent.reviewed is not None and more:
        raise _not_reviewed(f"the site was looked at, and {more[0]} would change as well")


def _refuse_other(plan: Plan, there: OccupiedAddresses, consent: Approval) -> None:
    """Refuse a reviewed plan with creates of what is there already."""
    if consent.reviewed is not None:
        why = next((c.reason for c in plan.changes if c.path == there.path and isinstance(c, Blocked)), "")
        about = why or "it is on the site already, and is bound by now"
        raise _not_reviewed(f"the site was looked at, and {there.path} is not to be made: {about}")


def _not_reviewed(why: str) -> SafetyRefusal:
    return SafetyRefusal(
        f"this is not the plan that was reviewed: {why}",
        todo="review a new one with `pressync plan --out FILE`",
    )
