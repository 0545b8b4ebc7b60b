"""Measure a plan beside Click and `git status`: with the cache, without, and after an edit of ten files.

Run it by hand: `python benchmarks/commands.py [FILES…]`. Each figure is the least CPU time (user and system)
of several rounds of a whole command, Git included, and its peak memory. The commands take turns, because on a
busy machine only ratios are reliable.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import trees

_ROUNDS = 7
_CLICK = (sys.executable, "-c", "import click")
_PLAN = (sys.executable, "-m", "pressync", "plan")
# A process of its own and small, for a child's memory counts from that of its parent.
_MEASURED = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]))
"""
_COMMANDS = {
    "click": _CLICK,
    "git status": ("git", "status", "--porcelain"),
    "--version": (sys.executable, "-m", "pressync", "--version"),
    "--help": (sys.executable, "-m", "pressync", "--help"),
    "plan, cached": _PLAN,
    "plan, no cache": _PLAN,
}


class Cost(NamedTuple):
    """Seconds of work, and bytes of memory at the most; of a command's children, the work alone."""

    work: float
    memory: int


def main() -> None:
    """Print a table for each number of files."""
    for count in map(int, sys.argv[1:] or ["1000", "10000"]):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "site")
            files = trees.make(root, count)
            trees.put_in_step(root)
            costs = {name: Cost(1e9, 0) for name in _COMMANDS}
            for _ in range(_ROUNDS):
                for name, command in _COMMANDS.items():
                    costs[name] = _least(costs[name], _cost(root, command, cached="no cache" not in name))
            for file in files[:: count // 10][:10]:
                file.write_text(file.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
            trees.git(root, "commit", "--quiet", "--all", "-m", "Ten edits")
            edited = Cost(1e9, 0)
            for _ in range(_ROUNDS):
                edited = _least(edited, _cost(root, _PLAN, cached=False))
            _show(count, {**costs, "plan, 10 edits": edited})


def _cost(root: Path, command: tuple[str, ...], *, cached: bool) -> Cost:
    for seen in () if cached else root.glob(".git/pressync/*.seen"):
        seen.unlink()
    measured = (sys.executable, "-S", "-c", _MEASURED, *command)
    # Modules are compiled once, as after an installation, whatever the environment here says.
    env = {**os.environ, "PYTHONPYCACHEPREFIX": str(root.parent / "compiled")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(measured, cwd=root, env=env, check=True, capture_output=True)
    return Cost(*json.loads(done.stdout))


def _least(one: Cost, other: Cost) -> Cost:
    return Cost(min(one.work, other.work), max(one.memory, other.memory))


def _show(count: int, costs: dict[str, Cost]) -> None:
    click, status = costs["click"], costs["git status"].work
    print(f"\n{count} files        ms    x click  x (click + git status)   MB over click")
    for name, cost in costs.items():
        more = (cost.memory - click.memory) / 2**20
        ratios = f"{cost.work / click.work:8.2f} {cost.work / (click.work + status):14.2f}"
        print(f"{name:15} {cost.work * 1000:7.1f} {ratios} {more:22.1f}", flush=True)


if __name__ == "__main__":
    main()
