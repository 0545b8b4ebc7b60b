"""A vault of 300 notes goes to the site without a sign of Obsidian, and a word comes back from the editor.

The notes are those of a real handbook. Its links are written as Obsidian writes them, and each has the
forms that people use in their vaults.
"""

from __future__ import annotations

import html
import posixpath
import re
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.live.live import Eyes, live, results
from tests.live.pictures import png
from tests.live.test_editor import CHROMIUM, edited
from tests.live.test_pull import pulled
from tests.support.corpora import unpack

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.live.live import Live
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

pytestmark = pytest.mark.corpus

COUNT = 300
PAGES = "content/pages"
SETTINGS = 'folders = "pages"\n[markdown]\ndialect = "obsidian"\n[sites.live]\nblocks = true\n'
LINK = re.compile(
    r"\[([^\[\]\n]+)\]\(https://(?:make\.wordpress\.org/cli/handbook|developer\.wordpress\.org/cli/commands)"
    r"/([\w/-]*?)/?(?:#([\w-]+))?\)"
)
# All that readers do not see, and the signs of Obsidian that they should not see either.
UNSEEN = re.compile(r"<(pre|code|script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)
TYPED = re.compile(r"!?\[\[|\]\](?!\])|%%|\[![\w-]+\]|==Seen|\^\[|hushhush")
PICTURE = "Attachments/Pasted image 1.png"


def vault(tree: Path) -> dict[str, str | bytes]:
    """Give the notes of a vault by their paths in it, made of the first pages of a handbook."""
    texts = {str(file.relative_to(tree)): file.read_text() for file in sorted(tree.rglob("*.md"))}
    # The guides come first: they link to the most other pages.
    paths = sorted(texts, key=lambda path: (not path.startswith(("guides/", "references/")), path))[:COUNT]
    named = Counter(posixpath.basename(path).lower() for path in paths)
    ends = {path.removesuffix(".md").removeprefix("commands/"): path for path in paths}

    def target(path: str) -> str:
        """Write the shortest path: the name, or the path in the vault if the name is there twice."""
        name = posixpath.basename(path)
        return (name if named[name.lower()] == 1 else path).removesuffix(".md")

    def wikilink(found: re.Match[str]) -> str:
        path = ends.get(found[2])
        place = f"#{found[3].replace('-', ' ')}" if found[3] else ""
        return f"[[{target(path)}{place}|{found[1]}]]" if path else found[0]

    notes: dict[str, str | bytes] = {PICTURE: png(8, 8, 8), ".obsidian/app.json": "{}"}
    for number, path in enumerate(paths):
        beside, other = paths[(number + 1) % COUNT], paths[(number + 150) % COUNT]
        # A fifth of the notes is linked by another name of theirs.
        link = f"Alias {(number + 1) % COUNT}" if (number + 1) % 5 == 0 else target(beside)
        alias = f"aliases:\n  - Alias {number}\n" if number % 5 == 0 else ""
        notes[path] = (
            f"---\nrating: {number}\nstatus: evergreen\n{alias}---\n{LINK.sub(wikilink, texts[path])}\n"
            f"> [!abstract]- See also\n> [[{link}]], and [see [[{target(other)}#^seen|the mark]]].\n\n"
            f"%%hushhush {number}%%\n\n![[Pasted image 1.png|20]] ==Seen==\n^seen\n\nThe end. ^[a note]\n"
        )
    return notes


def typed(site: Live, eyes: Eyes) -> dict[str, list[str]]:
    """Give the signs of Obsidian that readers see, by the path of the note."""
    rows = eyes.rows()
    pages = {path: rows[number] for path, number in site.ids().items()}
    shown = {
        path: html.unescape(UNSEEN.sub(" ", f"{row['title']['rendered']} {row['content']['rendered']}"))
        for path, row in pages.items()
    }
    return {path: found for path, text in shown.items() if (found := TYPED.findall(text))}


def in_repository(notes: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
    return {f"{PAGES}/{path}": text for path, text in notes.items()}


@pytest.mark.one_site
@pytest.mark.skipif(not CHROMIUM, reason="Debian's chromium is not installed")
def test_a_vault_of_300_notes_is_on_the_site_and_comes_back_in_its_own_forms(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path
) -> None:
    notes = vault(unpack("wp-cli-handbook", tmp_path / "tree"))
    repository.commit({"pressync.toml": SETTINGS, **in_repository(notes)})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    start = time.monotonic()
    counts = Counter(results(site.sync()).values())
    links = sum(str(text).count("[[") for text in notes.values())
    print(f"\n{wordpress.version}: {counts}, {links} links, {time.monotonic() - start:.0f} s")  # noqa: T201

    assert set(counts) == {"done"}
    assert len([path for path in site.ids() if not path.endswith("/index.md")]) == COUNT
    assert typed(site, eyes) == {}
    assert not site.plan().pending

    path = f"{PAGES}/{next(path for path in notes if path.startswith('guides/'))}"
    words = edited(wordpress, site.ids()[path], "Seen", "Looked", tmp_path)
    assert words == {"broken": [], "changed": 1, "saved": True}
    assert [each.problems for each in pulled(site, path)] == [()]
    text = str(notes[path.removeprefix(f"{PAGES}/")])
    assert (repository.root / path).read_text() == text.replace("==Seen==", "==Looked==")
    repository.commit()
    assert not site.plan().pending
