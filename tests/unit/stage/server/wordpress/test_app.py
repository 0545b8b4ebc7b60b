"""The dialect over HTTP: how requests are read, who may write, a batch, and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unit.stage.server.wordpress.conftest import TOKEN, Stage
from werkzeug.test import Client

from pressync.model.interface import DOCUMENTED_TYPES
from pressync.stage.server.app import BOTH, DOCUMENTED, WORDPRESS, make_app
from pressync.stage.server.wordpress.app import methods

if TYPE_CHECKING:
    from pressync.stage.server.store import Store


def test_a_parameter_of_the_body_goes_before_the_path_as_on_wordpress(stage: Stage) -> None:
    one, two = stage.make(title="One")["id"], stage.make(title="Two")["id"]
    changed = stage.ask("POST", f"/wp/v2/pages/{one}", {"id": two, "title": "Changed"})
    assert (changed.value["id"], changed.value["title"]["raw"]) == (two, "Changed")


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"title": "\\ud800"}', b"[" * 100_000, b'{"a": NaN}'])
def test_a_body_that_is_not_json_is_refused(stage: Stage, body: bytes) -> None:
    refused = stage.ask("POST", "/wp/v2/pages", headers=[("Content-Type", "application/json")], data=body)
    assert refused.code == (400, "rest_invalid_json")


def test_a_web_page_may_not_write(stage: Stage) -> None:
    refused = stage.ask("POST", "/wp/v2/pages", {"title": "x"}, headers=[("Origin", "http://evil.example")])
    assert refused.code == (403, "from_browser")


def test_an_internal_error_does_not_show_its_details(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pressync.stage.server.wordpress.app.planned", lambda *_: 1 / 0)
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


def test_a_batch_may_check_all_its_requests_first(stage: Stage) -> None:
    items = [{"path": "/wp/v2/pages", "body": {"title": "x", "status": "publish"}}]
    wrong = [*items, {"path": "/wp/v2/pages", "body": {"status": "x"}}]
    refused = stage.ask("POST", "/batch/v1", {"requests": wrong, "validation": "require-all-validate"})
    assert refused.status == 207
    assert refused.value["failed"] == "validation"
    assert [one and one["status"] for one in refused.value["responses"]] == [None, 400]
    assert stage.ask("GET", "/wp/v2/pages").value == []
    done = stage.ask("POST", "/batch/v1", {"requests": items, "validation": "require-all-validate"})
    assert done.value["responses"][0]["status"] == 201


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"requests": [{"path": "/wp/v2/pages"}] * 26},
        {"requests": [{"path": "/wp/v2/pages", "method": "GET"}]},
        {"requests": [{"body": {}}]},
        {"requests": [{"path": "/wp/v2/pages", "body": "x"}]},
    ],
)
def test_a_batch_of_another_form_is_refused_as_a_whole(stage: Stage, body: dict[str, object]) -> None:
    assert stage.ask("POST", "/batch/v1", body).status == 400
    described = stage.ask("OPTIONS", "/batch/v1").value
    assert described["endpoints"][0]["args"]["requests"]["maxItems"] == 25


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("/", "GET"),
        ("/batch/v1", "POST"),
        ("/wp/v2/pages", "GET POST"),
        ("/wp/v2/media/7", "GET POST PUT PATCH DELETE"),
        ("/wp/v2/users/me", "GET"),
        ("/wp/v2/pages/me", ""),
        ("/wp/v2/comments", ""),
    ],
)
def test_a_path_has_its_methods(path: str, known: str) -> None:
    assert " ".join(methods(DOCUMENTED_TYPES, path)) == known


@pytest.mark.parametrize(
    ("dialect", "named"), [(BOTH, ["wordpress", "documented"]), (WORDPRESS, ["wordpress"])]
)
def test_the_index_names_the_dialects(store: Store, dialect: str, named: list[str]) -> None:
    shown = Client(make_app(store, dialect=dialect)).get("/wp-json/?_fields=dialects,namespaces,name")
    assert shown.json == {"dialects": named, "namespaces": ["wp/v2"], "name": "My site"}
    alone = Client(make_app(store, dialect=DOCUMENTED))
    assert alone.get("/wp-json/").status_code == 404
    assert "Link" not in alone.get("/").headers
    assert 'rel="https://api.w.org/"' in Client(make_app(store, dialect=BOTH)).get("/").headers["Link"]


SETTINGS = "/wp/v2/settings"


def test_a_site_shows_its_posts_until_somebody_chooses_a_page(stage: Stage) -> None:
    page = stage.make("pages", title="Start", status="publish")["id"]
    before = stage.ask("GET", SETTINGS).value
    assert (before["show_on_front"], before["page_on_front"]) == ("posts", 0)
    assert "show_on_front" not in stage.ask("GET", "/").value
    body = {"show_on_front": "page", "page_on_front": page}
    assert stage.ask("POST", f"{SETTINGS}?_fields=show_on_front,page_on_front", body).value == body
    assert stage.ask("GET", "/").value["page_on_front"] == page
    assert stage.ask("POST", SETTINGS, {"page_on_front": "a"}).code == (400, "rest_invalid_param")
    assert stage.ask("DELETE", SETTINGS).code == (404, "rest_no_route")
