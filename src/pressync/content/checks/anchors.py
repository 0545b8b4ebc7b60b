"""Compares the fragments of links with the ids of the page that they lead to.

The ids are those of the HTML that pressync renders, because each tool makes other ids of the same heading. A
theme adds ids that pressync cannot know, so the usual ones count as present.
"""

from __future__ import annotations

import difflib
import html
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.model.printable import printable

if TYPE_CHECKING:
    from collections.abc import Collection

# `id` of any element, `name` of old anchors, and `data-fn` of a reference to a footnote: WordPress makes the
# footnote's place when it shows the page. An attribute in a text only adds an id that is not needed.
_ID = re.compile(r"\s(?:id|name|data-fn)\s*=\s*(\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=`&]+)", re.IGNORECASE)
_NOT_IN_ID = re.compile(r"[^\w -]")
# A page names at most this many links of one sort.
MOST = 100
# HTML itself defines `#top`. The others are in nearly every theme.
_OF_THEMES = frozenset({"", "top", "content", "main", "primary", "comments", "respond", "page"})
# A fragment with one of these signs is for a script, or selects text.
_FOR_SCRIPTS = re.compile(r"[/=]|^!|:~:")
# A page with more ids, and a longer id, gets no proposal: the comparison takes time.
_MOST_IDS = 300
_LONGEST = 200
_NEAR = 0.8


def ids_of(page: str, title: str = "") -> frozenset[str]:
    """Give the ids of a page's HTML, and the id of its title: a link to the title shows the top as well."""
    found = {html.unescape(each.strip("\"'")) for each in _ID.findall(page)}
    return frozenset({*found, _NOT_IN_ID.sub("", title.lower()).replace(" ", "-")})


def is_dead(fragment: str, ids: Collection[str]) -> bool:
    """Tell whether a link with this fragment shows the top of the page instead of the place that it names."""
    names = {fragment, unquote(fragment)}
    return not (names & _OF_THEMES or _FOR_SCRIPTS.search(fragment) or any(name in ids for name in names))


def todo(fragment: str, ids: Collection[str]) -> str:
    """Say what to do about a dead anchor: the nearest id of the page, if there is one."""
    name = unquote(fragment)
    compared = [each for each in ids if len(each) <= _LONGEST] if len(name) <= _LONGEST else []
    near = difflib.get_close_matches(name, compared, 1, _NEAR) if len(ids) <= _MOST_IDS else []
    if near and near[0] == printable(near[0]):
        return f"did you mean `#{near[0]}`?"
    return f'link to a heading that exists, or write `<a id="{name}"></a>` at the place'
