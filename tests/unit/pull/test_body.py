"""A body, and what became of its HTML on the site: only edited lines change, in bounded time."""

from __future__ import annotations

import difflib
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.hand import hand, html, placed

from pressync.content.render.editor_blocks import to_blocks
from pressync.html.pieces import cut
from pressync.html.to_markdown import InexpressibleError
from pressync.html.tree import parse
from pressync.pull import bounded_diff
from pressync.pull.body import map_source, merged_body
from pressync.pull.bounded_diff import Work, matcher, unified
from pressync.pull.compose import BodyFormat, MarkdownWriter, NormalizedPiece, apply_changes

if TYPE_CHECKING:
    from collections.abc import Callable


BODY = """\
Setext heading
==============

A *paragraph* that is
wrapped by [its author][home].

[home]: https://home.test/

* star
* list, with
  a second line

| a   | b     |
|:----|-------|
| 1   | two   |
| 3   | four  |

<details>
<summary>More</summary>

Inside, with a note[^n].

</details>

~~~ruby
puts 1
~~~

[^n]: The note.

Last words.
"""


def edited(old: str, new: str, body: str = BODY) -> str:
    before = html(body)
    assert before.count(old) == 1
    return merged_body(body, before.replace(old, new), hand())


@pytest.mark.parametrize(
    ("there", "edit", "here", "becomes"),
    [
        (
            "Setext heading</h1>",
            "Another heading</h1>",
            "Setext heading\n==============",
            "# Another heading",
        ),
        ("Last words.", "Last <b>bold</b> words.", "Last words.", "Last **bold** words."),
        (
            "wrapped by",
            "folded by",
            "wrapped by [its author][home].",
            "folded by [its author](https://home.test/).",
        ),
        ("a second line", "another line", "  a second line", "  another line"),
        ("<li>star</li>", "<li>star</li>\n<li>moon</li>", "* star\n", "* star\n* moon\n"),
        ("<td>two</td>", "<td>2</td>", "| 1   | two   |", "| 1 | 2 |"),
        ("puts 1", "puts 2", "puts 1", "puts 2"),
        ("Inside,", "Within,", "Inside, with a note[^n].", "Within, with a note[^n]."),
        ("The note.", "A note.", "[^n]: The note.", "[^n]: A note."),
    ],
)
def test_an_edit_changes_the_lines_that_it_is_in(there: str, edit: str, here: str, becomes: str) -> None:
    assert edited(there, edit) == BODY.replace(here, becomes)


def test_a_new_or_deleted_paragraph_takes_its_blank_lines_along() -> None:
    assert merged_body("a\n\nb\n", "<p>a</p>\n<p>new</p>\n<p>b</p>", hand()) == "a\n\nnew\n\nb\n"
    assert edited("<p>Last words.</p>", "<p>Last words.</p>\n<p>New.</p>") == f"{BODY}\nNew.\n"
    assert edited("<p>Last words.</p>\n", "") == BODY.removesuffix("\nLast words.\n")
    assert merged_body("a\n\nb\n\nc\n", "<p>a</p><p>c</p>", hand()) == "a\n\nc\n"
    assert merged_body("a\n", "", hand()) == ""
    assert merged_body("", "<p>a</p>", hand()) == "a\n"


def test_two_lists_in_a_row_are_kept_apart() -> None:
    body = "- a\n\nbetween\n\n- b\n"
    assert merged_body(body, "<ul><li>a</li></ul><ul><li>b</li></ul>", hand()) == "- a\n\n<!-- -->\n\n- b\n"
    body = "- a\n\nbetween\n\n    code\n"
    made = merged_body(body, html(body).replace("<p>between</p>", ""), hand())
    assert made == "- a\n\n<!-- -->\n\n    code\n"
    made = merged_body("- a\n", "<ul><li>a</li></ul>\n<ul><li>b</li></ul>", hand())
    assert made == "- a\n\n<!-- -->\n\n- b\n"


def test_what_markdown_has_no_word_for_stays_html() -> None:
    form = '<form action="/go">\n<input name="q">\n</form>'
    assert merged_body("a\n", f"<p>a</p>\n{form}", hand()) == f"a\n\n{form}\n"
    assert merged_body("a\n", '<p>a</p>\n<p class="lead">b</p>', hand()) == 'a\n\n<p class="lead">b</p>\n'
    remote = '<p>a</p>\n<div class="lead"><p>b <b>c</b></p></div>'
    assert merged_body("a\n", remote, hand()) == 'a\n\n<div class="lead">\n\nb **c**\n\n</div>\n'


