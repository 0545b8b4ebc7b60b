"""Measure a rehearsal of new documents beside their sync to the embedded service: seconds, work and memory.

Run it by hand: `python benchmarks/rehearsing.py [DOCUMENTS]`. A rehearsal builds the same plan and sends the
same calls, and then checks every link. It may take twice as long. The commands take turns, because on a busy
machine only ratios are reliable.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import trees

# Seconds, seconds of work, and KiB of memory.
_Cost = tuple[float, float, float]

_ROUNDS = 3
# A process of its own and small, for a child's memory counts from that of its parent.
_MEASURED = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""
_COMMANDS = {"sync": ("sync", "--yes"), "rehearse": ("rehearse", "--format", "json")}


def main() -> None:
    """Print the least figures of each command, and their ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "site")
        trees.make(root, count)
        best: dict[str, _Cost] = dict.fromkeys(_COMMANDS, (1e9, 1e9, 1e9))
        for _ in range(_ROUNDS):
            for name, words in _COMMANDS.items():
                best[name] = _least(best[name], _cost(root, words))
    for name, (seconds, work, memory) in best.items():
        print(f"{name:9} {seconds:6.1f} s  {work:6.1f} s of work  {memory / 1024:5.0f} MiB")
    ratios = [rehearsed / synced for rehearsed, synced in zip(best["rehearse"], best["sync"], strict=True)]
    print(f"ratio     {ratios[0]:6.2f}    {ratios[1]:6.2f}            {ratios[2]:5.2f}")


def _least(one: _Cost, other: _Cost) -> _Cost:
    return min(one[0], other[0]), min(one[1], other[1]), min(one[2], other[2])


def _cost(root: Path, words: tuple[str, ...]) -> _Cost:
    """Run a command on a new site; give its seconds, its work and its memory."""
    for left in (root / ".git" / "pressync", root / ".pressync"):
        shutil.rmtree(left, ignore_errors=True)
    command = (sys.executable, "-m", "pressync", "-C", str(root), *words)
    begun = time.perf_counter()
    printed = subprocess.run(
        (sys.executable, "-c", _MEASURED, *command), check=True, capture_output=True, text=True
    ).stdout
    work, memory = json.loads(printed)
    return time.perf_counter() - begun, work, memory


if __name__ == "__main__":
    main()
