"""A template may loop and call, but not for ever; and what counts its steps is not seen."""

from __future__ import annotations

import pytest

from pressync.render import bounded
from pressync.render.bounded import EndlessError, Environment

LOOPS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
TWICE = "{% macro m(n) %}{{ m(n + 1) if n < 40 }}{{ m(n + 1) if n < 40 }}{% endmacro %}{{ m(0) }}"
INCLUDE = "{% if n < 40 %}{% with n = n + 1 %}{% include 'p' %}{% include 'p' %}{% endwith %}{% endif %}"


def filled(source: str, **values: object) -> str:
    environment = Environment(lambda name: (source, name, None))
    environment.begin()
    return environment.get_template("p").render(values)


@pytest.mark.parametrize("source", [LOOPS, TWICE, INCLUDE])
def test_what_would_not_end_is_ended(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "MOST_STEPS", 20_000)
    with pytest.raises(EndlessError):
        filled(source, n=0)


def test_each_page_has_all_steps_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "MOST_STEPS", 75)
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
