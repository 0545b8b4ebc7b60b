"""Run the benchmarks, hold their ratios to those of the last release, and draw the curves.

`python benchmarks/run.py [--only NAME]… [--expect] [--plot FILE]`. Each benchmark writes ratios, ours over
the other's, so smaller is better. A ratio that is a quarter above `expected.json` is a regression: exit 1.
`--expect` writes what was measured as the new expectation. `wordpress` needs a site: PRESSYNC_BENCH_WORDPRESS
names its folder, and without it that benchmark is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import plot

_HERE = Path(__file__).parent
_EXPECTED = _HERE / "expected.json"
_NAMES = ("growth", "throughput", "peers", "wordpress")
_TOLERANCE = 1.25


def main() -> int:
    """Print a table: measured, wanted, expected. Give 1 if a ratio has become worse, else 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=_NAMES, help="run this one; may be repeated")
    parser.add_argument("--expect", action="store_true", help="write the ratios as the new expectation")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the curves of growth")
    given = parser.parse_args()
    ratios: dict[str, float] = {}
    limits: dict[str, float] = {}
    for name in given.only or _NAMES:
        found = _run(name)
        ratios |= {f"{name}: {ratio}": value for ratio, value in found.get("ratios", {}).items()}
        limits |= {f"{name}: {ratio}": value for ratio, value in found.get("limits", {}).items()}
        if given.plot and "points" in found:
            given.plot.write_text(plot.drawn(found["points"]), encoding="utf-8")
    expected = json.loads(_EXPECTED.read_text(encoding="utf-8")) if _EXPECTED.exists() else {}
    worse = _show(ratios, limits, expected)
    if given.expect:
        rounded = {name: round(ratio, 3) for name, ratio in sorted({**expected, **ratios}.items())}
        _EXPECTED.write_text(json.dumps(rounded, indent=2) + "\n", encoding="utf-8")
        return 0
    return 1 if worse else 0


def _run(name: str) -> dict[str, Any]:
    arguments: tuple[str, ...] = ()
    if name == "wordpress":
        home = os.environ.get("PRESSYNC_BENCH_WORDPRESS", "")
        if not home:
            print("wordpress is left out: PRESSYNC_BENCH_WORDPRESS is not set", file=sys.stderr)
            return {}
        arguments = (home,)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "results.json")
        script = str(_HERE / f"{name}.py")
        print(f"\n== {name}", flush=True)
        subprocess.run((sys.executable, script, *arguments, "--json", str(file)), check=True)
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return found


def _show(ratios: dict[str, float], limits: dict[str, float], expected: dict[str, float]) -> list[str]:
    """Print the table; give the names of the ratios that have become worse."""
    width = max(map(len, ratios), default=0)
    worse = []
    print(f"\n{'ratio':{width}}  measured  wanted  expected")
    for name, ratio in ratios.items():
        wanted = f"{limits[name]:.2f}" if name in limits else ""
        before = f"{expected[name]:.2f}" if name in expected else ""
        mark = ""
        if name in expected and ratio > expected[name] * _TOLERANCE:
            worse.append(name)
            mark = "  worse than expected"
        print(f"{name:{width}}  {ratio:8.2f}  {wanted:>6}  {before:>8}{mark}")
    return worse


if __name__ == "__main__":
    sys.exit(main())
