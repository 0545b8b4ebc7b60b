"""Runs the checks that need one document alone. Plan, sync and `check` show their warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.content.checks import anchors, code_fences, foreign_syntax
from pressync.content.headings import first_heading
from pressync.content.render.links import lines, shown
from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.content.render.renderer import Rendered
    from pressync.model.records import Document

# A heading at the top ends within this many characters.
_TOP = 1000


def problems(document: Document, rendered: Rendered) -> Iterator[Problem]:
    """Warn of what readers of this document would see."""
    yield from _double_title(document)
    yield from code_fences.find(document, rendered.placed)
    yield from foreign_syntax.find(document, rendered.linked.html, rendered.placed)
    yield from _dead_anchors(document, rendered)


def _double_title(document: Document) -> Iterator[Problem]:
    top, title = document.body[:_TOP], str(document.fields.get("title", ""))
    if not top.lstrip().startswith("#") and "=" not in top:
        # Nearly every text ends here: it begins neither with `#` nor with an underlined heading.
        return
    heading = first_heading(top)
    if heading is None or heading.level != 1 or heading.text != " ".join(title.split()):
        return
    before = document.body[: heading.start]
    if not before.strip():
        line = document.body_line + before.count("\n")
        what = "readers see the title twice, because the site shows it above the text"
        todo = "leave this heading out"
        yield Problem(document.path, line, what, todo, warning=True, code=Code.DOUBLE_TITLE)


def _dead_anchors(document: Document, rendered: Rendered) -> Iterator[Problem]:
    own = [link for link in rendered.linked.anchors if link.path == document.path]
    if not own or rendered.has_error:
        return
    ids = anchors.ids_of(rendered.content, str(document.fields.get("title", "")))
    dead = [link for link in own if anchors.is_dead(link.fragment, ids)][: anchors.MOST]
    line_of = list(lines(rendered.placed(), document.body)) if dead else []
    for link in dead:
        line = document.body_line + line_of[link.index] - 1
        what = f"links to `{shown(link.written)}`, and this page has no such place"
        todo = anchors.todo(link.fragment, ids)
        yield Problem(document.path, line, what, todo, warning=True, code=Code.DEAD_ANCHOR)
