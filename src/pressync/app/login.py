"""Gets an application password from a WordPress site by way of the browser, checks it, and stores it.

A host with many sites does not have that page. There a person types a token, or a password that was made
elsewhere.

WordPress leads the browser back to this machine from 7.1 on, and before that on a site of the type `local`.
Elsewhere its page shows the password, and the person types it. The password is in the address of the
browser's request. So the address has a random part, and nothing of it is logged. Any page can make requests
to this machine, so the Host header must be the address itself.
"""

from __future__ import annotations

import hmac
import platform
import re
import secrets as random_secrets
import sys
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self, cast
from urllib.parse import parse_qs

from pressync.client import discovery
from pressync.client.credentials import Secret, basic, bearer
from pressync.client.dialects import dialect_of
from pressync.client.port import require_readable
from pressync.config import secrets
from pressync.config.environment import AGENT_USER
from pressync.model.errors import ConfigError, Refused
from pressync.model.web_address import split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pressync.app.workspace import Workspace
    from pressync.client.abilities import Accounts, ApprovalPage
    from pressync.client.port import ReadableService
    from pressync.config.settings import Site

# The first version that leads a browser back to 127.0.0.1 from every site.
_LOOPBACK = (7, 1)
_SECONDS = 300.0
_AGAIN = "run `pressync login` again"


@dataclass(frozen=True, slots=True)
class LoginDialogue:
    """The ways to a person: sentences, a browser that may not open, a hidden question at a terminal."""

    say: Callable[[str], None]
    open_page: Callable[[str], bool]
    ask: Callable[[str], str] | None


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """A password that was checked and stored: its user, roles and place, and the rights that a sync lacks."""

    site: Site
    name: str
    roles: tuple[str, ...]
    place: str
    lacking: tuple[str, ...]


def login(
    workspace: Workspace,
    person: LoginDialogue,
    *,
    paste: bool,
    as_agent: bool = False,
    seconds: float = _SECONDS,
) -> LoggedIn:
    """Get, check and store a password; with `paste` the person types it.

    With `as_agent` it is stored as the account of an agent, if the site says that it can only write drafts.

    :raises ConfigError: there is no keyring, the site offers no passwords, or no password came.
    :raises ServiceError: the site cannot be reached, or refuses the password.
    """
    site = wordpress_site(workspace)
    if as_agent:
        site = site._replace(user=workspace.environ.get(AGENT_USER) or None)
    place = secrets.keyring_name()
    user, password = _credentials(workspace, site, person, paste=paste, as_agent=as_agent, seconds=seconds)
    site = site._replace(user=user)
    person.say("Checking the password.")
    secret = basic(user, password) if user else bearer(password)
    with _opened(workspace, secret) as (service, accounts):
        me = accounts.identity()
        lacking = frozenset[str]() if as_agent else service.rights().lacking
        beyond = service.account().beyond if as_agent else ""
    if beyond:
        problem = f"the password was not stored: this is not an account for an agent, because {beyond}"
        todo = f"log out of the site in the browser, log in as the agent, and {_AGAIN}"
        raise ConfigError(problem, todo=todo)
    if user and as_agent:
        secrets.store(secrets.agents_account(site), f"{user}:{password}")
    else:
        secrets.store(secrets.account(site), password)
    return LoggedIn(site, me.name, me.roles, place, tuple(sorted(lacking)))


def _credentials(
    workspace: Workspace, site: Site, person: LoginDialogue, *, paste: bool, as_agent: bool, seconds: float
) -> tuple[str | None, str]:
    """Get a password and its user from a person, or a token without a user."""
    row = dialect_of(site.dialect)
    if row.takes_token and not (as_agent and site.user is None):
        words = f"The application password of {site.user}" if site.user else row.credentials
        return site.user, _asked(person, f"{words} (it stays hidden)")
    with _opened(workspace, None) as (_, accounts):
        page = accounts.approval_page()
    if paste or not leads_back(page):
        return _typed(site, page, person)
    return _brought(site, page, person, seconds)


