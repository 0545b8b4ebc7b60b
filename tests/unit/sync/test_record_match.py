"""A record matches a document if it is the only one, and holds all that would be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.clones import ABOUT, NEWS, TEAM, bound, changes, clone, from_site, results, titles

from pressync.model.changes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    """Serve an empty site."""
    with embedded_wordpress.serving() as site:
        yield site


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


def test_two_records_that_are_alike_are_left_to_a_person(
    wordpress: EmbeddedWordPress, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({NEWS: "# News\n"})
    bound(repository, wordpress).sync()
    (repository.root / ".pressync").rename(tmp_path / "lost")
    twin, same = wordpress.put("News", "news-2"), wordpress.shown[1]["content"]
    wordpress.bend(twin, lambda record: record.update(content=same))

    second = clone(repository, wordpress, tmp_path / "second")
    assert results(second) == {NEWS: Result.BLOCKED}


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
