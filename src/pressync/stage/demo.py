"""The story of pressync in a folder and a site of its own: the commands of a person, and their effects.

Each command runs in a process of its own, and the demo prints what it prints. Each fact that a step
tells is asked of the site and of the files, so a demo that nobody watches is a test of the whole program.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import requests

from pressync.app import guide
from pressync.config import environment
from pressync.model.errors import PressyncError
from pressync.model.interface import BLOG_KIND, TREE_KIND, Kind
from pressync.stage.demo_site import DemoSite, Options, holding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


_PAGE, _POST = "content/pages/about.md", "content/posts/2026-01-05-hello.md"
_GALLERY = "content/pages/gallery.md"
_SETTINGS, _MARKDOWN = "pressync.toml", "[markdown]\n"
_ABOUT = """# About

We bake bread in a small town.

Our oven is from 1932.

Come by any morning.
"""
_HELLO = """# Hello

The first loaf is out.
"""
_MORNING, _MONDAYS = "Come by any morning.", "Come by any morning but Monday."
# WordPress takes 25 records in one request. So a run of these can be killed between two requests.
_LOAVES = 60
# A create that got no response a moment ago may still be carried out. A sync says so with this exit code.
_UNCONFIRMED, _TRIES, _PAUSE = 5, 12, 5.0
_PATIENCE = 60.0
# A demo does not read the settings of a person's Git: they may name hooks, and a name need not be set.
_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "You"), ("EMAIL", "you@example.org"))
    },
}


class DemoError(PressyncError):
    """A step of the demo did not do what it says."""

    name = "demo_failed"


@dataclass(frozen=True, slots=True)
class Display:
    """What shows the demo: a heading with its words, a command, what it printed, a remark; and what waits.

    `waits` returns when the person wants to go on. It raises KeyboardInterrupt if nobody does.
    """

    heading: Callable[[str, str], None]
    command: Callable[[str], None]
    output: Callable[[str], None]
    remark: Callable[[str], None]
    waits: Callable[[], None]
    colour: bool = False


@dataclass
class Demo:
    """The folder of the repository, the display, and the site once it runs."""

    folder: Path
    display: Display
    start_site: Callable[[], DemoSite]
    session: requests.Session
    site: DemoSite | None = None

    def run(self, line: str, *, ends: Sequence[int] = (0,), tells: str = "") -> int:
        """Run a command line and print it; check how it ends, and a text that it prints.

        :raises DemoError: it ends otherwise, or does not print the text.
        """
        with self.start(line, subprocess.PIPE) as process:
            said, _ = process.communicate()
        self.display.output(said)
        if process.returncode not in ends or tells not in said:
            wanted = f"“{tells}” and the exit code {ends[0]}" if tells else f"the exit code {ends[0]}"
            raise DemoError(f"`{line}` ended with {process.returncode}; the demo wanted {wanted}")
        return process.returncode

    def start(self, line: str, output: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        """Print a command line, and start it."""
        self.display.command(line)
        name, *arguments = shlex.split(line)
        # `-P`: Python does not search modules in the folder, which may have a `click.py`.
        ourselves = [sys.executable, "-P", "-m", "pressync"]
        # Not the variables of pressync: they may name a person's own site.
        colour = {"FORCE_COLOR": "1"} if self.display.colour else {"NO_COLOR": "1"}
        site = self.site.environ if self.site else {}
        return subprocess.Popen(
            [*(ourselves if name == "pressync" else [name]), *arguments],
            cwd=self.folder,
            env={**environment.for_others(), **_GIT, **colour, **site},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )

    def write(self, path: str, text: str) -> None:
        """Write a file of the repository."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def edit(self, path: str, before: str, after: str) -> None:
        """Replace words of a file, and say so."""
        text = (self.folder / path).read_text(encoding="utf-8")
        self.write(path, text.replace(before, after))
        self.display.remark(f"{path}: “{before}” is now “{after}”.")

    def check(self, sentence: str, *, holds: bool) -> None:
        """Tell a fact that was asked of the site or of the files.

        :raises DemoError: it is not so.
        """
        if not holds:
            raise DemoError(f"it is not so: {sentence}")
        self.display.remark(sentence)

    @property
    def running(self) -> DemoSite:
        """The site, which runs by now."""
        if self.site is None:
            raise DemoError("the site does not run yet")
        return self.site

    def records(self, kind: Kind, **query: str | int) -> tuple[list[dict[str, object]], int]:
        """Ask the site for public records of a kind; give one page of them, and the number of all."""
        address, auth = self.running.address(kind.row.route), self.running.auth
        shown = self.session.get(address, params=query, auth=auth, timeout=_PATIENCE)
        return shown.json(), int(shown.headers.get("X-WP-Total", 0))

    def text(self) -> str:
        """Give the HTML of the page *About* on the site; "" if visitors do not see it."""
        found, _ = self.records(TREE_KIND, slug="about")
        return json.dumps(found[0].get("content"), ensure_ascii=False) if found else ""

    def write_in_browser(self, before: str, after: str) -> None:
        """Change words of the page *About* on the site, as an editor does."""
        (page,), _ = self.records(TREE_KIND, slug="about", context="edit")
        content = page["content"]
        raw = str(content.get("raw", "")) if isinstance(content, dict) else ""
        self.session.post(
            self.running.address(f"{TREE_KIND.row.route}/{page['id']}"),
            json={"content": raw.replace(before, after)},
            auth=self.running.auth,
            timeout=_PATIENCE,
        ).raise_for_status()


