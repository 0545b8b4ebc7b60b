"""Draw the work and the memory of each command over the number of files, as SVG for light and dark.

`python benchmarks/plot.py RESULTS.json PLOT.svg`. RESULTS has the points of `growth.py --json`. Both axes are
logarithmic, so a power of the number of files is a straight line. The legend has the exponent of each line
between its two largest trees: 1.0 means in proportion, 0 means that the size does not matter.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Curves = Mapping[str, Sequence[tuple[float, float]]]

_WIDTH, _HEIGHT = 360, 260
_LEFT, _TOP, _RIGHT, _BOTTOM = 56, 34, 16, 36
_COLOURS = (("#0b62b0", "#6cb2f0"), ("#a8480a", "#f0a06c"), ("#1d7a35", "#76c98b"), ("#8a2a7b", "#dd8ccf"))
_COUNTS = {100: "100", 1_000: "1k", 10_000: "10k", 100_000: "100k", 1_000_000: "1M"}


_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12"
 role="img" aria-label="Seconds of work and megabytes of memory over the number of files">
<style>
svg{{--ink:#222;--grid:#ddd;background:#fff}} text{{fill:var(--ink)}} .grid{{stroke:var(--grid)}}
.line{{fill:none;stroke:var(--c);stroke-width:2}} .dot{{fill:var(--c)}}
{light}
@media(prefers-color-scheme:dark){{svg{{--ink:#ddd;--grid:#444;background:#161616}}{dark}}}
</style>"""


class _Axis(NamedTuple):
    """The decades that an axis shows, and the pixels of its ends."""

    least: float
    most: float
    begin: float
    end: float

    def at(self, value: float) -> float:
        share = (math.log10(value) - self.least) / (self.most - self.least)
        return round(self.begin + share * (self.end - self.begin), 1)


def main() -> None:
    """Write the plot of a file of results."""
    points = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["points"]
    Path(sys.argv[2]).write_text(drawn(points), encoding="utf-8")


def drawn(points: Sequence[Mapping[str, float | str]]) -> str:
    """Give the SVG of both panels, with a legend below."""
    work, memory = _curves(points, "work"), _curves(points, "memory")
    names = list(work)
    height = _HEIGHT + 20 * len(names) + 16
    light, dark = (
        "".join(f".c{place}{{--c:{pair[shade]}}}" for place, pair in enumerate(_COLOURS)) for shade in (0, 1)
    )
    parts = [
        _HEAD.format(width=2 * _WIDTH, height=height, light=light, dark=dark),
        *_panel(work, "seconds of work", 0, names),
        *_panel({name: _in_mb(curve) for name, curve in memory.items()}, "MB of memory", _WIDTH, names),
    ]
    for place, name in enumerate(names):
        y = _HEIGHT + 12 + 20 * place
        exponents = f"work n^{_exponent(work[name]):.2f}, memory n^{_exponent(memory[name]):.2f}"
        parts.append(f'<g class="c{place}"><path class="line" d="M{_LEFT} {y}h24"/></g>')
        parts.append(f'<text x="{_LEFT + 32}" y="{y + 4}">{escape(name)} ({exponents})</text>')
    return "\n".join([*parts, "</svg>\n"])


def _curves(
    points: Sequence[Mapping[str, float | str]], measure: str
) -> dict[str, list[tuple[float, float]]]:
    found = defaultdict(list)
    for point in points:
        found[str(point["command"])].append((float(point["files"]), float(point[measure])))
    return {name: sorted(curve) for name, curve in found.items()}


def _in_mb(curve: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(files, size / 2**20) for files, size in curve]


def _panel(curves: Curves, title: str, left: float, names: Sequence[str]) -> Iterator[str]:
    values = [value for curve in curves.values() for _, value in curve]
    counts = [files for curve in curves.values() for files, _ in curve]
    across = _Axis(
        math.log10(min(counts)), math.log10(max(counts)), left + _LEFT, left + _WIDTH - _RIGHT - 10
    )
    up = _Axis(
        math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))), _HEIGHT - _BOTTOM, _TOP
    )
    yield f'<text x="{left + _LEFT}" y="18" font-weight="600">{title}</text>'
    for decade in range(int(up.least), int(up.most) + 1):
        y = up.at(10**decade)
        yield f'<path class="grid" d="M{across.begin} {y}H{across.end}"/>'
        yield f'<text x="{across.begin - 6}" y="{y + 4}" text-anchor="end">{10**decade:g}</text>'
    for files in sorted(set(counts)):
        x = across.at(files)
        label = _COUNTS.get(int(files), f"{files:g}")
        yield f'<text x="{x}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{label}</text>'
    for place, name in enumerate(names):
        dots = [(across.at(files), up.at(value)) for files, value in curves[name]]
        line = "L".join(f"{x} {y}" for x, y in dots)
        circles = "".join(f'<circle class="dot" cx="{x}" cy="{y}" r="3"/>' for x, y in dots)
        yield f'<g class="c{place}"><path class="line" d="M{line}"/>{circles}</g>'


def _exponent(curve: Sequence[tuple[float, float]]) -> float:
    """Give the exponent between the two largest trees."""
    (few, less), (many, more) = curve[-2:]
    return math.log(more / less) / math.log(many / few)


if __name__ == "__main__":
    main()
