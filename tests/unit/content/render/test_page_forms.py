"""Elements of a page get the form that stock themes need, and a pull takes it off."""

from __future__ import annotations

import tracemalloc

import pytest

from pressync.content.render.markdown import to_html
from pressync.content.render.page_forms import as_before, in_page_form, without_page_form
from pressync.content.render.renderer import with_targets
from pressync.html.normalize import canonical, normalized
from pressync.html.pieces import cut
from pressync.html.tree import parse

UPLOAD, OTHER = "https://site.test/uploads/oven.png", "https://other.test/a.png"
IDS = {UPLOAD: 31}
LONG = "x" * 20
BREAKING = ' style="overflow-wrap:anywhere"'

# What a page has, and its form: only the marked part differs.
SUM = "a_0 + a_1 x + a_2 x^2 + a_3 x^3"
LTR = ' dir="ltr"'
FORMS = [
    ("a picture", f'<p><img src="{UPLOAD}" alt="Oven" /></p>', ' alt="Oven"', ' class="wp-image-31"'),
    ("a picture in HTML", f"<p><img class='big' src='{UPLOAD}'></p>", " class='big'", ""),
    (
        "a foreign picture",
        f'<p><img src="{OTHER}" alt="" /></p>',
        ' alt=""',
        ' style="max-width:100%;height:auto"',
    ),
    (
        "a film",
        '<video src="a.mp4" width="900"></video>',
        ' width="900"',
        ' style="max-width:100%;height:auto"',
    ),
    ("a frame", '<iframe src="a"></iframe>', ' src="a"', ' style="max-width:100%;box-sizing:border-box"'),
    ("a listing", "<pre><code>a</code></pre>", "<pre", ' style="overflow:auto"'),
    ("code without a blank", f"<p><code>{LONG}</code></p>", "<code", BREAKING),
    ("escaped code", f"<p><code>a/<span>/</span>{LONG}</code></p>", "<code", BREAKING),
    (
        "code beside code",
        "<p><code>ReadonlySet</code>/<code>ReadonlyArray</code> <code>a</code>/<code>b</code></p>",
        "<code",
        BREAKING,
    ),
    ("a long address", f'<p><a href="a">a {LONG}</a></p>', ' href="a"', BREAKING),
    ("a sound", '<audio src="a.mp3"></audio>', ' src="a.mp3"', ' style="max-width:100%"'),
    ("a drawing", '<svg width="900"></svg>', ' width="900"', ' style="max-width:100%"'),
    ("code in Hebrew", "<pre>a</pre><p>\u05e9</p>", "<pre", ' style="overflow:auto;direction:ltr"'),
    (
        "a long formula in a line",
        f'<!-- wp:paragraph -->\n<p><math data-latex="{SUM}"></math></p>\n<!-- /wp:paragraph -->',
        f' data-latex="{SUM}"',
        ' style="max-width:100%;overflow:auto hidden"',
    ),
    ("a formula", '<p><math display="block"></math></p>', "<p", ' style="overflow:auto hidden"'),
    ("code in a line of Hebrew", "<p>\u05e9 <code>a &quot;b&quot;</code> <code>c d</code></p>", "<code", LTR),
]


@pytest.mark.parametrize(
    ("page", "place", "added"), [row[1:] for row in FORMS], ids=[row[0] for row in FORMS]
)
def test_an_element_gets_what_a_stock_theme_needs(page: str, place: str, added: str) -> None:
    formed = in_page_form(page, IDS)
    if added:
        assert formed == page.replace(place, f"{place}{added}", 1)
    else:
        assert formed == page.replace(place, ' class="big wp-image-31"')
    assert in_page_form(formed, IDS) == formed, "a second time changes nothing"
    assert canonical(normalized(parse(formed))) == canonical(normalized(parse(page))), "a pull sees no edit"
    bare = without_page_form(formed, IDS)
    assert bare.replace('"', "'") == page.replace('"', "'"), "a pull takes nothing of it into a file"


def test_a_long_word_of_a_heading_breaks_and_its_block_stays_valid() -> None:
    for inside in (f"a {LONG} <em>b</em>", f"a <em>b</em> {LONG}", f"[a] {LONG}"):
        page = f'<!-- wp:heading -->\n<h2 class="wp">{inside}</h2>\n<!-- /wp:heading -->\n<h2>b</h2>'
        formed = in_page_form(page, {})
        assert formed == page.replace(inside, f"<span{BREAKING}>{inside}</span>")
        assert in_page_form(formed, {}) == formed
        assert canonical(normalized(parse(formed))) == canonical(normalized(parse(page)))
        assert without_page_form(formed, {}) == page
    assert BREAKING in in_page_form("<h3><code>logger.silent()</code></h3>", {})
    for page in (f"<h2>{LONG}<h2>a</h2>", f'<h2>a <img alt="{LONG}{LONG}"></h2>'):
        assert BREAKING not in in_page_form(page, {})


