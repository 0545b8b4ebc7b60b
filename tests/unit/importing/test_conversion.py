"""An item becomes a file: front matter, and Markdown with links. What Markdown cannot express stays HTML."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.share import part

from pressync.content import markdown_text
from pressync.content.render import markdown
from pressync.content.render.markdown import to_html
from pressync.importing import conversion
from pressync.importing.conversion import Conversion, FinishedFile, as_html, as_markdown, front_matter
from pressync.importing.sources.item import Form, Item, Place, Remainder
from pressync.importing.sources.links import LinkTargets
from pressync.importing.sources.markdown import with_definitions
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.config.settings import MarkdownForms

ITEM = Item(
    "1",
    Kind.PAGE,
    Place("https://e.org/a/"),
    address="/a/",
    title="A",
    body="<p>See <a href='/a/#b'>b</a></p><iframe src='x'></iframe>",
    form=Form.HTML,
    fields={"featured_media": "https://e.org/a.png"},
)


def converted() -> FinishedFile:
    targets = LinkTargets("https://e.org", {"1": "content/pages/a.md"})
    targets.learn([ITEM])
    return Conversion("content", targets, {"1": 12}, None, captions=False).file(ITEM)


def test_a_definition_with_a_tag_in_it_leaves_the_definitions_below_it_alive() -> None:
    text = "[a] [b]\n\n[a]: /{{< version 1 >}}.md\n[b]: /b/\n\n```\n[c]: {{ x }}\nd\n```\n"
    assert 'href="/b/"' not in to_html(text)
    parted = with_definitions(text)
    assert 'href="/b/"' in to_html(parted)
    assert parted.replace("\n\n[b]", "\n[b]") == text


def test_a_file_has_front_matter_links_and_what_is_not_markdown() -> None:
    file = converted()
    assert file.data.decode() == (
        "---\ntitle: A\nparent: 12\n---\n\nSee [b](#b)\n\n<iframe src='x'></iframe>\n"
    )
    assert (file.path, file.kept, file.media) == ("content/pages/a.md", ("iframe",), ("https://e.org/a.png",))
    assert [each.kind for each in file.item.remainders] == ["featured picture without a file"]


PLACE = Place("x")


def head(item: Item, inner: str, **more: object) -> list[str]:
    given: dict[str, object] = {"parent": None, "now": "/about/", **more}
    return front_matter(item, inner, **given).splitlines()[1:-1]  # type: ignore[arg-type]


def test_everything_else_has_a_key() -> None:
    item = Item(
        "1",
        Kind.POST,
        PLACE,
        title="No",
        slug="мир",
        address="/2024/мир/",
        aliases=("/old/", "/2024/мир/"),
        date="2024-01-31T10:00:00+01:00",
        status="draft",
        author="anna",
        excerpt="Short",
        categories=("News/Local",),
        tags=("2024",),
        order=0,
        fields={"sticky": True},
    )
    assert head(item, "posts/mir.md") == [
        *("title: 'No'", "slug: мир", "date: 2024-01-31T10:00:00+01:00", "status: draft", "author: anna"),
        *("excerpt: Short", "categories: [News/Local]", "tags: ['2024']"),
        *("aliases: [/2024/мир/, /old/]", "sticky: true"),
    ]
    elsewhere = Item("1", Kind.PAGE, PLACE, title="T", date="soon")
    assert head(elsewhere, "docs/a.md", parent=0) == ["title: T", "type: page", "parent: 0"]
    named = Item("1", Kind.POST, PLACE, title="T", date="2024-01-31", slug="t")
    assert head(named, "posts/2024-01-31-t.md") == ["title: T"], "its name has its date"


DEEP = "<div>" * 500 + "x" + "</div>" * 500
GALLERY = """\
<!-- wp:gallery {"linkTo":"none"} -->
<figure class="wp-block-gallery"><!-- wp:image {"id":5} -->
<figure class="wp-block-image"><img src="/a.png" alt=""/></figure>
<!-- /wp:image --></figure>
<!-- /wp:gallery -->"""


HEADING = '<!-- wp:heading -->\n<h2 class="wp-block-heading">Setup</h2>\n<!-- /wp:heading -->\n\n'
PARAGRAPH = "<!-- wp:paragraph -->\n<p>{}</p>\n<!-- /wp:paragraph -->\n"


@pytest.mark.parametrize(
    ("text", "form", "markdown", "kept"),
    [
        (HEADING + PARAGRAPH.format("Hi <b>you</b>"), Form.BLOCKS, "## Setup\n\nHi **you**\n", ()),
        ("One\ntwo\n\n<!--more-->\n\nThree", Form.BLOCKS, "One\\\ntwo\n\n<!--more-->\n\nThree\n", ()),
        (PARAGRAPH.format("a") + GALLERY, Form.BLOCKS, f"a\n\n{GALLERY}\n", ("block gallery",)),
        ("<ul><li>a</li></ul><ul><li>b</li></ul>", Form.HTML, "- a\n\n<!-- -->\n\n- b\n", ()),
        (DEEP, Form.HTML, f"{DEEP}\n", ("body",)),
    ],
    ids=["blocks", "classic", "gallery", "two lists", "too deep"],
)
def test_a_text_becomes_markdown_or_stays_html(
    text: str, form: Form, markdown: str, kept: tuple[str, ...]
) -> None:
    body = as_markdown(as_html(text, form))
    assert (body.text, body.kept) == (markdown, kept)


def rendered(html: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Turn HTML into Markdown, and give each text that is rendered on the way."""
    texts: list[str] = []

    def counted(body: str, _forms: MarkdownForms) -> str:
        texts.append(body)
        return markdown.with_places(body)

    monkeypatch.setattr(conversion, "with_places", counted)
    as_markdown(html)
    return texts


