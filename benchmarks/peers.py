"""Measure a run with nothing to do, and a whole render, beside other tools on the same pages.

Run it by hand: `python benchmarks/peers.py [FILES] [--json FILE]`. Needed are `pip install -r
benchmarks/requirements.txt` and `rclone`; a tool that is not there is left out, with a word. The tools take
turns, and each figure is the least of five rounds of a whole command.

The tools do different things. octodns plans DNS records, one for each page, from one folder to another.
rclone compares times and sizes of files. hugo and pelican render the whole site each time. md2conf converts
all pages for Confluence, without sending them.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import measure
import trees

if TYPE_CHECKING:
    from collections.abc import Iterator

_SLOW = 3.0
_OURS = "pressync plan, nothing to do"
_BIN = Path(sys.executable).parent
_PRESSYNC = (sys.executable, "-m", "pressync")
_YAML = "class: octodns.provider.yaml.YamlProvider, default_ttl: 300, enforce_order: false"
_OCTODNS = f"""\
providers:
  here: {{{_YAML}, directory: ./here}}
  there: {{{_YAML}, directory: ./there}}
zones:
  example.org.: {{sources: [here], targets: [there]}}
"""
_HUGO = """\
baseURL = 'https://example.org/'
title = 'Site'
disableKinds = ['rss', 'sitemap', 'taxonomy', 'term']
"""
_PELICAN = """\
SITEURL = ''
SITENAME = 'Site'
AUTHOR = 'A Writer'
PATH = 'content'
TIMEZONE = 'UTC'
FEED_ALL_ATOM = None
"""


def main() -> None:
    """Print a row for each tool."""
    count = int(sys.argv[1]) if sys.argv[1:] and sys.argv[1].isdigit() else 1000
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "site")
        trees.make(root, count)
        trees.put_in_step(root)
        tools = dict(_tools(root, Path(folder)))
        costs = dict.fromkeys(tools, measure.NEVER)
        for _ in range(measure.ROUNDS):
            for name, (where, command) in tools.items():
                # A tool that takes seconds does not need the least of five rounds.
                if not _SLOW < costs[name].work < measure.NEVER.work:
                    costs[name] = measure.least(costs[name], measure.cost(where, command))
    floor = costs["import click"].work + costs["git status"].work
    print(f"{count} pages".ljust(32) + "ms   x (import click + git status)      MB")
    for name, cost in costs.items():
        print(f"{name:26} {cost.work * 1e3:8.0f} {cost.work / floor:20.2f} {cost.memory / 2**20:20.0f}")
    ours = costs[_OURS].work
    measure.report({f"plan of nothing / {name}": ours / cost.work for name, cost in costs.items()}, {})


def _tools(root: Path, folder: Path) -> Iterator[tuple[str, tuple[Path, tuple[str, ...]]]]:
    pages = sorted(root.glob("content/pages/**/*.md"))
    yield "import click", (root, measure.CLICK)
    yield "git status", (root, measure.GIT_STATUS)
    yield _OURS, (root, (*_PRESSYNC, "plan"))
    cold = ("env", "--unset=HOME", "--unset=XDG_CACHE_HOME")
    yield "pressync check, first time", (root, (*cold, *_PRESSYNC, "check"))
    edit = ("sh", "-c", f'echo words >> "{pages[1]}"; exec "$@"', "sh")
    yield "pressync check after an edit", (root, (*edit, *_PRESSYNC, "check"))
    if octodns := _program("octodns-sync"):
        yield (
            "octodns, nothing to do",
            (_zone(folder / "octodns", len(pages)), (octodns, "--config-file", "config.yaml")),
        )
    if rclone := _program("rclone"):
        shutil.copytree(root / "content", folder / "copy")
        yield "rclone sync, nothing to do", (folder, (rclone, "--config", "", "sync", "site/content", "copy"))
    if hugo := _program("hugo"):
        yield "hugo, whole render", (_hugo(folder / "hugo", root), (hugo, "--quiet"))
    if pelican := _program("pelican"):
        site = _pelican(folder / "pelican", pages)
        yield "pelican, whole render", (site, (pelican, "content", "-s", "settings.py", "-q"))
    if converter := _program("md2conf"):
        local = (
            converter,
            "--local",
            "--space",
            "SITE",
            "--domain",
            "example.org",
            "--ignore-invalid-url",
            ".",
        )
        yield "md2conf, whole conversion", (_copied(folder / "md2conf", pages), local)


def _program(name: str) -> str | None:
    found = shutil.which(name, path=str(_BIN)) or shutil.which(name)
    if not found:
        print(f"{name} is not there, so it is left out", file=sys.stderr)
    return found


def _zone(folder: Path, count: int) -> Path:
    records = {f"p{number}": {"type": "A", "value": "192.0.2.1"} for number in range(count)}
    for side in ("here", "there"):
        (folder / side).mkdir(parents=True)
        # JSON is YAML.
        (folder / side / "example.org.yaml").write_text(json.dumps(records), encoding="utf-8")
    (folder / "config.yaml").write_text(_OCTODNS, encoding="utf-8")
    return folder


def _hugo(folder: Path, root: Path) -> Path:
    shutil.copytree(root / "content", folder / "content")
    (folder / "hugo.toml").write_text(_HUGO, encoding="utf-8")
    (folder / "layouts/_default").mkdir(parents=True)
    for name in ("single", "list"):
        template = folder / f"layouts/_default/{name}.html"
        template.write_text("<article>{{ .Content }}</article>\n", encoding="utf-8")
    return folder


def _pelican(folder: Path, pages: list[Path]) -> Path:
    (folder / "content/pages").mkdir(parents=True)
    for number, page in enumerate(pages):
        _, _, body = page.read_text(encoding="utf-8").split("---\n", 2)
        text = f"Title: Page {number}\nSlug: p{number}\nDate: 2026-01-01\n\n{body}"
        (folder / f"content/pages/p{number}.md").write_text(text, encoding="utf-8")
    (folder / "settings.py").write_text(_PELICAN, encoding="utf-8")
    return folder


def _copied(folder: Path, pages: list[Path]) -> Path:
    folder.mkdir()
    for number, page in enumerate(pages):
        _, _, body = page.read_text(encoding="utf-8").split("---\n", 2)
        text = f"<!-- confluence-page-id: {number + 1} -->\n\n# Page {number}\n\n{body}"
        (folder / f"p{number}.md").write_text(text, encoding="utf-8")
    return folder


if __name__ == "__main__":
    main()
