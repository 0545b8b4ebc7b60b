"""The text at a terminal: exact lines, numbers last, and nothing that moves the cursor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.builders import create, plan, why
from tests.support.plan_samples import (
    BLOCKED,
    CREATE,
    DELETE,
    EMPTY,
    HOSTILE,
    IN_STEP,
    KEPT,
    PLAN,
    REFUSED,
    RUN,
    UPDATE,
    hostile_plan,
    hostile_run,
)

from pressync.app import commit_hint
from pressync.cli.report import text
from pressync.cli.report.layout import width
from pressync.model.changes import Block, Outcome, Result
from pressync.model.outcomes import KeptManifest, RunResult
from pressync.plan import reasons

if TYPE_CHECKING:
    from pressync.model.changes import Plan

HEADLINE = "Plan for site production at commit c0ffee0000 (https://site.test/wp-json)\n\n"


def test_a_plan_line_by_line() -> None:
    assert text.plan(PLAN) == HEADLINE + (
        "  + content/pages/new.md    page        publish  new document\n"
        "  ~ content/pages/about.md  page 7      publish  content, title changed\n"
        "  - content/pages/old.md    page 8      publish  its file was removed\n"
        "  ! content/posts/hello.md  page                 the service cannot create a post\n"
        "  = content/pages/team.md   page 9      publish  moved from content/pages/us.md\n"
        "\n"
        "Plan: 1 to create, 1 to update, 1 to delete, 1 blocked, 2 up to date.\n"
    )


def test_a_plan_with_nothing_to_do() -> None:
    assert text.plan(IN_STEP) == f"{HEADLINE}Nothing to do: 1 record is up to date.\n"
    assert text.plan(EMPTY) == f"{HEADLINE}Nothing to do: 0 records are up to date.\n"


def test_refusals_and_notes_stand_before_the_summary() -> None:
    shown = text.plan(replace(REFUSED, remarks=(why("3 files are not included."),)))
    assert shown.splitlines()[-3:] == [
        "Sync would refuse: it would delete 1 of 1 records",
        "3 files are not included.",
        "Plan: 1 to delete, 0 up to date.",
    ]


def test_a_diff_stands_under_its_change_behind_a_bar() -> None:
    shown = text.plan(plan(UPDATE), diffs={UPDATE.path: "@@ -1 +1 @@\n-old\n+new\n ::warning::x"})
    assert shown.splitlines()[3:7] == [
        "      | @@ -1 +1 @@",
        "      | -old",
        "      | +new",
        "      |  ::warning::x",
    ]


@pytest.mark.parametrize(
    ("drawn", "sentence"),
    [
        (plan(BLOCKED), "Plan: 1 blocked, 0 up to date."),
        (plan(CREATE, KEPT), "Plan: 1 to create, 1 up to date."),
        (plan(CREATE, UPDATE, DELETE), "Plan: 1 to create, 1 to update, 1 to delete, 0 up to date."),
    ],
)
def test_a_plan_in_a_sentence(drawn: Plan, sentence: str) -> None:
    assert text.plan_summary(drawn) == sentence


@pytest.mark.parametrize(("again", "pages"), [(1, "1 page links"), (2, "2 pages link")])
def test_second_writes_are_announced_with_their_reason(again: int, pages: str) -> None:
    twice = (replace(CREATE, completed_later=True), replace(UPDATE, completed_later=True))
    assert text.plan_summary(plan(*twice[:again])).endswith(
        f". {pages} to new pages: if the site gives those other addresses than expected, "
        f"the sync sends {'it' if again == 1 else 'them'} twice."
    )


def test_a_run_line_by_line() -> None:
    assert text.run(RUN) == (
        "warning: content/pages/new.md: slug: sent 'new', the service made it 'new-2'\n"
        "failed: content/pages/old.md: the service refused with 403\n"
        "blocked: content/posts/hello.md: the service cannot create a post\n"
        "Sync of production at c0ffee0000: 2 done, 1 failed, 1 blocked, 2 up to date.\n"
    )


def test_a_change_that_ended_badly_without_a_word_is_a_line_all_the_same() -> None:
    assert text.run(RunResult(plan(DELETE), (Outcome(DELETE, Result.SKIPPED),))) == (
        "skipped: content/pages/old.md\nSync of production at c0ffee0000: 1 skipped, 0 up to date.\n"
    )


def test_values_that_a_service_changed_alike_are_one_line() -> None:
    changed = "status: sent 'publish', the service made it 'pending'"
    outcomes = (Outcome(CREATE, Result.DONE, changed), Outcome(UPDATE, Result.DONE, changed))
    assert text.run(RunResult(plan(CREATE, UPDATE), outcomes)).splitlines()[:-1] == [
        f"warning: content/pages/new.md: {changed}; also content/pages/about.md"
    ]


def test_the_next_step_is_to_commit_the_manifest_until_that_is_done() -> None:
    assert commit_hint.next_commit(KeptManifest(".pressync/m.json", committed=False)) == (
        "next: commit .pressync/m.json, so that other clones know these records"
    )
    assert commit_hint.next_commit(KeptManifest("m.json", committed=False, ignored=True)) == (
        "next: take m.json out of .gitignore and commit it, so that other clones know these records"
    )
    assert (
        commit_hint.next_commit(KeptManifest("refs/pressync/live", committed=True))
        == commit_hint.next_commit(None)
        == ""
    )


def test_what_was_skipped_for_one_reason_is_one_line() -> None:
    why = "the service cannot be reached"
    outcomes = (
        Outcome(CREATE, Result.FAILED, "connection refused"),
        Outcome(UPDATE, Result.SKIPPED, why),
        Outcome(DELETE, Result.SKIPPED, why),
    )
    assert text.run(RunResult(plan(CREATE, UPDATE, DELETE), outcomes)).splitlines()[:-1] == [
        "failed: content/pages/new.md: connection refused",
        "skipped: content/pages/about.md and 1 more: the service cannot be reached",
    ]


def test_a_message_keeps_its_last_sign() -> None:
    assert "the service said: nothing:\n" in text.run(
        RunResult(plan(DELETE), (Outcome(DELETE, Result.FAILED, "the service said: nothing:"),))
    )


def test_a_run_in_which_nothing_had_to_be_done() -> None:
    assert text.run(RunResult(IN_STEP, ())) == "Nothing to do: 1 record is up to date with production.\n"
    after_all = RunResult(plan(UPDATE), (Outcome(UPDATE, Result.KEPT, "nothing to send after all"),))
    assert text.run(after_all) == "Nothing to do: 1 record is up to date with production.\n"


def test_a_create_without_a_response_is_unconfirmed() -> None:
    ended = RunResult(plan(CREATE), (Outcome(CREATE, Result.UNCONFIRMED, "no answer"),))
    assert text.run(ended).startswith("unconfirmed: content/pages/new.md: no answer\n")


def test_the_columns_of_a_plan_stay_aligned_in_every_script() -> None:
    shown = text.plan(plan(create("日本語.md"), create("about-us.md"))).splitlines()[2:4]
    assert len({width(line.partition("page")[0]) for line in shown}) == 1


def test_colour_marks_and_ends_each_mark() -> None:
    shown = text.plan(plan(CREATE), colour=True)
    assert "  \x1b[32m+\x1b[0m content/pages/new.md" in shown
    assert "\x1b[1mPlan: 1 to create, 0 up to date.\x1b[0m" in shown
    assert shown.count("\x1b[0m") * 2 == shown.count("\x1b[")


def test_without_colour_there_is_no_escape_at_all() -> None:
    assert "\x1b" not in text.plan(PLAN) + text.run(RUN)


@pytest.mark.parametrize(
    ("shown", "lines"),
    [
        (text.plan(hostile_plan()), 11),
        (text.run(hostile_run()), 6),
    ],
    ids=["plan", "run"],
)
def test_whatever_comes_from_outside_stays_on_its_line_and_does_nothing(shown: str, lines: int) -> None:
    assert len(shown.splitlines()) == lines
    assert all(character == "\n" or character.isprintable() for character in shown)
    assert "##[" not in shown
    assert not [line for line in shown.splitlines() if line.strip().startswith("::")]


def test_a_hostile_diff_does_nothing_either() -> None:
    shown = text.plan(plan(UPDATE), diffs={UPDATE.path: HOSTILE})
    assert all(character == "\n" or character.isprintable() for character in shown)
    assert "##[" not in shown
    assert not [line for line in shown.splitlines() if line.strip().startswith("::")]


@pytest.mark.parametrize(
    ("names", "pulled"),
    [
        (["a"], " content/pages/a.md"),
        (["a", "b c", "d"], " content/pages/a.md 'content/pages/b c.md' content/pages/d.md"),
        (["a", "b", "docs/c", "d"], " content/pages"),
    ],
)
def test_edits_that_only_a_look_finds_are_pulled_by_a_command_with_their_paths(
    names: list[str], pulled: str
) -> None:
    conflicts = [
        replace(
            BLOCKED,
            path=path,
            block=Block.CONFLICT,
            fields=("title",),
            why=reasons.conflict(("title",), path, read=True),
        )
        for path in (f"content/pages/{name}.md" for name in names)
    ]
    looked = replace(plan(*conflicts), compared=True)
    assert f"; `pressync pull{pulled}` takes the site's text into the files." in text.plan(looked)
    assert "; `pressync pull` takes the site's text into the files." in text.plan(plan(*conflicts))


def test_conflicts_name_the_command_that_shows_both_sides() -> None:
    conflict = replace(BLOCKED, block=Block.CONFLICT, fields=("title",))
    hint = "1 conflict: `pressync plan --diff` shows what was last sent and what the site has now."
    assert hint in text.plan(plan(conflict)).splitlines()
    assert hint not in text.plan(plan(conflict), diffs={}).splitlines()
    assert hint not in text.plan(plan(BLOCKED)).splitlines()
    shown = Outcome(UPDATE, Result.DONE, "x", structs.replace(UPDATE.entry, conflict={"title": "Theirs"}))
    assert hint in text.run(RunResult(plan(UPDATE), (shown,))).splitlines()
