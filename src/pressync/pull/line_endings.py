"""Turns a file's new text into bytes. Every line that stays keeps its bytes.

Texts are compared and merged with LF alone, but a file may have CRLF, or both, or a byte order mark. A new
line gets the line ending that most lines of the file have.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter

from pressync.pull.bounded_diff import matcher

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def replace_text(data: bytes, old: str, new: str) -> bytes:
    """Give the bytes of a file after its text changes from `old` to `new`; both texts have LF line ends."""
    if old == new:
        return data
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    rows = _LINE.findall(data.removeprefix(mark))
    ends = Counter(row[len(row.rstrip(b"\r\n")) :] for row in rows)
    del ends[b""]
    end = ends.most_common(1)[0][0] if ends else b"\n"
    before, after = _lines(old), _lines(new)
    result = [mark]
    opcodes = matcher(before, after).get_opcodes()
    for operation, start, stop, new_start, new_stop in opcodes:
        if operation == "equal":
            result += rows[start:stop]
        else:
            result += [line.encode().replace(b"\n", end) for line in after[new_start:new_stop]]
    return b"".join(result)


def _lines(text: str) -> list[str]:
    """Split a text after each LF, and nowhere else: a form feed does not end a line."""
    return [line for line in re.findall(r"[^\n]*\n|[^\n]+\Z", text) if line]
