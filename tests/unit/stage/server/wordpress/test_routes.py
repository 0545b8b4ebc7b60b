"""The routes, the index that names them, and the settings of the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from werkzeug.test import Client

from pressync.stage.server.app import BOTH, DOCUMENTED, WORDPRESS, make_app
from pressync.stage.server.wordpress.routes import methods

if TYPE_CHECKING:
    from tests.unit.stage.server.wordpress.conftest import Stage

    from pressync.stage.server.store import Store


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("/", "GET"),
        ("/batch/v1", "POST"),
        ("/wp/v2/pages", "GET POST"),
        ("/wp/v2/media/7", "GET POST PUT PATCH DELETE"),
        ("/wp/v2/users/me", "GET"),
        ("/wp/v2/pages/me", ""),
        ("/wp/v2/pages/x", ""),
        ("/wp/v2/pages/7/revisions", ""),
        ("/wp/v2/comments", ""),
    ],
)
def test_a_path_has_its_methods(path: str, known: str) -> None:
    assert " ".join(methods(path)) == known


@pytest.mark.parametrize(
    ("dialect", "named"), [(BOTH, ["wordpress", "documented"]), (WORDPRESS, ["wordpress"])]
)
def test_the_index_names_the_dialects(store: Store, dialect: str, named: list[str]) -> None:
    shown = Client(make_app(store, dialect=dialect)).get("/wp-json/?_fields=dialects,namespaces,name")

    assert shown.json == {"dialects": named, "namespaces": ["wp/v2"], "name": "My site"}


def test_the_documented_interface_alone_has_no_index(store: Store) -> None:
    alone = Client(make_app(store, dialect=DOCUMENTED))

    assert alone.get("/wp-json/").status_code == 404
    assert "Link" not in alone.get("/").headers


def test_the_pages_of_the_site_name_the_interface(store: Store) -> None:
    assert 'rel="https://api.w.org/"' in Client(make_app(store, dialect=BOTH)).get("/").headers["Link"]


def test_a_route_is_described_with_its_methods(stage: Stage) -> None:
    described = stage.ask("OPTIONS", "/wp/v2/pages/1")

    assert described.headers["Allow"] == "GET, POST, PUT, PATCH, DELETE"
    assert stage.ask("OPTIONS", "/wp/v2/nothing").status == 404


SETTINGS = "/wp/v2/settings"


def test_a_site_shows_its_posts_until_somebody_chooses_a_page(stage: Stage) -> None:
    page = stage.make("pages", title="Start", status="publish")["id"]
    before = stage.ask("GET", SETTINGS).value
    assert (before["show_on_front"], before["page_on_front"]) == ("posts", 0)
    assert "show_on_front" not in stage.ask("GET", "/").value

    body = {"show_on_front": "page", "page_on_front": page}
    assert stage.ask("POST", f"{SETTINGS}?_fields=show_on_front,page_on_front", body).value == body
    assert stage.ask("GET", "/").value["page_on_front"] == page


def test_one_setting_alone_leaves_the_other(stage: Stage) -> None:
    page = stage.make("pages", title="Start", status="publish")["id"]
    after = stage.ask("POST", SETTINGS, {"page_on_front": page}).value
    assert after["show_on_front"] == "posts"
    stage.ask("POST", SETTINGS, {"show_on_front": "page", "page_on_front": page})
    assert stage.ask("POST", SETTINGS, {"show_on_front": "posts"}).value["page_on_front"] == 0


def test_wrong_values_are_refused(stage: Stage) -> None:
    assert stage.ask("POST", SETTINGS, {"page_on_front": "a"}).code == (400, "rest_invalid_param")
    assert stage.ask("DELETE", SETTINGS).code == (404, "rest_no_route")
