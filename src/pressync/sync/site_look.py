"""Asks the site about a plan before it is sent or shown, and builds the plan again if the site has news.

A look learns all at once: rights, unconfirmed creates, deleted things, edits, names, occupied addresses. That
news may bring new changes into the plan. So the next look is about these alone, and the last plan has
only changes that a look was about. Most runs need one look and build their plan at most twice. A
`SyncInspection` notes what it learns in the journal, a `DriftInspection` for one plan only.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.client import probe
from pressync.client.dialects import DEFAULT, Capabilities, DialectRow
from pressync.model.changes import Change, Create, Keep, NotCompared, Plan, Update
from pressync.model.errors import BadAnswer, ConfigError, ContentError, Refused, ServiceError
from pressync.model.printable import one_line
from pressync.plan import limits, notes, reasons
from pressync.plan.blocks import Held, Permissions
from pressync.plan.build import PlannedRun, PlanOptions, build_plan
from pressync.plan.survey import NO_FINDINGS, Progress, SiteFindings, known
from pressync.state.clone_facts import RunRecords
from pressync.sync import drift, occupied_addresses, prerequisites, vanished
from pressync.sync.claim import claim
from pressync.sync.unconfirmed import settle_unconfirmed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from pressync.client.port import Limits, Reads
    from pressync.config.settings import Settings
    from pressync.content.content import Content
    from pressync.model.interface import Kind
    from pressync.model.reason import Reason
    from pressync.model.records import Entry
    from pressync.plan.schema_changes import SchemaDifference
    from pressync.state.state import Learner, State
    from pressync.sync.control import Approval, RunControl
    from pressync.sync.occupied_addresses import OccupiedAddresses
    from pressync.sync.vanished import OpenSite

# The seconds that the request for the dialect may take. A documented service need not know it, and may never
# respond to it.
_LONGEST = 15.0
# A service that is not WordPress refuses its reads with one of these.
_UNKNOWN_ROUTE = frozenset({400, 404, 405, 415})


@dataclass(frozen=True, slots=True)
class PlanBuilder:
    """Builds each plan of a run, in this one place; `memory` has what the run has learned of the site."""

    content: Content
    capabilities: Capabilities
    options: PlanOptions
    state: State
    memory: Learner
    progress: Progress | None = None

    def build(self, findings: SiteFindings = NO_FINDINGS) -> PlannedRun:
        """Build the plan from the files, the memory and what the looks have found."""
        now = known(self.state, findings, RunRecords(self.state.log))
        settled = replace(now, entries=self.memory.manifest.entries)
        return build_plan(self.content, self.capabilities, settled, self.options, self.progress)


@dataclass(kw_only=True)
class _SiteInspection:
    """Reads a site for one plan; `with_kept` reads the records that the first plan keeps, too."""

    plans: PlanBuilder
    site: OpenSite
    address: str | None
    findings: SiteFindings = NO_FINDINGS
    with_kept: bool = False
    _is_first: bool = True
    _seen: set[tuple[type, str]] = field(default_factory=set)
    _addresses: set[str] = field(default_factory=set)
    _kinds: set[Kind] = field(default_factory=set)

    def _typed(self, plan: Plan, changes: Iterable[Change]) -> Plan:
        settings = self.plans.content.settings
        return typed(plan, changes, settings, self.address, self.site, self._kinds)

    def _unseen(self, plan: Plan) -> Plan:
        """Give the plan of the changes that no look was about; at first it is the whole plan."""
        if not self._is_first:
            new = (change for change in plan.pending if (type(change), change.path) not in self._seen)
            plan = replace(plan, changes=tuple(new))
        self._seen |= {(type(change), change.path) for change in plan.pending}
        return plan

    def _compare(self, planned: PlannedRun, plan: Plan) -> SiteFindings:
        """Read the records that these changes overwrite, and note the edits of others."""
        findings = drift.look(
            self.site.reads,
            self.plans.memory.manifest.entries,
            plan,
            planned.unverified,
            with_kept=self.with_kept and self._is_first,
            around=self._is_first,
        )
        self.site.state.log.see_notes(findings.notes)
        if findings.learned:
            self.plans.memory.put(*findings.learned)
        self.findings = self.findings.joined(findings)
        return findings

    def _with_markup(self, plan: Plan, entries: Mapping[str, Entry]) -> Plan:
        """Give the plan with the texts of the site that it replaces, and the new ones."""
        texts, paths = self.findings.texts, drift.replaced(plan)
        new = {key: self.plans.content.text(path, entries) for key, path in paths.items() if key in texts}
        return replace(plan, markup={paths[key]: (texts[key], text or "") for key, text in new.items()})

    def _with_ids(self, plan: Plan, changes: Iterable[Change]) -> Plan:
        """Give the plan with the terms and authors of documents of these changes that the site lacks."""
        if not self.site.library:
            return plan
        problems, remarks = vanished.missing_numbers(self.site.library, self.plans.content, changes)
        return replace(plan, problems=(*plan.problems, *problems), remarks=(*plan.remarks, *remarks))

    def _at_addresses(
        self,
        planned: PlannedRun,
        anyway: Collection[str] = (),
        learn: Callable[[Collection[Create]], None] = lambda _creates: None,
    ) -> OccupiedAddresses | None:
        """Look up the addresses of the creates, again if there is a new one: it may be below another."""
        may = Permissions(self.findings.rights, NO_FINDINGS.held, self.plans.memory.manifest.names)
        creates = occupied_addresses.to_look_up(planned.plan, may, anyway)
        new = {create.path for create in creates} - self._addresses
        self._addresses |= new
        if not new:
            return None
        occupied = occupied_addresses.look_up(
            self.site.reads, self.site.state, self.plans.content, planned, creates, learn=learn
        )
        if occupied:
            self.findings = replace(self.findings, taken={**(self.findings.taken or {}), **occupied.taken})
            # Their records were read just now.
            self._seen |= {(Update, entry.path) for entry in occupied.bound}
        return occupied


@dataclass(kw_only=True)
class SyncInspection(_SiteInspection):
    """Reads a site for a sync. `recent` are the paths of the creates that were too recent to look up."""

    approval: Approval
    control: RunControl
    limits: Limits
    bind: Callable[[Iterable[Entry]], None]
    recent: frozenset[str] = frozenset()

    def plan(self, planned: PlannedRun) -> PlannedRun:
        """Look at the site for the first plan of a run, and give the plan that the run may send.

        :raises ConfigError: the user may make none of the changes.
        :raises ContentError: a document names an author whom the site does not have.
        :raises SafetyRefusal: a plan that was built again must not run.
        :raises ServiceError: the service cannot be read.
        """
        before, taken = planned.plan, ""
        # No route is asked for records before the site itself has named it.
        compared = [change for change in before.changes if not isinstance(change, NotCompared)]
        self.approval.check_again(self._typed(before, compared if self.with_kept else before.pending), before)
        self.findings = planned.findings
        while True:
            news, taken = self._look(planned)
            if not news:
                break
            planned = self.plans.build(self.findings)
            if taken:
                self.approval.check_occupied(planned.plan, taken)
        notify = self.plans.options.notify or self.plans.content.settings.site.notify
        plan = notes.keep_quiet(planned.plan, self.site.reads.post_fields, notify=notify)
        plan = self._typed(plan, plan.pending)
        self.approval.check_again(plan, before)
        if plan is not before:
            claim(self.site.state, plan)
        plan = self._with_ids(self._with_markup(plan, planned.entries), plan.pending)
        return replace(planned, plan=plan, findings=self.findings)

    def _look(self, planned: PlannedRun) -> tuple[bool, str]:
        """Tell whether the plan must be built again; give also a path whose address is occupied, or ""."""
        site, state, content, news = self.site, self.site.state, self.plans.content, False
        first_read = refusing_documented(self.address, content.settings, state, self.limits)
        with first_read if self._is_first else nullcontext():
            if self._forbids(planned.plan):
                # A record that this user may not change is not read.
                return True, ""
        plan = self._unseen(planned.plan)
        if self._is_first and state.unconfirmed:
            before, wait = set(state.unconfirmed), self.control.wait
            self.recent = settle_unconfirmed(site.reads, state, wait=wait, leaves_recent=True, say=site.say)
            news = set(state.unconfirmed) != before
        # A record that lost something sends more fields than before.
        if vanished.forget_needed(site, content, plan):
            self._seen.clear()
            return True, ""
        looked = self.control.recent_reads.now()
        findings = self._compare(planned, plan)
        self.control.recent_reads.saw(plan, looked)
        news |= findings.has_news
        news |= self._forbids(planned.plan, findings.held)
        if self._is_first and self.plans.options.overwrite:
            news |= vanished.forget_edited(site, content, plan)
        names = self._learns_names(plan)
        self._is_first = False
        # The texts of new documents have the addresses of others. So these must be known before.
        taken = "" if news else self._occupied(planned)
        return news or names or bool(taken), taken

    def _forbids(self, plan: Plan, held: Mapping[tuple[Kind, int], Held] = NO_FINDINGS.held) -> bool:
        """Tell whether the site's user may not make some changes; `held` says whose the records are."""
        settled = self.plans.content.settings.site
        user = AGENTS_ACCOUNT if self.plans.options.as_agent else settled.user
        may = permissions(self.site.reads, plan, self.site.state, user, held)
        if may.rights and may.rights.lacking:
            self.findings = replace(self.findings, rights=may.rights)
        return lacks(may, plan, site=settled.name, user=user)

    def _learns_names(self, plan: Plan) -> bool:
        """Learn the terms, authors and files that the changes need and the site has."""
        if not self.site.library:
            return False
        names, problems = prerequisites.look_up(self.site.library, self.site.state, self.plans.content, plan)
        if problems and not self.approval.keep_going:
            raise ContentError(tuple(problems))
        return names

    def _occupied(self, planned: PlannedRun) -> str:
        """Bind the documents that the site has already; give a path that is not to be created, or ""."""
        occupied = self._at_addresses(planned, self.plans.options.create_anyway)
        if not occupied:
            return ""
        self.bind(occupied.bound)
        occupied.tell(self.site.say)
        return occupied.path


