"""The tags of Liquid that every Jekyll has become Markdown; the others stay and are named with their line."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from pressync.importing.sources.html_blocks import opened, whole
from pressync.importing.sources.item import Place, Remainder
from pressync.importing.sources.jekyll_text import LiquidText, replaced, verbatim

INCLUDES = {
    "note.html": "<b>{{ include.text }}</b> {{ site.title }}\n",
    "around.html": "({% include note.html %})",
    "badge.html": "<b>{{ include.version }}</b>\n",
    "size.html": "{% if include.width %}{{ include.width }}{% else %}6{% if include.b %}!{% endif %}"
    "{% endif %}{% unless include.b %}?{% endunless %}\n",
    "itself.html": "{% include itself.html %}",
    "loop.html": "{% for x in site.x %}{% endfor %}",
}


@dataclass
class Page:
    """The text of one page, on a site below `/base`."""

    base: str = "/base"
    has_figures: bool = False
    captions: bool = False
    left: list[Remainder] = field(default_factory=list)

    def read(self, text: str) -> str:
        """Replace all tags; the text begins in line 5 of its file."""
        liquid = LiquidText(
            "a.md",
            self.base,
            page_of=lambda path: path if "a b" in path else "",
            post_of=lambda name: f"_posts/{name}.md" if name.startswith("2024") else "",
            site={"title": "Site", "deep": {"x": 1, "list": [1]}},
            page={"title": "Page"},
            data={"people.ada.name": "Ada"}.get,
            part=INCLUDES.get,
            has_figures=self.has_figures,
            captions=self.captions,
        )
        made = liquid.replaced(text, 5)
        self.left = liquid.remainders
        return made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("{% highlight ruby linenos %}\nx = 1\n{% endhighlight %}", "```ruby\nx = 1\n```"),
        ("{% raw %}{{ kept }} {% kept %}{% endraw %}", "{{ kept }} {% kept %}"),
        ("a{% comment %}{% include x %}{% endcomment %}b", "ab"),
        ("[a]({% link docs/a b.md %}#c)", "[a](import:docs/a%20b.md#c)"),
        ("[a]({{ site.baseurl }}{% post_url 2024-01-01-x %})", "[a](import:_posts/2024-01-01-x.md)"),
        ("[a]({{ '/b/' | relative_url }})", "[a](/base/b/)"),
        ('![a]({{ "/an oven.png" | relative_url }})', "![a](/base/an%20oven.png)"),
        ("![a]({{ '/a.png' | prepend: site.baseurl | prepend: site.url }})", "![a](/base/a.png)"),
        ("![a]({{ '/a.png' | prepend: site.url }})", "![a](/a.png)"),
        ("[a]({{ site.url }}{{ site.baseurl }}/b/)", "[a](/base/b/)"),
        ("{{ site.title }}, {{ page.title }}", "Site, Page"),
        ("{% include note.html text='Be careful' %}", "<b>Be careful</b> Site"),
        (r"""{% include note.html text="\"a\" 'b'" %}""", "<b>\"a\" 'b'</b> Site"),
        ("{% include size.html width=81 %}", "81?"),
        ("{% include size.html b='x' %}", "6!"),
        # A hyphen in a tag takes the blanks beside it away, and the end of a file is a blank in a line.
        ("## Files {%- include badge.html version='3.7' -%}\n\nText", "## Files<b>3.7</b>\nText"),
        ("in {% include badge.html version='4' %}, and", "in <b>4</b> , and"),
        ("in {% include badge.html version='4' %}\nand", "in <b>4</b>\nand"),
        ("a {%- raw -%} {{ b }} {%- endraw -%} c", "a{{ b }}c"),
        ("a {{- site.title -}} c", "aSitec"),
        # A text between quotation marks is itself: so people write the signs of Liquid.
        ("`{{ \"{{\" }} x }}` {{ '{% x %}' }}", "`{{ x }}` {% x %}"),
        # Jekyll reads tags in code.
        (
            "{% highlight diff %}\n{% raw %}\n- {{ a }}\n{% endraw %}\n{{ site.title }}\n{% endhighlight %}",
            "```diff\n- {{ a }}\n\nSite\n```",
        ),
        ("{% youtube AjJVrFFaCck %}", "https://www.youtube.com/watch?v=AjJVrFFaCck"),
    ],
)
def test_what_every_jekyll_has_is_replaced(text: str, made: str) -> None:
    page = Page()
    assert page.read(text) == made
    assert page.left == []


@pytest.mark.parametrize("name", ["loop.html", "itself.html", "gone.html"])
def test_an_included_file_that_only_jekyll_can_fill_in_is_not_put_in(name: str) -> None:
    page = Page()
    assert page.read(f"{{% include {name} %}}") == f"{{% include {name} %}}"
    assert [each.kind for each in page.left] == ["liquid include"]


def test_a_tag_of_the_site_stays_and_is_named_with_its_line() -> None:
    page = Page()
    text = "a\n{% include b.html x=1 %}\n{{ post.url }}\n{% for a in b %}c{% endfor %}\n{{ site.deep }}"
    assert page.read(text) == text
    assert [(each.kind, each.place.line) for each in page.left] == [
        ("liquid include", 6),
        ("liquid output", 7),
        ("liquid for", 8),
        ("liquid output", 9),
    ]


@pytest.mark.parametrize(
    "text", ["{% link gone.md %}", "{% post_url gone %}", "{% raw %}open", "{% highlight x %}"]
)
def test_a_link_to_nothing_and_a_tag_without_an_end_stay(text: str) -> None:
    page = Page()
    assert page.read(text) == text
    assert page.left == [Remainder(page.left[0].kind, Place("a.md", 5), text.partition("open")[0])]


def test_a_link_to_a_page_in_code_stays_and_is_named() -> None:
    page = Page()
    assert page.read("{% highlight sh %}\n{% link docs/a b.md %}\n{% endhighlight %}") == (
        "```sh\n{% link docs/a b.md %}\n```"
    )
    assert page.left == [Remainder("liquid link", Place("a.md", 6), "{% link docs/a b.md %}")]


def test_a_figure_of_the_plugin_becomes_html_with_markdown_in_it() -> None:
    text = "{% figure caption:\"A *b*\" class:'wide' %}\n![a]({{ '/a.png' | relative_url }})\n{% endfigure %}"
    assert Page(has_figures=True).read(text) == (
        '<figure class="wide">\n\n![a](/base/a.png)\n\n<figcaption>\n\nA *b*\n\n</figcaption>\n</figure>'
    )
    assert Page().read(text).startswith("{% figure")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            '{% figure caption:"Its \\"best\\" side." %}\n![a](/a.png)\n{% endfigure %}',
            '![a](/a.png "Its \\"best\\" side.")',
        ),
        ("{% figure %}![a](/a.png){% endfigure %}", "![a](/a.png)"),
    ],
)
def test_a_picture_with_a_plain_caption_is_markdown_if_texts_are_sent_as_blocks(text: str, made: str) -> None:
    assert Page(has_figures=True, captions=True).read(text) == made
    rich = text.replace("side", "*side*").replace("figure %}!", 'figure class:"x" %}!', 1)
    assert Page(has_figures=True, captions=True).read(rich).startswith("<figure")


def test_many_tags_without_an_end_take_little_time() -> None:
    page = Page()
    text = "{% raw %}{% highlight x %}{{ {% " * 2_000
    assert page.read(text) == text


def kinds(text: str) -> list[tuple[str, int]]:
    """Give the kinds of what is not carried, with their lines."""
    return [(each.kind, each.place.line) for each in replaced(text, Place("a.md", 1))[1]]


@pytest.mark.parametrize(
    ("text", "made", "left"),
    [
        ("## Set up\n{: #install}\n", '## <a id="install"></a>Set up\n\n', []),
        ("## Set up\n{: #set-up .wide}\n", "## Set up\n\n", [("attribute list", 2)]),
        ("Text\n{: .notice}\n\nMore\n", "Text\n\n\nMore\n", [("attribute list", 2)]),
        (
            "[a](b){: .button} and *c*{:.x}\n",
            "[a](b) and *c*\n",
            [("attribute list", 1), ("attribute list", 1)],
        ),
        ("* TOC\n{:toc}\n\nText\n", "\n\nText\n", [("table of contents", 2)]),
        ("`{::nomarkdown} x` `f(){: .y}`\n", "`{::nomarkdown} x` `f(){: .y}`\n", []),
        ("{::nomarkdown}<b>x</b>{:/} y {::comment}no{:/}\n", "<b>x</b> y \n", []),
        ("{::comment}\nno\n{:/comment}\nyes\n{::comment}\n", "\n\n\nyes\n\n", []),
        ("```\n{: .kept}\n```\n`{: .kept}`\n", "```\n{: .kept}\n```\n`{: .kept}`\n", []),
    ],
)
def test_attributes(text: str, made: str, left: list[tuple[str, int]]) -> None:
    assert replaced(text, Place("a.md", 1))[0] == made
    assert kinds(text) == left


def test_what_markdown_has_no_form_for_is_named_with_its_line() -> None:
    text = (
        "*[HTML]: Hyper Text\n*[TT]: time\n\nI :heart: it :+1:.\n\n$$\nx^2\n$$\n\nAnd $$y$$.\n\n"
        "`:tada:` and\n\n```\n$$z$$\n```\n"
    )
    kinds = [
        ("abbreviation", 1, "*[HTML]:"),
        ("abbreviation", 2, "*[TT]:"),
        ("formula", 6, "$$\nx^2\n$$"),
        ("formula", 10, "$$y$$"),
    ]
    found = verbatim(text, Place("a.md", 1))
    assert [(each.kind, each.place.line, each.text) for each in found] == kinds


@pytest.mark.parametrize(
    "text",
    ["a $$ b\n\nc $$ d", "at 10:20:30", "std::move::x", "*[a](b)*: c", ":ref:`x`", "http://a:b:c/"],
)
def test_other_signs_are_not_named(text: str) -> None:
    assert verbatim(text, Place("a.md", 1)) == ()


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ('<div class="a" markdown="1">\n*x*\n</div>\nnext', '<div class="a">\n\n*x*\n\n</div>\n\nnext'),
        ('<p markdown="1" class="c">\n- [x](y.md)\n</p>', '<p class="c">- <a href="y.md">x</a></p>\n'),
        ('<div markdown><p markdown="span">*x*</p></div>', "<div>\n\n<p><em>x</em></p>\n\n</div>\n"),
        ('<aside markdown="block">\n<img src="a.png">\n*x*\n</aside>', None),
        ("<div>\n*x*\n</div>\n## Head", "<div>\n*x*\n</div>\n\n## Head"),
        ("<div>\n<div>\nx\n</div>\ny\n</div>\n<p>z</p>\n", None),
        ('<div markdown="0">*x*</div>', '<div markdown="0">*x*</div>'),
        ('`<p markdown="1">`\n\n```\n<p markdown="1">\n</p>\n```', None),
        ("a\n<b>\nc", None),
        ("说**专利。**你们 and **a:** b, `**a:**b`", "说<strong>专利。</strong>你们 and **a:** b, `**a:**b`"),
    ],
)
def test_markdown_stands_in_html_where_kramdown_reads_it(text: str, made: str | None) -> None:
    alone = '<aside>\n\n<img src="a.png"> *x*\n\n</aside>\n'
    assert opened(text) == (made or (alone if "aside" in text else text))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("<div>\n\n    x\n\n  \n    _y_\n</div>\nz", "<div>\n    x\n    _y_\n</div>\n\n\n\nz"),
        ("<div>\n<p>\n\nx\n</p>\n\n</div>", "<div>\n<p>\nx\n</p>\n</div>\n\n"),
        ('<div markdown="1">\n\nx\n\n</div>', None),
        ('<div>\n\n<p markdown="1">x</p>\n\n</div>', None),
        ("<div>\n\n{% highlight c %}\na\n\nb\n{% endhighlight %}\n</div>", None),
        ("<div>\n<pre>\na\n\nb</pre>\n</div>", None),
        ("<pre>\na\n\nb</pre>", None),
        ("a <b>b\n\nc</b>", None),
        ("    <div>\n\n    </div>", None),
        ("```\n<div>\n\n</div>\n```", None),
    ],
)
def test_html_that_ends_at_its_last_tag_has_no_blank_line(text: str, made: str | None) -> None:
    assert whole(text) == (made or text)
    assert whole(text).count("\n") == text.count("\n")


def test_many_elements_without_an_end_take_little_time() -> None:
    text = '<p markdown="1">' * 20_000
    assert opened(text) == text
    assert whole(f"{text}</x>") == f"{text}</x>"
    assert len(whole("<div>\n\n" * 20_000 + "</div>" * 20_000)) > 20_000
