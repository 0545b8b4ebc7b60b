"""The dialect over HTTP: how requests are read, who may write, and that nothing else is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unit.server.wordpress.conftest import TOKEN, Stage

from pressync.server import api

if TYPE_CHECKING:
    from werkzeug.test import Client


def test_a_record_is_made_with_201_and_read_back(stage: Stage) -> None:
    made = stage.ask("POST", "/wp/v2/pages", {"title": "A & B", "content": "<p>x</p>", "status": "publish"})

    assert made.status == 201
    assert made.headers["Location"].endswith(f"/wp-json/wp/v2/pages/{made.value['id']}")
    assert made.value["slug"] == "a-b"
    read = stage.ask("GET", f"/wp/v2/pages/{made.value['id']}?context=edit")
    assert read.value == made.value


def test_a_parameter_of_the_body_goes_before_the_path_as_on_wordpress(stage: Stage) -> None:
    one, two = stage.make(title="One")["id"], stage.make(title="Two")["id"]

    changed = stage.ask("POST", f"/wp/v2/pages/{one}", {"id": two, "title": "Changed"})

    assert (changed.value["id"], changed.value["title"]["raw"]) == (two, "Changed")


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"title": "\\ud800"}', b"[" * 100_000, b'{"a": NaN}'])
def test_a_body_that_is_not_json_is_refused(stage: Stage, body: bytes) -> None:
    refused = stage.ask("POST", "/wp/v2/pages", headers=[("Content-Type", "application/json")], data=body)

    assert refused.code == (400, "rest_invalid_json")


def test_a_text_that_does_not_say_that_it_is_json_changes_nothing(stage: Stage) -> None:
    made = stage.make(title="One")

    changed = stage.ask(
        "POST",
        f"/wp/v2/pages/{made['id']}",
        headers=[("Content-Type", "text/plain")],
        data=b'{"title": "Two"}',
    )

    assert (changed.status, changed.value["title"]["raw"]) == (200, "One")


def test_a_list_may_be_asked_for_by_post_with_the_method_in_a_header(stage: Stage) -> None:
    stage.make(title="One")
    stage.make(title="Two")

    found = stage.ask(
        "POST",
        "/wp/v2/pages?_fields=slug",
        {"slug": ["two", "three"]},
        headers=[("X-HTTP-Method-Override", "GET")],
    )

    assert (found.status, found.value) == (200, [{"slug": "two"}])


def test_what_is_not_a_route_is_not_found(stage: Stage) -> None:
    for method, path in (("GET", "/wp/v2/nothing"), ("PUT", "/wp/v2/pages"), ("GET", "/wp/v2/pages/x")):
        assert stage.ask(method, path).code == (404, "rest_no_route")


def test_a_web_page_may_not_write(stage: Stage) -> None:
    refused = stage.ask("POST", "/wp/v2/pages", {"title": "x"}, headers=[("Origin", "http://evil.example")])

    assert refused.code == (403, "from_browser")


def test_a_body_may_not_be_longer_than_the_limit(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pressync.server.wordpress.app.BODY_LIMIT", 100)
    assert api.BODY_LIMIT > 100

    assert stage.ask("POST", "/wp/v2/pages", {"title": "x" * 200}).status == 413


def test_an_internal_error_does_not_show_its_details(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pressync.server.wordpress.routes.planned", lambda *_: 1 / 0)

    failed = stage.ask("GET", "/wp/v2/pages")

    assert failed.code == (500, "internal_server_error")
    assert "zero" not in str(failed.value)


def test_with_a_token_a_stranger_reads_what_is_public_and_writes_nothing(guarded: Client) -> None:
    admin, visitor = Stage(guarded, "admin"), Stage(guarded)
    public = admin.make(title="Public")["id"]
    draft = admin.make(title="Draft", status="draft")["id"]

    assert visitor.ask("GET", f"/wp/v2/pages/{public}").status == 200
    assert visitor.ask("GET", f"/wp/v2/pages/{draft}").code == (401, "rest_forbidden")
    assert visitor.ask("GET", "/wp/v2/pages?context=edit").code == (401, "rest_forbidden_context")
    assert visitor.ask("POST", "/wp/v2/pages", {"title": "x"}).code == (401, "rest_cannot_create")
    assert visitor.ask("DELETE", f"/wp/v2/pages/{public}").code == (401, "rest_cannot_delete")
    assert visitor.ask("GET", "/wp/v2/users/me").code == (401, "rest_not_logged_in")


def test_the_token_is_a_bearer_token_or_the_password_of_a_user(guarded: Client) -> None:
    stranger, admin = Stage(guarded, "nobody"), Stage(guarded, "admin")
    admin.make("users", username="ada", email="ada@example.test", password="x", roles=["author"])

    bearer = Stage(guarded).ask("GET", "/wp/v2/users/me", headers=[("Authorization", f"Bearer {TOKEN}")])

    assert bearer.value["slug"] == "admin"
    assert Stage(guarded, "ada@example.test").ask("GET", "/wp/v2/users/me").value["slug"] == "ada"
    assert stranger.ask("GET", "/wp/v2/users/me").status == 401


def test_a_right_that_a_user_lacks_is_403(guarded: Client) -> None:
    admin, author = Stage(guarded, "admin"), Stage(guarded, "ada")
    admin.make("users", username="ada", email="ada@example.test", password="x", roles=["author"])
    foreign = admin.make("posts", title="Not hers")["id"]

    assert author.ask("POST", "/wp/v2/pages", {"title": "x"}).code == (403, "rest_cannot_create")
    assert author.ask("POST", f"/wp/v2/posts/{foreign}", {}).code == (403, "rest_cannot_edit")
    assert author.ask("POST", "/wp/v2/posts", {"title": "x", "sticky": True}).code == (
        403,
        "rest_cannot_assign_sticky",
    )
    assert author.ask("POST", "/wp/v2/categories", {"name": "x"}).code == (403, "rest_cannot_create")
    assert author.make("posts", title="Hers")["author"] == 2
