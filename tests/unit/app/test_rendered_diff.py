"""Two rendered texts side by side, and the scripts and styles that the policy of a page allows."""

from __future__ import annotations

import html5lib
import pytest

from pressync.app import comparisons
from pressync.app.comparisons import rows
from pressync.pull import bounded_diff

BODY = "".join(f"<p>Paragraph {number}.</p>\n" for number in range(9))


def test_two_sides_that_look_the_same_have_no_rows() -> None:
    assert rows("<p>One</p>\n<p>Two</p>", "<p>One</p><p>Two</p><!-- a comment -->") == ""
    one = "<div><!-- wp:a --><p>One</p></div><p>Two<script>a()</script></p>"
    assert rows(one, one.replace("wp:a", "wp:b").replace("a()", "b()")) == ""


def test_the_words_that_differ_are_marked_and_equal_blocks_are_counted() -> None:
    shown = rows(BODY, BODY.replace("Paragraph 4", "Line 4"))
    assert shown.splitlines() == [
        '<div class="row gap"><div>3 blocks are the same</div></div>',
        '<div class="row same"><div><p>Paragraph 3.</p></div><div><p>Paragraph 3.</p></div></div>',
        (
            '<div class="row changed"><div><p><del>Paragraph</del> 4.</p></div>'
            "<div><p><ins>Line</ins> 4.</p></div></div>"
        ),
        '<div class="row same"><div><p>Paragraph 5.</p></div><div><p>Paragraph 5.</p></div></div>',
        '<div class="row gap"><div>3 blocks are the same</div></div>',
    ]


def test_a_block_that_is_only_on_one_side_stands_beside_nothing() -> None:
    added = rows("<p>a</p>", "<p>a</p><p>b</p>").splitlines()
    assert added[-1] == '<div class="row new"><div></div><div><p>b</p></div></div>'
    removed = rows("<p>a</p><p>b</p>", "<p>a</p>").splitlines()
    assert removed[-1] == '<div class="row gone"><div><p>b</p></div><div></div></div>'
    # A side that does not exist leaves the other whole.
    assert rows(None, "<p>a</p>") == '<div class="row only new"><div><p>a</p></div></div>\n'
    assert rows("<p>a</p>", None) == '<div class="row only gone"><div><p>a</p></div></div>\n'


def test_elements_around_the_whole_text_are_no_block_and_a_character_reference_is_one_word() -> None:
    shown = rows(f"<main><div>{BODY}</div></main>", f"<main><div>{BODY}<p>More</p></div></main>")
    assert "8 blocks are the same" in shown
    assert shown.count("Paragraph") == 2
    shown = rows('<p title="a > b">x &amp; y</p>', '<p title="a > b">x &lt; y</p>')
    assert '<p title="a > b">x <del>&amp;</del> y</p>' in shown
    assert "x <ins>&lt;</ins> y" in shown


HOSTILE = (
    "</div></div></div></body><p>one",
    "<div><div><div><p>one",
    "<!-- <p>one",
    "<style>.row { display: none }</style><p>one",
    '<p title="><b>one',
    "<textarea><p>one",
    "<svg><title><p>one",
    "<table><td><div>one",
    "<iframe src='https://example.org/'></iframe>one",
)


@pytest.mark.parametrize("body", HOSTILE)
def test_a_hostile_block_stays_in_its_row(body: str) -> None:
    for before, after in ((body, f"{body} more"), (body, None), (None, body)):
        page = html5lib.parse(f"<body>{rows(before, after)}<p id=after>", namespaceHTMLElements=False)
        (last,) = page.iter("p") if not body.count("<p") else [*page.iter("p")][-1:]
        assert last.get("id") == "after"
        assert [*page.find("body")][-1] is last
        assert not {"script", "style", "iframe", "meta"} & {node.tag for node in page.find("body").iter()}


def test_the_words_of_all_blocks_of_a_page_share_their_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_diff, "_MOST", 300)
    old, new = ("".join(f"<p>{last * 9} {word}</p>" for last in "abc") for word in ("was", "is"))
    assert rows(old, new).count("<del>was</del>") == 3
    old, new = ("".join(f"<p>{'a ' * 9}{word}</p>" for _ in range(3)) for word in ("was", "is"))
    shown = rows(old, new)
    assert shown.count('class="row changed"') == 3
    assert shown.count("<del>was</del>") < 3


def test_the_work_is_bounded() -> None:
    many = "<p>a</p><p>b</p>" * 3_000
    assert "too many to compare" in rows(many, f"{many}<p>c</p>")
    long = "<p>" + "word " * 3_000 + "</p>"
    shown = rows(long, long.replace("word", "Wort"))
    assert ('class="row changed"' in shown, "<del>" in shown) == (True, False)


def test_nothing_of_ours_loads_anything() -> None:
    for name in ("comparison.js", "comparison.css", "frame.css"):
        assert not {"http:", "https:", "url(", "@import"} & set(comparisons.part(name).split())
