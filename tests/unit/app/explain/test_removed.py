"""A file that is gone is explained by the commit that removed it, and by the run that deleted its record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository

ABOUT = "content/pages/about.md"


@pytest.fixture
def clone(repository: SampleRepository) -> Iterator[Terminal]:
    """Make a repository with two pages, and settings of a service."""
    with embedded_wordpress.serving() as site:
        settings = f'[sites.live]\nurl = "{site.url}"\n'
        repository.commit(
            {"pressync.toml": settings, ABOUT: "# About\n", "content/pages/index.md": "# Home\n"}
        )
        yield Terminal(repository, embedded_wordpress.ENVIRON)


def test_the_run_that_deleted_its_record_is_named(clone: Terminal) -> None:
    clone.run("sync", "--yes")
    number = json.loads(clone.run("explain", ABOUT, "--format", "json").stdout)["id"]
    clone.repository.remove(ABOUT)
    removed = clone.repository.commit()
    run = json.loads(clone.run("sync", "--yes", "--format", "json").stdout)["run"]
    found = json.loads(clone.run("explain", ABOUT, "--format", "json").stdout)
    assert found["not_a_document"] == f"its file was removed or renamed; run {run} deleted its page {number}"
    assert found["source"]["commit"]["id"] == removed
    assert found["next"] is None


def test_a_file_that_was_never_sent_names_the_commit_that_removed_it(clone: Terminal) -> None:
    clone.repository.git("rm", "--quiet", ABOUT)
    clone.repository.git("commit", "--quiet", "--message", "We are gone")
    said = clone.run("explain", ABOUT).stdout
    assert "not a document    its file was removed or renamed\n" in said
    assert "We are gone" in said
    assert "nothing: a sync does not read this file" in said


def test_a_removed_folder_and_a_file_that_never_was_are_not_known(clone: Terminal) -> None:
    clone.repository.commit({"content/pages/team/anna.md": "# Anna\n"})
    clone.repository.git("rm", "--quiet", "content/pages/team/anna.md")
    clone.repository.commit()
    for typed in ("content/pages/team", "content/pages/abuot.md", ":(glob)**"):
        assert "check the spelling" in clone.run("explain", typed, exits=2).stderr
    assert "removed" in clone.run("explain", "pages/team/anna.md").stdout
