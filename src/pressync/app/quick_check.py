"""Answers a check of what is saved from the cache of the last one, if few files were edited since.

To load a plan, the sites and Git's objects takes four times as long as to read one edited page. So this
module loads none of them. It decides nothing: `check` answers wherever anything is unusual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pressync.app import check_cache
from pressync.app.check_cache import CheckedContent
from pressync.config import settings
from pressync.model.errors import PressyncError
from pressync.repo import saved_tree
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.config.settings import Settings
    from pressync.content.render.renderer import Rendered
    from pressync.content.site_checks import PageLinks
    from pressync.model.errors import Problem
    from pressync.model.records import Document


class QuickCheck(NamedTuple):
    """The problems of all content in the order of their places, and of how many documents that is.

    `uncommitted` counts the documents that are not committed, and the other files.
    """

    documents: int
    problems: tuple[Problem, ...]
    uncommitted: tuple[int, int]


def find(directory: Path, environ: Mapping[str, str]) -> QuickCheck | None:
    """Check what is saved in the repository of a folder, for its one site; None if only `check` can tell."""
    if settings.is_about_commit(environ):
        return None
    try:
        with Repository(directory) as repository:
            return _of_repository(repository, environ)
    except (PressyncError, OSError):
        # `check` meets the same fault, and says where it is and what to do.
        return None


def _of_repository(repository: Repository, environ: Mapping[str, str]) -> QuickCheck | None:
    if repository.root is None:
        return None
    text = settings.find_text(repository, None)
    if len(text.tables.get("sites", {})) > 1:
        return None
    loaded = settings.load(text.text, where=text.where, environ=environ, site=None)
    loaded = settings.with_schema(loaded, repository.root, repository.common_directory, text)
    with check_cache.opened(repository, loaded, environ) as cache:
        if cache.is_empty() or loaded.has_agents:
            return None
        return _of_cache(repository, loaded, cache)


def _of_cache(repository: Repository, loaded: Settings, cache: check_cache.CheckCache) -> QuickCheck | None:
    tree = saved_tree.read(repository, [loaded.content, loaded.templates])
    if tree is None:
        return None
    pages: dict[str, PageLinks] = {}

    def collect(document: Document, rendered: Rendered) -> None:
        from pressync.content.site_checks import PageLinks  # noqa: PLC0415 - without an edit nothing is rendered

        pages[document.path] = PageLinks.of(document, rendered)

    content = CheckedContent(repository, tree, loaded, on_rendered=collect, cache=cache, pages=pages)
    problems = cache.problems(content)
    if problems is None:
        return None
    changed = check_cache.uncommitted(content)
    documents = len(changed.intersection(content.sources))
    ordered = tuple(sorted(problems, key=lambda problem: (problem.path, problem.line)))
    return QuickCheck(len(content.sources), ordered, (documents, len(changed) - documents))
