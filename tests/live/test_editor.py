"""The block editor itself: it calls none of our blocks broken, and its edits come back as Markdown.

These tests drive the editor of each site in Debian's `chromium`, and need nothing else.
"""

from __future__ import annotations

import contextlib
import html
import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from tests.live.live import Eyes, live
from tests.live.sites import NAMES
from tests.live.test_blocks import ADDRESS, CODE, SCRIPT, SHORTCODE, TEXT, sent, without_escapes
from tests.live.test_pull import pulled
from tests.support import gallery
from tests.support.corpora import unpack
from tests.support.share import share

from pressync.content.references import with_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

STAND = Path(__file__).parent / "stand"
CHROMIUM = shutil.which("chromium")
# Headless, as root, and without looking for anything outside of this machine.
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--dump-dom"),
    # The browser's clock stands while it waits for the site, so this is no time that passes here.
    "--virtual-time-budget=60000",
)
TREES = ("hugo-docs", "rust-blog", "wp-cli-handbook")

# A block that Markdown has nothing for.
SPACER = (
    '<!-- wp:spacer {"height":"50px"} -->\n'
    '<div style="height:50px" aria-hidden="true" class="wp-block-spacer"></div>\n<!-- /wp:spacer -->'
)
BROKEN = '<pre class="wp-block-code"><code class="language-x">a</code></pre>'

PAGE = "content/pages/page.md"
# Words that stand once in the text: in a paragraph, in a heading, in an item and in a quotation.
EDITS = [
    *[
        ("second line", "2nd line"),
        ("One &amp; ", "Eins &amp; "),
        ("inner", "innermost"),
        ("A quote", "A word"),
    ],
    # The id of this heading is that of its first text.
    ("Eins &amp; ", "Ein &amp; "),
]

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="Debian's chromium is not installed")


def test_the_editor_takes_every_kind_of_block_for_its_own(wordpress: Site, tmp_path: Path) -> None:
    picture = "https://site.test/red.png"
    known = with_ids(sent(f'![Red]({picture} "At six")\n\n![Red]({picture})\n'), {picture: 31})
    assert known.count("wp-image-31") == 2
    code = f"<!-- wp:code -->\n{BROKEN}\n<!-- /wp:code -->"

    seen, broken = judged(wordpress, [sent(TEXT), code, known], tmp_path)

    assert set(seen) == {
        *("core/heading", "core/paragraph", "core/list", "core/list-item", "core/quote", "core/code"),
        *("core/table", "core/image", "core/separator", "core/html"),
    }
    # Of what is really broken it says so.
    assert broken == [[1, "core/code", BROKEN]]


def test_the_editor_takes_code_that_is_shown_as_it_is_written_for_its_own(
    wordpress: Site, tmp_path: Path
) -> None:
    content = sent(CODE + SCRIPT)

    seen, broken = judged(wordpress, [content], tmp_path)

    assert content.count("&#091;") + content.count("<span>[</span>") > len(seen) > 0
    assert broken == []


@pytest.mark.corpus
def test_the_editor_finds_nothing_broken_in_real_trees(wordpress: Site, tmp_path: Path) -> None:
    trees = share(TREES, len(NAMES), NAMES.index(wordpress.name))
    documents = [sent(text) for name in trees for text in texts(unpack(name, tmp_path / name))]

    seen, broken = judged(wordpress, documents, tmp_path)

    print(f"\n{wordpress.version}: {len(documents)} documents, {seen}, {len(broken)} broken")  # noqa: T201
    # 6.1 mends the mistakes in HTML that authors wrote, like a link in a link, and then calls it broken.
    assert {name for _, name, _ in broken} <= ({"core/html"} if wordpress.name == "old" else set())
    assert len(broken) <= 4


def test_a_word_that_somebody_edits_there_is_a_word_that_changes_here(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path
) -> None:
    # What the editor saves has an address in code escaped only if it is in small letters. WordPress makes a
    # player of any other one.
    code = CODE.replace("HTTPS:", "https:")
    text = f"---\ntitle: Page\n---\n{TEXT}\n{code}"
    repository.commit({"pressync.toml": "[sites.live]\nblocks = true\n", PAGE: text})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    number = site.ids()[PAGE]

    for word, other in EDITS:
        assert edited(wordpress, number, word, other, tmp_path) == {"broken": [], "changed": 1, "saved": True}
        (result,) = pulled(site, PAGE)
        assert result.problems == ()
        text = text.replace(html.unescape(word), html.unescape(other))
        assert (repository.root / PAGE).read_text() == text
        repository.commit()
        assert site.sync().outcomes == ()

    shown = without_escapes(eyes.row(number)["content"]["rendered"])
    for sought in (SHORTCODE, ADDRESS):
        found = Counter(sought.findall(shown))
        assert found & Counter(sought.findall(code)) == Counter(sought.findall(code))
    # What is edited here goes there in blocks again.
    repository.commit({PAGE: text.replace("A paragraph", "The paragraph")})
    site.sync()
    raw = str(eyes.row(number)["content"]["raw"])
    assert raw.startswith('<!-- wp:heading -->\n<h2 class="wp-block-heading" id="ein--two">')
    assert "<!-- wp:paragraph -->\n<p>The paragraph with" in raw


