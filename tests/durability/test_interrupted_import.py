"""An import that stops at any instant is repeated, and ends with the bytes of one that was not stopped."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.embedded_wordpress import ENVIRON
from tests.support.terminal import Terminal

from pressync.client.wordpress.whole_site import WholeWordPress
from pressync.importing import conversion
from pressync.importing.write import FileWriter, WrittenFiles
from pressync.state.state import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

# Each of them may be the last thing that an import does.
STEPS = ((WholeWordPress, "_get"), (conversion, "as_markdown"), (FileWriter, "write"), (State, "save"))


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
    """Stop before one step, as a kill does; give the list of the steps that were done."""
    done: list[str] = []

    def counted(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def each(*args: Any, **kwargs: Any) -> object:  # noqa: ANN401 - any arguments
            if len(done) == step:
                raise KeyboardInterrupt
            done.append(name)
            return real(*args, **kwargs)

        return each

    if step >= 0:
        # A process that is killed writes no notes at its end.
        monkeypatch.setattr(WrittenFiles, "close", lambda _notes: None)
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
    told = f"Interrupted: the import is not complete. Run the same command again: `{command}`"
    assert said.splitlines()[-1] == told
    if steps.index("write") >= step:
        assert tree(own.repository).keys() == {"README.md"}
    # Notes of other commands would have to be kept true in every clone.
    assert not (own.repository.root / ".git/pressync/import").exists()
    own.run("import", url, exits=1)
    return tree(own.repository)


def test_an_import_that_is_stopped_and_repeated_writes_the_same_bytes(
    own: Terminal, site: EmbeddedWordPress, whole: tuple[list[str], dict[str, bytes]]
) -> None:
    steps, expected = whole
    for step in (steps.index("as_markdown") + 1, steps.index("write") + 2, steps.index("save")):
        assert stopped_and_repeated(own, site.url, step, steps) == expected
    assert {"content/pages/about/team.md", ".pressync/default.json"} <= expected.keys()


def test_an_edit_after_an_import_was_stopped_is_not_overwritten(
    own: Terminal, site: EmbeddedWordPress, whole: tuple[list[str], dict[str, bytes]]
) -> None:
    steps, expected = whole
    with pytest.MonkeyPatch.context() as patch:
        stop_at(patch, steps.index("write") + 2)
        own.run("import", site.url, exits=130)
    edited = min(path for path in tree(own.repository) if path.startswith("content/"))
    own.repository.write(edited, "Edited")
    told = own.run("import", site.url, exits=1).stdout
    assert "1 file here is not committed, and stayed as before." in told
    found = tree(own.repository)
    assert found.pop(edited) == b"Edited"
    content = {path for path in expected if path.startswith("content/")} - {edited}
    assert {path: found[path] for path in content} == {path: expected[path] for path in content}


@pytest.mark.sweep
def test_there_is_no_instant_at_which_an_import_may_not_be_stopped(
    own: Terminal, site: EmbeddedWordPress, whole: tuple[list[str], dict[str, bytes]]
) -> None:
    steps, expected = whole
    for step in range(len(steps)):
        assert stopped_and_repeated(own, site.url, step, steps) == expected, f"{step}: {steps[:step]}"
