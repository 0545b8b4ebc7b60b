"""A name that was rebound to this machine is not answered; the server's own names are."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.unit.server.wire import FORM, encode, get, refusal, request, write

from pressync.server.server import running

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.server.server import RunningService

FOREIGN = (
    "evil.example",
    "evil.example:8127",
    "localhost.evil.example",
    "localhost@evil.example",
    "[::1",
    "10.0.0.7",
)


def named(service: RunningService, host: str) -> dict[str, str]:
    return {"Host": host.replace("PORT", str(urlsplit(service.site).port))}


@pytest.mark.parametrize("host", FOREIGN)
def test_a_foreign_host_reads_nothing(service: RunningService, host: str) -> None:
    for place in (f"{service.site}/", f"{service.url}/wp/v2/pages", f"{service.site}/-/style.css"):
        assert refusal(request("GET", place, headers=named(service, host)), 421) == ("foreign_host", "")


def test_a_foreign_host_writes_nothing(service: RunningService, pages: str) -> None:
    headers = {**named(service, "evil.example"), "Content-Type": FORM}
    answer = request("POST", pages, encode({"title": {"raw": "Gotcha"}}), headers)
    assert refusal(answer, 421) == ("foreign_host", "")
    assert "`pressync serve --address URL` adds one" in answer.json["message"]
    assert get(f"{service.site}/gotcha/").status == 404


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:PORT", "127.0.0.1:PORT", "[::1]:PORT", "localhost:9000"]
)
def test_the_names_of_this_machine_are_answered(service: RunningService, host: str) -> None:
    assert request("GET", f"{service.site}/", headers=named(service, host)).status == 200


def test_the_public_address_is_answered(tmp_path: Path) -> None:
    with running(tmp_path / "site.db", address="https://staging.example/") as service:
        for host, status in (("staging.example", 200), ("Staging.Example:443", 200), ("evil.example", 421)):
            assert request("GET", f"{service.site}/", headers=named(service, host)).status == status


def test_a_server_for_everybody_is_found_by_any_number_but_by_no_name(tmp_path: Path) -> None:
    with running(tmp_path / "site.db", host="0.0.0.0") as service:  # noqa: S104 - the point of it
        for host, status in (("10.0.0.7:PORT", 200), ("[fe80::1]", 200), ("evil.example", 421)):
            assert request("GET", f"{service.site}/", headers=named(service, host)).status == status


def test_our_own_client_is_answered(service: RunningService, pages: str) -> None:
    assert write(pages, title={"raw": "Mine"}).status == 200
    assert get(f"{service.site}/mine/").status == 200
