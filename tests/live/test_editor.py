"""What the block editor itself says of our blocks: that none of them has “unexpected or invalid content”."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.live.test_blocks import CODE, SCRIPT, TEXT, sent
from tests.support.corpora import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.live.sites import Site

EDITOR = Path(__file__).parent / "stand/editor.php"
CHROMIUM = shutil.which("chromium")
# Headless, as root, and without looking for anything outside of this machine.
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--dump-dom"),
)
TREES = ("hugo-docs", "rust-blog", "wp-cli-handbook")

BROKEN = '<pre class="wp-block-code"><code class="language-x">a</code></pre>'

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no browser")


def test_the_editor_takes_every_kind_of_block_for_its_own(wordpress: Site, tmp_path: Path) -> None:
    seen, broken = judged(wordpress, [sent(TEXT), f"<!-- wp:code -->\n{BROKEN}\n<!-- /wp:code -->"], tmp_path)

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

    assert content.count("&#091;") > len(seen) > 0
    assert broken == []


@pytest.mark.corpus
def test_the_editor_finds_nothing_broken_in_real_trees(wordpress: Site, tmp_path: Path) -> None:
    documents = [sent(text) for name in TREES for text in texts(unpack(name, tmp_path / name))]

    seen, broken = judged(wordpress, documents, tmp_path)

    print(f"\n{wordpress.version}: {len(documents)} documents, {seen}, {len(broken)} broken")  # noqa: T201
    # 6.1 mends tags in HTML that an author wrote, `<img></img>`, and then calls it broken.
    assert {name for _, name, _ in broken} <= ({"core/html"} if wordpress.name == "old" else set())


def texts(tree: Path) -> Iterator[str]:
    """Read the Markdown files of a tree, without their front matter."""
    for file in sorted(tree.rglob("*.md")):
        yield re.sub(r"\A(---|\+\+\+)\n.*?\n\1\n", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)


def judged(site: Site, contents: list[str], folder: Path) -> tuple[dict[str, int], list[list[Any]]]:
    """Have the site's own editor read these contents: how many blocks of each name, and which are broken."""
    root = site.folder / "usr/share/wordpress"
    page, data = root / "pressync-editor.php", root / "contents.json"
    try:
        page.write_bytes(EDITOR.read_bytes())
        data.write_text(json.dumps(contents).replace("<", "\\u003c"), encoding="utf-8")
        said = subprocess.run(
            [CHROMIUM or "", *FLAGS, f"--user-data-dir={folder / 'profile'}", f"{site.url}/{page.name}"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    finally:
        page.unlink(missing_ok=True)
        data.unlink(missing_ok=True)
    found = re.search(r'<pre id="said">(.*?)</pre>', said, re.DOTALL)
    assert found, said
    answer = json.loads(html.unescape(found[1]))
    return answer["seen"], answer["broken"]