PICTURE = (
    '<!-- wp:image {"id":5,"sizeSlug":"full","linkDestination":"none"} -->\n'
    '<figure class="wp-block-image size-full"><img src="a.png" alt="x" class="wp-image-5"/>'
    '<figcaption class="wp-element-caption">A <em>word</em></figcaption></figure>\n<!-- /wp:image -->'
)
SHORTCODE = '<!-- wp:shortcode -->\n[gallery ids="1,2"]\n<!-- /wp:shortcode -->'


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize(
    ("there", "here"),
    [
        # The editor remembers which page or address somebody has chosen.
        ('<p><a href="/b/" data-type="page" data-id="5">b</a></p>', "[b](/b/)"),
        ('<p><a href="tel:1" data-type="tel" data-id="tel:1">b</a></p>', "[b](tel:1)"),
        ('<p><a href="/b/" data-type="own">b</a></p>', '<a href="/b/" data-type="own">b</a>'),
        # Markdown would read text on the line after a comment as a paragraph.
        (SHORTCODE, SHORTCODE.replace("-->\n[", "-->[")),
        # The caption of Markdown has no markup.
        (PICTURE, PICTURE),
        # Markdown keeps lists of two kinds apart.
        ("<ul><li>a</li></ul><ol><li>b</li></ol>", "- a\n\n1. b"),
    ],
)
def test_what_somebody_puts_in_with_the_editor_is_as_plain_as_it_can_be(
    there: str, here: str, blocks: bool
) -> None:
    assert merged_body("One.\n", f"<p>One.</p>\n\n{there}", hand(blocks=blocks)) == f"One.\n\n{here}\n"
    assert merged_body(f"One.\n\n{here}\n", f"<p>One.</p>\n\n{there}", hand(blocks=blocks)).endswith(
        f"\n\n{here}\n"
    )


@pytest.mark.parametrize(
    "empty", ["<p></p>", "<!-- wp:paragraph -->\n<p></p>\n<!-- /wp:paragraph -->", "<p> </p>"]
)
def test_a_paragraph_without_words_comes_from_the_author_alone(empty: str) -> None:
    assert merged_body("a\n", f"<p>a</p>\n\n{empty}\n\n<p>b</p>", hand()) == "a\n\nb\n"
    authored = "a\n\n<p></p>\n\nc\n"
    edited_there = f"<p>a</p>\n\n{empty}\n\n<p>b</p>"
    assert merged_body(authored, edited_there, hand()) == authored.replace("c", "b")


@pytest.mark.parametrize(
    ("old", "new", "here"),
    [
        ("x = 1", "x = 1", ""),
        ("x = 1", "x = 2", "x = 1"),
        # Two listings in the place of three: nobody knows which is which.
        ("z = 1", "", "z = 1"),
    ],
)
def test_code_keeps_its_language_through_a_conversion_to_blocks(old: str, new: str, here: str) -> None:
    body = "```py\nx = 1\n```\n\n```js\ny = 1\n```\n\nWords\n\n```\nz = 1\n```\n"
    listing = '<!-- wp:code -->\n<pre class="wp-block-code"><code>{} = 1</code></pre>\n<!-- /wp:code -->'
    there = "\n\n".join(map(listing.format, "xy")) + "\n\n<p>Words</p>\n\n" + listing.format("z")
    removed = listing.format("z") if not new else old
    expected = body.replace(here, new) if new and here else body
    if not new:
        expected = body.replace("\n\n```\nz = 1\n```", "")
    assert merged_body(body, there.replace(removed, new, 1), hand()) == expected
    # Somebody has taken the language from a block that had one.
    assert "```py" not in merged_body(body, there, hand(blocks=True))


def test_an_item_that_is_new_puts_nothing_between_its_list_and_one_of_another_kind() -> None:
    body = "- a\n\n1. b\n"
    assert merged_body(body, html(body).replace("<li>a", "<li>a</li><li>c"), hand()) == "- a\n- c\n\n1. b\n"


def test_what_would_be_markup_in_markdown_is_escaped_only_where_it_must_be() -> None:
    remote = "<p>a_b 2*3 &lt;x&gt; https://bare.test [x] {{ jinja }} {% raw %}</p>"
    made = merged_body("", remote, hand())
    assert "{{ jinja }} {% raw %}" in made
    assert html(made) == remote + "\n"


