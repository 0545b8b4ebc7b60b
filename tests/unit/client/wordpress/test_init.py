"""The imports of the folder, and the service on a broken connection."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.live.sites import open_at
from tests.support.lines import closed_port, listening
from tests.support.wire import End, FarSide, Reply
from tests.support.wire import listening as serving

import pressync
from pressync.client.port import Upload
from pressync.client.retry import Patience, Retry, retrying
from pressync.model.changes import CreateCall, DeleteCall
from pressync.model.errors import NoAnswer, NotSent, ServiceError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from tests.support.wire import Received

    from pressync.model.changes import Call

CALLS: list[Call] = [CreateCall(Kind.PAGE, {"title": "x"}), DeleteCall(Kind.POST, 7)]


def test_the_dialect_does_not_load_the_network_library() -> None:
    source = Path(pressync.__file__).parents[1]
    code = (
        "import sys; from pressync.client.wordpress import WORDPRESS, WordPressService, discover;"
        "sys.exit('requests' in sys.modules or 'urllib3' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(source)}, check=False)

    assert done.returncode == 0


def results_at(url: str) -> list[type]:
    with contextlib.closing(open_at(url, None)) as service:
        return [type(result) for result in service.carry_out_many(CALLS)]


def test_a_batch_that_never_left_was_carried_out_for_no_call() -> None:
    assert results_at(f"http://{closed_port()}") == [NotSent, NotSent]


def test_a_batch_whose_response_is_lost_may_have_been_carried_out_for_every_call() -> None:
    with listening(b"HTTP/1.1 207 Multi-Status\r\nContent-Length: 99\r\n\r\n{") as place:
        assert results_at(f"http://{place}") == [NoAnswer, NoAnswer]


def test_a_call_to_a_closed_port_is_sent_four_times_by_retry() -> None:
    pauses: list[float] = []
    with contextlib.closing(open_at(f"http://{closed_port()}", None)) as service, pytest.raises(ServiceError):
        retrying(service, Retry(Patience(), pauses.append, lambda _: None)).carry_out(CALLS[0])

    assert len(pauses) == 3


def test_every_question_of_the_port_goes_over_the_wire() -> None:
    number, file = {"id": 9, "name": "News", "slug": "news"}, {"id": 9, "source_url": "https://x/a.png"}
    answers = {
        "POST /wp-json/wp/v2/tags": (201, number),
        "GET /wp-json/wp/v2/tags": (200, [number]),
        "GET /wp-json/wp/v2/users": (200, [{"id": 2, "username": "ada", "slug": "ada"}]),
        "GET /wp-json/wp/v2/users/me": (200, {"id": 2, "name": "Ada", "capabilities": {}}),
        "GET /wp-json/wp/v2/media": (200, [file | {"slug": "a"}]),
        "POST /wp-json/wp/v2/media": (201, file | {"slug": "a"}),
    }

    class Canned(FarSide):
        def take(self, received: Received) -> tuple[bytes, End]:
            return Reply(*answers[f"{received.method} {received.path.partition('?')[0]}"]).spelled(), End.KEEP

    site = Canned()
    with serving(site), contextlib.closing(open_at(site.url, None)) as service:
        assert service.name == "wordpress"
        assert service.identity().name == "Ada"
        assert [term.id for term in service.terms("tags")] == [9]
        assert service.make_term("tags", "News", 0) == 9
        assert service.authors(["ada"]) == {"ada": 2}
        assert service.uploaded(["a"])["a"].id == 9
        assert service.upload(Upload("a.png", "a", b"x")).id == 9
