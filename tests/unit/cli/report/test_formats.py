"""What every format says of the same plan, run or states; the JSON documents to the letter."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.builders import HEAD, PUBLISHED, blocked, entry, keep, manifest, plan, update
from tests.support.plan_samples import (
    BLOCKED,
    CREATE,
    DELETE,
    EMPTY,
    HOSTILE,
    IN_STEP,
    KEPT,
    PLAN,
    PROBLEMS,
    REFUSED,
    RUN,
    STANDINGS,
    UPDATE,
    hostile_plan,
    hostile_run,
    hostile_standings,
)

from pressync.app.comparisons import Comparison
from pressync.cli.report import documents, github, html, markdown, text, words
from pressync.cli.report.documents import plan_document, run_document
from pressync.model.changes import Outcome, Result
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.model.outcomes import RunResult, approval, digest
from pressync.model.reason import Reason, ReasonCode
from pressync.plan import reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.support.terminal import Terminal

    from pressync.model.changes import Plan


def plan_for_github(drawn: Plan) -> str:
    return github.from_plan(drawn).whole()


def run_for_github(ended: RunResult) -> str:
    return github.from_run(ended).whole()


PLANS: dict[str, Callable[..., str]] = {
    "text": text.plan,
    "numbers": text.numbers,
    "markdown": markdown.plan,
    "html": html.plan,
    "github": plan_for_github,
}
RUNS: dict[str, Callable[[RunResult], str]] = {
    "text": text.run,
    "markdown": markdown.run,
    "github": run_for_github,
}
PATHS = [f"content/posts/{name}.md" for name in ("a", "b c", "d", "e")]
POSTS = [blocked(path, reasons.cannot_create(Kind.POST, path)) for path in PATHS]


def unprotected(shown: str) -> str:
    """Take the signs out by which Markdown and HTML protect a text."""
    return shown.replace("\\", "").replace("&#39;", "'").replace("&#x27;", "'")


@pytest.mark.parametrize("write", PLANS.values(), ids=PLANS)
@pytest.mark.parametrize(("drawn", "kept"), [(IN_STEP, "1 record is"), (EMPTY, "0 records are")])
def test_nothing_to_do_is_a_sentence_and_no_row(write: Callable[[Plan], str], drawn: Plan, kept: str) -> None:
    shown = write(drawn)
    assert f"Nothing to do: {kept} up to date, as of the last sync." in shown
    assert not any(sign in shown for sign in ("\n  + ", "<li", "<form", "<dialog", "<summary>", "\n::"))


@pytest.mark.parametrize("write", PLANS.values(), ids=PLANS)
def test_a_refusal_is_told_beside_the_changes(write: Callable[[Plan], str]) -> None:
    shown = write(REFUSED)
    assert shown.count("it would delete 1 of 1 records") == (2 if write is plan_for_github else 1)
    assert "1 to delete" in shown


@pytest.mark.parametrize("name", ["text", "markdown", "html", "github"])
def test_equal_reasons_are_one_row_with_the_next_places_and_the_number_of_all(name: str) -> None:
    shown = unprotected(PLANS[name](plan(*POSTS)))
    assert shown.count("the service cannot create a post") == (2 if name == "github" else 1)
    assert shown.count("4 blocked") >= 1
    assert name == "html" or "also content/posts/b c.md, content/posts/d.md and 1 more" in shown


@pytest.mark.parametrize("write", RUNS.values(), ids=RUNS)
def test_equal_messages_of_a_run_are_one_row(write: Callable[[RunResult], str]) -> None:
    failed = tuple(Outcome(change, Result.FAILED, "refused with 403") for change in POSTS)
    skipped = tuple(Outcome(each, Result.SKIPPED, "unreachable") for each in (UPDATE, DELETE))
    shown = unprotected(write(RunResult(plan(*POSTS, UPDATE, DELETE), (*failed, *skipped))))
    assert shown.count("refused with 403") == (2 if write is run_for_github else 1)
    assert shown.count("unreachable") == 1
    assert ("4 failed" in shown, "2 skipped" in shown) == (True, True)


@pytest.mark.parametrize("write", RUNS.values(), ids=RUNS)
def test_values_that_a_service_changed_alike_are_one_row(write: Callable[[RunResult], str]) -> None:
    changed = "status: sent it, the service made it pending"
    outcomes = (Outcome(CREATE, Result.DONE, changed), Outcome(UPDATE, Result.DONE, changed))
    shown = unprotected(write(RunResult(plan(CREATE, UPDATE), outcomes)))
    assert shown.count(changed) == {text.run: 1, markdown.run: 2, run_for_github: 3}[write]


OURS = {
    **{f"plan as {name}": write(hostile_plan()) for name, write in PLANS.items()},
    **{f"run as {name}": write(hostile_run()) for name, write in RUNS.items()},
    "plan as json": documents.plan(hostile_plan()),
    "run as json": documents.run(hostile_run()),
    "states as json": documents.status("x", hostile_standings()),
    "states": text.status(hostile_standings()),
    "manifest": text.manifest(manifest(entry("a.md", 1, link="\x1b[31m"))),
    "diff as text": text.plan(plan(UPDATE), diffs={UPDATE.path: HOSTILE}),
    "diff as markdown": markdown.plan(PLAN, diffs={HOSTILE: HOSTILE}),
    "diff as html": html.plan(hostile_plan(), {HOSTILE: Comparison(HOSTILE, HOSTILE, HOSTILE)}),
    "a line": words.group_line([("a\n.md", "x\x1b[2J"), ("b\n.md", "y")]),
    "without colour": text.plan(PLAN) + text.run(RUN),
}


@pytest.mark.parametrize("shown", OURS.values(), ids=OURS)
def test_whatever_comes_from_outside_does_nothing(shown: str) -> None:
    assert all(character in "\n\u200b" or character.isprintable() for character in shown)
    assert HOSTILE not in shown
    assert "##[" not in shown
    begins = [line.strip() for line in shown.splitlines() if line.strip().startswith("::")]
    assert all(line.startswith(("::error file=", "::warning file=", "::error::")) for line in begins)


@pytest.mark.parametrize(
    ("name", "lines"),
    [("plan as text", 11), ("run as text", 6), ("states", len(hostile_standings()) + 4), ("a line", 1)],
)
def test_whatever_comes_from_outside_stays_on_its_line(name: str, lines: int) -> None:
    assert len(OURS[name].splitlines()) == lines


@pytest.mark.parametrize(
    ("written", "facts"),
    [
        *(
            (documents.plan(drawn), documents.plan_document(drawn))
            for drawn in (PLAN, hostile_plan(), replace(IN_STEP, unlisted=9_999))
        ),
        *((documents.run(ended), documents.run_document(ended)) for ended in (RUN, hostile_run())),
    ],
)
def test_json_keeps_whatever_comes_from_outside_in_ascii(written: str, facts: dict[str, object]) -> None:
    assert written.isascii()
    assert json.loads(written) == facts


def commands(text: str) -> list[str]:
    """Read text as the runner does: a line that begins with `::`, or one with `##[` anywhere in it."""
    lines = [line.lstrip() for line in re.split(r"\r\n|\r|\n", text)]
    return [line for line in lines if line.startswith("::") or "##[" in line]


def test_a_run_annotates_failures_and_values_that_the_service_changed() -> None:
    assert run_for_github(RUN) == (
        "::warning file=content/pages/new.md::slug: sent 'new', the service made it 'new-2'\n"
        "::error file=content/pages/old.md::failed: the service refused with 403\n"
        "::error file=content/posts/hello.md::blocked: the service cannot create a post\n" + markdown.run(RUN)
    )
    ended = RunResult(
        plan(UPDATE, BLOCKED, CREATE),
        (
            Outcome(UPDATE, Result.UNCONFIRMED, "no answer"),
            Outcome(BLOCKED, Result.SKIPPED, "stopped"),
            Outcome(CREATE, Result.DONE),
        ),
    )
    assert commands(run_for_github(ended)) == ["::error file=content/pages/about.md::unconfirmed: no answer"]


def test_a_file_with_problems_is_annotated_once_and_signs_of_a_command_are_escaped() -> None:
    drawn = plan(blocked("content/pages/bad.md", "its file has problems"), problems=PROBLEMS[:1])
    assert github.of_plan(drawn) == ["::error file=content/pages/bad.md,line=3::no number; write one"]
    drawn = plan(blocked("a,b:c%.md", "100% of it, see: x"))
    assert commands(plan_for_github(drawn)) == ["::error file=a%2Cb%3Ac%25.md::100%25 of it, see: x"]


def test_a_plan_and_a_run_are_summarised_for_a_workflow(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    terminal.environ["GITHUB_STEP_SUMMARY"] = str(file)
    terminal.run("plan", "--format", "github", "--out", str(tmp_path / "plan.md"))
    assert "<summary>3 to create</summary>" in (tmp_path / "plan.md").read_text(encoding="utf-8")
    assert not file.exists()
    said = terminal.run("sync", "--yes", "--format", "github").stdout
    head = terminal.repository.head()[:10]
    assert said.startswith(f"Sync of default at {head}: 3 done, 0 up to date. Run ")
    assert "<details><summary>3 done</summary>" in file.read_text(encoding="utf-8")
    file.unlink()
    terminal.repository.commit({"content/pages/bad.md": "---\nmenu_order: many\n---\n"})
    said = terminal.run("plan", "--format", "github", exits=2).stdout
    assert said.startswith("::error file=content/pages/bad.md,line=2::")
    assert "Plan: 1 blocked" in said
    assert file.read_text(encoding="utf-8").startswith("### pressync: plan for default at `")


def test_a_change_that_needed_no_call_after_all_counts_as_kept_and_is_not_a_row() -> None:
    assert RUN.counts == {"done": 2, "failed": 1, "skipped": 0, "blocked": 1, "in_doubt": 0, "kept": 2}
    ended = RunResult(plan(UPDATE, KEPT), (Outcome(UPDATE, Result.KEPT, "nothing to send after all"),))
    assert (ended.counts["kept"], ended.counts["done"]) == (2, 0)
    assert run_document(ended)["outcomes"] == []


# The documents


def rows(document: Mapping[str, object], name: str) -> list[dict[str, object]]:
    """Take a document's rows."""
    found = document[name]
    assert isinstance(found, list)
    return found


