"""Refusals have WordPress's form."""

from __future__ import annotations

from pressync.server.wordpress.refusals import NoData, WrongParameter, invalid_parameters, no_route, no_trash


def test_all_wrong_parameters_are_in_one_refusal() -> None:
    body = invalid_parameters(
        {"a": WrongParameter("A is bad.", "bad"), "b": WrongParameter("B is bad.")}
    ).body

    assert body == {
        "code": "rest_invalid_param",
        "message": "Invalid parameter(s): a, b",
        "data": {
            "status": 400,
            "params": {"a": "A is bad.", "b": "B is bad."},
            "details": {"a": {"code": "bad", "message": "A is bad.", "data": None}},
        },
    }


def test_an_empty_map_is_a_list_as_php_writes_it() -> None:
    data = invalid_parameters({"b": WrongParameter("B is bad.")}).body["data"]

    assert isinstance(data, dict)
    assert data["details"] == []


def test_other_refusals_have_their_status() -> None:
    assert (no_route().status, no_trash("Terms").status) == (404, 501)
    assert NoData(500, "c", "m").body == {"code": "c", "message": "m", "data": None}
