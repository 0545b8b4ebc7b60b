"""The user's rights are checked before a run sends anything."""

from __future__ import annotations

import pytest
from tests.support.builders import plan, update
from tests.support.memory_service import MemoryService

from pressync.model.errors import ConfigError, NoAnswer
from pressync.sync.rights import require_rights

PATH = "content/pages/a.md"


def test_missing_rights_are_told_before_anything_is_sent() -> None:
    service = MemoryService(lacking=("publish_pages", "edit_others_pages"))
    with pytest.raises(ConfigError, match=r"ed may not .* publish_pages, edit_others_pages are missing"):
        require_rights(service, plan(update(PATH)), site="production", user="ed")


def test_rights_are_asked_only_for_what_the_plan_would_send() -> None:
    require_rights(MemoryService(deaf=NoAnswer("never asked")), plan(), site="production", user="ed")
