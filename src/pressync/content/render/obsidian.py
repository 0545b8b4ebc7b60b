"""Turns the forms of Obsidian in rendered HTML into links, pictures, folding boxes and places. Pure.

The parser of Markdown reads `[[…]]` itself, so it knows what is code. It leaves embeds, comments, callouts of
other kinds and `^blocks` in the text, so these are read in its HTML, outside of code. Links get the path of
their file here; `links` gives them their addresses later. A link without a file becomes its text then.
"""

from __future__ import annotations

import html
import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pressync.content.foreign_syntax import HASHTAG
from pressync.html.titles import heading_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pressync.config.settings import MarkdownForms
    from pressync.content.vault import Vault

    _Destination = Callable[[str], str | None]

_PICTURES = frozenset({"avif", "bmp", "gif", "jpeg", "jpg", "png", "svg", "webp"})
# The element that plays a file, by its ending.
_PLAYERS = {
    **dict.fromkeys(("3gp", "flac", "m4a", "mp3", "ogg", "wav"), "audio"),
    **dict.fromkeys(("m4v", "mkv", "mov", "mp4", "ogv", "webm"), "video"),
}
# Code, scripts and comments, and each single tag. Each alternative reads a character a fixed number of times.
_HIDDEN = r"""<!--(?:-?>|.*?(?:-->|\Z))
  | <(?P<raw>pre|code|script|style|textarea)(?=[\s/>]).*?(?:</(?P=raw)\s*>|\Z)"""
