"""Pages as readers see them: in the stock themes, on a desktop and on a telephone, nothing is broken.

The judge is the browser. The pages are the gallery of every form that people write.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
import requests
from tests.live.live import Eyes, live
from tests.live.sites import NAMES
from tests.live.test_editor import judged
from tests.live.test_pull import pulled
from tests.support import axe, gallery
from tests.support.chromium import needs_chromium

from pressync.app.revision import Revision
from pressync.plan.build import PlanOptions
from pressync.stage.browser import browser
from pressync.stage.rehearse.page_check import CONTENT, WIDTHS, check_page
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.live.live import Live, Row
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

    from pressync.stage.browser import Browser

pytestmark = needs_chromium

# The block theme of the version, and the classic theme of the stand.
THEMES = ("", "twentytwentyone")
SETTINGS = """\
[sites.live]
blocks = {blocks}

[markdown]
math = true
highlight = 'default'
embeds = true
galleries = true
"""
# The pages of which a version changes the stored text, and what it changes.
CHANGED: Mapping[tuple[str, str], set[str]] = {
    # It writes the attributes of each block again, and drops the backslashes of TeX.
    ("mid", "blocks"): {"formulas"},
}


class Lost(NamedTuple):
    """A form that is not right on some versions: the faults that a browser then sees."""

    versions: tuple[str, ...]
    modes: tuple[str, ...]
    fault: str


LOST = (
    # The block of a formula exists from 6.9 on. In an editor that knows it, a style would make it invalid.
    Lost(("old", "mid"), ("blocks", "author"), r"<div> ∑"),
    # WordPress takes the style that breaks a long word from a user who may not write all HTML.
    Lost(NAMES, ("author",), r"<(p|code)> inlinecode"),
    Lost(NAMES, ("author",), r"<\w+> (Three and|https://safe|(one )?node_modules)"),
    Lost(NAMES, ("author",), r"<\w+> (A caption with )?(LongWord|LongLink|LongCode|משפט)"),
    Lost(NAMES, ("author",), r"<(p|code)> (Mutable object|Readonly(Array|Set))"),
    Lost(("old",), ("author",), r"<(h2|h4|span)> (The Systeminformation|Four )"),
    # It takes the formulas, too. The letters that are left are one long word.
    Lost(("old", "mid"), ("author",), r"<p> Inline a2"),
)
# More elements than any page of the gallery has for the keyboard.
_MOST_KEYS = 80
_TURN = "(element) => element.closest('[data-turn]')?.removeAttribute('data-turn')"
_MARK_SCROLLERS = """(content) => {
  const inside = [...document.querySelectorAll(content)].flatMap((root) => [...root.querySelectorAll("*")]);
  const isScrolled = (box) => ["auto", "scroll"].includes(getComputedStyle(box).overflowX)
    && !box.closest("details:not([open])") && box.clientWidth && box.scrollWidth > box.clientWidth + 1;
  const found = inside.filter(isScrolled);
  found.forEach((box) => box.setAttribute("data-turn", ""));
  return found.length;
}"""
# Where a person looks at the pictures of the pages; nothing is kept without it.
SHOTS = os.environ.get("PRESSYNC_TEST_SHOTS", "")


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Browser]:
    with browser(tmp_path) as opened:
        yield opened


@pytest.mark.one_site
@pytest.mark.parametrize("mode", ["blocks", "html", "author"])
def test_the_gallery_is_as_its_authors_mean_it(
    wordpress: Site, line: Line, repository: SampleRepository, person: Browser, mode: str
) -> None:
    settings = SETTINGS.format(blocks=str(mode != "html").lower())
    files = gallery.files("gallery", ("posts",) if mode == "author" else ("pages", "posts"))
    repository.commit({"pressync.toml": settings, **files})
    site = live(repository, line, wordpress, "author" if mode == "author" else "admin")
    bent = {Path(outcome.change.path).stem for outcome in site.sync().outcomes if outcome.message}
    # WordPress filters the markup of an author, and writes some of it in another spelling.
    assert mode == "author" or bent == CHANGED.get((wordpress.name, mode), set())

    rows = own_rows(wordpress, site)
    players = [str(row["content"]["rendered"]) for row in rows if "-players" in row["slug"]]
    # WordPress has asked the providers of the addresses.
    assert {page.count("A film") for page in players} == {3}
    links = [str(row["link"]) for row in rows]
    parts = [f"{row['link']}2/" for row in rows if row["slug"].endswith("-parts")]
    for part in parts:
        page = requests.get(part, timeout=60).text
        assert "The note of both." in page
        assert "The note of the first." not in page
    faults = [fault for link in [*links, *parts] for fault in seen(person, link, f"{wordpress.name}-{mode}")]
    faults += seen(person, f"{wordpress.url}/", f"{wordpress.name}-{mode}-list", is_list=True)
    lost = [row.fault for row in LOST if wordpress.name in row.versions and mode in row.modes]
    unexpected = [fault for fault in faults if not any(re.search(f" wide {row}", fault) for row in lost)]
    assert not unexpected, "\n" + "\n".join(unexpected)
    # Neither the site nor an editor would change the pages again.
    assert site.sync().outcomes == ()
    with site.workspace() as workspace:
        assert workspace.plan(Revision(), PlanOptions(), drift=True).plan.settled
    assert pulled(site) == []
    if mode == "blocks":
        assert (
            judged(
                wordpress, [str(row["content"]["raw"]) for row in rows], repository.root.parent / "editor"
            )[1]
            == []
        )


# Forms of HTML that nothing of pressync has touched. The theme limits some of them.
_IMG = '<img src="{src}" alt="">'
_WITH_ID = '<figure class="wp-block-image"><img src="{src}" alt="" class="wp-image-{id}"/></figure>'
_FILM = '<video controls {more}src="/x.mp4"></video>'
_TABLE = (
    f"<table><tbody><tr>{''.join(f'<td>valuewithoutblank{n}</td>' for n in range(14))}</tr></tbody></table>"
)


def _block(name: str, inner: str) -> str:
    return f"<!-- wp:{name} -->\n{inner}\n<!-- /wp:{name} -->"


FORMS: Mapping[str, str] = {
    "bare": _IMG,
    "in a sentence": f"<p>Words {_IMG} words</p>",
    "in a figure": f"<figure>{_IMG}</figure>",
    "of its size": '<p><img class="size-full" src="{src}" alt=""></p>',
    "of an upload": '<p><img class="wp-image-{id}" src="{src}" alt=""></p>',
    "of an upload in a list": '<ul><li><img class="wp-image-{id}" src="{src}" alt=""></li></ul>',
    "beside the text": '<p><img class="alignleft" src="{src}" alt=""></p>',
    "of an upload beside it": '<p><img class="alignleft wp-image-{id}" src="{src}" alt=""></p>',
    "with a caption": '[caption width="1600"]<img width="1600" height="700" src="{src}" alt=""> A[/caption]',
    "image": _block("image", f'<figure class="wp-block-image">{_IMG}</figure>'),
    "gallery": _block(
        "gallery",
        '<figure class="wp-block-gallery has-nested-images columns-default is-cropped">'
        f"{_block('image', _WITH_ID)}</figure>",
    ),
    **{f"box of {width} px": f'<div style="width:{width}px">A box</div>' for width in (290, 310, 640, 660)},
    "player in a box": "<div>\nhttps://vimeo.com/76979871\n</div>",
    "film": _FILM.format(more='width="1200" '),
    "film in a block": _block("video", f'<figure class="wp-block-video">{_FILM.format(more="")}</figure>'),
    "table": _TABLE,
    "table in a block": _block("table", f'<figure class="wp-block-table">{_TABLE}</figure>'),
    "code": _block("code", f'<pre class="wp-block-code"><code>{"long " * 60}</code></pre>'),
    "long word": f"<p>{'longword' * 20}</p>",
    "long title": f"<h2>{'longword' * 20}</h2>",
    "long address": f'<p><a href="/">https://example.org/{"a-long-address/" * 12}</a></p>',
}


@pytest.mark.usefixtures("line")
@pytest.mark.parametrize("wordpress", ["new"], indirect=True)
def test_the_embedded_service_limits_what_the_theme_limits(
    wordpress: Site, person: Browser, tmp_path: Path
) -> None:
    real = made(f"{wordpress.url}/wp-json", ("admin", wordpress.passwords["admin"]))
    with running(tmp_path / "site" / "site.db", dialect="both") as service:
        ours = made(service.url, ("admin", ""))
        seen_there = {name: leaving(person, link) for name, link in real.items()}
        here = {name: f"{service.site}/{link.split('/', 3)[3]}" for name, link in ours.items()}
        assert {name: leaving(person, link) for name, link in here.items()} == seen_there
    # Some are limited, some on a desktop alone, and some are not.
    assert {(), WIDTHS[1:], WIDTHS} == set(seen_there.values())


def made(base: str, user: tuple[str, str]) -> dict[str, str]:
    """Make an upload, and a page of each form; give their links."""
    head = {"Content-Disposition": 'attachment; filename="wide.png"', "Content-Type": "image/png"}
    wide = gallery.picture(*gallery.PICTURES[gallery.WIDE])
    upload = requests.post(f"{base}/wp/v2/media", wide, headers=head, auth=user, timeout=60).json()
    values = {"id": upload["id"], "src": upload["source_url"]}
    links = {}
    for name, form in FORMS.items():
        fields = {"title": name, "status": "publish", "content": form.format(**values)}
        answer = requests.post(f"{base}/wp/v2/pages", json=fields, auth=user, timeout=60)
        links[name] = str(answer.json()["link"])
    return links


def leaving(person: Browser, link: str) -> tuple[int, ...]:
    """Give the windows in which something leaves its column."""
    faults = [fault for width in WIDTHS for fault in check_page(person, link, width=width)]
    return tuple(dict.fromkeys(fault.width for fault in faults if fault.kind == "wide"))


def own_rows(site: Site, synced: Live) -> list[Row]:
    """Read the records of the gallery as the site has them."""
    rows = {**Eyes(site).rows("page"), **Eyes(site).rows("post")}
    return [rows[number] for number in synced.ids().values()]


def seen(person: Browser, link: str, name: str, *, is_list: bool = False) -> list[str]:
    """Look at a page in each theme and window, and give a line for each fault."""
    lines = []
    for theme in THEMES:
        for width in WIDTHS:
            faults = check_page(person, f"{link}?theme={theme}", width=width, is_list=is_list)
            lines += [
                f"{link} {theme} {width} {fault.kind} {fault.place}: {fault.detail}" for fault in faults
            ]
            shoot(person, f"{name}-{theme or 'block'}-{width}-{link.split('/')[-2]}")
            unreached = scrollers_without_key(person) if not is_list else []
            lines += [f"{link} {theme} {width} no key reaches {element}" for element in unreached]
        broken = axe.violations(person, CONTENT) if axe.IS_THERE else {}
        lines += [
            f"{link} {theme} axe {rule}: {element}"
            for rule, elements in broken.items()
            for element in elements
        ]
    return lines


def scrollers_without_key(person: Browser) -> list[str]:
    """Press Tab through the page, and name the boxes of the text that scroll and never get the focus."""
    # A busy machine may take two keys before it is asked where the focus is.
    person.ask(f"document.addEventListener('focusin', (event) => ({_TURN})(event.target))")
    boxes = person.ask(f"({_MARK_SCROLLERS})({json.dumps(CONTENT)})")
    left = "[...document.querySelectorAll('[data-turn]')].map((box) => box.outerHTML.slice(0, 80))"
    # One walk on a busy machine passed by a box that the next one reached.
    for _ in range(2 if boxes else 0):
        person.ask("document.activeElement.blur(); window.scrollTo(0, 0)")
        for _ in range(_MOST_KEYS if person.ask(left) else 0):
            person.press("Tab")
            # The focus of a link in a box scrolls the box, too.
            person.ask(f"({_TURN})(document.activeElement)")
    return list(person.ask(left))


def shoot(person: Browser, name: str) -> None:
    """Keep a picture of the page for people, if somebody asked for it."""
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        person.picture(Path(SHOTS, f"{name}.png"), whole=True)
