"""Gives image blocks the ids that their pictures have in the media library. Pure.

WordPress makes width, height and smaller sizes only for a picture whose class names its id. A block that has
an id already keeps its form; only the id changes, because a replaced picture is another upload.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# An image block as `editor_blocks` writes it.
_BARE = re.compile(
    r'<!-- wp:image -->\n<figure class="wp-block-image">'
    r'<img src="(?P<address>[^"<>]*)" alt="(?P<alternative>[^"<>]*)"/>'
)
# The comment of a block, or a picture that names its id. WordPress escapes angles in attributes.
_MARK = re.compile(
    r"<!-- (?P<end>/)?wp:(?P<attributes>[a-z][^<>]*+)>"
    r"|<img (?=[^<>]*\bwp-image-(?P<id>[0-9]{1,18})\b)[^<>]*+>"
)
_SOURCE = re.compile(r'\ssrc="([^"<>]*)"')
_PICTURE = re.compile(r'(?<=\bwp-image-)[0-9]+\b|(?<=\sdata-id=")[0-9]+(?=")')
# The ids of a block: its own, or those of its list.
_OWN = re.compile(r'(?<="id":)[0-9]+\b|(?<="mediaId":)[0-9]+\b|(?<="ids":\[)[0-9,]+')
_NUMBER = re.compile(r"[0-9]+")
# Deeper blocks are not searched for an id.
_DEEPEST = 40


def with_ids(page: str, ids: Mapping[str, int]) -> str:
    """Give the pictures of a page the ids that `ids` has for their addresses.

    The form of a new block is that of the editor: a picture in its full size, without a link.
    """
    return _BARE.sub(lambda block: _with_id(block, ids), _corrected(page, ids))


def _with_id(block: re.Match[str], ids: Mapping[str, int]) -> str:
    number = ids.get(html.unescape(block["address"]))
    if not number:
        return block[0]
    return (
        f'<!-- wp:image {{"id":{number},"sizeSlug":"full","linkDestination":"none"}} -->\n'
        f'<figure class="wp-block-image size-full">'
        f'<img src="{block["address"]}" alt="{block["alternative"]}" class="wp-image-{number}"/>'
    )


def _corrected(page: str, ids: Mapping[str, int]) -> str:
    """Replace the ids of other uploads: in each picture, and in the blocks around it."""
    renamed: dict[tuple[int, int], dict[str, str]] = {}
    opened: list[re.Match[str]] = []
    for mark in _MARK.finditer(page):
        if mark["end"]:
            opened = opened[:-1]
        elif mark["attributes"]:
            opened += [] if mark["attributes"].endswith("/--") else [mark]
        elif (source := _SOURCE.search(mark[0])) and (number := ids.get(html.unescape(source[1]))):
            for each in (mark, *opened[-_DEEPEST:]) if number != int(mark["id"]) else ():
                renamed.setdefault(each.span(), {})[mark["id"]] = str(number)
    parts, here = [], 0
    for (start, end), numbers in sorted(renamed.items()):
        parts += [page[here:start], _with_other_ids(page[start:end], numbers)]
        here = end
    return "".join((*parts, page[here:]))


def _with_other_ids(mark: str, numbers: Mapping[str, str]) -> str:
    """Replace ids in a picture or in the comment of a block."""

    def other(found: re.Match[str]) -> str:
        return _NUMBER.sub(lambda number: numbers.get(number[0], number[0]), found[0])

    return (_PICTURE if mark.startswith("<img") else _OWN).sub(other, mark)
