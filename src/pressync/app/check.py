"""Finds every problem of the content, as if the manifest were empty: no network, no manifest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from pressync.app.check_cache import CheckedContent, uncommitted
from pressync.app.revision import Revision
from pressync.content.site_checks import PageLinks
from pressync.repo.paths import concerns, is_below

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.app.check_cache import CheckCache
    from pressync.app.workspace import Workspace
    from pressync.config.settings import Settings
    from pressync.content.content import Content
    from pressync.content.render.renderer import Rendered
    from pressync.model.errors import Problem
    from pressync.model.records import Document
    from pressync.plan.survey import Progress


@dataclass(frozen=True, slots=True)
class Checked:
    """The paths of all documents, every problem by its place, and with several sites those that have it.

    `place` says where the files were read, and `commit` which commit that was or was based on. Of a work
    tree, `uncommitted` are the files that are not committed as they were read.
    """

    documents: Collection[str]
    problems: tuple[Problem, ...]
    sites: Mapping[Problem, tuple[str, ...]] = field(default_factory=dict)
    place: str = Revision().place
    commit: str = ""
    uncommitted: frozenset[str] = frozenset()

    @classmethod
    def of_sites(cls, checks: Mapping[str, Checked]) -> Checked:
        """Join what was found for each site, by its name: a problem of several sites is one problem."""
        sites: dict[Problem, tuple[str, ...]] = {}
        for name, checked in checks.items():
            for problem in dict.fromkeys(checked.problems):
                sites[problem] = (*sites.get(problem, ()), name)
        documents = {path for checked in checks.values() for path in checked.documents}
        uncommitted = frozenset[str]().union(*(checked.uncommitted for checked in checks.values()))
        problems, first = tuple(sorted(sites, key=_by_place)), next(iter(checks.values()))
        return replace(first, documents=documents, problems=problems, sites=sites, uncommitted=uncommitted)

    def marked(self, names: Collection[str]) -> tuple[Problem, ...]:
        """Give the problems for people: one that only some of these sites have names them."""
        marked = []
        for problem in self.problems:
            sites = self.sites.get(problem, ())
            note = f" (for site {', '.join(sites)})" if len(sites) not in {0, len(names)} else ""
            alike = problem.alike and problem.alike + note
            marked.append(problem._replace(what=problem.what + note, alike=alike))
        return tuple(marked)

    def at(self, paths: Collection[str], settings: Settings) -> Checked:
        """Give what is at or below the paths (none means all), and what concerns every document."""
        if not paths:
            return self
        documents = {path for path in self.documents if is_below(path, paths)}
        shared = {"content": settings.content, "templates": settings.templates}
        problems = (problem for problem in self.problems if concerns(problem.path, paths, **shared))
        uncommitted = frozenset(path for path in self.uncommitted if is_below(path, paths))
        return replace(self, documents=documents, problems=tuple(problems), uncommitted=uncommitted)


def check(
    workspace: Workspace,
    revision: Revision,
    *,
    strict: bool,
    as_agent: bool = False,
    progress: Progress | None = None,
    cache: CheckCache | None = None,
) -> Checked:
    """Read every document, and check each of them and the links between them.

    With `as_agent`, terms and files that the manifest does not know are problems: no tool makes them. With a
    `cache`, a file is read only if something that it depends on has changed since the last check.
    """
    pages: dict[str, PageLinks] = {}

    def collect(document: Document, rendered: Rendered) -> None:
        # A document that is read again for its sentences has the same links.
        if document.path not in pages:
            pages[document.path] = PageLinks.of(document, rendered)

    if cache:
        workspace = workspace.opening(partial(CheckedContent, cache=cache, pages=pages))
    content = workspace.content(revision, on_rendered=collect)
    quick = content.cache.problems(content) if isinstance(content, CheckedContent) and not as_agent else None
    problems = _of_all(workspace, content, pages, progress, as_agent=as_agent) if quick is None else quick
    judged = [problem._replace(warning=problem.warning and not strict) for problem in problems]
    return Checked(
        content.sources.keys(),
        tuple(sorted(judged, key=_by_place)),
        place=revision.place,
        commit=content.tree.commit,
        uncommitted=uncommitted(content) if revision.worktree else frozenset(),
    )


def _of_all(
    workspace: Workspace,
    content: Content,
    pages: Mapping[str, PageLinks],
    progress: Progress | None,
    *,
    as_agent: bool,
) -> list[Problem]:
    """Compare all documents, also those that the cache knows."""
    from pressync.app import whole_check  # noqa: PLC0415 - after most edits, the cache has the others

    if isinstance(content, CheckedContent):
        content.expect_all()
    plan = whole_check.plan_of(content, workspace.capabilities, progress)
    problems = list(whole_check.problems(content, pages, plan))
    if isinstance(content, CheckedContent):
        content.cache.save(content, problems)
    return [*problems, *(whole_check.unmade(workspace, content, plan) if as_agent else ())]


def _by_place(problem: Problem) -> tuple[str, int]:
    return problem.path, problem.line
