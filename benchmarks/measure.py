"""What the benchmarks share: the work and the memory of one command, and the ratios that a run found.

Work is the CPU time of a command and of its children, Git included. It is the least of several rounds,
because on a busy machine only the least is the command's own; and only ratios of one run are compared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROUNDS = 5
CLICK = (sys.executable, "-c", "import click")
GIT_STATUS = ("git", "status", "--porcelain")
PLAN = (sys.executable, "-m", "pressync", "plan")

# A process of its own and small, for a child's memory counts from that of its parent.
_MEASURED = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
if done.returncode:
    sys.exit(done.stderr.decode())
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]))
"""


class Cost(NamedTuple):
    """Seconds of work, and bytes of memory at the most; of a command's children, the work alone."""

    work: float
    memory: int


NEVER = Cost(1e9, 1 << 60)
NOTHING: Mapping[str, float] = MappingProxyType({})


def cost(root: Path, command: tuple[str, ...], *, environ: Mapping[str, str] | None = None) -> Cost:
    """Run a command once in a folder. Raises CalledProcessError, after printing what it said."""
    measured = (sys.executable, "-S", "-c", _MEASURED, *command)
    # Installed programs are compiled once; a run that compiles them again would measure the compiler.
    variables = {**os.environ, **(environ or {})}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        measured, cwd=root, check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=variables
    )
    return Cost(*json.loads(done.stdout))


def least(one: Cost, other: Cost) -> Cost:
    """Give the least work and the least memory of two runs."""
    return Cost(min(one.work, other.work), min(one.memory, other.memory))


def without_cache(root: Path) -> None:
    """Forget what earlier plans of this clone found."""
    for seen in root.glob(".git/pressync/*.seen"):
        seen.unlink()


def report(
    ratios: Mapping[str, float],
    limits: Mapping[str, float],
    points: Sequence[Mapping[str, object]] = (),
    before: Mapping[str, float] = NOTHING,
) -> None:
    """Write the ratios, the limits of some of them, and points to draw, into the file of `--json FILE`.

    `before` has the ratios of an earlier version that took turns with this one.
    """
    if "--json" in sys.argv:
        file = Path(sys.argv[sys.argv.index("--json") + 1])
        found = {"ratios": ratios, "limits": limits, "before": dict(before), "points": [*points]}
        file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
