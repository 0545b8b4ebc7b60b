"""Edits of others are found before a run overwrites them, and when a person asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support import embedded_wordpress
from tests.support.builders import delete, entry, plan, prints, update
from tests.support.clones import blocks, bound, drift, results
from tests.support.library_repository import Shelf
from tests.support.memory_service import MemoryService
from tests.support.site_settings import change_permalinks
from tests.support.states import opened

from pressync.model.changes import Blocked, Keep, Result
from pressync.model.fingerprint import fingerprint, unsure
from pressync.plan.survey import SiteFindings
from pressync.sync.drift import compare, look

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.model.changes import Plan
    from pressync.model.records import Entry
    from pressync.state.state import State

PATH = "content/pages/a.md"


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """Open an empty state."""
    with opened(tmp_path) as state:
        yield state


def looked(service: MemoryService, state: State, changes: Plan) -> SiteFindings:
    """Look at the records of a plan, and note in the manifest what was learned."""
    found = look(service, state.manifest.entries, changes)
    if found.learned:
        state.put(*found.learned)
    return found


THEIRS = {"title": "Theirs", "slug": "a", "content": "<p>a</p>"}
TRASHED = {"title": "A", "slug": "a__trashed", "content": "<p>a</p>", "status": "trash"}


@pytest.mark.parametrize(
    ("held", "there", "changes", "conflict"),
    [
        (entry(PATH), THEIRS, plan(update(PATH)), {"title": "Theirs"}),
        (entry(PATH), THEIRS, plan(delete(PATH)), {"title": "Theirs"}),
        # A record in the trash is edited in its status alone, and may be deleted.
        (entry(PATH), TRASHED, plan(update(PATH)), {"status": "trash"}),
        (entry(PATH, fingerprints=prints(PATH)), TRASHED, plan(update(PATH)), {"status": "trash"}),
        (entry(PATH), TRASHED, plan(delete(PATH)), {}),
    ],
)
def test_an_edit_of_a_record_that_would_be_overwritten_is_noted(
    state: State, held: Entry, there: dict[str, str], changes: Plan, conflict: dict[str, str]
) -> None:
    state.put(held)
    service = MemoryService()
    service.hold(7, **there)
    edited = replace(held, conflict=conflict)
    assert looked(service, state, changes) == SiteFindings(edited=(edited,) if conflict else ())
    assert state.manifest.entries[PATH] == (edited if conflict else held)


def test_a_look_at_everything_finds_what_no_plan_would_touch() -> None:
    service = MemoryService()
    service.hold(1, title="Theirs", slug="a", content="<p>a</p>")
    service.hold(2, title="B", slug="b", content="<p>b</p>")
    others = [entry("content/pages/b.md", 2), entry("content/pages/gone.md", 3)]
    never_written = entry("content/pages/adopted.md", 4, fingerprints={})
    found = compare(service, [entry(PATH, 1), *others, never_written])
    assert [(one.path, dict(one.conflict)) for one in found.edited] == [(PATH, {"title": "Theirs"})]
    assert found.gone == {"content/pages/gone.md"}


def test_plans_remember_that_a_record_was_deleted_until_it_is_back(repository: SampleRepository) -> None:
    repository.commit({PATH: "A\n", "content/pages/b.md": "B\n"})
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    shelf.sync()
    number = shelf.entries()[PATH].id
    backup = shelf.service.held.pop(number)
    repository.commit({PATH: "A2\n"})
    (told,) = [o.message for o in shelf.sync().outcomes if o.result is Result.BLOCKED]
    assert told.startswith(f"somebody deleted page {number} on the site; remove the file as well")
    (planned,) = [change for change in shelf.plan().changes if not isinstance(change, Keep)]
    assert (type(planned), planned.reason) == (Blocked, told)
    # The site gets its backup.
    shelf.service.held[number] = backup
    assert [o.result for o in shelf.sync().outcomes if not isinstance(o.change, Keep)] == [Result.DONE]
    assert shelf.service.held[number].fields["content"] == "<p>A2</p>\n"
    assert shelf.plan().settled
    del shelf.service.held[number]
    repository.commit({PATH: "A3\n"})
    shelf.sync()
    repository.remove(PATH)
    repository.commit()
    shelf.sync()
    assert PATH not in shelf.entries()


def test_a_lost_update_is_ours_whether_or_not_it_came_through_and_anything_else_is_an_edit() -> None:
    service = MemoryService()
    lost = entry(PATH, fingerprints={**prints(PATH), "title": unsure(fingerprint("A"), fingerprint("Sent"))})
    for title in ("A", "Sent"):
        service.hold(7, title=title, slug="a", content="<p>a</p>")
        assert not compare(service, [lost]).has_news
    service.hold(7, title="Theirs", slug="a", content="<p>a</p>")
    assert compare(service, [lost]).edited == (replace(lost, conflict={"title": "Theirs"}),)


KID, BY_ID = "content/pages/docs/kid.md", "content/pages/by-id.md"
IN_TRASH = "is in the trash on the site; restore that page there, or move this file"


def test_a_page_below_a_parent_in_the_trash_waits_for_the_parent(repository: SampleRepository) -> None:
    with embedded_wordpress.serving() as site:
        repository.commit({"content/pages/docs.md": "# Docs\n"})
        clone = bound(repository, site)
        clone.sync()
        (number,) = site.shown
        site.trash(number)
        repository.commit({KID: "# Kid\n", BY_ID: f"---\nparent: {number}\n---\n# By id\n"})
        outcomes = clone.sync().outcomes
        assert {(o.change.path, o.result, o.message) for o in outcomes} == {
            (path, Result.BLOCKED, f"its parent content/pages/docs.md {IN_TRASH}") for path in (KID, BY_ID)
        }
        assert list(site.shown) == [number]
        site.bend(number, lambda record: record.update(status="publish", slug="docs"))
        assert results(clone) == {KID: "done", BY_ID: "done"}


def linked_posts(repository: SampleRepository) -> None:
    """Commit a post, and a page and a post that link to it."""
    link = "# B\n\nSee [the news](../posts/2024-05-01-news.md) of the day.\n"
    repository.commit(
        {
            "content/posts/2024-05-01-news.md": "# News\n",
            "content/posts/2024-05-02-more.md": link.replace("../posts/", ""),
            "content/pages/b.md": link,
            "content/pages/c.md": "# C\n",
        }
    )


@pytest.mark.parametrize(
    "edit",
    [
        {"content/pages/c.md": "# C\n\nAn edit.\n"},
        {"content/posts/2024-05-01-news.md": "# News\n\nAn edit.\n"},
        {"content/pages/d.md": "# D\n"},
    ],
    ids=["page", "post", "create"],
)
def test_a_sync_with_work_sends_the_pages_that_link_to_where_the_site_has_its_posts_no_more(
    repository: SampleRepository, edit: dict[str, str]
) -> None:
    linked_posts(repository)
    with embedded_wordpress.serving() as wordpress:
        site = bound(repository, wordpress)
        assert set(results(site).values()) == {Result.DONE}
        old = site.entries()["content/posts/2024-05-01-news.md"].link
        change_permalinks(wordpress.store, "/%year%/%postname%/")
        assert results(site) == {}, "a run without work asks the site for nothing"
        repository.commit(edit)

        sent = set(results(site))

        assert sent == {*edit, "content/pages/b.md", "content/posts/2024-05-02-more.md"}
        new = site.entries()["content/posts/2024-05-01-news.md"]
        assert "/2024/news/" in new.link
        assert old in new.former
        texts = [row["content"]["raw"] for row in wordpress.shown.values()]
        assert sum(new.link in text for text in texts) == 2
        assert not any(old in text for text in texts)
        assert results(site) == {}
        assert blocks(drift(site)) == {}
