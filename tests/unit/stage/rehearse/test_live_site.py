"""The live site is read part by part, and what cannot be read is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import pytest
from tests.support.embedded_wordpress import ENVIRON, PASSWORD, USER, EmbeddedWordPress
from tests.support.lines import closed_port
from tests.support.strict_service import Fault, answer
from tests.support.syncing import IMPATIENT, Bound
from tests.unit.client.wordpress.answered import answered, refused

from pressync.app.revision import Revision
from pressync.client import discovery
from pressync.client.retry import Retry
from pressync.client.wordpress import WordPressService
from pressync.model.errors import ConfigError, Refused
from pressync.model.records import Name
from pressync.plan.build import PlanOptions, build_plan
from pressync.plan.survey import known
from pressync.stage.rehearse.live_site import (
    LiveSite,
    SiteParts,
    SiteReader,
    Unread,
    Wanted,
    minutes_ahead,
    with_stand_ins,
)

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.client.http import Transport
    from pressync.client.port import HttpRequest, HttpResponse


UNREAD = (Unread("users", "403: this user may not list users"),)


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


PATIENT = Retry(IMPATIENT, lambda _seconds: None, lambda _sentence: None)


@pytest.fixture(autouse=True)
def version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name a version without a front page: the address of that is not the line's."""
    monkeypatch.setattr(discovery, "version", lambda _home: "6.8.2")


@pytest.fixture
def about(repository: SampleRepository) -> SampleRepository:
    repository.commit({"content/pages/about.md": "# About\n"})
    return repository


def looked(bound: Bound) -> LiveSite:
    """Look at the site as a rehearsal of HEAD does."""
    with bound.workspace() as workspace, workspace.reading() as state:
        planned = build_plan(
            workspace.content(Revision()), workspace.capabilities, known(state), PlanOptions()
        )
        return SiteReader(workspace, PATIENT).read(planned, state)


def test_a_rehearsal_reads_what_its_sync_will_meet(
    site: EmbeddedWordPress, repository: SampleRepository
) -> None:
    ada = site.post("users", username="ada", email="ada@example.org", password="x", roles=["editor"])
    news = site.post("categories", name="News & more")
    above = site.post("pages", title="Handbook", status="publish")
    taken = site.post("pages", title="About", status="draft", slug="about", parent=above, author=ada)
    named = site.post("pages", title="Elsewhere", status="publish")
    site.post("posts", title="Hello", status="publish", categories=[news])
    repository.commit(
        {
            "content/pages/about.md": "# About\n",
            "content/pages/below.md": f"---\nparent: {named}\n---\n# Below\n",
            "content/posts/new.md": "# New\n",
        }
    )
    bound = Bound(repository.root, site.url, environ=ENVIRON)
    seen = looked(bound)
    assert {record.id: record.slug for record in seen.records} == {
        taken: "about",
        above: "handbook",
        named: "elsewhere",
    }
    assert [term.name for term in (seen.terms or {})["categories"]] == ["Uncategorized", "News & more"]
    assert {user.login: user.role for user in seen.users} == {USER: "administrator", "ada": "editor"}
    assert (seen.user, seen.version, seen.timezone, seen.offset) == (1, "6.8.2", "UTC", 0)
    assert seen.permalinks == "/blog/%postname%/"
    # The embedded service has no themes and plugins, and the account says so.
    assert {part.what for part in seen.unread} == {"theme", "plugins"}
    assert {one.method for one in site.received} == {"GET"}
    assert all(not one.body and "X-HTTP-Method-Override" not in one.headers for one in site.received)


def test_records_that_change_are_read_as_they_are(
    site: EmbeddedWordPress, repository: SampleRepository
) -> None:
    names = ("one", "two", "three")
    repository.commit({f"content/pages/{name}.md": f"# {name}\n" for name in names})
    bound = Bound(repository.root, site.url, environ=ENVIRON)
    bound.sync()
    ids = {entry.slug: entry.id for entry in bound.entries().values()}
    site.client.post(
        f"/wp-json/wp/v2/pages/{ids['one']}", json={"content": "By somebody"}, auth=(USER, PASSWORD)
    )
    site.client.delete(f"/wp-json/wp/v2/pages/{ids['two']}?force=true", auth=(USER, PASSWORD))
    repository.commit(
        {"content/pages/one.md": "# one\n\nMore.\n", "content/pages/two.md": "# two\n\nMore.\n"}
    )
    site.received.clear()
    seen = looked(bound)
    assert {record.id: record.fields["content"] for record in seen.records} == {ids["one"]: "By somebody"}
    assert seen.gone == {ids["two"]}
    assert {one.method for one in site.received} == {"GET"}


