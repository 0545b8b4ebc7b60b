"""Notes of editors on a real WordPress have author, words and line, and a commit resolves one."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import requests
from tests.live.live import Eyes, live
from tests.live.test_notes import put_note

from pressync.app import notes
from pressync.app.revision import Revision
from pressync.cli.plan import noted
from pressync.model.errors import Refused
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

PAGE = "content/pages/about.md"


@pytest.mark.parametrize("wordpress", ["new"], indirect=True)
def test_a_note_is_listed_and_a_commit_resolves_it_once_its_page_is_sent(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit({PAGE: "# About\n\nOne paragraph.\n"})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    number = site.ids()[PAGE]
    note = put_note(wordpress, number, random.Random(1))  # noqa: S311 - a seed makes the test the same

    with site.workspace() as workspace:
        content = workspace.content(Revision())
        (found,) = notes.listed(workspace, content, site.entries())
        assert (found.id, found.path, found.line) == (note, PAGE, 3)
        assert (found.author, found.text) == ("admin", "A note.")
        assert found.quoted in "One paragraph."
        with workspace.reading() as state:
            assert state.log.editor_notes() == (found,)
    with replace(site, password="wrong").workspace() as workspace, pytest.raises(Refused):
        notes.listed(workspace, content, site.entries())
    repository.commit({PAGE: "# About\n\nOne better paragraph.\n"}, f"Better\n\nResolves-Note: {note}")
    with site.workspace() as workspace:
        planned = workspace.plan(Revision(), PlanOptions(), drift=True)
        (told,) = noted(workspace, Revision(), planned)
        assert (told.id, told.text, told.resolved_by) == (note, "A note.", repository.head())
    result = site.sync()
    with site.workspace() as workspace:
        for _ in range(2):
            assert ["is resolved by" in said for said in notes.resolve_named(workspace, result)] == [True]
        assert notes.listed(workspace, workspace.content(Revision()), site.entries()) == ()

    asked = {"type": "note", "status": "all", "context": "edit", "post": str(number)}
    user = ("admin", wordpress.passwords["admin"])
    address = f"{wordpress.url}/wp-json/wp/v2/comments"
    rows = requests.get(address, params=asked, auth=user, timeout=30).json()
    assert sorted((row["parent"], row["content"]["raw"]) for row in rows) == [
        (0, "A note."),
        (note, f"Resolved by commit {repository.head()[:10]}."),
    ]
    assert f'"noteId":[{note}]' in str(eyes.row(number)["content"]["raw"])
