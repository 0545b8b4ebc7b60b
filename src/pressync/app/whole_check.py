"""Finds the problems of all content: those of each file, and those that only all files together show.

Only `check` compares each link with the page that it leads to, because a plan reads the files that changed.
History is read only if a link is broken, to say what its target is called now.
"""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.content.references import References
from pressync.content.render.links import lines
from pressync.content.render.links import references as references_of
from pressync.content.site_checks import (
    Addresses,
    SiteLinks,
    passed_over,
    symbolic_links,
    templates_of_vault,
    unused_patterns,
)
from pressync.content.vault import alike, root_of
from pressync.model.bounds import PAGE, FileTooLarge
from pressync.model.changes import Blocked, Create, Plan, Update, sent_of
from pressync.model.errors import Code, Problem
from pressync.model.reason import ReasonCode
from pressync.plan import limits, reasons
from pressync.plan.build import PlanOptions, build_plan
from pressync.plan.history import names_now
from pressync.plan.survey import Known, Progress
from pressync.repo import work_tree
from pressync.sync import prerequisites

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pressync.app.workspace import Workspace
    from pressync.client.dialects import Capabilities
    from pressync.content.content import Content
    from pressync.content.site_checks import PageLinks

_PERSONS = "let a person sync it"
# A pointer of Git LFS has fewer bytes.
_SMALL = 1024


def plan_of(content: Content, capabilities: Capabilities, progress: Progress | None) -> Plan:
    """Build the plan of all files, as if the manifest were empty."""
    return build_plan(
        content, capabilities, Known(), PlanOptions(strict=True, allow_rewind=True), progress
    ).plan


def problems(content: Content, pages: Mapping[str, PageLinks], plan: Plan) -> Iterator[Problem]:
    """Give the problems of a plan, and those that only all files together show."""
    desired = {c.path: c.desired for c in plan.changes if isinstance(c, Create | Update)}
    addresses = Addresses(desired, content.sources.keys() - desired.keys(), content.settings.site.url)
    site_links = SiteLinks(content, pages, addresses)
    vault = root_of(content.settings) if content.settings.markdown.dialect else None
    renamed = names_now(content.repository, content.tree, site_links.missing(), vault=vault)
    yield from _with_new_names(content, pages, plan.problems, renamed)
    yield from site_links.problems(renamed)
    yield from _blocked(plan)
    yield from _unusable_files(content, plan)
    yield from _filtered(content)
    yield from passed_over(content)
    yield from symbolic_links(content)
    yield from templates_of_vault(content)
    yield from unused_patterns(content)


def _blocked(plan: Plan) -> Iterator[Problem]:
    """Give the documents that a sync blocks, whatever the manifest has: two with one id, and posts.

    A file with a problem is blocked as well, and so are the pages below it. That problem says enough. A
    service that creates no posts may have one to which somebody has bound the file.
    """
    for change in plan.changes:
        if not isinstance(change, Blocked):
            continue
        message, todo = reasons.what_and_todo(change.why)
        if change.why.code is ReasonCode.BOUND_TWICE:
            yield Problem(change.path, 0, message, todo, code=Code.ID_TWICE)
        elif change.why.code is ReasonCode.CANNOT_CREATE:
            yield Problem(change.path, 0, message, todo, warning=True, code=Code.NOT_SUPPORTED)


def _unusable_files(content: Content, plan: Plan) -> Iterator[Problem]:
    """Give the files to upload without content of their own; only small files are read."""
    paths = content.references.files_of(plan.changes)
    files = {blob: path for blob, path in paths.items() if path in content.tree.files}
    for blob in sorted(content.repository.history.blobs_below(files, _SMALL), key=files.__getitem__):
        if problem := prerequisites.unusable(content.repository.read(blob)):
            yield Problem(files[blob], 0, f"it {problem}", prerequisites.TODO, code=Code.MISSING_FILE)


def unmade(workspace: Workspace, content: Content, plan: Plan) -> Iterator[Problem]:
    """Give the terms and files that a sync with the account of an agent cannot make, as far as we know."""
    with workspace.reading() as state:
        references = References(content.tree.files, content.settings, state.manifest)
    may_upload = content.settings.site.url is None
    for desired in sent_of(plan.changes):
        for line, needed in references.unmade(desired, may_upload=may_upload):
            file = needed if isinstance(needed, str) else ""
            place = line or _line_of(content, desired.path, file)
            todo = _PERSONS if file else f"name one that this repository uses, write an id, or {_PERSONS}"
            yield Problem(desired.path, place, limits.lacking(needed), todo, code=Code.NO_ID)


def _line_of(content: Content, path: str, file: str) -> int:
    """Find the line of a document that has a link to a file of this name; 0 if none has."""
    document, name = content.parse(path).document, posixpath.basename(file)
    if document is None:
        return 0
    placed = content.renderer.placed(document)
    for (_, url), line in zip(references_of(placed), lines(placed, document.body), strict=False):
        if posixpath.basename(unquote(url)) == name:
            return document.body_line + line - 1
    return 0


def _filtered(content: Content) -> Iterator[Problem]:
    """Give the documents of which Git stores another text than the file that people see."""
    repository, sources = content.repository, content.sources
    paths = repository.filtered(sources) if repository.root else {}
    edited = repository.edited(paths) if paths and content.tree.committed else frozenset()
    for path in sorted(paths.keys() - edited):
        try:
            shown = work_tree.read(Path(repository.root or "", path), PAGE)
        except (OSError, FileTooLarge):
            continue
        stored = repository.read(sources[path])
        # `document_checks` names what it knows.
        if shown.split() != stored.split() and not work_tree.filtered(stored):
            problem = f"Git stores another text than this file has ({paths[path]}), and the site gets that"
            todo = "take the file out of that line in `.gitattributes`, and commit it again"
            yield Problem(path, 0, problem, todo, warning=True, code=Code.GIT_FILTER)


def _with_new_names(
    content: Content,
    pages: Mapping[str, PageLinks],
    problems: Collection[Problem],
    renamed: Mapping[str, str],
) -> Iterator[Problem]:
    """Read the documents again that link to a renamed file, so that their problems say its new name."""
    lost = alike({path for page in pages.values() for path in page.links.missing}, renamed)
    stale = {path for path, page in pages.items() if not lost.isdisjoint(page.links.missing)}
    for problem in problems:
        if problem.path not in stale or problem.code is not Code.BROKEN_LINK:
            yield problem
    for path in stale:
        reread = content.read(path, {}, renamed=renamed).problems
        yield from (problem for problem in reread if problem.code is Code.BROKEN_LINK)
