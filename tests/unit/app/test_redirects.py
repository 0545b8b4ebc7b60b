"""Redirects: what is collected, the rules that are written, and what became of old addresses."""

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
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.builders import entry, manifest

from pressync.app.old_addresses import OldAddress
from pressync.app.redirects import (
    FORMATS,
    Fate,
    Redirect,
    against,
    as_csv,
    as_json,
    collect,
    counts,
    public_address,
    together,
    without_effect,
)
from pressync.config.settings import Site
from pressync.model.errors import ConfigError
from pressync.model.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.app.redirects import CheckedAddress
    from pressync.model.records import Entry

SITE = "https://site.test"
ABOUT = entry("content/pages/about.md", 1, link=f"{SITE}/about/", aliases=("/us/",))
DRAFT = replace(
    entry("content/pages/later.md", 2, link=f"{SITE}/later/", aliases=("/soon/",)),
    fingerprints={"status": fingerprint("private")},
)
KNOWN = manifest(ABOUT, DRAFT)


def checked(*olds: OldAddress) -> list[CheckedAddress]:
    """Check addresses against one public page and one private page."""
    return against(olds, KNOWN, collect(KNOWN))


def fates(*addresses: str) -> list[tuple[Fate, str]]:
    """Give what became of addresses that no table says more of."""
    return [(each.fate, each.to) for each in checked(*(OldAddress(address, "x:1") for address in addresses))]


def test_an_address_is_kept_however_it_is_written_an_alias_is_redirected_and_all_others_are_lost() -> None:
    kept = (Fate.KEPT, f"{SITE}/about/")
    assert fates("/about/", "http://old.test/about", f"{SITE}/%61bout/") == [kept] * 3
    assert fates("/us/", "/nowhere/", "/about/?page=2") == [
        (Fate.REDIRECTED, f"{SITE}/about/"),
        (Fate.LOST, ""),
        (Fate.LOST, ""),
    ]


@pytest.mark.parametrize(
    ("old", "fate", "to"),
    [
        (OldAddress("/soon/", "x:1", DRAFT.path, "/about/"), Fate.REDIRECTED, f"{SITE}/about/"),
        (OldAddress("/blog/about.html", "x:1", ABOUT.path), Fate.REDIRECTED, f"{SITE}/about/"),
        # A chain leads to its end at once.
        (OldAddress("/2/", "x:1", "", "/us/"), Fate.REDIRECTED, f"{SITE}/about/"),
        (OldAddress("/category/", "x:1", "", "/category/"), Fate.KEPT, f"{SITE}/category/"),
        (OldAddress("/shop/", "x:2", "", "https://shop.test/"), Fate.REDIRECTED, "https://shop.test/"),
    ],
)
def test_a_file_or_a_person_may_say_what_became_of_an_address(old: OldAddress, fate: Fate, to: str) -> None:
    found = checked(old)
    assert [(each.fate, each.to) for each in found] == [(fate, to)]
    assert counts(found)[fate.value] == 1
    if old.address == "/2/":
        assert [each.to for each in checked(OldAddress("/1/", "x:2", "", "/2/"), old)] == [to] * 2


def test_no_address_of_a_record_that_visitors_do_not_see_is_counted_as_saved_or_redirected() -> None:
    found = checked(
        OldAddress("/later/", "x:1"),
        OldAddress("/soon/", "x:2"),
        OldAddress("/blog/later.html", "x:3", DRAFT.path),
        OldAddress("/2023/later.html", "x:4", "", "/soon/"),
        OldAddress("/2022/later.html", "x:5", "", "/later/"),
    )
    assert {(each.fate, each.to) for each in found} == {(Fate.HIDDEN, "")}
    redirects = together(collect(KNOWN), found)
    assert [each.new for each in redirects] == [f"{SITE}/about/"]


def test_a_circle_is_refused_with_its_place() -> None:
    with pytest.raises(ConfigError) as caught:
        checked(OldAddress("/1/", "x:1", "", "/2/"), OldAddress("/2/", "x:2", "", "/1/"))
    assert str(caught.value) == (
        "x:1: the redirects lead in a circle: /1/ -> /2/ -> /1/; correct the column `to`"
    )


def test_the_rules_have_the_host_where_they_will_stand_and_lead_where_a_person_chose() -> None:
    redirects = collect(KNOWN)
    olds = [
        OldAddress("https://old.test/us/", "x:1"),
        OldAddress("https://old.test/a.html", "x:2", ABOUT.path),
    ]
    assert together(redirects, against(olds, KNOWN, redirects)) == (
        Redirect(f"{SITE}/a.html", f"{SITE}/about/"),
        Redirect(f"{SITE}/us/", f"{SITE}/about/"),
    )
    assert together(redirects, []) == (Redirect(f"{SITE}/us/", f"{SITE}/about/"),)
    elsewhere, kept = (checked(OldAddress("/us/", "x:1", "", to)) for to in ("/shop/", "/us/"))
    assert together(redirects, elsewhere) == (Redirect(f"{SITE}/us/", f"{SITE}/shop/"),)
    assert together(redirects, kept) == ()


