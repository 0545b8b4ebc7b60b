"""A reading that was interrupted goes on: a text that has not changed is not requested again."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from tests.live.sites import open_at
from tests.support.embedded_wordpress import PASSWORD, USER
from tests.support.syncing import IMPATIENT

from pressync.client.credentials import basic
from pressync.client.retry import Retry
from pressync.client.wordpress.whole_site import WholeSite
from pressync.importers import kept_rows
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress

    from pressync.client.wordpress.whole_site import Row

RETRY = Retry(IMPATIENT, lambda _seconds: None, lambda _sentence: None)


@contextmanager
def opened(site: EmbeddedWordPress, *, edit: bool) -> Iterator[WholeSite]:
    with closing(open_at(site.url, basic(USER, PASSWORD) if edit else None)) as service:
        yield WholeSite(service.transport.send, RETRY, edit)


def read(whole: WholeSite, folder: Path | None, most: int | None = None) -> list[object]:
    """Read the titles of all pages, or stop after some of them, as a killed import does."""
    found = []
    with kept_rows.file_of(folder, "https://example.org") as kept:
        for number, row in enumerate(kept_rows.read(whole, Kind.PAGE, kept), 1):
            found.append(row)
            if number == most:
                break
    return [(row["id"], row["title"], row["content"]) for row in found]


def texts_asked(site: EmbeddedWordPress) -> list[str]:
    """Give the ids whose texts were requested, for each request of texts."""
    return [
        received.path.partition("include=")[2].partition("&")[0]
        for received in site.received
        if "content" in unquote(received.path)
    ]


@pytest.mark.parametrize("edit", [True, False], ids=["editor", "visitor"])
def test_only_new_and_changed_texts_are_read_again(
    site: EmbeddedWordPress, tmp_path: Path, *, edit: bool
) -> None:
    ids = [
        site.post("pages", title=f"Page {number}", content=f"Text {number}", status="publish")
        for number in range(130)
    ]
    with opened(site, edit=edit) as whole:
        read(whole, tmp_path, most=100)
        site.post(f"pages/{ids[3]}", content="Edited")
        site.client.delete(f"/wp-json/wp/v2/pages/{ids[5]}?force=true", auth=(USER, PASSWORD))
        site.received.clear()
        again = read(whole, tmp_path)
        assert texts_asked(site) == [f"{ids[3]},{ids[100]}", ",".join(map(str, ids[101:]))]
        assert again == read(whole, None)


def test_a_row_with_a_password_is_not_kept(site: EmbeddedWordPress, tmp_path: Path) -> None:
    site.post("pages", title="Secret", content="Text", status="publish", password="hunter2")
    with opened(site, edit=True) as whole:
        read(whole, tmp_path)
    (file,) = tmp_path.iterdir()
    assert b"hunter2" not in file.read_bytes()


def test_each_row_without_an_id_is_given_again(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"id": 1}, {"link": "/a"}, {"link": "/b"}, {"link": "/b"}]

    class Site(WholeSite):
        def __init__(self) -> None:
            pass

        def records(self, kind: Kind) -> Iterator[Row]:
            assert kind is Kind.PAGE
            return iter(rows)

        def outlines(self, kind: Kind) -> Iterator[Row]:
            return self.records(kind)

    for _again in range(2):
        with kept_rows.file_of(tmp_path, "https://example.org") as kept:
            assert list(kept_rows.read(Site(), Kind.PAGE, kept)) == rows
