"""A heading keeps the id that its tool gave it, if a link leads to it and ours is another one."""

from __future__ import annotations

import pytest

from pressync.config.settings import NO_FORMS
from pressync.content.render.markdown import to_html
from pressync.importing.sources.heading_ids import TERMS, linked_ids, with_ids, without_taken_ids
from pressync.importing.sources.item import Place
from pressync.importing.sources.markdown import of_headings


# The ids are those that Hexo 8, Python-Markdown 3, kramdown 2 and Hugo 0.168 gave these headings.
@pytest.mark.parametrize(
    ("way", "heading", "own"),
    [
        ("hexo", "## Include Code", "Include-Code"),
        ("hexo", "## Date & time", "Date-time"),
        ("hexo", "## `a_b` *c* <b>d</b>", "a-b-c-d"),
        ("hexo", "## Foo (bar) #1", "Foo-bar-1"),
        ("hexo", "Über uns\n---", "Uber-uns"),
        ("python-markdown", "## Date & time", "date-time"),
        ("python-markdown", "## Über `a_b` & x", "uber-a_b-x"),
        ("kramdown", "## 2. Date & time", "date--time"),
        ("github-ascii", "## Ünï & x", "uni--x"),
        ("blackfriday", "## Date & time", "date-time"),
    ],
)
def test_a_linked_heading_has_the_id_of_its_tool(way: str, heading: str, own: str) -> None:
    for text in (f"{heading}\n\nx\n", f"x\n\n> {heading}\n".replace("\n---", "\n> ---")):
        kept = with_ids(text, way, {own}, NO_FORMS)
        assert f'id="{own}"' in to_html(kept)
        assert with_ids(text, way, {"other"}, NO_FORMS) == text


def test_headings_of_the_same_words_have_numbers() -> None:
    text = "## A B\n\n## A B\n\n```\n## A B\n```\n"
    kept = with_ids(text, "hexo", {"A-B", "A-B-1", "A-B-2"}, NO_FORMS)
    assert kept == '## <a id="A-B"></a>A B\n\n## <a id="A-B-1"></a>A B\n\n```\n## A B\n```\n'
    kept = with_ids(text, "python-markdown", {"a-b_1"}, NO_FORMS)
    assert kept.count("<a id") == 1
    assert '<a id="a-b_1"></a>' in kept


def test_a_heading_of_html_takes_no_id_that_an_element_has() -> None:
    text = '## *A* b\n\n## A b\n\n## C\n\n<h3 id="a-b">X</h3>\n\n<a name=d></a>\n\n### D\n'
    kept, names = without_taken_ids(text, NO_FORMS)
    assert (kept.count("## "), names) == (1, ("h2", "h2", "h3"))
    assert to_html(kept).count('id="a-b') == 1
    assert "<h2><em>A</em> b</h2>" in to_html(kept)
    assert without_taken_ids("## A\n", NO_FORMS) == ("## A\n", ())


def test_terms_of_definitions_have_ids_where_the_settings_of_hugo_say_so() -> None:
    text = "options\n: a\n\n## Options\n\n**cache** `dir`\n: b\n"
    linked = {"options", "options-1", "cache-dir"}
    assert with_ids(text, "github", linked, NO_FORMS) == text
    assert with_ids(text, f"github{TERMS}", linked, NO_FORMS) == (
        '<a id="options"></a>options\n: a\n\n## <a id="options-1"></a>Options\n\n'
        '<a id="cache-dir"></a>**cache** `dir`\n: b\n'
    )


@pytest.mark.parametrize("way", ["", "hexo"])
def test_an_id_that_the_renderer_gives_is_not_written(way: str) -> None:
    assert with_ids("## same\n", way, {"same"}, NO_FORMS) == "## same\n"


def test_links_are_found_in_markdown_and_in_html() -> None:
    text = (
        "[a](#One) [b](<x y#Two>) [c](../p/?q=1#Three%20x)\n\n[d]: /e#Four\n<a href='#F&amp;ive'>x</a> # no\n"
    )
    assert set(linked_ids(text)) == {"One", "Three x", "Four", "F&ive"}


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("## Foo & bar {#foo--bar}", "## Foo & bar"),
        ("## Foo & bar {#foo-bar}", '## <a id="foo-bar"></a>Foo & bar'),
        ("## The `x` {#the-x}", "## The `x`"),
    ],
)
def test_an_explicit_id_stays_where_the_renderer_gives_another(written: str, made: str) -> None:
    assert of_headings(written, Place("a.md", 1)) == (made, ())
