"""A file's text with what the site says in it, field by field, in the words of that file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.builders import entry

from pressync.app.revision import Revision
from pressync.content.front_matter.edit import Setting
from pressync.model.records import Manifest, Medium, Name, Value
from pressync.pull.draft import Draft, IdNames, PullContext, PullContexts, draft, link_writer, setting

if TYPE_CHECKING:
    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository


PAGE, POST = "content/pages/about.md", "content/posts/2024-01-31-hello.md"


def drafted(desk: Desk, path: str, text: str, **edits: Any) -> Draft:  # noqa: ANN401 - any field's value
    with desk.workspace() as workspace, workspace.reading() as state:
        content = workspace.content(Revision(worktree=True), manifest=state.manifest)
        base = content.read(path, {}, text.encode()).prepared
        assert base is not None
        return draft(text, base, edits, PullContexts(content, {}, state.manifest).for_document(path))


@pytest.fixture
def files(desk: Desk, repository: SampleRepository) -> Desk:
    repository.commit({PAGE: "# About\n", POST: "Hello\n"})
    return desk


@pytest.mark.parametrize(
    ("before", "title", "after"),
    [
        ("# About\n\nx\n", "New", "# New\n\nx\n"),
        ("# About #\n", "1 < 2 & *x*", "# 1 < 2 & \\*x\\*\n"),
        ("About\n=====\n\nx\n", "Much longer", "Much longer\n===========\n\nx\n"),
        ("---\ntitle: About\n---\n# Heading\n", "New", "---\ntitle: New\n---\n# Heading\n"),
        ("## About\n", "New", "---\ntitle: New\n---\n\n## About\n"),
    ],
)
def test_a_title_is_changed_where_it_stands(files: Desk, before: str, title: str, after: str) -> None:
    made = drafted(files, PAGE, before, title=title)
    assert (made.text, made.taken, made.problems) == (after, ("title",), ())
    assert made.prepared.fields["title"] == title


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        ("Hello\n", {"date": "2024-02-01T00:00:00"}, "---\ndate: 2024-02-01T00:00:00\n---\n\nHello\n"),
        (
            "---\ndate: 2024-01-31T10:00:00+02:00\n---\nHello\n",
            {"date_gmt": "2024-02-01T09:00:00"},
            "---\ndate: 2024-02-01T09:00:00Z\n---\nHello\n",
        ),
        (
            "+++\ncategories = [3, 5]\n+++\nHello\n",
            {"categories": (3, 7)},
            "+++\ncategories = [3, 7]\n+++\nHello\n",
        ),
        ('{"sticky": false}\nHello\n', {"sticky": True}, '{"sticky": true}\nHello\n'),
        ("---\ndraft: true\n---\nHello\n", {"status": "publish"}, "---\nstatus: publish\n---\nHello\n"),
    ],
)
def test_others_are_set_in_front_matter(files: Desk, before: str, edits: dict[str, Any], after: str) -> None:
    made = drafted(files, POST, before, **edits)
    assert (made.text, made.problems) == (after, ())


@pytest.mark.parametrize(
    ("text", "edits", "why"),
    [
        ("Hello\n", {"slug": "No Slug"}, "pressync cannot write this value into the file"),
        ("Hello\n", {"status": "inherit"}, "would have a problem (status cannot be 'inherit'"),
        (
            "---\ndraft: true\nstatus: draft\n---\n",
            {"status": "publish"},
            "would have a problem ('draft: true'",
        ),
        ("Hello\n", {"meta": {"footnotes": "x"}}, "pressync does not take its members over"),
        ("Hello\n", {"content": "<div>" * 1000}, "nested too deeply"),
    ],
)
def test_what_a_file_cannot_say_is_told(files: Desk, text: str, edits: dict[str, Any], why: str) -> None:
    made = drafted(files, PAGE, text, **edits, menu_order=5)
    problem = next(said for said in made.problems if not said.startswith("menu_order"))
    assert problem.startswith(f"{next(iter(edits))}: ")
    assert why in problem
    assert problem.endswith("; take it over by hand")
    assert "menu_order: 5" in made.text


def test_a_template_that_changes_the_body_keeps_it(files: Desk, repository: SampleRepository) -> None:
    repository.commit({"templates/page.html": "{{ content }}<hr>{{ content|length }}{{ content }}"})
    made = drafted(files, PAGE, "# About\n", content="<p>x</p>")
    assert made.taken == ()
    assert "its template changes the body" in made.problems[0]


ABOUT, GONE, PICTURE = "content/pages/about.md", "content/pages/gone.md", "content/a.png"
PLACES = {
    "https://site.test/about/": "content/pages/about.md",
    "https://site.test/team/anna/": "content/pages/team/anna.md",
    "https://site.test/?page_id=12": "content/pages/a b (1).md",
    "https://site.test/files/x.png": "content/pages/team/x.png",
}
WORDS = IdNames(
    pages={7: "content/pages/team.md"},
    names={("categories", 3): "News", ("author", 2): "anna"},
    files={40: "a.png"},
)


def of(desk: Desk, path: str) -> PullContext:
    """Give the surroundings of a document on a site of two pages and two pictures."""
    with desk.workspace() as workspace:
        content = workspace.content(Revision())
        blob = content.tree.files[PICTURE]
        site = Manifest(
            "https://site.test",
            names={Name("categories", "News"): 3},
            media={
                blob: Medium(blob, PICTURE, 40, "https://site.test/a.png"),
                "old": Medium("old", "content/old.png", 41, "https://site.test/old.png"),
            },
        )
        return PullContexts(content, {ABOUT: entry(ABOUT, 7), GONE: entry(GONE, 8)}, site).for_document(path)


def test_only_what_is_in_the_tree_has_words(desk: Desk, repository: SampleRepository) -> None:
    repository.commit({ABOUT: "x\n", PICTURE: b"a"})
    around = of(desk, ABOUT)
    assert around.names.pages == {7: ABOUT}
    assert around.names.names == {("categories", 3): "News"}
    assert around.names.files == {40: "../a.png"}
    assert around.link("https://site.test/a.png") == "../a.png"
    assert around.link("https://site.test/old.png") == "https://site.test/old.png"


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("https://site.test/about/", "../about.md"),
        ("https://site.test/about/?a=1#team", "../about.md?a=1#team"),
        ("https://site.test/?page_id=12&a=1", "../a%20b%20%281%29.md?a=1"),
        ("https://site.test/files/x.png", "x.png"),
        ("https://site.test/team/anna/", "anna.md"),
    ],
)
def test_an_address_that_the_service_gave_becomes_a_path(address: str, link: str) -> None:
    write = link_writer("content/pages/team/anna.md", PLACES)
    assert write(address) == link
    for other in ("https://site.test/about", "https://other.test/about/", "/about/", "#team", ""):
        assert write(other) == other


@pytest.mark.parametrize(
    ("field", "value", "keys", "expected"),
    [
        ("title", "A", (), Setting("title", "A")),
        ("menu_order", 3, ("weight",), Setting("weight", 3)),
        ("excerpt", "x", ("description", "summary"), Setting("summary", "x")),
        ("status", "publish", ("draft",), Setting("status", "publish", instead_of="draft")),
        ("status", "draft", ("draft",), Setting("draft", True)),
        ("date", "2024-01-31T10:00:00", (), Setting("date", "2024-01-31T10:00:00", bare=True)),
        ("date_gmt", "2024-01-31T10:00:00", ("date",), Setting("date", "2024-01-31T10:00:00Z", bare=True)),
        ("parent", 7, (), Setting("parent", "content/pages/team.md")),
        ("categories", (3, 9), (), Setting("categories", ("News", 9))),
        ("author", 2, (), Setting("author", "anna")),
        ("featured_media", 40, (), Setting("featured_media", "a.png")),
        ("password", "secret", ("password",), None),
        ("meta", {"footnotes": "x"}, ("meta",), None),
    ],
)
def test_each_field_is_said_in_the_files_own_words(
    field: str, value: Value, keys: tuple[str, ...], expected: Setting | None
) -> None:
    assert setting(field, value, keys, WORDS) == expected
