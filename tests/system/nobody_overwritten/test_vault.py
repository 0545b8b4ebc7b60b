"""A vault of Obsidian from its notes to the site and back, on a real repository and a service in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.check import check
from pressync.app.revision import Revision
from pressync.content.content import Content
from pressync.model.changes import Update
from pressync.model.errors import Code, ContentError

if TYPE_CHECKING:
    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository

    from pressync.model.changes import Plan
    from pressync.model.errors import Problem

SETTINGS = '[markdown]\ndialect = "obsidian"\nvault = "posts/v"\nhashtags = true\n'
V = "content/posts/v"
HOME = f"{V}/Home.md"
PLAN = "---\naliases: [The plan]\n---\n> [!bug]- Why?\n> Because.\n"
NOTES: dict[str, str | bytes] = {
    "pressync.toml": SETTINGS,
    HOME: "See [[Plan]], [[Nick|him]] and ![[p.png|20]]. %%ask [[Plan]]%% #to/do\n",
    f"{V}/a/Plan.md": PLAN,
    f"{V}/files/p.png": b"\x89PNG\r\n\x1a\n",
    "content/posts/other.md": "[[Plan]] stays outside of the vault\n",
}


@pytest.fixture
def vault(desk: Desk, repository: SampleRepository) -> Desk:
    repository.commit(NOTES)
    desk.sync()
    assert updates(desk.plan()) == set()
    return desk


def updates(plan: Plan) -> set[str]:
    """Give the records that a plan updates."""
    return {change.path for change in plan.changes if isinstance(change, Update)}


def problems(desk: Desk) -> tuple[Problem, ...]:
    with desk.workspace() as workspace:
        return check(workspace, Revision(), strict=False).problems


def test_readers_see_links_and_no_brackets(vault: Desk) -> None:
    record = vault.record(HOME)
    text = str(record.fields["content"])
    assert vault.record(f"{V}/a/Plan.md").link in text
    assert "him and <img " in text
    assert not any(sign in text for sign in ("[[", "%%", "ask"))
    assert record.fields["tags"]
    assert "[[Plan]] stays" in str(vault.record("content/posts/other.md").fields["content"])


def test_an_edit_in_the_browser_changes_one_word_of_the_note(vault: Desk) -> None:
    vault.edit(HOME, content=("See ", "Read "))
    assert vault.pull(HOME)[0].settled
    assert vault.text(HOME) == str(NOTES[HOME]).replace("See ", "Read ")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (">Plan</a>", ">Our plan</a>", "See [[Plan|Our plan]], [[Nick|him]]"),
        ("TARGET", "OTHER", "See [[Road|Plan]], [[Nick|him]]"),
        (">Plan</a>", '>Plan</a> and <a href="OTHER">Road</a>', "See [[Plan]] and [[Road]], [[Nick|him]]"),
    ],
    ids=["text", "target", "one more"],
)
def test_an_edited_link_of_a_note_keeps_the_forms_of_the_vault(
    vault: Desk, repository: SampleRepository, old: str, new: str, expected: str
) -> None:
    repository.commit({f"{V}/b/Road.md": "A road.\n"})
    vault.sync()
    places = {"TARGET": vault.record(f"{V}/a/Plan.md").link, "OTHER": vault.record(f"{V}/b/Road.md").link}
    for name, link in places.items():
        old, new = old.replace(name, link), new.replace(name, link)

    vault.edit(HOME, content=(old, new))

    assert vault.pull(HOME)[0].settled
    assert vault.text(HOME) == str(NOTES[HOME]).replace("See [[Plan]], [[Nick|him]]", expected)


def test_percent_signs_behind_a_backslash_are_text(vault: Desk, repository: SampleRepository) -> None:
    text = "100\\%\\% and `\\%` %\\%kept\\%% %%gone \\%\\% too%% end\n"
    repository.commit({HOME: text})
    vault.sync()
    shown = "<p>100%% and <code>\\%</code> %%kept%% end</p>\n"
    assert str(vault.record(HOME).fields["content"]).replace("&#037;", "%") == shown
    vault.edit(HOME, content=("end", "the %%end%%"))
    assert vault.pull(HOME)[0].settled
    assert vault.text(HOME) == text.replace(" end", " the \\%%end\\%%")


@pytest.mark.parametrize(
    "files",
    [
        {f"{V}/Plan.md": "---\nslug: nearer\n---\nA nearer note.\n"},
        {f"{V}/a/Plan.md": None},
        {f"{V}/a/Plan.md": "---\naliases: [Nick]\n---\n> [!bug]- Why?\n> Because.\n"},
        {f"{V}/b/new.md": "---\naliases:\n  - nick\n---\nA note.\n"},
    ],
    ids=["nearer", "gone", "alias by an edit", "alias of a new note"],
)
def test_a_name_that_means_another_note_changes_the_notes_that_link_to_it(
    vault: Desk, repository: SampleRepository, files: dict[str, str | None]
) -> None:
    for path in files:
        (repository.root / path).unlink(missing_ok=True)
    repository.commit({path: text for path, text in files.items() if text})
    assert updates(vault.plan()) - files.keys() == {HOME}
    before = vault.record(HOME).fields["content"]
    vault.sync()
    assert vault.record(HOME).fields["content"] != before
    assert updates(vault.plan()) == set()


def test_an_edit_of_a_note_whose_alias_is_used_concerns_that_note_alone(
    vault: Desk, repository: SampleRepository
) -> None:
    repository.commit({HOME: "[[The Plan]]\n"})
    vault.sync()
    repository.commit({f"{V}/a/Plan.md": f"{PLAN}More.\n"})
    assert updates(vault.plan()) == {f"{V}/a/Plan.md"}


@pytest.mark.parametrize(
    ("text", "key"),
    [("See [[Plan]].\n", "publish: false"), ("See [Plan](a/Plan.md).\n", "type: none")],
    ids=["note", "page"],
)
def test_a_page_that_is_left_out_later_changes_the_pages_that_link_to_it_in_the_same_run(
    vault: Desk, repository: SampleRepository, text: str, key: str
) -> None:
    dialect = "" if key == "type: none" else SETTINGS
    repository.commit({"pressync.toml": dialect, HOME: text, f"{V}/a/Plan.md": "Text.\n"})
    vault.sync()
    link = vault.record(f"{V}/a/Plan.md").link
    repository.commit({f"{V}/a/Plan.md": f"---\n{key}\n---\nText.\n"})
    assert updates(vault.plan()) == {HOME}
    assert [each.code for each in problems(vault) if each.path == HOME] == [Code.UNSENT_FILE]
    vault.sync()
    assert link not in str(vault.record(HOME).fields["content"])
    assert not vault.plan().pending


def test_an_alias_that_goes_leaves_its_text(vault: Desk, repository: SampleRepository) -> None:
    repository.commit({HOME: "[[The Plan]]\n"})
    vault.sync()
    assert "<a " in str(vault.record(HOME).fields["content"])
    repository.commit({f"{V}/a/Plan.md": "text\n"})
    vault.sync()
    assert vault.record(HOME).fields["content"] == "<p>The Plan</p>\n"


def test_a_plan_reads_the_edited_notes_and_no_others(
    vault: Desk, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({f"{V}/a/Plan.md": "Another text.\n"})
    read: list[str] = []
    plain = Content.read

    def noted(self: Content, path: str, *args: object, **options: object) -> object:
        read.append(path)
        return plain(self, path, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Content, "read", noted)
    assert updates(vault.plan()) == {f"{V}/a/Plan.md"}
    assert read == [f"{V}/a/Plan.md"]


def test_notes_that_are_not_for_the_site_are_left_out_with_a_word(
    vault: Desk, repository: SampleRepository
) -> None:
    repository.commit(
        {
            f"{V}/Private.md": "---\npublish: false\n---\nPrivate.\n",
            f"{V}/Templates/Daily.md": "# {{title}}\n",
            f"{V}/.trash/Old.md": "Old.\n",
            f"{V}/c.md": "---\ncssclasses: wide\naliases: [C]\n---\n[[Private]]\n",
        }
    )
    said = {(problem.path, problem.code) for problem in problems(vault)}
    assert {(f"{V}/Private.md", Code.NOT_A_DOCUMENT), (f"{V}/Templates", Code.PASSED_OVER)} <= said
    assert (f"{V}/c.md", Code.UNUSED_KEY) in said
    vault.sync()
    assert (
        not {f"{V}/{name}.md" for name in ("Templates/Daily", ".trash/Old", "Private")}
        & vault.entries().keys()
    )
    assert vault.record(f"{V}/c.md").fields["content"] == "<p>Private</p>\n"
    assert vault.entries()[f"{V}/c.md"].aliases == ()


@pytest.mark.parametrize(
    ("written", "field", "value"),
    [
        ("status: active", "status", "publish"),
        ("id: 202401311200", "slug", "c"),
        ("template: '[[Book]]'", "slug", "c"),
        ("date: '[[2024-01-31]]'", "date", "2024-01-31T00:00:00"),
        ("title: 'About [[Plan]] and [[Plan|more]]'", "title", "About Plan and more"),
    ],
)
def test_a_property_has_the_meaning_of_the_vault(
    vault: Desk, repository: SampleRepository, written: str, field: str, value: str
) -> None:
    repository.commit({f"{V}/c.md": f"---\n{written}\nmood: x\nrating: 5\n---\ntext\n"})
    said = [each.code for each in problems(vault) if each.path == f"{V}/c.md"]
    is_read = written.startswith(("date", "title"))
    assert sorted(said) == sorted([Code.UNUSED_KEY, *([] if is_read else [Code.FOREIGN_VALUE])])
    vault.sync()
    assert vault.record(f"{V}/c.md").fields.get(field) == value


def test_a_status_that_is_typed_wrong_is_not_sent(vault: Desk, repository: SampleRepository) -> None:
    repository.commit({f"{V}/c.md": "---\nstatus: drafts\n---\ntext\n"})
    with pytest.raises(ContentError) as refused:
        vault.sync()
    assert [each.todo for each in refused.value.problems] == ["did you mean 'draft'?"]


def test_a_heading_that_repeats_the_title_is_shown_once(vault: Desk, repository: SampleRepository) -> None:
    path = f"{V}/c.md"
    repository.commit({path: "---\ntitle: A note\n---\n# A note\n\nText.\n"})
    vault.sync()
    assert vault.record(path).fields["content"] == "<p>Text.</p>\n"
    vault.edit(path, title="One note")
    assert vault.pull(path)[0].settled
    assert vault.text(path) == "---\ntitle: One note\n---\n# One note\n\nText.\n"


def test_a_footnote_in_the_text_stands_in_its_place_and_comes_back(
    vault: Desk, repository: SampleRepository
) -> None:
    text = "One. ^[see *the* [[Plan]]] Two `^[a]`.\n\n- item ^[b] end\n"
    repository.commit({HOME: text})
    vault.sync()
    shown = str(vault.record(HOME).fields["content"])
    assert "<small>(see <em>the</em> <a href=" in shown
    assert "<code>^[a]</code>" in shown
    vault.edit(HOME, content=("One", "First"))
    vault.edit(HOME, content=("item", "point"))
    assert vault.pull(HOME)[0].settled
    assert vault.text(HOME) == text.replace("One", "First").replace("item", "point")


def test_a_comment_without_an_end_is_not_sent(vault: Desk, repository: SampleRepository) -> None:
    for text, line in (
        ("%% private\n\nmore\n", 1),
        ("A %%private\n", 1),
        ("%%a%%\n\n- b\n- c %%private\n", 4),
        ("> `%%`\n\n%%private\n", 3),
    ):
        repository.commit({HOME: text})
        with pytest.raises(ContentError) as refused:
            vault.sync()
        assert [(each.code, each.line) for each in refused.value.problems] == [(Code.PERCENT_COMMENT, line)]


def test_a_note_is_warned_of_what_stays_as_it_is_typed_and_not_of_what_the_vault_reads(
    vault: Desk, repository: SampleRepository
) -> None:
    repository.commit({HOME: "A %%comment%% and #one #two/three.\n\nThe sum $$x^2$$ is.\n"})
    assert [(each.code, each.line) for each in problems(vault) if each.path == HOME] == [(Code.FORMULA, 3)]


def test_a_page_does_not_take_the_tags_in_its_text(vault: Desk, repository: SampleRepository) -> None:
    repository.commit({HOME: "---\ntype: page\n---\nA #tag\n\n`%%a`\n\n```mermaid\n%% c\n```\n"})
    found = {problem.code for problem in problems(vault)}
    assert not {Code.UNUSED_KEY, Code.PERCENT_COMMENT} & found, "signs in code are not comments"
