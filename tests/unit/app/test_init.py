"""`init` writes each first file once, overwrites nothing and writes no secret."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pressync.app.init import RemoteSite, begin, settings
from pressync.config import settings as config
from pressync.model.errors import ConfigError, StorageError

if TYPE_CHECKING:
    from pathlib import Path

FAR = RemoteSite("https://site.test/wp-json", "wordpress", "ada")


def files(root: Path) -> dict[str, str]:
    """Read all files below a folder."""
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.is_file()
    }


def written(root: Path, far: RemoteSite | None = None) -> list[str]:
    """Write the first files, and give their paths."""
    return [step.path for step in begin(root, "production", far) if step.written]


def test_an_empty_folder_gets_everything_and_a_second_time_nothing(tmp_path: Path) -> None:
    assert written(tmp_path, FAR) == [
        "pressync.toml",
        "content/pages/index.md",
        "templates/page.html",
        ".gitignore",
        ".gitattributes",
        ".pressync/schemas/config.json",
    ]
    before = files(tmp_path)
    assert "status: draft" in before["content/pages/index.md"], "people read this site"
    assert written(tmp_path) == []
    assert files(tmp_path) == before


def test_the_branch_and_the_place_of_the_manifest_are_written(tmp_path: Path) -> None:
    begin(tmp_path, "production", replace(FAR, branch='a"b', in_reference=True))
    site = config.load(files(tmp_path)["pressync.toml"], where="pressync.toml", environ={}).site
    assert (site.branch, site.reference) == ('a"b', "refs/pressync/production")


def test_a_site_that_did_not_answer_has_a_place_for_its_dialect(tmp_path: Path) -> None:
    begin(tmp_path, "production", replace(FAR, dialect=None))
    text = files(tmp_path)["pressync.toml"]
    assert config.load(text, where="pressync.toml", environ={}).site.dialect == "documented"
    filled = config.load(text.replace("# dialect", "dialect"), where="pressync.toml", environ={})
    assert filled.site.dialect == "wordpress"


def test_what_gitattributes_and_gitignore_say_is_kept_and_what_is_added_ends_its_lines_alike(
    tmp_path: Path,
) -> None:
    (tmp_path / ".gitattributes").write_bytes(b"*.png binary\r\n*.md text")
    (tmp_path / ".gitignore").write_bytes(b"*.log\r\n*.tmp")
    begin(tmp_path, "production", None)
    begin(tmp_path, "production", None)
    assert (tmp_path / ".gitattributes").read_bytes() == (
        b"*.png binary\r\n*.md text\r\n/.pressync/*.json merge=pressync\r\n"
    )
    lines = (tmp_path / ".gitignore").read_bytes().split(b"\r\n")
    assert lines[:2] == [b"*.log", b"*.tmp"]
    assert lines[-2:] == [b"/.pressync/embedded.json", b""]


@pytest.mark.parametrize(
    "far", [None, FAR, RemoteSite('https://site.test/?rest_route=/"', "documented", 'a "b" \\ é')]
)
def test_the_settings_are_read_back_as_they_were_meant(far: RemoteSite | None) -> None:
    read = config.load(settings("production", far), where="pressync.toml", environ={}).site
    assert (read.url, read.dialect, read.user) == (
        (far.url, far.dialect, far.user) if far else (None, "wordpress", None)
    )


def test_the_example_in_the_settings_of_the_embedded_service_is_right_once_uncommented() -> None:
    head, _, example = settings("live", None).partition("A real one:\n")
    assert tomllib.loads(head) == {"content": "content", "templates": "templates"}
    read = config.load(example.replace("# ", "", 4), where="pressync.toml", environ={})
    assert (read.site.name, read.site.dialect) == ("live", "wordpress")


def test_where_there_are_documents_and_templates_none_is_added(tmp_path: Path) -> None:
    for path in ("docs/pages/about.md", "layouts/base.html"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("mine", encoding="utf-8")
    (tmp_path / "pressync.toml").write_text('content = "docs"\ntemplates = "layouts"\n', encoding="utf-8")
    assert written(tmp_path) == [".gitignore", ".gitattributes"]


@pytest.mark.parametrize(
    ("site", "far"), [("no name", FAR), ("embedded", FAR), ("live", RemoteSite(FAR.url, FAR.dialect, "a:b"))]
)
def test_a_name_that_cannot_be_one_is_refused_before_anything_is_written(
    tmp_path: Path, site: str, far: RemoteSite
) -> None:
    with pytest.raises(ConfigError):
        begin(tmp_path, site, far)
    assert files(tmp_path) == {}
    (tmp_path / "content").write_text("a file", encoding="utf-8")
    with pytest.raises(StorageError, match="cannot be written"):
        begin(tmp_path, "production", None)
    (tmp_path / "pressync.toml").write_text("contnet = 1", encoding="utf-8")
    with pytest.raises(ConfigError, match="contnet"):
        begin(tmp_path, "production", None)
