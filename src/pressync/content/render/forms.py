"""Turns the forms of Markdown that `[markdown]` turns on into HTML, in the HTML of the renderer. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.config.settings import MarkdownForms
    from pressync.content.render.formulas import Fault


def formed(page: str, forms: MarkdownForms) -> tuple[str, tuple[Fault, ...]]:
    """Give the HTML of a body with its formulas and coloured code, and the formulas that cannot be shown."""
    faults: tuple[Fault, ...] = ()
    if forms.math:
        from pressync.content.render import formulas  # noqa: PLC0415 - few settings have it

        page, faults = formulas.shown(page)
    if forms.highlight and "<code" in page:
        from pressync.content.render.code import highlighted  # noqa: PLC0415 - as above

        page = highlighted(page, forms.highlight)
    return page, faults
