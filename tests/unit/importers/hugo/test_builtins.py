"""The shortcodes that come with Hugo become Markdown or HTML."""

from __future__ import annotations

import pytest

from pressync.content.render.markdown import to_html
from pressync.importers.hugo.builtins import Replacing
from pressync.importers.hugo.shortcodes import replaced
from pressync.importers.item import Place, Remainder


def replacing(**keywords: object) -> Replacing:
    """Know one page and one parameter."""
    known = {"docs/x.md": "/docs/x/"}
    return Replacing(
        "a.md",
        lambda path, _language: known.get(path, ""),
        {"version": "3.1"}.get,
        **keywords,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ('[X]({{< ref "docs/x.md" >}})', "[X](/docs/x/)"),
        ('[X]({{% relref path="docs/x.md" %}})', "[X](/docs/x/)"),
        ("v{{< param version >}}", "v3.1"),
        ('{{< figure src="/a.png" alt="An [a]" >}}', r"![An \[a\]](/a.png)"),
        ("{{< youtube w7Ft2ymGmfc >}}", "https://www.youtube.com/watch?v=w7Ft2ymGmfc"),
        ('{{< youtube id="w7Ft2ymGmfc" >}}', "https://www.youtube.com/watch?v=w7Ft2ymGmfc"),
        (
            '{{< x user="SanDiegoZoo" id="1453110110599868418" >}}',
            "https://x.com/SanDiegoZoo/status/1453110110599868418",
        ),
        ("{{< gist jmooring 50a7 >}}", "https://gist.github.com/jmooring/50a7"),
        ("{{< highlight go >}}\na()\n{{< /highlight >}}", "```go\na()\n```"),
        ("{{< highlight md >}}\n```\n{{< /highlight >}}", "````md\n```\n````"),
        ('{{< highlight go "hl_inline=true" >}}a`b{{< /highlight >}}', "``a`b``"),
        ("a{{% comment %}} no {{% /comment %}}b", "ab"),
        (
            '{{% alert title="Warning" color="warning" %}}\nMind **it**.\n{{% /alert %}}',
            "> [!WARNING]\n> Mind **it**.",
        ),
        ('{{< alert color="danger" >}}No{{< /alert >}}', "> [!CAUTION] Danger\n> No"),
        ("{{< tip >}}Yes{{< /tip >}}", "> [!TIP]\n> Yes"),
    ],
)
def test_a_shortcode_of_every_site_is_replaced(written: str, made: str) -> None:
    known = replacing()
    assert (replaced(written, 1, known), known.remainders) == (made, [])


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ('[X]({{< ref "docs/none.md" >}})', "shortcode ref"),
        ("{{< param none >}}", "shortcode param"),
        ("{{< cards >}}x{{< /cards >}}", "shortcode cards"),
        ("{{< youtube >}}", "shortcode youtube"),
        ("{{< gist only >}}", "shortcode gist"),
        ("{{< figure >}}", "shortcode figure"),
    ],
)
def test_all_others_stay_and_are_named_with_their_line(written: str, kind: str) -> None:
    known = replacing()
    assert replaced(f"\n{written}", 4, known) == f"\n{written}"
    (left,) = known.remainders
    assert (left.kind, left.place) == (kind, Place("a.md", 5))


def test_a_shortcode_that_the_site_has_a_template_for_is_its_own() -> None:
    known = replacing(own={"figure"})
    text = '{{< figure src="/a.png" >}}'
    assert replaced(text, 1, known) == text
    assert known.remainders == [Remainder("shortcode figure", Place("a.md", 1), text)]


def test_in_html_only_text_and_addresses_are_replaced() -> None:
    known = replacing(is_html=True)
    text = '<a href="{{< ref "docs/x.md" >}}">{{< param version >}}</a>{{< youtube w7Ft2ymGmfc >}}'
    assert replaced(text, 1, known) == '<a href="/docs/x/">3.1</a>{{< youtube w7Ft2ymGmfc >}}'
    assert [left.kind for left in known.remainders] == ["shortcode youtube"]


def test_a_figure_keeps_its_link_and_its_caption() -> None:
    words = 'title="T" caption="A *fine* day" attr="Me" attrlink="/me"'
    text = f'{{{{< figure src="/a.png" link="/b" class="w" {words} >}}}}'
    page = to_html(replaced(text, 1, replacing()))
    assert '<figure class="w">\n<a href="/b"><img src="/a.png"></a>\n<figcaption>' in page
    assert '<p>A <em>fine</em> day <a href="/me">Me</a></p>' in page
    assert ">T</h4>" in page
    assert page.rstrip().endswith("</figcaption>\n</figure>")


@pytest.mark.parametrize("code", ["ls", "   ls\n   "])
def test_code_in_an_item_of_a_list_stays_in_the_item(code: str) -> None:
    text = f"1. {{{{< highlight sh >}}}}\n{code}{{{{< /highlight >}}}}\n\nAfter *it*"
    page = to_html(replaced(text, 1, replacing()))
    assert '<li>\n<pre><code class="language-sh">ls\n</code></pre>\n</li>' in page
    assert "<p>After <em>it</em></p>" in page


def test_details_keep_markdown_inside() -> None:
    text = '{{< details summary="A & b" open=true >}}\n- one\n{{< /details >}}'
    page = to_html(replaced(text, 1, replacing()))
    assert "<details open>\n<summary>A &amp; b</summary>\n<ul>\n<li>one</li>" in page