@dataclass(kw_only=True)
class DriftInspection(_SiteInspection):
    """Reads a site for a plan that shows what the site has; its content must use what the memory learns."""

    with_kept: bool = True
    _bound: dict[str, Entry] = field(default_factory=dict)
    # The kinds that the site does not have as the committed schema says. No route of these is asked.
    _unread: Mapping[Kind, Reason] = field(default_factory=dict)

    def plan(self) -> PlannedRun:
        """Build the plan beside every record of the site.

        :raises ServiceError: the service cannot be read.
        """
        reads, options = self.site.reads, self.plans.options
        # This call fails without valid credentials: a site hides drafts and edit views from visitors.
        rights = reads.rights()
        offline = planned = self.plans.build()
        contradicted = self._contradicted(offline.plan)
        unread = {
            (change.kind, change.id): self._unread[change.kind]
            for change in offline.plan.changes
            if isinstance(change, Keep) and change.kind in self._unread
        }
        self.findings = replace(NO_FINDINGS, rights=rights, compared=True, taken={}, unread=unread)
        while self._look(planned):
            planned = self.plans.build(self.findings)
        # The manifest does not have the bound entries yet. A plan with nothing to do would be remembered as
        # such, and the sync that writes them down would never look.
        changes = tuple(
            replace(change, why=change.why or reasons.WILL_BE_BOUND, unrecorded=True)
            if isinstance(change, Keep) and change.path in self._bound
            else change
            for change in planned.plan.changes
        )
        # A sync refuses before it reads the site. So a record that was found here does not lift a refusal.
        refusals = limits.distinct(planned.plan.refusals, offline.plan.refusals, contradicted.refusals)
        plan = replace(planned.plan, changes=changes, refusals=refusals)
        notify = options.notify or self.plans.content.settings.site.notify
        plan = notes.keep_quiet(plan, reads.post_fields, notify=notify)
        plan = self._with_ids(self._with_markup(plan, planned.entries), plan.changes)
        return replace(planned, plan=plan, bound=tuple(self._bound.values()))

    def _look(self, planned: PlannedRun) -> bool:
        """Tell whether the plan must be built again; the first one did not know the site."""
        readable = tuple(change for change in planned.plan.changes if change.kind not in self._unread)
        planned = replace(planned, plan=replace(planned.plan, changes=readable))
        if vanished.forget_needed(self.site, self.plans.content, planned.plan, self.plans.memory):
            return True
        findings = self._compare(planned, self._unseen(planned.plan))
        if self._is_first:
            self.findings = replace(self.findings, lost=self._lost())
        is_first, self._is_first = self._is_first, False
        if findings.has_news:
            return True
        there = self._at_addresses(planned, learn=lambda creates: self._learn(planned.plan, creates))
        if there:
            self.plans.memory.put(*there.bound)
            self._bound |= {entry.path: entry for entry in there.bound}
        return is_first or bool(there)

    def _contradicted(self, plan: Plan) -> Plan:
        """Refuse the plan as a sync does, and note the kinds whose records cannot be compared.

        A sync asks for the kinds that it sends; with `--overwrite`, for those of all records.
        """
        settings, asks_all = self.plans.content.settings, self.plans.options.overwrite
        wrong, kinds = contradictions(plan, plan.changes, settings, self.address, self.site)
        if not wrong:
            return plan
        from pressync.plan import schema_changes  # noqa: PLC0415 - few sites have types of their own

        self._unread = schema_changes.unreadable(wrong, kinds, settings)
        sent = schema_changes.kinds_used(settings, plan.changes if asks_all else plan.pending)
        return plan if sent.isdisjoint(self._unread) else schema_changes.refused(plan, wrong, settings)

    def _learn(self, plan: Plan, creates: Collection[Create]) -> None:
        if self.site.library:
            some = replace(plan, changes=tuple(creates))
            prerequisites.look_up(self.site.library, self.plans.memory, self.plans.content, some)

    def _lost(self) -> Mapping[str, Reason]:
        """Say, by path, which terms, files and users that somebody deleted explain the edits of a record."""
        manifest = self.plans.memory.manifest
        edited = [entry for entry in manifest.entries.values() if entry.conflict]
        fields = {name for entry in edited for name in entry.conflict}
        if self.site.library is None or not fields:
            return {}
        return vanished.reasons_of_edits(vanished.look(self.site.library, manifest, fields), manifest, edited)


