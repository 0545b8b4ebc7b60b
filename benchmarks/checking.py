"""Measure `pressync check` of pages with two and with twelve links each, beside Click and `git status`.

Run it by hand: `python benchmarks/checking.py [PAGES] [--before PYTHON]`. PYTHON is that of an environment
with an earlier version, which takes turns with this one. A first check has no cache. The second one reads the
cache, without an edit and after an edit of one page. Each figure is the least work of several rounds.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import measure
import trees

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROUNDS = 5
_COLD = ("env", "--unset=HOME", "--unset=XDG_CACHE_HOME")
_EDIT = ("sh", "-c", 'echo words >> "$0"; exec "$@"')


def main() -> None:
    """Print a table for each tree."""
    count = int(sys.argv[1]) if sys.argv[1:] and sys.argv[1].isdigit() else 10_000
    pythons = {"now": sys.executable}
    if "--before" in sys.argv:
        pythons = {"before": sys.argv[sys.argv.index("--before") + 1], **pythons}
    for links in (2, 12):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "site")
            files = trees.make(root, count)
            _link(root, files, links)
            _show(f"{count} pages with {links} links", _costs(root, files[1], pythons))


def _link(root: Path, files: list[Path], links: int) -> None:
    """Add links to other pages to each file, the same every time."""
    chance, pages = random.Random(links), root / "content/pages"  # noqa: S311 - not for secrets
    for file in files:
        targets = (chance.choice(files).relative_to(pages) for _ in range(links))
        lines = "".join(f"\nSee [this page](../{target}).\n" for target in targets)
        file.write_text(file.read_text(encoding="utf-8") + lines, encoding="utf-8")
    trees.git(root, "commit", "--quiet", "--all", "--amend", "-m", "All pages")


def _costs(root: Path, page: Path, pythons: Mapping[str, str]) -> dict[str, float]:
    """Measure the seconds of work of each command; the commands of each version take turns."""
    works: dict[str, list[float]] = {}
    for _ in range(_ROUNDS):
        for name, command in (("import click", measure.CLICK), ("git status", measure.GIT_STATUS)):
            works.setdefault(name, []).append(measure.cost(root, command).work)
        for name, python in pythons.items():
            check: tuple[str, ...] = (python, "-m", "pressync", "check")
            # Each version has a cache of its own, and the first run of each round fills it.
            environ = {"XDG_CACHE_HOME": f"{root.parent}/{name}"}
            measure.cost(root, check, environ=environ)
            edit = (*_EDIT, str(page), *check)
            commands = {"first": (*_COLD, *check), "second": check, "one edit": edit}
            for kind, arguments in commands.items():
                work = measure.cost(root, arguments, environ=environ).work
                works.setdefault(f"{kind}, {name}", []).append(work)
    return {name: min(found) for name, found in works.items()}


def _show(title: str, costs: Mapping[str, float]) -> None:
    floor = costs["import click"] + costs["git status"]
    print(f"\n{title:36}   ms   x (click + git status)")
    for name, cost in costs.items():
        print(f"{name:32} {cost * 1e3:8.0f} {cost / floor:12.2f}", flush=True)


if __name__ == "__main__":
    main()