CHANGE = ("action", "path", "kind", "id", "fields", "reason", "code", "name", "facts", "status", "date")
_OF_RECORD = ("modified", "link", "status", "date", "preview")
OUTCOME = (*CHANGE[:4], "result", "message", "code", "name", "facts", *_OF_RECORD)
PROBLEM = ("path", "line", "code", "what", "todo", "warning")
STANDING = (
    *(*CHANGE[1:4], "slug", "link", "modified", "modified_gmt", "state", "title", "status", "reason"),
    *("date", "preview", "notes", "editor_notes"),
)
CANNOT = "the service cannot create a post"


def of(keys: tuple[str, ...], *found: tuple[object, ...]) -> list[tuple[tuple[str, object], ...]]:
    """Make rows of their keys in their order, and of their values."""
    return [tuple(zip(keys, values, strict=True)) for values in found]


def ordered(document: Mapping[str, object], name: str) -> list[tuple[tuple[str, object], ...]]:
    """Take a document's rows with their keys in their order."""
    return [tuple(row.items()) for row in rows(document, name)]


def test_a_remark_about_a_plan_has_its_code_and_its_name() -> None:
    remark = Reason(ReasonCode.KEPT_QUIET, {"paths": ("content/posts/a.md",)}, "Nobody is told of it.")
    assert plan_document(replace(plan(CREATE), remarks=(remark,)))["remarks"] == [
        {
            "code": "kept_quiet",
            "name": "nobody_told",
            "facts": {"paths": ["content/posts/a.md"]},
            "message": "Nobody is told of it.",
        }
    ]