def typed(  # noqa: PLR0917 - the plan and its changes, the site and its settings
    plan: Plan,
    changes: Iterable[Change],
    settings: Settings,
    address: str | None,
    site: OpenSite,
    seen: set[Kind] | None = None,
) -> Plan:
    """Refuse the plan if the site contradicts the committed schema of the kinds of these changes.

    Kinds that were `seen` are not asked for again. A service of our own, without an `address`, has its types
    from that schema.

    :raises ServiceError: the site cannot be read, or does not show the types to this user.
    """
    wrong, _ = contradictions(plan, changes, settings, address, site, seen)
    if not wrong:
        return plan
    from pressync.plan import schema_changes  # noqa: PLC0415 - few sites have types of their own

    return schema_changes.refused(plan, wrong, settings)


def contradictions(  # noqa: PLR0917 - the plan and its changes, the site and its settings
    plan: Plan,
    changes: Iterable[Change],
    settings: Settings,
    address: str | None,
    site: OpenSite,
    seen: set[Kind] | None = None,
) -> tuple[list[SchemaDifference], frozenset[Kind]]:
    """Find how the site contradicts the committed schema; give also the kinds that it was asked for."""
    if settings.site_schema is None or address is None:
        return [], frozenset()
    from pressync.plan import schema_changes  # noqa: PLC0415 - few sites have types of their own

    seen = set() if seen is None else seen
    new = schema_changes.kinds_used(settings, changes) - seen
    seen |= new
    entries = site.state.manifest.entries.values()
    return schema_changes.contradictions(plan, new, settings, site.reads.schema, entries, site.say), new


