"""Notes have ids of their page alone, and each part of a page has its own."""

from __future__ import annotations

import re

from pressync.content.render.footnotes import with_own_ids
from pressync.content.render.markdown import to_html

TEXT = "One.[^a] Two.[^b] One again.[^a]\n\n[^a]: The first.\n[^b]: The second.[^c]\n[^c]: The third.\n"
PART = "<!--nextpage-->"
ID, LINK = re.compile(r' id="([^"]+)"'), re.compile(r' href="#([^"]+)"')


def formed(text: str, path: str = "content/posts/a.md") -> str:
    return with_own_ids(to_html(text), path)


def test_two_pages_have_no_id_in_common_and_each_link_has_its_place() -> None:
    one, other = formed(TEXT), formed(TEXT, "content/posts/b.md")
    assert set(ID.findall(one)).isdisjoint(ID.findall(other))
    assert set(LINK.findall(one)) <= set(ID.findall(one))
    assert formed(TEXT) == one, "the same file gives the same bytes"
    assert with_own_ids("<p>a</p>\n", "a.md") == "<p>a</p>\n"


def test_each_part_of_a_page_has_the_notes_of_its_marks_and_of_theirs() -> None:
    notes = "[^a]: The first.\n[^b]: The second.[^c]\n[^c]: x\n"
    parts = formed(f"Zero.\n\n{PART}\n\nFirst.[^b]\n\n{PART}\n\nSecond.[^a]\n\n{notes}").split(PART)
    assert ["<section" in part for part in parts] == [False, True, True]
    for part in parts:
        ids = ID.findall(part)
        assert set(LINK.findall(part)) <= set(ids)
        assert len(ids) == len(set(ids))
    assert "The second" in parts[1]
    assert "The first" not in parts[1]
    assert '<li value="2"' in parts[2] or '<li value="3"' in parts[2], "the numbers count through"


def test_the_arrow_back_is_text_and_not_a_picture() -> None:
    assert "↩\ufe0e" in formed(TEXT)