_FLAGS = re.VERBOSE | re.IGNORECASE | re.DOTALL
_PIECE = re.compile(rf"{_HIDDEN}|<(?P<end>/)?(?P<name>[a-z][a-z0-9-]*)[^<>]*>|(?P<sign>%%)", _FLAGS)
_VOID = frozenset({"br", "hr", "img", "input", "source", "track", "wbr"})
_FORM = re.compile(
    rf"""{_HIDDEN}
  | <a(?P<place>(?:[ ]data-sourcepos="[^"<>]*")?)[ ]href="(?P<target>[^"<>]*)"[ ]data-wikilink="true">
    (?P<text>[^<]*)</a>
  | (?P<shown>!?)\[\[(?P<typed>[^\[\]<>\n]{{1,500}})\]\]
  | (?:(?<=[ \n>])|(?<=\A))\^(?P<block>[A-Za-z0-9-]{{1,100}})(?=[ ]?(?:\n<|</(?:p|li|td|th|h[1-6]|dd)>|\Z))
  | <(?P<element>a|img)(?=[ ][^<>]*+>)[^<>]*?[ ](?:href|src)="(?P<url>[^"<>]*)"[^<>]*>""",
    _FLAGS,
)
_NOTE = re.compile(rf"""{_HIDDEN} | \^\[(?P<note>[^\[\]\n]{{1,1000}})\]""", _FLAGS)
_SIZE = re.compile(r"(?P<width>\d{1,4})(?:x(?P<height>\d{1,4}))?", re.ASCII)
_SIZED = re.compile(r'(?<=\balt=")(?P<alt>[^"]*)\|(?P<size>\d{1,4}(?:x\d{1,4})?)"', re.ASCII)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|[/#?]|\Z", re.IGNORECASE)
_FILE = re.compile(r"\.[a-z]\w{1,4}\Z", re.IGNORECASE)
# The beginning of a box: an alert that the parser read, or a quote that begins with the mark of a callout.
_BOX = re.compile(
    r"""(?P<open><div[ ]class="markdown-alert[ ]markdown-alert-(?P<alert>\w+)"(?P<at>[^<>]*)>\n
        <p[ ]class="markdown-alert-title">)(?P<fold>[+-])[ ]?(?P<title>[^<]*)</p>
      | <blockquote(?P<place>[^<>]*)>\n<p(?P<inner>[^<>]*)>\[!(?P<kind>\w[\w-]{0,40})\](?P<folds>[+-]?)
        [ ]?(?P<head>(?:(?!</p>)[^\n])*)(?P<rest>\n|</p>)
      | <(?P<end>/)?(?P<name>blockquote|div)\b[^<>]*>""",
    re.VERBOSE,
)
# Code and tags. A line in its own element is a line of its own.
_MARKUP = re.compile(rf"{_HIDDEN}|<[^<>]*>", _FLAGS)
_HASHTAG = re.compile(HASHTAG)
# Its text stands for the place to which it leads.
_WIKILINK = re.compile(r'<a[^<>]*[ ]data-wikilink="true">[^<]*</a>')
# The place of a comment that was taken out. Unicode reserves this character.
_GONE = "\ufdd3"
_EMPTY = re.compile(rf"<(p|li|ul|ol|blockquote|div|dd|dl)\b[^<>]*>([{_GONE}\s]*+)</\1>\n?")
_LEFT = re.compile(rf"(?<=\n){_GONE}++\n|[ ]?{_GONE}++(?=[ \n]|</|\Z)|{_GONE}++")
# An element that only held a comment goes with it, up to so many levels.
_DEEPEST = 50
_UNRESOLVED = re.compile(
    r"""<(?P<name>a|audio|video|img)(?P<place>(?:[ ]data-sourcepos="[^"<>]*")?)
    [ ]data-vault="(?P<text>[^"<>]*)"
    (?P<rest>[^<>]*[ ](?:href|src)="(?P<url>[^"<>]*)"[^<>]*>)(?P<inner>(?:[^<]*</(?P=name)>)?)""",
    re.VERBOSE,
)
_OF_THE_SITE = re.compile(r"https?://|#", re.IGNORECASE)


def formed(page: str, document: str, vault: Vault) -> tuple[str, tuple[str, ...]]:
    """Turn the forms in the HTML of a note into HTML; its links lead to paths relative to the note.

    Also give the names and aliases that the HTML depends on.
    """
    page = without_comments(page) if "%%" in page else page
    page = "".join(_boxes(page)) if "[!" in page or "markdown-alert" in page else page
    depends: dict[str, None] = {}

    def destination(written: str) -> str | None:
        path, names = vault.find(written, document)
        depends.update(dict.fromkeys(names))
        return path and quote(posixpath.relpath(path, posixpath.dirname(document) or "."), safe="/")

    page = _FORM.sub(lambda match: _form(match, destination), page)
    # In a list of footnotes, the words would be lines of another block for pull.
    page = _NOTE.sub(_beside, page) if "^[" in page else page
    return page, tuple(sorted(depends))


def resolved(page: str) -> str:
    """Give the HTML in which each link of the vault that got no address is its text."""

    def shown(match: re.Match[str]) -> str:
        if _OF_THE_SITE.match(match["url"]):
            return f"<{match['name']}{match['place']}{match['rest']}{match['inner']}"
        return match["text"]

    return _UNRESOLVED.sub(shown, page) if "data-vault" in page else page


def without_comments(page: str) -> str:
    """Take out `%%…%%`, with all elements that begin and end in it; one without an end stays."""
    parts, position, begun = [], 0, -1
    # The places of elements in the comment that are not closed yet, and of tags that stay.
    opened: list[tuple[str, int, int]] = []
    stay: list[tuple[int, int]] = []
    for piece in _PIECE.finditer(page):
        if piece["sign"] and begun < 0:
            begun, opened, stay = piece.start(), [], []
        elif piece["sign"]:
            kept = sorted([*stay, *((start, end) for _, start, end in opened)])
            parts += [page[position:begun], _GONE, *(page[start:end] for start, end in kept), _GONE]
            position, begun = piece.end(), -1
        elif begun >= 0 and piece["name"] and piece["name"].lower() not in _VOID:
            name = piece["name"].lower()
            if not piece["end"]:
                opened.append((name, *piece.span()))
            elif opened and opened[-1][0] == name:
                opened.pop()
            else:
                stay.append(piece.span())
    page = "".join((*parts, page[position:]))
    for _ in range(_DEEPEST if parts else 0):
        shorter = _EMPTY.sub(lambda element: _GONE if _GONE in element[2] else element[0], page)
        if shorter == page:
            break
        page = shorter
    return _LEFT.sub("", page) if parts else page


def hashtags(body: str, forms: MarkdownForms, *, of_links: bool = False) -> tuple[str, ...]:
    """Give the tags in the text of a note, each once as it is written first.

    `of_links` is the former rule: the text of a link to a heading (`[[#Heading]]`) was a tag.
    """
    from pressync.content.render.markdown import to_html  # noqa: PLC0415 - it loads the parser

    page = without_comments(to_html(body, forms))
    text = _MARKUP.sub("", page if of_links else _WIKILINK.sub("x", page))
    tags: dict[str, str] = {}
    for match in _HASHTAG.finditer(text):
        tag = html.unescape(match[0][1:])
        tags.setdefault(tag.lower(), tag)
    return tuple(tags.values())


def _beside(match: re.Match[str]) -> str:
    return f"<small>({match['note']})</small>" if match["note"] else match[0]


def _form(match: re.Match[str], destination: _Destination) -> str:
    if match["target"] is not None:
        # Outside of tables the parser takes an escaped pipe for a part of the name.
        name, _, text = unquote(html.unescape(match["target"])).partition("|")
        return _link(name, text or html.unescape(match["text"]), destination, match["place"])
    if match["typed"]:
        # The parser reads no wikilink between single brackets.
        name, *words = html.unescape(match["typed"]).split("|")
        if match["shown"]:
            return _embed(name, *words, destination=destination)
        return _link(name, "|".join(words), destination)
    if match["block"]:
        return f'<a id="^{match["block"]}"></a>'
    return _of_markdown(match, destination) if match["element"] else match[0]


def _link(target: str, text: str, destination: _Destination, place: str = "") -> str:
    """Write a wikilink; without a text of its own it shows what Obsidian shows."""
    is_bare = text.strip() in {"", target.strip()}
    name, *headings = " ".join(target.split()).split("#")
    shown = " > ".join(filter(None, (name, *headings))) if is_bare else text
    # A missing file gets a warning as any link: it is looked for beside the note.
    name = name.strip()
    missing = quote(name if _FILE.search(name) else f"{name}.md", safe="/")
    path = (destination(name) or missing) if name else ""
    last = headings[-1].strip() if headings else ""
    fragment = f"#{quote(last if last.startswith('^') else heading_id(last))}" if last else ""
    url, plain = html.escape(path + fragment), html.escape(shown, quote=False)
    return f'<a{place} data-vault="{html.escape(shown)}" href="{url}">{plain}</a>'


def _embed(target: str, *words: str, destination: _Destination) -> str:
    """Show a picture, play a file, or link to a note: its text would be on the site twice."""
    name = target.partition("#")[0].strip()
    ending = posixpath.splitext(name)[1][1:].lower()
    *texts, last = ("", *(word.strip() for word in words))
    size = _SIZE.fullmatch(last) if words else None
    text = " ".join(filter(None, texts if size else [*texts, last]))
    player = "img" if ending in _PICTURES else _PLAYERS.get(ending)
    if not player:
        return _link(target, text, destination)
    url = html.escape(destination(name) or quote(name, safe="/"))
    sizes = "".join(f' {key}="{value}"' for key, value in size.groupdict().items() if value) if size else ""
    missing = html.escape(text or name)
    if player == "img":
        return f'<img data-vault="{missing}" src="{url}" alt="{html.escape(text)}"{sizes} />'
    sizes = sizes if player == "video" else ""
    return f'<{player} data-vault="{missing}" controls src="{url}"{sizes}></{player}>'


def _of_markdown(match: re.Match[str], destination: _Destination) -> str:
    """Give a link or picture of Markdown the path that Obsidian finds, and the size behind its text."""
    url = html.unescape(match["url"])
    path, hash_, fragment = url.partition("#")
    tag = _SIZED.sub(_as_attributes, match[0]) if match["element"] == "img" else match[0]
    there = None if _SCHEME.match(path) else destination(unquote(path))
    if there is None:
        return tag
    heading = unquote(fragment).rpartition("#")[2]
    last = fragment if heading.startswith("^") or not hash_ else quote(heading_id(heading))
    return tag.replace(f'="{match["url"]}"', f'="{html.escape(there + hash_ + last)}"', 1)


def _as_attributes(match: re.Match[str]) -> str:
    width, _, height = match["size"].partition("x")
    return f'{match["alt"]}" width="{width}"' + (f' height="{height}"' if height else "")


def _boxes(page: str) -> Iterator[str]:
    """Write each callout as a box, or as one that folds if its mark has a `-` or `+`."""
    closing: list[tuple[str, str]] = []
    position = 0
    for match in _BOX.finditer(page):
        yield page[position : match.start()]
        position = match.end()
        if match["open"]:
            closing.append(("div", "details"))
            title = match["title"] or match["alert"].title()
            yield _opened(match["alert"], match["at"], match["fold"], title)
        elif match["kind"]:
            kind, fold = match["kind"].lower(), match["folds"]
            closing.append(("blockquote", "details" if fold else "div"))
            yield _opened(kind, match["place"], fold, match["head"] or match["kind"].title())
            # The text of the quote begins on the line below the mark.
            yield f"\n<p{match['inner']}>" if match["rest"] == "\n" else ""
        elif not match["end"]:
            closing.append((match["name"], match["name"]))
            yield match[0]
        elif closing and closing[-1][0] == match["name"]:
            yield f"</{closing.pop()[1]}>"
        else:
            yield match[0]
    yield page[position:]


def _opened(kind: str, place: str, fold: str, title: str) -> str:
    named = f'class="markdown-alert markdown-alert-{kind}"{place}'
    if fold:
        return f"<details {named}{' open' if fold == '+' else ''}>\n<summary>{title}</summary>"
    return f'<div {named}>\n<p class="markdown-alert-title">{title}</p>'
