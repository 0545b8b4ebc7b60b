"""Many requests in one: each succeeds or fails alone, unless all are checked before the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.unit.server.wordpress.conftest import Stage


def test_each_request_of_a_batch_has_its_own_end(stage: Stage) -> None:
    items = [
        {"path": "/wp/v2/pages?_fields=slug", "body": {"title": "One", "status": "publish"}},
        {"path": "/wp/v2/pages/999", "body": {"title": "x"}},
        {"path": "/wp/v2/media"},
        {"path": "/wp/v2/pages", "body": {"status": "x"}},
        {"path": "/wp/v2/posts/1?force=true&_fields=deleted", "method": "DELETE"},
    ]

    done = stage.ask("POST", "/batch/v1", {"requests": items})

    assert done.status == 207
    assert [one["status"] for one in done.value["responses"]] == [201, 404, 400, 400, 200]
    assert done.value["responses"][0]["body"] == {"slug": "one"}
    assert done.value["responses"][2]["body"]["code"] == "rest_batch_not_allowed"
    assert stage.ask("GET", "/wp/v2/posts/1").status == 404


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
        {"requests": ["x"]},
        {"requests": [{"path": "/wp/v2/pages", "body": "x"}]},
        {"requests": [], "validation": "x"},
    ],
)
def test_a_batch_of_another_form_is_refused_as_a_whole(stage: Stage, body: dict[str, object]) -> None:
    assert stage.ask("POST", "/batch/v1", body).status == 400


def test_the_batch_says_how_many_requests_it_takes(stage: Stage) -> None:
    described = stage.ask("OPTIONS", "/batch/v1").value

    assert described["endpoints"][0]["args"]["requests"]["maxItems"] == 25


def test_a_text_in_the_place_of_the_requests_is_a_list_of_its_words(stage: Stage) -> None:
    refused = stage.ask("POST", "/batch/v1", {"requests": "text"})

    assert refused.value["data"]["params"] == {"requests": "requests[0] is not of type object."}
