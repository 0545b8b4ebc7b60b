"""The parts of a live site where they differ from those of test_site_reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import pytest
from tests.support.syncing import IMPATIENT
from tests.unit.client.wordpress.answered import answered, refused

from pressync.client.retry import Retry
from pressync.client.wordpress import discovery
from pressync.model.errors import ConfigError
from pressync.stage.rehearse.live_site import SiteParts, Wanted, minutes_ahead

if TYPE_CHECKING:
    from pressync.client.get_only import GetOnly
    from pressync.client.port import HttpRequest, HttpResponse
    from pressync.stage.rehearse.live_site import LiveSite

ROOT = {"name": "Site", "home": "https://example.org/", "namespaces": ["wp/v2"], "gmt_offset": -3.5}
ME = {"id": 3, "username": "ada", "name": "Ada", "slug": "ada", "roles": ["shop_manager"]}
NOTHING = Wanted({}, {}, ())


class _Site:
    """Responses by path, in the place of a reader."""

    def __init__(self, **members: object) -> None:
        self.members = members

    def send(self, request: HttpRequest) -> HttpResponse:
        path = urlsplit(request.path).path.removeprefix("/wp/v2/").strip("/").replace("/", "_") or "root"
        found = self.members.get(path)
        return refused(404, "rest_no_route") if found is None else answered(200, found)


@pytest.fixture(autouse=True)
def no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask no front page."""
    monkeypatch.setattr(discovery, "version", lambda _home: None)


def seen(site: _Site, *, has_secret: bool = True) -> LiveSite:
    retry = Retry(IMPATIENT, lambda _seconds: None, lambda _sentence: None)
    return SiteParts(cast("GetOnly", site), retry, [], has_secret=has_secret).site(NOTHING)


@pytest.mark.parametrize(
    ("rights", "role"),
    [
        ({"manage_options": True, "edit_posts": True}, "administrator"),
        ({"edit_others_pages": True, "publish_posts": True}, "editor"),
        ({"publish_posts": True}, "author"),
        ({"edit_posts": True, "publish_posts": False}, "contributor"),
        ({}, "subscriber"),
    ],
)
def test_a_role_of_the_sites_own_counts_as_the_highest_one_with_its_rights(
    rights: dict[str, bool], role: str
) -> None:
    found = seen(_Site(root=ROOT, users=[], users_me={**ME, "capabilities": rights}))

    assert [(user.login, user.role) for user in found.users] == [("ada", role)]
    assert (found.user, found.home, found.offset) == (3, "https://example.org", -210)


def test_a_service_that_is_not_wordpress_is_an_error_as_in_a_sync() -> None:
    with pytest.raises(ConfigError, match="does not list the routes of WordPress"):
        seen(_Site(root={"namespaces": ["other/v1"]}))


@pytest.mark.parametrize(
    ("root", "settings", "front"),
    [
        ({"show_on_front": "page", "page_on_front": 5}, None, 5),
        ({}, {"show_on_front": "page", "page_on_front": 6}, 6),
        ({}, None, 0),
        ({"dialects": ["wordpress"]}, None, None),
    ],
    ids=["index", "settings", "hidden", "own service"],
)
def test_the_front_page_is_named_by_the_index_or_the_settings(
    root: dict[str, object], settings: dict[str, object] | None, front: int | None
) -> None:
    assert seen(_Site(root=ROOT | root, users=[], users_me=ME, settings=settings)).front == front


def test_a_visitor_is_not_asked_for_parts_that_only_users_see() -> None:
    found = seen(_Site(root=ROOT, users=[], categories=[], tags=[], posts=[], media=[]), has_secret=False)

    assert [(part.what, part.why) for part in found.unread] == [
        ("permalinks", "no post shows how the site makes the addresses of posts")
    ]


@pytest.mark.parametrize(
    ("timezone", "minutes"),
    [("", None), ("+00:00", 0), ("+05:30", 330), ("-03:30", -210), ("UTC", 0), ("Asia/Tokyo", 540)],
)
def test_a_time_zone_is_ahead_of_gmt_by_minutes(timezone: str, minutes: int | None) -> None:
    assert minutes_ahead(timezone) == minutes


def test_a_time_zone_that_this_machine_does_not_know_has_no_offset() -> None:
    assert minutes_ahead("Moon/Tranquility") is None
