"""A site as it was read before a rehearsal."""

from __future__ import annotations

from pressync.app.rehearse.live_site import LiveSite, Unread, with_stand_ins
from pressync.model.records import Name

UNREAD = (Unread("users", "403: this user may not list users"),)


def test_a_site_without_an_address_did_not_answer() -> None:
    assert LiveSite(home="https://example.org", unread=UNREAD).was_read
    assert not LiveSite(unread=UNREAD).was_read


def test_authors_stand_in_for_users_that_were_not_read_with_the_ids_that_are_known() -> None:
    names = [Name("author", "jane"), Name("author", "Joe B"), Name("tags", "x")]
    live = with_stand_ins(LiveSite(unread=UNREAD), {Name("author", "Ann"): 7, Name("tags", "y"): 8}, names)
    assert [(user.login, user.id > 1000) for user in live.users] == [
        ("Ann", False),
        ("Joe B", True),
        ("jane", True),
    ]
    read = LiveSite(home="https://example.org")
    assert with_stand_ins(read, {}, names) is read
