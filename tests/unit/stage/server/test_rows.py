"""One stored record: its row, its slug by the rules of WordPress, its address, and its documented JSON."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.support.site_settings import change_permalinks

from pressync.model.interface import DOCUMENTED_TYPES, Field, Kind, Type
from pressync.stage.server import rows, slugs
from pressync.stage.server.database import SiteSettings, read_settings, write_settings
from pressync.stage.server.rows import Permalinks, StoredRecord, to_json

if TYPE_CHECKING:
    from pressync.stage.server.store import Store


NOON = 1709294400  # 2024-03-01T12:00:00 in GMT
WRITTEN = StoredRecord(
    id=7,
    kind=Kind.PAGE,
    guid="http://a/?p=7",
    date=NOON,
    modified=NOON,
    slug="a",
    title="A & <b>",
    content="<p>Text</p>",
)
SITE = SiteSettings(address="https://example.org", offset=60)

_TYPES = {
    Type.STRING: str,
    Type.DATETIME: str,
    Type.INTEGER: int,
    Type.BOOLEAN: bool,
    Type.OBJECT: dict,
    Type.INTEGERS: list,
    Type.STRINGS: list,
}


def check_shape(value: object, fields: tuple[Field, ...]) -> None:
    assert isinstance(value, dict)
    assert list(value) == [field.name for field in fields]
    for field in fields:
        assert type(value[field.name]) is _TYPES[field.type], field.name
        if field.members:
            check_shape(value[field.name], field.members)


@pytest.mark.parametrize("kind", DOCUMENTED_TYPES.kinds)
def test_a_record_has_exactly_the_documented_fields_and_members(kind: Kind) -> None:
    check_shape(to_json(structs.replace(WRITTEN, kind=kind), "/a/", SITE), kind.row.record)


def test_members_are_written_as_wordpress_writes_them() -> None:
    record = to_json(structs.replace(WRITTEN, password="secret"), "/a/", SITE)
    assert (record["date"], record["date_gmt"]) == ("2024-03-01T13:00:00", "2024-03-01T12:00:00")
    assert (record["modified"], record["modified_gmt"]) == ("2024-03-01T13:00:00", "2024-03-01T12:00:00")
    assert record["title"] == {"raw": "A & <b>", "rendered": "A &amp; &lt;b&gt;"}
    text = "<p>Text</p>"
    assert record["content"] == {"raw": text, "rendered": text, "block_version": 0, "protected": True}
    assert record["excerpt"] == {"raw": "", "rendered": text, "protected": True}
    given = to_json(structs.replace(WRITTEN, excerpt="In short"), "/a/", SITE)["excerpt"]
    assert given == {"raw": "In short", "rendered": "<p>In short</p>", "protected": False}


@pytest.mark.parametrize(
    ("structure", "path", "template"),
    [("/%postname%", "/docs/a", "/docs/%pagename%"), ("", "/?page_id=7", "/?page_id=7")],
)
def test_the_permalink_template_has_the_form_of_the_link(structure: str, path: str, template: str) -> None:
    record = to_json(WRITTEN, path, replace(SITE, permalinks=structure))
    assert record["permalink_template"] == f"https://example.org{template}"


def make(store: Store, title: str, parent: int = 0) -> int:
    made = store.create(Kind.PAGE, {"title": {"raw": title}, "parent": parent})["id"]
    assert isinstance(made, int)
    return made


def link(store: Store, page: int) -> object:
    record = store.read(Kind.PAGE, page)
    assert record
    return str(record["link"]).removeprefix("http://127.0.0.1:8127")


def test_a_site_that_names_its_front_page_has_no_other(store: Store) -> None:
    index, start = make(store, "index"), make(store, "Start")
    below = make(store, "Below", start)
    for front, expected in (
        (start, ("/index/", "/")),
        (0, ("/index/", "/start/")),
        (below, ("/index/", "/start/")),
    ):
        with store.writing() as db:
            write_settings(db, replace(read_settings(db), front=front))
        assert (link(store, index), link(store, start)) == expected


def test_pages_cannot_hide_behind_the_blog_or_the_service(store: Store) -> None:
    assert link(store, make(store, "blog")) == "/blog-2/"
    assert link(store, make(store, "wp-json")) == "/wp-json-2/"
    assert link(store, make(store, "blog", make(store, "Docs"))) == "/docs/blog/"


@pytest.mark.parametrize(
    ("structure", "path"),
    [
        ("/%year%/%monthnum%/%day%/%postname%/", "/2024/03/01/hello/"),
        ("/%category%/%postname%/", "/uncategorized/hello/"),
        ("/%author%/%hour%-%minute%-%second%/%post_id%/", "/admin/12-00-00/1/"),
    ],
)
def test_the_structure_gives_a_path_that_leads_back(store: Store, structure: str, path: str) -> None:
    change_permalinks(store, structure)
    with store.database.reading() as db:
        post = rows.find(db, Kind.POST, 1)
        assert post
        assert Permalinks(db).path(post) == path
        assert Permalinks(db).post_at(path) == 1
        assert Permalinks(db).post_at("/nothing/else/at/all/here/or/there/") is None


def test_with_plain_permalinks_an_address_is_a_number(store: Store) -> None:
    change_permalinks(store, "")
    assert link(store, make(store, "Docs")) == "/?page_id=2"
    post = store.read(Kind.POST, 1)
    assert post
    assert post["link"] == "http://127.0.0.1:8127/?p=1"


@pytest.mark.parametrize(
    "structure",
    [
        "/%year%/",
        "/%slug%/",
        "/a b/",
        "/%category%/%category%/%postname%/",
        f"/{'a' * 200}",
    ],
)
def test_a_structure_that_leads_nowhere_is_refused(store: Store, structure: str) -> None:
    with pytest.raises(ValueError, match="is not a permalink structure"):
        change_permalinks(store, structure)


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Doc Page!", "doc-page"),
        ("café", "cafe"),
        ("Straße & Øl", "strasse-ol"),
        ("日本語", "%e6%97%a5%e6%9c%ac%e8%aa%9e"),
        ("a_b.c", "a_b-c"),
        ("<em>Big</em> &amp; small", "big-small"),
        ("AC™", "actm"),
        ("!?", ""),
    ],
)
def test_text_becomes_a_slug(text: str, slug: str) -> None:
    assert slugs.sanitise(text) == slug


def test_a_long_slug_is_cut_at_200_bytes_and_never_inside_a_letter() -> None:
    assert slugs.sanitise("a" * 300) == "a" * 200
    cut = slugs.sanitise("語" * 50)
    assert len(cut) == 198
    assert unquote(cut, errors="strict") == "語" * 22


@given(st.text())
def test_a_slug_has_only_letters_of_an_address_and_stays_as_it_is(text: str) -> None:
    slug = slugs.sanitise(text)
    assert re.fullmatch(r"([a-z0-9_-]|%[0-9a-f]{2}){0,200}", slug)
    assert len(slug) <= slugs.LIMIT
    assert slugs.sanitise(slug) == slug
