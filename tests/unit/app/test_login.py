"""`pressync login` and `logout` by way of the browser: the listener, the keyring, and what is printed."""

from __future__ import annotations

import sys
import webbrowser
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from tests.support import embedded_wordpress
from tests.support.embedded_wordpress import PASSWORD, USER
from tests.support.hostile.raw_requests import BROKEN, answered, broken_off
from tests.support.keyrings import Keyring, installed
from tests.support.terminal import Terminal
from tests.support.wire import PREFIX

from pressync.app.login import BroughtPassword, Listener, LoggedIn, LoginDialogue, leads_back, login, logout
from pressync.app.workspace import Workspace
from pressync.cli.commands import login as command
from pressync.client import discovery
from pressync.client.abilities import ApprovalPage
from pressync.client.wordpress import WordPressService
from pressync.model.errors import ConfigError, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository
    from tests.support.wire import Received, Reply


@dataclass
class Browser:
    """A person with a browser, which goes to the address that the page would lead it to."""

    answer: dict[str, str]
    typed: str = ""
    said: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def open(self, address: str) -> bool:
        self.opened.append(address)
        back = parse_qs(urlsplit(address).query).get("success_url")
        if back and self.answer:
            requests.get(back[0], params=self.answer, timeout=30)
        return bool(self.answer)

    def ask(self, question: str) -> str:
        self.asked.append(question)
        return self.typed

    @property
    def person(self) -> LoginDialogue:
        return LoginDialogue(self.said.append, self.open, self.ask)


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    return installed(monkeypatch, Keyring())


@pytest.fixture
def site() -> Iterator[EmbeddedWordPress]:
    """Serve a site that offers application passwords."""
    with embedded_wordpress.serving() as service:
        before = service.respond

        def respond(received: Received) -> Reply:
            reply = before(received)
            if received.path.partition("?")[0] != f"{PREFIX}/":
                return reply
            page = f"{origin(service)}/wp-admin/authorize-application.php"
            offered = {"application-passwords": {"endpoints": {"authorization": page}}}
            return replace(reply, value={**reply.value, "url": origin(service), "authentication": offered})

        service.respond = respond  # type: ignore[method-assign]
        yield service


def origin(site: EmbeddedWordPress) -> str:
    return site.url.removesuffix(PREFIX)


def approved(site: EmbeddedWordPress, **changes: str) -> Browser:
    return Browser({"site_url": f"{origin(site)}/", "user_login": USER, "password": PASSWORD, **changes})


@pytest.fixture
def workspace(repository: SampleRepository, site: EmbeddedWordPress) -> Iterator[Workspace]:
    with opened(repository, site, PRESSYNC_USER=USER) as workspace:
        yield workspace


def opened(repository: SampleRepository, site: EmbeddedWordPress, **more: str) -> Workspace:
    environ = {"PRESSYNC_URL": site.url, "PRESSYNC_DIALECT": "wordpress", **more}
    return Workspace.open(repository.root, environ=environ)


def failure(workspace: Workspace, browser: Browser, *, paste: bool = False, seconds: float = 30) -> str:
    with pytest.raises(ConfigError) as caught:
        login(workspace, browser.person, paste=paste, seconds=seconds)
    assert PASSWORD not in str(caught.value)
    return str(caught.value)


