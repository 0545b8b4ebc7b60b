"""A short text has the digest that `hashlib` gives it, with every Python."""

from __future__ import annotations

import hashlib
import importlib
import subprocess
import sys
from typing import TYPE_CHECKING

from hypothesis import given, strategies

from pressync.model import small_digest
from pressync.model.fingerprint import fingerprint

if TYPE_CHECKING:
    import pytest


@given(strategies.binary(max_size=300))
def test_the_digest_is_the_beginning_of_sha_256(data: bytes) -> None:
    assert small_digest.small_digest(data) == hashlib.sha256(data).hexdigest()[:20]


@given(strategies.text())
def test_a_text_has_the_digest_of_a_fingerprint_when_its_kind_is_put_before_it(text: str) -> None:
    data = f"s{text}".encode(errors="surrogatepass")
    assert small_digest.small_digest(data) == fingerprint(text)


def test_a_python_without_a_function_of_its_own_takes_that_of_openssl(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as without:
        for name in ("_sha2", "_sha256"):
            without.setitem(sys.modules, name, None)
        assert importlib.reload(small_digest).sha256 is hashlib.sha256
    assert importlib.reload(small_digest).sha256 is not hashlib.sha256


def test_openssl_is_not_loaded() -> None:
    program = "import sys, pressync.model.small_digest; sys.exit('hashlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