def _begins(demo: Demo) -> None:
    demo.run("git init --quiet --initial-branch=main")
    demo.run("pressync init --yes")
    demo.write(_PAGE, _ABOUT)
    demo.write(_POST, _HELLO)
    guide.copy_gallery(demo.folder / "content/pages")
    demo.display.remark(f"Three more pages are written: {_PAGE}, {_GALLERY} and {_POST}.")
    settings = (demo.folder / _SETTINGS).read_text(encoding="utf-8")
    demo.write(_SETTINGS, settings.replace(_MARKDOWN, f"{_MARKDOWN}math = true\ngalleries = true\n"))
    demo.display.remark(f"{_SETTINGS} turns formulas and galleries on, for {_GALLERY}.")
    demo.run("git add --all")
    demo.run("git commit --quiet --message 'Begin'")
    demo.run("pressync plan", tells="4 to create")


def _publishes(demo: Demo) -> None:
    demo.site = demo.start_site()
    demo.run("pressync sync --yes", tells="4 done")
    demo.check(f"The page is on the site: {demo.site.home}/about/", holds="from 1932" in demo.text())
    demo.run("pressync sync --yes", tells="Nothing to do")


def _edits_a_file(demo: Demo) -> None:
    demo.edit(_PAGE, "1932", "1931")
    demo.run("git commit --quiet --all --message 'The oven is older'")
    demo.run("pressync plan --diff", tells="1 to update")
    demo.run("pressync sync --yes", tells="1 done")
    demo.check("The site says 1931, and nothing else was sent.", holds="from 1931" in demo.text())


def _meets_an_edit(demo: Demo) -> None:
    site = demo.running
    if site.editor:
        demo.display.remark(f"Edit the page About yourself: {site.editor}. Otherwise the demo does it.")
        demo.display.waits()
    if _MORNING in demo.text():
        demo.write_in_browser(_MORNING, _MONDAYS)
        demo.display.remark(f"Somebody writes on the site: “{_MONDAYS}”")
    theirs = demo.text()
    demo.edit(_PAGE, "bread", "bread and rolls")
    demo.run("git commit --quiet --all --message 'We bake rolls, too'")
    demo.run("pressync sync --yes", ends=(1,), tells="1 blocked")
    demo.check("The edit on the site is still there.", holds=demo.text() == theirs)
    demo.run("pressync pull", tells="took")
    demo.run("git diff --unified=0")
    demo.run("git commit --quiet --all --message 'Take the edit from the site'")
    demo.run("pressync sync --yes", tells="1 done")
    demo.check("The site has both edits.", holds="bread and rolls" in demo.text() != theirs)


