"""What the operations, and the fields of a request, make of a record."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from pressync.model.interface import Kind
from pressync.stage.server.rows import ALLOWED, StoredRecord
from pressync.stage.server.store import Store, applied, check
from pressync.stage.server.wire import FormFields, HttpRefusal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.stage.server.conftest import Clock


def test_a_new_site_holds_one_post_that_does_not_come_back(store: Store, tmp_path: Path) -> None:
    (hello,) = store.records(Kind.POST)
    assert (hello["id"], hello["slug"], hello["status"]) == (1, "hello", "publish")
    assert "pressync adopt content/posts/hello.md 1" in str(hello["content"])
    assert store.records(Kind.PAGE) == []
    store = Store(tmp_path / "site.db")
    store.delete(Kind.POST, 1, force=True)
    store.close()
    assert Store(tmp_path / "site.db").records(Kind.POST) == []


@pytest.mark.parametrize("address", ["example.org", "ftp://example.org", "https://example.org/a", "https://"])
def test_an_address_that_links_cannot_begin_with_is_refused(tmp_path: Path, address: str) -> None:
    with pytest.raises(ValueError, match="not the address of a site"):
        Store(tmp_path / "site.db", address=address)


def test_modified_moves_with_every_write_though_the_clock_stands_still(store: Store, clock: Clock) -> None:
    seen = [store.create(Kind.PAGE, {"title": {"raw": "A"}})["modified_gmt"]]
    seen += [store.update(Kind.PAGE, 2, {})["modified_gmt"] for _ in range(2)]
    clock.now -= 3600
    seen.append(store.delete(Kind.PAGE, 2)["modified_gmt"])
    assert seen == [f"2024-03-01T12:00:0{second}" for second in range(4)]


def test_two_stores_on_one_file_get_different_slugs_and_ids(store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "site.db")
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: (store, other)[n % 2].create(Kind.PAGE, {"slug": "race"}), range(40)))
    assert len({page["slug"] for page in made}) == len({page["id"] for page in made}) == 40


def test_only_a_new_site_moves_to_an_address_that_other_machines_reach(tmp_path: Path) -> None:
    outside, here = "http://192.0.2.1:8127", "http://127.0.0.1:8128"
    moves = [
        Store(tmp_path / name, served_at=address).settings.address
        for name, address in (("a.db", outside), ("a.db", here), ("b.db", here), ("b.db", outside))
    ]
    assert moves == [outside, outside, here, here]


def test_a_structure_of_permalinks_is_kept(tmp_path: Path) -> None:
    kept = [
        Store(tmp_path / "site.db", structure=structure).settings.permalinks
        for structure in (None, "", None, "/%year%/%postname%/", None)
    ]
    assert kept == ["/blog/%postname%/", "", "", "/%year%/%postname%/", "/%year%/%postname%/"]


NOON = 1709294400  # 2024-03-01T12:00:00 in GMT
PAGE = StoredRecord(id=7, kind=Kind.PAGE, guid="", date=NOON, modified=NOON, slug="about", title="About")


def change(fields: FormFields, stored: StoredRecord = PAGE, *, now: int = NOON + 60) -> StoredRecord:
    """Give the record after a request, on a site that is 90 minutes ahead of GMT."""
    return applied(stored, fields, now=now, offset=90)


LATER = datetime(2035, 1, 1, tzinfo=UTC)
AT_NOON = datetime(2024, 3, 1, 12)  # noqa: DTZ001 - it has no zone on purpose


@pytest.mark.parametrize(
    ("fields", "members"),
    [
        (
            {"title": {"raw": "About us"}, "menu_order": 3},
            {"title": "About us", "menu_order": 3, "slug": "about", "modified": NOON + 60},
        ),
        (
            {"content": {"rendered": "<p>theirs</p>", "protected": True, "block_version": 9}},
            {"content": "", "password": "", "block_version": 0},
        ),
        ({"content": {"raw": "<!-- wp:paragraph --><p></p>"}}, {"block_version": 1}),
        ({"slug": "", "title": {"raw": "Über uns"}}, {"slug": "uber-uns"}),
        ({"slug": "!", "title": {"raw": "?"}}, {"slug": "7"}),
        ({"date": AT_NOON}, {"date": NOON - 90 * 60}),
        ({"date_gmt": AT_NOON}, {"date": NOON}),
        ({"date": datetime(2024, 3, 1, 14, tzinfo=timezone(timedelta(hours=2)))}, {"date": NOON}),
        ({"date": AT_NOON.replace(tzinfo=UTC), "date_gmt": LATER}, {"date": NOON}),
        ({"date": LATER}, {"status": "future"}),
        ({"status": "draft", "date": LATER}, {"status": "draft"}),
        ({"content": {"raw": "<p>Text</p>"}, "excerpt": {"raw": "In <b>short</b>"}}, {"summary": "In short"}),
    ],
    ids=[
        *("only the named fields change", "what is rendered is the service's own", "blocks are seen"),
        *("an emptied slug comes from the title", "or is the id", "site time is ahead of GMT"),
        *("GMT needs no offset", "a zone means that zone", "site time wins over GMT"),
        *("the future is scheduled", "a draft stays one", "a given excerpt is the summary"),
    ],
)
def test_a_request_decides_these_members_of_a_record(fields: FormFields, members: dict[str, object]) -> None:
    changed = change(fields)
    assert {name: getattr(changed, name) for name in members} == members


def test_a_value_that_no_record_can_have_is_refused() -> None:
    for name, values in ALLOWED.items():
        for value in values:
            check({name: value})
        with pytest.raises(HttpRefusal, match=f"{name} must be one of"):
            check({name: "trash"})
    fields: FormFields
    for fields in ({"author": 0}, {"parent": -1}, {"featured_media": -1}, {"tags": (3, 0)}):
        with pytest.raises(HttpRefusal, match="or more"):
            check(fields)


@pytest.mark.parametrize(
    ("content", "summary"),
    [
        ("<p>One</p><p>two &amp; th<em>r</em>ee</p>", "One two & three"),
        ("<!-- note --><style>p {}</style><p>Text</p>", "Text"),
        ("<p>word</p>" * 400, " ".join(["word"] * 55) + " …"),
        # A tag and a word that go on behind the part of a text in which most excerpts end.
        (f"<p>{'a' * 990}<em title='{'b ' * 60}'>c</em></p>", f"{'a' * 990}c"),
        (f"{'a ' * 55}<b>{'b' * 990}</b><b>c</b>", f"{'a ' * 55}…"),
    ],
)
def test_a_summary_is_the_first_words_of_the_content(content: str, summary: str) -> None:
    assert change({"content": {"raw": content}}).summary == summary
