"""Builds a plan in one place: survey, decisions, links, order, and the reasons for which it must not run.

`decide` is pure, and this module is not, because one step in between reads files: up-to-date pages that link
to a page whose address is about to change. A sync refuses before it reads the site, so its refusals come from
files, Git and the manifest alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from pressync.model.changes import Block, Blocked, Change, Create, Delete, Keep, Plan, Refusal, Update
from pressync.model.reason import NO_REASON, Reason
from pressync.plan import known_elsewhere, limits, notes, order, synced_commits
from pressync.plan.blocks import Permissions, block_below_absent, block_orphans, keep_parents, site_edits
from pressync.plan.decide import decide, explained
from pressync.plan.entry_evidence import EntryEvidence
from pressync.plan.order import Prerequisites, Schedule, may_move_itself
from pressync.plan.survey import NO_FINDINGS, Known, Progress, SiteFindings, Survey, Surveyor
from pressync.plan.synced_commits import Lineage
from pressync.repo.paths import is_below
from pressync.state.manifest_file import UNWRITABLE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pressync.client.dialects import Capabilities
    from pressync.content.content import Content
    from pressync.model.errors import Problem
    from pressync.model.records import Entry, Record
    from pressync.plan.pulls import PulledElsewhere


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """The options of one plan: its paths (an empty tuple means all), and the limits that are lifted.

    Documents at or below the paths of `create_anyway` are created even if another record has their address.
    `refusals` were found before the plan. `limit` is the highest number of changes. `again` lifts a rollback.
    With `renew`, pages get the form of this version although their files did not change.
    With `notify`, the site may tell people of posts that are not news. A tool of an agent plans `as_agent`.
    A `permanent` sync deletes without the trash.
    """

    paths: tuple[str, ...] = ()
    overwrite: bool = False
    strict: bool = False
    renew: bool = False
    allow_rewind: bool = False
    delete_limit: limits.DeleteLimit = limits.DEFAULT_LIMIT
    new_manifest: bool = False
    create_anyway: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    limit: int | None = None
    again: bool = False
    notify: bool = False
    as_agent: bool = False
    permanent: bool = False


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A plan and what a sync of it needs: schedule, entries, renamed files and evidence.

    `renamed` gives the new path of a file by its old path. `findings` is what the plan knew of the site.
    `bound` are the entries of records that were found at the addresses of documents. `pulled` are the texts
    of the site that other clones have pulled.
    """

    plan: Plan
    schedule: Schedule
    entries: Mapping[str, Entry]
    renamed: Mapping[str, str] = field(default_factory=dict)
    evidence: EntryEvidence | None = None
    findings: SiteFindings = NO_FINDINGS
    bound: tuple[Entry, ...] = ()
    pulled: PulledElsewhere | None = None

    def unverified(self, entry: Entry, record: Record, edits: Mapping[str, str]) -> Reason:
        """Say why a record must not be overwritten: it does not verify its entry, or has more than HEAD."""
        if self.evidence and (why := self.evidence.unverified(entry, record, edits)):
            return why
        path = self.renamed.get(entry.path, entry.path)
        return self.pulled.unmerged(path, record) if self.pulled else NO_REASON


