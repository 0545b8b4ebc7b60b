"""Gives the notes of a page ids of their own, and each part of a page its own list of notes. Pure.

A list of posts shows several pages as one. comrak calls the first note of each page `fn-1`, so a mark would
lead to the note of another post. WordPress shows each part of a page that `<!--nextpage-->` ends at an
address of its own, so a mark in one part would lead to a note that is not there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.model.fingerprint import small_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

# The part of the id of a note between `fn-` and its label. `html.normalize` takes it off again.
OWN = r"[0-9a-f]{8}[0-9]*-"
_DIGITS = 8

_PLACE = r'(?:\sdata-sourcepos="[^"<>]*")?'
_MARK = re.compile(
    r'(?P<to><a\shref="\#fn-)(?P<label>[^"<>]*)(?P<from>"\sid="fnref-)(?P<name>[^"<>]*"\sdata-footnote-ref>)',
    re.VERBOSE,
)
_BACK = re.compile(r'(<a href="#fnref-)([^"<>]*" class="footnote-backref")')
_BACK_LINK = re.compile(r' ?<a href="#fnref-(?P<name>[^"<>]*)" class="footnote-backref".*?</a>')
_SECTION = re.compile(
    rf'<section{_PLACE}\ class="footnotes"\ data-footnotes>\n<ol>\n(?P<notes>.*)</ol>\n</section>\n\Z',
    re.DOTALL,
)
_NOTE = re.compile(
    rf'<li{_PLACE} id="fn-(?P<label>[^"<>]*)">\n.*?(?=^<li{_PLACE} id="fn-|\Z)', re.DOTALL | re.MULTILINE
)
# WordPress makes a picture of its arrow, unless this selects its form as text.
_AS_TEXT = "\ufe0e"
# WordPress ends a part at this comment wherever it stands.
_PART = "<!--nextpage-->"


def with_own_ids(page: str, path: str) -> str:
    """Give the notes of a page ids that no other page has; `path` is the path of its file.

    A page in parts gets a list of notes at the end of each part that has marks.
    """
    section = _SECTION.search(page)
    if not section:
        return page
    own = small_digest(path.encode(errors="surrogateescape"))[:_DIGITS]
    notes = list(_NOTE.finditer(section["notes"]))
    parts = page[: section.start()].split(_PART)
    if len(parts) == 1 or "".join(note[0] for note in notes) != section["notes"]:
        return _named(page, own)
    return _PART.join(_with_list(part, notes, f"{own}{number or ''}") for number, part in enumerate(parts))


def _with_list(part: str, notes: Sequence[re.Match[str]], own: str) -> str:
    """Give a part with the list of the notes that its marks, or the notes in that list, lead to."""
    texts = {note["label"]: note[0] for note in notes}
    labels: set[str] = set()
    waiting = _labels(part)
    while waiting:
        label = waiting.pop()
        labels.add(label)
        waiting |= _labels(texts.get(label, "")) - labels
    # The marks of a page count through, and so do the items of its lists.
    items = [
        note[0].replace("<li", f'<li value="{number}"', 1)
        for number, note in enumerate(notes, 1)
        if note["label"] in labels
    ]
    if not items:
        return _named(part, own)
    listed = "".join(items)
    marks = {mark["name"].partition('"')[0] for mark in _MARK.finditer(f"{part}{listed}")}
    # A link back to a mark in another part would be dead.
    listed = _BACK_LINK.sub(lambda link: link[0] if link["name"] in marks else "", listed)
    return _named(f'{part}<section class="footnotes" data-footnotes>\n<ol>\n{listed}</ol>\n</section>\n', own)


def _labels(text: str) -> set[str]:
    return {mark["label"] for mark in _MARK.finditer(text)}


def _named(page: str, own: str) -> str:
    """Put what is the page's own into the ids of its notes and marks, and into the links to them."""
    page = _MARK.sub(rf"\g<to>{own}-\g<label>\g<from>{own}-\g<name>", page)
    page = page.replace(">↩", f">↩{_AS_TEXT}")
    page = _BACK.sub(rf"\g<1>{own}-\g<2>", page)
    return re.sub(rf'(<li(?: value="[0-9]+")?{_PLACE} id="fn-)(?=[^"<>]*">\n)', rf"\g<1>{own}-", page)
