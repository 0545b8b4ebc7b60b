"""The tags of Liquid that every Jekyll has become Markdown; the others stay and are named with their line."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from pressync.importers.item import Place, Remainder
from pressync.importers.jekyll.liquid import LiquidText


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
            site={"title": "Site", "deep": {"x": 1}},
            page={"title": "Page"},
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
        ("{%- highlight -%}\n```\n{%- endhighlight -%}", "````\n```\n````"),
        ("{% raw %}{{ kept }} {% kept %}{% endraw %}", "{{ kept }} {% kept %}"),
        ("a{% comment %}{% include x %}{% endcomment %}b", "ab"),
        ("[a]({% link docs/a b.md %}#c)", "[a](import:docs/a%20b.md#c)"),
        ("[a]({{ site.baseurl }}{% post_url 2024-01-01-x %})", "[a](import:_posts/2024-01-01-x.md)"),
        ("[a]({{ '/b/' | relative_url }})", "[a](/base/b/)"),
        ('![a]({{ "img/a.png" | absolute_url }})', "![a](/base/img/a.png)"),
        ('[a]({{ "/b" | prepend: site.baseurl }})', "[a](/base/b)"),
        ("[a]({{ site.url }}{{ site.baseurl }}/b/)", "[a](/base/b/)"),
        ("{{ site.title }}, {{ page.title }}", "Site, Page"),
        ("no tags: { % } {}", "no tags: { % } {}"),
    ],
)
def test_what_every_jekyll_has_is_replaced(text: str, made: str) -> None:
    page = Page()
    assert page.read(text) == made
    assert page.left == []


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


def test_a_plain_caption_has_no_paragraph_of_its_own() -> None:
    text = '{% figure caption:"Me & you" %}\n![a](/a.png)\n{% endfigure %}'
    assert (
        Page(has_figures=True).read(text).endswith("\n\n<figcaption>\n\nMe & you\n\n</figcaption>\n</figure>")
    )
    plain = Page(has_figures=True).read(text.replace(" & ", " and "))
    assert plain.endswith("\n\n<figcaption>Me and you</figcaption>\n</figure>")


def test_many_tags_without_an_end_take_little_time() -> None:
    page = Page()
    text = "{% raw %}{% highlight x %}{{ {% " * 2_000
    assert page.read(text) == text
