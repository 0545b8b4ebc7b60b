"""Builds a plan in one place: survey, decisions, links, order.

`decide` is pure, and this module is not, because one step in between reads files: up-to-date pages that link
to a page whose address is about to change.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from pressync.content import sources
from pressync.model.changes import Blocked, Create, Keep, Plan, Update
from pressync.model.interface import Kind
from pressync.model.reason import NO_REASON, Reason, ReasonCode
from pressync.plan import (
    announcements,
    emptied,
    front_page,
    known_elsewhere,
    limits,
    needs,
    refusals,
    site_edits,
)
from pressync.plan.cross_checks import same_address
from pressync.plan.decide import decide
from pressync.plan.dependents import (
    block_below_absent,
    block_orphans,
    keep_parents,
    linked_update,
    may_move,
    may_move_itself,
    settle_links,
)
from pressync.plan.entry_evidence import Evidence
from pressync.plan.order import first_changes, wave_numbers
from pressync.plan.overwritten import overwritten_edits
from pressync.plan.rights import Permissions
from pressync.plan.survey import NO_FINDINGS, Surveyor
from pressync.plan.synced_commits import Lineage
from pressync.repo.paths import is_below

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pressync.client.capabilities import Capabilities
    from pressync.content.content import Content
    from pressync.model.changes import Change, Refusal
    from pressync.model.errors import Problem
    from pressync.model.records import Entry, Record
    from pressync.plan.entry_evidence import JudgedEntries
    from pressync.plan.order import Schedule
    from pressync.plan.pulls import PulledElsewhere
    from pressync.plan.survey import Known, Progress, SiteFindings, Survey


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """The options of one plan: its paths (an empty tuple means all), and the limits that are lifted.

    Documents at or below the paths of `create_anyway` are created even if another record has their address.
    `refusals` were found before the plan. `limit` is the highest number of changes. `again` lifts a rollback.
    With `notify`, the site may tell people of posts that are not news.
    """

    paths: tuple[str, ...] = ()
    overwrite: bool = False
    strict: bool = False
    allow_rewind: bool = False
    delete_limit: limits.DeleteLimit = limits.DEFAULT_LIMIT
    new_manifest: bool = False
    create_anyway: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    limit: int | None = None
    again: bool = False
    notify: bool = False


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A plan and what a sync of it needs: schedule, entries, renamed files and judged entries.

    `renamed` gives the new path of a file by its old path. `findings` is what the plan knew of the site.
    `bound` are the entries of records that were found at the addresses of documents. `pulled` are the texts
    of the site that other clones have pulled.
    """

    plan: Plan
    schedule: Schedule
    entries: Mapping[str, Entry]
    renamed: Mapping[str, str] = field(default_factory=dict)
    judged: JudgedEntries | None = None
    findings: SiteFindings = NO_FINDINGS
    bound: tuple[Entry, ...] = ()
    pulled: PulledElsewhere | None = None

    def against(self, entry: Entry, record: Record, edits: Mapping[str, str]) -> Reason:
        """Say why a record must not be overwritten: it does not confirm its entry, or has more than HEAD."""
        if self.judged and (why := self.judged.against(entry, record, edits)):
            return why
        path = self.renamed.get(entry.path, entry.path)
        return self.pulled.against(path, record) if self.pulled else NO_REASON


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
    evidence = Evidence(content, known, capabilities.read, options.allow_rewind, options.overwrite)
    changes, unread, judged, pulled = _changes(surveyor, survey, evidence, capabilities, options)
    keeps: list[Change] = [Keep(e.path, e.kind, e.id, e) for e in unread]
    if known.findings.compared:
        changes, keeps = site_edits.shown([*changes, *keeps], survey.entries, known.findings.lost), []
    order, later = first_changes(changes, survey.entries, options.limit)
    rest = [*(c for c in changes if isinstance(c, Keep | Blocked)), *keeps]
    lost, gaps = refusals.of_lost_manifest(content, known, changes, starts_new=options.new_manifest)
    lineage = _lineage(content, survey, changes, options)
    away = known_elsewhere.warnings(content.repository, content.tree, known, readable=capabilities.read)
    plan = Plan(
        site=content.settings.site.name,
        target=content.settings.site.target,
        commit=content.tree.commit,
        changes=(*order.changes(), *sorted(rest, key=attrgetter("path"))),
        problems=(*_problems(surveyor, survey, [*changes, *keeps], options), *gaps, *away),
        remarks=(
            *_remarks(ReasonCode.NO_DOCUMENT, _notes(content, survey)),
            *_remarks(ReasonCode.NEEDS, needs.notes(content, survey.entries, changes)),
            *_look_up(changes, capabilities, known, _not_news(content, changes, options, later)),
            *_remarks(ReasonCode.OVERWRITES, overwritten_edits(changes)),
            *_remarks(ReasonCode.COME_BACK, known_elsewhere.returned(changes, known.runs)),
        ),
        refusals=limits.distinct(
            options.refusals,
            refusals.of_manifest_s_place(known, changes),
            filter(None, [lineage.refusal]),
            refusals.of_limits(content, survey, changes, options.delete_limit),
            lost,
        ),
        compared=known.findings.compared,
        later=later,
        replaced=lineage.replaced,
    )
    return PlannedRun(plan, order, survey.entries, survey.renamed, judged, known.findings, pulled=pulled)


