"""Binds every document without a record to the record that the site has at its address.

Nothing is sent. A person has said that these records belong to the documents, so title and text may differ:
the next sync sends the content of the files. If an address has several records, only a person can choose.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.client.port import require_readable
from pressync.model.changes import Create
from pressync.model.errors import ConfigError
from pressync.plan.build import PlanOptions, build_plan
from pressync.plan.survey import NO_FINDINGS, known
from pressync.sync import occupied_addresses, prerequisites
from pressync.sync.record_match import DocumentMatcher, bound_entries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.app.revision import Revision
    from pressync.app.workspace import Workspace
    from pressync.model.records import Desired, Entry, Record
    from pressync.plan.build import PlannedRun
    from pressync.state.state import State
    from pressync.sync.occupied_addresses import AddressOccupant


@dataclass(frozen=True, slots=True)
class Adoption:
    """The bound entries, the records of documents that were left alone, and how many addresses had none."""

    bound: tuple[Entry, ...]
    left: Mapping[str, tuple[Record, ...]]
    nothing_there: int


def adopt_from_site(workspace: Workspace, revision: Revision) -> Adoption:
    """Bind documents without a record to the records at their addresses.

    :raises ConfigError: the service cannot be read.
    :raises ServiceError: it does not answer.
    """
    if not workspace.capabilities.read:
        what = f"the {workspace.settings.site.dialect} dialect shows no way to read records"
        todo = "bind one with `pressync adopt PATH ID`, or many with `--from FILE.csv` or a WordPress export"
        raise ConfigError(what, where="--from-site", todo=todo)
    with workspace.state(writable=True) as state:
        content = workspace.content(revision, manifest=state.manifest)
        # Records that the manifest forgot are on the site too, so they are found there.
        beside = replace(known(state, NO_FINDINGS.with_taken({})), lost=dict)
        planned = build_plan(content, workspace.capabilities, beside, PlanOptions(allow_rewind=True))
        creates = [change for change in planned.plan.changes if isinstance(change, Create)]
        if not creates:
            return Adoption((), {}, 0)
        with workspace.service(1) as service:
            reads = require_readable(service)
            # This call fails without valid credentials: a site hides drafts from visitors.
            user = reads.user()
            found = occupied_addresses.records_at(reads, creates, state.holder)
            if terms := service.library:
                there = tuple(create for create in creates if create.path in found)
                prerequisites.look_up(terms, state, content, replace(planned.plan, changes=there))
        live = {path: at.live for path, at in found.items()}
        alike = DocumentMatcher(content, planned.entries, live, user).matches()
        desired = {create.path: create.desired for create in creates}
        chosen, left = _chosen(desired, found, alike)
        entries = bound_entries(content, planned.entries, chosen, planned.plan.commit, said=True)
        _keep(state, planned, entries)
    return Adoption(tuple(entries), left, len(creates) - len(entries) - len(left))


def _chosen(
    desired: Mapping[str, Desired], found: Mapping[str, AddressOccupant], alike: Mapping[str, Record]
) -> tuple[dict[str, Record], dict[str, tuple[Record, ...]]]:
    """Choose the record of each document; the second part has the addresses where nobody can choose.

    Those have several records, or one that is in the trash.
    """
    chosen: dict[str, Record] = {}
    left: dict[str, tuple[Record, ...]] = {}
    spoken_for = {(record.kind, record.id) for record in alike.values()}
    wanted = Counter((r.kind, r.id) for path, at in found.items() if path not in alike for r in at.here)
    for path in occupied_addresses.parents_first({path: desired[path] for path in found}):
        if path in alike:
            chosen[path] = alike[path]
            continue
        here = found[path].here
        parent = desired[path].parent_path
        if parent is not None and parent in desired:
            above = chosen.get(parent)
            here = tuple(r for r in here if above is not None and r.fields.get("parent") == above.id)
        live = [r for r in here if not occupied_addresses.is_trashed(r) and (r.kind, r.id) not in spoken_for]
        # Nothing tells two documents with one address apart.
        if len(live) == 1 and wanted[live[0].kind, live[0].id] == 1:
            chosen[path] = live[0]
        elif here:
            left[path] = here
    return chosen, left


def _keep(state: State, planned: PlannedRun, entries: list[Entry]) -> None:
    if entries:
        state.put(*entries)
        for entry in entries:
            state.vouched.add(entry)
        state.vouched.save()
    state.save(f"Adopt {len(entries)} from the site, at {planned.plan.commit[:8]}")
