"""Credentials become header values, nothing shows them by accident, and a repeated one is redacted."""

from __future__ import annotations

import base64
import html
import json
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

import pytest

from pressync.client.credentials import basic, bearer
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable


def test_basic_is_user_and_password_in_base64() -> None:
    value = basic("editor", "geheim: ü").reveal()
    assert value.startswith("Basic ")
    assert base64.b64decode(value.removeprefix("Basic ")).decode() == "editor:geheim: ü"


@pytest.mark.parametrize("shown", [repr, str, "{}".format, "{!r}".format])
def test_a_secret_does_not_show_itself(shown: Callable[[object], str]) -> None:
    secret = bearer("tellnobody")
    assert "tellnobody" not in shown(secret)


@pytest.mark.parametrize("token", ["", "a b", "a\r\nX-Injected: 1", "é", "=a"])
def test_an_invalid_token_is_refused_without_repeating_it(token: str) -> None:
    with pytest.raises(ConfigError) as caught:
        bearer(token)
    assert "Injected" not in str(caught.value)
    assert "PRESSYNC_TOKEN" in str(caught.value)


@pytest.mark.parametrize(
    ("user", "password"),
    [("a:b", "x"), ("a\n", "x"), ("a", "geheim\n"), ("a", "gehe\0im"), ("a", "gehe\udcff")],
)
def test_what_basic_authentication_cannot_send_is_refused_unrepeated(user: str, password: str) -> None:
    with pytest.raises(ConfigError) as caught:
        basic(user, password)
    assert "gehe" not in str(caught.value)


def test_credentials_in_a_text_are_blotted_out_and_a_short_password_not_inside_of_words() -> None:
    secret = bearer("tellnobody")
    assert secret.redact(b"You sent: Bearer tellnobody") == b"You sent: Bearer [hidden]"
    assert basic("editor", "horse").redact(b"seahorse") == b"seahorse"


@pytest.mark.parametrize("password", ["right horse", "ünter/uns gesagt", 'say "friend"\\'])
def test_a_password_alone_is_blotted_out_in_a_page_and_in_json(password: str) -> None:
    secret = basic("editor", password)
    php = json.dumps([password, secret.reveal()]).replace("/", "\\/")
    assert secret.redact(f"PHP_AUTH_PW={password}.".encode()) == b"PHP_AUTH_PW=[hidden]."
    assert secret.redact(php.encode()) == b'["[hidden]", "Basic [hidden]"]'


GROUPED = "abcd EFGH 1jkl MNOP qr5t UVWX"
BARE = GROUPED.replace(" ", "")
TOKEN = "tell-nobody/of+this=="


def escaped(text: str) -> str:
    """Escape every character as JSON may."""
    return "".join(f"\\u{ord(each):04X}" for each in text)


def numbered(text: str) -> str:
    """Write every character as an entity of HTML."""
    return "".join(f"&#{ord(each)};" for each in text)


def in_hexadecimal(text: str) -> str:
    """Write every character as an entity of HTML, the other way, without the semicolon that may lack."""
    return "".join(f"&#x0{ord(each):x}" for each in text)


def percent(text: str) -> str:
    """Percent-encode every byte."""
    return "".join(f"%{each:02x}" for each in text.encode())


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "json": lambda text: json.dumps(text)[1:-1],
    "json in json": lambda text: json.dumps(json.dumps(text))[3:-3],
    "php's json": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "json, all escaped": escaped,
    "url": quote,
    "form": quote_plus,
    "url, all escaped": percent,
    "url in url": lambda text: quote(percent(text)),
    "html": html.escape,
    "html, by number": numbered,
    "html, by hexadecimal number": in_hexadecimal,
    "html in html": lambda text: html.escape(numbered(text)),
    "html in json": lambda text: numbered(text).replace("&", "\\u0026"),
    "url in json": lambda text: percent(text).replace("%", "\\u0025"),
    "base64 of more": lambda text: base64.b64encode(f"x:{text}:y".encode()).decode(),
    "base64 for urls": lambda text: base64.urlsafe_b64encode(f"ab{text}".encode()).decode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "password", [GROUPED, BARE, 'pa"ss/wörd & <more>', "p\\q\\r\\s|t'u", "Schlüssel€wort", "eight*ch"]
)
def test_a_password_is_found_however_it_is_spelt(password: str, spelling: str) -> None:
    said = f"before [{SPELLINGS[spelling](password)}] after"
    left = basic("editor", password).redact(said.encode()).decode()
    assert "[hidden]" in left
    assert left.startswith("before [")
    assert left.endswith("] after")
    if "base64" not in spelling:
        assert left == "before [[hidden]] after"


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_token_is_found_however_it_is_spelt(spelling: str) -> None:
    said = SPELLINGS[spelling](TOKEN)
    assert b"[hidden]" in bearer(TOKEN).redact(said.encode())


@pytest.mark.parametrize("shown", [GROUPED, BARE, GROUPED.lower().upper(), BARE[:12] + " " + BARE[12:]])
def test_an_application_password_is_one_with_and_without_its_blanks(shown: str) -> None:
    for sent in (GROUPED, BARE):
        left = basic("editor", sent).redact(shown.encode())
        assert left == (b"[hidden]" if shown.replace(" ", "") == BARE else shown.encode())
    coded = base64.b64encode(f"editor:{BARE}".encode())
    assert b"[hidden]" in basic("editor", GROUPED).redact(coded)


def test_the_whole_header_is_redacted_and_not_only_the_password_in_it() -> None:
    secret = basic("editor", GROUPED)
    for said in (secret.reveal(), quote(secret.reveal(), safe=""), json.dumps(secret.reveal())):
        assert secret.redact(said.encode()).count(b"[hidden]") == 1
        assert base64.b64encode(b"editor:")[:8] not in secret.redact(said.encode())


def test_text_without_them_stays_as_it_is() -> None:
    text = "Ordinary prose, with a seahorse & <b>abcd</b> EFGH, %20 and \\u0061 ümläuts.".encode()
    for secret in (basic("editor", GROUPED), bearer(TOKEN), basic("editor", "horse")):
        assert secret.redact(text) == text
