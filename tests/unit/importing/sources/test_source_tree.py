"""A folder of another tool is read with bounds, and never left. Its files are copied if a page asks."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import tree

from pressync.importing.sources.item import ImportSource, LeftOut, Place, Remainder
from pressync.importing.sources.links import FolderFiles
from pressync.importing.sources.source_tree import FolderTool, Front, SourceTree
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pressync.importing.sources.item import Items


def test_a_link_that_leads_out_of_the_folder_is_named_and_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    hidden = (".git/config", ".x.md", "node_modules/p/readme.md")
    site = tree(tmp_path / "site", {"a.md": "", "b/c.md": "", **dict.fromkeys(hidden, "")})
    (site.root / "out.md").symlink_to(tmp_path / "secret.md")
    (site.root / "all").symlink_to(tmp_path)
    (site.root / "circle").symlink_to(site.root / "circle")
    (site.root / "inside.md").symlink_to(site.root / "a.md")
    assert site.files() == ["a.md", "b/c.md", "inside.md"]
    assert [each.place.path for each in site.links()] == ["all", "circle", "out.md"]
    assert not site.is_file("out.md")


def test_a_pipe_or_a_socket_is_named_and_nobody_waits_for_it(tmp_path: Path) -> None:
    site = tree(tmp_path, {"a.md": ""})
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "to-pipe.md").symlink_to("pipe.md")
    with socket.socket(socket.AF_UNIX) as opened, contextlib.chdir(tmp_path):
        opened.bind("socket.md")
    assert site.files() == ["a.md"]
    assert [(each.kind, each.place.path) for each in site.links()] == [
        ("special file", "pipe.md"),
        ("special file", "socket.md"),
        ("symbolic link", "to-pipe.md"),
    ]


@pytest.mark.parametrize("folder", ["..", "../other", "a/../../other"])
def test_a_folder_that_settings_name_outside_is_not_read_and_its_pages_count(
    tmp_path: Path, folder: str
) -> None:
    other = {"../other/c.md": "secret", "../other/d/e.MD": "secret", "../other/f.png": ""}
    site = tree(tmp_path / "site", {"a/b.md": "", **other})
    pages = 3 if folder == ".." else 2
    assert site.files(folder) == []
    left = [(each.kind, each.place.path) for each in site.links(folder)]
    assert left == [("page in a folder outside", folder)] * pages, "each page counts"
    (tmp_path / "site/docs").symlink_to("docs")
    assert site.files("docs") == []
    assert [each.kind for each in site.links("docs")] == ["page in a folder outside"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xff\xfe", "it is not UTF-8; save it as UTF-8"),
        (b"x" * 101, "it has 0.0 MiB, and a page has at most 0 MiB"),
        (b"---\na: [\n---\n", "front matter is not YAML"),
    ],
)
def test_an_unreadable_file_is_left_out_with_the_reason(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "a.md").write_bytes(data)
    read = tree(tmp_path, {}).front("a.md", largest=100)
    assert isinstance(read, LeftOut)
    assert why in read.why


def test_the_last_value_of_a_key_that_is_given_twice_counts_and_the_key_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: A\ntags: x\ntitle: B\n---\nText.\n")
    front = SourceTree(tmp_path).front("a.md")
    assert isinstance(front, Front)
    assert front.values == {"title": "B", "tags": "x"}
    assert front.repeated == (Remainder("key given twice", Place("a.md", 4), "title"),)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", "a = \n"),
        ("a.yaml", "a: [\n"),
        ("a.json", '{"a": 1'),
        ("b.json", f'{{"it is larger than the limit": "{100 * "x"}"}}'),
    ],
)
def test_unreadable_settings_are_an_error_with_the_place(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(ConfigError, match=r"cannot be read|is not|line"):
        tree(tmp_path, {name: text}).settings(name, largest=100)


def test_a_value_that_a_tool_does_not_take_is_an_error_with_the_place(tmp_path: Path) -> None:
    tree(tmp_path, {"b.toml": ""})

    def read(_tree: SourceTree, _source: ImportSource) -> Items:
        raise OverflowError

    source = ImportSource("x", tmp_path)

    with pytest.raises(ConfigError, match=r"^b\.toml: a number in it is too large; correct the file"):
        list(FolderTool("a site", ("a.toml", "b.toml"), read).items(source))
    with pytest.raises(ConfigError, match=r"^x: this is not a site; name another folder"):
        list(FolderTool("a site", ("a.toml",), read).items(source))


def test_a_file_that_was_asked_for_is_copied_once() -> None:
    files = FolderFiles({"/img/a b.png": Path("/s/a b.png"), "/img/c.png": Path("/s/c.png")})
    assert files.file_of("/img/a%20b.png?v=2") == "media/img/a b.png"
    assert files.file_of("/img/../img/a b.png") == "media/img/a b.png"
    assert list(files.copies()) == [("media/img/a b.png", Path("/s/a b.png"))]
    assert files.missing() == []
    files = FolderFiles({f"/{name}": Path(f"/s/{name}") for name in ("a.html", "b.JS", "c.pdf")})
    assert (files.has("/c.pdf"), files.has("/d.png"), list(files.copies())) == (True, False, [])
    # Pages and programs of the old site are not media.
    assert [files.file_of(f"/{name}") for name in ("a.html", "b.JS", "c.pdf")] == [None, None, "media/c.pdf"]
