"""The dialect `wordpress` on a store whose clock stands still, asked without a socket."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug.test import Client

from pressync.stage.server.app import WORDPRESS, make_app

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.stage.server.store import Store

TOKEN = "s3cret"
PNG = b"\x89PNG\r\n\x1a\n and the rest of a picture"


@dataclass(frozen=True)
class Response:
    """A response: its status, its JSON and its headers."""

    status: int
    value: Any
    headers: dict[str, str]

    @property
    def code(self) -> tuple[int, str]:
        return self.status, self.value["code"]


@dataclass(frozen=True)
class Stage:
    """Sends requests to the service; `user` is the name that goes with the token."""

    client: Client
    user: str = ""

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        headers: Iterable[tuple[str, str]] = (),
        **more: Any,  # noqa: ANN401 - werkzeug's own
    ) -> Response:
        """Send one request; `path` is below the base address."""
        sent = [*headers]
        if self.user:
            secret = base64.b64encode(f"{self.user}:{TOKEN}".encode()).decode()
            sent.append(("Authorization", f"Basic {secret}"))
        if body is not None:
            more |= {"json": body}
        response = self.client.open(f"/wp-json{path}", method=method, headers=sent, **more)
        return Response(response.status_code, json.loads(response.text or "null"), dict(response.headers))

    def make(self, kind: str = "pages", /, **fields: object) -> Any:  # noqa: ANN401 - any JSON
        """Make a published record, a term or a user, and give it."""
        published = {"status": "publish"} if kind in {"pages", "posts"} else {}
        made = self.ask("POST", f"/wp/v2/{kind}", {**published, **fields})
        assert made.status == 201, made.value
        return made.value

    def upload(self, name: str, data: bytes = PNG) -> Response:
        headers = [("Content-Disposition", f'attachment; filename="{name}"'), ("Content-Type", "image/png")]
        return self.ask("POST", "/wp/v2/media", headers=headers, data=data)


@pytest.fixture
def stage(store: Store) -> Stage:
    """Serve a store to anybody as its administrator."""
    return Stage(Client(make_app(store, dialect=WORDPRESS)))


@pytest.fixture
def guarded(store: Store) -> Client:
    return Client(make_app(store, dialect=WORDPRESS, token=TOKEN))