def test_an_editors_own_blocks_become_markdown_and_the_richer_ones_stay() -> None:
    columns = '<!-- wp:columns -->\n<div class="wp-block-columns"><p>x</p></div>\n<!-- /wp:columns -->'
    remote = (
        "<!-- wp:html -->\n<p>a</p>\n<!-- /wp:html -->\n\n"
        '<!-- wp:heading -->\n<h2 class="wp-block-heading">New</h2>\n<!-- /wp:heading -->\n\n' + columns
    )
    assert merged_body("a\n", remote, hand()) == f"a\n\n## New\n\n{columns}\n"


def test_the_end_of_a_part_stays_a_comment_without_its_block_and_a_new_one_becomes_one() -> None:
    body = "One\n\n<!--more-->\n\nTwo\n\n<!--nextpage-->\n\nThree\n"
    remote = to_blocks(html(body))
    edited_there = remote.replace("One", "First")
    assert merged_body(body, edited_there, hand(blocks=True)) == body.replace("One", "First")
    added = "\n\n<!-- wp:nextpage -->\n<!--nextpage-->\n<!-- /wp:nextpage -->\n\n<p>Four</p>"
    assert merged_body(body, remote + added, hand(blocks=True)) == f"{body}\n<!--nextpage-->\n\nFour\n"


def test_blocks_that_we_sent_change_no_byte_and_an_edit_in_them_only_its_line() -> None:
    body = '- loose\n\n- list\n\n```js\n[x]\n```\n\n![a](b.png "T")\n\n> quote\n'
    remote = to_blocks(html(body))
    assert remote.count("<!-- wp:") == 7
    assert merged_body(body, remote, hand(blocks=True)) == body
    edited_there = remote.replace(">list<", ">loose<").replace(">T</fig", ">C</fig")
    expected = body.replace("- list", "- loose").replace('"T"', '"C"')
    assert merged_body(body, edited_there, hand(blocks=True)) == expected


def test_code_that_we_wrote_so_that_it_is_shown_comes_back_as_the_author_wrote_it() -> None:
    body = 'See `[gallery]`.\n\n<pre class="mine">\n[gallery]\nmore\n</pre>\n'
    remote = to_blocks(html(body))
    assert remote.count("<span>[</span>gallery]") == 2
    assert merged_body(body, remote, hand(blocks=True)) == body
    # An earlier version escaped them by references, which the editor saves as characters.
    assert merged_body(body, remote.replace("<span>[</span>", "&#091;"), hand(blocks=True)) == body
    assert merged_body(body, remote.replace("<span>[</span>", "["), hand(blocks=True)) == body
    edited_there = remote.replace("See", "Try").replace("more", "less")
    expected = body.replace("See", "Try").replace("more", "less")
    assert merged_body(body, edited_there, hand(blocks=True)) == expected


# What the editors of 7.1 and of 6.1 make of a heading and a list of ours when somebody saves the page.
LIST = (
    '<ul class="wp-block-list"><!-- wp:list-item -->\n<li>a</li>\n<!-- /wp:list-item --></ul>\n'
    "<!-- /wp:list -->"
)
BY_71 = (
    '<!-- wp:heading {"anchor":"one"} -->\n<h2 id="one" class="wp-block-heading">One</h2>\n'
    f"<!-- /wp:heading -->\n\n<!-- wp:list -->\n{LIST}"
)
BY_61 = (
    '<!-- wp:heading {"className":"wp-block-heading"} -->\n<h2 class="wp-block-heading" id="one">One</h2>\n'
    f'<!-- /wp:heading -->\n\n<!-- wp:list {{"className":"wp-block-list"}} -->\n{LIST}'
)


@pytest.mark.parametrize("saved", [BY_71, BY_61])
def test_a_save_in_the_editor_changes_no_byte_and_an_edit_of_a_heading_its_line(saved: str) -> None:
    body = "## One\n\n* a\n"
    assert merged_body(body, saved, hand(blocks=True)) == body
    assert merged_body(body, saved.replace(">One<", ">Two<"), hand(blocks=True)) == "## Two\n\n* a\n"


