"""A vault's notes get Markdown links for wikilinks, and what only Obsidian shows is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import by_file, left_out, tree

from pressync.importing.sources import obsidian
from pressync.importing.sources.item import ImportSource, Item

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.importing.sources.item import Imported

VAULT = {
    ".obsidian/templates.json": '{"folder": "Forms"}',
    "Forms/Daily.md": "{{title}}",
    "Note.md": "",
    "A/Note.md": "",
    "A/Deep/Other.md": "# Its heading\n",
    "img/pic one.png": "",
    "img/sound.mp3": "",
    "board.canvas": "{}",
    "draw.excalidraw.md": "",
    "templates/kept.md": "",
}


def imported(folder: Path, files: Mapping[str, str]) -> list[Imported]:
    tree(folder, {**VAULT, **files})
    return list(obsidian.items(ImportSource("vault", folder)))


def note(folder: Path, text: str, path: str = "A/x.md") -> Item:
    return by_file(imported(folder, {path: text}))[path]


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("[[Note]]", "[Note](import:Note.md)"),
        ("[[a/note|in A]]", "[in A](import:A/Note.md)"),
        ("[[./Note]]", "[Note](import:A/Note.md)"),
        ("[[deep/other#Its heading!]]", "[Other](import:A/Deep/Other.md#its-heading)"),
        ("[[#Here & there|here]]", "[here](#here--there)"),
        (
            "[n](deep/other.md#Its%20heading!) ![p](<pic one.png#frame>)",
            "[n](import:A/Deep/Other.md#its-heading) ![p](/img/pic%20one.png)",
        ),
        (
            "[e](https://a.test/note.md#x) [s](#Here) [u](unknown.md)",
            "[e](https://a.test/note.md#x) [s](#here) [u](unknown.md)",
        ),
        ("text ^block", 'text <a id="block"></a>'),
        ("![[pic one.png|A pic]]", "![A pic](/img/pic%20one.png)"),
        ("![[pic one.png|A pic|30x40]]", '<img src="/img/pic%20one.png" alt="A pic" width="30" height="40">'),
        ("| ![[pic one.png\\|30]] |", '| <img src="/img/pic%20one.png" alt="" width="30"> |'),
        ("![[sound.mp3]]", "[sound.mp3](/img/sound.mp3)"),
        ("a ==b c== d", "a <mark>b c</mark> d"),
        ("`[[Note]]` ``%%``", "`[[Note]]` ``%%``"),
        ("```\n[[Note]] %%x%%\n```", "```\n[[Note]] %%x%%\n```"),
        ("> [!faq] Why?\n> Because", "> [!IMPORTANT] Why?\n> Because"),
        (
            "a ^[see [[Note]]] b `^[c]`",
            "a [^note-1] b `^[c]`\n\n[^note-1]: see [Note](import:Note.md)",
        ),
    ],
)
def test_the_syntax_of_obsidian_becomes_markdown(tmp_path: Path, written: str, made: str) -> None:
    item = note(tmp_path, f"{written}\n")
    assert item.body == f"{made}\n"
    assert item.remainders == ()


@pytest.mark.parametrize(
    ("written", "made", "kind"),
    [
        ("a %%private\n\nb%% c", "a  c", "comment"),
        ("[[Gone|words]]", "words", "link to a note that is not there"),
        ("[[board.canvas|words]]", "words", "link to a file that is left out"),
        ("[[Forms/Daily]]", "Forms/Daily", "link to a file that is left out"),
        ("![[Note]]", "[Note](import:Note.md)", "embedded note"),
        ("```dataview\nLIST\n```", "```dataview\nLIST\n```", "block dataview"),
        ("> [!faq]- Why?\n> Because", "> [!IMPORTANT] Why?\n> Because", "callout that folds"),
        ("A #nested/tag and `#no`", "A #nested/tag and `#no`", "tag in the text"),
        ("It is $x^2$, for $5 and $6", "It is $x^2$, for $5 and $6", "formula"),
    ],
)
def test_what_is_lost_is_named_with_its_line(tmp_path: Path, written: str, made: str, kind: str) -> None:
    item = note(tmp_path, f"---\na: 1\n---\nx\n\n{written}\n")
    assert item.body == f"x\n\n{made}\n"
    assert [(each.kind, str(each.place)) for each in item.remainders] == [(kind, "A/x.md:6")]


def test_templates_canvases_and_settings_are_no_notes(tmp_path: Path) -> None:
    found = imported(tmp_path, {})
    assert left_out(found) == {
        "Forms/Daily.md": "template",
        "board.canvas": "canvas",
        "draw.excalidraw.md": "drawing",
    }
    assert set(by_file(found)) == {"Note.md", "A/Note.md", "A/Deep/Other.md", "templates/kept.md"}


def test_front_matter_and_the_name_of_the_file_make_the_page(tmp_path: Path) -> None:
    head = "---\npublish: false\npermalink: my/page\ncreated: 2024-01-31\ntags: [a/b]\n---\n## A heading\n"
    item = note(tmp_path, head, "My Note.md")
    assert (item.title, item.status, item.address, item.slug) == ("My Note", "draft", "/my/page", "page")
    assert (item.date, item.fields) == ("2024-01-31T00:00:00", {"params": {"tags": ["a/b"]}})
    assert by_file(imported(tmp_path, {}))["A/Deep/Other.md"].title == "Its heading"
    # Both would be /a/page/, where the folder is the note's own.
    two = {f"A/{name}.md": f"---\npermalink: {name}/page\n---\n" for name in ("One", "Two note")}
    assert [by_file(imported(tmp_path, two))[path].slug for path in two] == ["page", "two-note"]
    twice = note(tmp_path, "---\ntitle: T\n---\n# T\n\ntext\n")
    assert (twice.title, twice.body) == ("T", "text\n")


@pytest.mark.parametrize(
    ("permalink", "address", "named"),
    [
        ("my/page", "/my/page", []),
        ("12", "/12", []),
        ("''", "", []),
        ("https://e.test/x", "", ["permalink that is not a path"]),
        ("a/..", "", ["permalink that is not a path"]),
        ("[a, b]", "", ["permalink that is not a path"]),
        ("Taken/it/", "", ["permalink of another note"]),
    ],
)
def test_a_permalink_is_a_path_of_one_note(
    tmp_path: Path, permalink: str, address: str, named: list[str]
) -> None:
    notes = {
        "A.md": "---\npermalink: /taken/it\n---\n",
        "B.md": f"---\npermalink: {permalink}\n---\n",
    }
    item = by_file(imported(tmp_path, notes))["B.md"]
    assert (item.address, [each.kind for each in item.remainders]) == (address, named)
