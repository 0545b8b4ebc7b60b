"""Decides which document is the front page of the site, and finds the ones that cannot be. Pure.

Most sites show the posts at their own address, and many people have an `index.md` that is an ordinary page
there. So a page becomes the front page only if the file or the settings say so.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from pressync.client.capabilities import capabilities_of
from pressync.content.sources import FOLDERS, INDEXES, below, stem
from pressync.model.errors import Problem
from pressync.model.front_page import FRONT_PAGE
from pressync.model.interface import SHOWN_VALUES, Kind
from pressync.model.problem_codes import Code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.config.settings import Settings
    from pressync.model.records import Document, Fields


def fields(document: Document, settings: Settings) -> Fields:
    """Give the field that says whether a document is the front page, if the file or the settings say so."""
    wanted = _wanted(document, settings)
    if wanted is None or not capabilities_of(settings.site.dialect).front_page:
        return {}
    return {FRONT_PAGE: wanted}


def problems(document: Document, settings: Settings) -> Iterator[Problem]:
    """Give the problems of a document that is to be the front page."""
    if not _wanted(document, settings):
        return
    if not capabilities_of(settings.site.dialect).front_page:
        what = f"{FRONT_PAGE} is left out: the {settings.site.dialect} dialect cannot set the front page"
        yield Problem(document.path, 0, what, "choose it on the site", warning=True, code=Code.NOT_SUPPORTED)
    published = SHOWN_VALUES["status"]
    status = document.fields.get("status", published)
    if status != published:
        what = f"it is the front page, and its status is '{status}': visitors would find nothing there"
        todo = f"publish it, or take `{FRONT_PAGE}` away"
        yield Problem(document.path, 0, what, todo, code=Code.FRONT_PAGE)


def _wanted(document: Document, settings: Settings) -> bool | None:
    if document.front_page is not None or not settings.site.front_page:
        return document.front_page
    return True if _is_root_index(document, settings.content) else None


def _is_root_index(document: Document, content: str) -> bool:
    inner = below(document.path, content)
    is_root = posixpath.dirname(inner) in {"", *FOLDERS}
    return document.kind is Kind.PAGE and stem(inner) in INDEXES and is_root
