"""The facts in which a stage is not as its site."""

from __future__ import annotations

from pressync.app.rehearse.live_site import Unread
from pressync.app.rehearse.stage import SiteDifference


def test_a_part_that_was_not_read_is_a_difference_with_its_reason() -> None:
    part = Unread("users", "403: this user may not list users")
    expected = SiteDifference("users", "1 user", "not read: 403: this user may not list users")
    assert SiteDifference.unread(part, "1 user") == expected