# A page with one long word, which is in braces.
WORD = "x" * 28
WORDS = [
    f"<p>{{{WORD[4:].upper()}}} {WORD[4:]}</p>",
    f"<p>a <b>{{{WORD}}}</b> {WORD[1:]}</p>",
    f"<dl><dt>{{{WORD},}}</dt></dl><details><summary>{{&lt;{WORD}}}</summary></details>",
    # Below the second list, shorter words break.
    f"<ul><li><ul><li>{WORD[9:]}<ol><li><b>{{{WORD[12:]}}}</b> {WORD[13:]}</li></ol></li></ul></li></ul>",
    f"<blockquote><ul><li><ul><li><ul><li>{{{WORD[16:]}}}</li></ul></li></ul></li></ul></blockquote>",
    f"<p>[https://{{{WORD}}}] a</p>".replace("[https://{", "{[https://").replace("}]", "]}"),
    f"<!-- wp:image -->\n<figure><figcaption>{{{WORD}}}</figcaption></figure>\n<!-- /wp:image -->",
    f"<!-- wp:list-item -->\n<li>{{{WORD}}}</li>\n<!-- /wp:list-item -->",
    # A table scrolls, and a shortcode and the address of a player are not text.
    f"<!-- wp:table -->\n<table><tr><td>{WORD}</td></tr></table>\n<!-- /wp:table --><p>{{{WORD}}}</p>",
    f"<p>[embed]https://example.org/{WORD}[/embed] {{{WORD}}}</p>",
    f"<p>[gallery ids={WORD}] {{{WORD}}}</p><p>https://example.org/{WORD}</p>",
    f"<!-- wp:embed -->\nhttps://example.org/{WORD}\n<!-- /wp:embed --><p>{{{WORD}}}</p>",
    # A browser breaks these.
    f"<p>{'漢' * 30} {'well-' * 9} {{{WORD}}}</p>",
]


def test_the_form_of_the_version_before_is_one_without_what_came_since() -> None:
    page = '<p>\u05e9 <code>--a</code></p><p><math display="block"></math></p>'
    before = page.replace("</p><p>", '</p><p style="overflow:auto">')
    assert as_before(in_page_form(page, {})) == before != in_page_form(page, {})


@pytest.mark.parametrize("text", WORDS)
def test_a_long_word_breaks_wherever_it_stands(text: str) -> None:
    page = text.replace("{", "").replace("}", "")
    formed = in_page_form(page, {})
    assert formed == text.replace("{", f"<span{BREAKING}>").replace("}", "</span>")
    assert in_page_form(formed, {}) == formed
    assert canonical(normalized(parse(formed))) == canonical(normalized(parse(page)))
    assert without_page_form(formed, {}) == page
    assert in_page_form(page, {}, former=True) == page


@pytest.mark.parametrize(
    ("task", "item"),
    [
        ("- [x] a *b* & `c`", '<li>BOX checked="" disabled="" aria-label="a b &amp; c" /> a'),
        ('- [ ] "a" [gallery]', '<li>BOX disabled="" aria-label="&quot;a&quot; &#91;gallery]" /> &quot;a'),
        (
            "- [ ] a\n  - [ ] b",
            '<li>BOX disabled="" aria-label="a" /> a\n<ul>\n<li>BOX disabled="" aria-label="b"',
        ),
        ("- [ ] a\n\n  b", '<li><p>BOX disabled="" aria-label="a" /> a</p>\n<p>b</p>'),
        ("- [ ] ![](a.png)", '<li>BOX disabled="" /> <img'),
    ],
)
def test_the_box_of_a_task_has_its_words_as_a_label_and_on_its_line(task: str, item: str) -> None:
    page = to_html(task)
    formed = in_page_form(page, {"a.png": 7})
    assert item.replace("BOX", '<input type="checkbox"') in formed
    assert in_page_form(formed, {}) == formed
    assert canonical(normalized(parse(formed))) == canonical(normalized(parse(page)))
    assert in_page_form(page, {"a.png": 7}, former=True).replace(' class="wp-image-7"', "") == page


