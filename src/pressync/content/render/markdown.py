"""Renders Markdown as HTML by comrak, plain or with the source lines of each block.

The options are made once, because building them takes as long as rendering a short page.
"""

from __future__ import annotations

import re
from functools import cache
from html import unescape

import comrak

from pressync.config.settings import NO_FORMS, MarkdownForms
from pressync.content.basis import EXTENSIONS
from pressync.content.vault import OBSIDIAN
from pressync.html.shortcodes import as_written

# A release of comrak 0.0 may change the HTML of the same Markdown. `content.basis` counts the version into
# every page, and pyproject.toml stops behind this one, so pages change only with an upgrade of pressync.
TESTED_COMRAK = "0.0.16"

# What comrak reads more in a dialect: Obsidian marks `==words==`, too.
_OF_DIALECT = {OBSIDIAN: ("highlight", "wikilinks_title_after_pipe")}
# comrak ends each heading that has an id with an empty link to itself. No option turns that off.
_HEADING_ANCHOR = re.compile(
    r'<a href="#[^"]*" aria-label="[^"]*" data-heading-content="[^"]*" class="anchor"></a>(?=</h[1-6]>)'
)
# Each character that was written behind a backslash. These stay apart from the signs of Obsidian.
_ESCAPED = re.compile(r'<span data-escaped-char(?: data-sourcepos="[^"<>]*")?>([^<>]*)</span>')
_APART = {"%": "&#037;", "[": "&#91;"}  # `%` as WordPress writes it for an author
# The title of an alert with a sign that Markdown may read. comrak has escaped it.
_ALERT_TITLE = re.compile(
    r"""(?P<begin><p[ ]class="markdown-alert-title">)(?P<text>(?=[^<]*[*_`~\[<&:/])[^<]*)</p>""", re.VERBOSE
)
_LINE = re.compile(r"<p>(.*)</p>\n", re.DOTALL)
# More than a page of people needs.
_ROUNDS = 5
# comrak writes these two in an order that differs from one process to the next.
_META_FIRST = re.compile(r'(<code)( data-meta="[^"<>]*")( class="[^"<>]*")')


@cache
def _extensions(dialect: str, *, math: bool) -> comrak.ExtensionOptions:
    options = comrak.ExtensionOptions()
    for name in (*EXTENSIONS, *_OF_DIALECT.get(dialect, ())):
        setattr(options, name, True)
    options.math_dollars = options.math_code = math
    options.header_id_prefix = ""  # ids without a prefix
    return options


@cache
def _options(*, placed: bool, info: bool, escaped: bool) -> comrak.RenderOptions:
    options = comrak.RenderOptions()
    options.unsafe_ = True  # authors may write raw HTML; the service filters it by their role
    options.sourcepos, options.full_info_string, options.escaped_char_spans = placed, info, escaped
    return options


def to_html(body: str, forms: MarkdownForms = NO_FORMS, *, placed: bool = False) -> str:
    """Render Markdown; a lone surrogate raises UnicodeEncodeError.

    The HTML is that before code is coloured and formulas are written. With `highlight`, the text behind the
    language of a fence is the attribute `data-meta` of its code. With `embeds`, what is shown as a player has
    its form.
    """
    html = _rendered(body, forms, placed=placed)
    if not forms.embeds or "</a></p>" not in html:
        return html
    from pressync.content.render.players import with_players  # noqa: PLC0415 - few pages have one

    # A note of a vault names its files in another way, and has players of its own: `![[talk.mp3]]`.
    return with_players(
        html, lambda: html if placed else _rendered(body, forms, placed=True), body, files=not forms.dialect
    )


def _rendered(body: str, forms: MarkdownForms, *, placed: bool) -> str:
    # `\\%%` and `\\[[` are text in Obsidian. `%%` begins a comment, and `[[` a link.
    escaped = forms.dialect == OBSIDIAN and ("\\%" in body or "\\[" in body)
    options = _options(placed=placed, info=bool(forms.highlight), escaped=escaped)
    html = comrak.render_markdown(body, _extensions(forms.dialect, math=forms.math), None, options)
    if " data-math-style=" in html:
        html = _with_typed_code(html, body, forms, options)
    html = _META_FIRST.sub(r"\1\3\2", html) if forms.highlight else html
    if escaped:
        html = _ESCAPED.sub(lambda match: _APART.get(match[1], match[1]), html)
    return as_written(_HEADING_ANCHOR.sub("", html))


def _with_typed_code(html: str, body: str, forms: MarkdownForms, options: comrak.RenderOptions) -> str:
    """Give the HTML of Markdown, with no formula in code that the author writes as raw HTML."""
    extensions = _extensions(forms.dialect, math=forms.math)
    from pressync.content.render.formulas import TYPED_END, typed  # noqa: PLC0415 - few pages have formulas

    if not TYPED_END.search(body):
        return html
    places = _options(placed=True, info=False, escaped=False)
    # A dollar that ended a formula in code may begin one with the next dollar.
    for _ in range(_ROUNDS):
        before, body = body, typed(body, comrak.render_markdown(body, extensions, None, places))
        if body == before:
            break
    return comrak.render_markdown(body, extensions, None, options)


def with_alert_titles(page: str, *, math: bool = False) -> str:
    """Render the titles of alerts, which comrak writes as text; one that is not a line of text stays."""
    options, extensions = _options(placed=False, info=False, escaped=False), _extensions("", math=math)

    def titled(title: re.Match[str]) -> str:
        line = _LINE.fullmatch(comrak.render_markdown(unescape(title["text"]), extensions, None, options))
        return f"{title['begin']}{as_written(line[1])}</p>" if line else title[0]

    return _ALERT_TITLE.sub(titled, page)


def with_places(body: str, forms: MarkdownForms = NO_FORMS) -> str:
    """Render Markdown with `data-sourcepos` on each block: its lines and columns in the source."""
    return to_html(body, forms, placed=True)