@pytest.mark.parametrize("saved", [BY_71, BY_61])
def test_a_heading_keeps_the_id_of_its_former_text_and_is_markdown(saved: str) -> None:
    page = saved.replace(">One<", ">Two<").replace(">a<", ">b<")
    before = replace(hand(blocks=True), former_headings=lambda: ["## Zero", "## One", "## Two"])
    assert merged_body("## Two\n\n* a\n", page, before) == "## Two\n\n* b\n"


def test_an_id_that_somebody_chose_is_taken_over_without_a_block() -> None:
    page = BY_71.replace("one", "mine")
    body = merged_body("## One\n\n- a\n", page, hand(blocks=True))
    assert body == '<h2 id="mine">One</h2>\n\n- a\n'
    # So the page is sent as blocks again.
    assert to_blocks(html(body)).startswith('<!-- wp:heading -->\n<h2 class="wp-block-heading" id="mine">')


def test_a_block_of_html_in_a_quote_is_markdown() -> None:
    body = "> A quote\n>\n> - [x] with a task\n"
    saved = to_blocks(html(body)).replace("A quote", "A word")
    assert "wp:html" in saved
    assert merged_body(body, saved, hand(blocks=True)) == body.replace("quote", "word")


def test_a_definition_stays_and_a_footnote_goes_with_its_reference() -> None:
    body = "One [x][x].\n\n[x]: https://x.test/\n\nTwo [x][x].\n"
    remote = html(body).replace("One", "1").replace("Two", "2")
    made = merged_body(body, remote, hand())
    assert made == "1 [x](https://x.test/).\n\n[x]: https://x.test/\n\n2 [x](https://x.test/).\n"
    body = "a[^1] b\n\nc[^2]\n\n[^1]: one\n\n[^2]: two\n"
    remote = html(body).replace(html("c[^2]\n\n[^2]: x").partition("\n")[0].replace("1</a>", "2</a>"), "")
    assert merged_body(body, remote, hand()) == "a[^1] b\n\n[^1]: one\n"


def test_what_does_not_read_as_it_does_there_however_it_is_written_is_refused() -> None:
    without_tables = BodyFormat(lambda body: placed(body).replace("table", "div"), str)
    with pytest.raises(InexpressibleError):
        merged_body("a\n", "<p>a</p>\n<table><tr><td>b</td></tr></table>", without_tables)


def lines(body: str) -> list[list[str]]:
    """Give the lines of each passage, the footnotes last."""
    rows = body.split("\n")
    found, notes = map_source(body, placed(body))
    return [[rows[n] for n in each.lines] for each in [*found, *([notes] if notes else [])]]


@pytest.mark.parametrize(
    ("body", "passages"),
    [
        ("# a\nb\nc\n\n- d\n\n  e\n\n---\n", [["# a"], ["b", "c"], ["- d", "", "  e"], ["---"]]),
        ("<div>\n\na\n\n</div>\n\nb\n", [["<div>", "", "a", "", "</div>"], ["b"]]),
        ("[x]: /x\n\na [x]\n\n[y]: /y\n", [["a [x]"]]),
        # Footnotes are one passage wherever they are written.
        ("a[^1]\n\n[^1]: c\n\nd[^2]\n\n[^2]: e\n", [["a[^1]"], ["d[^2]"], ["[^1]: c", "[^2]: e"]]),
        ("    code\n\n<hr>\n<b>x</b>\n\ntext\n", [["    code"], ["<hr>", "<b>x</b>"], ["text"]]),
        ("\n<!-- -->\n", []),
    ],
)
def test_every_block_is_a_passage_with_all_that_it_encloses(body: str, passages: list[list[str]]) -> None:
    assert lines(body) == passages


LINES = st.lists(st.sampled_from(["", "a", "b", "c", "d"]), max_size=12)
# Words of a small alphabet: each item equals half of the other side.
HOSTILE = ["a", "b"] * 500, ["b", "b", "a"] * 333


@given(LINES, LINES, st.booleans())
def test_an_ordinary_comparison_is_that_of_difflib(a: list[str], b: list[str], autojunk: bool) -> None:
    compared = matcher(a, b, autojunk=autojunk)
    assert compared.get_opcodes() == SequenceMatcher(None, a, b, autojunk).get_opcodes()


@given(LINES, LINES, st.integers(0, 3))
def test_a_unified_diff_is_that_of_difflib(a: list[str], b: list[str], around: int) -> None:
    shown = difflib.unified_diff(a, b, "old", "new", lineterm="", n=around)
    before, after = ("".join(f"{line}\n" for line in side) for side in (a, b))
    assert list(unified(before, after, "old", "new", around)) == list(shown)


