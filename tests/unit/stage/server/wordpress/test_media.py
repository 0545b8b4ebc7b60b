"""Uploaded files: their names, slugs and bytes, which are beside the database and on the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unit.stage.server.wordpress.conftest import PNG, Stage
from werkzeug.test import Client

from pressync.client.dialects import FILES
from pressync.stage.server.app import WORDPRESS, make_app
from pressync.stage.server.wordpress.media import TYPES

if TYPE_CHECKING:
    from pressync.stage.server.store import Store


def test_a_file_is_stored_and_shown_at_its_address(stage: Stage, store: Store) -> None:
    made = stage.upload("My picture.PNG")
    assert made.status == 201
    assert made.value["source_url"] == "http://127.0.0.1:8127/wp-content/uploads/2024/03/My-picture.png"
    shown = Client(make_app(store, dialect=WORDPRESS)).get("/wp-content/uploads/2024/03/My-picture.png")
    assert (shown.data, shown.content_type) == (PNG, "image/png")
    assert shown.headers["X-Content-Type-Options"] == "nosniff"
    one, two = (stage.upload("a.png").value for _ in range(2))
    assert (one["slug"], two["slug"], two["source_url"][-8:]) == ("a", "a-2", "/a-1.png")
    body = {"slug": "b", "alt_text": "B", "title": "T"}
    changed = stage.ask("POST", f"/wp/v2/media/{one['id']}", body).value
    assert (changed["slug"], changed["alt_text"], changed["title"]["raw"]) == ("b", "B", "T")
    assert stage.upload("..\\..\\.hidden.png").value["source_url"].endswith("/2024/03/hidden.png")
    assert TYPES.keys() >= FILES, "every file that the client uploads is taken"


def test_a_form_gives_a_file_its_slug(stage: Stage) -> None:
    from io import BytesIO  # noqa: PLC0415 - one test needs it

    made = stage.ask("POST", "/wp/v2/media", data={"slug": "a-1f2e", "file": (BytesIO(PNG), "a.png")})
    assert made.value["slug"] == "a-1f2e"
    assert [row["id"] for row in stage.ask("GET", "/wp/v2/media?slug[]=a-1f2e").value] == [made.value["id"]]


@pytest.mark.parametrize("name", ["a.php", "a.svg", "a", "a.png.html", "../../a.exe"])
def test_a_file_that_wordpress_does_not_take_is_refused(stage: Stage, store: Store, name: str) -> None:
    assert stage.upload(name).code == (500, "rest_upload_sideload_error")
    assert stage.upload("a.png", b"<script>").code == (500, "rest_upload_sideload_error")
    assert not list(store.database.uploads.rglob("*"))


@pytest.mark.parametrize(
    ("headers", "data", "code"),
    [
        ((), b"", "rest_upload_no_data"),
        ((("Content-Type", "image/png"),), PNG, "rest_upload_no_content_disposition"),
        ((), PNG, "rest_upload_no_content_type"),
    ],
)
def test_a_half_upload_is_refused(
    stage: Stage, headers: tuple[tuple[str, str], ...], data: bytes, code: str
) -> None:
    assert stage.ask("POST", "/wp/v2/media", headers=headers, data=data).code == (400, code)


def test_a_deleted_file_leaves_the_disk_and_its_records(stage: Stage, store: Store) -> None:
    number = stage.upload("a.png").value["id"]
    page = stage.make(title="x", featured_media=number)
    assert page["featured_media"] == number
    assert stage.ask("DELETE", f"/wp/v2/media/{number}").code == (501, "rest_trash_not_supported")
    assert stage.ask("DELETE", f"/wp/v2/media/{number}?force=true").value["deleted"] is True
    assert [path for path in store.database.uploads.rglob("*") if path.is_file()] == []
    assert stage.ask("GET", f"/wp/v2/pages/{page['id']}").value["featured_media"] == 0
    assert stage.ask("GET", f"/wp/v2/media/{number}").code == (404, "rest_post_invalid_id")
