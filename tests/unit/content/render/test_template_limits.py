"""A template may loop and call, but not for ever; and what counts its steps is not seen."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from typing import Any

import pytest
from jinja2 import TemplateSyntaxError

from pressync.content.render import template_limits
from pressync.content.render.template_limits import (
    CHARACTERS,
    EndlessError,
    Environment,
    made_by_function,
    made_by_operator,
    size,
)
from pressync.content.render.templates import references
from pressync.model.bounds import MIB

LOOPS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
TWICE = "{% macro m(n) %}{{ m(n + 1) if n < 40 }}{{ m(n + 1) if n < 40 }}{% endmacro %}{{ m(0) }}"
INCLUDE = "{% if n < 40 %}{% with n = n + 1 %}{% include 'p' %}{% include 'p' %}{% endwith %}{% endif %}"
HUGE = 10**9


def filled(source: str, **values: object) -> str:
    environment = Environment(lambda name: (source, name, None))
    environment.begin(0)
    return environment.get_template("p").render(values)


@pytest.mark.parametrize("source", [LOOPS, TWICE, INCLUDE])
def test_what_would_not_end_is_ended(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template_limits, "MOST_STEPS", 20_000)
    with pytest.raises(EndlessError):
        filled(source, n=0)


def test_each_page_has_all_steps_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template_limits, "MOST_STEPS", 75)
    environment = Environment(lambda name: ("{% for a in range(5) %}{{ a }}{% endfor %}", name, None))
    for _ in range(3):
        environment.begin(0)
        assert environment.get_template("p").render() == "01234"
    with pytest.raises(EndlessError, match="it takes more than 75 steps"):
        environment.get_template("p").render()


@pytest.mark.parametrize(
    "source",
    [
        "{% for a in range(10000) %}{{ content }}{% endfor %}",
        "{% for a in range(10000) %}{% set kept %}{{ content }}{% endset %}{% endfor %}",
        "{% macro m() %}{{ content }}{% endmacro %}{% for a in range(10000) %}{{ m() }}{% endfor %}",
        "{% for a in range(10000) %}" + "x" * 1000 + "{{ content }}{% endfor %}",
    ],
)
def test_the_text_of_a_page_counts_each_time_that_it_is_inserted(source: str) -> None:
    environment = Environment(lambda name: (source, name, None))
    environment.begin(MIB)
    with pytest.raises(EndlessError, match=r"^it makes more than 20 MiB of this page$"):
        environment.get_template("p").render(content="x" * MIB)
    environment.begin(MIB)
    page = "{{ content }}{{ content }}{% macro m() %}{{ content }}{% endmacro %}{{ m() }}"
    assert len(environment.from_string(page).render(content="x" * MIB)) == 3 * MIB


@pytest.mark.sweep
def test_too_many_tags_and_endless_powers_are_refused() -> None:
    with pytest.raises(TemplateSyntaxError, match="more than 20,000 names, signs and texts") as refused:
        filled("{{ content }}\n" * 7_000, content="")
    assert refused.value.lineno == 5001
    assert references("{% include name %}" * 7_000) is None
    assert filled("{{ content }}\n" * 3_000, content="x") == "x\n" * 2_999 + "x"
    for source in ("{{ 9 ** (9 ** 9) }}", "{{ ((10 ** 1000) ** 1000) ** 1000 }}"):
        with pytest.raises(OverflowError, match="a power of more than 4096 bits is not computed"):
            filled(source)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("{% for a in 'ab' if a != 'a' %}\n{{ a }}\n{% else %}none{% endfor %}", "b\n"),
        ("{% for a in '' -%} x {%- else -%} none {%- endfor %}", "none"),
        (
            "{% for a in 'ab' %}{{ loop.index }}/{{ loop.length }}{{ ' ' if not loop.last }}{% endfor %}",
            "1/2 2/2",
        ),
        ("{% for a in [1, [2, [3]]] recursive %}{{ loop(a) if a is iterable else a }}{% endfor %}", "123"),
        ("{{ 'for' }}{# for #}{% raw %}{% for %}{% endraw %}{% set for_ = 1 %}{{ for_ }}", "for{% for %}1"),
        ("{{ 2 ** 10 }} {{ 2.5 ** 2 }} {{ 2 ** -1 }}", "1024 6.25 0.5"),
        (
            "{{ 'x' * 3 }}{{ [1] * 2 }}{{ 3 * 4 }}{{ 7 % 4 }}{{ '%3d' % 5 }}{{ '%s-%s'|format(1, 2) }}",
            "xxx[1, 1]123  51-2",
        ),
        (
            "{{ 'a' ~ 1 ~ 'b' }}{{ 'abc'[1:] }}{{ [1, 2][::-1] }}{{ 2 in [1, 2] }}{{ 1 < 2 < 3 }}",
            "a1bbc[2, 1]TrueTrue",
        ),
        (
            "{{ 'x'|center(5) }}|{{ [1, 2, 3]|batch(2)|list }}|{{ 'ab'|map('upper')|join(',') }}",
            "  x  |[[1, 2], [3]]|A,B",
        ),
        (
            "{{ '{:>3}'.format(2024000000) }}{{ 'a,b'.split(',') }}{{ '<b>' ~ 'x' }}",
            "2024000000[&#39;a&#39;, &#39;b&#39;]&lt;b&gt;x",
        ),
        (
            "{{ 2024000000|filesizeformat }} {{ 1.256|round(1) }} {{ [3, 1]|sort }} {{ 'a' is in 'ab' }}",
            "2.0 GB 1.3 [1, 3] True",
        ),
    ],
)
def test_the_steps_are_not_seen(source: str, shown: str) -> None:
    assert filled(source) == shown


# Each would take gigabytes or hours; a process that may have 400 MB must say so and end.
HOSTILE = [
    "{{ 'x' * 10**9 }}",
    "{{ 10**9 * 'x' }}",
    "{{ ([1] * 10**9)|length }}",
    "{{ 'x'|center(10**9) }}",
    "{{ 'x'.ljust(10**9) }}{{ 'x'.zfill(10**9) }}",
    "{{ ('\t' * 1000).expandtabs(10**8) }}",
    "{{ ('x\\n' * 10000)|indent(10**6) }}",
    "{{ ('x' * 100000)|replace('x', 'y' * 100000) }}",
    "{{ ('x' * 100000).replace('x', 'y' * 100000) }}",
    "{{ range(100000)|join('y' * 100000) }}",
    "{{ ('y' * 100000).join('x' * 100000) }}",
    "{{ '%1000000000d'|format(1) }}",
    "{{ '%*d' % (10**9, 1) }}",
    "{{ '{:1000000000}'.format(1) }}",
    "{{ '{:{}}'.format(1, 10**9) }}",
    "{{ [1]|batch(10**9, 'x')|list }}",
    "{{ [1]|slice(10**9, 'x')|list }}",
    "{{ [['x']]|map('join')|map('center', 10**9)|list }}",
    "{{ (range(100000)|map('string')|map('center', 100000)|list)|length }}",
    "{% set n = namespace(s='x') %}{% for i in range(40) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
    "{% set n = namespace(s='x') %}{% for i in range(40) %}{% set n.s = n.s + n.s %}{% endfor %}",
    "{% set n = namespace(s=[1]) %}{% for i in range(40) %}{% set n.s = n.s + n.s %}{% endfor %}",
    "{% set n = namespace(s=1) %}{% for i in range(40) %}{% set n.s = [n.s]*2 %}{% endfor %}{{ n.s|string }}",
    "{% set n = namespace(s=9) %}{% for i in range(99) %}{% set n.s = n.s * n.s %}{% endfor %}",
    "{% set s = 'x' * 10**6 %}{% for i in range(99999) %}{{ s }}{% endfor %}",
    "{% for i in range(99999) %}" + "x" * 10_000 + "{% endfor %}",
    "{% set s = 'x' * 10**6 %}{% for i in range(99999) %}{% set t = s[1:] %}{% endfor %}",
    "{% set s = range(99999)|list %}{% for i in range(99999) %}{% if -1 in s %}{% endif %}{% endfor %}",
    "{{ lipsum(10**6) }}",
    "{{ 1.5|round(10**8, 'ceil') }}",
    "{{ 1 .to_bytes(10**10, 'big')|length }}",
    "{{ ([['x'] * 1000] * 100)|sum(start=[])|length }}",
    "{{ [1]|tojson(indent=10**9) }}",
    "{{ ('x ' * 100000)|wordwrap(1, wrapstring='y' * 100000) }}",
]

_FILL = """
import resource, sys
from pressync.content.render.template_limits import EndlessError, Environment
from pressync.content.render.templates import references
from pressync.model.bounds import MIB
resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
source = sys.stdin.read()
environment = Environment(lambda name: (source, name, None))
environment.begin(0)
try:
    environment.get_template("p").render()
