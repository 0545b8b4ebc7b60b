"""What a page should say, read from its file by other means than the client's own.

It shares no code with pressync: PyYAML and markdown-it here, python-frontmatter and comrak there. Of what
these two renderers do differently only that is evened out which the trees of the tests really have.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml
from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from markdown_it.token import Token

_FENCED = re.compile(r"---\n(.*?)\n---\n(.*)", re.DOTALL)
_TAG_OR_COMMENT = re.compile(r"<!--.*?-->|</?[a-z!][^>]*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?([a-z][a-z0-9]*)\b")
_WORD = re.compile(r"\w+")

# What GitHub's Markdown adds to the common one: alerts, with a title of their own or the word, and
# footnotes, with numbers. On either side the frame is left out and the text compared.
_ALERT = re.compile(r"(?<=> )\[!(?:note|tip|important|warning|caution)\].*", re.IGNORECASE)
_FOOTNOTE = re.compile(r"\[\^\w+\]:?")
_FRAME = re.compile(
    r'<p class="markdown-alert-title">.*?</p>|<sup class="footnote-ref">.*?</sup>|'
    r'<a [^>]*class="footnote-backref".*?</a>'
)

_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

_INDEX = ("index.md", "_index.md")


@dataclass(frozen=True)
class Page:
    """A page as its file means it; `parent` is a path, and None at the top of the site."""

    title: str
    parent: str | None
    menu_order: int
    status: str
    excerpt: str
    words: list[str]


def pages(root: Path) -> dict[str, Page]:
    """Read every Markdown file of the content folder, by its path from the root."""
    paths = {str(file.relative_to(root)) for file in (root / "content").rglob("*.md")}
    return {path: _page((root / path).read_text(encoding="utf-8"), path, paths) for path in paths}


def words(markup: str) -> list[str]:
    """Give the words that a reader sees."""
    return _WORD.findall(html.unescape(_TAG_OR_COMMENT.sub(" ", _FRAME.sub(" ", markup))))


def tags(markup: str) -> list[str]:
    """Give the names of the tags, in their order."""
    return _TAG.findall(re.sub(r"<!--.*?-->", "", markup, flags=re.DOTALL))


def _page(text: str, path: str, paths: Collection[str]) -> Page:
    fenced = _FENCED.match(text)
    given: dict[str, Any] = (yaml.safe_load(fenced[1]) if fenced else None) or {}
    body = fenced[2] if fenced else text
    tokens = _MARKDOWN.parse(_FOOTNOTE.sub("", _ALERT.sub("", body)))
    # A heading of a lower level names a part of the page, and not the page.
    headings = [
        place for place, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h1"
    ]
    title = given.get("title")
    if not title and headings:
        title = _text(tokens[headings[0] + 1].children or ())
        if headings[0] == 0:
            # A theme shows the title, and it is not shown twice.
            tokens = tokens[3:]
    return Page(
        title=str(title or _named(path)),
        parent=_parent(path, paths),
        menu_order=given.get("weight", 0),
        status="draft" if given.get("draft") else "publish",
        excerpt=given.get("description") or "",
        words=words(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})),
    )


def _text(inline: Iterable[Token]) -> str:
    return "".join(one.content for one in inline if one.type in {"text", "code_inline"})


def _named(path: str) -> str:
    """Give a title to a file that has none: its name, or its folder's if it is an index."""
    folder, _, name = path.rpartition("/")
    stem = folder.rpartition("/")[2] if name in _INDEX else name.removesuffix(".md")
    return stem[:1].upper() + stem[1:].replace("-", " ")


def _parent(path: str, paths: Collection[str]) -> str | None:
    folder, _, name = path.rpartition("/")
    if name in _INDEX:
        folder = folder.rpartition("/")[0]
    while folder.count("/") > 1:
        for candidate in (f"{folder}.md", *(f"{folder}/{index}" for index in _INDEX)):
            if candidate in paths:
                return candidate
        folder = folder.rpartition("/")[0]
    return None