def build_plan(
    content: Content,
    capabilities: Capabilities,
    known: Known,
    options: PlanOptions,
    progress: Progress | None = None,
) -> PlannedRun:
    """Build the plan of one tree against one manifest."""
    surveyor = Surveyor(content, progress)
    survey = surveyor.survey(known, rewind=options.allow_rewind, read_all=options.strict)
    changes, unread, evidence, pulled = _changes(surveyor, survey, known, capabilities, options)
    keeps: list[Change] = [Keep(e.path, e.kind, e.id, e) for e in unread]
    if known.findings.compared:
        findings = known.findings
        changes, keeps = site_edits([*changes, *keeps], survey.entries, findings.lost, findings.unread), []
    whole, later = order.first_changes(changes, survey.entries, options.limit)
    rest = [*(c for c in changes if isinstance(c, Keep | Blocked)), *keeps]
    lost, gaps = _of_lost_manifest(content, known, changes, starts_new=options.new_manifest)
    lineage = _lineage(content, survey, changes, options)
    away = known_elsewhere.warnings(content.repository, content.tree, known, readable=capabilities.read)
    told = notes.problems(surveyor, survey, [*changes, *keeps], options.paths, strict=options.strict)
    about = (content, capabilities, known, survey, changes)
    remarks = notes.remarks(*about, later=later, notify=options.notify)
    plan = Plan(
        site=content.settings.site.name,
        target=content.settings.site.target,
        commit=content.tree.commit,
        changes=(*whole.changes(), *sorted(rest, key=attrgetter("path"))),
        problems=(*told, *gaps, *away),
        remarks=(*remarks, *notes.deleted_for_good(changes if options.permanent else ())),
        refusals=limits.distinct(
            options.refusals,
            _refusals(content, known, survey, changes, options, lineage.refusal, readable=capabilities.read),
            lost,
        ),
        compared=known.findings.compared,
        later=later,
        replaced=lineage.replaced,
        approve=content.settings.site.approve,
    )
    return PlannedRun(plan, whole, survey.entries, survey.renamed, evidence, known.findings, pulled=pulled)


def _changes(
    surveyor: Surveyor, survey: Survey, known: Known, capabilities: Capabilities, options: PlanOptions
) -> tuple[list[Change], list[Entry], EntryEvidence, PulledElsewhere | None]:
    """Decide about all paths: first about each path alone, then by the rules that need several paths.

    Give also the entries that are kept unread, because only links can concern them, the evidence for the
    entries of the changes, and the texts that other clones have pulled.
    """
    # 1. Decide about each path alone.
    changes: list[Change] = [
        decide(situation, capabilities, overwrite=options.overwrite) for situation in survey.situations
    ]
    pulled = None
    if not options.overwrite:
        changes, pulled = surveyor.block_pulled(changes, survey, known)
        if conflicts := {c.path: c for c in changes if isinstance(c, Blocked) and c.block is Block.CONFLICT}:
            changes = _to_pull_first(surveyor.content, survey, changes, conflicts)
    findings, names = known.findings, surveyor.content.references.manifest.names
    may = Permissions(findings.rights, findings.held, names)
    changes = may.block_forbidden(changes)
    # 2. Block children without a parent. This comes before the links, because a blocked page gets no address.
    changes = block_below_absent(changes, survey.in_trash, survey.deleted)
    changes = block_orphans(changes, survey.entries.keys())
    # 3. Add the pages that link to a page whose address may change.
    changes = _linked(surveyor, survey, changes)
    decided = {change.path for change in changes}
    unread = [entry for entry in survey.unread if entry.path not in decided]
    # 4. Block changes whose entry is not verified. This comes after the links, which add updates.
    readable, rewind, overwrite = capabilities.read, options.allow_rewind, options.overwrite
    renamed = survey.renamed
    evidence = EntryEvidence(changes, surveyor.content, known, readable, rewind, overwrite, renamed)
    changes = may.block_forbidden(evidence.with_blocks())
    # 5. Keep the selected paths.
    if options.paths:
        changes = _selected(changes, options.paths)
        unread = [entry for entry in unread if is_below(entry.path, options.paths)]
    # 6. Keep the parents of pages that stay. This comes last, because a child that is blocked or not selected
    #    stays.
    return [*map(explained, keep_parents(changes, survey.entries))], unread, evidence, pulled


def _to_pull_first(
    content: Content, survey: Survey, changes: list[Change], conflicts: Mapping[str, Blocked]
) -> list[Change]:
    """Say of each conflict with a sync of another clone, as far as Git has fetched it, to pull first."""
    from pressync.plan import manifest_search  # noqa: PLC0415 - few plans have a conflict

    entries = {(entry.kind, entry.id): entry for entry in survey.entries.values()}
    pairs = ((path, c, entries.get((c.kind, c.id or 0))) for path, c in conflicts.items())
    recorded = {path: (change, entry) for path, change, entry in pairs if entry}
    site = content.settings.site
    whys = manifest_search.synced_upstream(content.repository, site, recorded)
    return [replace(conflicts[c.path], why=whys[c.path]) if c.path in whys else c for c in changes]


