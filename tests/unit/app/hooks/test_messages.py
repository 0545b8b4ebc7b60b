"""A hook prints at most three lines, and none where nothing happened."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pressync.app.hooks.subprocess_run import CommandResult, content_is_wrong, lines, problems

NONE = {"done": 0, "failed": 0, "skipped": 0, "blocked": 0, "in_doubt": 0, "kept": 7}


def _ended(
    code: int | None, counts: dict[str, int], *rows: dict[str, Any], stopped: bool = False
) -> CommandResult:
    document = {"commit": "4f1c2a9b03ff", "counts": {**NONE, **counts}, "outcomes": list(rows)}
    return CommandResult(code, json.dumps(document), "", stopped)


def _row(path: str, result: str = "done", message: str = "", action: str = "update") -> dict[str, Any]:
    link = f"https://example.org/{path}/"
    return {"path": path, "result": result, "message": message, "action": action, "link": link}


def test_what_was_done_where_it_is_and_what_is_next() -> None:
    assert lines(_ended(0, {}), "live", 60) == []
    ended = _ended(0, {"done": 2}, _row("a"), _row("b"))
    assert lines(ended, "live", 60, unsaved="next: commit .pressync/live.json") == [
        "live: 2 done, 7 up to date at 4f1c2a9b03",
        "https://example.org/a/ and 1 more",
        "next: commit .pressync/live.json",
    ]
    assert lines(ended, "live", 60, home="`pressync serve` shows it")[1] == "`pressync serve` shows it"
    row = {**_row("a"), "status": "future", "date": "2027-01-31T10:00:00"}
    assert lines(_ended(0, {"done": 1}, row), "live", 60)[1] == (
        "https://example.org/a/ (scheduled: visible from 2027-01-31T10:00:00)"
    )
    conflict = lines(_ended(1, {"done": 1}, _row("a")), "live", 60)
    assert conflict[2] == "next: `pressync plan` shows the conflicts"


@pytest.mark.parametrize(
    ("code", "result", "todo"),
    [
        (1, "failed", "pressync sync"),
        (1, "skipped", "continues from here"),
        (1, "blocked", "pressync plan"),
        (5, "in_doubt", "pressync resolve PATH"),
    ],
)
def test_what_needs_a_person_goes_before_what_is_done(code: int, result: str, todo: str) -> None:
    ended = _ended(
        code, {"done": 1, result: 2}, _row("a"), _row("b", result, "why\x1b[2J"), _row("c", result)
    )
    what, where, following = lines(ended, "live", 60, unsaved="next: commit m.json")
    assert f"2 {'unconfirmed' if result == 'in_doubt' else result}" in what
    assert where == "b: why\\u001b[2J (and 1 more)"
    assert todo in following


NOTHING = "live: nothing was sent"


@pytest.mark.parametrize(
    ("code", "said", "told"),
    [
        (
            2,
            "Error: 'origin' cannot be reached: fatal: no host\nand\n\nthe repository exists.; `git fetch`\n",
            [
                NOTHING,
                "'origin' cannot be reached: fatal: no host and the repository exists.",
                "next: `git fetch`",
            ],
        ),
        (
            2,
            "warning: x.md: odd\na.md:3: no YAML; mend it\nb.md:1: too\nError: 2 problems in the content\n",
            [
                f"{NOTHING}, the content has problems",
                "a.md:3: no YAML; mend it (and 1 more)",
                "next: `pressync check` lists them all; fix them and commit",
            ],
        ),
        (
            4,
            "Error: it would delete 8 of 13 records; if that is meant, `pressync sync --max-delete 8`\n",
            [
                NOTHING,
                "it would delete 8 of 13 records",
                "next: if that is meant, `pressync sync --max-delete 8`",
            ],
        ),
        (1, "Error: alone\n", [NOTHING, "alone"]),
    ],
    ids=["several lines", "content", "refusal", "alone"],
)
def test_an_error_is_told_in_one_line_with_its_next_step(code: int, said: str, told: list[str]) -> None:
    ended = CommandResult(code, "", said)
    assert lines(ended, "live", 60) == told
    assert content_is_wrong(ended) is ("content has" in told[0])


def test_many_warnings_do_not_hide_the_errors_of_a_stopped_commit() -> None:
    rows = [f"warning: {number}.md: odd" for number in range(12)]
    more = "… and 2 more lines of warnings; `pressync check` lists all of them."
    said = problems(CommandResult(2, "", "\n".join([*rows, "a.md:3: wrong"])))
    assert said == [*rows[:10], more, "a.md:3: wrong"]


def test_time_that_is_up_is_told_by_what_it_left() -> None:
    assert lines(CommandResult(-9, "no JSON", ""), "live", 60)[1] == "it ended with code -9"
    assert "nothing was sent within 2 s" in lines(CommandResult(130, "", "", stopped=True), "live", 2)[0]
    assert "not done after 2 s" in lines(CommandResult(None, "", "", stopped=True), "live", 2)[0]
    part = lines(_ended(130, {"done": 3, "skipped": 4}, _row("a"), stopped=True), "live", 2)
    assert part[0].endswith("3 done, 4 skipped, 7 up to date at 4f1c2a9b03; stopped after 2 s")
