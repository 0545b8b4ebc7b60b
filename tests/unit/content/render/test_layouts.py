"""Which template a document uses, and what goes into a page of it: read without Jinja2 where it is plain."""

from __future__ import annotations

import pytest
from msgspec import structs

from pressync.content.render import layouts as module
from pressync.content.render.layouts import Layouts, sources_below
from pressync.content.render.templates import references
from pressync.model.bounds import TEMPLATE, FileBound, UnreadSource
from pressync.model.interface import Kind
from pressync.model.records import Document


def document(*, kind: Kind = Kind.PAGE, layout: str | None = None) -> Document:
    return Document("content/pages/about.md", "", kind, {}, "", 1, layout=layout)


def layouts(**sources: str) -> Layouts:
    """Make layouts; `page="…"` is the source of page.html."""
    return Layouts({f"{name}.html": source for name, source in sources.items()})


@pytest.mark.parametrize(
    ("names", "kind", "chosen"),
    [
        (("page", "post", "default"), Kind.PAGE, "page.html"),
        (("page", "post", "default"), Kind.POST, "post.html"),
        (("page", "default"), Kind.POST, "default.html"),
        (("page", "other"), Kind.POST, ""),
    ],
)
def test_without_a_layout_it_is_its_kinds_or_the_default(
    names: tuple[str, ...], kind: Kind, chosen: str
) -> None:
    assert layouts(**dict.fromkeys(names, "")).of(document(kind=kind)) == chosen


@pytest.mark.parametrize(
    ("layout", "chosen"),
    [("wide", "wide.html"), ("wide.html", "wide.html"), ("news/feed.xml", "news/feed.xml"), ("", "")],
)
def test_a_named_layout_is_taken_at_its_word(layout: str, chosen: str) -> None:
    assert layouts(page="", default="").of(document(layout=layout)) == chosen


def test_the_sources_of_a_template_are_its_own_and_those_that_it_pulls_in() -> None:
    site = layouts(
        base="{% import 'macros.html' as m %}",
        macros="x",
        foot="y",
        other="z",
        page="{% extends 'base.html' %}{% include ['gone.html', 'foot.html'] %}",
    )
    assert sorted(site.sources_of("page.html")) == ["base.html", "foot.html", "macros.html", "page.html"]


def named(layout: str, *, line: int = 2) -> Document:
    return structs.replace(document(layout=layout), layout_line=line)


def test_a_layout_of_another_tool_is_a_warning_and_does_not_count() -> None:
    site = layouts(page="", base="")
    assert site.filled(named("archive")) == "page.html"
    assert str(site.foreign(named("archive"))) == (
        "content/pages/about.md:2: there is not a template for its layout 'archive'; "
        "it is left out; the templates are base.html, page.html"
    )
    assert str(layouts().foreign(named("post"))) == (
        "content/pages/about.md:2: its layout belongs to another tool; "
        "it is left out; there are no templates here"
    )


@pytest.mark.parametrize(
    "asked",
    [named("pages"), named("page"), named(""), named("archive", line=0), document(layout=None)],
    ids=["a near miss", "a template that exists", "none", "a default of the settings", "not named"],
)
def test_any_other_layout_is_ours(asked: Document) -> None:
    site = layouts(page="", base="")
    assert site.foreign(asked) is None
    assert site.filled(asked) == site.of(asked)


@pytest.mark.parametrize(
    "source",
    [
        "{% include page.sidebar %}",
        "{% include 'a' ~ page.kind %}",
        "{% extends 'a.html' if page.wide else page.base %}",
        "{% include",
        "{% include page.sidebar",
    ],
)
def test_the_sources_of_a_template_that_cannot_be_followed_are_all(source: str) -> None:
    assert sorted(layouts(page=source, other="x").sources_of("page.html")) == ["other.html", "page.html"]


@pytest.mark.parametrize(
    "source",
    [
        "{% extends 'a.html' %}",
        '{%- extends "a.html" -%}',
        "{%+include 'a.html'%}",
        "{% import 'a.html' as m with context %}",
        "{% from\n'a.html' import b, c as d %}",
        "{% from 'a.html'import b%}{% include \"b.html\" %}",
        "{% include 'a.html' if true else 'b.html' %}",
        "{% if from %}{{ include }}{% endif %} extends",
    ],
)
def test_what_is_read_off_is_what_jinja_finds(source: str) -> None:
    names = dict.fromkeys(("a", "b", "c"), "")
    found = set(layouts(page=source, **names).sources_of("page.html")) - {"page.html"}
    named = references(source)
    assert found == ({"a.html", "b.html", "c.html"} if named is None else set(named))


def test_a_file_too_large_or_too_many_is_no_source(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"a": b"small", "b": b"x" * (TEMPLATE.most + 1), "c": b"small"}

    def read(_path: str, blob: str, bound: FileBound = TEMPLATE, /) -> bytes:
        bound.check(len(texts[blob]))
        return texts[blob]

    files = {"t/page.html": "a", "t/picture.png": "b", "t/post.html": "c", "content/a.md": "b"}
    found = sources_below("t", files, read)
    assert found["page.html"] == found["post.html"] == "small"
    assert isinstance(found["picture.png"], UnreadSource)
    assert found["picture.png"] == "the file has 1.0 MiB, and a template has at most 1 MiB"
    monkeypatch.setattr(module, "_TOGETHER", 6)
    assert isinstance(sources_below("t", files, read)["post.html"], UnreadSource)
