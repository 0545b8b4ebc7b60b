"""The whole application: the service below /wp-json in one dialect or in both, and the web site beside it.

No request of one dialect is a request of the other. So a service in both dialects answers a body that is a
form as the documented interface, and everything else as WordPress.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from werkzeug.http import parse_options_header
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from pressync.model.interface import FORM_CONTENT_TYPE
from pressync.server.api import make_api
from pressync.server.hosts import restrict_hosts
from pressync.server.permalinks import SERVICE
from pressync.server.web import make_web
from pressync.server.wordpress.app import make_wordpress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from pressync.server.store import Store

# The paths of WordPress's own program.
_FRONT = frozenset({"", "/", "/index.php"})

DOCUMENTED, WORDPRESS, BOTH = "documented", "wordpress", "both"
DIALECTS = (BOTH, DOCUMENTED, WORDPRESS)


def make_app(
    store: Store,
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    previews: bool = False,
    dialect: str = DOCUMENTED,
    around: Callable[[WSGIApplication], WSGIApplication] | None = None,
) -> WSGIApplication:
    """Make the WSGI application of a store; with a `token`, only callers who present it may write.

    It accepts requests for `host`, for loopback, and for the host of the store's own address. `dialect` is
    one of DIALECTS. Without a `token`, or with `previews`, everybody can look at drafts. `around` may answer
    requests that were accepted, and change the answers of the others.
    """
    web = make_web(store, names_interface=dialect != DOCUMENTED, previews=previews or token is None)
    service = _service(store, token, dialect)
    application: WSGIApplication = DispatcherMiddleware(web, {f"/{SERVICE}": service})
    if dialect != DOCUMENTED:
        application = _with_queries(application)
    if around:
        application = around(application)
    return restrict_hosts(application, host, lambda: store.settings.address)


def _with_queries(application: WSGIApplication) -> WSGIApplication:
    """Lead `/?rest_route=/wp/v2/pages` to the service, as WordPress does with and without permalinks."""

    def routed(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        query = environ.get("QUERY_STRING", "")
        if environ.get("PATH_INFO", "") in _FRONT and "rest_route=" in query:
            # As in PHP, the last one of several counts. PATH_INFO has the bytes of UTF-8 as characters.
            route = parse_qs(query, encoding="latin-1").get("rest_route", [""])[-1]
            environ = {**environ, "PATH_INFO": f"/{SERVICE}/{route.lstrip('/')}"}
        return application(environ, start_response)

    return routed


def _service(store: Store, token: str | None, dialect: str) -> WSGIApplication:
    documented = make_api(store, token=token)
    if dialect == DOCUMENTED:
        return documented
    named = (WORDPRESS, DOCUMENTED) if dialect == BOTH else (WORDPRESS,)
    wordpress = make_wordpress(store, named, token=token)
    if dialect == WORDPRESS:
        return wordpress

    def by_body(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        kind, _ = parse_options_header(environ.get("CONTENT_TYPE"))
        chosen = documented if kind.lower() == FORM_CONTENT_TYPE else wordpress
        return chosen(environ, start_response)

    return by_body