def test_the_browser_brings_the_secret(
    workspace: Workspace, site: EmbeddedWordPress, keyring: Keyring
) -> None:
    browser = approved(site)
    made = login(workspace, browser.person, paste=False)
    assert isinstance(made, LoggedIn)
    assert (made.name, made.roles, made.lacking) == (USER, ("administrator",), ())
    assert made.place == keyring.name
    assert keyring.kept == {("pressync", f"{USER}@{site.url}"): PASSWORD}
    assert not any(PASSWORD in sentence for sentence in browser.said)
    # The password works for a sync without anything else.
    with workspace.service(1) as service:
        assert service.name == "wordpress"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"site_url": "https://elsewhere.example"}, "the password is of another site"),
        ({"user_login": "somebody"}, f"the browser is logged in as another user than '{USER}'"),
        ({"success": "false"}, "you did not approve on the site"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(
    workspace: Workspace, site: EmbeddedWordPress, keyring: Keyring, changes: dict[str, str], said: str
) -> None:
    assert failure(workspace, approved(site, **changes)).startswith(said)
    assert not keyring.kept


def test_with_paste_a_person_types_it(
    workspace: Workspace, site: EmbeddedWordPress, keyring: Keyring
) -> None:
    browser = Browser({}, typed=f" {PASSWORD}\n")
    login(workspace, browser.person, paste=True)
    assert "success_url" not in browser.opened[0]
    assert list(keyring.kept.values()) == [PASSWORD]
    assert USER in browser.asked[0]
    assert failure(workspace, Browser({}), paste=True).startswith("no password was typed")
    mute = replace(browser.person, ask=None)
    with pytest.raises(ConfigError, match="no terminal to type"):
        login(workspace, mute, paste=True)
    assert not site.violations


@pytest.mark.parametrize(
    ("version", "leads"), [("7.1.4", True), ("7.10", True), ("6.8.12", False), (None, False)]
)
def test_a_site_with_https_leads_back_from_the_version_that_takes_this_machine(
    monkeypatch: pytest.MonkeyPatch, version: str | None, *, leads: bool
) -> None:
    monkeypatch.setattr(discovery, "version", lambda _home: version)
    page = ApprovalPage("https://example.org/wp-admin/x.php", "https://example.org", "https://example.org")
    assert leads_back(page) is leads


@pytest.mark.usefixtures("keyring")
def test_only_wordpress_has_a_login(repository: SampleRepository, site: EmbeddedWordPress) -> None:
    with Workspace.open(repository.root, environ={}) as embedded:
        assert failure(embedded, approved(site)).startswith("the embedded service needs no password")
    with opened(repository, site, PRESSYNC_DIALECT="documented") as documented:
        assert "is not WordPress" in failure(documented, approved(site))


def test_without_a_keyring_nobody_is_asked_to_make_a_password_and_without_an_answer_the_login_ends(
    monkeypatch: pytest.MonkeyPatch, workspace: Workspace, keyring: Keyring
) -> None:
    browser = Browser({})
    said = failure(workspace, browser, seconds=0.01)
    assert said.startswith("no password came within 0 s; run `pressync login` again")
    assert any("Open this page" in sentence for sentence in browser.said)
    assert not keyring.kept
    installed(monkeypatch, type("Fail", (Keyring,), {"__module__": "keyring.backends.fail"})())
    browser = Browser({})
    assert "no keyring service that runs" in failure(workspace, browser)
    assert not browser.opened


def test_the_user_of_the_browser_is_taken_if_none_is_set(
    repository: SampleRepository, site: EmbeddedWordPress, keyring: Keyring
) -> None:
    with opened(repository, site) as workspace:
        made = login(workspace, approved(site).person, paste=False)
        assert made.site.user == USER
        assert "set `user`" in failure(workspace, Browser({}, typed="x"), paste=True)
    assert list(keyring.kept) == [("pressync", f"{USER}@{site.url}")]


def test_logout_removes_the_password_and_may_revoke_it(
    monkeypatch: pytest.MonkeyPatch, workspace: Workspace, site: EmbeddedWordPress, keyring: Keyring
) -> None:
    def refuse(_service: object) -> str:
        raise Refused("the site does not know it", status=401)

    with pytest.raises(Refused):
        login(workspace, approved(site, password="wrong").person, paste=False)
    assert not keyring.kept
    login(workspace, approved(site).person, paste=False)
    assert logout(workspace, revoke=False) == ""
    assert not keyring.kept
    assert logout(workspace, revoke=False) is None
    for revoked, named in ((lambda _service: "pressync on laptop", "pressync on laptop"), (refuse, "")):
        login(workspace, approved(site).person, paste=False)
        monkeypatch.setattr(WordPressService, "revoke_password", revoked)
        assert logout(workspace, revoke=True) == named
        assert not keyring.kept


ANSWER = {"site_url": "https://example.org", "user_login": "editor", "password": "abcd efgh"}
AT_ONCE = 0.0


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as listener:
        yield listener


def get(address: str, **more: object) -> requests.Response:
    return requests.get(address, timeout=30, **more)  # type: ignore[arg-type]


def test_the_answer_is_taken_once(listener: Listener, capfd: pytest.CaptureFixture[str]) -> None:
    shown = get(listener.address, params=ANSWER)
    assert shown.url == f"http://{listener.host}/closed"
    assert "You may close this page." in shown.text
    assert listener.wait(30) == BroughtPassword("editor", "abcd efgh", "https://example.org")
    assert (shown.headers["Cache-Control"], shown.headers["Referrer-Policy"]) == ("no-store", "no-referrer")
    assert "abcd" not in repr(listener.wait(AT_ONCE)) + "".join(capfd.readouterr())
    again = get(listener.address, params={**ANSWER, "password": "another"}, allow_redirects=False)
    assert again.status_code == 410
    taken = listener.wait(AT_ONCE)
    assert taken
    assert taken.password == "abcd efgh"


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("", {"Host": "attacker.example"}, 403),
        ("", {"Host": "localhost"}, 403),
        ("", {"Sec-Fetch-Dest": "image"}, 403),
        ("x", {}, 404),
        ("/closed", {}, 404),
    ],
)
def test_a_request_that_is_not_that_of_the_window_is_refused(
    listener: Listener, path: str, headers: dict[str, str], status: int
) -> None:
    assert get(listener.address + path, params=ANSWER, headers=headers).status_code == status
    assert get(f"http://{listener.host}/closed").status_code == 404
    assert listener.wait(AT_ONCE) is None


@pytest.mark.parametrize(
    "query", ["", "?password=a", "?site_url=a&user_login=b&password=c&password=d", "?" + "a=b&" * 20]
)
def test_a_request_without_a_whole_answer_is_refused(listener: Listener, query: str) -> None:
    assert get(listener.address + query, allow_redirects=False).status_code == 400
    assert listener.wait(AT_ONCE) is None