def _lineage(content: Content, survey: Survey, changes: list[Change], options: PlanOptions) -> Lineage:
    # On another branch the answer is to switch, and neither a pull nor `--allow-rewind`.
    if options.allow_rewind or options.refusals:
        return Lineage()
    return refusals.lineage(content, survey, changes, whole=not options.paths)


def _problems(
    surveyor: Surveyor, survey: Survey, changes: list[Change], options: PlanOptions
) -> Iterator[Problem]:
    """Give the problems of single files, and those that only all files together show."""
    content = surveyor.content
    yield from _once(surveyor.problems)
    wanted = [change.desired for change in changes if isinstance(change, Create | Update)]
    yield from same_address(wanted, survey.entries)
    yield from (problem for problem in content.table_problems if problem.warning)
    yield from needs.authors_without_user(content, changes)
    yield from front_page.problems(changes)
    yield from emptied.problems(changes, surveyor.problems, strict=options.strict)
    yield from sources.folders_without_page(_new_pages(changes), content.sources, content.settings.content)


def _changes(
    surveyor: Surveyor, survey: Survey, evidence: Evidence, capabilities: Capabilities, options: PlanOptions
) -> tuple[list[Change], list[Entry], JudgedEntries, PulledElsewhere | None]:
    """Decide about all paths: first about each path alone, then by the rules that need several paths.

    Give also the entries that are kept unread, because only links can concern them, the judged ones, and the
    texts that other clones have pulled.
    """
    # 1. Decide about each path alone.
    changes: list[Change] = [
        decide(here, capabilities, overwrite=options.overwrite) for here in survey.situations
    ]
    pulled = None
    if not options.overwrite:
        changes, pulled = surveyor.block_pulled(changes, survey, evidence.known)
    found, names = evidence.known.findings, surveyor.content.references.manifest.names
    may = Permissions(found.rights, found.held, names)
    changes = may.block_forbidden(changes)
    # 2. Block children without a parent. This comes before the links, because a blocked page gets no address.
    changes = block_below_absent(changes, survey.in_trash, survey.deleted)
    changes = block_orphans(changes, survey.entries.keys())
    # 3. Add the pages that link to a page whose address may change.
    changes = _linked(surveyor, survey, changes)
    decided = {change.path for change in changes}
    unread = [entry for entry in survey.unread if entry.path not in decided]
    # 4. Block changes whose entry is not verified. This comes after the links, which add updates.
    judged = evidence.judged(changes, survey.renamed)
    changes = may.block_forbidden(judged.block_unverified(changes))
    # 5. Keep the selected paths.
    if options.paths:
        changes = _selected(changes, options.paths)
        unread = [entry for entry in unread if is_below(entry.path, options.paths)]
    # 6. Keep the parents of pages that stay. This comes last, because a child that is blocked or not selected
    #    stays.
    return keep_parents(changes, survey.entries), unread, judged, pulled


def _linked(surveyor: Surveyor, survey: Survey, changes: list[Change]) -> list[Change]:
    writes = [change for change in changes if isinstance(change, Create | Update)]
    if not any(map(may_move_itself, writes)):
        return changes
    parents = {path: entry.parent_path for path, entry in survey.entries.items()}
    parents.update({write.path: write.desired.parent_path for write in writes})
    moving = may_move(changes, parents)
    updates = {
        path: linked_update(document, survey.entries[path], moving.intersection(document.links))
        for path, document in surveyor.linking(changes, survey, moving).items()
    }
    changes = [updates.pop(change.path, change) for change in changes] + [*updates.values()]
    waves = wave_numbers(changes)
    return settle_links(changes, moving, waves)