def logout(workspace: Workspace, *, revoke: bool) -> str | None:
    """Remove the stored password; give its name on the site if it was revoked, else ""; None without one.

    :raises ConfigError: there is no keyring, so nobody can tell whether it has a password.
    :raises ServiceError: the site cannot be reached; the password stays in the keyring.
    """
    site = wordpress_site(workspace)
    secrets.keyring_name()
    password = secrets.stored_password(site)
    if password is None:
        return None
    name = ""
    if revoke and not workspace.capabilities.passwords:
        problem = f"the {site.dialect} interface does not show how to revoke it"
        raise ConfigError(problem, todo="revoke it at the host, and run `pressync logout` without --revoke")
    if revoke and site.user:
        # Where the site refuses the password, it does not know it any more: there is nothing to revoke.
        with _opened(workspace, basic(site.user, password)) as (_, accounts), suppress(Refused):
            name = accounts.revoke_password() or "without a name"
    secrets.remove(secrets.account(site))
    return name


def wordpress_site(workspace: Workspace) -> Site:
    """Give the site of the settings, which must be WordPress and named on this machine.

    :raises ConfigError: it has no application passwords, or strangers may have written its address.
    """
    site = workspace.settings.site
    if site.url is None:
        raise ConfigError("the embedded service needs no password", todo="name a site with `--site NAME`")
    if not (workspace.capabilities.passwords or dialect_of(site.dialect).takes_token):
        raise _without_passwords(site)
    workspace.clone.credentials.require_own_address()
    return site


def _without_passwords(site: Site) -> ConfigError:
    problem = f"site '{site.name}' is not WordPress, and only WordPress has application passwords"
    return ConfigError(problem, todo="set PRESSYNC_PASSWORD or `password_command`")


@contextmanager
def _opened(workspace: Workspace, secret: Secret | None) -> Iterator[tuple[ReadableService, Accounts]]:
    with workspace.clone.opened(secret) as service:
        if service.accounts is None:
            raise _without_passwords(workspace.settings.site)
        yield require_readable(service), service.accounts


def leads_back(page: ApprovalPage) -> bool:
    """Tell whether WordPress accepts an address of this machine for the way back."""
    parts = split(page.address)
    if parts and parts.scheme == "http":
        return True
    version = discovery.version(page.home) or ""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2]) >= _LOOPBACK


def _program() -> str:
    """Name this login: WordPress refuses a second password with the same name."""
    now = datetime.now(UTC).astimezone()
    return f"pressync on {platform.node() or 'this machine'}, {now:%Y-%m-%d %H:%M:%S}"


def _show(address: str, person: LoginDialogue) -> None:
    if person.open_page(address):
        person.say("The browser shows a page of the site: log in there, and approve pressync. It is at:")
    else:
        person.say("Open this page of the site in a browser, log in there, and approve pressync:")
    person.say(address)


def _brought(site: Site, page: ApprovalPage, person: LoginDialogue, seconds: float) -> tuple[str, str]:
    """Wait for the browser to bring the password."""
    with Listener() as listener:
        _show(page.address_for(_program(), listener.address), person)
        person.say("Waiting for it. If the page is in a browser of another machine, use `--paste` instead.")
        approval = listener.wait(seconds)
    if approval is None:
        minutes = f"{seconds / 60:.0f} minutes" if seconds >= 60 else f"{seconds:.0f} s"  # noqa: PLR2004 - a minute
        todo = f"{_AGAIN}; if the site refuses the address of this machine, use `--paste`"
        raise ConfigError(f"no password came within {minutes}", todo=todo)
    if not approval.password:
        raise ConfigError("you did not approve on the site, so there is no password", todo=_AGAIN)
    if approval.site_url.rstrip("/") != page.site_url.rstrip("/"):
        todo = f"revoke the password there (Users → Profile), check `url`, and {_AGAIN}"
        raise ConfigError("the password is of another site than the one that was asked", todo=todo)
    if site.user and approval.user.lower() != site.user.lower() and "@" not in site.user:
        problem = f"the browser is logged in as another user than '{site.user}'"
        raise ConfigError(problem, todo=f"log out of the site in the browser, or change `user`, and {_AGAIN}")
    return site.user or approval.user, approval.password


def _typed(site: Site, page: ApprovalPage, person: LoginDialogue) -> tuple[str, str]:
    """Ask for the password that the page shows."""
    if site.user is None:
        todo = f"set `user` or PRESSYNC_USER first, for an agent {AGENT_USER}"
        raise ConfigError("it is not known whose password that is", todo=todo)
    question = f"The password that the page shows for {site.user} (it stays hidden)"
    return site.user, _asked(person, question, lambda: _show(page.address_for(_program()), person))


