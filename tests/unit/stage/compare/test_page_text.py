"""A page is read as a reader reads it: words, and what stands among them, without what a theme draws."""

from __future__ import annotations

import pytest

from pressync.model.errors import ConfigError
from pressync.stage.compare.page_text import CODE, FORMULA, PICTURE, PageText, fragment_text, page_text

WORDS = {
    "<p>one <em>t</em>wo<br>three</p>four": "one two three four",
    "<p>“Well” &ndash; it&rsquo;s so… 2&times;2</p>": '"Well" - it\'s so... 2x2',
    "<code>“as typed”</code>": "“as typed”",
    "<p>a<script>b</script><style>c</style><!-- d --><button>e</button></p>": "a",
    '<p>a<span aria-hidden="true">b</span></p>': "a",
    '<h2 id="x">Head<a href="#x">¶</a></h2>': "Head",
    '<h2><a href="#x">Head</a></h2>': "Head",
    "<p>soft\u00adhyphen and\u00a0blank</p>": "softhyphen and blank",
    '<p>a <img class="emoji" src="x" alt="😀"></p>': "a 😀",
    '<p>a<img src="x" alt="A  harbour"></p>': f"a {PICTURE}A harbour",
    "<math><semantics><mi>x</mi><annotation>x^2</annotation></semantics></math>": f"{FORMULA}x^2",
    "<label>One</label><label>Two</label>": "One Two",
}
CODES = {
    "<pre><code>a\n  b\n\n</code></pre>": "a\n  b",
    '<pre><span class="line">a</span><br><span class="line">  b</span></pre>': "a\n  b",
    "<table><tr><td><pre>1\n2\n</pre></td><td><pre>a\nb\n</pre></td></tr></table>": "a\nb",
    '<pre><code><table><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n</pre></td>'
    '<td class="rouge-code"><pre>a\n2\n</pre></td></tr></table></code></pre>': "a\n2",
    '<pre><span class="ln">1</span>a <span class="ln">x</span>\n</pre>': "a x",
    '<pre><a href="#__codelineno-0-1"></a><span>a</span>\n</pre>': "a",
}


@pytest.mark.parametrize("html", WORDS)
def test_the_words_are_those_that_a_reader_sees(html: str) -> None:
    assert " ".join(fragment_text(html).words) == WORDS[html]


@pytest.mark.parametrize("html", CODES)
def test_a_code_block_is_one_word_to_the_byte_however_a_tool_draws_it(html: str) -> None:
    found = fragment_text(html)
    assert found.words == (CODE + CODES[html],)
    assert found.tables == ()


def test_what_stands_among_the_words_has_its_place() -> None:
    found = fragment_text(
        '<h2 id="top">A b</h2><p>see <a href="/x/">this one</a>.</p>'
        "<table><tr><th>k</th><td>v w</td></tr></table>"
    )
    assert found.headings == ((0, 2, "h2"),)
    assert found.links == ((3, 5, "/x/"),)
    assert found.tables == ((5, 8, "k | v w"),)
    assert found.places == {"top": 0}
    assert [found.words[a:b] for a, b in found.block_ranges()][:2] == [("A", "b"), ("see", "this", "one.")]


PAGE = """<html lang="de"><head><title>About | Harbour</title><link rel="canonical" href="https://a.example/x/">
<meta property="article:published_time" content="2024-01-31"></head><body><nav>Menu</nav>
<main><p>aside</p>ARTICLE</main><footer>Foot</footer></body></html>"""


@pytest.mark.parametrize(
    ("article", "selector", "words"),
    [
        ("<article>text</article>", "", "text"),
        ("<article>one</article><article>two</article>", "", "aside one two"),
        ("text", "", "aside text"),
        ('<div class="post">text</div>', "div.post", "text"),
    ],
)
def test_the_text_of_a_page_is_its_article_its_main_part_or_what_a_person_names(
    article: str, selector: str, words: str
) -> None:
    found = page_text(PAGE.replace("ARTICLE", article), selector)
    assert found is not None
    assert " ".join(found.words) == words
    # The menu is outside, and its text still tells what a theme repeats.
    assert hash(("Menu",)) in found.around


def test_a_page_says_its_title_language_date_address_and_terms() -> None:
    terms = '<p><a rel="tag" href="/t/linux/">Linux</a> <time datetime="2024-01-31">31 January</time></p>'
    cloud = '<aside><a rel="tag" href="/t/bsd/">BSD</a></aside></body>'
    found = page_text(PAGE.replace("ARTICLE", terms).replace("</body>", cloud))
    assert found is not None
    assert (found.titles, found.language, found.date) == (("About | Harbour",), "de", "2024-01-31")
    assert (found.canonical, found.terms) == ("https://a.example/x/", ("Linux",))
    assert [found.words[a:b] for a, b, _ in found.facts] == [("Linux",), ("31", "January")]


def test_a_part_that_is_not_there_is_none_and_a_wrong_selector_is_named() -> None:
    assert page_text(PAGE, "div.post") is None
    with pytest.raises(ConfigError, match="is not a selector"):
        page_text(PAGE, "div[")


def test_a_page_that_only_leads_elsewhere_says_so() -> None:
    found = page_text('<meta http-equiv="Refresh" content="0; url=../new/">')
    assert found is not None
    assert found.leads_to == "../new/"


@pytest.mark.sweep
def test_a_page_that_is_nested_deeply_takes_no_recursion() -> None:
    assert fragment_text("<div>" * 20_000 + "text").words == ("text",)
    assert fragment_text("") == PageText(around=frozenset())