def test_a_choice_for_the_address_of_a_page_is_named_because_it_has_no_effect() -> None:
    olds = [
        OldAddress("/about/", "x:1", "", "/us/"),
        OldAddress("/about", "x:2", "", f"{SITE}/about/"),
        OldAddress("/us/", "x:3", "", "/shop/"),
    ]
    assert [place for place, _ in without_effect(olds, checked(*olds))] == [f"{SITE}/about/"]


def test_what_is_not_an_address_gets_no_rule_and_stops_nothing() -> None:
    odd = entry("content/pages/a.md", 3, link="http://[")
    for known in (manifest(odd, ABOUT), manifest(ABOUT, replace(odd, path="content/pages/z.md"))):
        olds = [
            OldAddress("/us/", "x:1"),
            OldAddress("/old/", "x:2", odd.path),
            OldAddress("/z/", "x:3", "content/pages/z.md"),
        ]
        redirects = collect(known)
        found = together(redirects, against(olds, known, redirects))
        assert {each.new for each in found} == {f"{SITE}/about/"}
    aliases = ("mailto:a@b.test", "//[", "javascript:alert(1)", "/\x1b[31m/")
    page = entry("a.md", 1, aliases=aliases, former=("", "gone"))
    nowhere = entry("b.md", 2, link="", aliases=("/x/",))
    assert collect(manifest(page, nowhere)).rules == ()


LOCAL = "http://127.0.0.1:8127"
ON_THIS_MACHINE = "these addresses are on this machine; `--base URL` names the site's public address"


def test_the_public_address_stands_in_the_place_of_one_on_this_machine() -> None:
    page = entry(
        "a.md",
        1,
        link=f"{LOCAL}/new/",
        former=(
            "http://localhost:8128/old/?p=1",
            f"{SITE}/older/",
            f"{LOCAL}/older/",
            "http://[::1]:9/older/",
        ),
        aliases=("/alias/",),
    )
    redirects = collect(manifest(page), SITE)
    assert [(each.old, each.new) for each in redirects.rules] == [
        (f"{SITE}/old/?p=1", f"{SITE}/new/"),
        (f"{SITE}/older/", f"{SITE}/new/"),
        (f"{SITE}/alias/", f"{SITE}/new/"),
    ]
    assert redirects.notes == ()
    assert collect(manifest(page)).notes == (("", ON_THIS_MACHINE),)
    assert collect(manifest(entry("a.md", 1, link=f"{LOCAL}/new/"))).notes == ()


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("https://site.test/wp-json", "https://site.test"),
        ("https://site.test/blog/wp-json/", "https://site.test/blog"),
        ("https://site.test/index.php?rest_route=/", "https://site.test"),
        ("https://site.test/blog/?rest_route=/", "https://site.test/blog"),
        ("https://site.test/blog", "https://site.test/blog"),
        ("http://127.0.0.1:8127/wp-json", None),
        (None, None),
    ],
)
def test_the_public_address_has_no_route(url: str | None, public: str | None) -> None:
    assert public_address(Site("production", url, "wordpress", None, "ref")) == public


@pytest.mark.parametrize(
    ("aliases", "former", "old"),
    [
        (("/people/anna/", "anna.html"), (), (f"{SITE}/people/anna/", f"{SITE}/anna.html")),
        (("https://old.test/a/",), (), ("https://old.test/a/",)),
        ((), (f"{SITE}/old/",), (f"{SITE}/old/",)),
        # Its own address, and one that is said twice.
        (("/team/anna", "/team/anna/"), (f"{SITE}/team/anna",), ()),
        (("/x/", "/x"), (f"{SITE}/x/",), (f"{SITE}/x/",)),
    ],
)
def test_aliases_and_former_addresses_lead_to_the_address_of_today(
    aliases: tuple[str, ...], former: tuple[str, ...], old: tuple[str, ...]
) -> None:
    link = f"{SITE}/team/anna/"
    redirects = collect(manifest(entry("a.md", 1, link=link, aliases=aliases, former=former)))
    assert redirects.rules == tuple(Redirect(each, link) for each in old)
    assert redirects.notes == ()


LATER = replace(
    entry("a.md", 1, link=f"{SITE}/?p=1", aliases=("/x/", "/y/"), former=(f"{SITE}/a/",)),
    fingerprints={"status": fingerprint("draft")},
)
UNSEEN = "left out, because visitors do not see 'a.md'"


