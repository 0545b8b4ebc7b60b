"""Gives the editor's blocks of players and galleries the form in which the renderer writes them. Pure.

The editor repeats in its classes what the comment of an embed says, and wraps each picture of a gallery in a
figure. A form that has more than that, such as a caption under an embed, has none in Markdown. The table of
providers says which addresses WordPress shows as players.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from pressync.html.tree import Element, Node, Text, filled

if TYPE_CHECKING:
    from collections.abc import Mapping

# WordPress has a table of providers in each version, and asks no other site. These rows are those that 6.1,
# 6.8 and 7.1 have in common, in `class-wp-oembed.php`. Where WordPress takes every address of a host, a row
# needs a path: the start of such a site is not a film. Shops are left out, because few of their pages are
# players.
_ANY = r"(?:[a-z0-9-]+\.)*"
# The name of each provider, and the pattern of its addresses after the scheme.
PROVIDERS: Mapping[str, str] = {
    "YouTube": r"(?:(?:m\.|www\.)?youtube\.com/(?:watch\?|playlist\?|shorts/)|youtu\.be/).+",
    "Vimeo": rf"{_ANY}vimeo\.com/.+",
    "Dailymotion": r"(?:(?:www\.)?dailymotion\.com|dai\.ly)/.+",
    "Flickr": r"(?:(?:www\.)?flickr\.com|flic\.kr)/.+",
    "SmugMug": rf"{_ANY}smugmug\.com/.+",
    "Scribd": r"(?:www\.)?scribd\.com/(?:doc|document)/.+",
    "WordPress.tv": r"wordpress\.tv/.+",
    "Crowdsignal": rf"(?:{_ANY}polldaddy\.com|poll\.fm|{_ANY}survey\.fm)/.+",
    "Twitter": r"(?:www\.)?twitter\.com/\w{1,15}/status(?:es)?/.+",
    "SoundCloud": r"(?:www\.)?soundcloud\.com/.+",
    "Spotify": r"(?:open|play)\.spotify\.com/.+",
    "Issuu": r"(?:www\.)?issuu\.com/.+/docs/.+",
    "Mixcloud": r"(?:www\.)?mixcloud\.com/.+",
    "TED": r"(?:www\.|embed\.)?ted\.com/talks/.+",
    "Animoto": r"(?:www\.)?(?:animoto|video214)\.com/play/.+",
    "Tumblr": r"(?:[a-z0-9-]+\.)+tumblr\.com/.+",
    "Kickstarter": r"(?:(?:www\.)?kickstarter\.com/projects|kck\.st)/.+",
    "Cloudup": r"cloudup\.com/.+",
    "ReverbNation": r"(?:www\.)?reverbnation\.com/.+",
    "VideoPress": r"videopress\.com/v/.+",
    "Reddit": r"(?:www\.)?reddit\.com/r/[^/]+/comments/.+",
    "Speaker Deck": r"(?:www\.)?speakerdeck\.com/.+",
    "TikTok": r"(?:www\.)?tiktok\.com/.+/video/.+",
    "Pinterest": r"(?:[a-z]{2}|www)\.pinterest\.com(?:\.(?:au|mx))?/.+",
    "Wolfram Cloud": r"(?:www\.)?wolframcloud\.com/obj/.+",
    "Pocket Casts": r"pca\.st/.+",
}
# What WordPress takes for an address on a line of its own. The patterns see no more characters than this.
_ADDRESS = re.compile(r"https?://([^\s<>\"]{4,2000})", re.IGNORECASE)


def provider_of(address: str) -> str:
    """Name the provider of an address; "" if WordPress does not know it in every version."""
    if not (shown := _ADDRESS.fullmatch(address)):
        return ""
    rows = PROVIDERS.items()
    return next((name for name, row in rows if re.fullmatch(row, shown[1], re.IGNORECASE)), "")


EMBED, GALLERY = "embed", "gallery"
# The blocks that have such a form, with the attributes of their comments that `form_of` needs not.
PLAYERS: dict[str, frozenset[str]] = {
    # The editor asks the provider, and writes these.
    EMBED: frozenset({"url", "type", "providerNameSlug", "responsive", "previewable"}),
    "audio": frozenset({"id"}),
    "video": frozenset({"id"}),
}
# The classes by which a theme keeps the shape of an embed.
RATIO = re.compile(r"wp-embed-aspect-\d+-\d+|wp-has-aspect-ratio")
_ELEMENTS = frozenset({"audio", "video"})
_PLAYED = frozenset({"controls", "src"})


def block_of(figure: Node) -> str:
    """Name the block of a figure by its class: one of `PLAYERS`, or the gallery; "" for any other."""
    classes = (
        figure.classes() if isinstance(figure, Element) and figure.name == "figure" else frozenset[str]()
    )
    return next((name for name in (*PLAYERS, GALLERY) if f"wp-block-{name}" in classes), "")


def form_of(figure: Node) -> Element | None:
    """Give a block's figure as the renderer writes it; None if it has more than that."""
    name = block_of(figure)
    if not name or not isinstance(figure, Element):
        return None
    match name, filled(figure.children):
        case "embed", [Element(name="div", children=(Text(text=text),))] if provider_of(text.strip()):
            return replace(figure, name="p", attributes={}, children=(Text(text.strip()),))
        case "audio" | "video", [Element() as player, *rest] if _is_usual(player):
            captions = [replace(child, attributes={}) for child in rest if _is_caption(child)]
            if len(captions) == len(rest) <= 1:
                return replace(figure, attributes={}, children=(player, *captions))
        case "gallery", pictures:
            images = [image for child in pictures if (image := _pictured(child))]
            if len(images) == len(pictures) > 1:
                return replace(figure, attributes={}, children=tuple(images))
    return None


def _is_line_end(node: Node) -> bool:
    return isinstance(node, Text) and node.text.strip(" ") == "\n"


def with_galleries(node: Node) -> Node:
    """Give each paragraph with nothing but a picture on each of its lines the form of a gallery."""
    if not isinstance(node, Element):
        return node
    images = [child for child in node.children if isinstance(child, Element) and child.name == "img"]
    between = [child for child in node.children if child not in images]
    is_listed = node.name == "p" and len(images) > 1 and len(between) == len(images) - 1
    if is_listed and all(map(_is_line_end, between)):
        return replace(node, name="figure", children=tuple(images))
    return replace(node, children=tuple(map(with_galleries, node.children)))


def is_player_form(node: Node) -> bool:
    """Whether a figure plays a file or shows several pictures, as `form_of` gives it."""
    children = node.elements if isinstance(node, Element) and node.name == "figure" else ()
    names = [child.name for child in children]
    return names[:1] in (["audio"], ["video"]) or (len(names) > 1 and set(names) == {"img"})


def _is_usual(player: Element) -> bool:
    return player.name in _ELEMENTS and player.attributes.keys() == _PLAYED and not player.children


def _is_caption(node: Node) -> TypeGuard[Element]:
    return isinstance(node, Element) and node.name == "figcaption"


def _pictured(figure: Node) -> Element | None:
    """Give the picture of a figure in a gallery that has nothing else."""
    if isinstance(figure, Element) and figure.name == "figure":
        match filled(figure.children):
            case [Element(name="img") as image]:
                return image
    return None
