"""The skill is true step by step: each fault of a text is named at the step that promises it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.terminal import Terminal

from pressync.app import guide

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

ABOUT, PAGE = "content/pages/about.md", "content/posts/new.md"
LINKS = "[Gone](gone.md)\n\n[Nowhere](/nowhere-at-all/)\n"
# The steps of the skill with a command, by their names.
STEPS = dict(
    re.findall(r"^\d\. \*\*(Check|Plan|Rehearse)\.\*\* `pressync ([^`]+)`", guide.skill(), re.MULTILINE)
)


@pytest.fixture
def terminal(repository: SampleRepository) -> Terminal:
    """Open a repository of one page, which is synced to the embedded service of its clone."""
    repository.commit({ABOUT: "---\ntitle: About\n---\n\nText.\n"})
    return Terminal(repository, {})


def step(terminal: Terminal, name: str, exits: int = 0) -> Any:  # noqa: ANN401 - a document of JSON
    """Run the command of a step as the skill names it, and give its document."""
    return json.loads(terminal.run(*STEPS[name].split(), "--format", "json", exits=exits).stdout)


def problems(terminal: Terminal, exits: int = 0) -> list[tuple[str, int]]:
    """Give the code and the line of each problem that the step *Check* names in the page."""
    found = step(terminal, "Check", exits)["problems"]
    return sorted((each["code"], each["line"]) for each in found if each["path"] == PAGE)


def text(head: str, body: str) -> str:
    """Write the page; new texts begin as drafts."""
    return f"---\ntitle: New\nstatus: draft\n{head}---\n\n{body}"


def test_the_skill_names_the_commands_of_its_steps() -> None:
    assert STEPS == {"Check": "check", "Plan": "plan --diff", "Rehearse": "rehearse"}


def test_a_script_that_follows_the_skill_meets_each_fault_where_it_is_promised(terminal: Terminal) -> None:
    repository = terminal.repository
    # 1. Write, and 2. check: a wrong value hides the other problems of its file, and a check finds them then.
    repository.write(PAGE, text("date: never\ncolour: red\n", LINKS))
    assert problems(terminal, exits=2) == [("value", 4)]
    repository.write(PAGE, text("colour: red\n", LINKS))
    assert problems(terminal) == [("broken-link", 7), ("dead-address", 9), ("unused-key", 4)]
    repository.write(PAGE, text("", LINKS.replace("gone", "../pages/about")))
    assert problems(terminal) == [("dead-address", 8)]
    # 4. Before 3., the commit, a plan does not have the page, and no deletion either.
    (repository.root / ABOUT).rename(repository.root / "about")
    assert [each["path"] for each in step(terminal, "Plan")["changes"]] == [ABOUT]
    (repository.root / "about").rename(repository.root / ABOUT)
    repository.commit()
    changes = {each["path"]: each for each in step(terminal, "Plan")["changes"]}
    assert (changes[PAGE]["action"], changes[PAGE]["status"]) == ("create", "draft")
    assert "Nowhere" in changes[PAGE]["diff"]
    # 5. Rehearse: a link of the draft to an address that the site does not have.
    (dead,) = step(terminal, "Rehearse", exits=1)["links"]["dead"]
    assert (dead["path"], dead["line"]) == (PAGE, 8)
    repository.commit({PAGE: text("", "[About](../pages/about.md)\n")})
    links = step(terminal, "Rehearse")["links"]
    assert (links["checked"] >= 1, links["dead"]) == (True, [])
    # 6. The draft is sent, and a removed file takes its record with it only after a commit.
    terminal.run("sync", "--as-agent")
    records = json.loads(terminal.run("status", "--format", "json").stdout)["records"]
    assert {each["path"]: each["status"] for each in records} == {ABOUT: "publish", PAGE: "draft"}
    (repository.root / PAGE).unlink()
    assert step(terminal, "Plan")["counts"]["delete"] == 0
    repository.commit()
    assert step(terminal, "Plan")["counts"]["delete"] == 1


def test_a_dead_link_of_a_draft_is_dead_and_a_site_without_links_says_so(terminal: Terminal) -> None:
    assert "There was no link of the site to check." in terminal.run("rehearse").stdout
    terminal.repository.commit({PAGE: "---\ntitle: New\nstatus: draft\n---\n\n[Gone](/nowhere-at-all/)\n"})
    dead = json.loads(terminal.run("rehearse", "--format", "json", exits=1).stdout)["links"]["dead"]
    assert [(each["path"], each["line"], each["kind"]) for each in dead] == [(PAGE, 6, "page")]
