"""Finds the folders without a page of their own, and with `folders = "pages"` gives each one a page. Pure.

Other tools make the address of a page from its folders. On the site a folder is in an address only as a page.
Such a page is a document like any other. It has the path of the folder's missing `index.md`, and no text. So
it becomes that file's page as soon as somebody adds the file.
"""

from __future__ import annotations

import posixpath
from functools import cache
from typing import TYPE_CHECKING

from pressync.config.keys import LEFT_OUT
from pressync.content.sources import FOLDERS, below, folders_of, pages_of
from pressync.model.errors import Problem
from pressync.model.interface import Kind
from pressync.model.problem_codes import Code
from pressync.repo.file_list import EMPTY_BLOB

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

_TODO = 'add an `index.md`, or set `folders = "pages"` in pressync.toml'


def added(
    sources: Mapping[str, str], content: str, defaults: Mapping[str, Mapping[str, object]]
) -> dict[str, str]:
    """Give path and blob of a page for each folder of pages that does not have one."""

    @cache
    def is_of_pages(folder: str) -> bool:
        places = (folder, *folders_of(folder), "")
        types = (defaults.get(place, {}).get("type") for place in places)
        default = next((kind for kind in types if kind), None)
        return default != LEFT_OUT and (FOLDERS.get(folder.partition("/")[0]) or default) == Kind.PAGE

    pages = [path for path in sources if is_of_pages(posixpath.dirname(below(path, content)))]
    return {f"{folder}/index.md": EMPTY_BLOB for folder in _alone(pages, sources, content)}


def problems(pages: Iterable[str], sources: Collection[str], content: str) -> Iterator[Problem]:
    """Warn of the folders of these pages that do not have a page among the sources."""
    what = "the folder does not have a page, so the addresses of its pages do not have its name"
    for folder in _alone(pages, sources, content):
        yield Problem(folder, 0, what, _TODO, warning=True, code=Code.FOLDER_WITHOUT_PAGE)


def _alone(pages: Iterable[str], sources: Collection[str], content: str) -> list[str]:
    """Give these folders from the repository's root, sorted."""
    found: dict[str, bool] = {}
    for path in pages:
        inner = below(path, content)
        root = path.removesuffix(inner)
        for folder in folders_of(inner):
            here = f"{root}{folder}"
            if here in found:
                break
            found[here] = folder not in FOLDERS and not any(own in sources for own in pages_of(here))
    return sorted(folder for folder, is_alone in found.items() if is_alone)
