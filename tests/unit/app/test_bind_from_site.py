"""Documents are bound to the records at their addresses; the others are counted and listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.clones import ABOUT, NEWS, TEAM, bound, from_site, results
from tests.support.syncing import Bound

from pressync.model.changes import Result
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    """Serve an empty site."""
    with embedded_wordpress.serving() as site:
        yield site


def test_all_that_the_site_has_is_adopted_by_address_and_the_rest_is_told(
    wordpress: EmbeddedWordPress, repository: SampleRepository
) -> None:
    about, team = wordpress.put("Über uns", "about"), wordpress.put("Das Team", "team")
    wordpress.bend(team, lambda record: record.update(parent=about))
    twins = [wordpress.put("One", "news"), wordpress.put("Two", "news")]
    wordpress.bend(twins[1], lambda record: record.update(slug="news", status="draft"))
    repository.commit({ABOUT: "# About\n", TEAM: "# Team\n", NEWS: "# News\n", "content/pages/x.md": "# X\n"})
    site = bound(repository, wordpress)

    done = from_site(site)
    assert {entry.path: entry.id for entry in done.bound} == {ABOUT: about, TEAM: team}
    assert {path: [r.id for r in there] for path, there in done.left.items()} == {NEWS: twins}
    assert done.nothing_there == 1
    assert results(site)[ABOUT] == Result.DONE
    assert wordpress.shown[about]["title"]["raw"] == "About"


def test_a_service_that_cannot_be_read_is_told_and_the_ways_out_too(repository: SampleRepository) -> None:
    repository.commit({ABOUT: "# About\n"})
    with pytest.raises(ConfigError, match="no way to read"):
        from_site(Bound(repository.root, "https://site.test/wp-json"))