@pytest.mark.parametrize(
    ("entries", "found", "notes"),
    [
        (
            (
                entry("a.md", 1, link=f"{SITE}/two/", former=(f"{SITE}/one/",)),
                entry("b.md", 2, link=f"{SITE}/one/", former=(f"{SITE}/two/",)),
            ),
            (),
            (
                ("/one/", "left out, because it is the address of 'b.md' now"),
                ("/two/", "left out, because it is the address of 'a.md' now"),
            ),
        ),
        (
            (entry("b.md", 2, aliases=("/x/",)), entry("a.md", 1, aliases=("/x/",))),
            (("/x/", "/a/"),),
            (("/x/", f"left out for 'b.md', because it leads to '{SITE}/a/' already"),),
        ),
        ((LATER, entry("b.md", 2, aliases=("/y/",))), (("/y/", "/b/"),), (("/a/", UNSEEN), ("/x/", UNSEEN))),
    ],
    ids=["somebody else's", "two records", "a draft"],
)
def test_an_address_that_is_not_free_is_left_out_with_a_note(
    entries: tuple[Entry, ...], found: tuple[tuple[str, str], ...], notes: tuple[tuple[str, str], ...]
) -> None:
    redirects = collect(manifest(*entries))
    assert redirects.rules == tuple(Redirect(f"{SITE}{old}", f"{SITE}{new}") for old, new in found)
    assert redirects.notes == tuple((f"{SITE}{place}", why) for place, why in notes)
    # A living address is known however it is written.
    living = entry("b.md", 2, link=f"{SITE}/caf%c3%a9/")
    for written in ("/café", "/caf%C3%A9/", "http://site.test/café/", "https://SITE.test/café"):
        redirects = collect(manifest(entry("a.md", 1, aliases=(written,)), living))
        assert (redirects.rules, len(redirects.notes)) == ((), 1), written


_addresses = st.sampled_from([f"{SITE}/{name}" for name in ("a/", "a", "b/", "b", "c/", "%61/")])


@given(st.lists(st.tuples(_addresses, st.lists(_addresses, max_size=3)), max_size=4))
def test_nobody_who_follows_a_redirect_is_sent_on(moves: list[tuple[str, list[str]]]) -> None:
    entries = (entry(f"{n}.md", n + 1, link=now, former=tuple(old)) for n, (now, old) in enumerate(moves))
    redirects = collect(manifest(*entries)).rules
    old = [unquote(each.old).rstrip("/") for each in redirects]
    assert len(set(old)) == len(old)
    assert not set(old) & {unquote(now).rstrip("/") for now, _ in moves}


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


def test_a_table_and_a_document_are_read_back_as_they_were() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(REDIRECTS)[0])))
    assert [Redirect(row["old"], row["new"]) for row in rows] == list(REDIRECTS)
    document = json.loads(as_json(REDIRECTS)[0])
    assert document["version"] == 1
    assert [Redirect(**row) for row in document["redirects"]] == list(REDIRECTS)
    for write in FORMATS.values():
        text, notes = write([])
        assert ("site.test" in text, notes) == (False, ())


@pytest.mark.parametrize("form", ["nginx", "apache"])
def test_what_a_rule_cannot_say_is_left_out_with_a_note(form: str) -> None:
    odd = (f"{SITE}/?page_id=7", "https://elsewhere.test/a/", f"{SITE}/a%0Ab/", f"{SITE}/%ff/")
    text, notes = FORMATS[form]([Redirect(old, f"{SITE}/new/") for old in odd])
    assert [line for line in text.splitlines() if not line.startswith("#")] == []
    assert tuple(old for old, why in notes if why.startswith("left out, because ")) == odd
    # Apache would encode this target anew, and this host would end the quotation.
    text, notes = FORMATS[form]([Redirect(f"{SITE}/old/", f"{SITE}/?page_id=7&a=$1")])
    assert bool(notes) is (form == "apache")
    assert ('{ return 301 "https://site.test/?page_id=7&a=%241"; }' in text) is (form == "nginx")
    text, notes = FORMATS["apache"]([Redirect('https://a"b/old/', 'https://a"b/new/')])
    assert ("RedirectMatch" in text, len(notes)) == (False, 1)


@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed")
def test_nginx_redirects_each_address_to_its_own_target_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "redirects.conf").write_text(FORMATS["nginx"](REDIRECTS)[0], encoding="utf-8")
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
    (tmp_path / "redirects.conf").write_text(FORMATS["apache"](REDIRECTS)[0], encoding="utf-8")
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
    redirects = [Redirect(f"{SITE}/?p=12", f"{SITE}/a/"), Redirect(f"{SITE}/b/", "https://x.test/")]
    text, notes = FORMATS["redirection"](redirects)
    document = json.loads(text)
    assert notes == ()
    assert document["groups"] == [{"id": 1, "name": "pressync", "module_id": 1, "enabled": True}]
    shown = [
        (row["url"], row["match_data"]["source"]["flag_query"], row["action_data"]["url"], row["group_id"])
        for row in document["redirects"]
    ]
    assert shown == [("/?p=12", "exact", f"{SITE}/a/", 1), ("/b/", "pass", "https://x.test/", 1)]