def test_a_table_scrolls_in_a_box_and_not_in_its_block() -> None:
    table = "<table><tr><td><table><tr><td>1</td></tr></table></td></tr></table>"
    block = f'<!-- wp:table -->\n<figure class="wp-block-table">{table}</figure>\n<!-- /wp:table -->'
    boxed = f'<p>a</p><div style="overflow:auto">{table}</div><p>b</p>'
    assert in_page_form(f"<p>a</p>{table}<p>b</p>", {}) == boxed
    assert without_page_form(boxed, {}) == f"<p>a</p>{table}<p>b</p>"
    assert without_page_form(f"<div>{table}</div></div>", {}) == f"<div>{table}</div></div>"
    assert in_page_form(block, {}) == block
    wide = '<table border="1" align="center"><tr><td>1</td></tr></table>'
    assert in_page_form(wide, {}) == f'<div style="overflow:auto">{wide}</div>'
    assert without_page_form(in_page_form(wide, {}), {}) == in_page_form(wide, {}, former=True) == wide
    beside = "<table align='right'><tr><td>1</td></tr></table>"
    assert in_page_form(beside, {}) == beside, "in a box, the text would be below it"
    assert in_page_form(f"{table}<table>", {}) == f"{table}<table>", "one is not closed"


@pytest.mark.parametrize(
    "page",
    [
        f'<!-- wp:image -->\n<figure><img src="{UPLOAD}" alt=""/></figure>\n<!-- /wp:image -->',
        '<!-- wp:code -->\n<pre class="wp-block-code"><code>a</code></pre>\n<!-- /wp:code -->',
        f"<!-- {UPLOAD} <img src='a'> --><script>'<img src=\"a\">'</script>",
        f'<p><img class="wp-image-7" src="{UPLOAD}"></p>',
        '<pre style="overflow:scroll">a</pre>',
        '<p>text <math data-latex="x"></math></p>',
    ],
)
def test_what_has_a_form_of_its_own_keeps_it(page: str) -> None:
    assert in_page_form(page, IDS) == without_page_form(page, IDS) == page


def test_wordpress_reads_the_width_of_a_picture_from_its_style() -> None:
    page = f'<p><img src="{UPLOAD}" width="300" alt="" /></p>'
    formed = in_page_form(page, IDS)
    assert formed == f'<p><img src="{UPLOAD}" style="width:300px;" alt="" class="wp-image-31" /></p>'
    assert canonical(normalized(parse(formed))) == canonical(normalized(parse(page)))
    assert without_page_form(formed, IDS) == page


@pytest.mark.sweep
def test_hostile_pages_take_linear_time() -> None:
    for text in (
        "<img '\"",
        "<!-- wp:a ",
        "<!--",
        "<table>",
        "<code>a",
        "<pre ",
        "<h2>a",
        "<h2><b>",
        "<a >",
        "<code><span>",
        "<code>a</code>/",
        "<code>aaaaaaaaaaaa/<code>",
        f"<ul>{WORD} ",
        f"<span overflow>{WORD}[a ",
        "\n https://",
        '<li><input type="checkbox" disabled="" />',
        '<li><input type="checkbox" disabled="" /> <b',
        f'<img src="{UPLOAD}" ',
        '<div style="overflow:auto"><table>',
        "</span></h2>",
        "\u05e9<pre ",
        '\u05e9<code style="',
        "\u05e9<code>a",
    ):
        assert len(in_page_form(text * 20_000, IDS)) >= len(text) * 20_000
        assert len(without_page_form(text * 20_000, IDS)) >= 4 * 20_000


@pytest.mark.parametrize(
    "page",
    [
        f"<pre><code>{'a b' * 10_000}</code></pre>",
        f"<h2>{'<b>a</b> b ' * 3_000}</h2>",
        f"<p><code>{'<span>a</span> b ' * 2_000}</code></p>",
    ],
)
def test_a_long_listing_or_heading_takes_little_memory(page: str) -> None:
    tracemalloc.start()
    in_page_form(page, IDS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * len(page)


@pytest.mark.parametrize("name", ["iframe", "audio", "video"])
def test_a_player_of_html_alone_stands_in_the_column_of_a_theme(name: str) -> None:
    player = f'<{name} src="a"></{name}>'
    page = f"<p>a</p>\n{player}\n<h2>b</h2>\n"
    formed = with_targets(page, "content/a.md")
    assert formed == page.replace(player, f"<p>{player}</p>")
    assert with_targets(formed, "content/a.md") == formed
    # A page that a former version sent says the same.
    shown = [[canonical(normalized(piece.nodes)) for piece in cut(parse(each))] for each in (page, formed)]
    assert shown[0] == shown[1]
