"""Tells of files that authors may take for pages, and that pressync does not read: MDX and HTML."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from pressync.content.sources import below
from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.content.content import Content

_MDX = ("an MDX file is not read", "rename it to `.md`, and write its components as Markdown")
_HTML = ("an HTML file is not read", "rename it to `.md` if it is a page: Markdown may contain HTML")
_FORMATS = {".mdx": _MDX, ".html": _HTML, ".htm": _HTML}
# The folders in which other tools keep templates and files that are not pages.
_NOT_CONTENT = frozenset(
    {"assets", "includes", "layouts", "node_modules", "overrides", "partials", "public", "static", "themes"}
)
# Of the folders whose name begins with `_`, Jekyll has pages in these.
_PAGES = frozenset({"_drafts", "_pages", "_posts"})


def problems(content: Content) -> Iterator[Problem]:
    """Warn of each such file below the content folder, but not below folders of templates."""
    settings = content.settings
    for path in content.tree.files:
        said = _FORMATS.get(posixpath.splitext(path)[1].lower())
        if not said or content.excludes(path) or (settings.templates and below(path, settings.templates)):
            continue
        if _is_content(below(path, settings.content)):
            yield Problem(path, 0, *said, warning=True, code=Code.PASSED_OVER)


def unused_patterns(content: Content) -> Iterator[Problem]:
    """Warn of each pattern of `exclude` that fits no file: it may be misspelt, and its files are sent."""
    inners = (below(path, content.settings.content) for path in content.tree.files)
    for pattern in content.exclusion.unused(filter(None, inners)):
        what = f"`exclude` has '{pattern}', and no file below the content folder fits it"
        todo = "correct the pattern, or remove it; it is a path from the content folder"
        place = content.settings.origins["exclude"]
        yield Problem(place, 0, what, todo, warning=True, code=Code.SETTINGS)


def _is_content(inner: str) -> bool:
    folders = inner.split("/")[:-1]
    is_hidden = any(name.startswith(".") for name in inner.split("/"))
    hosts_templates = any(
        name in _NOT_CONTENT or (name.startswith("_") and name not in _PAGES) for name in folders
    )
    return bool(inner) and not is_hidden and not hosts_templates
