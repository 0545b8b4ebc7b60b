"""The users of the stage: who they are, and who may see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.server.wordpress.conftest import Stage

from pressync.client.wordpress.user_rights import _NEEDED
from pressync.server import given_state
from pressync.server.wordpress.roles import User

if TYPE_CHECKING:
    from werkzeug.test import Client

    from pressync.server.store import Store


def test_the_administrator_has_every_right_of_a_sync(stage: Stage) -> None:
    me = stage.ask("GET", "/wp/v2/users/me?context=edit").value

    assert (me["id"], me["roles"]) == (1, ["administrator"])
    rights = {right.format(kinds) for right in _NEEDED for kinds in ("pages", "posts")}
    assert rights | {"unfiltered_html"} <= me["capabilities"].keys()


def test_a_user_is_found_by_any_name(stage: Stage) -> None:
    made = stage.make("users", username="ada", email="ada@example.test", password="x", name="Ada Lovelace")

    for text in ("ADA", "example.test", "lovelace"):
        found = stage.ask("GET", f"/wp/v2/users?context=edit&search={text}").value
        assert [row["id"] for row in found] == [made["id"]]
    assert stage.ask("GET", f"/wp/v2/users/{made['id']}").value["name"] == "Ada Lovelace"
    assert stage.ask("GET", "/wp/v2/users/99").code == (404, "rest_user_invalid_id")


def test_a_login_and_an_address_belong_to_one_user(stage: Stage) -> None:
    body = {"username": "ada", "email": "ada@example.test", "password": "x"}
    stage.make("users", **body)

    assert stage.ask("POST", "/wp/v2/users", body).code == (500, "existing_user_login")
    other = stage.ask("POST", "/wp/v2/users", {**body, "username": "bob"})
    assert other.code == (500, "existing_user_email")


def test_others_see_only_people_who_have_published(guarded: Client) -> None:
    admin, ada = Stage(guarded, "admin"), Stage(guarded, "ada")
    admin.make("users", username="ada", email="ada@example.test", password="x", roles=["author"])

    assert ada.ask("GET", "/wp/v2/users?context=edit").code == (403, "rest_forbidden_context")
    assert [row["slug"] for row in ada.ask("GET", "/wp/v2/users").value] == ["admin"]
    assert ada.ask("POST", "/wp/v2/users", {"username": "x", "email": "x@y.z", "password": "x"}).status == 403
    assert ada.ask("GET", "/wp/v2/users/me?context=edit").value["roles"] == ["author"]


def test_others_see_the_people_whom_the_real_site_shows(guarded: Client, store: Store) -> None:
    admin, ada = Stage(guarded, "admin"), Stage(guarded, "ada")
    admin.make("users", username="ada", email="ada@example.test", password="x", roles=["editor"])
    bob = admin.make("users", username="bob", email="bob@example.test", password="x")["id"]
    assert [row["id"] for row in ada.ask("GET", "/wp/v2/users").value] == [1]

    with given_state.writing(store) as given:
        given.put([User(bob, "bob", "bob@example.test", "Bob", "bob", "author", visible=True)])

    assert [row["id"] for row in ada.ask("GET", "/wp/v2/users").value] == [1, bob]
    assert ada.ask("GET", f"/wp/v2/users/{bob}").value["name"] == "Bob"
