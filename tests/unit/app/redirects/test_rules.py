"""Redirects as text, read back by parsers of the formats, and by web servers if they are installed."""

from __future__ import annotations

import contextlib
import csv
import http.client
import io
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

import pytest

from pressync.app.redirects.collect import Redirect
from pressync.app.redirects.rules import FORMATS, as_apache, as_csv, as_json, as_nginx

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SITE = "https://site.test"

# Every character with a meaning to one of the servers, to a shell or in an expression.
NASTY = (
    "/plain/",
    "/a.b+c(d)|e*f?g^h$i/".replace("?", "%3F"),
    '/a"b/',
    "/a%5Cb/",
    "/a;b{c}d/",
    "/a b/",
    "/${HOSTNAME}/$uri/",
    "/#a/".replace("#", "%23"),
    "/日本語/",
    "/%e6%97%a5/",
    "/index.html",
)
REDIRECTS = tuple(
    Redirect(f"{SITE}{path}", f"{SITE}/new/{number}/%e6%97%a5/") for number, path in enumerate(NASTY)
)


def test_a_table_is_read_back_as_it_was() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(REDIRECTS)[0])))
    assert [Redirect(row["old"], row["new"]) for row in rows] == list(REDIRECTS)


def test_a_document_is_read_back_as_it_was() -> None:
    document = json.loads(as_json(REDIRECTS)[0])
    assert document["version"] == 1
    assert [Redirect(**row) for row in document["redirects"]] == list(REDIRECTS)


@pytest.mark.parametrize("write", [as_nginx, as_apache])
def test_what_a_rule_cannot_say_is_left_out_with_a_note(
    write: Callable[..., tuple[str, tuple[tuple[str, str], ...]]],
) -> None:
    new = f"{SITE}/new/"
    text, notes = write(
        [
            Redirect(f"{SITE}/?page_id=7", new),
            Redirect("https://elsewhere.test/a/", new),
            Redirect(f"{SITE}/a%0Ab/", new),
            Redirect(f"{SITE}/%ff/", new),
        ]
    )
    assert [line for line in text.splitlines() if not line.startswith("#")] == []
    assert [old for old, why in notes if why.startswith("left out, because ")] == [
        f"{SITE}/?page_id=7",
        "https://elsewhere.test/a/",
        f"{SITE}/a%0Ab/",
        f"{SITE}/%ff/",
    ]


def test_a_target_that_apache_would_encode_anew_is_left_out_there_alone() -> None:
    redirect = Redirect(f"{SITE}/old/", f"{SITE}/?page_id=7&a=$1")
    assert as_apache([redirect])[1]
    assert as_nginx([redirect])[0].endswith('{ return 301 "https://site.test/?page_id=7&a=%241"; }\n')


def test_a_host_that_would_end_the_quotation_makes_no_rule_for_apache() -> None:
    text, notes = as_apache([Redirect('https://a"b/old/', 'https://a"b/new/')])
    assert "RedirectMatch" not in text
    assert len(notes) == 1


@pytest.mark.parametrize("form", FORMATS)
def test_without_redirects_there_is_an_empty_text_of_its_form(form: str) -> None:
    text, notes = FORMATS[form]([])
    assert "site.test" not in text
    assert notes == ()


@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed")
def test_nginx_redirects_each_address_to_its_own_target_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "redirects.conf").write_text(as_nginx(REDIRECTS)[0], encoding="utf-8")
    configuration = tmp_path / "nginx.conf"

    def configured(port: int) -> str:
        return (
            f"daemon off; pid {tmp_path}/pid; error_log stderr; events {{}} http {{ access_log off;\n"
            f"client_body_temp_path {tmp_path}/body; proxy_temp_path {tmp_path}/proxy;\n"
            f"fastcgi_temp_path {tmp_path}/f; uwsgi_temp_path {tmp_path}/u; scgi_temp_path {tmp_path}/s;\n"
            f"server {{ listen 127.0.0.1:{port}; include {tmp_path}/redirects.conf;\n"
            "location / { return 404; } } }\n"
        )

    with _serving(["nginx", "-c", str(configuration), "-e", "stderr"], configuration, configured) as ask:
        _hold_to_the_redirects(ask)


@pytest.mark.skipif(not shutil.which("apache2"), reason="Apache is not installed")
def test_apache_redirects_each_address_to_its_own_target_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "redirects.conf").write_text(as_apache(REDIRECTS)[0], encoding="utf-8")
    configuration = tmp_path / "apache.conf"
    modules = "/usr/lib/apache2/modules/mod_"

    def configured(port: int) -> str:
        return (
            f"ServerName site.test\nServerRoot {tmp_path}\nPidFile {tmp_path}/pid\nErrorLog {tmp_path}/log\n"
            f"LoadModule mpm_event_module {modules}mpm_event.so\nLoadModule alias_module {modules}alias.so\n"
            f"LoadModule authz_core_module {modules}authz_core.so\nListen 127.0.0.1:{port}\n"
            f"User nobody\nGroup nogroup\nDocumentRoot {tmp_path}\nInclude {tmp_path}/redirects.conf\n"
        )

    with _serving(["apache2", "-X", "-f", str(configuration)], configuration, configured) as ask:
        _hold_to_the_redirects(ask)


Ask = Callable[[str], tuple[int, str]]


def _hold_to_the_redirects(ask: Ask) -> None:
    for redirect in REDIRECTS:
        path = quote(unquote(urlsplit(redirect.old).path))
        status, location = ask(path)
        assert (status, unquote(location)) == (301, unquote(redirect.new)), path
        assert location.isascii()
        assert ask(f"{path}below")[0] != 301, path
    assert ask("/axb+c(d)%7Ce*f%3Fg%5Eh$i/")[0] != 301


@contextlib.contextmanager
def _serving(command: list[str], configuration: Path, configured: Callable[[int], str]) -> Iterator[Ask]:
    """Run a server on a port that was free a moment ago, until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    configuration.write_text(configured(port), encoding="utf-8")
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ))

    def ask(path: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        with contextlib.closing(connection):
            connection.request("GET", path, headers={"Host": "site.test"})
            answer = connection.getresponse()
            return answer.status, answer.getheader("Location", "")

    try:
        _wait_for(server, port)
        yield ask
    finally:
        server.terminate()
        server.communicate(timeout=30)


def _wait_for(server: subprocess.Popen[bytes], port: int) -> None:
    """Return when the server listens; fail with its output if it ends."""
    while True:
        if server.poll() is not None:
            said, _ = server.communicate()
            pytest.fail(f"the server did not start: {said.decode(errors='replace')}")
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), 10):
            return


def test_the_plugin_redirection_gets_a_group_and_addresses_with_their_queries() -> None:
    text, notes = FORMATS["redirection"](
        [
            Redirect("https://site.test/?p=12", "https://site.test/a/"),
            Redirect("https://site.test/b/", "https://x.test/"),
        ]
    )
    document = json.loads(text)
    assert notes == ()
    assert document["groups"] == [{"id": 1, "name": "pressync", "module_id": 1, "enabled": True}]
    shown = [
        (
            each["url"],
            each["match_data"]["source"]["flag_query"],
            each["action_data"]["url"],
            each["group_id"],
        )
        for each in document["redirects"]
    ]
    assert shown == [
        ("/?p=12", "exact", "https://site.test/a/", 1),
        ("/b/", "pass", "https://x.test/", 1),
    ]
