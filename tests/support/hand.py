"""The hand that writes and reads bodies in tests: the real renderer, without a site."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pressync.config.settings import MarkdownForms
from pressync.content.render.links import Unresolved
from pressync.content.render.renderer import Renderer
from pressync.html.pieces import Forms
from pressync.model.interface import Kind
from pressync.model.records import Document
from pressync.pull.compose import BodyFormat

if TYPE_CHECKING:
    from collections.abc import Callable

_RENDERER = Renderer({}, templates_folder="", content="content")
PLAYERS = MarkdownForms(embeds=True, galleries=True)
_PLAYING = Renderer({}, templates_folder="", content="content", forms=PLAYERS)


def placed(body: str, renderer: Renderer = _RENDERER) -> str:
    """Render a body, each block with the lines it is from."""
    document = Document("content/pages/a.md", "", Kind.PAGE, {}, body, 1)
    return renderer.laid_out(
        document, resolve=lambda _path: Unresolved.MISSING, uploadable=lambda _path: False
    )


def html(body: str) -> str:
    """Render a body as it is sent."""
    document = Document("content/pages/a.md", "", Kind.PAGE, {}, body, 1)
    return _RENDERER.render(document, resolve=lambda _path: Unresolved.MISSING).content


def hand(link: Callable[[str], str] = str, *, blocks: bool = False, players: bool = False) -> BodyFormat:
    """Give the hand; `link` may know addresses. With `players`, embeds and galleries are on."""
    forms = Forms(blocks, players, blocks and players)
    return BodyFormat(partial(placed, renderer=_PLAYING) if players else placed, link, forms)
