"""Measure what a site of a fleet costs beyond the first one, beside a process of its own.

Run it by hand: `python benchmarks/fleet.py [--json FILE]`. Twenty embedded services get the same pages.
`--all-sites` plans or syncs all of them in one process, and `--site` does one. The difference, divided by
nineteen, is the work of a site beyond the first.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import trees
from measure import NEVER, Cost, cost, least, report

from pressync.stage.server.app import WORDPRESS
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Callable

_SITES, _PAGES, _ROUNDS = 20, 200, 3
_NEW, _NOTHING = "plan of new pages", "nothing to do"
_EDIT, _TEMPLATE = "sync of one edit", "plan of an edit of the template"
_LIMITS = {_NEW: 0.25, _NOTHING: 0.25, _EDIT: 0.25, _TEMPLATE: 0.3}
_RATIO = "{}, a site beyond the first / a process of its own"
_SITE = '[sites.s{:02}]\nurl = "{}"\ndialect = "wordpress"\nuser = "robot"\n'
_SECRET = {"PRESSYNC_PASSWORD": "open sesame"}
_FIRST, _ALL = ("--site", "s00"), ("--all-sites",)


def main() -> None:
    """Print the seconds of work of a site, and the ratios."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        services = [
            stack.enter_context(running(folder / f"{number}.db", dialect=WORDPRESS))
            for number in range(_SITES)
        ]
        root = folder / "site"
        files = trees.make(root, _PAGES)
        tables = [_SITE.format(number, service.url) for number, service in enumerate(services)]
        (root / "pressync.toml").write_text("".join(tables), encoding="utf-8")
        _commit(root, "The sites")
        ratios = {_RATIO.format(name): ratio for name, ratio in _measured(root, files).items()}
    report(ratios, {_RATIO.format(name): limit for name, limit in _LIMITS.items()})


def _measured(root: Path, files: list[Path]) -> dict[str, float]:
    def edit(number: int) -> None:
        with files[7].open("a", encoding="utf-8") as file:
            file.write(f"\nEdit {number}.\n")
        _commit(root, "An edit")

    def edit_template(number: int) -> None:
        (root / "templates/page.html").write_text(f"<p>{number}</p>{{{{ content }}}}\n", encoding="utf-8")
        _commit(root, "The template")

    found = {_NEW: _beyond(root, _NEW, "plan")}
    _run(root, "sync", "--yes", *_ALL)
    _commit(root, "The manifests")
    found[_NOTHING] = _beyond(root, _NOTHING, "sync", "--yes")
    found[_EDIT] = _beyond(root, _EDIT, "sync", "--yes", before=edit)
    found[_TEMPLATE] = _beyond(root, _TEMPLATE, "plan", before=edit_template)
    return found


def _beyond(
    root: Path, name: str, *command: str, before: Callable[[int], None] = lambda _number: None
) -> float:
    """Give the work of a site beyond the first, over that of a process of its own.

    A sync of the first site leaves nothing to do there. So the sync of all has the work of the others alone,
    and that of a process without work.
    """
    one = every = idle = NEVER
    for number in range(_ROUNDS):
        before(number)
        one = least(one, _run(root, *command, *_FIRST))
        idle = least(idle, _run(root, *command, *_FIRST))
        every = least(every, _run(root, *command, *_ALL))
    work = (every.work - idle.work) / (_SITES - 1)
    print(
        f"{name:35} {one.work:6.3f} s alone, {work:6.3f} s beyond the first: {work / one.work:5.2f}",
        flush=True,
    )
    return work / one.work


def _run(root: Path, *arguments: str) -> Cost:
    return cost(root, (sys.executable, "-m", "pressync", *arguments), environ=_SECRET)


def _commit(root: Path, message: str) -> None:
    trees.git(root, "add", "--all")
    trees.git(root, "commit", "--quiet", "--allow-empty", "-m", message)


if __name__ == "__main__":
    os.environ.pop("PRESSYNC_URL", None)
    main()
