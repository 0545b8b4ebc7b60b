"""The look at a site: what a user sees, what a visitor sees, and that nothing but a GET leaves."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

from tests.support.embedded_wordpress import PASSWORD, USER
from tests.unit.client.wordpress.answered import answered

from pressync.client.address import parse
from pressync.client.credentials import basic
from pressync.client.http import ReadingTransport
from pressync.client.wordpress.look import WordPressFacts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress

    from pressync.client.port import HttpRequest, HttpResponse


@contextlib.contextmanager
def facts_of(site: EmbeddedWordPress, *, user: str | None = USER) -> Iterator[WordPressFacts]:
    secret = basic(user, PASSWORD) if user else None
    opened = ReadingTransport(parse(site.url), authorization=secret)
    with contextlib.closing(opened):
        yield WordPressFacts(opened.send, is_user=user is not None)


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
