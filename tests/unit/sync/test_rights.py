"""The user's rights are checked before a run sends anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import plan, update
from tests.support.memory_service import MemoryService

from pressync.model.errors import ConfigError, NoAnswer
from pressync.state.seen_rights import SeenRights
from pressync.sync.rights import require_rights

if TYPE_CHECKING:
    from pathlib import Path

PATH = "content/pages/a.md"
NEVER_ASKED = MemoryService(deaf=NoAnswer("never asked"))


@pytest.fixture
def seen(tmp_path: Path) -> SeenRights:
    """Have seen nothing yet."""
    return SeenRights(tmp_path / "live.rights", "https://site.test/wp-json")


def test_missing_rights_are_told_before_anything_is_sent(seen: SeenRights) -> None:
    service = MemoryService(lacking=("publish_pages", "edit_others_pages"))
    with pytest.raises(ConfigError, match=r"ed may not .* publish_pages, edit_others_pages are missing"):
        require_rights(service, plan(update(PATH)), seen, site="production", user="ed")


def test_rights_are_asked_only_for_what_the_plan_would_send(seen: SeenRights) -> None:
    require_rights(NEVER_ASKED, plan(), seen, site="production", user="ed")


def test_rights_that_were_seen_are_not_asked_for_again(seen: SeenRights) -> None:
    require_rights(MemoryService(), plan(update(PATH)), seen, site="production", user="ed")
    require_rights(NEVER_ASKED, plan(update(PATH)), seen, site="production", user="ed")
    with pytest.raises(NoAnswer):
        require_rights(NEVER_ASKED, plan(update(PATH)), seen, site="production", user="jo")
