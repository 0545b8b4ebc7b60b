"""The whole application: the service below /wp-json, the web site beside it.

They are two applications, because one answers every mistake in JSON and the other in HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from werkzeug.middleware.dispatcher import DispatcherMiddleware

from pressync.server.api import make_api
from pressync.server.hosts import restrict_hosts
from pressync.server.permalinks import SERVICE
from pressync.server.web import make_web

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from pressync.server.store import Store


def make_app(store: Store, *, host: str = "127.0.0.1", token: str | None = None) -> WSGIApplication:
    """Make the WSGI application of a store; with a `token`, only callers who present it may write.

    It accepts requests for `host`, for loopback, and for the host of the store's own address.
    """
    both = DispatcherMiddleware(make_web(store), {f"/{SERVICE}": make_api(store, token=token)})
    return restrict_hosts(both, host, lambda: store.settings.address)
