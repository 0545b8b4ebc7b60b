"""Addresses of uploads become files of the repository: the original of each picture, and equal bytes once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pressync.importing.sources.media import Uploads

if TYPE_CHECKING:
    from pathlib import Path

SITE = "https://example.org"
AT = "/wp-content/uploads/2024/01/"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    folder = tmp_path / "2024/01"
    folder.mkdir(parents=True)
    (folder / "cat.jpg").write_bytes(b"cat")
    (folder / "cat-300x200.jpg").write_bytes(b"small cat")
    (folder / "cat-1.jpg").write_bytes(b"cat")
    (folder / "dog-scaled.jpg").write_bytes(b"big dog")
    (folder / "dog-150x150.jpg").write_bytes(b"small dog")
    (folder / "flag-800x600.png").write_bytes(b"flag")
    (folder / "blue whale.jpg").write_bytes(b"whale")
    (folder / "logo.svg").write_bytes(b"<svg/>")
    return tmp_path


@pytest.mark.parametrize(
    ("address", "path"),
    [
        (f"{AT}cat.jpg", "media/2024/01/cat.jpg"),
        (f"{SITE}{AT}cat-300x200.jpg", "media/2024/01/cat.jpg"),
        (f"{AT}cat-1024x683.jpg", "media/2024/01/cat.jpg"),
        (f"{AT}dog-150x150.jpg", "media/2024/01/dog-scaled.jpg"),
        (f"{AT}flag-800x600.png", "media/2024/01/flag-800x600.png"),
        (f"/blog{AT}blue%20whale.jpg", "media/2024/01/blue whale.jpg"),
        (f"https://elsewhere.org{AT}cat.jpg", None),
        (f"{AT}../../../../etc/passwd.jpg", None),
        (f"{AT}logo.svg", None),
        ("/about/", None),
    ],
)
def test_the_address_of_a_size_leads_to_its_original(copied: Path, address: str, path: str | None) -> None:
    uploads = Uploads(copied, SITE)
    assert uploads.file_of(address) == path
    assert [name for name, _ in uploads.copies()] == ([path] if path else [])
    assert uploads.missing() == []


def test_a_picture_that_was_uploaded_twice_is_one_file(copied: Path) -> None:
    uploads = Uploads(copied, SITE)
    paths = [uploads.file_of(f"{AT}{name}") for name in ("cat.jpg", "cat-1.jpg", "cat-300x200.jpg")]
    assert paths == ["media/2024/01/cat.jpg"] * 3
    assert list(uploads.copies()) == [("media/2024/01/cat.jpg", copied / "2024/01/cat.jpg")]
    assert uploads.path_of(f"{SITE}{AT}cat-scaled.jpg") == "media/2024/01/cat.jpg"
    assert uploads.path_of(f"{SITE}{AT}dog-scaled.jpg") is None
    assert uploads.file_of(f"http://[{AT}cat.jpg") is None


def test_the_folder_around_the_uploads_will_do(copied: Path) -> None:
    copied.rename(copied.with_name("uploads"))
    assert Uploads(copied.parent, SITE).file_of(f"{AT}cat.jpg") == "media/2024/01/cat.jpg"


def test_files_that_are_not_in_the_copy_are_listed_for_a_download_with_their_originals(copied: Path) -> None:
    for folder in (None, copied):
        uploads = Uploads(folder, SITE)
        assert uploads.file_of(f"{AT}r%C3%A9d-300x200.jpg") is None
        assert uploads.missing() == [f"{SITE}{AT}r%C3%A9d-300x200.jpg", f"{SITE}{AT}r%C3%A9d.jpg"]


def test_a_link_to_the_outside_of_the_copy_is_not_read(
    copied: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = tmp_path_factory.mktemp("other") / "secret.jpg"
    secret.write_bytes(b"secret")
    (copied / "2024/01/own.jpg").symlink_to(secret)
    uploads = Uploads(copied, SITE)
    assert uploads.file_of(f"{AT}own.jpg") is None
    assert list(uploads.copies()) == []


def test_a_picture_that_leads_to_itself_or_is_a_pipe_is_missing(copied: Path) -> None:
    (copied / "2024/01/circle.jpg").symlink_to("circle.jpg")
    os.mkfifo(copied / "2024/01/pipe.jpg")
    uploads = Uploads(copied, SITE)
    assert [uploads.file_of(f"{AT}{name}.jpg") for name in ("circle", "pipe")] == [None, None]
