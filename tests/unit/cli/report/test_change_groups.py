"""Equal sentences are one line with a count, and those that say more stay apart."""

from __future__ import annotations

from dataclasses import replace

from tests.support.builders import blocked, create, entry, plan

from pressync.cli.report import change_groups, github, html, markdown, text
from pressync.model.changes import Block, Outcome, Result
from pressync.model.errors import Problem
from pressync.model.interface import Kind
from pressync.model.outcomes import RunResult
from pressync.model.problem_codes import Code
from pressync.plan import reasons

POSTS = [
    blocked(path, reasons.cannot_create(Kind.POST, path))
    for path in (f"content/posts/{name}.md" for name in ("a", "b c", "d", "e"))
]


def test_a_plan_says_once_why_many_are_blocked() -> None:
    lines = text.plan(plan(create("content/pages/n.md"), *POSTS)).splitlines()
    (line,) = (line for line in lines if line.startswith("  ! "))
    assert line.startswith("  ! content/posts/a.md  page ")
    assert line.endswith(
        " the service cannot create a post; create it there by hand, then `pressync adopt content/posts/a.md "
        "ID`; also content/posts/b c.md, content/posts/d.md and 1 more"
    )
    assert "1 to create, 4 blocked" in lines[-1]


def test_another_reason_and_a_change_with_a_diff_have_lines_of_their_own() -> None:
    other = blocked("content/posts/z.md", "another reason")
    shown = text.plan(plan(*POSTS, other), diffs={"content/posts/d.md": "+x"})
    assert sum(line.startswith("  ! ") for line in shown.splitlines()) == 3


def test_a_run_says_once_why_many_failed() -> None:
    failed = [Outcome(change, Result.FAILED, f"{change.path}: refused with 403") for change in POSTS]
    create = Outcome(replace(POSTS[0], block=Block.UNCONFIRMED), Result.UNCONFIRMED, "no response")
    shown = text.run(RunResult(plan(*POSTS), (*failed, create))).splitlines()
    assert shown[:-1] == [
        "failed: content/posts/a.md and 3 more: content/posts/a.md: refused with 403",
        "unconfirmed: content/posts/a.md: no response",
    ]


def test_the_commands_of_a_group_are_for_all_its_paths() -> None:
    paths = ("content/pages/a.md", "content/pages/b c.md")
    edited = [(path, reasons.conflict(("content",), path, read=True)) for path in paths]
    assert change_groups.sentence(edited) == (
        "content changed on the site since the last sync; take the change into the file "
        "(`pressync pull content/pages/a.md 'content/pages/b c.md'`), or "
        "`pressync sync --overwrite content/pages/a.md 'content/pages/b c.md'` to send the repository's "
        "values"
    )
    made = [(path, reasons.forgotten(entry(path, 7 + n))) for n, path in enumerate(paths)]
    assert (
        "`pressync adopt content/pages/a.md 7 && pressync adopt 'content/pages/b c.md' 8`, or "
        "`pressync forget content/pages/a.md 'content/pages/b c.md'` to create a new one"
    ) in change_groups.sentence(made)


def test_every_report_has_the_commands_for_all_paths_of_a_group() -> None:
    paths = ("content/pages/a.md", "content/pages/b.md")
    edited = [blocked(path, reasons.conflict(("content",), path, read=True)) for path in paths]
    wanted = "pressync pull content/pages/a.md content/pages/b.md"
    failed = RunResult(plan(*edited), tuple(Outcome(each, Result.BLOCKED, each.reason) for each in edited))
    (annotation,), (outcome,) = github.of_plan(plan(*edited)), github.of_run(failed)
    for shown in (annotation, outcome, html.plan(plan(*edited))):
        assert wanted in shown
    for shown in (markdown.plan(plan(*edited)), markdown.run(failed)):
        assert wanted in shown.replace("\\", "")


def test_a_long_group_has_the_command_of_the_first_and_says_how_to_list_all() -> None:
    paths = [f"content/pages/p{n}.md" for n in range(9)]
    shown = change_groups.sentence([(p, reasons.conflict(("content",), p, read=True)) for p in paths])
    assert "`pressync sync --overwrite content/pages/p0.md`" in shown
    assert shown.endswith(
        "; also content/pages/p1.md, content/pages/p2.md and 6 more; `pressync status` lists all paths, "
        "with their ids"
    )


def test_a_workflow_gets_one_annotation_for_equal_reasons() -> None:
    (line,) = github.of_plan(plan(*POSTS))
    assert line.startswith("::error file=content/posts/a.md::the service cannot create a post; ")
    assert line.endswith("; also content/posts/b c.md, content/posts/d.md and 1 more")
    failed = tuple(Outcome(change, Result.FAILED, "refused with 403") for change in POSTS)
    assert github.of_run(RunResult(plan(*POSTS), failed)) == [
        (
            "::error file=content/posts/a.md::failed: refused with 403; also content/posts/b c.md, "
            "content/posts/d.md and 1 more"
        )
    ]


def test_tables_have_one_row_for_equal_reasons_and_the_number_of_all() -> None:
    shown = markdown.plan(plan(*POSTS))
    assert "<summary>4 blocked</summary>" in shown
    assert shown.count("the service cannot create a post") == 1
    assert "| `content/posts/a.md`; also content/posts/b c.md, content/posts/d.md and 1 more |" in shown
    assert html.plan(plan(*POSTS)).count("the service cannot create a post") == 1
    failed = tuple(Outcome(change, Result.FAILED, "refused with 403") for change in POSTS)
    shown = markdown.run(RunResult(plan(*POSTS), failed))
    assert ("<summary>4 failed</summary>" in shown, shown.count("refused with 403")) == (True, 1)


def test_equal_problems_are_one_row_and_one_annotation() -> None:
    found = tuple(Problem(f"{name}.md", 3, "no number", "write one", code=Code.VALUE) for name in "abcd")
    shown = markdown.plan(plan(problems=found))
    assert "<summary>4 problems</summary>" in shown
    assert "| `a.md:3`; also b.md:3, c.md:3 and 1 more | no number | write one |" in shown
    assert github.of_plan(plan(problems=found)) == [
        "::error file=a.md,line=3::no number; write one; also b.md:3, c.md:3 and 1 more"
    ]