def test_where_the_work_ends_only_both_ends_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_diff, "_MOST", 1000)
    a, b = HOSTILE
    work = Work()
    found = matcher(["begins", *a, "ends", "so"], ["begins", *b, "ends", "so"], work=work).get_opcodes()
    assert found == [("equal", 0, 1, 0, 1), ("replace", 1, 1001, 1, 1000), ("equal", 1001, 1003, 1000, 1002)]
    assert work.left < 0


def test_items_that_come_often_are_left_out_first(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [line for number in range(150) for line in (f"Paragraph {number}", "")]
    after = [*before[:100], "Edited", *before[101:]]
    wanted = matcher(before, after).get_opcodes()
    assert [tag for tag, *_ in wanted] == ["equal", "replace", "equal"]
    monkeypatch.setattr(bounded_diff, "_MOST", 5000)
    assert matcher(before, after).get_opcodes() == wanted


def writer(body: str = "", link: Callable[[str], str] = str) -> MarkdownWriter:
    return MarkdownWriter(body, placed(body), hand(link))


def normalized_pieces(html: str, words: MarkdownWriter | None = None) -> list[NormalizedPiece]:
    return (words or writer()).normalize(cut(parse(html)), html)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>a *b*</p>", "a \\*b\\*"),
        # The style with few escapes would make a link of it.
        ("<p>www.a.test</p>", "www\\.a.test"),
        ("<p>x<strong>!y!</strong>z</p>", "<p>x<strong>!y!</strong>z</p>"),
        ("<form></form>", "<form></form>"),
    ],
)
def test_the_plainest_markdown_that_renders_right_is_taken(html: str, markdown: str) -> None:
    assert writer().write(normalized_pieces(html)) == markdown


def test_a_name_that_the_body_defines_as_a_link_is_escaped_where_it_is_none() -> None:
    words = writer("[ref]: /x\n")
    assert words.write(normalized_pieces("<p>[ref]</p>", words)) == "\\[ref\\]"
    assert writer().write(normalized_pieces("<p>[ref]</p>")) == "[ref]"
    words = writer("+ a\n+ b\n\n- c\n")
    assert words.write(normalized_pieces("<ul><li>d</li></ul>", words)) == "+ d"


def test_blank_lines_that_only_the_author_has_stay_around_an_edit() -> None:
    assert apply_changes(["a", "b", "c"], ["a", "B", "c"], ["a", "", "b", "", "c"]) == ["a", "", "B", "", "c"]


def test_an_edit_of_a_long_page_takes_little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_diff, "_MOST", 5000)
    base = [line for number in range(150) for line in (f"- Item {number}", "")]
    ours = [line.replace("- ", "* ") for line in base]
    theirs = [*base[:100], "- Edited", *base[101:]]
    assert apply_changes(base, theirs, ours) == [*ours[:100], "- Edited", *ours[101:]]


FILM = "https://youtu.be/_a_b?x=1&t=2"
SHOWN = FILM.replace("&", "&amp;")
BARE_EMBED = (
    f'<!-- wp:embed {{"url":"{FILM}"}} -->\n<figure class="wp-block-embed">'
    f'<div class="wp-block-embed__wrapper">\n{SHOWN}\n</div></figure>\n<!-- /wp:embed -->'
)
# As the editor writes it when it has asked the provider.
SAVED_EMBED = BARE_EMBED.replace(
    "} -->",
    ',"type":"video","providerNameSlug":"youtube","responsive":true,'
    '"className":"wp-embed-aspect-16-9 wp-has-aspect-ratio"} -->',
).replace(
    'wp-block-embed"',
    "wp-block-embed is-type-video is-provider-youtube wp-block-embed-youtube wp-embed-aspect-16-9 "
    'wp-has-aspect-ratio"',
)
SOUND = (
    '<!-- wp:audio {"id":7} -->\n<figure class="wp-block-audio"><audio controls src="talk.mp3"></audio>'
    '<figcaption class="wp-element-caption">A <em>talk</em></figcaption></figure>\n<!-- /wp:audio -->'
)
# HTML in Markdown has no blank lines.
GALLERY = to_blocks('<p><img src="a.png" alt="" />\n<img src="b.png" alt="" /></p>', galleries=True).replace(
    "\n\n", "\n"
)
LINK = f'<!-- wp:paragraph -->\n<p><a href="{SHOWN}">{SHOWN}</a></p>\n<!-- /wp:paragraph -->'


