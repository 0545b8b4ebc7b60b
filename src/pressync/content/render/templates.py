"""Jinja2 templates, strict and sandboxed: the page that one makes of a document, and what is wrong with it.

It must not know Markdown, files or the network: sources are handed in, and a template sees only data.
What decided its shape: the body is a value handed to the template, never a part of its source, so that
`{{ }}` in an article is text.
"""

from __future__ import annotations

import posixpath
import traceback
from typing import TYPE_CHECKING

import jinja2
from jinja2 import meta
from jinja2.exceptions import SecurityError
from markupsafe import Markup

from pressync.content.render.template_limits import EndlessError, Environment
from pressync.model.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.model.records import Document

_MEND = "mend the template"

# What Jinja2's parser, or Python's own on the code that Jinja2 makes, says of a template nested too deeply.
_TOO_DEEP = (RecursionError, SyntaxError)


class Templates:
    """The templates of one repository: `sources` by name, in `folder` (which only problems mention)."""

    def __init__(self, sources: Mapping[str, str], folder: str) -> None:
        self._sources = dict(sources)
        self._folder = folder
        self._places = {self._place(name): name for name in sources}
        self._environment = Environment(self._load)

    def check(self) -> list[Problem]:
        """List the templates that Jinja2 cannot compile, one problem each."""
        return [problem for name in sorted(self._sources) if (problem := self._flaw(name))]

    def fill(self, layout: str, document: Document, body: str) -> str | Problem:
        """Hand a document and its rendered body to a template; the page, or what is wrong with it."""
        if layout not in self._sources:
            what = f"its layout is `{document.layout}`, and there is no {self._place(layout)}"
            return Problem(
                document.path, document.layout_line, what, "add that template, or name another layout"
            )
        fields = dict(document.fields)
        values = {
            "content": Markup(body),  # noqa: S704  # the author's own HTML, which Markdown allows
            "title": fields.get("title", ""),
            "slug": fields.get("slug", ""),
            "kind": document.kind.value,
            "path": document.path,
            "fields": fields,
            "page": {**document.extra, **fields},
        }
        self._environment.begin()
        try:
            page = self._environment.get_template(layout).render(values)
        except Exception as error:  # noqa: BLE001  # a template can raise whatever an expression can
            return self._problem(layout, document.path, error)
        text = page.rstrip()
        return f"{text}\n" if text else ""

    def _load(self, name: str) -> tuple[str, str, None] | None:
        """Give Jinja2 a source with its place, so that tracebacks name the template."""
        if name not in self._sources:
            return None
        return self._sources[name], self._place(name), None

    def _place(self, name: str) -> str:
        return posixpath.join(self._folder, name)

    def _flaw(self, name: str) -> Problem | None:
        """Compile one template, which finds unknown filters as well as bad syntax."""
        try:
            self._environment.compile(self._sources[name], name=name, filename=self._place(name))
        except jinja2.TemplateSyntaxError as error:
            return Problem(self._place(name), error.lineno, *_explain(error))
        except _TOO_DEEP as error:
            return Problem(self._place(name), 0, *_explain(error))
        return None

    def _problem(self, layout: str, path: str, error: Exception) -> Problem:
        """Place an error at the deepest template line that it came through."""
        what, todo = _explain(error)
        place, line = next(self._template_lines(error), (self._place(layout), 0))
        if isinstance(error, jinja2.TemplateSyntaxError) and error.filename:
            place, line = error.filename, error.lineno
        return Problem(place, line, f"{what} (rendering {path})", todo, rendering=path)

    def _template_lines(self, error: Exception) -> Iterator[tuple[str, int]]:
        """Yield the template lines of an error's traceback, the deepest first."""
        for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
            if frame.f_code.co_filename in self._places:
                yield frame.f_code.co_filename, line


def references(source: str) -> list[str] | None:
    """Name the templates that a source pulls in; None where names are computed or cannot be read."""
    try:
        tree = jinja2.Environment(autoescape=True).parse(source)
    except (jinja2.TemplateSyntaxError, *_TOO_DEEP):
        return None
    named = list(meta.find_referenced_templates(tree))
    return None if None in named else [name for name in named if name is not None]


def _explain(error: Exception) -> tuple[str, str]:
    """Say in words what a template did wrong, and what to do."""
    match error:
        case SecurityError():
            return f"{error}".rstrip("."), "use only the values that the template is given"
        case jinja2.UndefinedError():
            return f"{error}", "name it in the front matter, or give it a default: `| default('')`"
        case jinja2.TemplateNotFound():
            return f"there is no template `{error.message}`", "add it, or mend its name"
        case jinja2.TemplateSyntaxError():
            return f"{error.message}".rstrip("."), _MEND
        case EndlessError() | RecursionError() | SyntaxError():
            deep = "it is nested too deeply, or pulls itself in without end"
            return f"{error}" if isinstance(error, EndlessError) else deep, "make it simpler"
        case _:
            return f"{type(error).__name__}: {error}", _MEND
