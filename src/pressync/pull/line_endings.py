"""A new text for a file -> its bytes: every line that stays keeps the very bytes that it had.

It must not know what a text means. What decided its shape: texts are compared and merged with LF alone,
and a file may have CRLF, or both, or a byte order mark; a new line ends as most of the others do.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from difflib import SequenceMatcher

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def replace_text(data: bytes, old: str, new: str) -> bytes:
    """Give the bytes of a file once its text, which was `old`, is `new`; both end their lines with LF."""
    if old == new:
        return data
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    rows = _LINE.findall(data.removeprefix(mark))
    ends = Counter(row[len(row.rstrip(b"\r\n")) :] for row in rows)
    del ends[b""]
    end = ends.most_common(1)[0][0] if ends else b"\n"
    before, after = _lines(old), _lines(new)
    made = [mark]
    opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for word, start, stop, new_start, new_stop in opcodes:
        if word == "equal":
            made += rows[start:stop]
        else:
            made += [line.encode().replace(b"\n", end) for line in after[new_start:new_stop]]
    return b"".join(made)


def _lines(text: str) -> list[str]:
    """Split a text behind each LF, and nowhere else: a form feed ends no line."""
    return [line for line in re.findall(r"[^\n]*\n|[^\n]+\Z", text) if line]