def test_what_the_editor_adds_to_a_player_does_not_come_back(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path
) -> None:
    players = next(page for page in gallery.PAGES if page.name == "players")
    text = f"---\ntitle: Page\n---\n{players.text}\n> [!NOTE] A `title` of *mine*\n> Words.\n\nLast words.\n"
    files = {f"content/pages/{name}": data for name, data in gallery.FILES.items()}
    files |= {f"content/pages/{name}": gallery.picture(*size) for name, size in gallery.PICTURES.items()}
    settings = "[sites.live]\nblocks = true\n\n[markdown]\nembeds = true\ngalleries = true\n"
    repository.commit({"pressync.toml": settings, PAGE: text, **files})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    number = site.ids()[PAGE]
    before = str(eyes.row(number)["content"]["raw"])
    assert re.findall(r"<!-- wp:(embed|audio|video|gallery)", before) == [
        *("embed", "embed", "audio", "video", "gallery")
    ]

    said = edited(wordpress, number, "Last", "New", tmp_path)

    assert said == {"broken": [], "changed": 1, "saved": True}
    assert '"providerNameSlug":"youtube"' in str(eyes.row(number)["content"]["raw"])
    (result,) = pulled(site, PAGE)
    assert result.problems == ()
    assert (repository.root / PAGE).read_text() == text.replace("Last", "New")
    repository.commit()
    assert site.sync().outcomes == ()


def test_a_block_that_markdown_cannot_say_stays_among_the_blocks_of_the_others(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({"pressync.toml": "[sites.live]\nblocks = true\n", PAGE: "One word.\n"})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    number = site.ids()[PAGE]
    eyes.edit(number, content=f"{eyes.row(number)['content']['raw']}\n\n{SPACER}\n\n{sent('Two words.')}")
    assert edited(wordpress, number, "Two words", "Three words", tmp_path)["broken"] == []

    pulled(site, PAGE)

    text = f"One word.\n\n{SPACER}\n\nThree words.\n"
    assert (repository.root / PAGE).read_text() == text
    repository.commit({PAGE: text.replace("Three words", "Four words")})
    site.sync()
    raw = str(eyes.row(number)["content"]["raw"])
    assert re.findall(r"<!-- wp:([a-z]+)", raw) == ["paragraph", "spacer", "paragraph"]
    assert edited(wordpress, number, "Four", "Five", tmp_path) == {"broken": [], "changed": 1, "saved": True}


def texts(tree: Path) -> Iterator[str]:
    """Read the Markdown files of a tree, without their front matter."""
    for file in sorted(tree.rglob("*.md")):
        yield re.sub(r"\A(---|\+\+\+)\n.*?\n\1\n", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)


def judged(site: Site, contents: list[str], folder: Path) -> tuple[dict[str, int], list[list[Any]]]:
    """Have the site's own editor read these contents: how many blocks of each name, and which are broken."""
    data = json.dumps(contents).replace("<", "\\u003c")
    with put(site, "contents.json", data.encode()):
        answer = said(site, "editor.php", "", folder)
    return answer["seen"], answer["broken"]


def edited(site: Site, number: int, word: str, other: str, folder: Path) -> dict[str, Any]:
    """Replace a word of a record in the site's own editor, and save; give what it said of its blocks."""
    return said(site, "edit.php", urlencode({"post": number, "word": word, "other": other}), folder)


def said(site: Site, name: str, query: str, folder: Path) -> dict[str, Any]:
    """Open a page of the stand in the browser, and read the answer that its script writes."""
    page = f"pressync-{name}"
    options = [*FLAGS, f"--user-data-dir={folder / 'profile'}"]
    with put(site, page, (STAND / name).read_bytes()):
        shown = subprocess.run(
            [CHROMIUM or "", *options, f"{site.url}/{page}?{query}"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    found = re.search(r'<pre id="said">(.*?)</pre>', shown, re.DOTALL)
    assert found, shown
    return dict(json.loads(html.unescape(found[1])))


@contextlib.contextmanager
def put(site: Site, name: str, data: bytes) -> Iterator[None]:
    """Put a file into the root of the site as long as it is needed."""
    file = site.folder / "usr/share/wordpress" / name
    file.write_bytes(data)
    try:
        yield
    finally:
        file.unlink()
