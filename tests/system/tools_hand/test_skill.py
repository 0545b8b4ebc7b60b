"""The skill is true step by step: each fault of a text is named at the step that promises it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.terminal import Terminal

from pressync.cli.skill import skill_text

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

PAGE = "content/posts/new.md"
BAD_DATE = "---\ntitle: New\nstatus: draft\ndate: never\ncolour: red\n---\n\n[Gone](gone.md)\n"


@pytest.fixture
def terminal(repository: SampleRepository) -> Terminal:
    """Open a repository of one page, which is synced to the embedded service of its clone."""
    repository.commit({"content/pages/about.md": "---\ntitle: About\n---\n\nText.\n"})
    return Terminal(repository, {})


def test_a_script_that_follows_the_skill_meets_each_fault_where_it_is_promised(terminal: Terminal) -> None:
    repository = terminal.repository
    file = repository.root / PAGE

    def check(*, exits: int = 0) -> str:
        assert "`pressync check`" in skill_text()
        return terminal.run("check", "--format", "json", exits=exits).stdout

    # 1. Write, and 2. check: a wrong value first, then a key that nobody reads and a dead link.
    file.parent.mkdir(parents=True)
    file.write_text(BAD_DATE)
    assert "date 'never' is not a date" in check(exits=2)
    file.write_text(BAD_DATE.replace("date: never\n", ""))
    codes = {(each["code"], each["line"]) for each in json.loads(check())["problems"]}
    assert {("broken-link", 7), ("unused-key", 4)} <= codes
    file.write_text("---\ntitle: New\nstatus: draft\n---\n\n[About](../pages/about.md)\n")
    assert json.loads(check())["problems"] == []
    # 3. Commit, and 4. plan.
    repository.commit()
    changes = json.loads(terminal.run("plan", "--diff", "--format", "json").stdout)["changes"]
    assert [(each["action"], each["path"]) for each in changes if each["path"] == PAGE] == [("create", PAGE)]
    # 5. Rehearse: the link of the draft is checked.
    links = json.loads(terminal.run("rehearse", "--format", "json").stdout)["links"]
    assert (links["checked"] >= 1, links["dead"]) == (True, [])
    # A draft.
    terminal.run("sync", "--as-agent")


def test_a_dead_link_of_a_draft_is_dead_and_a_site_without_links_says_so(terminal: Terminal) -> None:
    assert "There was no link of the site to check." in terminal.run("rehearse").stdout
    terminal.repository.commit({PAGE: "---\ntitle: New\nstatus: draft\n---\n\n[Gone](/nowhere-at-all/)\n"})
    dead = json.loads(terminal.run("rehearse", "--format", "json", exits=1).stdout)["links"]["dead"]
    assert [(each["path"], each["line"], each["kind"]) for each in dead] == [(PAGE, 6, "page")]
