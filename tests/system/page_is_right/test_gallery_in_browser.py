"""The gallery of forms on the embedded service, seen as its readers see it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support import gallery
from tests.support.chromium import needs_chromium
from tests.support.terminal import Terminal

from pressync.stage.browser import browser
from pressync.stage.rehearse.page_check import WIDTHS, check_page
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository

pytestmark = [pytest.mark.sweep, pytest.mark.timeout(300), needs_chromium]

MARKDOWN = "[markdown]\nmath = true\nhighlight = 'default'\nembeds = true\n"
# The style of the author stays, and nothing else limits the picture.
UNLIMITED = '<p><img src="wide.png" style="max-width:none" alt="Wide"></p>\n'


@pytest.fixture
def terminal(repository: SampleRepository, tmp_path: Path) -> Iterator[Terminal]:
    """Give the terminal of a clone whose site is an embedded service with its web pages."""
    with running(tmp_path / "site.db", token="secret", dialect="both", moves=True) as service:
        names = {"PRESSYNC_URL": service.url, "PRESSYNC_DIALECT": "wordpress", "PRESSYNC_TOKEN": "secret"}
        yield Terminal(repository, names)


def test_the_embedded_service_shows_it_as_its_authors_mean_it(
    terminal: Terminal, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({"pressync.toml": MARKDOWN, **gallery.files("gallery", ("pages",))})
    faults = checked(terminal, tmp_path)
    assert {fault for fault in faults if fault[1] != "unsized"} == set()


def test_it_does_not_hide_a_page_that_runs_out_of_a_theme(
    terminal: Terminal, repository: SampleRepository, tmp_path: Path
) -> None:
    picture = gallery.picture(1600, 700)
    repository.commit({"content/pages/gallery-wide.md": UNLIMITED, "content/pages/wide.png": picture})
    assert "wide" in {kind for _, kind, _ in checked(terminal, tmp_path)}


def test_a_long_word_of_a_title_stays_in_the_window(
    terminal: Terminal, repository: SampleRepository, tmp_path: Path
) -> None:
    title = f"---\ntitle: {gallery.LONG_WORD}\n---\n"
    below = {"content/pages/gallery-b/gallery-c.md": title.replace("Long", "Other")}
    repository.commit({"content/pages/gallery-a.md": "# A\n", "content/pages/gallery-b.md": title, **below})
    terminal.run("sync", "--yes")
    rows = json.loads(terminal.run("status", "--format", "json").stdout)["records"]
    with browser(tmp_path) as person:
        person.screen(WIDTHS[1], 900)
        for row in rows:
            person.open(row["link"])
            # A page that is longer than the window has a scroll bar.
            assert person.ask("document.documentElement.scrollWidth") <= WIDTHS[1]


BROKEN = f"""# Broken

{UNLIMITED}
Shows **this.

<p id="twice">a</p>
<p id="twice">b</p>

[Nowhere](#nope) <b>&lt;script&gt;</b>
"""


def test_a_rehearsal_looks_at_what_it_changes_first_and_says_what_is_broken(
    terminal: Terminal, repository: SampleRepository, tmp_path: Path
) -> None:
    picture = gallery.picture(1600, 700)
    repository.commit({"content/pages/fine.md": "# Fine\n", "content/pages/wide.png": picture})
    terminal.run("sync", "--yes")
    repository.commit({"content/pages/zz.md": BROKEN})
    asked = ("rehearse", "--look", str(tmp_path / "look"), "--look-limit", "2", "--format", "json")
    said = json.loads(terminal.run(*asked, exits=1).stdout)["look"]
    assert (said["looked"], said["left"], said["failed"]) == (2, 1, [])
    assert {(fault["path"], fault["kind"], fault["width"]) for fault in said["faults"]} == {
        ("content/pages/zz.md", kind, width)
        for kind in ("wide", "double_id", "dead_link", "typed")
        for width in WIDTHS
    }
    assert sorted(file.name for file in (tmp_path / "look").iterdir()) == [
        *(f"0001-content-pages-zz-{width}.png" for width in WIDTHS),
        *(f"0002-list-{width}.png" for width in WIDTHS),
        "index.html",
    ]
    sheet = (tmp_path / "look" / "index.html").read_text()
    assert sheet.index("content/pages/zz.md") < sheet.index("too wide") < sheet.index("No fault.")
    assert "+Shows **this." in sheet
    assert "<script" not in sheet


def checked(terminal: Terminal, directory: Path) -> set[tuple[str, str, str]]:
    """Sync, and look at each page of the gallery; give the address, kind and text of each fault."""
    terminal.run("sync", "--yes")
    rows = json.loads(terminal.run("status", "--format", "json").stdout)["records"]
    links = [row["link"] for row in rows if "/gallery-" in row["link"]]
    assert links
    with browser(directory) as person:
        seen = {link: [check_page(person, link, width=width) for width in WIDTHS] for link in links}
    return {
        (link, fault.kind, f"{fault.place} {fault.detail}")
        for link, windows in seen.items()
        for faults in windows
        for fault in faults
    }
