"""Plans a commit in which a few documents were edited, from the records that these documents concern.

`unchanged` has shown that a plan would keep every other record. So `plan.build` gets a small tree and a small
manifest. This module answers only if all changes are updates that leave every address as it is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.app import up_to_date
from pressync.content.content import Content
from pressync.content.sources import below, folders_of, pages_of
from pressync.model.changes import Keep, Update
from pressync.model.errors import ManifestError
from pressync.model.records import Manifest
from pressync.model.visibility import FRONT_PAGE
from pressync.plan.build import PlanOptions, build_plan
from pressync.plan.notes import ADDRESS
from pressync.plan.order import may_move_itself
from pressync.plan.survey import Known
from pressync.repo.repository import Tree
from pressync.state.clone_facts import Vouched
from pressync.state.clone_log import CloneLog
from pressync.state.manifest import codec
from pressync.state.manifest.rows import SortedRows
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pressync.app.unchanged import Edited
    from pressync.app.workspace import Workspace
    from pressync.model.changes import Change, Plan
    from pressync.model.records import Entry
    from pressync.plan.build import PlannedRun
    from pressync.plan.survey import Progress

# An edit may add links. The pages that they name are found when the document is rendered.
_TRIES = 4


def plan(
    workspace: Workspace, edited: Edited, options: PlanOptions, progress: Progress | None = None
) -> PlannedRun | None:
    """Plan the edited documents, and count the other records; None if only the whole plan is right."""
    if options != PlanOptions() or workspace.settings != edited.settings:
        return None
    try:
        with edited.manifest.open("rb") as file:
            rows = SortedRows(file, where=str(edited.manifest), types=workspace.settings.types)
            small = _SmallSite(workspace, edited, rows)
            planned = small.plan(progress)
            if planned is None or not small.is_whole(planned.plan):
                return None
    except (ManifestError, OSError):
        # The whole plan meets the same fault, and says where it is and what to do.
        return None
    paths = edited.both.edited
    changes = tuple(change for change in planned.plan.changes if change.path in paths)
    shown = replace(planned.plan, changes=changes, unlisted=edited.both.count - len(paths))
    return replace(planned, plan=shown)


class _Documents(dict[str, str]):
    """The documents of a small tree; `missed` are the others for which somebody asked."""

    def __init__(self, known: dict[str, str], records: SortedRows) -> None:
        super().__init__(known)
        self._records = records
        self.missed: set[str] = set()

    def __contains__(self, path: object) -> bool:
        """Tell whether the whole tree has the document: each of its documents has a record."""
        if super().__contains__(path):
            return True
        is_there = isinstance(path, str) and self._records.named(path) is not None
        if is_there:
            self.missed.add(str(path))
        return is_there


class _SmallSite:
    """The part of a site that concerns the edited documents."""

    def __init__(self, workspace: Workspace, edited: Edited, records: SortedRows) -> None:
        self._workspace = workspace
        self._edited = edited
        self._head = codec.decode_head(
            records.head, where=str(edited.manifest), types=workspace.settings.types
        )
        self._records = records
        self._entries = self._found(edited.both.edited)

    def plan(self, progress: Progress | None) -> PlannedRun | None:
        """Plan the edited documents, with all pages for which the plan asks."""
        named = self._found(
            {path for e in self._entries.values() for path in (e.parent_path, *e.links) if path}
        )
        for _ in range(_TRIES):
            named |= self._folder_pages([*named, *self._entries])
            content = self._content(named)
            documents = _Documents(content.sources, self._records)
            content.sources = documents
            planned = self._planned(content, named, progress)
            if not documents.missed:
                return planned
            named |= self._found(documents.missed)
        return None

    def is_whole(self, plan: Plan) -> bool:
        """Tell whether the whole plan would have the same changes, and nothing else to say."""
        file = self._edited.manifest
        return (
            not (plan.notes or plan.refusals)
            and all(problem.warning for problem in plan.problems)
            and all(map(self._concerns_itself, plan.changes))
            and not self._are_taken([c for c in plan.changes if isinstance(c, Update)])
            and self._edited.manifest_state == up_to_date.file_state(str(file))
        )

    def _found(self, paths: Iterable[str]) -> dict[str, Entry]:
        return {path: entry for path in paths if (entry := self._records.named(path))}

    def _folder_pages(self, paths: Iterable[str]) -> dict[str, Entry]:
        """Find the pages of all folders above, without which the small tree would get new ones."""
        settings = self._workspace.settings
        if not settings.folders:
            return {}
        inner = {below(path, settings.content): path for path in paths}
        folders = {
            f"{path.removesuffix(rest)}{folder}"
            for rest, path in inner.items()
            for folder in folders_of(rest)
        }
        return self._found({page for folder in folders for page in pages_of(folder)})

    def _with_edited(self, named: dict[str, Entry]) -> dict[str, Entry]:
        """Put the edited documents last, in the order in which the whole plan would read them."""
        return {path: e for path, e in named.items() if path not in self._entries} | self._entries

    def _content(self, named: dict[str, Entry]) -> Content:
        both, settings = self._edited.both, self._workspace.settings
        entries = self._with_edited(named)
        blobs = {path: entry.blob for path, entry in entries.items()} | both.edited
        tree = Tree(self._edited.commit, f"{self._edited.commit}^{{tree}}", {**both.others, **blobs})
        # The plan would say of each other medium that nothing uses it.
        used = {both.others.get(path) for entry in self._entries.values() for path in entry.links}
        media = {blob: medium for blob, medium in self._head.media.items() if blob in used}
        manifest = Manifest(self._head.target, entries, self._head.names, media)
        return Content(self._workspace.repository, tree, settings, manifest=manifest)

    def _planned(self, content: Content, named: dict[str, Entry], progress: Progress | None) -> PlannedRun:
        entries = self._with_edited(named)
        for path in named.keys() - self._entries.keys():
            # A plan would keep it. Here, the pages on which its own basis depends are missing.
            bare = structs.replace(named[path], links=())
            basis = content.basis(bare.layout, bare.parent_path, (), entries)
            entries[path] = structs.replace(bare, basis=basis)
        settings, files = self._workspace.settings, self._workspace.clone_files
        vouched = Vouched(CloneLog(files, settings.site.target, settings.types))
        known = Known(
            entries,
            manifest=True,
            vouched=lambda: vouched.bonds(self._entries),
            refusal=ManifestFile(self._edited.manifest, settings.site.target, settings.types).refusal,
        )
        return build_plan(content, self._workspace.capabilities, known, PlanOptions(), progress)

    def _concerns_itself(self, change: Change) -> bool:
        """Tell whether a change leaves every other record as it is."""
        if isinstance(change, Keep):
            return True
        return (
            isinstance(change, Update)
            and change.path in self._edited.both.edited
            and not may_move_itself(change)
            and FRONT_PAGE not in change.fields
        )

    def _are_taken(self, updates: Collection[Update]) -> bool:
        """Tell whether another record has the address that one of these documents wants."""
        wanted = {hash(update.desired.slug) for update in updates}
        own = Counter(hash(entry.slug) for entry in self._entries.values())
        found = Counter(slug for slug in self._edited.both.slugs if slug in wanted)
        if all(found[slug] == own[slug] for slug in wanted):
            return False
        addresses = {ADDRESS(update.desired) for update in updates}
        return any(
            ADDRESS(outline) in addresses and outline.path not in self._edited.both.edited
            for group in self._records.groups()
            for outline in self._records.outlines(group)
        )
