"""Preview and pages in a real browser: saved and broken files, the overlay, hostile texts, screens."""

from __future__ import annotations

import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.chromium import needs_chromium
from tests.support.shared_manifest import started
from tests.support.terminal import Terminal

from pressync.model.interface import Kind
from pressync.stage.browser import browser
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.stage.browser import Browser


pytestmark = [pytest.mark.sweep, pytest.mark.timeout(300), needs_chromium]

ABOUT, NEW = "content/pages/about.md", "content/pages/new.md"
TEXT = "# About\n\nOne *word*.\n\nThe end.\n"
SHADOW = "document.querySelector('pressync-preview')?.shadowRoot"
WORD = f"{SHADOW}?.querySelector('#all')?.className"
PANEL = f"{SHADOW}.querySelector('#panel')"
SCRIPT = "document.title='taken'"
HOSTILE = f"""\
# Hostile

<p id="here">text</p><img src="data:,x" onerror="{SCRIPT}"><svg onload="{SCRIPT}"></svg>
<script src="/-/preview/overlay.js"></script><script>{SCRIPT}</script>
<meta http-equiv="refresh" content="0;url=data:text/html,gone"><style>#bar {{ display: none }}</style>
<div style="position: fixed; inset: 0; z-index: 2147483647; background: red">over all</div>
</div></article></main></div></body>
"""


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Browser]:
    with browser(tmp_path) as opened:
        yield opened


@pytest.fixture
def address(repository: SampleRepository) -> Iterator[str]:
    """Run a preview of a site with one page; give its address."""
    repository.commit({ABOUT: TEXT})
    Terminal(repository, {}).run("sync", "--yes")
    process = started(repository.root, "preview", "--no-open", "--port", "0")
    assert process.stdout
    try:
        line = next(said for said in process.stdout if said.startswith("The preview: "))
        yield line.split()[2].rstrip("/")
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()
        assert process.returncode == 0


def save(repository: SampleRepository, path: str, text: str) -> None:
    """Save a file as an editor does."""
    (repository.root / path).write_text(text, encoding="utf-8")


def bar(person: Browser) -> str:
    return str(person.ask(f"{SHADOW}.querySelector('#bar').innerText"))


def test_a_saved_file_is_loaded_and_compared(
    person: Browser, address: str, repository: SampleRepository
) -> None:
    person.open(f"{address}/about/")
    person.wait(f"{WORD} === 'keep'")
    assert "up to date" in bar(person)
    save(repository, ABOUT, TEXT.replace("word", "sentence"))
    person.wait("document.querySelector('main em')?.textContent === 'sentence'")
    person.wait(f"{WORD} === 'update'")
    assert ABOUT in bar(person)
    assert "content changed" in bar(person)
    person.ask(f"{SHADOW}.querySelector('[data-panel=sides]').click()")
    assert person.ask(f"{PANEL}.querySelector('.source ins').textContent") == "+One *sentence*."
    frame = f"{PANEL}.querySelector('iframe')"
    assert person.ask(f"{frame}.getAttribute('sandbox')") == ""
    assert "<ins>sentence</ins>" in person.ask(f"{frame}.srcdoc")
    # What was open stays open when the page is loaded again.
    save(repository, ABOUT, TEXT.replace("word", "phrase"))
    person.wait("document.querySelector('main em')?.textContent === 'phrase'")
    person.wait(f"{PANEL}?.querySelector('.source ins')?.textContent.includes('phrase')")


def test_a_broken_file_shows_its_problem_over_the_last_good_page(
    person: Browser, address: str, repository: SampleRepository
) -> None:
    person.open(f"{address}/about/")
    person.wait(f"{WORD} === 'keep'")
    save(repository, ABOUT, "---\ntitle: [\n---\n")
    person.wait(f"{WORD} === 'problem'")
    assert f"error {ABOUT}:3: front matter is not YAML" in person.ask(f"{PANEL}.innerText")
    assert person.ask("document.querySelector('main em').textContent") == "word"
    save(repository, ABOUT, TEXT)
    person.wait(f"{WORD} === 'keep'")