def test_without_a_password_a_visitor_looks(site: EmbeddedWordPress, about: SampleRepository) -> None:
    there = site.post("pages", title="About", status="publish")
    site.post("pages", title="Secret", status="draft", slug="secret")
    about.commit({"content/pages/secret.md": "# Secret\n"})
    seen = looked(Bound(about.root, site.url, environ={"PRESSYNC_DIALECT": "wordpress"}))
    assert [record.id for record in seen.records] == [there]
    assert (seen.user, seen.unread[0].what) == (0, "what only a user sees")
    # A visitor sees neither logins nor roles.
    assert [(user.login, user.role) for user in seen.users] == [("admin", "editor")]
    assert "no password is configured" in seen.unread[0].why
    assert not any("Authorization" in one.headers for one in site.received)


def test_refused_credentials_are_an_error_as_in_a_sync(
    site: EmbeddedWordPress, about: SampleRepository
) -> None:
    bound = Bound(about.root, site.url, environ={**ENVIRON, "PRESSYNC_PASSWORD": "wrong"})
    with pytest.raises(Refused, match="WordPress ignores wrong credentials") as refused:
        looked(bound)
    assert (refused.value.exit_code, refused.value.name) == (1, "refused")


def test_a_site_that_cannot_be_reached_is_named_and_the_rehearsal_goes_on(about: SampleRepository) -> None:
    seen = looked(Bound(about.root, f"http://{closed_port()}/wp-json", environ=ENVIRON))
    assert seen.records == ()
    assert [(part.what, "connection refused" in part.why) for part in seen.unread] == [("site", True)]
    # The documented interface has no reads, so nothing is asked.
    seen = looked(Bound(about.root, f"http://{closed_port()}/wp-json"))
    assert [(part.what, "connection refused" in part.why) for part in seen.unread] == [("site", False)]


@pytest.mark.parametrize(
    ("faults", "unread", "is_all"),
    [
        ([Fault(acts=False, sends=answer(403))], "categories", False),
        ([Fault(acts=False) for _ in range(9)], "site", True),
    ],
    ids=["a part that is refused leaves the others", "a site that falls silent ends the look alone"],
)
def test_what_cannot_be_read_is_named(
    site: EmbeddedWordPress, about: SampleRepository, faults: list[Fault], unread: str, *, is_all: bool
) -> None:
    there = site.post("pages", title="About", status="publish")
    # The index, ourselves and the users answer; the categories do not.
    site.faults.extend([None, None, None, *faults])
    seen = looked(Bound(about.root, site.url, environ=ENVIRON))
    parts = {part.what for part in seen.unread}
    assert unread in parts
    assert (parts == {unread}) is is_all
    assert [record.id for record in seen.records] == ([] if is_all else [there])


def test_only_addresses_that_the_site_has_answer(site: EmbeddedWordPress, about: SampleRepository) -> None:
    base = site.url.removesuffix("/wp-json")
    there, missing = f"{base}/wp-json/", f"{base}/wp-json/nothing?x=1"
    elsewhere = f"http://{closed_port()}/page/"
    with Bound(about.root, site.url, environ=ENVIRON).workspace() as workspace:
        found = SiteReader(workspace, PATIENT).answering([there, missing, elsewhere, "http://[bad"])
    assert found == {there}
    assert {(one.method, "Authorization" in one.headers) for one in site.received} == {("GET", False)}


ROOT = {"name": "Site", "home": "https://example.org/", "namespaces": ["wp/v2"], "gmt_offset": -3.5}
ME = {"id": 3, "username": "ada", "name": "Ada", "slug": "ada", "roles": ["shop_manager"]}
NOTHING = Wanted({}, {}, ())


class _Site:
    """Responses by path, in the place of a transport."""

    address_of = staticmethod(str)

    def __init__(self, *, has_credentials: bool = True, **members: object) -> None:
        self.members, self.has_credentials = members, has_credentials

    def send(self, request: HttpRequest) -> HttpResponse:
        path = urlsplit(request.path).path.removeprefix("/wp/v2/").strip("/").replace("/", "_") or "root"
        found = self.members.get(path)
        return refused(404, "rest_no_route") if found is None else answered(200, found)


def seen(site: _Site) -> LiveSite:
    retry = Retry(IMPATIENT, lambda _seconds: None, lambda _sentence: None)
    service = WordPressService(cast("Transport", site))
    return SiteParts(service, service.facts, retry, []).site(NOTHING)


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
def test_an_own_role_counts_as_the_highest_one_with_its_rights(rights: dict[str, bool], role: str) -> None:
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


@pytest.mark.parametrize(
    ("timezone", "minutes"),
    [
        ("", None),
        ("+00:00", 0),
        ("+05:30", 330),
        ("-03:30", -210),
        ("UTC", 0),
        ("Asia/Tokyo", 540),
        ("Moon/X", None),
    ],
)
def test_a_time_zone_is_ahead_of_gmt_by_minutes(timezone: str, minutes: int | None) -> None:
    assert minutes_ahead(timezone) == minutes
