"""Fills Jinja2 templates, strict and sandboxed, and gives the page or the template's problem.

A template gets only data, and sources are handed in. The body is a value for the template and never a part of
its source, so that `{{ }}` in an article stays text.
"""

from __future__ import annotations

import difflib
import posixpath
import traceback
from typing import TYPE_CHECKING

import jinja2
from jinja2 import meta
from jinja2.exceptions import SecurityError
from markupsafe import Markup

from pressync.content.render.template_limits import Bounded, EndlessError, Environment
from pressync.model.bounds import TEMPLATE, FileTooLarge, UnreadSource
from pressync.model.errors import Code, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.records import Document

_FIX = "fix the template"


class Templates:
    """The templates of one repository: `sources` by name; only problems mention `folder`."""

    def __init__(self, sources: Mapping[str, str], folder: str) -> None:
        self._sources = dict(sources)
        self._folder = folder
        self._places = {self._place(name): name for name in sources}
        self._environment = Environment(self._load)

    def fill(self, layout: str, document: Document, body: str) -> str | Problem:
        """Fill a template with a document and its rendered body; give the page or the problem."""
        if layout not in self._sources:
            problem = f"its layout is `{document.layout}`, and there is no {self._place(layout)}"
            meant = difflib.get_close_matches(layout, self._sources, 1)
            todo = f"did you mean `{meant[0]}`?" if meant else "add that template, or name another layout"
            return Problem(document.path, document.layout_line, problem, todo, code=Code.MISSING_LAYOUT)
        fields = dict(document.fields)
        values = {
            "content": Markup(body),  # noqa: S704  # Markdown allows the author's HTML
            "title": fields.get("title", ""),
            "slug": fields.get("slug", ""),
            "kind": str(document.kind),
            "path": document.path,
            "fields": fields,
            "page": {**document.extra, **fields},
        }
        self._environment.begin(len(body))
        try:
            page = self._environment.get_template(layout).render(values)
        except Exception as error:  # noqa: BLE001  # a template can raise any exception
            return self._problem(layout, document.path, error)
        text = page.rstrip()
        return f"{text}\n" if text else ""

    def _load(self, name: str) -> tuple[str, str, None] | None:
        """Give Jinja2 a source with its path, so that tracebacks name the template."""
        source = self._sources.get(name)
        if isinstance(source, UnreadSource):
            raise FileTooLarge(source, where=self._place(name), todo=TEMPLATE.todo)
        return None if source is None else (source, self._place(name), None)

    def _place(self, name: str) -> str:
        return posixpath.join(self._folder, name)

    def _problem(self, layout: str, path: str, error: Exception) -> Problem:
        """Make a problem of an error, at the deepest template line of its traceback."""
        problem, todo = _explain(error)
        if isinstance(error, FileTooLarge):
            problem = f"{error.what} (rendering {path})"
            return Problem(error.where, 0, problem, error.todo, rendering=path, code=Code.TOO_LARGE)
        frames = ((frame.f_code.co_filename, at) for frame, at in traceback.walk_tb(error.__traceback__))
        places = [(file, at) for file, at in frames if file in self._places]
        place, line = places[-1] if places else (self._place(layout), 0)
        if isinstance(error, jinja2.TemplateSyntaxError) and error.filename:
            place, line = error.filename, error.lineno
        return Problem(place, line, f"{problem} (rendering {path})", todo, rendering=path, code=Code.TEMPLATE)


def references(source: str) -> list[str] | None:
    """Name the templates that a source includes; None if a name is computed or cannot be read."""
    try:
        tree = jinja2.Environment(autoescape=True, extensions=[Bounded]).parse(source)
    except (jinja2.TemplateSyntaxError, RecursionError, SyntaxError):
        return None
    named = list(meta.find_referenced_templates(tree))
    return None if None in named else [name for name in named if name is not None]


def _explain(error: Exception) -> tuple[str, str]:
    match error:
        case SecurityError():
            return f"{error}".rstrip("."), "use only the values that the template is given"
        case jinja2.UndefinedError():
            return f"{error}", "name it in the front matter, or give it a default: `| default('')`"
        case jinja2.TemplateNotFound():
            return f"there is no template `{error.message}`", "add it, or fix its name"
        case jinja2.TemplateSyntaxError():
            return f"{error.message}".rstrip("."), _FIX
        # The parser of Jinja2, or that of Python for its code, raises the last two.
        case EndlessError() | RecursionError() | SyntaxError():
            deep = "it is nested too deeply, or includes itself without end"
            return f"{error}" if isinstance(error, EndlessError) else deep, "make it simpler"
        case _:
            return f"{type(error).__name__}: {error}", _FIX