@pytest.mark.sweep
def test_one_surprise_among_thousands_of_pieces_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    html = "<p>a</p>" * 1000 + "<p>[x]: y</p>" + "<p>b</p>" * 1000
    assert len(rendered(html, monkeypatch)) < 200
    body = as_markdown(html)
    assert body.kept == ()
    assert body.text.count("\n\n") == 2000
    assert len(rendered("<p>a <b>b</b></p>" * 1000, monkeypatch)) == 1


@pytest.mark.parametrize(
    "html",
    [
        *part(
            (
                *('<p a="' * 20_000, "<script " * 20_000, "<script>" * 20_000, "<!-- a " * 20_000),
                *("<p>[gallery </p>" * 6_000, "<h1>a</h1>" * 6_000, "<!--x-->y" * 20_000),
            ),
            9,
        ),
        "<table><thead><tr>"
        + "<th>x</th>" * 5000
        + "</tr></thead>"
        + "<tr><td>x</td></tr>" * 5000
        + "</table>",
        pytest.param(
            "<blockquote>" * 90 + "<pre><code>" + "x\n" * 200_000 + "</code></pre>" + "</blockquote>" * 90,
            marks=pytest.mark.sweep,
        ),
    ],
    ids=lambda html: html[:20],
)
def test_a_hostile_body_is_rendered_a_bounded_number_of_times_and_never_beyond_the_limits(
    monkeypatch: pytest.MonkeyPatch, html: str
) -> None:
    # Beyond the limits, comrak takes minutes or gigabytes.
    texts = rendered(html, monkeypatch)
    assert not any(markdown_text.excess("", text) for text in texts)
    assert len(texts) <= 2 * conversion.MOST_TRIED + conversion.MOST_PIECES // 50 + 3
    assert sum(map(len, texts)) < 20 * len(html) + 10_000_000


