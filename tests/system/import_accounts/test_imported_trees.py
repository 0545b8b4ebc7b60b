"""Each source of an import: the account adds up, its bytes are steady, and the plan after a sync is empty."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.terminal import Terminal

HEAD = "---\ntitle: {}\n{}---\n"
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n"
BOMB += "d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n"
OUT = "../../../../escaped"
GHOST = {
    "meta": {"exported_on": 1, "version": "5"},
    "data": {
        "posts": [
            {"id": "1", "title": "A", "slug": "a", "html": "<p>A</p>", "status": "published"},
            {"id": "2", "title": "B", "slug": OUT, "html": "<p>B</p>", "status": "published"},
            {"id": "3", "title": "C", "slug": "c", "status": "draft"},
            {"title": ["odd"]},
        ]
    },
}
# Each tree has pages, a page that wants a place outside, a bomb of aliases, and a link that leads out.
SOURCES = {
    "obsidian": {
        ".obsidian/app.json": "{}",
        "A.md": "[[B]] [[Gone]] %%x%%\n",
        "B.md": HEAD.format("B", f"permalink: {OUT}\n") + "b\n",
        "bomb.md": HEAD.format("Bomb", BOMB),
        "board.canvas": "{}",
    },
    "hexo": {
        "_config.yml": "permalink: :year/:title/\n",
        "scaffolds/post.md": "",
        "source/_posts/a.md": HEAD.format("A", "date: 2024-01-31\n") + "{% post_link b %}\n",
        "source/_posts/b.md": HEAD.format("B", f"permalink: {OUT}\n") + "b\n",
        "source/_posts/bomb.md": HEAD.format("Bomb", BOMB),
        "source/c.md": HEAD.format("C", "") + "{% own %}\n",
    },
    "astro": {
        "astro.config.mjs": "export default { integrations: [starlight({})] }",
        "src/content/docs/a.mdx": HEAD.format("A", "") + "import X from 'x'\n\n<X />\n",
        "src/content/docs/b.md": HEAD.format("B", f"slug: {OUT}\n") + "b\n",
        "src/content/docs/bomb.md": HEAD.format("Bomb", BOMB),
        "src/pages/x.astro": "",
    },
    "push-md": {
        "AGENTS.md": "",
        "post/a.md": HEAD.format("A", "status: publish\n") + "a\n",
        "page/b.md": HEAD.format("B", f"slug: {OUT}\n") + "b\n",
        "page/bomb.md": HEAD.format("Bomb", BOMB),
    },
    "ghost": {"export.json": json.dumps(GHOST)},
}


def written(folder: Path) -> dict[str, bytes]:
    found = (path for part in ("content", ".pressync/import") for path in (folder / part).rglob("*"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found if path.is_file()}


@pytest.mark.parametrize("tool", SOURCES)
def test_an_import_adds_up_is_steady_and_in_step(terminal: Terminal, tmp_path: Path, tool: str) -> None:
    source = tmp_path / "source"
    tree(source, SOURCES[tool])
    (tmp_path / "secret.md").write_text("# Secret")
    for folder in filter(
        None, (source / inner for inner in ("", "source/_posts", "src/content/docs", "post"))
    ):
        if folder.is_dir():
            (folder / "out.md").symlink_to(tmp_path / "secret.md")
    named = str(source / "export.json" if tool == "ghost" else source)
    root = terminal.repository.root
    terminal.run("import", named, exits=1)
    report = json.loads((root / ".pressync/import/report.json").read_text())
    assert report["tool"] == tool
    counts = {way: report[way] for way in ("carried", "html", "verbatim", "left_out")}
    assert report["items"] == sum(counts.values())
    assert counts["left_out"] >= 1
    assert all(kind["count"] == len(kind["places"]) for kind in report["kinds"])
    first = written(root)
    outside = (path for path in tmp_path.rglob("escaped*") if not path.is_relative_to(root / "content"))
    assert not list(outside)
    assert all(b"Secret" not in data for data in first.values())
    terminal.run("import", named, exits=1)
    assert written(root) == first
    terminal.repository.commit()
    # Without a site, the embedded service plays WordPress.
    del terminal.environ["PRESSYNC_URL"]
    terminal.run("sync", "--yes")
    assert "Nothing to do" in terminal.run("plan").stdout