def permissions(
    service: Reads, plan: Plan, state: State, user: str | None, held: Mapping[tuple[Kind, int], Held]
) -> Permissions:
    """Tell which changes of a plan the user may make; the site is asked only if the note does not allow all.

    A missing right would show only at the first refused write, when a part of the site has changed. A right
    that the note of this clone names as missing may have been given since, so it is asked for again.

    :raises ServiceError: the site does not recognise the user, or the service cannot be read.
    """
    names = state.manifest.names
    noted = Permissions(state.log.rights_of(user or ""), held, names)
    # A record that the user may not read shows that a right was taken since.
    is_known = (
        noted.rights
        and all(record.is_read for record in held.values())
        and not any(map(noted.missing, plan.pending))
    )
    if is_known or not plan.pending:
        return noted
    rights = service.rights()
    state.log.note_rights(user or "", rights)
    return Permissions(rights, held, names)


AGENTS_ACCOUNT = "the account of the agent"  # The settings name the user of a person.


def lacks(may: Permissions, plan: Plan, *, site: str, user: str | None, all_of_it: bool = False) -> bool:
    """Tell whether the user may not make some of the changes; with `all_of_it`, that is an error.

    :raises ConfigError: the user may make none of them.
    """
    missing = [may.missing(change) for change in plan.pending]
    if not any(missing):
        return False
    is_published = any(map(may.is_published_since, plan.pending))
    if all_of_it or (all(missing) and not is_published):
        named = sorted({right for right in missing if right})
        number = "not all" if all_of_it and not all(missing) else "none"
        lacking = f"{', '.join(named)} {'is' if len(named) == 1 else 'are'} missing"
        raise ConfigError(
            f"{user or 'the user'} may make {number} of the changes of this run: {lacking}",
            where=f"site '{site}'",
            todo=reasons.ANOTHER_USER if user != AGENTS_ACCOUNT else reasons.A_PERSON,
        )
    return True


