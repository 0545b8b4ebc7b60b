"""Templates: which one a document uses, what it sees, and how its faults are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from pressync.content.render.templates import Templates
from pressync.model.errors import Problem
from pressync.model.interface import Kind
from pressync.model.records import Document, Fields

if TYPE_CHECKING:
    from collections.abc import Mapping


def document(
    *,
    kind: Kind = Kind.PAGE,
    layout: str | None = None,
    fields: Fields | None = None,
    extra: Mapping[str, object] | None = None,
) -> Document:
    return Document(
        path="content/pages/about.md",
        blob="0" * 40,
        kind=kind,
        fields={"title": "About <us>", "slug": "about"} if fields is None else fields,
        body="",
        body_line=1,
        layout=layout,
        extra=extra or {},
    )


def templates(**sources: str) -> Templates:
    """Make templates; `page="…"` is the source of page.html."""
    return Templates({f"{name}.html": source for name, source in sources.items()}, "templates")


def filled(source: str, *, extra: Mapping[str, object] | None = None, body: str = "<p>Hi</p>\n") -> str:
    page = templates(page=source).fill("page.html", document(extra=extra), body)
    assert isinstance(page, str), page
    return page


def fault(source: str, **others: str) -> str:
    problem = templates(page=source, **others).fill("page.html", document(), "<p>Hi</p>\n")
    assert isinstance(problem, Problem), problem
    assert not problem.warning
    return str(problem)


def test_a_layout_that_does_not_exist_is_told_with_the_document() -> None:
    problem = templates().fill("wide.html", structs.replace(document(layout="wide"), layout_line=2), "")
    assert str(problem) == (
        "content/pages/about.md:2: its layout is `wide`, and there is no templates/wide.html; "
        "add that template, or name another layout"
    )
    problem = templates(reference="").fill("referense.html", document(layout="referense"), "")
    assert str(problem).endswith("there is no templates/referense.html; did you mean `reference.html`?")


@pytest.mark.parametrize(
    ("source", "page"),
    [
        (
            "<h1>{{ title }}</h1>\n{{ content }}",
            "<h1>About &lt;us&gt;</h1>\n<p>Hi {{ title }} {% raw %}</p>\n",
        ),
        (
            "{{ kind }} {{ path }} {{ fields.slug }} {{ page.slug }}",
            "page content/pages/about.md about about\n",
        ),
        ("{{ page.get('x', '-') }}{{ page.x | default('-') }}{% if page.x is defined %}!{% endif %}", "--\n"),
        ("{% for name in page.team %}{{ name }},{% endfor %}{{ page.menu.main.title }}", "a,b,M\n"),
        ("x\n\n  \n", "x\n"),
        ("{% if false %}x{% endif %}\n\n", ""),
    ],
)
def test_a_template_gets_the_body_as_html_and_the_rest_as_text(source: str, page: str) -> None:
    extra = {"team": ["a", "b"], "menu": {"main": {"title": "M"}}}
    assert filled(source, extra=extra, body="<p>Hi {{ title }} {% raw %}</p>\n") == page


def test_templates_can_build_on_each_other() -> None:
    site = templates(
        base="<main>{% block main %}{% endblock %}</main>{% include 'foot.html' %}",
        foot="<hr>",
        page="{% extends 'base.html' %}{% block main %}{{ content }}{% endblock %}",
    )
    assert site.fill("page.html", document(), "<p>Hi</p>") == "<main><p>Hi</p></main><hr>\n"


def test_a_fault_is_told_at_the_line_of_the_deepest_template() -> None:
    message = fault("x\n{% include 'foot.html' %}", foot="\n\n{{ page.missing }}")
    assert message.startswith("templates/foot.html:3: 'dict object' has no attribute 'missing'")
    assert fault("{% include 'foot.html' %}", foot="\n{% if %}").startswith(
        "templates/foot.html:2: Expected an expression, got 'end of statement block'"
    )
    assert fault("\n{% endif %}").startswith("templates/page.html:2: Encountered unknown tag 'endif'")
    assert fault("\n{% include 'foot.html' %}").startswith(
        "templates/page.html:2: there is no template `foot.html` (rendering content/pages/about.md); "
    )


@pytest.mark.parametrize(
    "source",
    [
        "{{ title.__class__ }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ page.update({'x': 1}) }}",
        "{{ '{0.__class__}'.format(title) }}",
        "{{ fields.clear() }}",
    ],
)
def test_the_sandbox_refuses_what_is_no_data(source: str) -> None:
    assert "unsafe" in fault(source) or "not safely callable" in fault(source)


@pytest.mark.parametrize("name", ["/etc/passwd", "../pyproject.toml", "templates/page.html"])
def test_a_template_reads_no_files(name: str) -> None:
    assert "there is no template" in fault("{% include '" + name + "' %}")


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("{{ 1 / 0 }}", "ZeroDivisionError: division by zero"),
        ("{{ title + 1 }}", "TypeError: "),
        ("{{ range(10 ** 9) | list }}", "OverflowError: Range too big"),
        (
            "{% set ns = range(99999) %}{% for a in ns %}{% for b in ns %}{% endfor %}{% endfor %}",
            "it takes more than",
        ),
        ("{% include 'page.html' %}", "it is nested too deeply, or includes itself without end"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "it is nested too deeply, or"),
    ],
)
def test_whatever_a_template_raises_is_a_problem_with_its_place(source: str, what: str) -> None:
    assert fault(source).startswith(f"templates/page.html:1: {what}")


DEEP = ["{{ " + "(" * 20_000 + " }}", "{% for x in title %}" * 60 + "{% endfor %}" * 60]


@pytest.mark.parametrize("source", DEEP)
def test_a_template_that_is_nested_beyond_reason_is_a_problem(source: str) -> None:
    assert "it is nested too deeply" in fault(source)
