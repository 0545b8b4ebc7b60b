"""Editors' notes on a real WordPress: through edits, pulls and syncs none is lost, and none is a conflict.

The site of 7.1 knows notes. That of 6.8 does not, so the same bytes are an edit there.
"""

from __future__ import annotations

import random
import re
import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
import requests
from tests.live.live import Eyes, live, results
from tests.live.test_editor import said
from tests.live.test_pull import pulled

from pressync.html.notes import notes_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

PAGE = "content/pages/page.md"
PARTS = (
    '## A "head" & more',
    "Some *words* of it.",
    "- one\n- two",
    "| a | b |\n|---|---|\n| c | d |",
    "```py\ncode[0]\n```",
    "> A quote.",
    "Last words.",
)
SETTINGS = {True: "[sites.live]\nblocks = true\n", False: "[sites.live]\nblocks = false\n"}


def put_note(site: Site, number: int, chance: random.Random) -> int:
    """Put a note on any block of a page that has no attributes yet, with the bytes of the editor of 7.1."""
    note = int(
        ask(site, "POST", "comments", post=number, type="note", status="hold", content="A note.")["id"]
    )
    eyes = Eyes(site)
    raw = str(eyes.row(number)["content"]["raw"])
    places = list(re.finditer(r"<!-- wp:([a-z/-]+) (?=-->)", raw))
    place = chance.choice(places) if places else None
    assert place
    start = place.end()
    noted = f'{raw[:start]}{{"metadata":{{"noteId":[{note}]}}}} {raw[start:]}'
    word = re.compile(r"(<p>[^<>]*?)\b(\w+)\b").search(noted, start)
    if place[1] == "paragraph" and word:
        mark = f'<mark data-id="{note}" class="wp-note">{word[2]}</mark>'
        noted = noted[: word.start()] + word[1] + mark + noted[word.end() :]
    eyes.edit(number, content=noted)
    return note


def ask(site: Site, method: str, route: str, **members: object) -> dict[str, Any]:
    """Make a request as the administrator."""
    answer = requests.request(
        method,
        f"{site.url}/wp-json/wp/v2/{route}",
        auth=("admin", site.passwords["admin"]),
        json=members,
        timeout=30,
    )
    answer.raise_for_status()
    return dict(answer.json())


@pytest.mark.parametrize("seed", range(20))
def test_no_sequence_of_notes_edits_and_syncs_loses_a_note(
    wordpress: Site, line: Line, repository: SampleRepository, seed: int
) -> None:
    if wordpress.name != "new":
        pytest.skip("this version does not know notes")
    chance = random.Random(seed)  # noqa: S311 - a sequence that can be repeated
    parts, notes = list(PARTS), set[int]()
    repository.commit({"pressync.toml": SETTINGS[seed % 4 != 3], PAGE: written(parts)})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    number = site.ids()[PAGE]

    for step in range(6):
        match chance.randrange(3):
            case 0:
                if has_place(eyes, number):
                    notes.add(put_note(wordpress, number, chance))
            case 1:
                edit(parts, step, chance)
                repository.commit({PAGE: written(parts)})
            case _:
                # An editor appends a word to the last paragraph that has one, and a pull takes it over.
                site.sync()
                raw = str(eyes.row(number)["content"]["raw"])
                changed = re.sub(r"(\w)(\.</p>)(?!.*\.</p>)", rf"\1 theirs{step}\2", raw, flags=re.DOTALL)
                eyes.edit(number, content=changed)
                for result in pulled(site, PAGE):
                    assert (result.problems, result.conflicts) == ((), 0)
                repository.commit()
                text = (repository.root / PAGE).read_text()
                assert ("noteId" in text, "wp-note" in text, "<!-- wp:" in text) == (False, False, False)
                parts = [part for part in text.split("---\n", 2)[2].strip().split("\n\n") if part]
        assert set(results(site.sync()).values()) <= {"done"}
        assert set(notes_of(str(eyes.row(number)["content"]["raw"]))) == notes
        assert site.plan().pending == ()
    assert pulled(site, PAGE) == []