# Stock WordPress publishes a page whose title is the JSON text of the documented encoding (measured), and it
# answers with a success. So a wrong dialect must be found before the first write. One request without
# credentials shows it. A target that has ever taken a write is not asked again.
def refuse_wordpress(url: str | None, settings: Settings, state: State, limits: Limits) -> None:
    """Refuse to speak the documented dialect to stock WordPress.

    A service that does not respond, or that responds with an error, is not refused: the first write tells.

    :raises ConfigError: the site is stock WordPress.
    """
    if url is None or _was_written(state):
        return
    try:
        seen = _asked(url, limits)
    except ServiceError:
        return
    # The embedded service speaks both dialects at one address, and names them.
    if seen.shown:
        raise ConfigError(
            f"the site is stock WordPress (GET {one_line(seen.asked)}: {seen.wordpress}), and it would "
            "publish the documented encoding as text; nothing was sent",
            where=_place(settings),
            todo=_remedy(settings, seen.shown),
        )


@contextmanager
def refusing_documented(url: str | None, settings: Settings, state: State, limits: Limits) -> Iterator[None]:
    """Explain a first read that fails because the target does not speak the dialect of WordPress.

    :raises ConfigError: the target refused the read, and nothing at its address shows stock WordPress.
    """
    try:
        yield
    except (BadAnswer, Refused) as error:
        if url is None or _was_written(state):
            raise
        if isinstance(error, Refused) and error.status not in _UNKNOWN_ROUTE:
            raise
        try:
            seen = _asked(url, limits)
        except ServiceError:
            raise error from None
        # An index that is closed to visitors, or that failed, shows nothing about the dialect.
        if seen.wordpress or seen.leads_to or seen.status not in {200, *_UNKNOWN_ROUTE}:
            raise
        raise ConfigError(
            f"no sign of stock WordPress at GET {one_line(seen.asked)} ({seen.status}), and its first read "
            f"failed ({error.what}); nothing was sent",
            where=_place(settings),
            todo=f"correct `url` (`pressync doctor` tests it), or {_remedy(settings, DEFAULT)}",
        ) from None


def _was_written(state: State) -> bool:
    """Whether a response to a write of this site is known; a record that was only adopted is not one."""
    return any(entry.fingerprints for entry in state.manifest.entries.values())


def _asked(url: str, limits: Limits) -> probe.Probe:
    short = replace(limits, read=min(limits.read, _LONGEST), total=min(limits.total, _LONGEST))
    return probe.probe(url, short)


def _place(settings: Settings) -> str:
    """Name the place that sets the dialect, or the address if no place does."""
    origins = settings.origins
    return origins["dialect"] if origins["dialect"] != "default" else origins["url"]


def _remedy(settings: Settings, dialect: DialectRow) -> str:
    if _place(settings).startswith("PRESSYNC_"):
        return f"set PRESSYNC_DIALECT={dialect.name}"
    return f"write `{dialect.setting}` below [sites.{settings.site.name}] in pressync.toml"