def test_the_document_of_a_plan() -> None:
    document = plan_document(plan(CREATE, UPDATE, DELETE, BLOCKED, KEPT, problems=PROBLEMS))
    assert list(document.items())[:8] == [
        ("version", 1),
        ("site", "production"),
        ("commit", HEAD),
        ("digest", approval(plan(CREATE, UPDATE, DELETE, BLOCKED, KEPT))),
        ("file_digest", digest(plan(CREATE, UPDATE, DELETE, BLOCKED, KEPT))),
        ("counts", {"create": 1, "update": 1, "delete": 1, "keep": 1, "blocked": 1}),
        ("second_writes", 0),
        ("refusals", []),
    ]
    page, made = "page", ["content", "slug", "status", "title"]
    changed = {"changed": ["content", "title"]}
    assert ordered(document, "changes") == of(
        CHANGE,
        ("create", CREATE.path, page, None, made, "new document", "new", "new", {}, "publish", None),
        (
            *("update", UPDATE.path, page, 7, ["content", "title"], "content, title changed"),
            *("changed", "changed", changed, "publish", None),
        ),
        ("delete", DELETE.path, page, 8, [], "its file was removed", *["removed"] * 2, {}, "publish", None),
        ("blocked", BLOCKED.path, page, None, [], CANNOT, *["changed"] * 2, {"said": CANNOT}, None, None),
    )
    assert ordered(document, "problems") == of(
        PROBLEM,
        ("content/pages/bad.md", 3, "value", "no number", "write one", False),
        ("content/pages/odd.md", 0, "value", "two of one slug", "", True),
    )
    assert list(document)[8:] == ["remarks", "changes", "problems"]