def written(parts: list[str]) -> str:
    return "---\ntitle: Page\n---\n" + "\n\n".join(parts) + "\n"


def has_place(eyes: Eyes, number: int) -> bool:
    """Tell whether a block of the page has no attributes."""
    return " -->" in re.sub(r"<!-- /.*?-->|\{.*?\} -->", "", str(eyes.row(number)["content"]["raw"]))


def edit(parts: list[str], step: int, chance: random.Random) -> None:
    """Change, add, drop or move a part of the text."""
    match chance.randrange(4):
        case 0 if len(parts) > 2:
            parts.pop(chance.randrange(len(parts)))
        case 1:
            parts.insert(chance.randrange(len(parts) + 1), f"New words {step}.")
        case 2:
            chance.shuffle(parts)
        case _:
            number = chance.randrange(len(parts))
            parts[number] = re.sub(r"\b(words|one|c|quote|head)\b", rf"\1 {step}", parts[number])


@pytest.mark.skipif(not shutil.which("chromium"), reason="Debian's chromium is not installed")
@pytest.mark.parametrize("blocks", [True, False])
def test_a_note_of_the_real_editor_is_no_edit_and_stays(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path, *, blocks: bool
) -> None:
    if wordpress.name != "new":
        pytest.skip("this version does not know notes")
    text = written([*PARTS, "```\n[x]\nhttps://site.test/a\n```", "hard\\\nbreak<br>theirs \u00a0 nbsp"])
    repository.commit({"pressync.toml": SETTINGS[blocks], PAGE: text})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    number = site.ids()[PAGE]
    notes = []
    for word, inline in [("Last", True), ("head", False), (">one", False), ("code", False)]:
        query = {"post": number, "word": word, "inline": int(inline and blocks), "remove": 0}
        answer = said(wordpress, "note.php", urlencode(query), tmp_path)
        assert (answer["broken"], answer["saved"]) == ([], True)
        notes.append(answer["note"])
    raw = str(eyes.row(number)["content"]["raw"])
    assert set(notes_of(raw)) == set(notes)
    assert ('class="wp-note"' in raw) == blocks

    assert site.sync().outcomes == ()
    assert pulled(site, PAGE) == []
    repository.commit({PAGE: text.replace("Last words", "The Last words").replace("Some", "Few")})
    assert results(site.sync()) == {PAGE: "done"}
    raw = str(eyes.row(number)["content"]["raw"])
    assert set(notes_of(raw)) == set(notes)
    if blocks:
        assert 'The <mark class="wp-note" data-id="' in raw
    # The editor takes the anchors for its own, and the deleted note leaves no edit behind.
    query = {"post": number, "word": "", "inline": 0, "remove": notes[1]}
    answer = said(wordpress, "note.php", urlencode(query), tmp_path)
    assert answer == {"broken": [], "note": notes[1], "saved": True}
    assert set(notes_of(str(eyes.row(number)["content"]["raw"]))) == {*notes} - {notes[1]}
    assert pulled(site, PAGE) == []
    assert site.sync().outcomes == ()


def test_a_site_that_does_not_know_notes_has_an_edit(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    if wordpress.name == "new":
        pytest.skip("this version knows notes")
    repository.commit({"pressync.toml": SETTINGS[True], PAGE: written(list(PARTS))})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    number = site.ids()[PAGE]
    raw = str(eyes.row(number)["content"]["raw"])
    noted = raw.replace("<!-- wp:paragraph -->", '<!-- wp:paragraph {"metadata":{"noteId":[5]}} -->', 1)
    eyes.edit(number, content=noted)
    repository.commit({PAGE: written([*PARTS, "More."])})

    assert results(site.sync()) == {PAGE: "blocked"}
    assert eyes.row(number)["content"]["raw"] == noted
