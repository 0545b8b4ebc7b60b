"""Measure an installed hook at a commit that changes nothing, as a share of `git status`.

Run it by hand: `python benchmarks/hook_cost.py [FILES]`. It makes a repository with this number of pages,
notes that the site is up to date as a hook does after its sync, and calls the hook as Git would.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pressync.app.hooks import cache, installation
from pressync.app.hooks.installation import Setup
from pressync.config import settings as config

_ROUNDS = 41


def _git(root: Path, *arguments: str) -> None:
    author = ("-c", "user.name=A Writer", "-c", "user.email=writer@example.org")
    subprocess.run(["git", "-C", root, *author, *arguments], check=True, stdout=subprocess.DEVNULL)


def _milliseconds(*commands: list[str], root: Path) -> list[float]:
    """Measure the commands in turn, so that a busy moment meets all of them; their medians."""
    taken: list[list[float]] = [[] for _ in commands]
    for _ in range(_ROUNDS):
        for command, times in zip(commands, taken, strict=True):
            begun = time.perf_counter()
            subprocess.run(command, cwd=root, check=True, stdout=subprocess.DEVNULL)
            times.append((time.perf_counter() - begun) * 1000)
    return [statistics.median(times) for times in taken]


def main() -> None:
    """Print the hook's cost, and its ratio to `git status`."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _git(root, "init", "--quiet", "--initial-branch=main")
        for number in range(count):
            file = root / f"content/pages/{number % 100:02}/{number}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# Page {number}\n\n{'Some text. ' * 300}\n", encoding="utf-8")
        (root / ".pressync").mkdir()
        (root / ".pressync/embedded.json").write_text("{}\n", encoding="utf-8")
        for message in ("One", "Two"):
            _git(root, "add", "--all")
            _git(root, "commit", "--quiet", "--allow-empty", "-m", message)
        there = installation.find(root)
        setup = Setup(branch="main")
        hook = installation.install(there, "post-commit", setup).file
        settings = config.load(None, where="", environ={})
        tests = cache.settings_tests(there, setup, Path(installation.program()[0]), {})
        cache.write(there, "post-commit", "main", [*tests, *cache.site_tests(there, settings, "HEAD")])
        hook_took, status_took = _milliseconds([str(hook)], ["git", "status", "--porcelain"], root=root)
    ratio = hook_took / status_took
    print(f"{count} files: hook {hook_took:.1f} ms, git status {status_took:.1f} ms, {ratio:.2f}x")


if __name__ == "__main__":
    main()
