"""An import that stops at any instant goes on, and ends with the bytes of one that was not stopped."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.embedded_wordpress import ENVIRON
from tests.support.terminal import Terminal

from pressync.app.import_site import unfinished
from pressync.app.import_site.write import FileWriter
from pressync.client.wordpress.whole_site import WholeSite
from pressync.importers import bodies
from pressync.state.state import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

# Each of them may be the last thing that an import does.
STEPS = ((WholeSite, "_get"), (bodies, "as_markdown"), (FileWriter, "write"), (State, "save"))


@pytest.fixture
def own(site: EmbeddedWordPress, repository: SampleRepository) -> Terminal:
    """Give a terminal in a repository that is synced to a site with four records."""
    about = site.post("pages", title="About", slug="about", content="We", status="publish")
    site.post("pages", title="Team", slug="team", content="Us", status="publish", parent=about)
    site.post("posts", title="Hello", slug="hello", content="<table></table>", status="publish")
    site.post("pages", title="Later", content="Draft")
    repository.commit({"README.md": "# Read me\n"})
    return Terminal(repository, {**ENVIRON, "PRESSYNC_URL": site.url})


def tree(repository: SampleRepository) -> dict[str, bytes]:
    """Give every file of the work tree."""
    root = repository.root
    files = (
        path for path in root.rglob("*") if path.is_file() and ".git" not in path.relative_to(root).parts
    )
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def clean(repository: SampleRepository) -> None:
    """Remove everything that an import wrote."""
    repository.git("clean", "-qfdx")
    shutil.rmtree(repository.root / ".git/pressync", ignore_errors=True)


def stop_at(monkeypatch: pytest.MonkeyPatch, step: int) -> list[str]:
    """Stop before one step, as Ctrl-C does; give the list of the steps that were done."""
    done: list[str] = []

    def counted(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def each(*args: Any, **kwargs: Any) -> object:  # noqa: ANN401 - any arguments
            if len(done) == step:
                raise KeyboardInterrupt
            done.append(name)
            return real(*args, **kwargs)

        return each

    for place, name in STEPS:
        monkeypatch.setattr(place, name, counted(name, getattr(place, name)))
    return done


@pytest.fixture
def whole(own: Terminal, site: EmbeddedWordPress) -> tuple[list[str], dict[str, bytes]]:
    """Import once without an interruption: the steps, and the tree."""
    with pytest.MonkeyPatch.context() as patch:
        steps = stop_at(patch, -1)
        own.run("import", site.url, exits=1)
    found = tree(own.repository)
    clean(own.repository)
    return steps, found


def stopped_and_repeated(own: Terminal, url: str, step: int, steps: list[str]) -> dict[str, bytes]:
    """Stop before a step, import again, and give the tree."""
    clean(own.repository)
    with pytest.MonkeyPatch.context() as patch:
        stop_at(patch, step)
        said = own.run("import", url, exits=130).stderr
    command = f"pressync -C {own.repository.root} import {url}"
    assert said.splitlines()[-1] == f"Interrupted. `{command}` goes on after what was read."
    if steps.index("write") >= step:
        assert tree(own.repository).keys() == {"README.md"}
    written = steps.index("write") < step
    told = own.run("status").stderr
    assert (f"some of them may be missing. `{command}` goes on." in told) is written
    again = own.run("import", url, exits=1)
    assert "stopped while it wrote" not in again.stderr
    assert not unfinished.folder(own.repository.root / ".git").exists()
    return tree(own.repository)


def test_an_import_that_is_stopped_goes_on_and_writes_the_same_bytes(
    own: Terminal, site: EmbeddedWordPress, whole: tuple[list[str], dict[str, bytes]]
) -> None:
    steps, expected = whole
    for step in (steps.index("as_markdown") + 1, steps.index("write") + 2, steps.index("save")):
        assert stopped_and_repeated(own, site.url, step, steps) == expected
    assert {"content/pages/about/team.md", ".pressync/default.json"} <= expected.keys()


@pytest.mark.sweep
def test_there_is_no_instant_at_which_an_import_may_not_be_stopped(
    own: Terminal, site: EmbeddedWordPress, whole: tuple[list[str], dict[str, bytes]]
) -> None:
    steps, expected = whole
    for step in range(len(steps)):
        assert stopped_and_repeated(own, site.url, step, steps) == expected, f"{step}: {steps[:step]}"
