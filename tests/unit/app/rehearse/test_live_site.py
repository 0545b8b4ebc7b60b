"""A site as it was read before a rehearsal."""

from __future__ import annotations

from pressync.app.rehearse.live_site import LiveSite, Unread


def test_a_site_with_an_unread_part_is_not_whole() -> None:
    assert LiveSite(home="https://example.org").whole
    assert not LiveSite(unread=(Unread("users", "403: this user may not list users"),)).whole
