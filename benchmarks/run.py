"""Run the benchmarks, hold their ratios to those of the last release, and draw the curves.

`python benchmarks/run.py [--only NAME]… [--before PYTHON] [--expect] [--plot FILE] [--page FILE]`. Each
benchmark writes ratios, ours over the other's, so smaller is better. A ratio that is a quarter above
`expected.json` is a regression: exit 1. `--expect` writes what was measured as the new expectation, `--page`
into the tables of a page, `README.md` here. PYTHON is that of an environment with an earlier version.
`wordpress` and `site` need a site: PRESSYNC_BENCH_WORDPRESS names its folder. Without it they are left out.
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

import page
import plot

_HERE = Path(__file__).parent
_EXPECTED = _HERE / "expected.json"
_NAMES = ("growth", "throughput", "fleet", "peers", "service", "wordpress", "site")
# These measure the site that PRESSYNC_URL, PRESSYNC_USER and PRESSYNC_PASSWORD name.
_OF_A_SITE = ("wordpress", "site")
# These measure an earlier version in turns with this one.
_WITH_BEFORE = ("growth", "service")
_TOLERANCE, _ABSOLUTE = 1.25, "/ 1 ms"


def main() -> int:
    """Print a table: measured, wanted, expected. Give 1 if a ratio has become worse, else 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=_NAMES, help="run this one; may be repeated")
    parser.add_argument("--expect", action="store_true", help="write the ratios as the new expectation")
    parser.add_argument("--before", metavar="PYTHON", help="measure the version of this Python too")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the tables into this page")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the curves of growth")
    given = parser.parse_args()
    ratios: dict[str, float] = {}
    limits: dict[str, float] = {}
    results: dict[str, Any] = {}
    for name in given.only or _NAMES:
        found = results[name] = _run(name, given.before)
        ratios |= {f"{name}: {ratio}": value for ratio, value in found.get("ratios", {}).items()}
        limits |= {f"{name}: {ratio}": value for ratio, value in found.get("limits", {}).items()}
        if given.plot and found.get("points"):
            given.plot.write_text(plot.drawn(found["points"]), encoding="utf-8")
    expected = json.loads(_EXPECTED.read_text(encoding="utf-8")) if _EXPECTED.exists() else {}
    worse = _show(ratios, limits, expected)
    if given.page:
        given.page.write_text(page.filled(given.page.read_text(encoding="utf-8"), results), encoding="utf-8")
    if given.expect:
        rounded = {name: float(f"{ratio:.3g}") for name, ratio in sorted({**expected, **ratios}.items())}
        _EXPECTED.write_text(json.dumps(rounded, indent=2) + "\n", encoding="utf-8")
        return 0
    return 1 if worse else 0


def _run(name: str, before: str | None) -> dict[str, Any]:
    arguments: tuple[str, ...] = ("--before", before) if before and name in _WITH_BEFORE else ()
    environ = dict(os.environ)
    if name in _OF_A_SITE:
        home = os.environ.get("PRESSYNC_BENCH_WORDPRESS", "")
        if not home:
            print(f"{name} is left out: PRESSYNC_BENCH_WORDPRESS is not set", file=sys.stderr)
            return {}
        arguments = (home,) if name == "wordpress" else ()
    else:
        environ = {key: value for key, value in environ.items() if not key.startswith("PRESSYNC_")}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "results.json")
        script = str(_HERE / ("throughput.py" if name == "site" else f"{name}.py"))
        print(f"\n== {name}", flush=True)
        subprocess.run((sys.executable, script, *arguments, "--json", str(file)), check=True, env=environ)
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
        # Milliseconds are those of a machine, and only ratios are the same on another one.
        if name in expected and not name.endswith(_ABSOLUTE) and ratio > expected[name] * _TOLERANCE:
            worse.append(name)
            mark = "  worse than expected"
        print(f"{name:{width}}  {ratio:8.2f}  {wanted:>6}  {before:>8}{mark}")
    return worse


if __name__ == "__main__":
    sys.exit(main())
