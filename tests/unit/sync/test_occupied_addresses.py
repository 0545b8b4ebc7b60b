"""Records at the addresses of new documents are bound or left to a person, and never created again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.clones import (
    ABOUT,
    NEWS,
    TEAM,
    blocks,
    bound,
    changes,
    clone,
    drift,
    from_site,
    results,
    titles,
)
from tests.support.memory_service import MemoryService

from pressync.model.changes import Create, Result
from pressync.model.errors import Refused, SafetyRefusal, ServiceError
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.model.reason import NO_REASON
from pressync.model.records import Desired
from pressync.plan.build import PlanOptions
from pressync.sync.occupied_addresses import AT_ONCE, records_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

# Seven documents: pages below a page, links forwards, backwards and in a circle, a picture, a draft, a post.
SITE: dict[str, str | bytes] = {
    "content/pages/a.png": b"\x89PNG\r\n\x1a\n",
    "content/pages/index.md": "# Home\n\nSee [the team](about/team.md) and [news](news.md).\n",
    ABOUT: "# About\n\n[Back](index.md), or [on](news.md).\n",
    TEAM: "# Team\n\nWe are [three](../about.md).\n",
    "content/pages/about/team/ada.md": "# Ada\n\n[Up](../team.md).\n",
    NEWS: "# News\n\n[First](../posts/first.md). ![a](a.png)\n",
    "content/pages/later.md": "---\ntitle: Later\nstatus: draft\n---\nNot yet.\n",
    "content/posts/first.md": "# First\n\nHello from [us](../pages/about.md).\n",
}


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    """Serve an empty site."""
    with embedded_wordpress.serving() as site:
        yield site


def test_a_lost_manifest_in_a_fresh_clone_is_made_out_of_what_is_there(
    wordpress: EmbeddedWordPress, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit(SITE)
    first = bound(repository, wordpress)
    first.sync()
    made = {path: entry.id for path, entry in first.entries().items()}
    (repository.root / ".pressync").rename(tmp_path / "lost")
    before = {number: dict(record) for number, record in wordpress.shown.items()}
    second = clone(repository, wordpress, tmp_path / "second")
    assert results(second) == {}
    assert wordpress.shown == before
    assert {path: entry.id for path, entry in second.entries().items()} == made
    assert changes(second.plan()) == {}
    assert changes(drift(second)) == {}
    assert results(second) == {}


def test_a_plan_with_drift_shows_what_a_sync_would_bind_and_notes_nothing(
    wordpress: EmbeddedWordPress, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit(SITE)
    bound(repository, wordpress).sync()
    (repository.root / ".pressync").rename(tmp_path / "lost")
    second = clone(repository, wordpress, tmp_path / "second")

    looked = drift(second)
    assert changes(looked) == {}
    # It must not be remembered as a plan with nothing to do: the next sync has to write the entries down.
    assert not looked.settled
    assert {one.reason for one in looked.changes} == {
        "it is on the site already, with the same text: the next sync binds it"
    }
    assert second.entries() == {}
    assert set(changes(second.plan()).values()) == {Create}
    assert second.plan().notes == (
        "A sync uploads these files if the site does not have them: content/pages/a.png.",
        (
            "A sync first looks up the addresses of 7 new documents on the site; "
            "`pressync plan --drift` looks now."
        ),
    )


def test_a_page_of_somebody_else_blocks_the_create_and_says_the_ways_out(
    wordpress: EmbeddedWordPress, repository: SampleRepository
) -> None:
    number = wordpress.put("About, by hand", "about")
    repository.commit({ABOUT: "# About\n", TEAM: "# Team\n", NEWS: "# News\n"})
    site = bound(repository, wordpress)
    assert results(site) == {ABOUT: Result.BLOCKED, TEAM: Result.BLOCKED, NEWS: Result.DONE}
    assert titles(wordpress) == {"About, by hand": 1, "News": 1}
    assert blocks(drift(site))[ABOUT] == (
        f"page {number} has this address already: `pressync adopt {ABOUT} {number}`, "
        "`pressync adopt --from-site` for all of them, or "
        f"`pressync sync --create-anyway {ABOUT}`; it is page {number} 'About, by hand', publish, "
        f"at {wordpress.shown[number]['link']}"
    )
    assert f"its parent {ABOUT} does not have a record yet" in blocks(drift(site))[TEAM]


def test_a_reviewed_plan_is_refused_once_if_the_site_has_one_of_its_pages(
    wordpress: EmbeddedWordPress, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({NEWS: "# News\n", ABOUT: "# About\n"})
    bound(repository, wordpress).sync(PlanOptions(paths=(NEWS,)))
    (repository.root / ".pressync").rename(tmp_path / "lost")
    second = clone(repository, wordpress, tmp_path / "second")
    with pytest.raises(SafetyRefusal, match=f"{NEWS} is not to be created"):
        second.sync(reviewed=second.plan())
    assert len(wordpress.shown) == 1
    run = second.sync(reviewed=second.plan())
    assert {one.change.path: one.result for one in run.outcomes} == {ABOUT: Result.DONE}


def test_a_reviewed_plan_is_refused_if_a_page_of_it_is_somebody_elses(
    wordpress: EmbeddedWordPress, repository: SampleRepository
) -> None:
    wordpress.put("By hand", "news")
    repository.commit({NEWS: "# News\n", ABOUT: "# About\n"})
    site = bound(repository, wordpress)
    with pytest.raises(SafetyRefusal, match="--create-anyway"):
        site.sync(reviewed=site.plan())
    assert len(wordpress.shown) == 1
    run = site.sync(PlanOptions(create_anyway=(NEWS,)), reviewed=site.plan())
    assert {one.result for one in run.outcomes} == {Result.DONE}


def test_a_status_that_somebody_changed_is_not_overwritten_in_silence(
    wordpress: EmbeddedWordPress, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({NEWS: "---\ntitle: News\nstatus: publish\n---\n"})
    bound(repository, wordpress).sync()
    (repository.root / ".pressync").rename(tmp_path / "lost")
    wordpress.bend(1, lambda record: record.update(status="draft"))
    second = clone(repository, wordpress, tmp_path / "second")
    assert results(second) == {NEWS: Result.BLOCKED}
    assert "status changed on the site" in blocks(second.plan())[NEWS]
    second.sync(overwrite=True)
    assert wordpress.shown[1]["status"] == "publish"


def test_a_look_up_that_fails_stops_the_sync_before_anything_is_sent(
    wordpress: EmbeddedWordPress, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pressync.client.wordpress.service import WordPressService  # noqa: PLC0415

    def refuses(*_: object) -> dict[str, object]:
        raise Refused("no lists today", status=403)

    monkeypatch.setattr(WordPressService, "at_addresses", refuses)
    repository.commit({NEWS: "# News\n"})
    with pytest.raises(ServiceError, match="no lists today"):
        bound(repository, wordpress).sync()
    assert not wordpress.shown


@pytest.mark.parametrize(
    "change",
    [
        {"title": {"raw": "Other"}},
        {"content": {"raw": "Other"}},
        {"author": 2},
        {"status": "trash", "slug": "news__trashed"},
    ],
    ids=["title", "text", "author", "trash"],
)
def test_a_record_that_may_be_something_else_is_not_bound(
    wordpress: EmbeddedWordPress,
    repository: SampleRepository,
    tmp_path: Path,
    change: dict[str, object],
) -> None:
    repository.commit({NEWS: "# News\n"})
    bound(repository, wordpress).sync()
    (repository.root / ".pressync").rename(tmp_path / "lost")
    wordpress.bend(1, lambda record: record.update(change))
    second = clone(repository, wordpress, tmp_path / "second")
    assert results(second) == {NEWS: Result.BLOCKED}
    assert len(wordpress.shown) == 1


def test_a_page_whose_slug_the_site_had_numbered_is_found_by_its_number(
    wordpress: EmbeddedWordPress, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({NEWS: "# News\n"})
    bound(repository, wordpress).sync()
    wordpress.bend(1, lambda record: record.update(slug="news-2"))
    (repository.root / ".pressync").rename(tmp_path / "lost")
    second = clone(repository, wordpress, tmp_path / "second")
    assert results(second) == {}
    assert second.entries()[NEWS].slug == "news-2"
    assert changes(second.plan()) == {}


def test_an_edit_of_one_page_leaves_those_that_link_to_it_to_a_person_too(
    wordpress: EmbeddedWordPress, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({ABOUT: "# About\n\n[News](news.md)\n", NEWS: "# News\n", TEAM: "# Team\n"})
    first = bound(repository, wordpress)
    first.sync()
    number = first.entries()[NEWS].id
    (repository.root / ".pressync").rename(tmp_path / "lost")
    wordpress.bend(number, lambda record: record.update(title={"raw": "News of May"}))
    second = clone(repository, wordpress, tmp_path / "second")
    ended = results(second)
    assert set(ended.values()) == {Result.BLOCKED}, "a link to a page that is not bound would be lost"
    done = from_site(second)
    assert sorted(entry.path for entry in done.bound) == sorted([ABOUT, NEWS, TEAM])
    sent = {path for path, result in results(second).items() if result is Result.DONE}
    assert sent == {NEWS}, "only what differs is sent"
    assert titles(wordpress) == {"About": 1, "News": 1, "Team": 1}


def create(path: str, parent: str | None = None, *, below: int = 0) -> Create:
    """Plan a page of this path, below another document or below a page of the site."""
    slug = path.rpartition("/")[2]
    fingerprints = {"parent": fingerprint(below)} if below else {}
    desired = Desired(path, "", Kind.PAGE, slug, slug, fingerprints, parent, "")
    return Create(path, Kind.PAGE, (), NO_REASON, desired)


def nobody(_kind: Kind, _number: int) -> None:
    """Hold no record."""


def test_many_addresses_are_asked_for_at_once_and_children_of_a_page_that_is_not_there_not_at_all() -> None:
    service = MemoryService()
    assert records_at(service, [create(f"p{n}") for n in range(200)], nobody) == {}
    assert service.asked_addresses == [AT_ONCE, AT_ONCE, 20]
    service.asked_addresses.clear()
    parents = [create(f"p{n}") for n in range(AT_ONCE)]
    children = [create(f"p{n}/c{n}", f"p{n}") for n in range(AT_ONCE)]
    below = [create(f"p{n}/c{n}/d{n}", f"p{n}/c{n}") for n in range(AT_ONCE)]
    assert records_at(service, [*below, *children, *parents], nobody) == {}
    assert service.asked_addresses == [AT_ONCE]


def test_a_page_below_another_parent_is_at_another_address() -> None:
    service = MemoryService()
    service.hold(3, slug="about")
    service.hold(7, slug="team", parent=3)
    service.hold(8, slug="team", parent=4)
    service.hold(9, slug="old__trashed", status="trash")
    assert records_at(service, [create("team")], nobody) == {}
    wanted = [create("team", below=4), create("about/team", "about"), create("about"), create("old")]
    found = records_at(service, [*wanted, create("old/team", "old")], nobody)
    assert {path: [record.id for record in at.here] for path, at in found.items()} == {
        "about": [3],
        "about/team": [7],
        "team": [8],
        "old": [9],
    }
    assert found["old"].live == ()
    held = records_at(service, [create("about")], lambda _kind, number: "other.md" if number == 3 else None)
    assert held == {}, "another document holds it already"


def test_a_page_at_its_own_address_is_not_the_number_of_another() -> None:
    service = MemoryService()
    service.hold(3, slug="about")
    service.hold(4, slug="about-2")
    found = records_at(service, [create("about"), create("about-2")], nobody)
    assert [record.id for record in found["about"].numbered] == []
    assert [record.id for record in records_at(service, [create("about")], nobody)["about"].numbered] == [4]
