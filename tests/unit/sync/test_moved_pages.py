"""A page that somebody moves in the browser was edited, also if its file never named a parent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support import embedded_wordpress
from tests.support.builders import entry
from tests.support.clones import ABOUT, NEWS, blocks, bound, drift
from tests.support.embedded_wordpress import PASSWORD, USER
from tests.support.wire import PREFIX

from pressync.app.pull import PullOptions, pull
from pressync.model.changes import Result
from pressync.model.interface import Kind
from pressync.model.records import Record
from pressync.sync.field_comparison import parent_edit

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.model.records import Entry

HOME = "https://site.test/blog"


def after(known: Entry, link: str, parent: int) -> dict[str, str]:
    """Read the record of an entry at an address, below a parent."""
    record = Record(known.kind, known.id, known.slug, link, "", "", {"parent": parent})
    return parent_edit(known, record)


def page(link: str, **changes: object) -> Entry:
    known = structs.replace(entry(ABOUT), link=link, fingerprints={"title": "1" * 20})
    return structs.replace(known, **changes)


@pytest.mark.parametrize(
    ("before", "now", "parent", "edit"),
    [
        (f"{HOME}/about/", f"{HOME}/team/about/", 7, {"parent": "7"}),
        (f"{HOME}/about/", f"{HOME}/team/we/about-2/", 7, {"parent": "7"}),
        (f"{HOME}/team/about/", f"{HOME}/about/", 0, {"parent": "0"}),
        (f"{HOME}/about/", f"{HOME}/about-us/", 0, {}),
        # A page that was adopted below another one: the page above it got another address.
        (f"{HOME}/team/about/", f"{HOME}/teams/about/", 7, {}),
        (f"{HOME}/team/about/", f"{HOME}/we/team/about/", 7, {}),
        # A plugin for languages, and other permalinks.
        (f"{HOME}/about/", f"{HOME}/de/about/", 0, {}),
        (f"{HOME}/index.php/about/", f"{HOME}/about/", 0, {}),
        (f"{HOME}/index.php/team/about/", f"{HOME}/about/", 0, {"parent": "0"}),
        # The address of a draft says nothing.
        (f"{HOME}/?page_id=5", f"{HOME}/team/about/", 7, {}),
        ("", f"{HOME}/team/about/", 7, {}),
        ("//[", f"{HOME}/team/about/", 7, {}),
        (f"{HOME}/about/", "//[", 7, {}),
    ],
)
def test_only_a_new_level_of_address_moves(before: str, now: str, parent: int, edit: dict[str, str]) -> None:
    assert after(page(before), now, parent) == edit
    # A parent that was sent is compared as every field is, and a post has none.
    assert after(page(before, fingerprints={"parent": "1" * 20}), now, parent) == {}
    assert after(page(before, kind=Kind.POST), now, parent) == {}


def test_a_move_is_a_conflict_that_pull_and_overwrite_end(repository: SampleRepository) -> None:
    with embedded_wordpress.serving() as wordpress:
        site = bound(repository, wordpress)
        repository.commit({ABOUT: "# About\n\nWe are two.\n", NEWS: "# News\n\nNew.\n"})
        site.sync()
        news, about = (site.entries()[path].id for path in (NEWS, ABOUT))
        wordpress.client.post(f"{PREFIX}/wp/v2/pages/{news}", json={"parent": about}, auth=(USER, PASSWORD))
        moved = "parent changed on the site since the last sync"
        assert blocks(drift(site))[NEWS].startswith(moved)
        repository.commit({NEWS: "# News\n\nNewer.\n"})
        run = site.sync()
        assert [(one.change.path, one.result) for one in run.outcomes] == [(NEWS, Result.BLOCKED)]
        assert run.outcomes[0].message.startswith(moved)

        with site.workspace() as workspace:
            assert [each.settled for each in pull(workspace, PullOptions((NEWS,)))] == [True]
        assert (repository.root / NEWS).read_text().startswith(f"---\nparent: {ABOUT}\n---\n")
        repository.git("checkout", "--quiet", ".")

        wordpress.client.post(f"{PREFIX}/wp/v2/pages/{news}", json={"parent": about}, auth=(USER, PASSWORD))
        site.sync(overwrite=True)
        assert wordpress.shown[news]["parent"] == 0
        assert "Newer" in wordpress.shown[news]["content"]["raw"]
        assert not site.plan().pending
        assert not blocks(drift(site))
