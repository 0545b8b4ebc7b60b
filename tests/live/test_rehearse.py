"""A rehearsal says how the sync after it ends on a real site, record by record, and only reads there."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.live.live import Eyes, empty, live
from tests.live.rehearsed import edit, endings, plant, rehearse
from tests.support.terminal import Terminal

from pressync.model.changes import Result

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live.live import Live
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

# All trees, and the whole of each, are for `python -m tests.live.rehearsed`.
TREES, DOCUMENTS = ("hugo-docs", "opensource-guide", "rust-blog"), 25

SMALL = {
    "content/pages/about.md": "# About\n\nWe & you. [A post](../posts/hello.md)\n\n![Red](red.png)\n",
    "content/pages/about/team.md": "---\ntitle: Team\ndraft: true\n---\nText.\n",
    "content/posts/hello.md": "---\ntitle: Hello\ndate: 2024-03-05T09:00:00\n"
    "categories: [News/Local, Tech & more]\ntags: [a, b]\n---\nHello **world**.\n",
}
# The smallest PNG: one red pixel.
RED = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
    "53de0000000c4944415478da63f8cfc000000301010018dd8db00000000049454e44ae426082"
)
FILES = "usr/share/wordpress"


def assert_sync_ends_as_rehearsed(
    site: Live, line: Line, *, on: str = "embedded", mounts: tuple[str, ...] = ()
) -> int:
    """Rehearse over a line that is watched, then sync; give the number of changes."""
    passed = len(line.passed)
    account = rehearse(site, threading.Event(), on=on, mounts=mounts)

    assert {one.method for one in line.passed[passed:]} == {"GET"}
    done = endings(site.sync(keep_going=True).outcomes)
    assert endings(account.result.outcomes) == done
    return len(done)


@pytest.mark.corpus
@pytest.mark.parametrize("wordpress", ["mid"], indirect=True)
@pytest.mark.parametrize("name", TREES)
def test_some_of_a_real_tree_end_as_rehearsed_at_first_and_after_ten_edits(
    wordpress: Site, line: Line, tmp_path: Path, name: str
) -> None:
    tree = plant(name, tmp_path, at_most=DOCUMENTS)
    site = live(tree, line, wordpress)

    assert assert_sync_ends_as_rehearsed(site, line) > 0
    edit(tree, name)
    assert assert_sync_ends_as_rehearsed(site, line) > 0


def test_what_somebody_did_on_the_site_is_in_the_rehearsal(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit(SMALL | {"content/pages/legal.md": "# Legal\n", "content/pages/old.md": "# Old\n"})
    repository.commit({"content/pages/red.png": RED})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    taken = eyes.make(title="Legal", status="publish")
    assert_sync_ends_as_rehearsed(site, line)
    ids = site.ids()
    eyes.edit(ids["content/pages/about.md"], content="<p>By somebody</p>")
    eyes.remove(ids["content/pages/old.md"])
    repository.commit({path: f"{text}\nMore.\n" for path, text in SMALL.items()})
    repository.commit({"content/pages/old.md": "# Old\n\nMore.\n", "content/pages/legal-2.md": "# Legal 2\n"})

    assert_sync_ends_as_rehearsed(site, line)

    assert eyes.row(taken)["title"]["raw"] == "Legal"


def test_a_visitors_rehearsal_takes_only_an_edit_for_an_edit(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    # WordPress shows other quotation marks than it stores, and no comments of blocks.
    pages = {f"content/pages/{name}.md": f'# "{name}"\n\n"Quoted" -- text.\n' for name in ("ours", "theirs")}
    repository.commit(pages)
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    theirs = site.entries()["content/pages/theirs.md"]
    # A visitor sees an edit by its second.
    while eyes.row(theirs.id)["modified_gmt"] == theirs.modified_gmt:
        eyes.edit(theirs.id, content="<p>By somebody</p>")
    repository.commit({path: f"{text}\nMore.\n" for path, text in pages.items()})

    account = rehearse(replace(site, password=""), threading.Event())

    assert [(one.change.path, one.result) for one in account.result.outcomes] == [
        ("content/pages/ours.md", Result.DONE),
        ("content/pages/theirs.md", Result.BLOCKED),
    ]


@pytest.mark.usefixtures("playground")
@pytest.mark.parametrize("wordpress", ["mid"], indirect=True)
def test_wordpress_on_this_machine_ends_as_the_site_and_leaves_nothing_behind(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    empty(wordpress)
    repository.commit({"content/pages/old.md": "# Old\n", **SMALL})
    site = live(repository, line, wordpress)
    site.sync()
    repository.write("content/pages/red.png", RED)
    repository.remove("content/pages/old.md")
    repository.commit({path: f"{text}\nMore.\n" for path, text in SMALL.items()})
    repository.commit({"content/pages/new.md": "# New\n\n<script>let a = 1</script>\n"})
    files = f"wordpress={wordpress.folder / FILES}"

    assert assert_sync_ends_as_rehearsed(site, line, on="wordpress", mounts=(files,)) == 5

    assert not (repository.root / ".git/pressync/rehearsals").exists()


@pytest.mark.usefixtures("playground")
@pytest.mark.parametrize("wordpress", ["mid"], indirect=True)
def test_a_clone_without_a_site_has_the_same_dead_links_on_both_stages(
    wordpress: Site, repository: SampleRepository
) -> None:
    links = "[post](../posts/hello.md) [no page](/nowhere/) [no file](gone.md) [no place](about.md#no)"
    repository.commit(
        {"content/pages/about.md": f"# About\n\n{links}\n", "content/posts/hello.md": "# Hello\n"}
    )
    terminal = Terminal(repository, {})
    mounts = ("--mount", f"wordpress={wordpress.folder / FILES}")

    def checked(*options: str) -> object:
        return json.loads(terminal.run("rehearse", "--format", "json", *options, exits=1).stdout)["links"]

    assert checked("--on", "wordpress", *mounts) == checked("--on", "embedded")
