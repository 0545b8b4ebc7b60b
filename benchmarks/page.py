"""Write the ratios of a run into the tables of a page, `benchmarks/README.md`.

The page has one table below each heading that is named here. The words around the tables are written by
people, and stay. A benchmark that was left out keeps its table.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HEADINGS = {
    "growth": "How it grows",
    "throughput": "Beside bare requests",
    "site": "On WordPress",
    "wordpress": "Beside WordPress's own loop",
    "fleet": "A fleet",
    "service": "The embedded service",
    "peers": "Beside other tools",
}
_OF_PEERS = "plan of nothing / "


def filled(text: str, results: Mapping[str, Mapping[str, Any]]) -> str:
    """Give the page with the tables of these results.

    :raises ValueError: the page has no table below a heading.
    """
    for name, found in results.items():
        if not found.get("ratios"):
            continue
        heading = _HEADINGS[name]
        rows = [*(_tools(found) if name == "peers" else _ratios(found))]
        table = re.compile(rf"(^## {re.escape(heading)}\n(?:(?!## ).*\n)*?)((?:\|.*\n)+)", re.MULTILINE)
        text, count = table.subn(lambda match, rows=rows: match[1] + "".join(rows), text)  # type: ignore[misc]
        if count != 1:
            raise ValueError(f"the page has {count} tables below {heading}")
    return text


def _ratios(found: Mapping[str, Any]) -> Iterator[str]:
    before = found.get("before", {})
    yield _row("Ratio", *(["Before"] if before else []), "Now", "Wanted")
    yield _row("---", *(["---:"] if before else []), "---:", "---:")
    for name, ratio in found["ratios"].items():
        limit = found["limits"].get(name)
        wanted = f"at most {limit:.2f}" if limit else ""
        yield _row(name, *([_number(before.get(name))] if before else []), _number(ratio), wanted)


def _tools(found: Mapping[str, Any]) -> Iterator[str]:
    yield _row("Tool", "Work, over that of `pressync plan`")
    yield _row("---", "---:")
    for name, ratio in found["ratios"].items():
        yield _row(name.removeprefix(_OF_PEERS), _number(1 / ratio))


def _number(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"
