"""Trees of other tools through the command line: what is left out, and what becomes of its records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.syncing import stored_pages

if TYPE_CHECKING:
    from tests.support.terminal import Terminal

    from pressync.server.server import RunningService


def test_a_file_that_is_excluded_later_is_a_delete_with_the_usual_limits(
    terminal: Terminal, service: RunningService
) -> None:
    many = {f"content/pages/notes/{number}.md": f"# Note {number}\n" for number in range(12)}
    terminal.repository.commit(many)
    terminal.run("sync", "--yes")
    terminal.repository.commit({"pressync.toml": 'exclude = ["pages/notes/**"]\n'})

    planned = terminal.run("plan").stdout
    assert "`exclude`, or its type `none`, leaves it out" in planned
    assert "--max-delete" in terminal.run("sync", "--yes", exits=4).stderr
    assert len(stored_pages(service)) == 15

    terminal.run("sync", "--yes", "--max-delete", "12")
    assert len(stored_pages(service)) == 3
    assert "up to date" in terminal.run("sync", "--yes").stdout
