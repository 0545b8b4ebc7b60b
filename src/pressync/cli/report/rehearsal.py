"""The account of a rehearsal as text: what needs a person first, then the dead links, then the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.cli.report import text as plan_text
from pressync.cli.report import warning_groups
from pressync.cli.report.layout import BOLD, RED, YELLOW, paint
from pressync.cli.report.text import counted
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.rehearse.links import CheckedLinks, DeadLink
    from pressync.app.rehearse.rehearse import Rehearsal
    from pressync.app.rehearse.stage import SiteDifference

# A tree of another tool can have thousands of dead links; this many lines of them are printed.
_SHOWN = 50
_WORDS = {
    "page": "no page at",
    "file": "no file at",
    "picture": "no picture at",
    "media": "no media file at",
    "anchor": "no such place in the page:",
    "hidden": "visitors do not see",
}


def text(account: Rehearsal, *, colour: bool = False) -> str:
    """Show the account."""
    plan = account.result.plan
    head = f"Rehearsal of site {one_line(account.site)} at commit {plan.commit[:10]}"
    lines = [
        f"{head} on the stage '{account.stage}' ({account.address})",
        "",
        # Nobody has a password for the users of a WordPress stage; the embedded one needs none.
        *plan_text.run_lines(
            account.on_stage, previews=account.stage == "embedded", login=False, colour=colour
        ),
        *_dead_lines(account.links, colour=colour),
        *map(_difference, account.differs),
        *(
            paint(f"A sync would refuse: {one_line(str(refusal))}", RED, colour=colour)
            for refusal in account.refusals
        ),
        paint(summary(account), BOLD, colour=colour),
    ]
    return "\n".join(lines) + "\n"


def summary(account: Rehearsal) -> str:
    """Summarise the account in one sentence."""
    parts = [f"{number} {word}" for word, number in account.counts.items() if number]
    kept = account.result.counts["kept"]
    done = ", ".join([*parts, f"{kept} up to date"])
    links = account.links
    return f"A sync would end so: {done}. {counted(links.checked, 'link')} checked, {len(links.dead)} dead."


def _dead_lines(links: CheckedLinks, *, colour: bool) -> Iterator[str]:
    """Name each dead target once, with its first places."""
    found: dict[tuple[str, str], list[DeadLink]] = {}
    for dead in links.dead:
        found.setdefault((dead.kind, dead.target), []).append(dead)
    word = paint("dead link", YELLOW, colour=colour)
    for (kind, target), some in list(found.items())[:_SHOWN]:
        places = [f"{dead.path}:{dead.line}" for dead in some]
        also = warning_groups.others(places[1:])
        yield f"{word}: {one_line(places[0])}: {_WORDS[kind]} `{one_line(target)}`{also}"
    if len(found) > _SHOWN:
        yield f"… and {len(found) - _SHOWN} more dead targets; `--format json` lists all of them."


def _difference(row: SiteDifference) -> str:
    what, site = one_line(row.what), one_line(row.site)
    if site.startswith("not read"):
        return f"Not read of the site: {what} ({site.removeprefix('not read: ')})."
    there = f"{site} there" if site else "not in this clone"
    return f"The site differs: {what} is {there}, and {one_line(row.stage)} on the stage."
