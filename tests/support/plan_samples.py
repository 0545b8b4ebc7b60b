"""A plan, a run and a status as the formats show them; and the nastiest text that can come from outside."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs
from tests.support.builders import blocked, create, delete, entry, keep, plan, update, why

from pressync.model.changes import Outcome, Refusal, Result
from pressync.model.errors import Code, Problem
from pressync.model.interface import Kind
from pressync.model.outcomes import RunResult, Standing

if TYPE_CHECKING:
    from pressync.model.changes import Plan

CREATE = create("content/pages/new.md")
UPDATE = update("content/pages/about.md", "content", "title", number=7)
DELETE = delete("content/pages/old.md", 8)
BLOCKED = blocked("content/posts/hello.md", "the service cannot create a post")
MOVED = keep("content/pages/team.md", 9, "moved from content/pages/us.md")
KEPT = keep("content/pages/kept.md", 10)

PLAN = plan(CREATE, UPDATE, DELETE, BLOCKED, MOVED, KEPT)
IN_STEP = plan(KEPT)
EMPTY = plan()
REFUSED = plan(DELETE, refusals=(Refusal("too_many_deletes", "it would delete 1 of 1 records"),))
PROBLEMS = (
    Problem("content/pages/bad.md", 3, "no number", "write one", code=Code.VALUE),
    Problem("content/pages/odd.md", 0, "two of one slug", warning=True, code=Code.VALUE),
)

RUN = RunResult(
    PLAN,
    (
        Outcome(CREATE, Result.DONE, "slug: sent 'new', the service made it 'new-2'", entry(CREATE.path, 12)),
        Outcome(UPDATE, Result.DONE, "", UPDATE.entry),
        Outcome(DELETE, Result.FAILED, "the service refused with 403"),
        Outcome.because(BLOCKED, Result.BLOCKED, BLOCKED.why),
    ),
)

STANDINGS = (
    Standing("content/pages/about.md", Kind.PAGE, entry("content/pages/about.md", 7), "in_step"),
    Standing(
        "content/pages/team.md",
        Kind.PAGE,
        entry("content/pages/team.md", 9),
        "conflict",
        why("title changed on the site"),
    ),
    Standing("content/posts/hello.md", Kind.POST, None, "blocked", why("the service cannot create a post")),
)

# Escape sequences, controls, line separators, directions, half a character; Markdown; HTML; commands.
HOSTILE = (
    "\x1b]0;owned\x07\x1b[2K\r\x00\x08\x7f\x9b31m\x85\u2028\u202e\u2066\u200f\u061c\ud800"
    "\n::add-mask::x\n  ::stop-commands::y\n##[add-mask]z\n| --- |\n# head\n"
    "![p](https://evil.test/p.png) [l](https://evil.test) `c` ``d`` a|b \\| <img src=x onerror=e> &lt; "
    "@everyone #1 **bold** ~~gone~~ http://evil.test%0A%25"
)


def hostile_plan() -> Plan:
    """Make a plan in which every text from outside is the nastiest."""
    return plan(
        create(HOSTILE),
        replace(update("a.md"), path=HOSTILE, why=why(HOSTILE)),
        replace(DELETE, path=f"x{HOSTILE}", why=why(HOSTILE)),
        blocked(HOSTILE, HOSTILE, 3),
        keep(HOSTILE, reason=HOSTILE),
        site=HOSTILE,
        target=HOSTILE,
        remarks=(why(HOSTILE),),
        refusals=(Refusal("too_many_deletes", HOSTILE),),
        problems=(
            Problem(HOSTILE, 3, HOSTILE, HOSTILE, code=Code.VALUE),
            Problem(HOSTILE, 0, HOSTILE, warning=True, code=Code.VALUE),
        ),
    )


def hostile_run() -> RunResult:
    """Make a run of that plan in which every message is the nastiest too."""
    drawn = hostile_plan()
    results = (Result.DONE, Result.FAILED, Result.UNCONFIRMED, Result.BLOCKED, Result.SKIPPED)
    changes = zip(drawn.changes, results, strict=True)
    return RunResult(drawn, tuple(Outcome(change, result, HOSTILE) for change, result in changes))


def hostile_standings() -> list[Standing]:
    """Make the status of records whose every text is the nastiest."""
    record = structs.replace(entry("a.md"), link=HOSTILE, modified=HOSTILE)
    return [
        Standing(HOSTILE, Kind.PAGE, record, "conflict", why(HOSTILE)),
        Standing(HOSTILE, Kind.PAGE, None, "new", why(HOSTILE)),
    ]
