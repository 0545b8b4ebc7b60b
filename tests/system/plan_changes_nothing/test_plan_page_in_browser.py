"""The page of `plan --format html` in a real browser: keys, filters, both sides, hostile texts, screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import blocked, create, plan, update
from tests.support.chromium import needs_chromium

from pressync.app import comparisons
from pressync.app.comparisons import Comparison
from pressync.cli.report import html
from pressync.stage.browser import browser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.model.changes import Plan
    from pressync.stage.browser import Browser

pytestmark = [pytest.mark.sweep, pytest.mark.timeout(300), needs_chromium]

SHOWN = "document.querySelector('output').value"
CURRENT = "document.querySelector('.current')?.dataset.path"
OPEN = "document.querySelectorAll('details[open]').length"
SCRIPT = "parent.document.title=top.document.title='taken'"
# The frame itself must hold this: nothing of it was taken out before.
HOSTILE = f"""\
<p>text</p><script>{SCRIPT}</script><img src="https://example.org/p.png" onerror="{SCRIPT}">
<meta http-equiv="refresh" content="0;url=https://example.org/gone"><svg onload="{SCRIPT}"></svg>
<style>@import "https://example.org/s.css"; body {{ background: url(https://example.org/b.png) }}</style>
<form action="https://example.org/f"><button autofocus>x</button></form></div></body></html>
<iframe src="https://example.org/i"></iframe><link rel="stylesheet" href="https://example.org/l.css">"""


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Browser]:
    with browser(tmp_path) as opened:
        yield opened


def show(person: Browser, folder: Path, drawn: Plan, *compared: Comparison) -> None:
    file = folder / "plan.html"
    file.write_text(html.plan(drawn, {each.path: each for each in compared}), encoding="utf-8")
    person.open(file.as_uri())


def of_many(count: int = 2_000) -> Plan:
    updates = [update(f"content/pages/docs/{number}.md", "content", number=number) for number in range(count)]
    creates = [create(f"content/posts/{number}.md") for number in range(5)]
    return plan(blocked("content/pages/b.md", "the service cannot create a post"), *creates, *updates)


def test_two_thousand_changes_are_walked_and_opened_by_keys(person: Browser, tmp_path: Path) -> None:
    sides = comparisons.rows("<p>one</p>", "<p>two</p>")
    drawn = of_many()
    show(person, tmp_path, drawn, *(Comparison(each.path, "-one\n+two", sides) for each in drawn.changes))
    assert person.ask(SHOWN) == "2,006 of 2,006 changes"
    # Nothing is built before it is opened.
    assert person.ask("document.querySelectorAll('iframe, pre').length") == 0

    for key in "jjk":
        person.press(key)
    assert person.ask(CURRENT) == "content/pages/b.md"
    person.press("j")
    person.press("Enter")
    assert person.ask(CURRENT) == "content/posts/0.md"
    person.wait("document.querySelector('iframe')")
    assert person.ask("document.querySelector('ins').textContent") == "+two"
    assert person.ask("document.querySelector('iframe').srcdoc.includes('<ins>two</ins>')")
    person.press("Enter")
    person.wait(f"{OPEN} === 0")

    person.press("?")
    person.wait("document.querySelector('dialog').open")
    person.press("Escape")
    person.wait("!document.querySelector('dialog').open")
    person.press("v")
    assert person.ask("document.body.className") == "view-source"


def test_filters_by_text_kind_of_change_and_folder_go_together(person: Browser, tmp_path: Path) -> None:
    show(person, tmp_path, of_many())
    person.press("/")
    person.type("docs 199")
    assert person.ask("document.activeElement.id") == "search"
    assert person.ask(SHOWN) == "12 of 2,006 changes"
    person.press("Escape")
    person.press("j")
    assert person.ask(CURRENT) == "content/pages/docs/199.md"
    person.ask("document.querySelector('button[data-action=create]').click()")
    assert person.ask(SHOWN) == "0 of 2,006 changes"
    person.press("c")
    assert person.ask(SHOWN) == "2,006 of 2,006 changes"
    person.ask("document.forms[0].elements.folder.value = 'content/posts/'")
    person.ask("document.forms[0].elements.folder.dispatchEvent(new Event('input', {bubbles: true}))")
    assert person.ask(SHOWN) == "5 of 2,006 changes"


def test_a_hostile_text_stays_in_its_frame(person: Browser, tmp_path: Path) -> None:
    drawn = plan(update("a.md", "content"))
    show(person, tmp_path, drawn, Comparison("a.md", HOSTILE, HOSTILE))
    title = person.ask("document.title")
    person.press("j")
    person.press("Enter")
    person.wait("document.querySelector('iframe')")
    # The frame is drawn by then.
    person.picture(tmp_path / "screen.png")
    assert person.ask("document.title") == title
    assert [address for address in person.requested if not address.startswith("file:")] == []
    assert person.ask("document.querySelector('iframe').getAttribute('sandbox')") == ""
    assert person.ask("document.querySelector('.source pre').textContent").strip() == HOSTILE
    assert person.ask("document.querySelectorAll('svg, img, script[src]').length") == 0


def test_light_dark_and_a_narrow_screen(person: Browser, tmp_path: Path) -> None:
    show(person, tmp_path, of_many(3), Comparison("content/posts/0.md", "+" + "x" * 500, "<p>a</p>"))
    background = "getComputedStyle(document.querySelector('form')).backgroundColor"
    seen = []
    for dark in (False, True):
        person.screen(1400, 900, dark=dark)
        seen.append(person.ask(background))
    assert seen[0] == "rgb(255, 255, 255)"
    assert seen[1] != seen[0]
    person.screen(360, 700)
    person.press("j")
    person.press("j")
    person.press("Enter")
    person.wait("document.querySelector('iframe')")
    assert person.ask("document.documentElement.scrollWidth") <= 360
