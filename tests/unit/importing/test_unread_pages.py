"""Each page below the content of a source is an item, or left out by its name, or a part of other pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import by_file, left_out, tree

from pressync.importing.importers import importer
from pressync.importing.run import UNREAD_PAGE, guarded
from pressync.importing.sources.item import ImportSource

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PAGE = "---\ntitle: A\n---\nText\n"
CASES = {
    "hugo": (
        {"hugo.toml": "", "content/a/index.md": PAGE, "content/a/part.html": "x", "content/b.ipynb": "{}"},
        {"content/b.ipynb": UNREAD_PAGE},
    ),
    "jekyll": (
        {
            "_config.yml": "exclude: [README.md]\n",
            "README.md": PAGE,
            "a.md": PAGE,
            "_authors/ann.md": PAGE,
            "_layouts/page.html": PAGE,
            "_site/a.html": "x",
        },
        {"README.md": "excluded page", "_authors/ann.md": UNREAD_PAGE},
    ),
    "hexo": (
        {
            "_config.yml": "exclude: [out.md]\nskip_render: [raw/*]\n",
            "scaffolds/post.md": "",
            "source/_posts/a.md": PAGE,
            "source/_posts/U.MD": PAGE,
            "source/about.html": PAGE,
            "source/out.md": PAGE,
            "source/raw/a.md": PAGE,
        },
        {
            "source/_posts/U.MD": UNREAD_PAGE,
            "source/about.html": UNREAD_PAGE,
            "source/out.md": "excluded page",
            "source/raw/a.md": "excluded page",
        },
    ),
    "docusaurus": (
        {
            "docusaurus.config.js": "module.exports = {presets: [['classic', {docs: {exclude: "
            "['**/_*.{md,mdx}', \"out/**\"]}}]]};",
            "docs/a.md": "import A from './_part.mdx'\n\n<A />\n",
            "docs/_part.mdx": "import B from './_inner.md'\n\n<B />\n",
            "docs/_inner.md": PAGE,
            "docs/_alone.md": PAGE,
            "docs/out/b.md": PAGE,
            "docs/old.html": PAGE,
        },
        dict.fromkeys(("docs/_alone.md", "docs/out/b.md", "docs/old.html"), UNREAD_PAGE),
    ),
    "astro": (
        {
            "astro.config.mjs": "",
            "src/content/docs/a.mdoc": PAGE,
            "src/content/docs/b.md": "import A from './_part.md'\n\n<A />\n",
            "src/content/docs/_part.md": PAGE,
            "src/content/docs/_alone.md": PAGE,
        },
        dict.fromkeys(("src/content/docs/a.mdoc", "src/content/docs/_alone.md"), UNREAD_PAGE),
    ),
    "mkdocs": (
        {
            "mkdocs.yml": "exclude_docs: |\n  *.tmp.md\n  !kept.tmp.md\n",
            "docs/b.html": "x",
            "docs/c.tmp.md": PAGE,
            "docs/kept.tmp.md": PAGE,
            "docs/U.MD": PAGE,
        },
        {"docs/b.html": UNREAD_PAGE, "docs/c.tmp.md": "excluded page", "docs/U.MD": UNREAD_PAGE},
    ),
    "obsidian": (
        {".obsidian/app.json": "{}", "a.md": PAGE, "b.html": "x"},
        {"b.html": UNREAD_PAGE},
    ),
    "push-md": (
        {"AGENTS.md": "", "post/a.md": PAGE, "post/b.mdx": "x"},
        {"AGENTS.md": "guidance of the clone", "post/b.mdx": UNREAD_PAGE},
    ),
}


@pytest.mark.parametrize("tool", CASES)
def test_each_page_below_the_content_is_in_the_account(tmp_path: Path, tool: str) -> None:
    files: Mapping[str, str]
    files, expected = CASES[tool]
    tree(tmp_path, files)
    source = ImportSource("site", tmp_path)
    found = list(guarded(source, importer(tool).read(source)))
    assert left_out(found) == expected
    assert len(by_file(found)) == 1
