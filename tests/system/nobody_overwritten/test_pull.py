"""From an edit on the site to a commit, on a real repository and a service in memory."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs
from tests.support import clones
from tests.support.desk import Desk
from tests.support.repository import SampleRepository, copied

from pressync.app import bind
from pressync.app.pull import PullOptions, pull
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.client.terms import Term
from pressync.model.changes import Block, Blocked, Update
from pressync.model.errors import RepositoryError
from pressync.model.site_schema import SiteSchema, SiteType, encode
from pressync.plan.notes import overwritten_edits

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress

    from pressync.model.changes import Change
    from pressync.model.records import Medium

ABOUT, TEAM = "content/pages/about.md", "content/pages/team.md"
TEXT = """\
---
title: About us   # the short one
weight: 2
---
* We *are* what
  we write.
* And more.

See [the team](team.md#lead "Who").

Second paragraph.
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Sync two pages that link to each other; each test gets a copy."""
    repository = SampleRepository.create(tmp_path_factory.mktemp("original") / "repository")
    repository.commit({ABOUT: TEXT, TEAM: "# Team\n\nBack to [about](about.md).\n\n## Lead\n"})
    made = Desk(repository.root, "https://site.test/wp-json")
    made.sync()
    assert made.plan().pending == ()
    return made


@pytest.fixture
def about(original: Desk, repository: SampleRepository) -> Desk:
    copied(original.root.parent, repository.root.parent)
    return Desk(repository.root, original.url, service=deepcopy(original.service))


def changes(desk: Desk) -> list[Change]:
    """List the changes of a plan of HEAD, also the blocked ones."""
    plan = desk.plan()
    return [*plan.pending, *(change for change in plan.changes if isinstance(change, Blocked))]


def test_an_edited_paragraph_comes_back_as_that_line_and_no_other(
    about: Desk, repository: SampleRepository
) -> None:
    about.edit(ABOUT, content=("Second paragraph.", "A <strong>better</strong> paragraph."))

    (pulled,) = about.pull(ABOUT)

    assert (pulled.path, pulled.taken, pulled.settled) == (ABOUT, ("content",), True)
    assert about.text(ABOUT) == TEXT.replace("Second paragraph.", "A **better** paragraph.")
    repository.commit()
    assert changes(about) == []
    sent = len(about.service.calls)
    assert about.sync().outcomes == ()
    assert len(about.service.calls) == sent
    assert about.pull(ABOUT) == []


def test_a_pull_that_is_not_wanted_is_put_back_by_the_next_sync(
    about: Desk, repository: SampleRepository
) -> None:
    about.edit(ABOUT, content=("Second paragraph.", "Vandalism."))
    about.pull(ABOUT)

    repository.git("checkout", "--", ABOUT)

    (change,) = changes(about)
    assert isinstance(change, Update)
    assert change.fields == ("content",)
    about.sync()
    assert "Second paragraph." in str(about.record(ABOUT).fields["content"])


def test_an_edit_here_and_an_edit_there_become_one_text(about: Desk, repository: SampleRepository) -> None:
    about.edit(ABOUT, content=("Second paragraph.", "From the site."))
    repository.commit({ABOUT: TEXT.replace("And more", "And more from here")})
    about.sync()
    (conflict,) = changes(about)
    assert isinstance(conflict, Blocked)
    assert conflict.block is Block.CONFLICT
    assert f"`pressync pull {ABOUT}`" in conflict.reason

    (pulled,) = about.pull()

    assert pulled.settled
    both = TEXT.replace("And more", "And more from here").replace("Second paragraph", "From the site")
    assert about.text(ABOUT) == both
    repository.commit()
    about.sync()
    content = str(about.record(ABOUT).fields["content"])
    assert "And more from here" in content
    assert "From the site" in content
    assert changes(about) == []


def test_two_edits_of_one_line_are_left_to_a_person_with_gits_own_marks(
    about: Desk, repository: SampleRepository
) -> None:
    about.edit(ABOUT, content=("Second paragraph.", "From the site."))
    repository.commit({ABOUT: TEXT.replace("Second paragraph.", "From here.")})

    (pulled,) = about.pull(ABOUT)

    assert (pulled.conflicts, pulled.settled) == (1, False)
    assert "<<<<<<< this file\nFrom here.\n" in about.text(ABOUT)
    assert "=======\nFrom the site.\n>>>>>>> the site\n" in about.text(ABOUT)
    repository.commit({ABOUT: TEXT.replace("Second paragraph.", "From both.")})
    about.sync()
    assert "From both." in str(about.record(ABOUT).fields["content"])


def test_fields_are_edited_in_the_words_of_the_file(about: Desk, repository: SampleRepository) -> None:
    about.edit(ABOUT, title="About: us", menu_order=7, slug="who-we-are", status="draft")

    (pulled,) = about.pull(ABOUT)

    assert pulled.taken == ("menu_order", "slug", "status", "title")
    expected = TEXT.replace("About us ", "'About: us' ").replace(
        "weight: 2\n", "weight: 7\nslug: who-we-are\nstatus: draft\n"
    )
    assert about.text(ABOUT) == expected
    repository.commit()
    assert "https://site.test/about/" in about.entries()[ABOUT].former
    # The other page links here.
    (change,) = changes(about)
    assert isinstance(change, Update)
    assert (change.path, change.fields) == (TEAM, ("content",))


def test_a_title_that_was_taken_from_the_heading_is_changed_there(
    about: Desk, repository: SampleRepository
) -> None:
    about.edit(TEAM, title="The *whole* team")
    about.pull(TEAM)
    assert about.text(TEAM).startswith("# The \\*whole\\* team\n\nBack to [about](about.md).")
    repository.commit()
    assert changes(about) == []


def test_a_first_heading_that_was_edited_there_does_not_change_the_title(
    desk: Desk, repository: SampleRepository
) -> None:
    repository.commit({ABOUT: "Before.\n\n# Our work\n\nOne.\n"})
    desk.sync()
    desk.edit(ABOUT, content=(">Our work<", ">Our *own* work<"))

    (pulled,) = desk.pull(ABOUT)

    assert pulled.problems == ()
    assert desk.text(ABOUT) == "---\ntitle: Our work\n---\n\nBefore.\n\n# Our \\*own\\* work\n\nOne.\n"
    repository.commit()
    assert changes(desk) == []


def test_a_link_to_another_page_of_the_site_becomes_a_path(about: Desk) -> None:
    link = '<a href="https://site.test/team/?view=all#lead">all of us</a>'
    about.edit(ABOUT, content=("Second paragraph.", f"Or see {link}, {link.replace('/team/', '/blog/')}."))
    about.pull(ABOUT)
    last = about.text(ABOUT).splitlines()[-1]
    assert (
        last
        == "Or see [all of us](team.md?view=all#lead), [all of us](https://site.test/blog/?view=all#lead)."
    )


def test_names_and_files_stand_for_their_ids(desk: Desk, repository: SampleRepository) -> None:
    desk.service.people |= {"anna": 2, "bob": 3}
    head = "---\nauthor: anna\nfeatured_media: a.png\n---\n"
    repository.commit(
        {
            ABOUT: head + "![a](a.png)\n",
            TEAM: "---\nauthor: bob\n---\n![b](b.png)\n",
            "content/pages/a.png": b"a",
            "content/pages/b.png": b"b",
        }
    )
    desk.sync()
    other = desk.record(TEAM).fields
    number = next(medium.id for medium in _media(desk) if medium.path.endswith("b.png"))
    picture = str(other["content"]).removeprefix("<p>").removesuffix("</p>\n")
    desk.edit(ABOUT, author=3, featured_media=number, content=("</p>", f" {picture}</p>"))

    (pulled,) = desk.pull(ABOUT)

    assert pulled.settled
    assert desk.text(ABOUT) == "---\nauthor: bob\nfeatured_media: b.png\n---\n![a](a.png) ![b](b.png)\n"
    repository.commit()
    assert changes(desk) == []


def test_a_parent_becomes_the_path_of_its_page(about: Desk, repository: SampleRepository) -> None:
    repository.commit({ABOUT: TEXT.replace("weight: 2", "parent: 0")})
    about.sync()
    about.edit(ABOUT, parent=about.entries()[TEAM].id)
    about.pull(ABOUT)
    assert f"\nparent: {TEAM}\n" in about.text(ABOUT)
    repository.commit()
    assert changes(about) == []


def test_a_password_is_never_written_into_a_file(about: Desk, repository: SampleRepository) -> None:
    repository.commit({ABOUT: TEXT.replace("weight: 2", "password: first")})
    about.sync()
    about.edit(ABOUT, password="second", title="New")

    (pulled,) = about.pull(ABOUT)

    assert pulled.taken == ("title",)
    (problem,) = pulled.problems
    assert problem.startswith("password: it was changed on the site, and pressync never writes a password")
    assert "second" not in about.text(ABOUT)
    assert "second" not in (about.root / ".pressync/default.json").read_text()
    repository.commit()
    (change,) = changes(about)
    assert isinstance(change, Blocked)
    assert change.fields == ("password",)


def test_uncommitted_work_is_not_touched_unless_it_is_to_be_merged_into(
    about: Desk, repository: SampleRepository
) -> None:
    about.edit(ABOUT, content=("Second paragraph.", "From the site."))
    mine = TEXT.replace("And more", "And more, unfinished")
    repository.write(ABOUT, mine)

    (refused,) = about.pull(ABOUT)
    assert refused.taken == ()
    assert "uncommitted changes" in refused.problems[0]
    assert about.text(ABOUT) == mine

    (pulled,) = about.pull(ABOUT, force=True)
    assert pulled.settled
    assert about.text(ABOUT) == mine.replace("Second paragraph.", "From the site.")


def test_a_look_writes_neither_the_file_nor_the_manifest(about: Desk) -> None:
    about.edit(ABOUT, content=("Second paragraph.", "From the site."))
    before = about.entries()
    (pulled,) = about.pull(ABOUT, look=True)
    assert "From the site." in pulled.after
    assert about.text(ABOUT) == TEXT == pulled.before
    assert about.entries() == before


def test_without_a_path_the_records_in_conflict_are_meant(about: Desk, repository: SampleRepository) -> None:
    about.edit(ABOUT, title="New title")
    about.edit(TEAM, title="New team")
    assert about.pull() == []
    repository.commit({ABOUT: TEXT.replace("Second", "Another")})
    about.sync()
    assert [each.path for each in about.pull()] == [ABOUT]
    assert [each.path for each in about.pull("content")] == [TEAM]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (
            "trash",
            f"in the trash; nothing was taken over; restore it there, or `pressync sync --overwrite {ABOUT}`",
        ),
        (
            None,
            f"no longer on the site; nothing was taken over; remove the file, or `pressync forget {ABOUT}`",
        ),
    ],
)
def test_of_a_record_that_is_gone_nothing_is_taken(about: Desk, status: str | None, said: str) -> None:
    if status:
        about.edit(ABOUT, status=status, slug="about__trashed")
    else:
        del about.service.held[about.entries()[ABOUT].id]
    (pulled,) = about.pull(ABOUT)
    assert said in pulled.problems[0]
    assert about.text(ABOUT) == TEXT


def test_killed_after_the_file_and_before_the_manifest_another_pull_ends_it(
    about: Desk, repository: SampleRepository
) -> None:
    about.edit(ABOUT, content=("Second paragraph.", "Line<br>break."))
    manifest = about.root / ".pressync/default.json"
    before = manifest.read_bytes()
    about.pull(ABOUT)
    manifest.write_bytes(before)
    written = about.text(ABOUT)

    (pulled,) = about.pull(ABOUT)

    assert pulled.settled
    assert about.text(ABOUT) == written
    repository.commit()
    assert changes(about) == []
    assert about.sync().outcomes == ()


@pytest.mark.parametrize(
    ("there", "classic", "texts"),
    [
        ("<p>New text.</p>\n<p>Kept.</p>", False, ("Kept.", "New text.\n\nKept.")),
        # Readers of the classic editor see paragraphs that its text does not have.
        (
            "Kept,\nwith a line.\n\nNew <em>text</em>.\n\n<ul>\n\t<li>One</li>\n</ul>\nLast.",
            True,
            ("Kept,\\\nwith a line.", "Kept,\\\nwith a line.\n\nNew *text*.\n\n- One\n\nLast."),
        ),
    ],
)
def test_a_record_that_was_adopted_gives_the_file_what_its_readers_see(
    desk: Desk, repository: SampleRepository, there: str, classic: bool, texts: tuple[str, str]
) -> None:
    repository.commit({ABOUT: f"# About\n\nOld text.\n\n{texts[0]}\n"})
    held = desk.service.hold(12, title="About", slug="about", content=there, excerpt="x")
    desk.service.held[12] = replace(held, classic=classic)
    with desk.workspace() as workspace:
        bind.adopt(workspace, {ABOUT: 12}, Revision())

    (pulled,) = desk.pull(ABOUT)

    assert pulled.taken == ("content",)
    assert desk.text(ABOUT) == f"# About\n\n{texts[1]}\n"
    repository.commit()
    assert changes(desk) == []
    assert desk.sync().outcomes == ()
    repository.remove(ABOUT)
    repository.commit()
    assert [type(change).__name__ for change in changes(desk)] == ["Delete"]


def test_what_a_template_puts_around_the_body_is_cut_off(about: Desk, repository: SampleRepository) -> None:
    repository.commit(
        {"templates/page.html": "<article>\n{{ content }}</article>\n<footer>{{ title }}</footer>\n"}
    )
    about.sync()
    about.edit(ABOUT, content=("Second paragraph.", "From the site."))
    about.pull(ABOUT)
    assert about.text(ABOUT) == TEXT.replace("Second paragraph.", "From the site.")
    repository.commit()
    assert changes(about) == []


def test_an_edit_of_what_the_template_says_is_told_and_nothing_of_the_body_is_taken(
    about: Desk, repository: SampleRepository
) -> None:
    repository.commit({"templates/page.html": "{{ content }}<footer>{{ title }}</footer>\n"})
    about.sync()
    about.edit(ABOUT, title="New", content=("<footer>About us", "<footer>By hand"))
    (pulled,) = about.pull(ABOUT)
    assert pulled.taken == ("title",)
    assert "the HTML around the body differs" in pulled.problems[0]
    assert "title: New " in about.text(ABOUT)
    assert about.entries()[ABOUT].conflict.keys() == {"content"}


def test_a_page_of_blocks_comes_back_as_markdown(about: Desk, repository: SampleRepository) -> None:
    settings = '[sites.default]\nurl = "https://site.test/wp-json"\ndialect = "wordpress"\nblocks = true\n'
    repository.commit({"pressync.toml": settings, "templates/page.html": "{{ content }}<hr />\n"})
    about.sync()
    assert "<!-- wp:list -->" in str(about.record(ABOUT).fields["content"])
    new = "<!-- wp:paragraph -->\n<p>New.</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:separator -->"
    about.edit(ABOUT, content=("<!-- wp:separator -->", new))
    about.pull(ABOUT)
    assert about.text(ABOUT) == f"{TEXT}\nNew.\n"
    repository.commit()
    assert changes(about) == []
    assert about.sync().outcomes == ()


def test_a_file_that_was_renamed_since_is_found_under_its_new_name(
    about: Desk, repository: SampleRepository
) -> None:
    new = "content/pages/who.md"
    repository.move(ABOUT, new)
    repository.commit(
        {new: TEXT.replace("weight: 2\n", "weight: 2\nslug: about\n"), TEAM: "# Team\n\n## Lead\n"}
    )
    about.edit(ABOUT, content=("Second paragraph.", "From the site."))

    (pulled,) = about.pull(new)

    assert pulled.settled
    assert "From the site." in about.text(new)
    repository.commit()
    about.sync()
    assert "From the site." in str(about.record(new).fields["content"])
    assert changes(about) == []


def test_a_second_edit_after_the_first_was_pulled_is_merged_with_what_was_pulled(
    about: Desk, repository: SampleRepository
) -> None:
    about.edit(ABOUT, content=("Second paragraph.", "First edit."))
    about.pull(ABOUT)
    repository.commit({ABOUT: about.text(ABOUT).replace("And more", "And mine")})
    about.edit(ABOUT, content=("First edit.", "Second edit."))
    (pulled,) = about.pull(ABOUT)
    assert pulled.settled
    assert about.text(ABOUT) == TEXT.replace("Second paragraph.", "Second edit.").replace(
        "And more", "And mine"
    )


def test_a_bare_repository_has_no_files_to_write_to(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit({ABOUT: TEXT})
    bare = tmp_path / "bare.git"
    repository.git("clone", "--quiet", "--bare", str(repository.root), str(bare))
    with Workspace.open(bare, environ={}) as workspace, pytest.raises(RepositoryError, match="working tree"):
        pull(workspace, PullOptions())


POST = "content/posts/one.md"
ROWS = """\
[authors]
"Anna B" = "anna"
"B" = "bob"
"Bob" = "bob"
[terms]
"categories/Neues" = "News"
"""


@pytest.mark.parametrize(
    ("rows", "edits", "head"),
    [
        ("", {"author": 2}, "author: anna"),
        ("", {"categories": (1, 2, 3)}, "categories: [World, News, Events]"),
        ("", {"categories": (2, 5)}, "categories: [World, News/Local]"),
        ("", {"categories": (3,)}, "categories: [Events]"),
        # Two terms have this name, so a file with the name would not say which one it means.
        ("", {"categories": (1, 2, 6)}, "categories: [World, News, 6]"),
        ("", {"categories": (2, 8)}, "categories: [World, 8]"),
        (ROWS, {"author": 2}, "author: Anna B"),
        (ROWS, {"author": 3}, "author: bob"),
        (ROWS + '"categories/Ereignis" = "Events"\n', {"categories": (3,)}, "categories: [Ereignis]"),
        ('[authors]\n"*" = "chief"\n', {"author": 2}, "author: 2"),
    ],
)
def test_what_people_choose_on_the_site_is_named_in_the_file_as_files_name_it(
    repository: SampleRepository, rows: str, edits: dict[str, object], head: str
) -> None:
    text = "---\ntitle: One\nauthor: chief\ncategories: [World, News]\n---\nText.\n"
    repository.commit({"pressync.toml": rows, POST: text})
    desk = Desk(repository.root, "https://site.test/wp-json")
    names = {"News": 0, "World": 0, "Events": 0, "Old": 0, "Local": 1, "Two": 0, "TWO": 0, "In": 6}
    desk.service.has["categories"] = [
        Term(number, name, f"{name}-{number}", parent)
        for number, (name, parent) in enumerate(names.items(), 1)
    ]
    desk.service.people |= {"anna": 2, "bob": 3, "chief": 4}
    desk.sync()
    desk.edit(POST, **edits)
    assert [each.settled for each in desk.pull(POST)] == [True]
    former = "author: chief" if "author" in edits else "categories: [World, News]"
    assert desk.text(POST) == text.replace(former, head)
    repository.commit()
    assert changes(desk) == []


@pytest.mark.parametrize(
    ("edit", "now", "outcomes"),
    [
        ({"categories": (1, 2)}, "author: chief\ncategories: [World, News]", ["done"]),
        ({"categories": (2,)}, "author: chief\ncategories: [World, News]", ["blocked"]),
        ({"author": 2}, "author: anna\ncategories: [News]", ["done"]),
        ({"author": 3}, "author: anna\ncategories: [News]", ["blocked"]),
    ],
)
def test_names_that_the_file_and_the_site_both_took_are_no_conflict(
    repository: SampleRepository, edit: dict[str, object], now: str, outcomes: list[str]
) -> None:
    both = "content/posts/two.md"
    text = "---\ntitle: One\nauthor: chief\ncategories: [News]\n---\nText.\n"
    others = "---\ntitle: Two\nauthor: anna\ncategories: [World]\n---\nText.\n"
    repository.commit({POST: text, both: others})
    desk = Desk(repository.root, "https://site.test/wp-json")
    desk.service.has["categories"] = [Term(1, "News", "news", 0), Term(2, "World", "world", 0)]
    desk.service.people |= {"anna": 2, "bob": 3, "chief": 4}
    desk.sync()
    desk.edit(POST, **edit)
    repository.commit({POST: text.replace("author: chief\ncategories: [News]", now)})
    done = desk.sync()
    assert [str(outcome.result) for outcome in done.outcomes] == outcomes
    assert overwritten_edits(done.plan.changes) == []


PICTURE = {"type": ["integer", "null"]}
FIELDS = {
    "size": {"type": "object", "properties": {"pic": PICTURE, "width": {"type": "integer"}}},
    "rows": {"type": ["array", "null"], "items": {"type": "object", "properties": {"pic": PICTURE}}},
}


def test_a_path_inside_of_a_value_becomes_the_id_of_an_upload_and_comes_back_as_a_path(
    repository: SampleRepository,
) -> None:
    page = SiteType(route="/wp/v2/pages", right="edit_pages", hierarchical=True, acf=FIELDS)
    head = "title: About\nacf:\n  size: {pic: a.png, width: 3}\n  rows: [{pic: b.png}, {pic: a.png}]"
    text = f"---\n{head}\n---\nText.\n"
    pictures = {f"content/pages/{name}.png": name.encode() for name in "ab"}
    schema = SiteSchema(types={"page": page})
    repository.commit({".pressync/default.schema.json": encode(schema), ABOUT: text, **pictures})
    desk = Desk(repository.root, "https://site.test/wp-json")
    desk.service.site_schema = schema
    assert desk.plan().pending
    desk.sync()
    ids = {medium.path[-5]: medium.id for medium in _media(desk)}
    sent = desk.record(ABOUT).fields
    assert sent["acf.size"] == {"pic": ids["a"], "width": 3}
    assert sent["acf.rows"] == ({"pic": ids["b"]}, {"pic": ids["a"]})
    assert changes(desk) == []
    desk.edit(ABOUT, **{"acf.size": {"pic": ids["b"], "width": 4}})
    assert [each.problems for each in desk.pull(ABOUT)] == [()]
    assert desk.text(ABOUT) == text.replace("{pic: a.png, width: 3}", "{pic: b.png, width: 4}")
    repository.commit()
    assert changes(desk) == []
    repository.commit({"content/pages/b.png": b"another"})
    assert [isinstance(each, Update) and each.fields for each in changes(desk)] == [("acf.rows", "acf.size")]
    repository.commit({ABOUT: text.replace("a.png", "c.png")})
    assert any("acf.size is 'c.png', which is not a file here" in str(each) for each in desk.plan().problems)


WORDS = {"type": ["string", "null"]}
GROUPS: dict[str, dict[str, Any]] = {
    "size": {
        "type": ["object", "null"],
        "properties": {
            "pic": PICTURE,
            "note": WORDS,
            "inner": {"type": ["object", "null"], "properties": {"pic": PICTURE, "list": {"type": "array"}}},
        },
    },
    "rows": {"type": ["array", "null"], "minItems": 1, "items": {"type": "object"}},
    "pick": {"type": ["array", "integer", "null"], "items": {"type": "integer"}, "minItems": 1},
    "link": {"type": ["object", "null"], "properties": {"url": WORDS}, "required": ["url"]},
    "colour": {"type": ["string", "null"]},
}
# What Advanced Custom Fields answers for fields without a value, by the version and the sort of the field.
NOTHINGS = [
    {"size": {"pic": None, "note": "", "inner": {"pic": None, "list": ()}}, "rows": False, "link": ()},
    {"size": {"pic": False, "note": None, "inner": ()}, "rows": (), "link": {"url": ""}},
    {"size": "", "rows": "", "link": ""},
]


@pytest.mark.parametrize("nothing", NOTHINGS)
def test_fields_that_somebody_cleared_and_members_without_a_value_are_pulled(
    repository: SampleRepository, nothing: dict[str, object]
) -> None:
    page = SiteType(route="/wp/v2/pages", right="edit_pages", hierarchical=True, acf=GROUPS)
    own = "  size: {note: Two}\n  rows: [{a: 1}]\n  pick: [4]\n  link: {url: /x}\n  colour: red\n"
    text = f"---\ntitle: About\nacf:\n{own}---\nText.\n"
    schema = SiteSchema(types={"page": page})
    repository.commit({".pressync/default.schema.json": encode(schema), ABOUT: text})
    desk = Desk(repository.root, "https://site.test/wp-json")
    desk.service.site_schema = schema
    desk.sync()
    # Such a group has all its members, and that is no edit.
    members = nothing["size"] if isinstance(nothing["size"], dict) else {}
    desk.edit(ABOUT, **{"acf.size": {**members, "note": "Two"}, "title": "About us"})
    assert [each.taken for each in desk.pull(ABOUT)] == [("title",)]
    text = text.replace("title: About", "title: About us")
    repository.commit()
    desk.edit(ABOUT, **{"acf.size": {**members, "note": "Three"}})
    assert [each.problems for each in desk.pull(ABOUT)] == [()]
    assert desk.text(ABOUT) == text.replace("Two", "Three")
    repository.commit()
    assert changes(desk) == []
    cleared = {f"acf.{name}": value for name, value in {"pick": (), "colour": "", **nothing}.items()}
    desk.edit(ABOUT, **cleared)
    assert [each.problems for each in desk.pull(ABOUT)] == [()]
    assert "Three" not in desk.text(ABOUT)
    repository.commit()
    assert changes(desk) == []
    desk.edit(ABOUT, **{"acf.pick": (5,), "acf.size": {**members, "note": "Four"}})
    assert [each.taken for each in desk.pull(ABOUT)] == [("acf.pick", "acf.size")]


def test_a_bound_record_whose_group_says_the_same_gets_no_call_for_it(repository: SampleRepository) -> None:
    page = SiteType(route="/wp/v2/pages", right="edit_pages", hierarchical=True, acf=GROUPS)
    schema = SiteSchema(types={"page": page})
    text = "---\ntitle: About\nacf:\n  size: {note: Two}\n---\nText.\n"
    repository.commit({".pressync/default.schema.json": encode(schema), ABOUT: text})
    desk = Desk(repository.root, "https://site.test/wp-json")
    desk.service.site_schema = schema
    desk.sync()
    members: dict[str, object] = {"pic": None, "note": "Two", "inner": {"pic": None, "list": ()}}
    desk.edit(ABOUT, **{"acf.size": members})
    with desk.workspace() as workspace, workspace.state(writable=True) as state:
        state.put(structs.replace(state.manifest.entries[ABOUT], fingerprints={}, changed_by_service={}))
        state.save()
    assert [each.problems for each in desk.pull(ABOUT)] == [()]
    assert not any("acf.size" in each.fields for each in changes(desk) if isinstance(each, Update))


GALLERY = """\
<!-- wp:gallery {"linkTo":"none"} -->
<figure class="wp-block-gallery has-nested-images columns-default is-cropped"><!-- wp:image -->
<figure class="wp-block-image"><img src="a.png" alt="two"/></figure>
<!-- /wp:image --></figure>
<!-- /wp:gallery -->
"""
BY_HAND = f"""\
A word here.

{GALLERY}
<!-- wp:image -->
<figure class="wp-block-image"><img src="a.png" alt="three"/><figcaption class="wp-element-caption">At six\
</figcaption></figure>
<!-- /wp:image -->

<!-- wp:table -->
<figure class="wp-block-table"><table><tbody><tr><td>a</td></tr></tbody></table><figcaption \
class="wp-element-caption">Caption</figcaption></figure>
<!-- /wp:table -->

<!-- wp:preformatted -->
<pre class="wp-block-preformatted">one
  two</pre>
<!-- /wp:preformatted -->
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A word", "Another word"),
        ("  two</pre>", "  three</pre>"),
        ("Caption<", "Other<"),
        ('alt="two"', 'alt="one"'),
    ],
)
def test_one_edited_word_leaves_blocks_written_by_hand_as_they_were(
    repository: SampleRepository, old: str, new: str
) -> None:
    settings = "[sites.main]\nblocks = true\n"
    repository.commit({"pressync.toml": settings, "content/pages/a.png": b"a", ABOUT: BY_HAND})
    desk = Desk(repository.root, "https://site.test/wp-json")
    desk.sync()
    assert "wp-image-" in str(desk.record(ABOUT).fields["content"]), "the site has the id of the upload"
    desk.edit(ABOUT, content=(old, new))
    assert [each.settled for each in desk.pull(ABOUT)] == [True]
    assert desk.text(ABOUT) == BY_HAND.replace(old, new)
    repository.commit()
    assert changes(desk) == []


