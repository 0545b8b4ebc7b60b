"""The explanation of one path: its fields, its causes, its last revision, and a file that is gone."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.embedded_wordpress import ENVIRON
from tests.support.strict_service import Fault, answer
from tests.support.syncing import Bound
from tests.support.terminal import Terminal

from pressync.app.explain.explain import explain, last_revision
from pressync.app.explain.origins import FieldState, Revised, ValueSource
from pressync.app.revision import Revision
from pressync.model.changes import Blocked, Create, Delete, Keep, Update
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind
from pressync.plan.build import PlanOptions
from pressync.plan.decide import adopted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

    from pressync.app.explain.origins import ExplainedField, Explanation

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
    with bound.workspace() as workspace:
        plan = workspace.plan_with_drift if drift else workspace.plan
        return explain(workspace, path, Revision(worktree=worktree), plan, drift=drift)


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


def test_it_says_which_fields_the_next_sync_sends(bound: Bound, repository: SampleRepository) -> None:
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


def test_an_edit_on_the_site_is_named(
    bound: Bound, site: EmbeddedWordPress, repository: SampleRepository
) -> None:
    bound.sync()
    known = explained(bound, TEAM).entry
    assert known
    site.post(f"pages/{known.id}", title="Edited")
    assert not any(each.edit for each in explained(bound, TEAM).fields)
    found = explained(bound, TEAM, drift=True)
    assert field(found, "title").edit == "Edited"
    assert isinstance(found.change, Blocked)
    assert found.looked
    repository.remove(TEAM)
    repository.commit({})
    found = explained(bound, TEAM)
    assert isinstance(found.change, Delete)
    assert found.why_none == "its file was removed or renamed"
    assert found.entry


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("content/pages/left.md", "`exclude` in the settings leaves it out"),
        ("templates/page.html", "it is not below the content folder, content/"),
        ("content/pages/none.md", "its type is `none`"),
        ("content/a.txt", "it is not Markdown"),
    ],
)
def test_other_paths_say_why_they_are_not_documents(
    bound: Bound, repository: SampleRepository, path: str, why: str
) -> None:
    repository.commit({"content/pages/none.md": "---\ntype: none\n---\n", "content/a.txt": "x"})
    assert explained(bound, path).why_none.startswith(why)
    with pytest.raises(ConfigError, match="is a folder"):
        explained(bound, "content/pages")


SCHEMA = json.loads(files("pressync").joinpath("schemas", "explain.json").read_text(encoding="utf-8"))


def test_the_schema_has_every_source_and_every_state() -> None:
    assert SCHEMA["$defs"]["from"]["enum"] == [source.value for source in ValueSource]
    states = SCHEMA["properties"]["fields"]["items"]["properties"]["state"]["enum"]
    assert states == [state.value for state in FieldState]


ABOUT = "content/pages/about.md"


@pytest.fixture
def clone(repository: SampleRepository) -> Iterator[Terminal]:
    """Make a repository with two pages, and settings of a service."""
    with embedded_wordpress.serving() as site:
        settings = f'[sites.live]\nurl = "{site.url}"\n'
        repository.commit(
            {"pressync.toml": settings, ABOUT: "# About\n", "content/pages/index.md": "# Home\n"}
        )
        yield Terminal(repository, embedded_wordpress.ENVIRON)


def test_of_a_removed_file_the_run_that_deleted_its_record_or_the_commit_is_named(clone: Terminal) -> None:
    clone.repository.commit({"content/pages/team/anna.md": "# Anna\n"})
    clone.repository.git("rm", "--quiet", "content/pages/team/anna.md")
    clone.repository.git("commit", "--quiet", "--message", "We are gone")
    for typed in ("content/pages/team", "content/pages/abuot.md", ":(glob)**"):
        assert "check the spelling" in clone.run("explain", typed, exits=2).stderr
    said = clone.run("explain", "pages/team/anna.md").stdout
    assert "not a document    its file was removed or renamed\n" in said
    assert "We are gone" in said
    assert "nothing: a sync does not read this file" in said
    clone.run("sync", "--yes")
    number = json.loads(clone.run("explain", ABOUT, "--format", "json").stdout)["id"]
    clone.repository.remove(ABOUT)
    removed = clone.repository.commit()
    run = json.loads(clone.run("sync", "--yes", "--max-delete", "1", "--format", "json").stdout)["run"]
    found = json.loads(clone.run("explain", ABOUT, "--format", "json").stdout)
    assert found["not_a_document"] == f"its file was removed or renamed; run {run} deleted its page {number}"
    assert found["source"]["commit"]["id"] == removed
    assert found["next"] is None


PAGE = adopted("content/pages/a.md", Kind.PAGE, 7)
# As WordPress 6.8 responds.
NEWEST = [{"author": 1, "date_gmt": "2024-05-01T10:00:00"}]


def asked(site: EmbeddedWordPress, repository: SampleRepository, *responses: object) -> Revised | None:
    """Ask for the last revision; the first requests get these responses."""
    site.faults.extend(Fault(acts=False, sends=answer(body=json.dumps(each).encode())) for each in responses)
    with Bound(repository.root, site.url, environ=ENVIRON).workspace() as workspace:
        return last_revision(workspace, PAGE)


@pytest.mark.parametrize(
    ("responses", "who"),
    [
        ([NEWEST], "admin"),
        ([[{"author": 99, "date_gmt": "2024-05-01T10:00:00"}]], "user 99"),
        ([NEWEST, {"name": "a\x1b[31m\nb", "slug": "a"}], "a\\u001b[31m b"),
        ([[]], None),
        ([], None),
    ],
)
def test_it_is_named_with_its_user(
    site: EmbeddedWordPress, repository: SampleRepository, responses: list[object], who: str | None
) -> None:
    found = asked(site, repository, *responses)
    assert found == (who and Revised("2024-05-01T10:00:00Z", who))
    asked_for = [each.path.partition("?")[0] for each in site.received]
    assert asked_for[:1] == ["/wp-json/wp/v2/pages/7/revisions"]
