"""Puts a picture in the place of each fence `mermaid`. Pure.

The picture is a file that no tree has. Its path and its blob id are made of the text of the fence. So the
plan knows it without a command, each text is uploaded once, and all clones agree on it.
"""

from __future__ import annotations

import html
import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A longer text stays code.
_LONGEST = 50_000
_FENCE = re.compile(
    r'<pre(?P<place>[^<>]*)><code class="language-mermaid"[^<>]*>(?P<text>[^<]*)</code></pre>', re.IGNORECASE
)
_FOLDER = ".pressync/diagrams"
_PATH = re.compile(rf"{_FOLDER}/diagram-([0-9a-f]{{40}})\.png")
_TITLE = re.compile(r"^[ \t]*accTitle[ \t]*:[ \t]*([^\n]+)", re.MULTILINE)
_DESCRIPTION = re.compile(r"^[ \t]*accDescr[ \t]*(?::[ \t]*([^\n]+)|\{([^{}]*)\})", re.MULTILINE)


def drawn(page: str, document: str) -> tuple[str, Mapping[str, str]]:
    """Give the HTML of a document with pictures, and the text of each picture by its blob id.

    `document` is the path of the document.
    """
    texts: dict[str, str] = {}

    def picture(match: re.Match[str]) -> str:
        text = html.unescape(match["text"])
        if len(text) > _LONGEST:
            return match[0]
        data = f"mermaid\n{text}".encode(errors="surrogatepass")
        import hashlib  # noqa: PLC0415 - few pages have a diagram

        blob = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        texts[blob] = text
        source = posixpath.relpath(f"{_FOLDER}/diagram-{blob}.png", posixpath.dirname(document) or ".")
        title, described = _TITLE.search(text), _DESCRIPTION.search(text)
        words = [title[1]] if title else []
        words += [described[1] or described[2] or ""] if described else []
        alternative = html.escape(": ".join(" ".join(word.split()) for word in words if word.strip()))
        return f'<p{match["place"]}><img src="{html.escape(source)}" alt="{alternative}" /></p>'

    return _FENCE.sub(picture, page), texts


def blob_of(path: str) -> str | None:
    """Give the blob id of the picture at a path; None if the path is not that of a picture."""
    match = _PATH.fullmatch(path) if path.startswith(_FOLDER) else None
    return match[1] if match else None


def is_here(command: Sequence[str]) -> bool:
    """Tell whether the program of a command is on this machine; of a shell line, its first word counts."""
    if not command:
        return False
    import shlex  # noqa: PLC0415 - few pages have diagrams
    import shutil  # noqa: PLC0415 - as above

    words = shlex.split(command[2]) if command[:2] == ("/bin/sh", "-c") else list(command)
    return bool(words) and shutil.which(words[0]) is not None
