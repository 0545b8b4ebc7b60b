"""Real answers of real sites, on record: replayed in every run, or asked for again.

Recorded from the sites of tests/live/stand. To record anew after a wanted change of what is sent:
`PRESSYNC_RECORD=1 python -m pytest tests/unit/client/wordpress`, then read the difference. With
PRESSYNC_TEST_WORDPRESS=1 the same scenarios run on the live sites, and no record is touched.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import vcr
from tests.live.sites import LIVE, RECORDING, URLS, open_at, site
from vcr.stubs.requests_stubs import VCRRequestsHTTPConnection

from pressync.client.credentials import basic
from pressync.client.exchange import TrackingPool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vcr.request import Request

    from pressync.client.wordpress import WordPressService

CASSETTES = Path(__file__).parent / "cassettes"

_KEPT_HEADERS = frozenset({"content-type", "link", "location", "retry-after", "x-wp-totalpages"})

# The theme's, and none of ours.
_DECORATION = re.compile(rb"(<(style|script)\b[^>]*>).*?(</\2>)", re.DOTALL)

_WRONG_PASSWORD = "never on record"


@contextlib.contextmanager
def tape(cassette: str) -> Iterator[None]:
    """Play a cassette: it must hold every exchange, and every one of it must be used."""
    if LIVE:
        yield
        return
    recorder = vcr.VCR(
        record_mode="all" if RECORDING else "none",
        match_on=["method", "address", "raw_body"],
        filter_headers=["authorization", "user-agent"],
        before_record_response=_without_decoration,
        # The recorder replaces the connections of urllib3's own pools; ours have others.
        custom_patches=((TrackingPool, "ConnectionCls", VCRRequestsHTTPConnection),),
    )
    recorder.register_matcher("address", _is_same_address)
    file = CASSETTES / f"{cassette}.yaml"
    if RECORDING:
        file.unlink(missing_ok=True)
    with recorder.use_cassette(str(file)) as played:
        yield
        assert RECORDING or played.all_played


@contextlib.contextmanager
def service_on(
    name: str, scenario: str, *, user: str = "admin", wrong_password: bool = False
) -> Iterator[WordPressService]:
    """Open a site's service as this user, on the cassette of this scenario."""
    real = LIVE or RECORDING
    password = site(name).passwords[user] if real and not wrong_password else _WRONG_PASSWORD
    with (
        tape(f"{name}-{scenario}"),
        contextlib.closing(open_at(URLS[name] + "/wp-json", basic(user, password))) as service,
    ):
        yield service


def _is_same_address(request: Request, recorded: Request) -> bool:
    """Compare the addresses without `_fields`, so that a new field of a record needs no new cassettes.

    `test_all_that_is_compared_is_asked_for` holds which fields a request names.
    """
    return _without_fields(request.uri) == _without_fields(recorded.uri)


def _without_fields(address: str) -> tuple[str, list[tuple[str, str]]]:
    parts = urlsplit(address)
    asked = parse_qsl(parts.query, keep_blank_values=True)
    return parts._replace(query="").geturl(), sorted(pair for pair in asked if pair[0] != "_fields")


def _without_decoration(response: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    response["headers"] = {
        key: value for key, value in response["headers"].items() if key.lower() in _KEPT_HEADERS
    }
    body = response["body"]["string"]
    assert isinstance(body, bytes)
    if body.lstrip().startswith(b"<!DOCTYPE html"):
        response["body"]["string"] = _DECORATION.sub(rb"\1\3", body)
    return response