@pytest.mark.sweep
@pytest.mark.parametrize("number", [conversion.MOST_TAGS // 2 + 1, conversion.MOST_PIECES + 1])
def test_a_body_of_too_many_tags_or_pieces_stays(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    html = "<b>x</b>" * number if number > conversion.MOST_PIECES + 1 else "<hr>" * number
    assert rendered(html, monkeypatch) == []
    assert as_markdown(html).kept == ("body",)


def test_footnotes_of_another_renderer_leave_the_rest_of_a_text_as_markdown() -> None:
    """Ghost writes `fn1` in the place of `fn-1`."""
    html = (
        '<p>A <b>b</b><sup class="footnote-ref"><a href="#fn1" id="fnref1">[1]</a></sup></p>\n'
        '<section class="footnotes"><ol><li id="fn1" class="footnote-item"><p>C '
        '<a href="#fnref1" class="footnote-backref">↩︎</a></p></li></ol></section>'
    )
    assert as_markdown(html).text == "A **b**[^fn1]\n\n[^fn1]: C\n"


@pytest.mark.parametrize(
    ("name", "inside"),
    [
        (
            "table",
            (
                '<figure class="wp-block-table"><table><tbody><tr><td>a</td></tr></tbody></table>'
                '<figcaption class="wp-element-caption">Caption</figcaption></figure>'
            ),
        ),
        ("preformatted", '<pre class="wp-block-preformatted">one\n  two</pre>'),
        (
            "quote",
            (
                '<blockquote class="wp-block-quote"><!-- wp:paragraph -->\n<p>Q</p>\n'
                "<!-- /wp:paragraph --><cite>C</cite></blockquote>"
            ),
        ),
    ],
)
def test_a_block_that_its_element_alone_does_not_become_again_stays_a_block(name: str, inside: str) -> None:
    block = f"<!-- wp:{name} -->\n{inside}\n<!-- /wp:{name} -->"
    assert as_markdown(f"<p>One</p>\n\n{block}", captions=True).text == f"One\n\n{block}\n"
    assert "wp:" not in as_markdown(f"<p>One</p>\n\n{block}").text


def test_an_address_that_the_site_shows_as_a_player_is_not_escaped_and_a_link_stays_one() -> None:
    address = "https://youtu.be/a_b"
    both = f'<p>{address}</p>\n<p><a href="{address}">{address}</a></p>'
    assert as_markdown(both, embeds=True).text == f"{address}\n\n<{address}>\n"


@pytest.mark.parametrize("slug", ["..", ".", "a/../..", "-"])
def test_a_slug_that_is_not_a_name_is_not_written(slug: str) -> None:
    item = Item(key="1", kind=Kind.POST, place=Place("x"), title="T", slug=slug)
    assert head(item, "posts/t.md") == ["title: T"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('[tab title="A"]\n  one *two*\n    three\n[/tab]', 1),
        ("[Csv]\na,  b\n\nc\n[/csv]", 2),
        ("[note]\nplain *x*\n[/note]", 0),
        ("[a]\n  b", 0),
        ("[one] a  b\n\n[/one2]\n\n[x](y)", 0),
    ],
)
def test_a_shortcode_with_lines_of_blanks_stays_to_the_byte(text: str, kept: int) -> None:
    made = as_markdown(as_html(f"Before *x*\n\n{text}\n\nEnd  .", Form.BLOCKS))
    assert made.kept == ("p",) * kept
    lost = [line for line in text.split("\n") if line not in to_html(made.text)]
    assert lost == [] or not kept
    assert made.text.startswith("Before \\*x\\*\n\n")


def test_many_shortcodes_take_linear_time() -> None:
    for text in ("[a]" * 50_000, "[a] x  y [/b]" * 20_000, "".join(f"[a{n}][/b{n}]" for n in range(20_000))):
        assert as_markdown(f"<p>{text}</p>").text


def test_what_check_calls_shown_as_typed_the_account_names_too() -> None:
    body = "::: pkg.request\n\n{{< own >}}\n\ntext\n\n{{< /own >}}\n\n`{{< code >}}` and {{ x }}\n"
    own = Remainder("shortcode own", Place("a.md", 3), "{{< own >}}")
    item = Item(key="1", kind=Kind.PAGE, place=Place("a.md"), title="A", body=body, remainders=(own,))
    conversion = Conversion("content", LinkTargets("", {"1": "content/pages/a.md"}), {}, {}, captions=False)
    file = conversion.file(item)
    kinds = [each.kind.partition(" (")[0] for each in file.item.remainders]
    assert kinds == [
        "shortcode own",
        "shown as typed: a directive of Docusaurus, Astro or MkDocs",
        "shown as typed: a template tag",
    ]
    assert file.shows_tags
    titled = conversion.file(replace(item, body="> [!TIP] See [B](b.md) and **this**\n> x\n", remainders=()))
    assert titled.item.remainders == (), "the title of an alert is Markdown"
    html = conversion.file(replace(item, form=Form.HTML, body="<p>::: a</p>", remainders=()))
    assert html.item.remainders == (), "the old site shows the same"
