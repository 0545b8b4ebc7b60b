"""One page of the old site beside its record: what differs is named by its kind."""

from __future__ import annotations

import pytest

from pressync.app.redirects import CheckedAddress, Fate
from pressync.model.interface import BLOG_KIND, TREE_KIND
from pressync.stage.compare.old_addresses import OldAddresses
from pressync.stage.compare.page_comparison import PageComparison, compared
from pressync.stage.compare.page_text import page_text
from pressync.stage.rehearse.stage import RenderedPage, RenderedSite

NEW = "https://new.example"
ADDRESSES = OldAddresses(
    {
        "/x/": CheckedAddress("/x/", Fate.KEPT, f"{NEW}/x/"),
        "/b/": CheckedAddress("/b/", Fate.REDIRECTED, f"{NEW}/moved/b/"),
    },
    frozenset({"/files/a.pdf"}),
    "https://old.example",
    frozenset({"www.old.example"}),
)
SITE = RenderedSite(NEW, {}, {}, lambda *_: None, lambda _: False)


def beside(
    old: str, new: str, *, head: str = "", terms: tuple[str, ...] = (), date: str = ""
) -> PageComparison:
    page = page_text(
        f"<html><head><title>About | Site</title>{head}</head><body><main>{old}</main></body></html>"
    )
    assert page is not None
    record = RenderedPage(
        BLOG_KIND if date else TREE_KIND, 1, f"{NEW}/x/", new, "About", date=date, date_gmt=date, terms=terms
    )
    return compared("/x/", page, record, ADDRESSES, SITE)


def kinds(old: str, new: str) -> dict[str, tuple[str, str]]:
    return {str(each.kind): (each.old, each.new) for each in beside(old, new).differences}


SAME = {
    "the text is inside of more": ("<h1>About</h1><p>by me</p><p>One two.</p><p>end</p>", "<p>One two.</p>"),
    "markup differs": ("<div><p>One <b>two</b>.</p></div>", "<p>One <strong>two</strong>.</p>"),
    "a link is redirected": ('<a href="/b/">b</a>', f'<a href="{NEW}/moved/b/">b</a>'),
    "a relative link": ('<a href="../b/#p">b</a>', f'<a href="{NEW}/moved/b/#p">b</a>'),
    "an absolute link": ('<a href="https://old.example/b/">b</a>', f'<a href="{NEW}/moved/b/">b</a>'),
    "a link to another host of the site": (
        '<a href="http://www.old.example/b/">b</a>',
        f'<a href="{NEW}/moved/b/">b</a>',
    ),
    "a link to the old host in the record": ('<a href="/b">b</a>', '<a href="https://old.example/b/">b</a>'),
    "a style that shows capitals": ("<p>note</p><p>One two.</p>", "<p>Note</p><p>One two.</p>"),
    "a video": (
        "<p>a b</p><iframe></iframe><p>c</p>",
        '<p>a b</p><p><a href="https://youtu.be/x">https://youtu.be/x</a></p><p>c</p>',
    ),
    "a file": ('<a href="/files/a.pdf">f</a>', f'<a href="{NEW}/wp-content/uploads/a-1.pdf">f</a>'),
    "a link that was dead": ('<a href="/nowhere/">f</a>', '<a href="/else/">f</a>'),
    "two links in one word": (
        '<a href="/b/">b</a>、<a href="https://e.org/">x</a>',
        f'<a href="{NEW}/moved/b/">b</a>、<a href="https://e.org/">x</a>',
    ),
    "an anchor with another name": (
        '<h2 id="a_b">A b</h2><a href="#a_b">f</a>',
        '<h2 id="a-b">A b</h2><a href="#a-b">f</a>',
    ),
    "an address became a link": (
        "see (https://e.org/x).",
        'see (<a href="https://e.org/x">https://e.org/x</a>).',
    ),
}
OTHER = {
    "words": ("<p>One two three.</p>", "<p>One 2 three.</p>", ("two", "2")),
    "added": ("<p>One.</p>", "<p>One.</p><p>{{ tag }}</p>", ("", "{{ tag }}")),
    "code": ("<p>a</p><pre>x\n  y</pre>", "<p>a</p><pre>x\ny</pre>", ("x\n  y", "x\ny")),
    "pictures": (
        '<p>a</p><img src="b" alt="C"><p>d</p>',
        '<p>a</p><img src="b" alt="D"><p>d</p>',
        ("[picture: C]", "[picture: D]"),
    ),
    "headings": ("<h2>A b</h2><p>c</p>", "<p>A b</p><p>c</p>", ("h2: A b", "none: A b")),
    "tables": (
        "<table><tr><td>a</td><td>b</td></tr></table>",
        "<table><tr><td>a b</td></tr></table>",
        ("a | b: a b", "a b: a b"),
    ),
    "links": ('<a href="/b/">b c</a>', f'<a href="{NEW}/c/">b c</a>', ("/moved/b/: b c", "/c/: b c")),
    "order": ("<p>a</p><p>b</p><p>c</p>", "<p>b</p><p>c</p><p>a</p>", ("", "a")),
}


@pytest.mark.parametrize("why", SAME)
def test_a_page_says_the_same_although(why: str) -> None:
    assert kinds(*SAME[why]) == {}


@pytest.mark.parametrize("kind", OTHER)
def test_a_difference_has_its_kind(kind: str) -> None:
    old, new, sides = OTHER[kind]
    assert kinds(old, new) == {kind: sides}


def test_a_link_to_the_own_host_of_the_records_is_one_of_the_new_site() -> None:
    page = page_text('<body><main><a href="/b/">b</a></main></body>')
    assert page is not None
    record = RenderedPage(TREE_KIND, 1, f"{NEW}/x/", f'<a href="{NEW}/moved/b/">b</a>', "About")
    asked = RenderedSite("http://127.0.0.1:8127", {}, {}, lambda *_: None, lambda _: False)
    assert compared("/x/", page, record, ADDRESSES, asked).differences == []


def test_a_block_that_the_record_does_not_have_waits_for_the_other_pages() -> None:
    found = beside("<h1>About</h1><p>by me</p><p>One two.</p>", "<p>One two.</p>")
    assert [each.text for each in found.left] == ["by me"]
    assert found.differences == []


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("2024-05-31T22:00:00.000Z", "2024-06-01T00:00:00", True),
        ("2024-06-01T00:00:00-05:00", "2024-06-01T00:00:00", True),
        ("2024-05-31T00:00:00.000Z", "2024-06-01T00:00:00", False),
        ("2024-05-31T22:00:00.000Z", "2024-06-01T10:00:00", False),
    ],
)
def test_a_day_without_a_time_is_one_day_in_each_zone(old: str, new: str, *, is_same: bool) -> None:
    head = f'<meta itemprop="datePublished" content="{old}">'
    assert (beside("a", "a", head=head, date=new).differences == []) is is_same


def test_title_date_and_terms_are_compared_where_the_old_page_says_them() -> None:
    head = '<meta property="article:tag" content="linux,bsd">'
    head += '<meta itemprop="datePublished" content="2024-01-31">'
    assert beside("a", "a", head=head, terms=("Linux", "BSD"), date="2024-01-31T10:00:00").differences == []
    wrong = beside("a", "a", head=head, terms=("Unix",), date="2024-02-01T10:00:00").differences
    assert {str(each.kind): (each.old, each.new) for each in wrong} == {
        "date": ("2024-01-31", "2024-02-01T10:00:00"),
        "terms": ("linux, bsd", "Unix"),
    }
