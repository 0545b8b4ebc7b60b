"""The numbers and rows of every format; the JSON documents to the letter, in ASCII."""

from __future__ import annotations

import json as standard
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import HEAD, PUBLISHED, keep, plan, update
from tests.support.plan_samples import (
    BLOCKED,
    CREATE,
    DELETE,
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

from pressync.cli.report import documents
from pressync.cli.report.documents import plan_document, run_document, status_document
from pressync.cli.report.words import plan_counts
from pressync.model.changes import Outcome, Result
from pressync.model.fingerprint import fingerprint
from pressync.model.outcomes import RunResult, action, digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.changes import Plan


def test_each_change_has_one_word() -> None:
    words = ["create", "update", "delete", "blocked", "keep", "keep"]
    assert [action(change) for change in PLAN.changes] == words


def test_a_plan_is_counted_by_word() -> None:
    assert plan_counts(PLAN) == {"create": 1, "update": 1, "delete": 1, "keep": 2, "blocked": 1}
    assert plan_counts(plan()) == {"create": 0, "update": 0, "delete": 0, "keep": 0, "blocked": 0}


def test_a_run_counts_how_changes_ended_and_what_was_kept() -> None:
    assert RUN.counts == {"done": 2, "failed": 1, "skipped": 0, "blocked": 1, "in_doubt": 0, "kept": 2}


def test_a_change_that_needed_no_call_after_all_counts_as_kept() -> None:
    ended = RunResult(plan(UPDATE, KEPT), (Outcome(UPDATE, Result.KEPT, "nothing to send after all"),))
    assert (ended.counts["kept"], ended.counts["done"]) == (2, 0)


# The documents


def rows(document: Mapping[str, object], name: str) -> list[dict[str, object]]:
    """Take a document's rows."""
    found = document[name]
    assert isinstance(found, list)
    return found


def test_the_document_of_a_plan() -> None:
    assert plan_document(plan(CREATE, UPDATE, DELETE, BLOCKED, KEPT, problems=PROBLEMS)) == {
        "version": 1,
        "site": "production",
        "commit": HEAD,
        "digest": digest(plan(CREATE, UPDATE, DELETE, BLOCKED, KEPT)),
        "counts": {"create": 1, "update": 1, "delete": 1, "keep": 1, "blocked": 1},
        "second_writes": 0,
        "refusals": [],
        "changes": [
            {
                "action": "create",
                "path": "content/pages/new.md",
                "kind": "page",
                "id": None,
                "fields": ["content", "slug", "status", "title"],
                "reason": "new document",
                "code": "new",
                "facts": {},
                "status": "publish",
                "date": None,
            },
            {
                "action": "update",
                "path": "content/pages/about.md",
                "kind": "page",
                "id": 7,
                "fields": ["content", "title"],
                "reason": "content, title changed",
                "code": "changed",
                "facts": {"changed": ["content", "title"]},
                "status": "publish",
                "date": None,
            },
            {
                "action": "delete",
                "path": "content/pages/old.md",
                "kind": "page",
                "id": 8,
                "fields": [],
                "reason": "its file was removed",
                "code": "removed",
                "facts": {},
                "status": "publish",
                "date": None,
            },
            {
                "action": "blocked",
                "path": "content/posts/hello.md",
                "kind": "page",
                "id": None,
                "fields": [],
                "reason": "the service cannot create a post",
                "code": "changed",
                "facts": {"said": "the service cannot create a post"},
                "status": None,
                "date": None,
            },
        ],
        "problems": [
            {
                "path": "content/pages/bad.md",
                "line": 3,
                "code": "value",
                "what": "no number",
                "todo": "write one",
                "warning": False,
            },
            {
                "path": "content/pages/odd.md",
                "line": 0,
                "code": "value",
                "what": "two of one slug",
                "todo": "",
                "warning": True,
            },
        ],
    }


def test_the_document_of_a_plan_says_what_would_refuse_it_and_what_is_written_twice() -> None:
    assert plan_document(REFUSED)["refusals"] == [
        {"code": "too_many_deletes", "message": "it would delete 1 of 1 records"}
    ]
    assert plan_document(plan(replace(CREATE, completed_later=True)))["second_writes"] == 1


def test_the_document_of_a_run() -> None:
    document = run_document(RUN)
    assert {name: document[name] for name in ("version", "site", "commit", "counts")} == {
        "version": 1,
        "site": "production",
        "commit": HEAD,
        "counts": RUN.counts,
    }
    assert document["outcomes"] == [
        {
            "action": "create",
            "path": "content/pages/new.md",
            "kind": "page",
            "id": 12,
            "result": "done",
            "message": "slug: sent 'new', the service made it 'new-2'",
            "code": None,
            "facts": {},
            "modified": "2024-01-31T12:00:00",
            "link": "https://site.test/new/",
            "status": "publish",
            "date": None,
            "preview": None,
        },
        {
            "action": "update",
            "path": "content/pages/about.md",
            "kind": "page",
            "id": 7,
            "result": "done",
            "message": "",
            "code": None,
            "facts": {},
            "modified": "2024-01-31T12:00:00",
            "link": "https://site.test/about/",
            "status": "publish",
            "date": None,
            "preview": None,
        },
        {
            "action": "delete",
            "path": "content/pages/old.md",
            "kind": "page",
            "id": 8,
            "result": "failed",
            "message": "the service refused with 403",
            "code": None,
            "facts": {},
            "modified": None,
            "link": None,
            "status": None,
            "date": None,
            "preview": None,
        },
        {
            "action": "blocked",
            "path": "content/posts/hello.md",
            "kind": "page",
            "id": None,
            "result": "blocked",
            "message": "the service cannot create a post",
            "code": "changed",
            "facts": {"said": "the service cannot create a post"},
            "modified": None,
            "link": None,
            "status": None,
            "date": None,
            "preview": None,
        },
    ]


def test_what_needed_no_call_is_no_row_of_a_run() -> None:
    assert run_document(RunResult(plan(UPDATE), (Outcome(UPDATE, Result.KEPT),)))["outcomes"] == []


def test_a_create_that_failed_has_no_id() -> None:
    (row,) = rows(run_document(RunResult(plan(CREATE), (Outcome(CREATE, Result.FAILED, "no"),))), "outcomes")
    assert row["id"] is None


def test_the_document_of_a_status() -> None:
    document = status_document("production", STANDINGS)
    assert (document["version"], document["site"]) == (1, "production")
    in_step, conflict, new = rows(document, "records")
    assert in_step == {
        "path": "content/pages/about.md",
        "kind": "page",
        "id": 7,
        "slug": "about",
        "link": "https://site.test/about/",
        "modified": "2024-01-31T12:00:00",
        "modified_gmt": "2024-01-31T11:00:00",
        "state": "in_step",
        "title": None,
        "status": None,
        "reason": "",
        "date": None,
        "preview": None,
        "notes": 0,
    }
    assert conflict["state"] == "conflict"
    assert new == {
        "path": "content/posts/hello.md",
        "kind": "post",
        "id": None,
        "slug": None,
        "link": None,
        "modified": None,
        "modified_gmt": None,
        "state": "blocked",
        "title": None,
        "status": None,
        "reason": "the service cannot create a post",
        "date": None,
        "preview": None,
        "notes": 0,
    }


# The digest of a reviewed plan


@pytest.mark.parametrize(
    "other",
    [
        replace(PLAN, target="https://elsewhere.test"),
        replace(PLAN, commit="d" * 40),
        plan(*PLAN.changes[1:]),
        plan(PLAN.changes[1], PLAN.changes[0], *PLAN.changes[2:]),
        plan(
            replace(CREATE, desired=replace(CREATE.desired, fingerprints={"title": fingerprint("x")})),
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


def test_what_is_kept_is_no_part_of_the_digest() -> None:
    assert digest(plan(*PLAN.changes, keep("more.md"))) == digest(PLAN)


def test_a_digest_is_the_same_in_every_run() -> None:
    shuffled = dict(reversed([*CREATE.desired.fingerprints.items()]))
    again = replace(CREATE, desired=replace(CREATE.desired, fingerprints=shuffled, create_only=PUBLISHED))
    assert digest(plan(again, *PLAN.changes[1:])) == digest(PLAN)


def test_each_document_is_the_facts() -> None:
    assert standard.loads(documents.plan(PLAN)) == plan_document(PLAN)
    assert standard.loads(documents.run(RUN)) == run_document(RUN)
    assert standard.loads(documents.status("production", STANDINGS)) == status_document(
        "production", STANDINGS
    )


def test_a_plan_with_nothing_to_do_is_to_the_letter() -> None:
    text = documents.plan(IN_STEP)
    assert text == (
        "{\n"
        '  "version": 1,\n'
        '  "site": "production",\n'
        f'  "commit": "{IN_STEP.commit}",\n'
        f'  "digest": "{standard.loads(text)["digest"]}",\n'
        '  "counts": {\n'
        '    "create": 0,\n'
        '    "update": 0,\n'
        '    "delete": 0,\n'
        '    "keep": 1,\n'
        '    "blocked": 0\n'
        "  },\n"
        '  "second_writes": 0,\n'
        '  "refusals": [],\n'
        '  "changes": [],\n'
        '  "problems": []\n'
        "}\n"
    )


def test_records_that_were_only_counted_are_in_the_count() -> None:
    counted = replace(IN_STEP, unlisted=9_999)
    document, facts = standard.loads(documents.plan(counted)), plan_document(IN_STEP)
    assert document["counts"] == {"create": 0, "update": 0, "delete": 0, "keep": 10_000, "blocked": 0}
    assert document == {**facts, "counts": document["counts"]}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (documents.plan(hostile_plan()), plan_document(hostile_plan())),
        (documents.run(hostile_run()), run_document(hostile_run())),
        (documents.status("x", hostile_standings()), status_document("x", hostile_standings())),
    ],
    ids=["plan", "run", "status"],
)
def test_whatever_comes_from_outside_is_kept_and_harmless(text: str, facts: dict[str, object]) -> None:
    assert standard.loads(text) == facts
    assert text.isascii()
    assert all(character == "\n" or character.isprintable() for character in text)
    assert "##[" not in text
    assert not [line for line in text.splitlines() if line.strip().startswith("::")]
