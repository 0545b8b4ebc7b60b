"""An export of Ghost has its public pages and posts carried, without addresses of mail and passwords."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.source_trees import left_out

from pressync.importing.sources import ghost
from pressync.importing.sources.item import ImportSource, Item, Note
from pressync.importing.sources.links import FolderFiles
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pathlib import Path

POST: dict[str, Any] = {
    "id": "1",
    "title": "Welcome",
    "slug": "welcome",
    "html": '<a href="__GHOST_URL__/b/">b</a><!--kg-card-begin: html--><hr><!--kg-card-end: html-->',
    "status": "published",
    "type": "post",
    "visibility": "public",
    "featured": 1,
    "feature_image": "__GHOST_URL__/content/images/2024/a.png",
    "custom_excerpt": "Short",
    "published_at": "2024-01-31T08:00:00.000Z",
}
TABLES = {
    "tags": [
        {"id": "t1", "name": "News", "slug": "news"},
        {"id": "t2", "name": "#hidden", "slug": "hash-hidden", "visibility": "internal"},
    ],
    "posts_tags": [
        {"post_id": "1", "tag_id": "t1", "sort_order": 1},
        {"post_id": "1", "tag_id": "t2", "sort_order": 0},
    ],
    "users": [{"id": "9", "name": "Anna", "slug": "anna", "email": "a@secret.org", "password": "x"}],
    "posts_authors": [{"post_id": "1", "author_id": "9", "sort_order": 0}],
}


def source(folder: Path, *posts: object, **more: object) -> ImportSource:
    data = {**TABLES, "posts": posts, **more}
    file = folder / "site.ghost.2024-01-31.json"
    file.write_text(json.dumps({"db": [{"meta": {"exported_on": 1, "version": "5.75.0"}, "data": data}]}))
    (folder / "images/2024").mkdir(parents=True, exist_ok=True)
    (folder / "images/2024/a.png").write_bytes(b"a")
    return ImportSource("export", file, media=folder / "images")


def post(folder: Path, **changed: object) -> Item:
    """Import a post that differs from the usual one."""
    found = list(ghost.items(source(folder, {**POST, **changed})))
    return next(each for each in found if isinstance(each, Item))


def test_a_post_has_all_that_its_row_says(tmp_path: Path) -> None:
    item = post(tmp_path)
    assert ghost.recognises(source(tmp_path, POST))
    assert (item.kind, item.address, item.path, item.slug) == (
        Kind.POST,
        "/welcome/",
        "posts/welcome.md",
        "welcome",
    )
    assert item.body == '<a href="/b/">b</a><hr>'
    assert (item.author, item.tags, item.excerpt) == ("Anna", ("News",), "Short")
    assert item.date == "2024-01-31T08:00:00+00:00"
    assert item.fields == {"featured_media": "/content/images/2024/a.png", "sticky": True}
    assert item.remainders == ()


@pytest.mark.parametrize(
    ("changed", "kind", "status", "left"),
    [
        ({"type": "page"}, Kind.PAGE, "", ["tag of a page"]),
        ({"type": None, "page": 1}, Kind.PAGE, "", ["tag of a page"]),
        ({"status": "scheduled"}, Kind.POST, "future", []),
        ({"visibility": "paid"}, Kind.POST, "private", ["for members only"]),
        ({"canonical_url": "https://y.org/"}, Kind.POST, "", ["canonical address"]),
        ({"codeinjection_foot": "<script>"}, Kind.POST, "", ["code for this page alone"]),
    ],
)
def test_a_row_says_what_it_is(
    tmp_path: Path, changed: dict[str, object], kind: Kind, status: str, left: list[str]
) -> None:
    item = post(tmp_path, **changed)
    assert (item.kind, item.status, [each.kind for each in item.remainders]) == (kind, status, left)


def test_what_other_tables_say_of_a_post_is_named(tmp_path: Path) -> None:
    pairs = [{"post_id": "1", "author_id": each, "sort_order": each} for each in (7, 8)]
    more: dict[str, object] = {
        "users": [{"id": "7", "name": "Anna"}, {"id": "8", "name": "Ben"}],
        "posts_authors": [{**each, "author_id": str(each["author_id"])} for each in pairs],
        "posts_meta": [{"post_id": "1", "feature_image_alt": "A", "feature_image_caption": "B"}],
    }
    item, note = [*ghost.items(source(tmp_path, POST, **more))][-2:]
    assert isinstance(item, Item)
    assert isinstance(note, Note)
    named = [(each.kind, each.text) for each in item.remainders]
    assert named == [("further author", "Ben"), ("text of the featured picture", "A, B")]
    assert note.text == "Internal tags, which readers do not see: #hidden. No file has them."


@pytest.mark.parametrize(("written", "address"), [(None, ""), ("soon", ""), ("2024-01-31", "/2024/welcome/")])
def test_no_address_is_made_of_a_date_that_cannot_be_read(
    tmp_path: Path, written: str | None, address: str
) -> None:
    settings = [{"key": "permalinks", "value": "/{year}/{slug}/"}]
    found = ghost.items(source(tmp_path, {**POST, "published_at": written}, settings=settings))
    assert [each.address for each in found if isinstance(each, Item)] == [address]


def test_files_that_are_not_in_the_copy_are_listed_without_one_too(tmp_path: Path) -> None:
    (tmp_path / "films").mkdir()
    (tmp_path / "films/x.mp4").write_bytes(b"x")
    addresses = ["/content/images/2024/a.png", "/content/films/x.mp4", "/content/files/b.pdf", "/c.pdf"]
    for media, number in ((None, 0), (tmp_path / "images", 1), (tmp_path, 2)):
        given = replace(source(tmp_path, POST), media=media)
        files = next(each for each in ghost.items(given) if isinstance(each, FolderFiles))
        copied = [each for each in addresses if files.file_of(each)]
        assert (copied, files.missing()) == (addresses[:number], sorted(addresses[number:3]))


def test_drafts_mails_and_odd_rows_are_left_out_and_named(tmp_path: Path) -> None:
    rows = [{**POST, "status": "draft"}, {**POST, "status": "sent"}, {"title": [1]}, "odd"]
    kinds = list(left_out(ghost.items(source(tmp_path, *rows))).values())
    assert kinds == ["draft", "status sent", "unreadable item", "unreadable item"]


def test_old_exports_have_a_pattern_of_addresses_and_milliseconds(tmp_path: Path) -> None:
    settings = [{"key": "permalinks", "value": "/:year/:month/:slug/"}]
    old = {**POST, "published_at": 1408552443891, "author_id": "9", "id": "2"}
    found = list(ghost.items(source(tmp_path, old, settings=settings)))
    item = next(each for each in found if isinstance(each, Item))
    assert (item.address, item.author, item.date) == (
        "/2014/08/welcome/",
        "Anna",
        "2014-08-20T16:34:03+00:00",
    )


def test_a_smaller_size_of_a_picture_means_the_original(tmp_path: Path) -> None:
    small = '<img src="__GHOST_URL__/content/images/size/w600h400/format/webp/2024/a.png">'
    assert post(tmp_path, html=small).body == '<img src="/content/images/2024/a.png">'
    files = next(each for each in ghost.items(source(tmp_path, POST)) if isinstance(each, FolderFiles))
    assert files.file_of("/content/images/2024/a.png") == "media/content/images/2024/a.png"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        # Python 3.14 bounds the size of the stack, so it may read to the end of this text.
        ('{"meta": {"exported_on": 1}, "data": {"posts": ' + "[" * 200_000, "nested too deeply|truncated"),
        ('{"meta": {"exported_on": 1}, "data": {"posts": 1}}', "Expected `array`"),
        ('{"meta": {"exported_on": 1}, "db": []}', "it has no data"),
        ("{", "not an export of Ghost"),
    ],
)
def test_a_broken_or_hostile_export_is_refused(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match=why):
        list(ghost.items(ImportSource("x.json", file)))


def test_a_post_without_html_is_left_out_and_not_published_empty(tmp_path: Path) -> None:
    found = list(ghost.items(source(tmp_path, {**POST, "html": None})))
    assert list(left_out(found).values()) == ["text without HTML"]
    assert not any(isinstance(each, Item) for each in found)