except (EndlessError, OverflowError) as error:
    print("refused")
"""


# A process for each takes a second, so the ordinary run tries every fifth, and the sweeps try all.
@pytest.mark.parametrize(
    "source",
    [pytest.param(one, marks=[] if n % 5 == 0 else [pytest.mark.sweep]) for n, one in enumerate(HOSTILE)],
)
def test_what_would_fill_the_memory_is_refused_before(source: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FILL], input=source, capture_output=True, text=True, check=False
    )
    assert done.stdout == "refused\n", done.stderr


def test_a_value_counts_by_its_length_or_its_items() -> None:
    assert sum(size("x" * 10 * CHARACTERS)) == 10
    assert sum(size([1, 2, 3])) == sum(size({1, 2, 3})) == 4
    assert sum(size({"a": ["b", "c"]})) == 5
    endless: list[object] = []
    endless.append(endless)
    assert sum(islice(size(endless), 1000)) == 1000


@pytest.mark.parametrize(
    ("operator", "left", "right"),
    [("*", "x", HUGE), ("*", HUGE, "x"), ("*", [0], HUGE), ("%", f"%{HUGE}d", 1), ("%", "%*d", (HUGE, 1))],
)
def test_an_operator_with_a_huge_result_has_a_huge_cost(operator: str, left: Any, right: Any) -> None:  # noqa: ANN401
    assert made_by_operator(operator, left, right) >= HUGE // CHARACTERS


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("center", ("x", HUGE)),
        ("format", (f"{{:{HUGE}}}", 1)),
        ("indent", ("x\n" * 10, HUGE)),
        ("replace", ("x" * 10**6, "x", "y" * 10**6)),
        ("lipsum", ("", HUGE)),
        ("sum", ([["x"] * 10**4] * 10**4, [])),
    ],
)
def test_a_function_with_a_huge_result_has_a_huge_cost(name: str, given: tuple[Any, ...]) -> None:
    assert made_by_function(name, given, {}) >= HUGE // CHARACTERS
    assert made_by_function("center", ("x", float("nan")), {}) == 0
