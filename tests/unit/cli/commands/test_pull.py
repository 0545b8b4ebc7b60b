"""`pressync pull` as people type it: a line for each file that it changed or left, and its exit code."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.support.desk import Desk

from pressync.app.workspace import Workspace
from pressync.cli.main import pressync

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.testing import Result
    from tests.support.library_service import LibraryService
    from tests.support.repository import SampleRepository
    from tests.support.terminal import Terminal


def test_over_the_documented_interface_it_says_what_to_do_instead(terminal: Terminal) -> None:
    assert "plan --diff" in terminal.run("pull", exits=2).stderr
    assert "content/pages/no.md" in terminal.run("pull", "content/pages/no.md", exits=2).stderr


ABOUT = "content/pages/about.md"


@pytest.fixture
def desk(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Sync a page to a site in memory, which the command line then finds."""
    desk = Desk(repository.root, "https://site.test/wp-json")

    @contextmanager
    def service(_workspace: Workspace, _concurrency: int, _limits: object = None) -> Iterator[LibraryService]:
        yield desk.service

    monkeypatch.setattr(Workspace, "service", service)
    repository.commit({ABOUT: "# About\n\nOne.\n\nTwo.\n"})
    desk.sync()
    return desk


def run(desk: Desk, *arguments: str, exits: int = 0) -> Result:
    """Run the command and hold it to its exit code."""
    environ = {"PRESSYNC_URL": desk.url, "PRESSYNC_DIALECT": "wordpress"}
    result = CliRunner().invoke(pressync, ["-C", str(desk.root), "pull", *arguments], env=environ)
    assert result.exit_code == exits, result.output
    return result


def test_a_line_for_each_file_says_what_was_taken(desk: Desk, repository: SampleRepository) -> None:
    desk.edit(ABOUT, content=("One.", "First."), title="About us")
    assert run(desk).stderr == (
        "Nothing to pull: no sync has met a conflict. "
        "`pressync pull content` looks for edits at each record.\n"
    )
    result = run(desk, ABOUT)
    assert result.stdout == f"{ABOUT}: took content, title from the site\n"
    look = "look at `git diff content`, then commit all of it."
    assert result.stderr == f"1 file and the manifest changed; {look}\n"
    assert run(desk, ABOUT).stderr == "Nothing to pull: nobody has edited these records on the site.\n"
    repository.git("commit", "--quiet", "--all", "--message", "Pulled")
    desk.edit(ABOUT, content=("Two.", "Second."))
    (desk.root / ".gitignore").write_text("/.pressync/\n", encoding="utf-8")
    assert run(desk, ABOUT).stderr == "1 file changed; look at `git diff`, then commit.\n"
    repository.commit()
    desk.edit(ABOUT, content=("Second.", "2nd."))
    repository.commit({ABOUT: desk.text(ABOUT).replace("Second.", "2nd.")})
    result = run(desk, ABOUT)
    assert result.stdout == f"{ABOUT}: the file already has the site's text of content\n"
    assert result.stderr == "No file changed.\n"


def test_an_edit_that_the_file_has_already_changes_the_manifest_alone(
    desk: Desk, repository: SampleRepository
) -> None:
    desk.edit(ABOUT, content=("One.", "First."))
    repository.commit({ABOUT: desk.text(ABOUT).replace("One.", "First.")})
    assert run(desk, ABOUT).stderr == "No file changed, but the manifest did; commit it.\n"


def test_a_diff_is_data_and_nothing_is_written(desk: Desk) -> None:
    desk.edit(ABOUT, content=("One.", "\x1b[31mFirst."))
    result = run(desk, "--diff", ABOUT)
    assert f"--- a/{ABOUT}\n+++ b/{ABOUT}\n" in result.stdout
    assert "\n-One.\n+\\u001b[31mFirst.\n" in result.stdout
    assert result.stderr.endswith("1 file would change; nothing was written.\n")
    assert "One." in desk.text(ABOUT)


def test_what_is_left_for_a_person_ends_it_with_1(desk: Desk, repository: SampleRepository) -> None:
    desk.edit(ABOUT, content=("One.", "From the site."))
    repository.write(ABOUT, "# About\n\nUnfinished.\n\nTwo.\n")
    assert "--force" in run(desk, ABOUT, exits=1).stdout
    repository.commit()
    result = run(desk, ABOUT, exits=1)
    assert (
        f"{ABOUT}: both sides changed the same place; choose between Git's marks in the file\n"
        in result.stdout
    )
    again = run(desk, ABOUT, exits=1).stderr
    assert f"{ABOUT}:3: a merge was not finished here: Git's conflict markers are in the text" in again
    desk_file = desk.root / ABOUT
    desk_file.write_text("# About\n\nChosen.\n\nTwo.\n", encoding="utf-8")
    assert run(desk, ABOUT).stderr == "Nothing to pull: nobody has edited these records on the site.\n"


def test_what_is_said_of_several_files_is_one_line(desk: Desk, repository: SampleRepository) -> None:
    news = "content/pages/news.md"
    repository.commit({news: "# News\n\nOne.\n\nTwo.\n"})
    desk.sync()
    for path in (ABOUT, news):
        desk.edit(path, content=("One.", "First."))
    assert run(desk, "--diff", ABOUT, news).stderr.startswith(
        f"{ABOUT}: would take content from the site; also {news}\n"
    )
    assert run(desk, "-v", ABOUT, news).stdout == "".join(
        f"{path}: took content from the site\n" for path in (ABOUT, news)
    )
