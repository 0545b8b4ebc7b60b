"""The web pages for people who do not see them well, or who use a keyboard."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import html5lib
import pytest
from tests.unit.stage.server.wire import get

from pressync.model.interface import Kind
from pressync.stage.server import rows, web
from pressync.stage.server.rows import StoredRecord
from pressync.stage.server.server import RunningService, running

if TYPE_CHECKING:
    from collections.abc import Iterator

STYLE = (Path(web.__file__).parent / "static/style.css").read_text(encoding="utf-8")
# WCAG 2.2 AA for text of the usual size.
LEAST = 4.5
TONES = ("note", "tip", "important", "warning", "caution")


def colours(dark: bool) -> dict[str, tuple[int, ...]]:
    """Read the colours of the light or of the dark scheme."""
    blocks = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    assert len(blocks) == 2
    found = re.findall(r"--([a-z]+): #([0-9a-f]{6});", blocks[int(dark)])
    return {name: tuple(bytes.fromhex(value)) for name, value in found}


def luminance(colour: tuple[int, ...]) -> float:
    parts = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_can_be_read_on_its_ground(dark: bool) -> None:
    all_of = colours(dark)
    pairs = [(text, ground) for text in ("ink", "soft", "link") for ground in ("paper", "panel", "mark")]
    pairs += [("paper", "link"), *((tone, "paper") for tone in TONES)]
    faint = {
        pair: round(contrast(all_of[pair[0]], all_of[pair[1]]), 2)
        for pair in pairs
        if contrast(all_of[pair[0]], all_of[pair[1]]) < LEAST
    }
    for tone in TONES:
        # The ground of an alert, as `color-mix` makes it.
        pairs_of = zip(all_of[tone], all_of["paper"], strict=True)
        ground = tuple(round(0.08 * part + 0.92 * paper) for part, paper in pairs_of)
        for text in (tone, "ink"):
            if contrast(all_of[text], ground) < LEAST:
                faint[text, f"ground of {tone}"] = round(contrast(all_of[text], ground), 2)
    assert faint == {}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """Serve pages, posts, a draft and a protected page."""
    with running(tmp_path_factory.mktemp("site") / "site.db", title="Field Notes", dialect="both") as up:
        up.store.create(Kind.PAGE, {"title": {"raw": "Docs"}, "content": {"raw": "<h2>A</h2>"}})
        up.store.create(Kind.PAGE, {"title": {"raw": "Set-up"}, "parent": 1})
        up.store.create(Kind.PAGE, {"title": {"raw": "Members"}, "password": "sesame"})
        up.store.create(Kind.PAGE, {"title": {"raw": "Draft"}, "status": "draft"})
        for n in range(12):
            up.store.create(
                Kind.POST, {"title": {"raw": f"Post {n}"}, "categories": (1,), "featured_media": 99}
            )
        with up.store.writing() as db:
            db.execute("INSERT INTO media VALUES (99, 'a', 'A', '', '2024/a.png', 'image/png', 0, 0, 1)")
            rows.save(db, StoredRecord(98, Kind.PAGE, "", 0, 0, slug="empty"))
        yield up


PATHS = (
    *("/", "/docs/", "/docs/set-up/", "/members/", "/empty/", "/blog/", "/blog/page/2/", "/blog/post-1/"),
    *("/category/uncategorized/", "/nowhere/", "/?page_id=4", "/?page_id=4&preview=true"),
)


@pytest.mark.parametrize("path", PATHS)
def test_a_page_can_be_used_without_seeing_it(site: RunningService, path: str) -> None:
    page = html5lib.parse(get(site.site + path).text, namespaceHTMLElements=False)
    assert page.get("lang") == "en"
    assert page.findtext("head/title")
    first = page.find("body").find(".//a")
    assert (first.get("class"), first.get("href")) == ("skip", "#main")
    assert [main.get("id") for main in page.iter("main")] == ["main"]
    assert len(list(page.iter("footer"))) >= 1
    labels = [nav.get("aria-label") for nav in page.iter("nav")]
    assert all(labels)
    assert len(set(labels)) == len(labels)
    levels = [int(each.tag[1]) for each in page.iter() if re.fullmatch("h[1-6]", str(each.tag))]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert [link.get("href") for link in page.iter("a") if not _text(link)] == []
    assert [image.get("src") for image in page.iter("img") if image.get("alt") is None] == []
    ids = [each.get("id") for each in page.iter() if each.get("id")]
    assert len(set(ids)) == len(ids)
    trails = [nav for nav in page.iter("nav") if nav.get("aria-label") == "Breadcrumbs"]
    crumbs = [_text(item) for nav in trails for item in nav.iter("li")]
    assert all(crumbs)
    assert not crumbs or crumbs[-1] == _text(next(page.iter("h1")))
    named = {label.get("for") for label in page.iter("label")}
    inputs = [each for each in page.iter("input") if each.get("type") != "hidden"]
    assert {each.get("id") for each in inputs if not each.get("aria-label")} <= named


def _text(element: Any) -> str:  # noqa: ANN401 - html5lib has no types
    return "".join(element.itertext()).strip()
