"""Measure how the cost of a plan, of a sync and of a manifest grows with the number of files.

`python benchmarks/growth.py [--before PYTHON] [--json FILE] [FILES…]`. PYTHON is that of an environment with
an earlier version, which takes turns with this one. FILES are 100, 1,000, 10,000 and 100,000. A million is
measured only if it is named, for a plan with nothing to do, in a repository whose files are not checked out.
All figures are ratios of one run: work to Click and `git status`, one size to another, memory to a limit.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import trees
from measure import CLICK, GIT_STATUS, NEVER, ROUNDS, cost, least, report, without_cache

from pressync.state import atomic_files
from pressync.state.manifest import codec
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from measure import Cost

_SIZES = (100, 1_000, 10_000, 100_000)
_MILLION = 1_000_000
# The part of a plan with edits that is Git's own: the list of files, and the look for uncommitted ones.
_GIT_LIST = ("git", "ls-tree", "-r", "-z", "--full-tree", "HEAD")
_PLAN = ("-m", "pressync", "plan")
_SYNCED = 2_000
_MB, _KB = 1_000_000, 1_000
_LIMITS = {
    "plan, no cache, 10k / click and git status": 1.5,
    "plan, no cache, 100k / click and git status": 2.0,
    "ten edits in 10k / in 100": 1.5,
    "ten edits in 100k / in 100": 1.5,
    "memory over click of a plan, no cache, 100k / 40 MB": 1.0,
    "memory over click of a plan, no cache, 1M / 40 MB": 1.0,
    "memory of a sync / 60 MB and 2 kB a record": 1.0,
    "saving a manifest of 100k / writing its bytes": 2.0,
}
_SERVE = """
import sys, time
from pathlib import Path
from pressync.stage.server.server import running
with running(Path(sys.argv[1])) as service:
    print(service.url, flush=True)
    time.sleep(3600)
"""


class _Run:
    """The figures of one run, of each version that takes part."""

    def __init__(self, versions: dict[str, str]) -> None:
        self.versions = versions
        self.ratios: dict[str, dict[str, float]] = {}
        self.points: list[dict[str, object]] = []
        self._edits: dict[tuple[str, int], float] = {}

    def note(self, name: str, version: str, ratio: float) -> None:
        """Remember a ratio, and print it with its limit."""
        self.ratios.setdefault(name, {})[version] = ratio
        limit = f"   limit {_LIMITS[name]:.1f}" if name in _LIMITS else ""
        print(f"{name:55} {version:7} {ratio:7.2f}{limit}", flush=True)

    def plans(self, root: Path, count: int, files: list[Path]) -> None:
        """Measure a plan with nothing to do and without its cache, then one after ten edits."""
        costs = self._rounds(root, {"click": CLICK, "status": GIT_STATUS})
        click, status = costs["click"], costs["status"]
        for version in self.versions:
            plan = costs[version]
            self._point("plan, nothing to do", version, count, plan.work, plan.memory)
            base = click.work + (status.work if files else 0)
            if files:
                self.note(
                    f"plan, no cache, {_short(count)} / click and git status", version, plan.work / base
                )
            over = (plan.memory - click.memory) / (40 * _MB)
            self.note(f"memory over click of a plan, no cache, {_short(count)} / 40 MB", version, over)
        if not files:
            return
        for file in trees.edited(files):
            file.write_text(file.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
        trees.git(root, "commit", "--quiet", "--all", "-m", "Ten edits")
        costs = self._rounds(root, {"list": _GIT_LIST, "status": GIT_STATUS})
        for version in self.versions:
            plan = costs[version]
            own = plan.work - costs["list"].work - costs["status"].work
            self._point("plan, ten edits", version, count, plan.work, plan.memory)
            self._edits[version, count] = own
            if (first := self._edits.get((version, 100))) and count > 100:  # noqa: PLR2004 - the smallest
                self.note(f"ten edits in {_short(count)} / in 100", version, own / first)

    def _point(self, command: str, version: str, count: int, work: float, memory: int) -> None:
        name = command if version == "now" else f"{command}, {version}"
        self.points.append({"command": name, "files": count, "work": work, "memory": memory})

    def _rounds(self, root: Path, commands: dict[str, tuple[str, ...]]) -> dict[str, Cost]:
        every = {**commands, **{name: (python, *_PLAN) for name, python in self.versions.items()}}
        costs = dict.fromkeys(every, NEVER)
        for _ in range(ROUNDS):
            for name, command in every.items():
                without_cache(root)
                costs[name] = least(costs[name], cost(root, command))
        return costs

    def sync(self, folder: Path) -> None:
        """Measure the memory of a sync of new pages to an embedded service in another process."""
        for version, python in self.versions.items():
            root = folder / f"sync-{version}"
            trees.make(root, _SYNCED)
            command = (sys.executable, "-c", _SERVE, str(folder / f"{version}.db"))
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
                url = server.stdout.readline().strip() if server.stdout else ""
                try:
                    sync = (python, "-m", "pressync", "sync", "--yes", "--concurrency", "8")
                    used = cost(root, sync, environ={"PRESSYNC_URL": url})
                finally:
                    server.kill()
            allowed = 60 * _MB + 2 * _KB * _SYNCED
            self.note("memory of a sync / 60 MB and 2 kB a record", version, used.memory / allowed)


def main() -> None:
    """Measure every size, and print each ratio with its limit."""
    arguments = sys.argv[1:]
    before = arguments[arguments.index("--before") + 1] if "--before" in arguments else ""
    sizes = [int(word) for word in arguments if word.isdecimal()] or [*_SIZES]
    run = _Run({**({"before": before} if before else {}), "now": sys.executable})
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/compiled"
        for count in sizes:
            root = Path(folder, f"site-{count}")
            if count >= _MILLION:
                trees.make_without_files(root, count)
                run.plans(root, count, [])
                continue
            files = trees.make(root, count)
            trees.put_in_step(root, trees.edited(files))
            run.plans(root, count, files)
            if count == max(_SIZES):
                run.note("saving a manifest of 100k / writing its bytes", "now", _saving(root))
        run.sync(Path(folder))
    now = {name: found["now"] for name, found in run.ratios.items()}
    earlier = {name: found["before"] for name, found in run.ratios.items() if "before" in found}
    report(now, {name: limit for name, limit in _LIMITS.items() if name in now}, run.points, earlier)


def _saving(root: Path) -> float:
    """Give the time of saving a manifest after one change, over that of writing its bytes durably."""
    place = root / ".pressync/embedded.json"
    target = codec.decode(place.read_text(encoding="utf-8"), where=str(place)).target
    data, saved, written = place.read_bytes(), [], []
    for number in range(ROUNDS):
        store = ManifestFile(root / "saved.json", target)
        store.path.write_bytes(data)
        # A run finds a manifest that is older than a moment.
        os.utime(store.path, (0, time.time() - 60))
        changed = trees.with_one_change(store.read(), number)
        path = next(iter(changed.entries))
        saved.append(_seconds(lambda: store.save(changed, "", {path})))  # noqa: B023 - it is called at once
        written.append(_seconds(lambda: atomic_files.replace(root / "written.json", data)))
    return min(saved) / min(written)


def _seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _short(count: int) -> str:
    return {1_000: "1k", 10_000: "10k", 100_000: "100k", _MILLION: "1M"}.get(count, f"{count}")


if __name__ == "__main__":
    main()
