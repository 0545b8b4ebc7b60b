"""Shortcodes are found by their tags, wherever they are."""

from __future__ import annotations

import pytest

from pressync.content.render.markdown import to_html
from pressync.importing.sources.hugo_shortcodes import Replacing, Tag, replaced
from pressync.importing.sources.item import Place


def shown(tag: Tag, inner: str | None) -> str | None:
    """Show a tag and its content; leave those called `own`."""
    if tag.name == "own":
        return None
    given = ",".join((*tag.given, *(f"{key}={value}" for key, value in tag.named.items())))
    return f"({tag.name} {given}{'' if inner is None else f': {inner}'})"


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("a {{< b >}} c", "a (b ) c"),
        ('{{<b x="a \\"q\\"" y=`raw "s"` z=3>}}', '(b x=a "q",y=raw "s",z=3)'),
        ("{{< b >}}in{{< /b >}}", "(b : in)"),
        ("{{< b >}}{{% c %}}x{{% /c %}}{{</b>}}", "(b : (c : x))"),
        ("{{< b >}}1{{< b />}}2{{< /b >}}", "(b : 1(b )2)"),
        ("{{< b >}}{{< c >}}{{< /b >}}", "(b : (c ))"),
        ("{{</* b x */>}} {{%/* c */%}}", "{{< b x >}} {{% c %}}"),
        ("{{< own 1 >}}{{< b >}}{{< /own >}}", "{{< own 1 >}}(b ){{< /own >}}"),
        ("{{< a/b.html\n  x=1\n>}}", "(a/b.html x=1)"),
        ('{{< b "unclosed >}}', '{{< b "unclosed >}}'),
        ("`{{< b >}}`", "`(b )`"),
    ],
)
def test_each_tag_is_replaced(written: str, made: str) -> None:
    assert replaced(written, 1, shown) == made


@pytest.mark.parametrize(
    ("written", "made"),
    [
        (
            '{{<tabpane lang="sh">}}{{<tab "A">}}\n  x *y*\n{{</tab>}}{{<tab "B">}}z{{</tab>}}{{</tabpane>}}',
            "**A**\n\n```sh\nx *y*\n```\n\n**B**\n\n```sh\nz\n```",
        ),
        (
            '{{< tabpane text=true >}}{{% tab "A" %}}\nx *y*\n{{% /tab %}}{{< /tabpane >}}',
            "**A**\n\nx *y*",
        ),
        ('{{< tabs "id" >}}{{% tab "A" %}}\nx\n{{% /tab %}}{{< /tabs >}}', "**A**\n\nx"),
        ('{{< tab "A" >}}x{{< /tab >}}', '{{< tab "A" >}}x{{< /tab >}}'),
    ],
    ids=["code of Docsy", "text of Docsy", "hugo-book", "a tab without tabs"],
)
def test_a_tab_is_its_label_above_its_text(written: str, made: str) -> None:
    replacing = Replacing("a.md", lambda _path, _language: "", lambda _name: None)
    assert replaced(written, 1, replacing).strip("\n") == made


def test_a_replacement_of_several_lines_keeps_the_indentation_of_its_tag() -> None:
    assert replaced("- a\n\n  {{< b >}}\n", 1, lambda _tag, _inner: "x\ny") == "- a\n\n  x\n  y\n"


@pytest.mark.sweep
@pytest.mark.parametrize("text", ["{{< a ", '{{<a "', '{{<a "\\', "{{</* "])
def test_thousands_of_tags_that_never_end_are_text(text: str) -> None:
    # Read to the end for each tag, this takes minutes.
    assert replaced(text * 50_000, 1, shown) == text * 50_000
    assert replaced("{{< b >}}" * 5_000, 1, lambda _tag, _inner: ".") == "." * 5_000


def replacing(**keywords: object) -> Replacing:
    known = {"docs/x.md": "/docs/x/"}
    return Replacing(
        "a.md",
        lambda path, _language: known.get(path, ""),
        {"version": "3.1"}.get,
        origin="https://old.test",
        **keywords,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ('[X]({{< ref "docs/x.md" >}})', "[X](https://old.test/docs/x/)"),
        ('[X]({{< relref "docs/x.md" >}})', "[X](/docs/x/)"),
        ("v{{< param version >}}", "v3.1"),
        ('{{< figure src="/a.png" alt="An [a]" >}}', r"![An \[a\]](/a.png)"),
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
            "> [!WARNING]\n> Mind **it**.\n",
        ),
        ('{{< alert color="danger" >}}No{{< /alert >}}', "> [!CAUTION] Danger\n> No\n"),
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
        ("{{< figure >}}", "shortcode figure"),
    ],
)
def test_all_others_stay_and_are_named_with_their_line(written: str, kind: str) -> None:
    known = replacing()
    assert replaced(f"\n{written}", 4, known) == f"\n{written}"
    (left,) = known.remainders
    assert (left.kind, left.place) == (kind, Place("a.md", 5))


def test_in_html_only_text_and_addresses_are_replaced() -> None:
    known = replacing(is_html=True)
    text = '<a href="{{< ref "docs/x.md" >}}">{{< param version >}}</a>{{< youtube w7Ft2ymGmfc >}}'
    assert replaced(text, 1, known) == '<a href="https://old.test/docs/x/">3.1</a>{{< youtube w7Ft2ymGmfc >}}'
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
