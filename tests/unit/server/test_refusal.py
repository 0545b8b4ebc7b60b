"""How the service says no."""

from __future__ import annotations

from pressync.server.refusal import HttpRefusal, invalid


def test_a_refusal_has_the_shape_that_clients_of_wordpress_know() -> None:
    refusal = HttpRefusal(410, "already_trashed", "It is in the trash.")
    assert refusal.body == {
        "code": "already_trashed",
        "message": "It is in the trash.",
        "data": {"status": 410},
    }


def test_a_refused_value_names_its_field() -> None:
    assert invalid("parent", "No.").body["data"] == {"status": 400, "field": "parent"}
