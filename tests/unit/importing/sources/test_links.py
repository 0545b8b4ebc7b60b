"""Links by address become links by file, in Markdown and in HTML, and nothing else changes."""

from __future__ import annotations

import pytest

from pressync.importing.sources.item import Form, Item, Place
from pressync.importing.sources.links import LinkTargets, rewritten
from pressync.model.interface import Kind

GUIDE = Item("g", Kind.PAGE, Place("docs/guide.md"), address="/docs/guide/", aliases=("/old-guide",), id=7)
INTRO = Item("i", Kind.PAGE, Place("docs/intro.md"), address="/docs/intro/")
PATHS = {"g": "content/pages/docs/guide.md", "i": "content/pages/docs/intro.md"}


def targets() -> LinkTargets:
    """Give the targets of two pages of `https://example.org`, and one picture."""
    pictures = {"/img/a b.png": "content/media/a b.png"}
    found = LinkTargets("https://example.org", PATHS, file_of=pictures.get)
    found.learn([GUIDE, INTRO])
    return found


@pytest.mark.parametrize(
    ("written", "link"),
    [
        ("/docs/guide/", "guide.md"),
        ("/docs/guide", "guide.md"),
        ("/docs/guide/index.html#top", "guide.md#top"),
        ("../guide/", "guide.md"),
        ("../guide/?x=1", "guide.md?x=1"),
        ("http://www.example.org/docs/guide/", "guide.md"),
        ("//example.org/docs/guide/", "guide.md"),
        ("/old-guide/", "guide.md"),
        ("https://example.org/?p=7", "guide.md"),
        ("import:g#end", "guide.md#end"),
        ("guide.md", "guide.md"),
        ("/docs/intro/#here", "#here"),
        ("/img/a%20b.png", "../../media/a%20b.png"),
    ],
)
def test_an_address_of_the_source_becomes_a_path(written: str, link: str) -> None:
    assert targets().link(INTRO, written) == link


@pytest.mark.parametrize(
    "written",
    [
        "#here",
        "https://other.org/docs/guide/",
        "/unknown/",
        "mailto:a@example.org",
        "import:nothing",
        "http://[",
    ],
)
def test_another_link_stays(written: str) -> None:
    assert targets().link(INTRO, written) is None


def test_markdown_keeps_its_code_and_its_other_links() -> None:
    body = "[a](/x/ \"T\") `[a](/x/)` <img src='/x/'> [b](<x y>)\n\n```\n[a](/x/)\n```\n\n[n]: /x/\n"
    new = '[a](X "T") `[a](/x/)` <img src="X"> [b](<x y>)\n\n```\n[a](/x/)\n```\n\n[n]: X\n'
    assert rewritten(body, Form.MARKDOWN, {"/x/": "X"}.get) == new


def test_html_keeps_its_scripts_and_comments() -> None:
    body = (
        '<a class="q" href="/x/?a=1&amp;b=2">a</a><!-- <a href="/x/"> --><script>"<a href=\'/x/\'>"</script>'
    )
    found: list[str] = []
    rewritten(body, Form.HTML, found.append)
    assert found == ["/x/?a=1&b=2"]


def test_a_path_with_brackets_is_still_one_target() -> None:
    assert rewritten("[a](/x/)", Form.MARKDOWN, {"/x/": "a(b.md"}.get) == "[a](<a(b.md>)"
