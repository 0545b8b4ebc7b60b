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
)

from pressync.cli.report import documents
from pressync.cli.report.documents import plan_document, run_document, status_document
from pressync.model.changes import Outcome, Result
from pressync.model.fingerprint import fingerprint
from pressync.model.outcomes import RunResult, digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.changes import Plan


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


CHANGE = ("action", "path", "kind", "id", "fields", "reason", "code", "facts", "status", "date")
OUTCOME = (*CHANGE[:4], "result", "message", "code", "facts", "modified", "link", "status", "date", "preview")
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


def test_the_document_of_a_plan() -> None:
    document = plan_document(plan(CREATE, UPDATE, DELETE, BLOCKED, KEPT, problems=PROBLEMS))
    assert list(document.items())[:7] == [
        ("version", 1),
        ("site", "production"),
        ("commit", HEAD),
        ("digest", digest(plan(CREATE, UPDATE, DELETE, BLOCKED, KEPT))),
        ("counts", {"create": 1, "update": 1, "delete": 1, "keep": 1, "blocked": 1}),
        ("second_writes", 0),
        ("refusals", []),
    ]
    page, made = "page", ["content", "slug", "status", "title"]
    changed = {"changed": ["content", "title"]}
    assert ordered(document, "changes") == of(
        CHANGE,
        ("create", CREATE.path, page, None, made, "new document", "new", {}, "publish", None),
        (
            *("update", UPDATE.path, page, 7, ["content", "title"], "content, title changed"),
            *("changed", changed, "publish", None),
        ),
        ("delete", DELETE.path, page, 8, [], "its file was removed", "removed", {}, "publish", None),
        ("blocked", BLOCKED.path, page, None, [], CANNOT, "changed", {"said": CANNOT}, None, None),
    )
    assert ordered(document, "problems") == of(
        PROBLEM,
        ("content/pages/bad.md", 3, "value", "no number", "write one", False),
        ("content/pages/odd.md", 0, "value", "two of one slug", "", True),
    )
    assert list(document)[7:] == ["changes", "problems"]


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
            *("create", CREATE.path, "page", 12, "done", slug, None, {}),
            *(time, f"{link}/new/", "publish", None, None),
        ),
        (
            *("update", UPDATE.path, "page", 7, "done", "", None, {}),
            *(time, f"{link}/about/", "publish", None, None),
        ),
        ("delete", DELETE.path, "page", 8, "failed", "the service refused with 403", None, {}, *nothing),
        ("blocked", BLOCKED.path, "page", None, "blocked", CANNOT, "changed", {"said": CANNOT}, *nothing),
    )


def test_the_document_of_a_status() -> None:
    document = status_document("production", STANDINGS)
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


def test_a_digest_is_the_same_in_every_run_and_what_is_kept_is_no_part_of_it() -> None:
    assert digest(plan(*PLAN.changes, keep("more.md"))) == digest(PLAN)
    shuffled = dict(reversed([*CREATE.desired.fingerprints.items()]))
    again = replace(CREATE, desired=replace(CREATE.desired, fingerprints=shuffled, create_only=PUBLISHED))
    assert digest(plan(again, *PLAN.changes[1:])) == digest(PLAN)


def test_records_that_were_only_counted_are_in_the_count() -> None:
    counted = replace(IN_STEP, unlisted=9_999)
    document, facts = standard.loads(documents.plan(counted)), plan_document(IN_STEP)
    assert document["counts"] == {"create": 0, "update": 0, "delete": 0, "keep": 10_000, "blocked": 0}
    assert document == {**facts, "counts": document["counts"]}
