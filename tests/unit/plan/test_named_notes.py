"""A plan says which notes of editors a sync resolves, by the messages of the commits that it sends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support import clones

from pressync.app import notes
from pressync.app.revision import Revision
from pressync.cli.report import documents, markdown, text
from pressync.model.reason import ReasonCode
from pressync.plan.build import PlanOptions
from pressync.state.clone_log import EditorNote

if TYPE_CHECKING:
    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository
    from tests.support.syncing import Bound

    from pressync.model.changes import Plan

ABOUT, TEAM = "content/pages/about.md", "content/pages/team.md"
NAMES = "Resolves-Note: 12"


@pytest.fixture
def bound(repository: SampleRepository, site: EmbeddedWordPress) -> Bound:
    """Bind a repository to a site that has its pages."""
    repository.commit({ABOUT: "# About\n", TEAM: "# Team\n"})
    bound = clones.bound(repository, site)
    bound.sync()
    repository.commit()
    return bound


def plan(bound: Bound) -> Plan:
    """Plan without a look at the site."""
    with bound.workspace() as workspace:
        return workspace.plan(Revision(), PlanOptions()).plan


def named(plan: Plan) -> list[tuple[object, object]]:
    """Give the notes that a plan names, with their paths."""
    remarks = (each for each in plan.remarks if each.code is ReasonCode.RESOLVES_NOTE)
    return [(each.facts["note"], each.facts["paths"]) for each in remarks]


def test_every_format_of_a_plan_names_the_note_the_record_and_the_commit(
    repository: SampleRepository, bound: Bound
) -> None:
    repository.commit({ABOUT: "# About us\n"}, f"Better\n\n{NAMES}")
    drawn, commit = plan(bound), repository.head()

    sentence = f"A sync resolves note 12 on {ABOUT} if it is open: commit {commit[:10]} names it."
    assert sentence in text.plan(drawn)
    assert sentence.removesuffix(".") in markdown.plan(drawn)
    facts = {"note": 12, "commit": commit, "paths": [ABOUT]}
    assert json.loads(documents.plan(drawn))["remarks"] == [
        {"code": "resolves_note", "name": "resolves_note", "facts": facts, "message": sentence}
    ]


@pytest.mark.parametrize(
    ("commits", "expected"),
    [
        # The commit changed no record.
        ([({"README.txt": "x"}, NAMES), ({ABOUT: "# Us\n"}, "Better")], []),
        # Its record is up to date again, so nothing of the commit is sent.
        ([({ABOUT: "# Us\n"}, NAMES), ({ABOUT: "# About\n", TEAM: "# All\n"}, "Back")], []),
        # Two commits, two records.
        (
            [({ABOUT: "# Us\n"}, NAMES), ({TEAM: "# All\n"}, "Resolves-Note: 7\nResolves-Note: x")],
            [(7, (TEAM,)), (12, (ABOUT,))],
        ),
    ],
)
def test_a_note_is_named_only_by_a_commit_that_changed_a_record_which_is_sent(
    repository: SampleRepository,
    bound: Bound,
    commits: list[tuple[dict[str, str], str]],
    expected: list[tuple[int, tuple[str, ...]]],
) -> None:
    for files, message in commits:
        repository.commit(files, f"Edit\n\n{message}")
    assert named(plan(bound)) == expected


def test_an_open_note_of_a_compared_plan_names_the_commit_that_resolves_it(
    repository: SampleRepository, bound: Bound
) -> None:
    repository.commit({ABOUT: "# About us\n", TEAM: "# All\n"}, f"Better\n\n{NAMES}")
    seen = [EditorNote(number, ABOUT, 1, "Ed", "", "", "Who?") for number in (12, 13)]

    rows = [documents.note_row(note) for note in notes.to_resolve(seen, plan(bound))]

    assert [row.get("resolved_by") for row in rows] == [repository.head(), None]
    assert f"commit {repository.head()[:10]}" in text.editor_notes(notes.to_resolve(seen, plan(bound)))[0]
