"""Links to the site itself, wherever it is served."""

from __future__ import annotations

import pytest

from pressync.server.own_links import to_paths

OWN = frozenset({"http://127.0.0.1:8127", "http://127.0.0.1:8128"})


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ('<a href="http://127.0.0.1:8127/a/#b">x</a>', '<a href="/a/#b">x</a>'),
        ("<a class=x href='http://127.0.0.1:8128/'>x</a>", "<a class=x href='/'>x</a>"),
        ('<a href="http://127.0.0.1:8127">x</a>', '<a href="/">x</a>'),
        ('<a href="http://127.0.0.1:8127?page_id=3">x</a>', '<a href="/?page_id=3">x</a>'),
        ("<IMG SRC=http://127.0.0.1:8127/a.png>", "<IMG SRC=/a.png>"),
        (
            '<img alt="a > b" srcset="http://127.0.0.1:8127/a.png 1x, http://127.0.0.1:8128/b.png 2x">',
            '<img alt="a > b" srcset="/a.png 1x, /b.png 2x">',
        ),
    ],
)
def test_a_link_to_an_own_address_becomes_a_path(stored: str, shown: str) -> None:
    assert to_paths(stored, OWN) == shown


def test_an_address_may_have_a_path() -> None:
    own = ("https://example.test", "https://example.test/blog")
    assert to_paths('<a href="https://example.test/blog/a/">x</a>', own) == '<a href="/a/">x</a>'
    assert to_paths('<a href="https://example.test/blogs/">x</a>', own) == '<a href="/blogs/">x</a>'


@pytest.mark.parametrize(
    "markup",
    [
        '<a href="http://127.0.0.1:81271/a/">another port</a>',
        '<a href="http://127.0.0.1:8127.example.test/">another host</a>',
        '<a href="https://web.example.test/http://127.0.0.1:8127/a/">inside another address</a>',
        "<p>http://127.0.0.1:8127/a/ as text</p>",
        '<code>&lt;a href="http://127.0.0.1:8127/"&gt;</code>',
        """<p title=' href="http://127.0.0.1:8127/"'>inside another attribute</p>""",
        '<a href="http://127.0.0.1:8127/',
        "<p>nothing</p>",
    ],
)
def test_nothing_else_changes(markup: str) -> None:
    assert to_paths(markup, OWN) == markup


def test_hostile_markup_costs_no_more_than_its_length() -> None:
    for piece in ('<a "', "<a '<a \"", '<a href="', "<a x=", '<a "<a" '):
        markup = f"http://127.0.0.1:8127{piece * 50_000}"
        assert to_paths(markup, OWN) == markup
