"""Both sides of a change, as source and as a reader sees them: what was last sent, and what will be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import html5lib
import pytest
from msgspec import structs
from tests.support.library_repository import Shelf

from pressync.app import comparisons
from pressync.app.comparisons import Comparisons, rows
from pressync.app.revision import Revision
from pressync.content.former import FormerTexts, last_synced
from pressync.plan.build import PlanOptions
from pressync.pull import bounded_diff
from pressync.sync import drift

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository

    from pressync.app.comparisons import Comparison


A, B = "content/pages/a.md", "content/pages/b.md"
TEXT = "# A\n\nOne *word*.\n\n- first\n- second\n"


@pytest.fixture
def synced(desk: Desk, repository: SampleRepository) -> Desk:
    """Sync one page."""
    repository.commit({A: TEXT})
    desk.sync()
    return desk


def compared(desk: Desk, revision: Revision | None = None, *, drift: bool = False) -> dict[str, Comparison]:
    """Compare the sides of every change, by path."""
    at = revision or Revision()
    with desk.workspace() as workspace:
        planned = workspace.plan(at, PlanOptions(), drift=drift)
        with comparisons.opened(workspace, at, planned) as opened:
            return {each.path: each for each in opened.of(planned.plan.changes)}


def test_a_new_page_and_a_removed_one_have_one_side(synced: Desk, repository: SampleRepository) -> None:
    repository.move(A, B)
    repository.commit({B: TEXT.replace("second", "third")})
    assert "<del>second</del>" in (compared(synced)[B].rendered or "")
    repository.remove(B)
    repository.commit({"content/pages/c.md": "# C\n\nNew.\n"})
    found = compared(synced)
    new = '<div class="row only new"><div><p>New.</p>\n</div></div>\n'
    assert found["content/pages/c.md"].rendered == new
    assert (found[A].rendered or "").startswith('<div class="row only gone"><div><p>One <em>word')


@pytest.mark.parametrize(
    "now",
    [
        {"pressync.toml": '[sites.main]\nblocks = true\n[sites.main.defaults]\nlayout = "one"\n'},
        {"pressync.toml": '[sites.main]\n[sites.main.defaults]\nlayout = "two"\n'},
        {"templates/one.html": "<b>anew</b>\n{{ content }}"},
        {
            "templates/one.html": "<b>anew</b>\n{{ content }}",
            "pressync.toml": "[sites.main]\nblocks = true\n",
        },
    ],
    ids=["blocks", "defaults", "template", "all"],
)
def test_each_command_shows_what_was_sent(
    desk: Desk, repository: SampleRepository, now: dict[str, str]
) -> None:
    before = '[sites.main]\n[sites.main.defaults]\nlayout = "one"\n'
    templates = {f"templates/{name}.html": f"<i>{name}</i>\n{{{{ content }}}}" for name in ("one", "two")}
    # So short that a diff shows all of it.
    repository.commit({A: "# A\n\nOne *word*.\n", "pressync.toml": before, **templates})
    desk.sync()
    sent = str(desk.record(A).fields["content"])
    repository.commit({**now, "templates/page.html": "<b>another</b>\n{{ content }}"})

    with desk.workspace() as workspace, workspace.reading() as state:
        planned = workspace.plan(Revision(), PlanOptions())
        content = workspace.content(Revision(), manifest=state.manifest)
        (change,) = planned.plan.pending
        made = Comparisons(content, state.manifest, planned)
        diff = made.source_of(change) or ""
        (page,) = made.of([change])
        (staged,) = last_synced(workspace.repository, workspace.settings, state.manifest)
        texts = FormerTexts(
            workspace.repository,
            workspace.settings,
            planned.entries,
            planned.entries.values(),
            state.manifest,
        )
        rolled_back = texts.read(planned.entries[A])
        there = str(content.prepare(A, planned.entries).fields["content"])

    assert rolled_back is not None
    assert rolled_back.fields["content"] == sent
    assert staged.fields["content"] == sent
    assert not staged.entry.changed_by_service
    assert page.rendered == comparisons.rows(sent, there)
    if not diff.startswith("(its file is the same; from now on"):
        old = [line[1:] for line in diff.splitlines()[3:] if line[0] in " -"]
        assert old == sent.splitlines()


def shown(desk: Desk, revision: Revision | None = None) -> dict[str, list[str]]:
    """Give the diffs of a plan, by path, in lines."""
    at = revision or Revision()
    with desk.workspace() as workspace:
        found = comparisons.diffs(workspace, at, workspace.plan(at, PlanOptions()))
    return {path: text.splitlines() for path, text in found.items()}


def conflicting(desk: Desk, **edits: object) -> list[str]:
    """Give the diff of a page that somebody edited on the site and somebody else in the file."""
    desk.edit(A, **edits)
    with desk.workspace() as workspace, workspace.state(writable=True) as state:
        state.put(*drift.compare(desk.service, state.manifest.entries.values()).edited)
        state.save()
    return shown(desk)[A]


def test_each_kind_of_edit_of_a_file_is_a_diff(synced: Desk, repository: SampleRepository) -> None:
    assert shown(synced) == {}
    repository.move(A, "content/pages/moved.md")
    repository.commit()
    assert shown(synced)["content/pages/moved.md"] == [
        *("--- slug as last sent", "+++ slug as it will be", "@@ -1 +1 @@", "-a", "+moved")
    ]
    repository.move("content/pages/moved.md", A)
    repository.commit({A: TEXT.replace("second", "third"), B: "# B\n"})
    head, new = ["--- as last sent", "+++ as it will be"], ["--- nothing yet", "+++ as it will be"]
    assert shown(synced) == {
        A: [*head, "@@ -4,3 +4,3 @@", " ", " - first", "-- second", "+- third"],
        B: [*new, "@@ -0,0 +1 @@", "+# B"],
    }
    repository.remove(A)
    repository.commit()
    assert shown(synced)[A][:3] == ["--- as last sent", "+++ deleted", "@@ -1,6 +0,0 @@"]


def test_the_text_that_an_import_wrote_is_not_called_sent(synced: Desk, repository: SampleRepository) -> None:
    with synced.workspace() as workspace, workspace.state(writable=True) as state:
        state.put(
            structs.replace(state.manifest.entries[A], changed_by_service={"content": "as on the site"})
        )
        state.save()
    repository.commit({A: TEXT.replace("second", "third")})
    assert shown(synced)[A][:2] == ["--- as the file was, which nobody sent", "+++ as it will be"]


def test_a_template_shows_what_it_changes(synced: Desk, repository: SampleRepository) -> None:
    def sent_from(commit: str) -> None:
        with synced.workspace() as workspace, workspace.state(writable=True) as state:
            state.put(structs.replace(state.manifest.entries[A], commit=commit))
            state.save()

    # An import notes the commit that it began with, which does not have the file. No commit since has it.
    start = repository.git("commit-tree", repository.git("mktree"), "-p", "HEAD", "-m", "Start")
    wrong = repository.commit({"templates/page.html": "{{ content"})
    repository.commit({"templates/page.html": "<main>\n{{ content }}\n</main>\n"})
    assert shown(synced)[A][:6] == [
        "--- content as last sent",
        "+++ content as it will be",
        "@@ -1,2 +1,3 @@",
        "+<main>",
        " <p>One <em>word</em>.</p>",
        " <ul>",
    ]
    sent_from(start)
    assert shown(synced)[A] == [
        f"(its file is the same; commit {start[:10]} does not have it to compare the texts)"
    ]
    sent_from(wrong)
    (told,) = shown(synced)[A]
    what = f"(its file is the same; its text in commit {wrong[:10]} cannot be rendered: "
    assert told.startswith(f"{what}templates/page.html:1: ")
    assert "nothing was sent" not in told


def test_a_body_that_becomes_blocks_names_the_setting(desk: Desk, repository: SampleRepository) -> None:
    repository.commit({A: TEXT, "pressync.toml": "[sites.main]\n"})
    desk.sync()
    repository.commit({"pressync.toml": "[sites.main]\nblocks = true\n"})
    told = "(its file is the same; from now on it is sent as blocks: `blocks` in the settings)"
    assert shown(desk)[A] == [told]


def test_a_replaced_picture_is_named(repository: SampleRepository) -> None:
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    repository.commit({A: "# A\n\n![x](x.png)\n", "content/pages/x.png": b"one"})
    shelf.sync()
    repository.commit({"content/pages/x.png": b"two"})
    with shelf.workspace() as workspace:
        found = comparisons.diffs(workspace, Revision(), workspace.plan(Revision(), PlanOptions()))
    assert found == {
        A: "(its file is the same; it shows other files, which a sync uploads: content/pages/x.png)"
    }


def test_a_conflict_shows_the_site_as_markdown_beside_what_was_last_sent(synced: Desk) -> None:
    lines = conflicting(synced, content=("<li>second</li>", "<li><em>third</em></li>"), title="Aha")
    text = [
        "@@ -1,6 +1,6 @@",
        "-# A",
        "+# Aha",
        " ",
        " One *word*.",
        " ",
        " - first",
        "-- second",
        "+- *third*",
    ]
    assert lines == ["--- as last sent", "+++ on the site now", *text]


@pytest.mark.parametrize(
    ("field", "lines"),
    [
        # No file can say this.
        ("status", ["--- status as last sent", "+++ status on the site now", "@@ -0,0 +1 @@", "+trash"]),
        ("password", ["(password: changed; pressync shows no password)"]),
    ],
)
def test_a_field_that_no_file_says_is_shown_as_it_is_and_a_password_never(
    synced: Desk, repository: SampleRepository, field: str, lines: list[str]
) -> None:
    if field == "password":
        repository.commit({A: f"---\npassword: mine\n---\n{TEXT}"})
        synced.sync()
    assert conflicting(synced, **{field: "trash"}) == lines


def test_where_the_file_has_changed_it_follows(synced: Desk, repository: SampleRepository) -> None:
    repository.commit({A: TEXT.replace("first", "1st")})
    lines = conflicting(synced, content=("second", "2nd"))
    both = lines.index("+++ in the file now")
    assert "+- 2nd" in lines[:both]
    assert "+- 1st" in lines[both:]
    assert not {"+- 1st"} & set(lines[:both])


def test_the_source_that_this_clone_lacks_is_named(synced: Desk, repository: SampleRepository) -> None:
    blob, last = repository.git("rev-parse", f"HEAD:{A}"), repository.head()
    repository.commit({A: "# A\n"})
    repository.git("update-ref", "refs/heads/kept", "HEAD")
    (synced.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    found = compared(synced)[A]
    assert (found.rendered, found.why) == (None, "the text on the site is not in this clone")
    told = (
        f"(the file as it was last sent is not in this clone (commit {last[:10]}); "
        "`git fetch --unshallow` may bring it)"
    )
    assert shown(synced)[A] == [told]
    lines = conflicting(synced, title="Aha")
    assert lines == [told, "--- title as last sent", "+++ title on the site now", "@@ -0,0 +1 @@", "+Aha"]


def test_a_shallow_clone_says_so_once(synced: Desk, repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit({B: "# B\n", "content/pages/c.md": "# C\n"})
    synced.sync()
    last = repository.head()
    repository.commit({"templates/page.html": "<main>{{ content }}</main>\n"})
    repository.git("clone", "--quiet", "--depth=1", f"file://{repository.root}", str(tmp_path / "clone"))
    synced.root = tmp_path / "clone"
    found = shown(synced)
    assert found[B] == [
        (
            f"(the file as it was last sent is not in this clone (commit {last[:10]}); "
            "`git fetch --unshallow` may bring it) (and for 1 more)"
        )
    ]
    assert "content/pages/c.md" not in found


def test_texts_that_are_too_long_are_counted(synced: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparisons, "_LONGEST", 50)
    (line,) = conflicting(synced, content=("second", "x" * 60))
    assert "too many to compare" in line


BODY = "".join(f"<p>Paragraph {number}.</p>\n" for number in range(9))


def test_two_sides_that_look_the_same_have_no_rows() -> None:
    assert rows("<p>One</p>\n<p>Two</p>", "<p>One</p><p>Two</p><!-- a comment -->") == ""
    one = "<div><!-- wp:a --><p>One</p></div><p>Two<script>a()</script></p>"
    assert rows(one, one.replace("wp:a", "wp:b").replace("a()", "b()")) == ""


def test_the_words_that_differ_are_marked_and_equal_blocks_are_counted() -> None:
    shown = rows(BODY, BODY.replace("Paragraph 4", "Line 4"))
    assert shown.splitlines() == [
        '<div class="row gap"><div>3 blocks are the same</div></div>',
        '<div class="row same"><div><p>Paragraph 3.</p></div><div><p>Paragraph 3.</p></div></div>',
        (
            '<div class="row changed"><div><p><del>Paragraph</del> 4.</p></div>'
            "<div><p><ins>Line</ins> 4.</p></div></div>"
        ),
        '<div class="row same"><div><p>Paragraph 5.</p></div><div><p>Paragraph 5.</p></div></div>',
        '<div class="row gap"><div>3 blocks are the same</div></div>',
    ]


def test_a_block_that_is_only_on_one_side_stands_beside_nothing() -> None:
    added = rows("<p>a</p>", "<p>a</p><p>b</p>").splitlines()
    assert added[-1] == '<div class="row new"><div></div><div><p>b</p></div></div>'
    removed = rows("<p>a</p><p>b</p>", "<p>a</p>").splitlines()
    assert removed[-1] == '<div class="row gone"><div><p>b</p></div><div></div></div>'
    # A side that does not exist leaves the other whole.
    assert rows(None, "<p>a</p>") == '<div class="row only new"><div><p>a</p></div></div>\n'
    assert rows("<p>a</p>", None) == '<div class="row only gone"><div><p>a</p></div></div>\n'


def test_elements_around_the_whole_text_are_no_block_and_a_character_reference_is_one_word() -> None:
    shown = rows(f"<main><div>{BODY}</div></main>", f"<main><div>{BODY}<p>More</p></div></main>")
    assert "8 blocks are the same" in shown
    assert shown.count("Paragraph") == 2
    shown = rows('<p title="a > b">x &amp; y</p>', '<p title="a > b">x &lt; y</p>')
    assert '<p title="a > b">x <del>&amp;</del> y</p>' in shown
    assert "x <ins>&lt;</ins> y" in shown


HOSTILE = (
    "</div></div></div></body><p>one",
    "<div><div><div><p>one",
    "<!-- <p>one",
    "<style>.row { display: none }</style><p>one",
    '<p title="><b>one',
    "<textarea><p>one",
    "<svg><title><p>one",
    "<table><td><div>one",
    "<iframe src='https://example.org/'></iframe>one",
)


@pytest.mark.parametrize("body", HOSTILE)
def test_a_hostile_block_stays_in_its_row(body: str) -> None:
    for before, after in ((body, f"{body} more"), (body, None), (None, body)):
        page = html5lib.parse(f"<body>{rows(before, after)}<p id=after>", namespaceHTMLElements=False)
        (last,) = page.iter("p") if not body.count("<p") else [*page.iter("p")][-1:]
        assert last.get("id") == "after"
        assert [*page.find("body")][-1] is last
        assert not {"script", "style", "iframe", "meta"} & {node.tag for node in page.find("body").iter()}


def test_the_words_of_all_blocks_of_a_page_share_their_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_diff, "_MOST", 300)
    old, new = ("".join(f"<p>{last * 9} {word}</p>" for last in "abc") for word in ("was", "is"))
    assert rows(old, new).count("<del>was</del>") == 3
    old, new = ("".join(f"<p>{'a ' * 9}{word}</p>" for _ in range(3)) for word in ("was", "is"))
    shown = rows(old, new)
    assert shown.count('class="row changed"') == 3
    assert shown.count("<del>was</del>") < 3


def test_the_work_is_bounded() -> None:
    many = "<p>a</p><p>b</p>" * 3_000
    assert "too many to compare" in rows(many, f"{many}<p>c</p>")
    long = "<p>" + "word " * 3_000 + "</p>"
    shown = rows(long, long.replace("word", "Wort"))
    assert ('class="row changed"' in shown, "<del>" in shown) == (True, False)


def test_nothing_of_ours_loads_anything() -> None:
    for name in ("comparison.js", "comparison.css", "frame.css"):
        assert not {"http:", "https:", "url(", "@import"} & set(comparisons.part(name).split())