def test_a_broken_new_file_leads_to_its_page_as_soon_as_it_is_good(
    person: Browser, address: str, repository: SampleRepository
) -> None:
    save(repository, NEW, "---\ntitle: [\n---\n")
    person.open(f"{address}/-/preview/file?path={NEW}")
    person.wait(f"{WORD} === 'problem'")
    save(repository, NEW, "# New\n\nThe text.\n")
    person.wait("location.pathname === '/new/' && document.body?.innerText.includes('The text.')")
    person.wait(f"{WORD} === 'create'")


def test_a_hostile_text_stays_in_its_box(person: Browser, address: str, repository: SampleRepository) -> None:
    save(repository, NEW, HOSTILE)
    person.open(f"{address}/-/preview/file?path={NEW}")
    person.wait("location.pathname === '/new/'")
    person.wait(f"{WORD} === 'create'")
    person.ask(f"{SHADOW}.querySelector('[data-panel=sides]').click()")
    person.picture(repository.root.parent / "screen.png")
    assert person.ask("document.title").startswith("Hostile")
    assert person.ask("document.querySelectorAll('script').length") == 1
    assert person.ask("document.querySelector('main #here') !== null")
    # The bar can be used, whatever the text puts over the page.
    over = "document.elementFromPoint(innerWidth / 2, innerHeight - 5).localName"
    assert person.ask(over) == "pressync-preview"
    assert {each.split("/")[2] for each in person.requested if each.startswith("http")} == {
        address.removeprefix("http://")
    }


def test_another_site_cannot_read_the_preview(person: Browser, address: str) -> None:
    person.open(f"{address}/about/")
    port = address.rpartition(":")[2]
    asked = f"fetch('http://localhost:{port}/-/preview/state?at=/', {{mode: 'cors'}}).then(() => 1, () => 0)"
    assert person.ask(asked) == 0


def test_dark_and_narrow(person: Browser, address: str, repository: SampleRepository) -> None:
    person.open(f"{address}/about/")
    save(repository, ABOUT, TEXT.replace("The end", "x" * 400))
    person.wait(f"{WORD} === 'update'")
    person.ask(f"{SHADOW}.querySelector('[data-panel=sides]').click()")
    background = f"getComputedStyle({SHADOW}.querySelector('#all')).backgroundColor"
    person.screen(360, 700)
    assert person.ask(background) == "rgb(255, 255, 255)"
    assert person.ask(f"{SHADOW}.querySelector('#all').scrollWidth") <= 360
    person.screen(360, 700, dark=True)
    assert person.ask(background) != "rgb(255, 255, 255)"


BROWSER = shutil.which("chromium") or ""
EVIL = f"""\
<p id="here">text</p><img src="data:,x" onerror="{SCRIPT}"><svg onload="{SCRIPT}"></svg>
<script>{SCRIPT}</script><details open ontoggle="{SCRIPT}"><summary>x</summary></details>
<meta http-equiv="refresh" content="0;url=data:text/html,gone"><style>.masthead {{ display: none }}</style>
</div></article></main></div><!--"""


@pytest.mark.sweep
@pytest.mark.timeout(300)
@pytest.mark.skipif(not BROWSER, reason="there is no chromium on this machine")
def test_a_hostile_text_runs_no_script_and_leaves_the_frame_alone(tmp_path: Path) -> None:
    with running(tmp_path / "site.db", title="Field Notes", dialect="both") as up:
        up.store.create(Kind.PAGE, {"title": {"raw": "Hostile"}, "content": {"raw": EVIL}})
        flags = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000")
        command = (BROWSER, *flags, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom")
        page = f"{up.site}/hostile/"
        text = subprocess.run([*command, page], capture_output=True, text=True, check=True).stdout
    assert '<p id="here">' in text
    assert "<title>Hostile · Field Notes</title>" in text
    assert text.index('<p id="here">') < text.index("</main>") < text.index('<footer class="colophon">')
    assert "display: none" not in text
