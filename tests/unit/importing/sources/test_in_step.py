"""An imported file and the record that it came from are in step, although they say it in other words."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.builders import TARGET, desired, record

from pressync.client.wordpress.whole_site import Picture
from pressync.importing.sources.in_step import KnownFile, OwnFacts, OwnSite, as_agreed, seen
from pressync.importing.sources.media import Uploads
from pressync.model.fingerprint import fingerprint, fingerprints
from pressync.model.records import FieldReference, Medium
from pressync.plan.decide import difference
from pressync.sync import echo

if TYPE_CHECKING:
    from pathlib import Path

PATH = "content/pages/about.md"
AT = "/wp-content/uploads/2024/01/"


def own(url: str = TARGET) -> OwnSite:
    return OwnSite(url, nullcontext)  # type: ignore[arg-type]


def test_what_the_file_says_counts_as_sent_and_what_the_site_has_as_its_version_of_it() -> None:
    there = record(PATH, content="<!-- wp:paragraph --><p>We</p><!-- /wp:paragraph -->", status="publish")
    wanted = desired(PATH)
    entry = as_agreed(wanted, seen(there), "c" * 40)
    found = difference(wanted, entry)
    assert (found.fields, found.resets, found.let_go) == ((), (), ())
    assert echo.edits(entry, there) == {}
    assert entry.changed_by_service["content"] == fingerprint(there.fields["content"])
    assert (entry.id, entry.path, entry.commit, entry.blob) == (there.id, PATH, "c" * 40, wanted.blob)


def test_the_next_edit_on_the_site_is_still_seen() -> None:
    entry = as_agreed(desired(PATH), seen(record(PATH, content="<p>We</p>")), "")
    assert echo.edits(entry, record(PATH, content="<p>They</p>")) == {"content": "<p>They</p>"}


def test_names_in_the_file_agree_with_the_ids_of_the_site() -> None:
    wanted = desired(PATH, mentions=(FieldReference("author", ("Jane",)),))
    wanted = desired(
        PATH, mentions=wanted.mentions, fingerprints={**wanted.fingerprints, "author": fingerprint("Jane")}
    )
    entry = as_agreed(wanted, seen(record(PATH, author=3)), "")
    assert entry.changed_by_service["author"] == fingerprint(3)
    assert echo.edits(entry, record(PATH, author=4)) == {"author": "4"}


def test_a_field_that_the_site_does_not_have_makes_no_difference() -> None:
    wanted = desired(PATH)
    wanted = desired(PATH, fingerprints={**wanted.fingerprints, "meta": fingerprint({"footnotes": "x"})})
    assert difference(wanted, as_agreed(wanted, seen(record(PATH)), "")).fields == ()


@pytest.mark.parametrize(
    ("url", "is_it"),
    [
        (f"{TARGET}/", True),
        ("HTTPS://SITE.test/wp-json", True),
        ("http://site.test/wp-json", False),
        ("https://site.test:8443/wp-json", False),
        ("https://site.test/blog/wp-json", False),
        ("https://site.test/?rest_route=/", False),
        ("https://user@site.test/wp-json", False),
        ("not an address", False),
    ],
)
def test_only_the_configured_address_itself_is_the_own_site(url: str, is_it: bool) -> None:
    assert own().is_at(url) is is_it
    assert not own("not an address").is_at("not an address")


def test_pictures_of_the_library_keep_their_ids(tmp_path: Path) -> None:
    (tmp_path / "2024/01").mkdir(parents=True)
    for name in ("cat.jpg", "dog.jpg", "twin.jpg"):
        (tmp_path / "2024/01" / name).write_bytes(name.replace("twin", "cat").encode())
    uploads = Uploads(tmp_path, "https://site.test")
    library = tuple(
        Picture(number, f"https://site.test{AT}{name}")
        for number, name in enumerate(("twin.jpg", "cat-scaled.jpg", "dog.jpg"), 4)
    )
    site = OwnFacts(library=library, uploads=uploads)
    uploads.file_of(f"{AT}cat-300x200.jpg")
    path = "content/media/2024/01/cat.jpg"
    found = Medium("b" * 40, path, 5, f"https://site.test{AT}cat-scaled.jpg", foreign=True)
    assert site.media("content", {path: "b" * 40}, {}) == [found]
    sent_by_us = Medium("b" * 40, path, 5, found.link)
    assert site.media("content", {path: "b" * 40}, {"b" * 40: sent_by_us}) == []


def test_two_files_with_the_same_bytes_keep_the_one_that_the_manifest_knows(tmp_path: Path) -> None:
    blob, uploads = "b" * 40, Uploads(tmp_path, "https://site.test")
    blobs = {}
    for year in ("2023", "2024"):
        (tmp_path / year).mkdir()
        (tmp_path / year / "logo.png").write_bytes(b"logo")
        uploads.file_of(f"/wp-content/uploads/{year}/logo.png")
        blobs[f"content/media/{year}/logo.png"] = blob
    links = {3: "2023/logo.png", 7: "2024/logo.png", 9: "2026/logo-bbbb.png"}
    library = (Picture(each, f"https://site.test/wp-content/uploads/{link}") for each, link in links.items())
    site = OwnFacts(library=tuple(library), uploads=uploads)
    (found,) = site.media("content", blobs, {})
    assert (found.id, found.path) == (3, "content/media/2023/logo.png")
    assert site.media("content", blobs, {blob: found}) == []
    sent_by_us = Medium(blob, "content/media/2024/logo.png", 9, site.library[2].link)
    assert site.media("content", blobs, {blob: sent_by_us}) == []
    gone = Medium(blob, "content/media/2024/logo.png", 8, site.library[2].link)
    assert site.media("content", blobs, {blob: gone}) == [found]


def test_a_file_stays_if_people_edited_it_or_if_the_site_has_exactly_its_text() -> None:
    there = record(PATH, content="<!-- wp:paragraph --><p>We</p><!-- /wp:paragraph -->")
    entry = as_agreed(desired(PATH), seen(there), "")
    assert not KnownFile(entry, entry.path, entry.blob).is_current(there)
    assert KnownFile(entry, entry.path, "an edited file").is_current(there)
    assert KnownFile(entry, entry.path, "an edited file").is_current(record(PATH, content="<p>They</p>"))
    same = structs.replace(entry, changed_by_service={}, fingerprints=fingerprints(there.fields))
    assert KnownFile(same, same.path, same.blob).is_current(there)
    assert not KnownFile(structs.replace(same, conflict={"title": "x"}), PATH, same.blob).is_current(there)


def test_only_an_edit_on_both_sides_is_a_conflict() -> None:
    before, there = record(PATH, content="<p>We</p>"), record(PATH, content="<p>They</p>")
    entry = as_agreed(desired(PATH), seen(before), "")
    edited = KnownFile(entry, entry.path, "an edited file")
    assert edited.conflict(before) is None
    assert KnownFile(entry, entry.path, entry.blob).conflict(there) is None
    conflict = structs.replace(entry, conflict={"content": "<p>They</p>"})
    assert edited.conflict(there) == conflict
    assert KnownFile(entry, "content/pages/renamed.md", entry.blob).conflict(there) == conflict


@pytest.mark.parametrize(
    ("url", "home", "is_it"),
    [
        ("https://site.test/wp-json", "https://site.test", True),
        ("https://site.test/blog/wp-json", "https://site.test/blog/", True),
        ("https://site.test/?rest_route=/", "https://site.test", True),
        ("https://site.test/index.php?rest_route=/", "https://site.test", True),
        ("https://site.test/wp-json", "http://site.test", False),
        ("https://site.test/wp-json", "", False),
    ],
)
def test_an_export_is_of_the_site_whose_address_it_names(url: str, home: str, is_it: bool) -> None:
    assert own(url).is_exported_from(home) is is_it
