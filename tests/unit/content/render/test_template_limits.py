"""A template may loop and call, but not for ever; and what counts its steps is not seen."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pressync.content.render import template_limits
from pressync.content.render.template_limits import EndlessError, Environment

LOOPS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
TWICE = "{% macro m(n) %}{{ m(n + 1) if n < 40 }}{{ m(n + 1) if n < 40 }}{% endmacro %}{{ m(0) }}"
INCLUDE = "{% if n < 40 %}{% with n = n + 1 %}{% include 'p' %}{% include 'p' %}{% endwith %}{% endif %}"


def filled(source: str, **values: object) -> str:
    environment = Environment(lambda name: (source, name, None))
    environment.begin()
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
        environment.begin()
        assert environment.get_template("p").render() == "01234"
    with pytest.raises(EndlessError, match="it takes more than 75 steps"):
        environment.get_template("p").render()


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
    ],
)
def test_the_steps_are_not_seen(source: str, shown: str) -> None:
    assert filled(source) == shown


def test_a_power_that_would_take_for_ever_is_refused() -> None:
    for source in ("{{ 9 ** (9 ** 9) }}", "{{ ((10 ** 1000) ** 1000) ** 1000 }}"):
        with pytest.raises(OverflowError, match="a power of more than 4096 bits is not computed"):
            filled(source)


# Each would take gigabytes or hours; a process that may have 400 MB must say so and end.
HOSTILE = [
    "{{ 'x' * 10**9 }}",
    "{{ 10**9 * 'x' }}",
    "{{ ([1] * 10**9)|length }}",
    "{{ ((1,) * 10**9)|length }}",
    "{{ 'x'|center(10**9) }}",
    "{{ 'x'.center(10**9) }}",
    "{{ 'x'.ljust(10**9) }}{{ 'x'.zfill(10**9) }}",
    "{{ ('\t' * 1000).expandtabs(10**8) }}",
    "{{ ('x\\n' * 10000)|indent(10**6) }}",
    "{{ ('x' * 100000)|replace('x', 'y' * 100000) }}",
    "{{ ('x' * 100000).replace('x', 'y' * 100000) }}",
    "{{ range(100000)|join('y' * 100000) }}",
    "{{ ('y' * 100000).join('x' * 100000) }}",
    "{{ '%1000000000d'|format(1) }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ '%*d' % (10**9, 1) }}",
    "{{ '{:1000000000}'.format(1) }}",
    "{{ '{:{}}'.format(1, 10**9) }}",
    "{{ '{a:{b}}'.format(a=1, b=10**9) }}",
    "{{ [1]|batch(10**9, 'x')|list }}",
    "{{ [1]|slice(10**9, 'x')|list }}",
    "{{ [['x']]|map('join')|map('center', 10**9)|list }}",
    "{{ (range(100000)|map('string')|map('center', 100000)|list)|length }}",
    "{% set n = namespace(s='x') %}{% for i in range(40) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
    "{% set n = namespace(s='x') %}{% for i in range(40) %}{% set n.s = n.s + n.s %}{% endfor %}",
    "{% set n = namespace(s=[1]) %}{% for i in range(40) %}{% set n.s = n.s + n.s %}{% endfor %}",
    "{% set n = namespace(s=[1]) %}{% for i in range(40) %}{% set n.s = [n.s, n.s] %}{% endfor %}{{ n.s }}",
    "{% set n = namespace(s=1) %}{% for i in range(40) %}{% set n.s = [n.s]*2 %}{% endfor %}{{ n.s|string }}",
    "{% set n = namespace(s=1) %}{% for i in range(40) %}{% set n.s = [n.s]*2 %}{% endfor %}{{ n.s|pprint }}",
    "{% set n = namespace(s=1) %}{% for i in range(40) %}{% set n.s = [n.s]*2 %}{% endfor %}{{ n.s|tojson }}",
    "{% set n = namespace(s=9) %}{% for i in range(99) %}{% set n.s = n.s * n.s %}{% endfor %}",
    "{% set s = 'x' * 10**6 %}{% for i in range(99999) %}{{ s }}{% endfor %}",
    "{% for i in range(99999) %}" + "x" * 10_000 + "{% endfor %}",
    "{% set s = 'x' * 10**6 %}{% for i in range(99999) %}{% set t = s[1:] %}{% endfor %}",
    "{% set s = range(99999)|list %}{% for i in range(99999) %}{% if -1 in s %}{% endif %}{% endfor %}",
    "{% set s = range(99999)|list %}{% for i in range(99999) %}{% if -1 is in s %}{% endif %}{% endfor %}",
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
resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
source = sys.stdin.read()
environment = Environment(lambda name: (source, name, None))
environment.begin()
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


@pytest.mark.parametrize(
    ("source", "shown"),
    [
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
def test_ordinary_filters_and_operators_do_what_they_do(source: str, shown: str) -> None:
    assert filled(source) == shown


def test_a_page_of_eight_megabytes_goes_through_three_templates() -> None:
    body = "word " * 1_600_000
    assert filled("{% set a %}{{ body }}{% endset %}{{ a }}", body=body) == body
