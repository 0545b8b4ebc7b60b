"""The documented dialect on record: each exchange of cassettes/, byte for byte, without a network.

The cassettes were recorded on loopback, against the strict service. To record them anew after a wanted
change of the wire format: `PRESSYNC_RECORD=1 python -m pytest tests/unit/client/test_cassettes.py`, then read
the difference. Without that variable nothing is ever recorded, and what is not on record is an error.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import vcr
from tests.support.strict_service import serving
from vcr.stubs.requests_stubs import VCRRequestsHTTPConnection

from pressync.client.connect import open_service
from pressync.client.credentials import basic
from pressync.client.exchange import TrackingPool
from pressync.model.changes import CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import Gone, Refused
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vcr.request import Request

    from pressync.client.port import Service

CASSETTES = Path(__file__).parent / "cassettes"
RECORDING = os.environ.get("PRESSYNC_RECORD") == "1"
PASSWORD = basic("editor", "never-on-record")
RECORDED_URL = "http://127.0.0.1:8127/wp-json"


@contextlib.contextmanager
def service_on(cassette: str) -> Iterator[Service]:
    """Open the service on a cassette; it must hold every exchange, and every one of it must be used."""
    recorder = vcr.VCR(
        record_mode="all" if RECORDING else "none",
        match_on=["method", "path", "raw_body"],
        filter_headers=["authorization", "user-agent"],
        before_record_request=_at_the_recorded_address,
        # The recorder replaces the connections of urllib3's own pools; ours have others.
        custom_patches=((TrackingPool, "ConnectionCls", VCRRequestsHTTPConnection),),
    )
    with contextlib.ExitStack() as stack:
        url = RECORDED_URL
        if RECORDING:
            (CASSETTES / cassette).unlink(missing_ok=True)
            running = stack.enter_context(serving())
            running.authorization = PASSWORD.reveal()
            url = running.url
        tape = stack.enter_context(recorder.use_cassette(str(CASSETTES / cassette)))
        yield stack.enter_context(contextlib.closing(open_service(url, authorization=PASSWORD)))
        assert RECORDING or tape.all_played


def _at_the_recorded_address(request: Request) -> Request:
    """Name one port in all cassettes: that of a recording is chance."""
    _, _, rest = request.uri.partition("/wp-json")
    request.uri = RECORDED_URL + rest
    return request


def test_the_life_of_a_page() -> None:
    with service_on("page.yaml") as service:
        made = service.carry_out(
            CreateCall(
                Kind.PAGE,
                {
                    "title": 'R&D "über" 🎉',
                    "slug": "rd",
                    "status": "publish",
                    "content": "<h2>A</h2>\n<p>100 % + 1</p>\n",
                    "excerpt": "short",
                    "menu_order": 2,
                    "meta": {"footnotes": "[]"},
                },
            )
        )
        changed = service.carry_out(UpdateCall(Kind.PAGE, made.id, {"title": "Research", "parent": 0}))
        deleted = service.carry_out(DeleteCall(Kind.PAGE, made.id))
        with pytest.raises(Gone):
            service.carry_out(DeleteCall(Kind.PAGE, made.id))

    assert made.fields["title"] == 'R&D "über" 🎉'
    assert (changed.id, changed.fields["title"]) == (made.id, "Research")
    assert deleted.fields["status"] == "trash"


def test_the_life_of_a_post() -> None:
    with service_on("post.yaml") as service:
        changed = service.carry_out(
            UpdateCall(
                Kind.POST,
                1,
                {
                    "title": "News",
                    "content": "<p>今日</p>",
                    "sticky": False,
                    "categories": (3, 5),
                    "tags": (),
                    "format": "standard",
                },
            )
        )
        deleted = service.carry_out(DeleteCall(Kind.POST, 1, permanent=True))

    assert changed.fields["content"] == "<p>今日</p>"
    assert changed.fields["categories"] == (3, 5)
    assert deleted.id == 1


def test_a_refusal() -> None:
    with (
        service_on("refusal.yaml") as service,
        pytest.raises(Refused, match="does not show this: date 'tomorrow'") as caught,
    ):
        service.carry_out(CreateCall(Kind.PAGE, {"title": "x", "date": "tomorrow"}))

    assert caught.value.status == 400


@pytest.mark.parametrize("cassette", sorted(CASSETTES.glob("*.yaml")), ids=lambda path: path.name)
def test_no_cassette_holds_a_credential(cassette: Path) -> None:
    text = cassette.read_text(encoding="utf-8").lower()

    assert "interactions:" in text
    assert not any(
        word in text for word in ("authorization", "cookie", "basic ", "bearer ", "never-on-record")
    )
