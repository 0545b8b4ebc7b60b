"""The body as blocks: what becomes what, and that nothing of it is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.hand import PLAYERS
from tests.unit.content.render.unblocked import seen, unblocked

from pressync.config.settings import NO_FORMS
from pressync.content.render.editor_blocks import Foreign, expect_line, filled, to_blocks, written
from pressync.content.render.links import Unresolved
from pressync.content.render.players import of_html
from pressync.content.render.renderer import Renderer
from pressync.html.player_blocks import PROVIDERS, provider_of
from pressync.html.tokens import parse
from pressync.model.interface import Kind
from pressync.model.records import Document

PLAIN = Renderer({}, templates_folder="templates", content="content")


def html_of(markdown: str) -> str:
    document = Document(path="content/a.md", blob="", kind=Kind.PAGE, fields={}, body=markdown, body_line=1)
    return PLAIN.render(document, resolve=lambda _path: Unresolved.MISSING).content


def blocks_of(markdown: str) -> str:
    return to_blocks(html_of(markdown))


def names(content: str) -> list[str]:
    return re.findall(r"<!-- wp:([a-z-]+)", content)


@pytest.mark.parametrize(
    ("markdown", "blocks"),
    [
        (
            'Some *emphasis*,  \nand "more".',
            (
                "<!-- wp:paragraph -->\n"
                "<p>Some <em>emphasis</em>,<br />\nand &quot;more&quot;.</p>\n"
                "<!-- /wp:paragraph -->"
            ),
        ),
        (
            "## Two *words*\n\n### Three",
            (
                "<!-- wp:heading -->\n"
                '<h2 class="wp-block-heading" id="two-words">Two <em>words</em></h2>\n'
                "<!-- /wp:heading -->\n\n"
                '<!-- wp:heading {"level":3} -->\n'
                '<h3 class="wp-block-heading" id="three">Three</h3>\n'
                "<!-- /wp:heading -->"
            ),
        ),
        (
            "- a\n- b\n  1. c\n",
            (
                "<!-- wp:list -->\n"
                '<ul class="wp-block-list"><!-- wp:list-item -->\n'
                "<li>a</li>\n"
                "<!-- /wp:list-item -->\n\n"
                "<!-- wp:list-item -->\n"
                '<li>b<!-- wp:list {"ordered":true} -->\n'
                '<ol class="wp-block-list"><!-- wp:list-item -->\n'
                "<li>c</li>\n"
                "<!-- /wp:list-item --></ol>\n"
                "<!-- /wp:list --></li>\n"
                "<!-- /wp:list-item --></ul>\n"
                "<!-- /wp:list -->"
            ),
        ),
        (
            "> a\n>\n> : b",
            (
                "<!-- wp:quote -->\n"
                '<blockquote class="wp-block-quote"><!-- wp:html -->\n'
                "<dl>\n<dt>a</dt>\n<dd>\n<p>b</p>\n</dd>\n</dl>\n"
                "<!-- /wp:html --></blockquote>\n"
                "<!-- /wp:quote -->"
            ),
        ),
        (
            "```c++ main\na <b>\n```\n\n    plain\n",
            (
                '<!-- wp:code {"className":"language-c++"} -->\n'
                '<pre class="wp-block-code language-c++"><code>a &lt;b&gt;\n</code></pre>\n'
                "<!-- /wp:code -->\n\n"
                '<!-- wp:code -->\n<pre class="wp-block-code"><code>plain\n</code></pre>\n<!-- /wp:code -->'
            ),
        ),
        (
            "|a|b|\n|:-|-|\n|*c*||",
            (
                '<!-- wp:table {"hasFixedLayout":false} -->\n'
                '<figure class="wp-block-table"><table>'
                '<thead><tr><th class="has-text-align-left" data-align="left">a</th><th>b</th></tr></thead>'
                '<tbody><tr><td class="has-text-align-left" data-align="left"><em>c</em></td>'
                "<td></td></tr></tbody>"
                "</table></figure>\n"
                "<!-- /wp:table -->"
            ),
        ),
        (
            '![a "b"](c.png "d & e")\n\n![](f.png)',
            (
                "<!-- wp:image -->\n"
                '<figure class="wp-block-image"><img src="c.png" alt="a &quot;b&quot;"/>'
                '<figcaption class="wp-element-caption">d &amp; e</figcaption></figure>\n'
                "<!-- /wp:image -->\n\n"
                "<!-- wp:image -->\n"
                '<figure class="wp-block-image"><img src="f.png" alt=""/></figure>\n'
                "<!-- /wp:image -->"
            ),
        ),
        (
            "---",
            (
                "<!-- wp:separator -->\n"
                '<hr class="wp-block-separator has-alpha-channel-opacity"/>\n'
                "<!-- /wp:separator -->"
            ),
        ),
        (
            "<!--more-->\n\n> <!--nextpage-->\n\n<!--nextpage-->",
            (
                "<!-- wp:more -->\n<!--more-->\n<!-- /wp:more -->\n\n"
                '<!-- wp:quote -->\n<blockquote class="wp-block-quote"><!-- wp:html -->\n'
                "<!--nextpage-->\n<!-- /wp:html --></blockquote>\n<!-- /wp:quote -->\n\n"
                "<!-- wp:nextpage -->\n<!--nextpage-->\n<!-- /wp:nextpage -->"
            ),
        ),
    ],
)
def test_each_form_of_markdown_becomes_the_block_that_the_editor_writes(markdown: str, blocks: str) -> None:
    assert blocks_of(markdown) == blocks


def test_a_list_says_its_first_number_and_that_it_is_loose() -> None:
    assert blocks_of("3. a").startswith(
        '<!-- wp:list {"ordered":true,"start":3} -->\n<ol start="3" class="wp-block-list">'
    )
    assert blocks_of("1. a\n\n   - b\n\n2. c").startswith(
        '<!-- wp:list {"ordered":true,"className":"loose"} -->\n'
        '<ol class="wp-block-list loose"><!-- wp:list-item -->\n'
        '<li>a<!-- wp:list -->\n<ul class="wp-block-list"><!-- wp:list-item -->\n<li>b</li>\n'
    )


@pytest.mark.parametrize(
    "items",
    ["<li><p>b</p></li><li>c</li>", "<li><p>b</p>c</li>", "<li>b<p>c</p></li>", "<li><p>b</p><p>c</p></li>"],
)
def test_a_list_that_is_loose_in_part_is_html(items: str) -> None:
    assert to_blocks(f"<p>a</p>\n<ul>{items}</ul>").endswith(
        f"<!-- wp:html -->\n<ul>{items}</ul>\n<!-- /wp:html -->"
    )


@pytest.mark.parametrize(
    "item", ["a\n\n  b", "a\n\n      code", "[ ] a", "a\n\n  > b", "- b\n\n  c", "<div>a</div>"]
)
def test_a_list_whose_items_say_more_than_one_thing_is_html(item: str) -> None:
    assert names(blocks_of(f"a\n\n- {item}\n")) == ["paragraph", "html"]


def test_two_dashes_in_an_attribute_would_end_the_comment_and_are_escaped_as_wordpress_does() -> None:
    assert blocks_of("```a--b\n```").startswith(
        r'<!-- wp:code {"className":"language-a\u002d\u002db"} -->'
        '\n<pre class="wp-block-code language-a--b">'
    )


@pytest.mark.parametrize("language", ["größe", "a&b", 'a"b', "{.c}"])
def test_code_in_a_language_with_an_odd_name_is_html(language: str) -> None:
    assert names(blocks_of(f"a\n\n```{language}\nx\n```")) == ["paragraph", "html"]


def test_shortcodes_and_lone_addresses_in_a_block_of_code_stay_code() -> None:
    code = (
        "```\n[gallery]\na[i]\nhttps://example.org/a\n  http://example.org/b\nsee https://example.org/c\n```"
    )
    assert (
        "<code>&#091;gallery]\na&#091;i]\nhttps:/&#047;example.org/a\n  http:/&#047;example.org/b\n"
        "see https://example.org/c\n</code>"
    ) in blocks_of(code)


@pytest.mark.parametrize(
    ("markdown", "kind"),
    [
        ("see `[gallery]`", "paragraph"),
        ("## see `[gallery]`", "heading"),
        ("- a\n\n- see `[gallery]`", "list-item"),
        ("| `[gallery]` |\n|-|", "table"),
        ("b\n\n- see\n\n      [gallery]", "html"),
        ("b\n\n- [ ] see `[gallery]`", "html"),
        ('b\n\n<pre class="mine">[gallery]</pre>', "html"),
    ],
)
def test_shortcodes_stay_code_wherever_code_stands(markdown: str, kind: str) -> None:
    block = blocks_of(markdown).rpartition(f"<!-- wp:{kind} ")[2]
    # The editor would save a reference as its character.
    assert "<span>[</span>gallery]</" in block.replace("\n", "")
    assert "[gallery" not in blocks_of(markdown)


@pytest.mark.parametrize(
    "markdown",
    [
        "- [x] done",
        "Term\n: text",
        "> [!NOTE]\n> a",
        '<div class="note">\n\nText *in* it.\n\n- a\n\n</div>',
        "<script>\nconst a = '</p>'\n\n</script>",
        "<p>never closed",
        '<p class="a">b</p>',
        "a <input> b",
    ],
)
def test_anything_else_is_html_as_it_is_written(markdown: str) -> None:
    written = html_of(markdown).strip("\n")
    assert blocks_of(f"a\n\n{markdown}\n").endswith(f"<!-- wp:html -->\n{written}\n<!-- /wp:html -->")


def test_html_that_stands_on_lines_of_its_own_is_a_block_of_its_own() -> None:
    assert names(to_blocks("<div>a</div>\n<div>b</div>\n<p>c</p>")) == ["html", "html", "paragraph"]
    assert to_blocks("a <b>b</b> <i>c</i>\n<p>d</p>").startswith(
        "<!-- wp:html -->\na <b>b</b> <i>c</i>\n<!--"
    )


@pytest.mark.parametrize("body", ["", "\n", "<div>a</div>\n", "text", "<ul>\n<li>a\n</ul>"])
def test_a_body_that_would_be_a_single_block_of_html_is_left_to_the_dialect(body: str) -> None:
    assert to_blocks(body) == body


GALLERY = (
    '<!-- wp:gallery {"a":1} -->\n<figure><!-- wp:image /-->\n<!-- wp:gallery /--><code>[x1]</code>\n'
    "</figure>\n<!-- /wp:gallery -->"
)


@pytest.mark.parametrize("own", ["<!-- wp:more /-->", "<!--\nwp:a/b {} /-->", GALLERY])
def test_blocks_of_its_own_stay_as_they_are_among_those_of_a_body(own: str) -> None:
    a, b = (f"<!-- wp:paragraph -->\n<p>{text}</p>\n<!-- /wp:paragraph -->" for text in "ab")
    assert to_blocks(f"<p>a</p>\n{own}\n<p>b</p>\n") == f"{a}\n\n{own}\n\n{b}"
    assert to_blocks(f"{own}\n{own}\n") == f"{own}\n{own}\n"


@pytest.mark.parametrize(
    "own",
    [
        *("<!-- /wp:html -->", "<!--\nwp:a/b {} -->", "<!--  wp:x -->", "<!-- wp:Upper /-->", "<!-- wp:a "),
        *("<!-- wp:a --><!-- wp:b --><!-- /wp:a --><!-- /wp:b -->", "<div><!-- wp:more /--></div>"),
        *("<div>\n<!-- wp:more /-->", "<!-- wp:more /-->\n</div>"),
    ],
)
def test_a_body_with_incomplete_blocks_or_with_blocks_in_elements_stays_as_it_is(own: str) -> None:
    assert to_blocks(f"<p>a</p>\n{own}\n<p>b</p>\n") == f"<p>a</p>\n{own}\n<p>b</p>\n"


def test_blocks_go_down_to_a_depth_and_html_below_it() -> None:
    assert names(blocks_of("> " * 30 + "a")) == ["quote"] * 21 + ["html"]
    assert names(blocks_of("a\n\n" + "".join(f"{'  ' * n}- a\n" for n in range(30)))) == ["paragraph", "html"]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("start", "middle", "end"),
    [
        ("<blockquote>", "a", "</blockquote>"),
        ("<ul>\n<li>", "a", "</li>\n</ul>"),
        ("<p>", "<b>", "</p>"),
        ("<p>" + "<b>" * 20_000, "a", "</b>" * 20_000 + "</p>"),
        ("<pre><code>", "\n" * 100_000, "</code></pre>"),
        ('<p><img src="a" alt="b" title="', " " * 100_000, '" /></p>'),
        ("<!-- wp:a -->", "<p>b</p>", "<!-- /wp:a -->"),
    ],
)
def test_hostile_bodies_cost_no_more_than_their_length(start: str, middle: str, end: str) -> None:
    # Were any of these quadratic, or deeper than Python's stack, it would not come back.
    count = max(1, 100_000 // len(start + middle + end))
    body = start * count + middle + end * count
    assert seen(unblocked(to_blocks(body))) == seen(unblocked(body))


# Pieces that the rules look at, so that chance meets all of them, also in orders that nobody writes.
PIECES = (
    *(
        *("a", "*b*", " ", "\n", "\n\n", "# ", "- ", "1. ", "> ", "    ", "---", "```\n", "```php\n"),
        *("[x]", "`c`", "`[code]`"),
    ),
    *("|a|b|\n|-|:-|\n|c|d|\n", "![i](u)", '![i](u "t")', "[^1]", "[^1]: ", "\n: ", "[!NOTE]", "- [ ] "),
    *(
        *("<p>", "</p>", "<b>", "</b>", "<div>", "</div>", "<ul>", "<li>", "</li>", "</ul>"),
        *("<ul><li><p>a</p></li>", "<li>b", "<hr />", "<br>"),
    ),
    *(
        *("<pre><code>", "</code></pre>", "<table>", "<td>", "<!--", "-->", "<script>", "</script>"),
        *("&amp;", "<"),
    ),
    *('<h2 id="x">', "</h2>", "https://x.y/z", "\u00a0", "<blockquote>", "</blockquote>", "</tr>"),
)
markdown = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@given(markdown)
def test_without_what_blocks_add_they_are_the_html_again(text: str) -> None:
    html = html_of(text)
    # In a <pre> that the author never closed, the blank lines between blocks would show.
    assume(html.count("<pre") == html.count("</pre>"))
    assert seen(unblocked(to_blocks(html))) == seen(unblocked(html))


@given(markdown)
def test_blocks_of_blocks_are_the_blocks(text: str) -> None:
    once = blocks_of(text)
    assert to_blocks(once) == once


@pytest.mark.parametrize(
    "line",
    [
        "<div>x</div>",
        "<b><i>x</b></i>",
        "<a href=x>y</a>",
        '<a href="x" href="y">z</a>',
        '<a href="x"><b><a href="y">z</a></b></a>',
        "<i/>x",
        "a <!-- b --> c",
        '<input type="checkbox" disabled="" /> x',
    ],
)
def test_anything_that_a_browser_might_read_in_another_way_is_foreign(line: str) -> None:
    with pytest.raises(Foreign):
        expect_line(parse(line))


@pytest.mark.parametrize("line", ["<em></em>", "<b> </b>", "<wbr />", "\ufeff"])
def test_marks_around_nothing_are_foreign_because_the_editor_drops_them(line: str) -> None:
    with pytest.raises(Foreign):
        expect_line(parse(line))


def test_blanks_between_elements_are_left_out_and_nothing_but_blanks_is_foreign() -> None:
    table, empty = parse("<ul>\n<li>a</li> <li>b</li>\n</ul><ul>\n</ul>")
    assert [node.outer for node in filled(table)] == ["<li>a</li>", "<li>b</li>"]
    assert written(empty.children) == []
    with pytest.raises(Foreign):
        filled(empty)


def test_a_body_with_too_much_markup_stays_as_it_is() -> None:
    body = "<p>a</p>\n" + "<" * 500_000
    assert to_blocks(body) == body


def block(name: str, attributes: str, html: str) -> str:
    return f"<!-- wp:{name} {attributes}-->\n{html}\n<!-- /wp:{name} -->"


FILM = "https://www.youtube.com/watch?v=a_b&t=2"
SHOWN = FILM.replace("&", "&amp;")
IN_EMBED = f'<figure class="wp-block-embed"><div class="wp-block-embed__wrapper">\n{SHOWN}\n</div></figure>'
EMBED = block("embed", f'{{"url":"{FILM.replace("&", chr(92) + "u0026")}"}} ', IN_EMBED)
SOUND = '<audio controls src="talk.mp3"></audio>'
CAPTION = "The <em>talk</em>"
LINK = f'<p><a href="{SHOWN}">{SHOWN}</a></p>'
IMAGES = "\n\n".join(
    block("image", "", f'<figure class="wp-block-image"><img src="{name}.png" alt=""/></figure>')
    for name in "ab"
)
GALLERY = block(
    "gallery",
    '{"linkTo":"none"} ',
    '<figure class="wp-block-gallery has-nested-images columns-default is-cropped">' + IMAGES + "</figure>",
)


@pytest.mark.parametrize(
    ("markdown", "html", "blocks"),
    [
        (FILM, f'<p style="overflow:auto">{SHOWN}</p>', EMBED),
        (
            f"> {FILM}",
            f'<blockquote>\n<p style="overflow:auto">{SHOWN}</p>\n</blockquote>',
            block("quote", "", f'<blockquote class="wp-block-quote">{EMBED}</blockquote>'),
        ),
        (f"<{FILM}>", LINK, block("paragraph", "", LINK)),
        (f"[{FILM}]({FILM})", LINK, block("paragraph", "", LINK)),
        ("https://youtube.com/", None, None),
        (f"See {FILM}", None, None),
        (f"- a\n\n  {FILM}\n- b", None, None),
        (
            "[The *talk*](talk.mp3)",
            f"<figure>{SOUND}<figcaption>{CAPTION}</figcaption></figure>",
            block(
                "audio",
                "",
                f'<figure class="wp-block-audio">{SOUND}'
                f'<figcaption class="wp-element-caption">{CAPTION}</figcaption></figure>',
            ),
        ),
        (
            "[](a/film.MP4)",
            '<figure><video controls src="a/film.MP4"></video></figure>',
            block(
                "video",
                "",
                '<figure class="wp-block-video"><video controls src="a/film.MP4"></video></figure>',
            ),
        ),
        ("- [The talk](talk.mp3)", None, None),
        ("[The talk](https://example.org/talk.mp3)", None, None),
        (
            "![](a.png)\n![](b.png)",
            '<p><img src="a.png" alt="" />\n<img src="b.png" alt="" /></p>',
            GALLERY,
        ),
        ("![](a.png) ![](b.png)", None, None),
        ("![](a.png)\n![](b.png)\nwords", None, None),
    ],
)
def test_what_is_alone_in_its_paragraph_may_be_a_player(
    markdown: str, html: str | None, blocks: str | None
) -> None:
    document = Document(path="content/a.md", blob="", kind=Kind.PAGE, fields={}, body=markdown, body_line=1)
    for is_blocks, form in ((False, html), (True, blocks)):
        shown = [
            Renderer({}, templates_folder="", content="content", blocks=is_blocks, forms=forms)
            .render(document, resolve=lambda _path: Unresolved.UNKNOWN)
            .content.removesuffix("\n")
            for forms in (PLAYERS, NO_FORMS)
        ]
        # Without the setting, and of anything else, the page stays as it is.
        assert shown[0] == (shown[1] if form is None else form)


ADDRESSES = {
    "https://youtu.be/a": "YouTube",
    "http://m.youtube.com/shorts/a": "YouTube",
    "https://player.vimeo.com/video/1": "Vimeo",
    "https://dai.ly/a": "Dailymotion",
    "https://flic.kr/p/a": "Flickr",
    "https://jo.smugmug.com/a": "SmugMug",
    "https://www.scribd.com/document/1/a": "Scribd",
    "https://wordpress.tv/2020/a/": "WordPress.tv",
    "https://poll.fm/1": "Crowdsignal",
    "https://twitter.com/jo/status/1": "Twitter",
    "https://soundcloud.com/jo/a": "SoundCloud",
    "https://open.spotify.com/track/a": "Spotify",
    "https://issuu.com/jo/docs/a": "Issuu",
    "https://www.mixcloud.com/jo/a/": "Mixcloud",
    "https://www.ted.com/talks/a": "TED",
    "https://animoto.com/play/a": "Animoto",
    "https://jo.tumblr.com/post/1": "Tumblr",
    "https://kck.st/a": "Kickstarter",
    "https://cloudup.com/a": "Cloudup",
    "https://www.reverbnation.com/jo": "ReverbNation",
    "https://videopress.com/v/a": "VideoPress",
    "https://www.reddit.com/r/a/comments/b/": "Reddit",
    "https://speakerdeck.com/jo/a": "Speaker Deck",
    "https://www.tiktok.com/@jo/video/1": "TikTok",
    "https://www.pinterest.com/pin/1/": "Pinterest",
    "https://www.wolframcloud.com/obj/a": "Wolfram Cloud",
    "https://pca.st/a": "Pocket Casts",
}
NO_PROVIDERS = (
    "https://vimeo.com/",
    "https://twitter.com/jo",
    "https://example.org/https://youtu.be/a",
    "https://notyoutu.be/a",
    "https://youtu.be/a b",
)


def test_a_provider_is_known_by_its_addresses() -> None:
    assert {address: provider_of(address) for address in ADDRESSES} == ADDRESSES
    assert set(ADDRESSES.values()) == set(PROVIDERS)
    assert not [address for address in NO_PROVIDERS if provider_of(address)]


@pytest.mark.parametrize(
    ("written", "is_player"),
    [
        (f"<div class=film>\n  {FILM}\n</div>", True),
        (f"<details><summary>A</summary>\n{FILM}\n</details>", True),
        ("<div>\nhttps://example.org/\n</div>", False),
        (f"<div>\n{FILM}\nwords\n</div>", False),
        (f"<div>{FILM}</div>", False),
        (f'<div class="wp-block-embed__wrapper">\n{FILM}\n</div>', False),
        (f"<pre>\n{FILM}\n</pre>", False),
        (f"<div><p>{FILM}</p></div>", True),
        (f'<p class="a">{FILM}</p>', False),
    ],
)
def test_an_address_alone_in_html_scrolls_as_one_of_markdown(written: str, is_player: bool) -> None:
    formed = of_html(written)
    bare = written.replace("  ", "").replace("<p>", "").replace("</p>", "")
    assert formed == (bare.replace(FILM, f'<p style="overflow:auto">{FILM}</p>') if is_player else written)
    assert of_html(formed) == formed