def _survives_a_kill(demo: Demo) -> None:
    for number in range(1, _LOAVES + 1):
        demo.write(f"content/posts/2026-02-01-loaf-{number}.md", f"# Loaf {number}\n\nIts story.\n")
    demo.run("git add content")
    demo.run(f"git commit --quiet --message '{_LOAVES} loaves'")
    before = demo.records(BLOG_KIND, per_page=1)[1]
    run = demo.start("pressync sync --yes --rate 2")
    until = time.monotonic() + _PATIENCE
    # The first write of a run goes alone, and the others go in requests of many.
    while demo.records(BLOG_KIND, per_page=1)[1] <= before + 1 and time.monotonic() < until:
        time.sleep(0.02)
    run.kill()
    run.wait()
    made = demo.records(BLOG_KIND, per_page=1)[1] - before
    demo.check(f"kill -9, when {made} of {_LOAVES} posts are on the site.", holds=1 < made <= _LOAVES)
    for _ in range(_TRIES):
        if demo.run("pressync sync --yes", ends=(0, _UNCONFIRMED)) != _UNCONFIRMED:
            break
        time.sleep(_PAUSE)
    posts = [each for page in (1, 2) for each in demo.records(BLOG_KIND, per_page=100, page=page)[0]]
    slugs = [str(each["slug"]) for each in posts if isinstance(each, dict)]
    loaves = [each for each in slugs if each.startswith("loaf-")]
    holds = len(loaves) == len({*loaves}) == _LOAVES
    demo.check(f"The site has each of the {_LOAVES} posts once.", holds=holds)


def _deletes_by_commit(demo: Demo) -> None:
    demo.run(f"rm {_PAGE}")
    demo.run("pressync plan", tells="Nothing to do")
    demo.display.remark("A file that is only gone deletes nothing. A commit does.")
    demo.run("git commit --quiet --all --message 'No page About'")
    demo.run("pressync plan", tells="1 to delete")
    demo.run("pressync sync --yes", tells="1 done")
    demo.check("Visitors do not see the page any more.", holds=not demo.text())


def _rolls_back(demo: Demo) -> None:
    demo.run("pressync rollback --yes", tells="1 undone")
    demo.check("The page is back, with its address and its id.", holds="bread and rolls" in demo.text())
    demo.run("git revert --no-edit HEAD --quiet")
    demo.run("pressync sync --yes", tells="Nothing to do")


class _Step(NamedTuple):
    """A step of the story: its heading, a sentence that says what it shows, and what is done."""

    heading: str
    words: str
    act: Callable[[Demo], None]


_STEPS = (
    _Step(
        "Write",
        "Pages and posts are Markdown files in a Git repository. A plan shows what a sync would do.",
        _begins,
    ),
    _Step(
        "Publish",
        "A sync sends exactly what the plan shows. With nothing to do it ends at once.",
        _publishes,
    ),
    _Step("Edit a file", "One changed word is one changed field. The plan shows it.", _edits_a_file),
    _Step(
        "Edit in the browser",
        "Two people change one page: one on the site, the other in the file. A sync overwrites neither.",
        _meets_an_edit,
    ),
    _Step(
        "Kill it",
        "A run is killed amid its writes. Each call was noted before it was sent, so nothing is made twice.",
        _survives_a_kill,
    ),
    _Step("Delete", "Only a commit that removes a file deletes its record.", _deletes_by_commit),
    _Step("Undo", "A run can be undone as a whole.", _rolls_back),
)


def tell(folder: Path, chosen: Options, display: Display) -> None:
    """Tell the story in a new folder; unless it is to be kept, nothing is left of it.

    :raises DemoError: a step did not do what it says.
    :raises StorageError: the folder cannot be made, or the site does not start.
    """
    with requests.Session() as session, holding(folder, chosen, display.remark) as start_site:
        # A proxy does not know this machine's own addresses.
        session.trust_env = False
        demo = Demo(folder, display, start_site, session)
        for number, step in enumerate(_STEPS, 1):
            display.heading(f"{number}/{len(_STEPS)}  {step.heading}", step.words)
            step.act(demo)
            if number < len(_STEPS):
                display.waits()
