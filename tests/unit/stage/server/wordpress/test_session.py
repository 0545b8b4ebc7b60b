"""One request: the users, and what each of them may do; the addresses of the interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.site_settings import change_permalinks
from tests.unit.stage.server.wordpress.conftest import Stage

from pressync.model.interface import Kind
from pressync.stage.rehearse import given_site
from pressync.stage.server.rows import StoredRecord
from pressync.stage.server.wordpress.session import User, may_delete, may_edit, may_read

if TYPE_CHECKING:
    from werkzeug.test import Client

    from pressync.stage.server.store import Store


def test_others_see_only_people_who_have_published(guarded: Client) -> None:
    admin, ada = Stage(guarded, "admin"), Stage(guarded, "ada")
    admin.make("users", username="ada", email="ada@example.test", password="x", roles=["author"])
    assert ada.ask("GET", "/wp/v2/users?context=edit").code == (403, "rest_forbidden_context")
    assert [row["slug"] for row in ada.ask("GET", "/wp/v2/users").value] == ["admin"]
    assert ada.ask("GET", "/wp/v2/users/1").value["slug"] == "admin"
    assert ada.ask("GET", "/wp/v2/users/1?context=edit").code == (403, "rest_user_cannot_view")
    assert ada.ask("POST", "/wp/v2/users", {"username": "x", "email": "x@y.z", "password": "x"}).status == 403
    assert ada.ask("GET", "/wp/v2/users/me?context=edit").value["roles"] == ["author"]


def test_people_who_write_records_of_a_type_see_that_its_editor_has_notes(guarded: Client) -> None:
    admin, ada, visitor = Stage(guarded, "admin"), Stage(guarded, "ada"), Stage(guarded)
    admin.make("users", username="ada", email="ada@example.test", password="x", roles=["author"])
    types = "/wp/v2/types/{}?context=edit&_fields=supports"
    assert admin.ask("GET", types.format("page")).value["supports"]["editor"] == [{"notes": True}]
    assert ada.ask("GET", types.format("post")).value["supports"]["editor"] == [{"notes": True}]
    assert ada.ask("GET", types.format("page")).code == (403, "rest_forbidden_context")
    assert visitor.ask("GET", types.format("post")).code == (401, "rest_forbidden_context")
    assert admin.ask("POST", types.format("page"), {}).status == 404


def test_others_see_the_people_whom_the_real_site_shows(guarded: Client, store: Store) -> None:
    admin, ada = Stage(guarded, "admin"), Stage(guarded, "ada")
    admin.make("users", username="ada", email="ada@example.test", password="x", roles=["editor"])
    bob = admin.make("users", username="bob", email="bob@example.test", password="x")["id"]
    assert [row["id"] for row in ada.ask("GET", "/wp/v2/users").value] == [1]
    shown = User(bob, "bob", "bob@example.test", "Bob", "bob", "author", visible=True)
    given_site.fill(store, given_site.GivenSite(settings=store.settings, users=(shown,)))
    assert [row["id"] for row in ada.ask("GET", "/wp/v2/users").value] == [1, bob]
    assert ada.ask("GET", f"/wp/v2/users/{bob}").value["name"] == "Bob"


def test_with_plain_permalinks_every_address_is_a_query(store: Store, stage: Stage) -> None:
    change_permalinks(store, "")
    page = stage.make(title="Über uns")
    post, category = stage.make("posts", title="x"), stage.make("categories", name="News")
    tag, file = stage.make("tags", name="Vec<T>"), stage.upload("a.png").value
    site = "http://127.0.0.1:8127"
    assert page["link"] == page["permalink_template"] == f"{site}/?page_id={page['id']}"
    assert post["link"] == f"{site}/?p={post['id']}"
    assert (category["link"], tag["link"]) == (f"{site}/?cat={category['id']}", f"{site}/?tag=vec")
    assert file["link"] == f"{site}/?attachment_id={file['id']}"
    assert file["source_url"].startswith(f"{site}/wp-content/uploads/")
    me = stage.ask("GET", "/wp/v2/users/me").value
    assert me["link"] == f"{site}/?author=1"
    own = page["_links"]["self"][0]["href"]
    assert own == f"{site}/index.php?rest_route=/wp/v2/pages/{page['id']}"
    stage.make(title="y")
    links = stage.ask("GET", "/wp/v2/pages?per_page=1").headers["Link"]
    assert links == f'<{site}/index.php?rest_route=/wp/v2/pages&page=2&per_page=1>; rel="next"'


def post(status: str, author: int = 1) -> StoredRecord:
    return StoredRecord(id=5, kind=Kind.POST, guid="", date=0, modified=0, status=status, author=author)


@pytest.mark.parametrize(
    ("role", "status", "own", "rights"),
    [
        ("editor", "private", False, "red"),
        ("author", "publish", True, "red"),
        ("author", "publish", False, "r"),
        ("author", "draft", False, ""),
        ("contributor", "draft", True, "red"),
        ("contributor", "publish", True, "r"),
    ],
)
def test_rights_depend_on_role_state_and_author(role: str, status: str, own: bool, rights: str) -> None:
    user, record = User(2, role=role), post(status, 2 if own else 1)
    checks = {"r": may_read, "e": may_edit, "d": may_delete}
    assert "".join(name for name, check in checks.items() if check(user, record)) == rights
