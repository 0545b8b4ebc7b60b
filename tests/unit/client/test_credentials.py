"""Credentials become header values, and nothing shows them by accident."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest

from pressync.client.credentials import basic, bearer
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable


def test_basic_is_user_and_password_in_base64() -> None:
    value = basic("editor", "geheim: ü").reveal()

    assert value.startswith("Basic ")
    assert base64.b64decode(value.removeprefix("Basic ")).decode() == "editor:geheim: ü"


def test_bearer_is_the_token() -> None:
    assert bearer("abc.DEF-1==").reveal() == "Bearer abc.DEF-1=="


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
def test_what_basic_authentication_cannot_send_is_refused_without_repeating_it(
    user: str, password: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        basic(user, password)

    assert "gehe" not in str(caught.value)


def test_a_response_of_the_credentials_is_blotted_out() -> None:
    secret = bearer("tellnobody")

    assert secret.redact(b"You sent: Bearer tellnobody") == b"You sent: Bearer [hidden]"


@pytest.mark.parametrize("password", ["right horse", "ünter/uns gesagt", 'say "friend"\\'])
def test_a_response_of_the_password_alone_is_blotted_out_in_a_page_and_in_json(password: str) -> None:
    secret = basic("editor", password)
    php = json.dumps([password, secret.reveal()]).replace("/", "\\/")

    assert secret.redact(f"PHP_AUTH_PW={password}.".encode()) == b"PHP_AUTH_PW=[hidden]."
    assert secret.redact(php.encode()) == b'["[hidden]", "Basic [hidden]"]'


def test_a_short_password_is_not_looked_for_inside_of_words() -> None:
    assert basic("editor", "horse").redact(b"seahorse") == b"seahorse"
