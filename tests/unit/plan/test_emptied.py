"""A person hears that a sync takes the whole text off a page before the site shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

ABOUT, NEWS = "content/pages/about.md", "content/pages/news.md"
EMPTY = f"{ABOUT}: the file is empty; write its text, bring it back with Git, or remove the file"


def lost(number: int) -> str:
    return (
        f"{NEWS}: the file has no text any more, and a sync empties page {number}; bring the text back with "
        "Git, or remove the file to take the page off the site"
    )


@pytest.fixture
def terminal(repository: SampleRepository, strict: StrictService) -> Terminal:
    """Sync two pages with text and one that only has a title."""
    terminal = Terminal(repository, {"PRESSYNC_URL": strict.url})
    repository.commit(
        {ABOUT: "# About\n\nWe are two.\n", NEWS: "# News\n\nNew.\n", "content/pages/bare.md": "# Bare\n"}
    )
    terminal.run("sync", "--yes")
    return terminal


def test_an_emptied_file_and_a_text_that_is_gone_are_told_and_strictly_refused(
    terminal: Terminal, strict: StrictService
) -> None:
    terminal.repository.commit(
        {ABOUT: "", NEWS: "---\ntitle: News\n---\n", "content/pages/bare.md": "# Bare, with a new title\n"}
    )
    number = next(page["id"] for page in strict.pages if page["slug"] == "news")
    assert terminal.run("check").stderr.splitlines()[:-1] == [f"warning: {EMPTY}"]
    assert terminal.run("plan").stderr.splitlines()[:2] == [f"warning: {EMPTY}", f"warning: {lost(number)}"]
    assert EMPTY in terminal.run("check", "--strict", exits=2).stderr
    before = len(strict.received)
    refused = terminal.run("sync", "--yes", "--strict", exits=2).stderr
    assert EMPTY in refused
    assert lost(number) in refused
    assert len(strict.received) == before
    terminal.run("sync", "--yes")
    assert terminal.run("plan").stderr == "", "nothing is said of pages that are empty on purpose by now"


def test_the_page_of_a_folder_without_a_file_is_not_an_empty_file(terminal: Terminal) -> None:
    files = {"content/pages/docs/a.md": "# A\n\nText.\n", "pressync.toml": 'folders = "pages"\n'}
    terminal.repository.commit(files)
    assert terminal.run("check").stderr == ""
    terminal.repository.commit({"content/pages/docs/b.md": " \n"})
    assert "content/pages/docs/b.md: the file is empty" in terminal.run("check").stderr