def _linked(surveyor: Surveyor, survey: Survey, changes: list[Change]) -> list[Change]:
    writes = [change for change in changes if isinstance(change, Create | Update)]
    # A note whose alias is new may be meant by links of notes that are up to date.
    names = surveyor.content.links_to_aliases(changes)
    if not (names or any(map(may_move_itself, writes))):
        return changes
    parents = {path: entry.parent_path for path, entry in survey.entries.items()}
    parents.update({write.path: write.desired.parent_path for write in writes})
    moving = order.may_move(changes, parents)
    meant = moving | names
    updates = {
        path: order.linked_update(document, survey.entries[path], meant.intersection(document.links))
        for path, document in surveyor.linking(changes, survey, meant).items()
        if moving.intersection(document.links) or document.links != survey.entries[path].links
    }
    changes = [updates.pop(change.path, change) for change in changes] + [*updates.values()]
    waves = order.wave_numbers(changes)
    return order.settle_links(changes, moving, waves, parents)


def _selected(changes: Iterable[Change], paths: Collection[str]) -> list[Change]:
    """Keep the changes at or below the paths, and the changes that give their parents a record."""
    changes = list(changes)
    writes = {change.path: change for change in changes if isinstance(change, Create | Update)}
    before = Prerequisites(writes.values(), {})
    chosen = {change.path for change in changes if is_below(change.path, paths)}
    for path in sorted(chosen & writes.keys()):
        above = before.maker(writes[path])
        while above is not None:
            chosen.add(above)
            above = before.maker(writes[above])
    return [change for change in changes if change.path in chosen]


def _lineage(content: Content, survey: Survey, changes: Sequence[Change], options: PlanOptions) -> Lineage:
    """Judge whether HEAD has what was synced."""
    # On another branch the answer is to switch, and neither a pull nor `--allow-rewind`.
    if options.allow_rewind or options.refusals:
        return Lineage()
    commit = content.tree.commit
    synced = {entry.commit for entry in survey.entries.values()} - {"", commit}
    if not synced:
        return Lineage()
    # A create may bring a page back.
    changed = None
    if not options.paths and not any(isinstance(change, Create) for change in changes):
        paths = {change.path for change in changes if not isinstance(change, Keep)}
        changed = {survey.entries[path].commit for path in paths & survey.entries.keys()}
    return synced_commits.lineage(content.repository, content.settings.site, synced, commit, changed)


def _refusals(  # noqa: PLR0917 - all that a plan knows
    content: Content,
    known: Known,
    survey: Survey,
    changes: Sequence[Change],
    options: PlanOptions,
    lineage: Refusal | None,
    *,
    readable: bool,
) -> Iterator[Refusal | None]:
    """Refuse for the manifest's place, for history, the limits, and what an agent must not send."""
    pending = any(isinstance(change, Create | Update | Delete) for change in changes)
    if known.refusal and (pending or known.refusal.code != UNWRITABLE):
        yield known.refusal
    yield lineage
    records = len(survey.entries)
    yield limits.empty_source(survey.documents, records, content.settings.content, content.tree.commit)
    yield options.delete_limit.exceeded(sum(isinstance(change, Delete) for change in changes), records)
    if options.as_agent:
        yield limits.beyond_tool(changes, readable=readable)


def _of_lost_manifest(
    content: Content, known: Known, changes: Sequence[Change], *, starts_new: bool
) -> tuple[list[Refusal], list[Problem]]:
    """Before a create, search Git for a missing manifest, unless a person has said that there is none."""
    site = content.settings.site
    makes = any(isinstance(c, Create) for c in changes)
    # The lost records may be in the file of a manifest that moved to a reference, or of one that is not here.
    is_elsewhere = known.manifest is False or bool(site.reference)
    makes = makes or (is_elsewhere and bool(known.lost()))
    if known.manifest is None or site.url is None or not makes:
        return [], []
    from pressync.plan import manifest_search  # noqa: PLC0415 - few plans create

    if known.manifest and site.reference:
        left = known_elsewhere.left_behind(content.repository, site, content.tree, known.entries.values())
        return [left] if left else [], []
    if known.manifest:
        return manifest_search.not_pulled(content.repository, site, known.entries.values()), []
    if starts_new:
        return [], []
    return manifest_search.lost(content.repository, site, content.tree.commit)
