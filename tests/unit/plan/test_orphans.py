"""A record that `git reset` left on the site is told with its id, and neither blocks nor deletes anything."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry
from tests.support.terminal import Terminal
from tests.unit.app.doctor.findings import findings

from pressync.app.doctor.examine import Verdict
from pressync.plan import orphans

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

NEWS = "content/pages/news.md"


@pytest.fixture
def terminal(repository: SampleRepository, strict: StrictService) -> Terminal:
    """Sync and commit one page, then a second one, and take the second back."""
    repository.commit({"content/pages/index.md": "# Home\n", "content/pages/about.md": "# About\n"})
    terminal = Terminal(repository, {"PRESSYNC_URL": strict.url})
    terminal.run("sync", "--yes", "--commit")
    repository.commit({NEWS: "# News\n"})
    terminal.run("sync", "--yes", "--commit")
    repository.git("reset", "--quiet", "--hard", "HEAD~2")
    return terminal


def told(shown: str, strict: StrictService) -> None:
    """See that the record is named with its id, its address and the commands."""
    page = strict.pages[-1]
    assert f"page {page['id']} ({page['link']}) is left on the site" in shown
    assert f"`pressync adopt {NEWS} {page['id']}`" in shown
    assert f"`pressync forget {NEWS}`" in shown
    assert "git restore --source=" in shown


def test_plan_status_and_sync_tell_of_it_again_and_again(terminal: Terminal, strict: StrictService) -> None:
    for command in (("plan",), ("status",), ("sync", "--yes"), ("plan",), ("sync", "--yes")):
        told(terminal.run(*command).stderr, strict)
    (problem,) = json.loads(terminal.run("plan", "--format", "json").stdout)["problems"]
    assert (problem["path"], problem["warning"]) == (NEWS, True)
    assert len(strict.pages) == 3


def test_doctor_tells_of_it(terminal: Terminal, strict: StrictService) -> None:
    left = findings(terminal.repository, terminal.environ)["orphans"]
    assert left.verdict is Verdict.UNKNOWN
    told(f"{left.evidence}; {left.todo}", strict)


def test_other_work_goes_on_and_the_record_stays(terminal: Terminal, strict: StrictService) -> None:
    terminal.repository.commit(
        {"content/pages/team.md": "# Team\n", "content/pages/about.md": "# About us\n"}
    )
    assert "2 done" in terminal.run("sync", "--yes").stdout
    assert sorted(page["title"]["raw"] for page in strict.pages) == ["About us", "Home", "News", "Team"]


def test_the_commands_that_are_named_take_it_up_again(terminal: Terminal, strict: StrictService) -> None:
    shown = terminal.run("plan").stderr
    restore = shown.split("to keep it, `")[1].split("`")[0]
    subprocess.run(restore.split(), cwd=terminal.repository.root, check=True)
    terminal.repository.commit()
    assert f"pressync adopt {NEWS}" in terminal.run("plan").stdout
    terminal.run("adopt", NEWS, str(strict.pages[-1]["id"]))
    terminal.run("sync", "--yes")
    assert len(strict.pages) == 3
    assert "left on the site" not in terminal.run("plan").stderr


def test_to_forget_it_leaves_it_to_the_site(terminal: Terminal, strict: StrictService) -> None:
    terminal.run("forget", NEWS)
    assert "left on the site" not in terminal.run("plan").stderr
    assert "orphans" not in findings(terminal.repository, terminal.environ)
    assert len(strict.pages) == 3


def test_a_record_that_another_clone_deleted_is_not_taken_for_one(
    repository: SampleRepository, strict: StrictService
) -> None:
    repository.commit({"content/pages/index.md": "# Home\n", NEWS: "# News\n"})
    terminal = Terminal(repository, {"PRESSYNC_URL": strict.url})
    terminal.run("sync", "--yes", "--commit")
    # A pull would bring this: the file is removed, and so is its entry.
    notes = repository.root / ".git/pressync/default.made"
    made = notes.read_bytes()
    repository.remove(NEWS)
    repository.commit()
    terminal.run("sync", "--yes", "--commit", "--max-delete", "1")
    notes.write_bytes(made)
    assert "left on the site" not in terminal.run("plan").stderr
    assert "orphans" not in findings(repository, terminal.environ)


def test_of_many_the_first_are_named_and_the_others_counted() -> None:
    found = [entry(f"content/pages/{name}.md", number) for number, name in enumerate("abcde", 1)]
    warnings = orphans.problems(found)
    assert [problem.path[-4:] for problem in warnings] == ["a.md", "b.md", "c.md", "d.md"]
    assert warnings[-1].what == "2 more records that this clone made are left on the site"
    assert len(orphans.problems(found, named=len(found))) == 5
