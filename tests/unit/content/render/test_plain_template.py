"""A template that only inserts values gives the same bytes without Jinja2 as with it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pressync.content.render.plain_template import PlainTemplate
from pressync.content.render.templates import Templates
from pressync.model.bounds import MIB, UnreadSource
from pressync.model.interface import Kind
from pressync.model.records import Document

_PIECES = (
    *("{{ content }}", "{{title}}", "{{\n slug\t}}", "{{ kind }}", "{{ path }}"),
    *("<p>", "a\n", "\n", " ", "{", "}", "}}", "%}", "#", "\u2028", "\r\n", "{#", "{{", "{%", "{{ page.x }}"),
)
_TEXTS = st.text("<&>\"'{}%# \n\r\u00e4", max_size=20)


def document(title: object = "About <us>", slug: str = "about") -> Document:
    fields = {"title": title, "slug": slug}
    return Document("content/pages/a&b.md", "0" * 40, Kind.PAGE, fields, body="", body_line=1)  # type: ignore[arg-type]  # a title of any type


@given(st.lists(st.sampled_from(_PIECES), max_size=12), _TEXTS, _TEXTS)
@example(["{", "{{ content }}"], "", "")
@example(["{{ content }}", "}"], "", "<p>Hi</p>\n\n")
@example(["{{ title }}", "\n", "{{ content }}"], "R&D 'x' \"y\"", "{{ title }}")
def test_both_ways_give_the_same_page(pieces: list[str], title: str, body: str) -> None:
    source = "".join(pieces)
    if template := PlainTemplate.of(source):
        page = Templates({"page.html": source}, "templates").fill("page.html", document(title, title), body)
        assert template.fill(document(title, title), body) == page


def test_values_between_texts_need_no_jinja() -> None:
    template = PlainTemplate.of("<h1>{{title}}</h1>\n{{ content }} {{ kind }}: {{ path }}, {{ slug }}\n")
    assert template
    assert template.fill(document(), "<p>Hi</p>\n") == (
        "<h1>About &lt;us&gt;</h1>\n<p>Hi</p>\n page: content/pages/a&amp;b.md, about\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        *("{{ page.x }}", "{{ content | safe }}", "{{- content }}", "{{ missing }}", "{% if x %}{% endif %}"),
        *("{# a #}", "{{{ content }}", "a\r\n{{ content }}", "{{ title }}" * 101, UnreadSource("too large")),
    ],
)
def test_jinja_reads_what_is_more_than_values(source: str) -> None:
    assert PlainTemplate.of(source) is None


def test_jinja_judges_a_page_that_is_long_or_a_value_that_is_no_text() -> None:
    template = PlainTemplate.of("{{ title }}{{ content }}")
    assert template
    assert template.fill(document(), "x" * (MIB + 1)) is None
    assert template.fill(document(title=7), "x") is None