HTML_BY_HAND = """\
<table><tr><td>cell</td></tr></table>

<pre class="own">one
two</pre>

<h3>Thirtyonelettersandnotasinglebreak and more</h3>

<!-- wp:image -->
<figure class="wp-block-image"><img src="a.png" alt="x"/><figcaption class="wp-element-caption">At six\
</figcaption></figure>
<!-- /wp:image -->

<p>Beside <img src="a.png" alt="y" width="300"> it</p>

Last.
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(
            ("cell<", "cells<"),
            ("two</pre>", "three</pre>"),
            ("and more", "and less"),
            ("At six", "At seven"),
        ),
        *(("Beside", "Near"), ("Last", "The end")),
    ],
)
def test_html_of_a_file_keeps_its_form_and_gets_nothing_that_a_sync_adds(
    repository: SampleRepository, old: str, new: str
) -> None:
    repository.commit({"content/pages/a.png": b"a", ABOUT: HTML_BY_HAND})
    desk = Desk(repository.root, "https://site.test/wp-json")
    desk.sync()
    assert "overflow:auto" in str(desk.record(ABOUT).fields["content"])
    desk.edit(ABOUT, content=(old, new))
    desk.pull(ABOUT)
    assert desk.text(ABOUT) == HTML_BY_HAND.replace(old, new)


def _media(desk: Desk) -> list[Medium]:
    with desk.workspace() as workspace, workspace.reading() as state:
        return list(state.manifest.media.values())


def test_the_default_category_of_a_post_whose_category_was_deleted_is_nobody_s_choice(
    desk: Desk, repository: SampleRepository
) -> None:
    post, text = "content/posts/one.md", "---\ntitle: One\ncategories: [News]\n---\nText.\n"
    repository.commit({post: text})
    desk.sync()
    desk.service.lose("categories", desk.service.has["categories"][0].id)

    (pulled,) = desk.pull(post)

    assert (pulled.taken, desk.text(post)) == ((), text)
    (problem,) = pulled.problems
    assert problem == (
        "categories: nobody chose the site's value; what the file names was deleted there, and "
        f"`pressync sync --overwrite {post}` makes it anew"
    )
    # Another edit of such a post is pulled.
    desk.edit(post, title="First")
    (pulled,) = desk.pull(post)
    assert pulled.taken == ("title",)
    assert "makes it anew" in pulled.problems[0]
    assert desk.text(post) == text.replace("One", "First")


@pytest.mark.parametrize(
    ("settings", "ours"),
    [("", "\n\n[^own]: Our words."), ("[sites.default]\nblocks = true\n", "")],
)
def test_a_footnote_of_the_block_editor_comes_back_with_its_words(
    repository: SampleRepository, site: EmbeddedWordPress, settings: str, ours: str
) -> None:
    called = "[^own]" if ours else ""
    repository.commit({"pressync.toml": settings, ABOUT: f"# About\n\nOne.{called}\n\nTwo.{ours}\n"})
    bound = clones.bound(repository, site)
    bound.sync()
    repository.commit()
    (number,) = site.shown
    mark = '<sup data-fn="3f2a" class="fn"><a href="#3f2a" id="3f2a-link">1</a></sup>'
    raw = str(site.shown[number]["content"]["raw"]).replace("Two.", f"Two.{mark}")
    words = json.dumps([{"id": "3f2a", "content": "Words of <strong>theirs</strong>."}])
    raw = f"{raw}\n\n<!-- wp:footnotes /-->\n\n<!-- wp:paragraph -->\n<p>Below.</p>\n<!-- /wp:paragraph -->"
    site.post(f"pages/{number}", content=raw, meta={"footnotes": words})

    with bound.workspace() as workspace:
        (result,) = pull(workspace, PullOptions((ABOUT,)))

    assert result.problems == ()
    text = f"# About\n\nOne.{called}\n\nTwo.[^1]\n\nBelow.{ours}\n\n[^1]: Words of **theirs**.\n"
    assert (repository.root / ABOUT).read_text() == text
    repository.commit()
    assert bound.plan().pending == ()
    assert bound.sync().outcomes == ()
    # An edit of the words alone is an edit of the text.
    site.post(f"pages/{number}", meta={"footnotes": words.replace("theirs", "others")})
    assert clones.blocks(clones.drift(bound)).keys() == {ABOUT}
    with bound.workspace() as workspace:
        pull(workspace, PullOptions((ABOUT,)))
    text = text.replace("theirs", "others")
    assert (repository.root / ABOUT).read_text() == text
    repository.commit()
    assert bound.sync().outcomes == ()
    # The next edit sends the words with the text.
    repository.commit({ABOUT: text.replace("Below", "Far below")})
    bound.sync()
    sent = str(site.shown[number]["content"]["raw"])
    assert "Words of <strong>others</strong>." in sent
    assert ("wp:footnotes" in sent, "data-fn" in sent) == (False, False)


@pytest.mark.parametrize("settings", ["", "[sites.default]\nblocks = true\n"])
def test_after_a_pull_of_a_paragraph_below_the_footnotes_there_is_nothing_to_send(
    repository: SampleRepository, site: EmbeddedWordPress, settings: str
) -> None:
    repository.commit({"pressync.toml": settings, ABOUT: "# About\n\nOne.[^1]\n\n[^1]: Words.\n"})
    bound = clones.bound(repository, site)
    bound.sync()
    repository.commit()
    (number,) = site.shown
    raw = str(site.shown[number]["content"]["raw"])
    site.post(
        f"pages/{number}", content=f"{raw}\n\n<!-- wp:paragraph -->\n<p>Below.</p>\n<!-- /wp:paragraph -->"
    )

    with bound.workspace() as workspace:
        (result,) = pull(workspace, PullOptions((ABOUT,)))

    assert result.problems == ()
    assert "Below." in (repository.root / ABOUT).read_text()
    repository.commit()
    assert bound.plan().pending == ()