def _selected(changes: Iterable[Change], paths: Collection[str]) -> list[Change]:
    """Keep the changes at or below the paths, and the changes that give their parents a record."""
    changes = list(changes)
    writes = {change.path: change for change in changes if isinstance(change, Create | Update)}
    chosen = {change.path for change in changes if is_below(change.path, paths)}
    for path in sorted(chosen):
        write = writes.get(path)
        while write and (write := writes.get(write.desired.parent_path or "")) and _gives_a_record(write):
            chosen.add(write.path)
    return [change for change in changes if change.path in chosen]


def _gives_a_record(write: Create | Update) -> bool:
    """Tell whether a write gives its document a record: a create does, or the first write of a bound one."""
    return isinstance(write, Create) or not write.entry.commit


def _new_pages(changes: Iterable[Change]) -> list[str]:
    """List the pages that the plan creates below their folders' pages."""
    return [change.path for change in changes if isinstance(change, Create) and change.kind is Kind.PAGE]


def _once(problems: Iterable[Problem]) -> list[Problem]:
    """Merge the problems of one template: one problem, whatever the number of pages that show it."""
    alike: dict[Problem, list[Problem]] = {}
    for problem in problems:
        what = problem.what.removesuffix(f" (rendering {problem.rendering})")
        alike.setdefault(replace(problem, what=what, rendering=""), []).append(problem)
    return [
        replace(same[0], what=f"{problem.what} (rendering {same[0].rendering} and {len(same) - 1} more)")
        if same[0].rendering and len(same) > 1
        else same[0]
        for problem, same in alike.items()
    ]


def _notes(content: Content, survey: Survey) -> tuple[str, ...]:
    """Say why a plan is empty, if there is no document and no record."""
    if survey.situations or survey.entries:
        return ()
    folder = f"{content.settings.content}/".lstrip("/")
    if survey.documents:
        many = survey.documents > 1
        count = f"Of the {survey.documents} Markdown files" if many else "The one Markdown file"
        none = "none is a page or a post" if many else "is neither a page nor a post"
        where = f"{count} {f'below {folder}' if folder else 'in the commit'} {none}"
        todo = f"move {'them' if many else 'it'} below {folder}pages/ or {folder}posts/"
        return (f'{where}: {todo}, or put `type = "page"` below `[defaults]` in pressync.toml.',)
    if content.settings.content in content.tree.others:
        what = f"{content.settings.content} is a submodule or a symbolic link"
        return (f"{what}, and its files are in another repository: run pressync in that one.",)
    where = f"There is no document in commit {content.tree.commit[:10]}"
    return (f"{where}: commit Markdown below {folder}pages/, or set `content` in pressync.toml.",)


def _not_news(
    content: Content, changes: Sequence[Change], options: PlanOptions, later: int
) -> tuple[str, ...]:
    """Name the posts of which a site must tell nobody; the embedded service has no subscribers."""
    site = content.settings.site
    is_free = options.notify or site.notify or site.url is None
    return () if is_free else announcements.hushed(changes, later)


def _remarks(code: ReasonCode, sentences: Iterable[str]) -> list[Reason]:
    return [Reason(code, sentence=sentence) for sentence in sentences]


def _look_up(
    changes: Sequence[Change], capabilities: Capabilities, known: Known, posts: Collection[str]
) -> tuple[Reason, ...]:
    """Say what a sync looks up, if it can and nobody has looked yet; `posts` are not news."""
    creates = sum(isinstance(change, Create) for change in changes)
    if not creates or not capabilities.read or known.findings.taken is not None:
        return ()
    addresses = "address of the new document" if creates == 1 else f"addresses of {creates} new documents"
    what = [f"the {addresses} on the site"]
    if posts:
        what.append(f"whether it would tell subscribers of {announcements.counted(posts)}")
    said = f"A sync first looks up {' and '.join(what)}; `pressync plan --drift` looks now."
    return (Reason(ReasonCode.LOOKS_UP, {"creates": creates, "posts": len(posts)}, said),)
