"""The index names the site and the dialects that the service speaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from werkzeug.test import Client

from pressync.server.app import BOTH, DOCUMENTED, WORDPRESS, make_app

if TYPE_CHECKING:
    from tests.unit.server.wordpress.conftest import Stage

    from pressync.server.store import Store


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