@pytest.mark.parametrize(
    ("there", "here"),
    [
        (BARE_EMBED, FILM),
        (SAVED_EMBED, FILM),
        (f"<!-- wp:quote -->\n<blockquote>{SAVED_EMBED}</blockquote>\n<!-- /wp:quote -->", f"> {FILM}"),
        (LINK, f"<{FILM}>"),
        (SOUND, "[A *talk*](talk.mp3)"),
        (SOUND.replace("audio", "video").replace("mp3", "mp4"), "[A *talk*](talk.mp4)"),
        (GALLERY, "![](a.png)\n![](b.png)"),
        # Markdown has no form for these.
        *[
            (block, block)
            for block in (
                SAVED_EMBED.replace("</div>", "</div><figcaption>Words</figcaption>"),
                SAVED_EMBED.replace('"responsive"', '"align":"wide","responsive"'),
                BARE_EMBED.replace("youtu.be", "other.example"),
                SOUND.replace("controls", "controls loop"),
                SOUND.replace("talk.mp3", "https://site.test/talk.mp3"),
                GALLERY.replace('"linkTo"', '"columns":2,"linkTo"'),
                GALLERY.replace("none", "media"),
            )
        ],
    ],
)
def test_a_player_comes_back_as_it_is_typed(there: str, here: str) -> None:
    players = hand(blocks=True, players=True)
    # Somebody has put it on the site; and nobody has changed it there.
    assert merged_body("One.\n", f"<p>One.</p>\n\n{there}", players) == f"One.\n\n{here}\n"
    assert merged_body(f"One.\n\n{here}\n", f"<p>One.</p>\n\n{there}", players) == f"One.\n\n{here}\n"
    # Without the setting, the block stays.
    kept = here if there == LINK else there
    assert merged_body("One.\n", f"<p>One.</p>\n\n{there}", hand(blocks=True)).endswith(f"\n\n{kept}\n")


TABLE = "| x |\n|---|\n| a |\n"
CAPTION = '<figcaption class="wp-element-caption">Of one</figcaption>'
EDITORS_TABLE = (
    '<!-- wp:table -->\n<figure class="wp-block-table"><table class="has-fixed-layout"><thead><tr>'
    f"<th>x</th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>{CAPTION}</figure>\n<!-- /wp:table -->"
)


@pytest.mark.parametrize(("old", "new"), [("One", "Two"), (">a<", ">b<"), ("Of one", "Of two"), ("", "")])
def test_a_table_keeps_the_block_of_its_caption_also_where_a_body_is_not_sent_as_blocks(
    old: str, new: str
) -> None:
    there = f"<p>One.</p>\n\n{EDITORS_TABLE}".replace(old, new, 1)
    here = f"One.\n\n{EDITORS_TABLE}\n".replace(old, new, 1)
    # Somebody gave it a caption; and edits it.
    assert merged_body(f"One.\n\n{TABLE}", there, hand()) == here
    assert merged_body(f"One.\n\n{EDITORS_TABLE}\n", there, hand()) == here
    # The author's own form of a figure stays.
    figure = f"One.\n\n<figure>\n\n{TABLE}\n<figcaption>Of one</figcaption>\n\n</figure>\n"
    edited = (
        figure.replace(old.strip("<>"), new.strip("<>"), 1) if old != ">a<" else figure.replace("| a", "| b")
    )
    assert merged_body(figure, there, hand()) == edited


@pytest.mark.parametrize(
    ("edit", "title"),
    [
        (("A <strong>", "The <strong>"), " The **title** of `code`"),
        (("of <code>", "and <em>more</em> of <code>"), " A **title** and *more* of `code`"),
        (
            ("A <strong>title</strong> of <code>code</code>", "Two * two [x] &amp; 1 &lt; 2"),
            " Two \\* two \\[x] & 1 < 2",
        ),
        (("A <strong>title</strong> of <code>code</code>", "Tip"), ""),
    ],
)
def test_the_title_of_an_alert_comes_back_as_markdown(edit: tuple[str, str], title: str) -> None:
    body = "> [!TIP] A **title** of `code`\n> Text of the [tip](#a).\n"
    assert merged_body(body, html(body), hand()) == body
    expected = body.replace(" A **title** of `code`", title)
    assert merged_body(body, html(body).replace(*edit), hand()) == expected
