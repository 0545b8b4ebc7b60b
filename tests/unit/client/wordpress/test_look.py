"""The look at a site: what a user sees, what a visitor sees, and that nothing but a GET leaves."""

from __future__ import annotations

import contextlib
import json
from functools import partial
from typing import TYPE_CHECKING

from tests.support.embedded_wordpress import PASSWORD, USER
from tests.unit.client.wordpress.answered import answered

from pressync.client.address import parse
from pressync.client.credentials import basic
from pressync.client.http import GetOnly
from pressync.client.wordpress.look import WordPressFacts
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress

    from pressync.client.port import HttpRequest, HttpResponse


@contextlib.contextmanager
def facts_of(site: EmbeddedWordPress, *, user: str | None = USER) -> Iterator[WordPressFacts]:
    secret = basic(user, PASSWORD) if user else None
    opened = GetOnly(parse(site.url), authorization=secret, allow_http=False)
    with contextlib.closing(opened):
        yield WordPressFacts(opened.send, is_user=user is not None)


def make(site: EmbeddedWordPress, route: str, **members: object) -> int:
    """Make a record, a term or a user, and give its id."""
    response = site.client.post(
        f"/wp-json/wp/v2/{route}", data=json.dumps(members), auth=(USER, PASSWORD),
        content_type="application/json",
    )  # fmt: skip
    assert response.status_code == 201, response.text
    return int(json.loads(response.data)["id"])


def test_records_that_take_an_address_are_found_whatever_their_number_or_status(
    site: EmbeddedWordPress,
) -> None:
    about = make(site, "pages", title="About", status="publish")
    second = make(site, "pages", title="About", status="publish")
    trashed = make(site, "pages", title="Über uns", status="publish")
    site.client.delete(f"/wp-json/wp/v2/pages/{trashed}", auth=(USER, PASSWORD))
    make(site, "pages", title="Contact", status="publish")
    with facts_of(site) as facts:
        take = partial(facts.taken, Kind.PAGE)
        assert take(["about", "über-uns"]) == [about, second, trashed]
        assert take([]) == []
        # A record is also found by the fingerprint of its id.
        assert take([], also={fingerprint(second)}) == [second]
    assert {one.method for one in site.received} == {"GET"}


def test_a_visitor_finds_what_is_published(site: EmbeddedWordPress) -> None:
    about = make(site, "pages", title="About", content="It is **ours**.", status="publish")
    make(site, "pages", title="Plans", status="draft", slug="plans")
    with facts_of(site, user=None) as facts:
        found = facts.taken(Kind.PAGE, ["about", "plans"])
        [record] = facts.shown(Kind.PAGE, found)
    assert (found, record.id, record.fields["title"]) == ([about], about, "About")
    assert "It is **ours**." in str(record.fields["content"])


def test_an_administrator_sees_all_people_and_an_editor_the_published(site: EmbeddedWordPress) -> None:
    ada = make(site, "users", username="ada", email="ada@example.org", password="x", roles=["editor"])
    make(site, "users", username="bob", email="bob@example.org", password="x", roles=["author"])
    make(site, "posts", title="Hello", status="publish", author=ada)

    with facts_of(site) as facts:
        everybody = facts.people()
        admin = facts.ourselves()
    with facts_of(site, user="ada") as facts:
        visible = facts.people()
        own = facts.ourselves()

    assert [(one.login, one.email, one.roles) for one in sorted(everybody, key=lambda one: one.id)] == [
        (USER, "admin@localhost", ("administrator",)),
        ("ada", "ada@example.org", ("editor",)),
        ("bob", "bob@example.org", ("author",)),
    ]
    assert [(one.slug, one.login, one.roles) for one in visible] == [("ada", "", ())]
    assert (admin.login, own.login, own.roles) == (USER, "ada", ("editor",))


def test_the_files_of_the_library_are_read_with_their_addresses(site: EmbeddedWordPress) -> None:
    response = site.client.post(
        "/wp-json/wp/v2/media", data=b"Hello", auth=(USER, PASSWORD),
        headers={"Content-Type": "text/plain", "Content-Disposition": 'attachment; filename="about.txt"'},
    )  # fmt: skip
    assert response.status_code == 201
    with facts_of(site) as facts:
        [file] = facts.library_files()
    made = json.loads(response.data)
    assert (file.id, file.slug, file.type) == (made["id"], "about", "text/plain")
    assert file.link == made["source_url"]


# The embedded service has no themes and plugins; these responses have the form of WordPress's own.
ANSWERS = {
    "themes": [{"stylesheet": "astra", "version": "4.1"}],
    "plugins": [
        {"plugin": "seo/main", "status": "active", "version": "2.0"},
        {"plugin": "akismet/akismet", "status": "inactive", "version": "5.5"},
        {"plugin": "cache\x1b[2J", "status": "network-active", "version": None},
    ],
    "settings": {"default_category": 7},
}


def answering(request: HttpRequest) -> HttpResponse:
    assert request.method == "GET"
    return answered(200, ANSWERS[request.path.removeprefix("/wp/v2/").partition("?")[0]])


def test_theme_and_plugins_are_named_with_their_versions_and_without_control_characters() -> None:
    facts = WordPressFacts(answering, is_user=True)
    assert facts.theme() == "astra 4.1"
    assert facts.plugins() == ("cache [2J", "seo 2.0")
    assert facts.settings() == {"default_category": 7}