def test_each_login_has_an_address_of_its_own(listener: Listener) -> None:
    with Listener() as other:
        state = other.address.rpartition("/")[2]
        assert len(state) >= 40
        assert get(f"http://{listener.host}/{state}", params=ANSWER).status_code == 404
    assert requests.post(listener.address, data=ANSWER, timeout=30).status_code == 501


@pytest.mark.parametrize("request_", BROKEN)
def test_a_broken_request_gets_an_answer_and_the_login_goes_on(
    listener: Listener, capfd: pytest.CaptureFixture[str], request_: bytes
) -> None:
    first = answered(listener.host, request_)
    # A request without a version gets a page without a first line.
    assert first == b"" or first.startswith((b"HTTP/1.0 4", b"<!DOCTYPE"))
    broken_off(listener.host, b"GET / HTTP/1.1\r\nHost: HOST\r\n\r\n")
    broken_off(listener.host, request_)
    get(listener.address, params=ANSWER)
    assert listener.wait(30) == BroughtPassword("editor", "abcd efgh", "https://example.org")
    assert capfd.readouterr().err == ""


def at(repository: SampleRepository, site: EmbeddedWordPress, user: str = f'user = "{USER}"') -> Terminal:
    settings = f'[sites.a]\nurl = "{site.url}"\ndialect = "wordpress"\n{user}\n'
    repository.commit({"pressync.toml": settings})
    return Terminal(repository, {})


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch, site: EmbeddedWordPress) -> Browser:
    """Put a browser in the place of the machine's."""
    opened = approved(site)
    monkeypatch.setattr(webbrowser, "open", opened.open)
    return opened


def test_a_login_says_who_and_where(
    repository: SampleRepository, site: EmbeddedWordPress, browser: Browser, keyring: Keyring
) -> None:
    terminal = at(repository, site)
    done = terminal.run("login")
    assert f"Logged in to {site.url} as {USER} (administrator)." in done.stdout
    assert f"The password is in {keyring.name}: service pressync, account {USER}@{site.url}." in done.stdout
    assert browser.opened[0] in done.stderr
    assert PASSWORD not in done.output
    assert "user 'admin' (pressync.toml [sites.a]) with a password" in terminal.run("doctor", exits=1).stdout


@pytest.mark.usefixtures("keyring", "browser")
def test_what_is_missing_after_a_login_is_told(repository: SampleRepository, site: EmbeddedWordPress) -> None:
    site.demote("contributor")
    said = at(repository, site, user="").run("login").stderr
    assert "This user cannot do all of a sync: " in said
    assert f'Now write `user = "{USER}"` below [sites.a].' in said


@pytest.mark.usefixtures("keyring")
def test_paste_needs_a_terminal_and_a_machine_without_a_browser_gets_the_address_only(
    repository: SampleRepository, site: EmbeddedWordPress, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = at(repository, site).run("login", "--paste", exits=2).stderr
    assert "no terminal to type the password at" in said

    def fail(_address: str) -> bool:
        raise webbrowser.Error("no browser")

    monkeypatch.setattr(webbrowser, "open", fail)
    assert not command.open_in_browser("https://example.org/")


URL = "https://example.org/wp-json"
KEY = ("pressync", f"{USER}@{URL}")


@pytest.fixture
def terminal(repository: SampleRepository) -> Terminal:
    settings = f'[sites.a]\nurl = "{URL}"\ndialect = "wordpress"\nuser = "{USER}"\n'
    repository.commit({"pressync.toml": settings})
    return Terminal(repository, {})


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    return installed(monkeypatch, Keyring(kept={KEY: PASSWORD}))


def test_a_removed_password_is_said_to_work_at_the_site(terminal: Terminal, filled: Keyring) -> None:
    assert "The site still accepts it: revoke it there" in terminal.run("logout").stdout
    assert not filled.kept
    assert f"The keyring has no password of {USER}@{URL}." in terminal.run("logout").stdout


@pytest.mark.parametrize("arguments", [(), ("--revoke",)])
def test_without_a_keyring_nobody_can_say_that_it_has_no_password(
    monkeypatch: pytest.MonkeyPatch, terminal: Terminal, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert "the package `keyring` is not installed" in terminal.run("logout", *arguments, exits=2).stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mine", "Revoked “mine” at the site"),
        ("", "Revoked “without a name” at the site"),
        (None, "no longer accepted"),
    ],
)
def test_a_password_is_revoked_at_the_site(
    monkeypatch: pytest.MonkeyPatch, terminal: Terminal, filled: Keyring, name: str | None, said: str
) -> None:
    def revoke(_service: WordPressService) -> str:
        if name is None:
            raise Refused("the site does not know this password", status=401)
        return name

    monkeypatch.setattr(WordPressService, "revoke_password", revoke)
    assert said in terminal.run("logout", "--revoke").stdout
    assert not filled.kept
