"""Why a record is what it is: each value with its place, what was sent, and the sentence of the plan."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.support.embedded_wordpress import ENVIRON
from tests.support.syncing import Bound

from pressync.app.drift_plan import plan_with_drift
from pressync.app.explain.explain import Question, explain
from pressync.app.explain.explanation import FieldState
from pressync.app.explain.origins import SettingsFile
from pressync.app.revision import Revision
from pressync.model.changes import Blocked, Create, Delete, Keep, Update
from pressync.model.errors import ConfigError
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

    from pressync.app.explain.explanation import ExplainedField, Explanation

SETTINGS = """\
exclude = ["left.md"]

[defaults]
comment_status = "closed"

[defaults."pages/team"]
weight = 7
"""
TEAM, POST = "content/pages/team/index.md", "content/posts/2024-01-31-hello.md"
FILES = {
    "pressync.toml": SETTINGS,
    TEAM: '---\ntitle: Team\nslug: "The Team!"\n---\nWe\n',
    POST: "---\nsummary: hi\ntags: [bread]\n---\nIntro\n\n# Hello you\n",
    "templates/page.html": "<main>{{ content }}</main>",
    "content/pages/left.md": "# Left\n",
}


@pytest.fixture
def bound(site: EmbeddedWordPress, repository: SampleRepository) -> Bound:
    repository.commit(FILES)
    return Bound(repository.root, site.url, environ=ENVIRON)


def explained(bound: Bound, path: str, *, drift: bool = False, worktree: bool = False) -> Explanation:
    """Explain a path of HEAD, or of the working tree."""
    text = (bound.root / "pressync.toml").read_text(encoding="utf-8")
    with bound.workspace() as workspace:
        plan = partial(plan_with_drift, workspace) if drift else workspace.plan
        asked = Question(path, Revision(worktree=worktree), drift)
        return explain(workspace, asked, plan, SettingsFile(text, "pressync.toml"))


def field(found: Explanation, name: str) -> ExplainedField:
    return next(each for each in found.fields if each.name == name)


def places(found: Explanation) -> dict[str, str]:
    """Give the place of each field."""
    return {each.name: each.origin.place for each in found.fields}


def test_a_new_document_says_where_each_value_comes_from(bound: Bound) -> None:
    found = explained(bound, TEAM)
    assert (found.entry, found.sent, type(found.change)) == (None, None, Create)
    assert places(found) == {
        "title": f"{TEAM}:2",
        "slug": f"{TEAM}:3",
        "content": f"{TEAM}:5",
        "comment_status": "pressync.toml:4",
        "menu_order": "pressync.toml:7",
        "status": "",
    }
    assert field(found, "menu_order").origin.note == "`weight` for pages/team/"
    assert {each.state for each in found.fields} == {FieldState.NEW}
    assert [(each.folder, each.keys) for each in found.defaults] == [
        ("pages/team", ("weight",)),
        ("", ("comment_status",)),
    ]
    assert found.layout == "page.html"
    assert found.changed
    assert "author" in found.left
    post = explained(bound, POST)
    assert places(post) == {
        "excerpt": f"{POST}:2",
        "tags": f"{POST}:3",
        "content": f"{POST}:5",
        "title": f"{POST}:7",
        "slug": POST,
        "date": POST,
        "comment_status": "pressync.toml:4",
        "status": "",
    }
    assert field(post, "tags").shown == "bread"


def test_after_a_sync_it_says_what_was_sent_and_what_the_service_made_of_it(bound: Bound) -> None:
    assert not explained(bound, TEAM).run
    run = bound.sync().run
    assert run
    found = explained(bound, TEAM)
    assert isinstance(found.change, Keep)
    assert found.run == run
    assert found.entry
    assert found.sent
    assert found.sent.id == found.entry.commit
    assert {each.state for each in found.fields} == {FieldState.SENT}
    assert [each.name for each in found.fields if each.bent] == ["slug"]
    # The ids of names are not another value.
    assert not any(each.bent for each in explained(bound, POST).fields)


def test_the_run_is_the_last_one_that_touched_the_record(bound: Bound, repository: SampleRepository) -> None:
    first = bound.sync().run
    repository.commit({POST: "---\ntitle: New\n---\n"})
    second = bound.sync().run
    assert (explained(bound, TEAM).run, explained(bound, POST).run) == (first, second)


def test_it_says_which_fields_the_next_sync_sends_with_the_sentence_of_the_plan(
    bound: Bound, repository: SampleRepository
) -> None:
    repository.commit(
        {POST: "---\nsummary: hi\nexcerpt: better\npassword: x\ntags: [bread]\n---\n# Hello you\n"}
    )
    bound.sync()
    repository.commit({POST: "---\nsummary: hi\ntitle: New\n---\nText\n"})
    found = explained(bound, POST)
    states = {each.name: each.state for each in found.fields if each.state is not FieldState.SENT}
    assert states == {
        "content": FieldState.CHANGED,
        "excerpt": FieldState.CHANGED,
        "title": FieldState.CHANGED,
        "password": FieldState.EMPTIED,
        "tags": FieldState.EMPTIED,
    }
    with bound.workspace() as workspace:
        (change,) = workspace.plan(Revision(), PlanOptions(paths=(POST,))).plan.changes
    assert isinstance(found.change, Update)
    assert found.change == change


def test_an_edit_on_the_site_is_named_where_the_site_is_read(bound: Bound, site: EmbeddedWordPress) -> None:
    bound.sync()
    known = explained(bound, TEAM).entry
    assert known
    site.post(f"pages/{known.id}", title="Edited")
    assert not any(each.edit for each in explained(bound, TEAM).fields)
    found = explained(bound, TEAM, drift=True)
    assert field(found, "title").edit == "Edited"
    assert isinstance(found.change, Blocked)
    assert found.looked


def test_other_paths_say_why_they_are_not_documents(bound: Bound, repository: SampleRepository) -> None:
    repository.commit({"content/pages/none.md": "---\ntype: none\n---\n", "content/a.txt": "x"})
    assert explained(bound, "content/pages/left.md").why_none == "`exclude` in the settings leaves it out"
    assert explained(bound, "templates/page.html").why_none == "it is not below the content folder, content/"
    assert explained(bound, "content/pages/none.md").why_none.startswith("its type is `none`")
    assert explained(bound, "content/a.txt").why_none.startswith("it is not Markdown")
    with pytest.raises(ConfigError, match="is a folder"):
        explained(bound, "content/pages")


def test_a_removed_file_says_that_its_record_is_deleted(bound: Bound, repository: SampleRepository) -> None:
    bound.sync()
    repository.remove(TEAM)
    repository.commit({})
    found = explained(bound, TEAM)
    assert isinstance(found.change, Delete)
    assert found.why_none == "its file was removed or renamed"
    assert found.entry


def test_a_file_with_a_problem_keeps_its_places(bound: Bound, repository: SampleRepository) -> None:
    bound.sync()
    repository.commit({TEAM: "---\ntitle: Team\nstatus: bogus\n---\nWe\n"})
    found = explained(bound, TEAM)
    assert isinstance(found.change, Blocked)
    assert [problem.line for problem in found.problems] == [3]
    assert found.why_none == "it cannot be read as a page or a post"


def test_an_edit_that_is_not_committed_counts_with_the_working_tree(
    bound: Bound, repository: SampleRepository
) -> None:
    repository.write(TEAM, "---\ntitle: Ours\n---\nWe\n")
    assert field(explained(bound, TEAM), "title").value == "Team"
    found = explained(bound, TEAM, worktree=True)
    assert (field(found, "title").value, found.is_committed) == ("Ours", False)
    assert explained(bound, POST, worktree=True).is_committed