def _asked(person: LoginDialogue, question: str, show: Callable[[], None] = lambda: None) -> str:
    if person.ask is None:
        todo = "run it at a terminal, or set `password_command` or PRESSYNC_PASSWORD"
        raise ConfigError("there is no terminal to type the password at", todo=todo)
    show()
    password = person.ask(question).strip()
    if not password:
        raise ConfigError("no password was typed", todo=_AGAIN)
    return password


_HOST = "127.0.0.1"
_LAST = "/closed"
_CLOSE = "You may close this page."
# The server looks this often, in seconds, whether it is to end. Half a second would be felt after each login.
_POLL = 0.02
_MOST_FIELDS = 10
# A browser opens connections ahead on which it sends nothing.
_IDLE_SECONDS = 10
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class BroughtPassword:
    """The answer of the approved page: a user with a password, or "" for a refusal, and the site."""

    user: str
    password: str = field(repr=False)
    site_url: str


class Listener(ThreadingHTTPServer):
    """A listener for one answer. Use as a context manager."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__((_HOST, 0), _Handler)
        self._state = random_secrets.token_urlsafe(32)
        self._taken = threading.Event()
        self._lock = threading.Lock()
        self._approval: BroughtPassword | None = None
        self._closed = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(_POLL,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in the library
        """Print nothing of a connection that broke: any page in the browser can break one."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    @property
    def host(self) -> str:
        """The only Host header that is accepted."""
        return f"{_HOST}:{self.server_port}"

    @property
    def address(self) -> str:
        """The address to which the approved page leads the browser."""
        return f"http://{self.host}/{self._state}"

    def wait(self, seconds: float) -> BroughtPassword | None:
        """Wait for the answer, and until the browser shows the last page; None if none comes in time."""
        self._taken.wait(seconds)
        if self._approval:
            self._closed.wait(min(seconds, 2))
        return self._approval

    def respond(self, path: str, headers: Mapping[str, str]) -> tuple[HTTPStatus, str]:
        """Give the status and the text, or the place, that answer a GET of a path."""
        parts = split(path)
        if parts is None:
            return HTTPStatus.BAD_REQUEST, "This is not an address."
        # A script or a picture of another page sends another destination. Only the window itself is led here.
        if headers.get("Host") != self.host or headers.get("Sec-Fetch-Dest", "document") != "document":
            return HTTPStatus.FORBIDDEN, "This address is for one browser only."
        if parts.path == _LAST and self._approval:
            self._closed.set()
            if self._approval.password:
                message = "pressync has the password and checks it now; the terminal says more."
                return HTTPStatus.OK, f"{message} {_CLOSE}"
            return HTTPStatus.OK, f"You did not approve, so pressync has no password. {_CLOSE}"
        if not hmac.compare_digest(parts.path.encode(), f"/{self._state}".encode()):
            return HTTPStatus.NOT_FOUND, "There is nothing here."
        return self._taken_from(parts.query)

    def _taken_from(self, query: str) -> tuple[HTTPStatus, str]:
        try:
            parameters = parse_qs(query, max_num_fields=_MOST_FIELDS, strict_parsing=True, errors="strict")
        except ValueError:
            parameters = {}
        given = {name: values[0] for name, values in parameters.items() if len(values) == 1}
        if given.get("success") == "false":
            approval = BroughtPassword("", "", "")
        elif given.keys() >= {"site_url", "user_login", "password"}:
            approval = BroughtPassword(given["user_login"], given["password"], given["site_url"])
        else:
            return HTTPStatus.BAD_REQUEST, "The site sent neither a password nor a refusal."
        with self._lock:
            if self._approval:
                return HTTPStatus.GONE, f"This login has ended. {_CLOSE}"
            self._approval = approval
        self._taken.set()
        # The address of the next page has no password, and it is the one that stays in the browser.
        return HTTPStatus.SEE_OTHER, _LAST


class _Handler(BaseHTTPRequestHandler):
    server_version = "pressync"
    sys_version = ""
    timeout = _IDLE_SECONDS

    def do_GET(self) -> None:
        """Answer a request, in plain text."""
        headers = {name: self.headers.get(name, "") for name in self.headers}
        status, text = cast("Listener", self.server).respond(self.path, headers)
        body = b"" if status is HTTPStatus.SEE_OTHER else f"{text}\n".encode()
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if status is HTTPStatus.SEE_OTHER:
            self.send_header("Location", text)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing: the address of a request may have the password in it."""