def test_the_document_of_a_plan_says_what_would_refuse_it_and_what_is_written_twice() -> None:
    assert plan_document(REFUSED)["refusals"] == [
        {"code": "too_many_deletes", "message": "it would delete 1 of 1 records"}
    ]
    assert plan_document(plan(replace(CREATE, completed_later=True)))["second_writes"] == 1


def test_the_document_of_a_run() -> None:
    document = run_document(RUN)
    keys = ("version", "site", "commit", "run", "seconds", "counts", "later", "manifest", "outcomes")
    assert tuple(document) == keys
    assert [document[name] for name in keys[:6]] == [1, "production", HEAD, None, 0.0, RUN.counts]
    time, link = "2024-01-31T12:00:00", "https://site.test"
    slug, nothing = "slug: sent 'new', the service made it 'new-2'", (None,) * 5
    assert ordered(document, "outcomes") == of(
        OUTCOME,
        (
            *("create", CREATE.path, "page", 12, "done", slug, None, None, {}),
            *(time, f"{link}/new/", "publish", None, None),
        ),
        (
            *("update", UPDATE.path, "page", 7, "done", "", None, None, {}),
            *(time, f"{link}/about/", "publish", None, None),
        ),
        (
            "delete",
            DELETE.path,
            "page",
            8,
            "failed",
            "the service refused with 403",
            None,
            None,
            {},
            *nothing,
        ),
        (
            "blocked",
            BLOCKED.path,
            "page",
            None,
            "blocked",
            CANNOT,
            *["changed"] * 2,
            {"said": CANNOT},
            *nothing,
        ),
    )


def test_the_document_of_a_status() -> None:
    document = json.loads(documents.status("production", STANDINGS))
    assert (document["version"], document["site"]) == (1, "production")
    in_step, conflict, new = ordered(document, "records")
    here, there = "content/pages/about.md", "https://site.test/about/"
    times, nothing = ("2024-01-31T12:00:00", "2024-01-31T11:00:00"), (None,) * 5
    assert [in_step, new] == of(
        STANDING,
        (here, "page", 7, "about", there, *times, "in_step", None, None, "", None, None, 0, []),
        ("content/posts/hello.md", "post", *nothing, "blocked", None, None, CANNOT, None, None, 0, []),
    )
    assert ("state", "conflict") in conflict


# The digest of a reviewed plan


@pytest.mark.parametrize(
    "other",
    [
        replace(PLAN, target="https://elsewhere.test"),
        replace(PLAN, commit="d" * 40),
        plan(*PLAN.changes[1:]),
        plan(PLAN.changes[1], PLAN.changes[0], *PLAN.changes[2:]),
        plan(
            replace(
                CREATE, desired=structs.replace(CREATE.desired, fingerprints={"title": fingerprint("x")})
            ),
            *PLAN.changes[1:],
        ),
        plan(CREATE, replace(UPDATE, id=99), *PLAN.changes[2:]),
        plan(CREATE, update(UPDATE.path, "content", reason=UPDATE.reason), *PLAN.changes[2:]),
        plan(CREATE, UPDATE, replace(DELETE, path="x.md"), *PLAN.changes[3:]),
    ],
    ids=["target", "commit", "one less", "order", "body", "record", "fields", "path"],
)
def test_another_plan_has_another_digest(other: Plan) -> None:
    assert digest(other) != digest(PLAN)


def test_a_digest_is_the_same_in_every_run_and_what_is_kept_is_no_part_of_it() -> None:
    assert digest(plan(*PLAN.changes, keep("more.md"))) == digest(PLAN)
    shuffled = dict(reversed([*CREATE.desired.fingerprints.items()]))
    again = replace(
        CREATE, desired=structs.replace(CREATE.desired, fingerprints=shuffled, create_only=PUBLISHED)
    )
    assert digest(plan(again, *PLAN.changes[1:])) == digest(PLAN)
