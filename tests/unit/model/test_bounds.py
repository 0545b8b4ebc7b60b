"""Texts from outside: which files, paths and addresses there may be, and what a line may show."""

from __future__ import annotations

import unicodedata
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.builders import entry
from tests.support.plan_samples import HOSTILE

from pressync.model.bounds import MANIFEST, MIB, FileTooLarge, check_entry, check_path, is_path, names_git
from pressync.model.errors import ManifestError
from pressync.model.printable import one_line, printable
from pressync.model.web_address import from_root, joined, origin_of, path_of, split


@pytest.mark.parametrize(
    "path",
    [
        *("a.md", "content/pages/ü b/ç.md", "a..b/...c", "a/..b.md", "...", ".hidden/x", "日本/語.md"),
        *("a\u00a0b", "a.git/x.md", ".github/x.md", ".gitignore", "git/x.md", "git~2", "x/..git"),
    ],
)
def test_a_path_inside_the_repository_is_a_path(path: str) -> None:
    assert is_path(path)
    assert not names_git(path)


@pytest.mark.parametrize(
    "path",
    [
        *("", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b"),
        *("a\0", "a\nb", "a\x1b[2J", "a\x85", "a\x9bb", "a\udcff", "\ud800"),
    ],
)
def test_a_path_that_leaves_the_tree_or_the_line_or_is_no_text_is_none(path: str) -> None:
    assert not is_path(path)


@pytest.mark.parametrize(
    "path",
    [
        *(".git", "a/.GIT/config", "a/.git./x.md", "a/.git /x.md", "git~1/x.md", "a/GIT~1"),
        *(".git::$INDEX_ALLOCATION/x.md", "a\\.git\\x.md", ".g\u200cit/x.md"),
    ],
)
def test_a_path_in_the_folder_of_git_is_none_on_any_disk(path: str) -> None:
    assert names_git(path)
    assert not is_path(path)


def test_what_it_cannot_hold_is_refused_with_the_way_out() -> None:
    check_path("a.md")
    check_entry(entry("a.md", 1))
    with pytest.raises(ManifestError) as refused:
        check_path("a\n.md")
    assert str(refused.value) == (
        "the manifest cannot hold the path 'a\\n.md', so nothing is sent for it; "
        "rename the file: use UTF-8 without control characters"
    )
    with pytest.raises(ManifestError, match="the manifest cannot hold the path"):
        check_entry(entry("../a.md", 1))
    with pytest.raises(ManifestError, match=r"a\.md: 0 is not a record id; use an id of 1 or more"):
        check_entry(entry("a.md", 0))


_ROW = b'\n{"path":"a.md",\n "id":1},' + b" " * 600


@pytest.mark.parametrize("size", [0, 1, 16 * MIB, 40 * MIB])
def test_a_manifest_is_read_whatever_its_size_as_long_as_it_has_rows(size: int) -> None:
    text = (_ROW * (1 + size // len(_ROW)))[:size]
    assert MANIFEST.take(BytesIO(text).read, size) == text


@pytest.mark.parametrize(
    ("text", "size", "what"),
    [
        (b"", MANIFEST.most + 1, "the file has 1,024.0 MiB, and a manifest has at most 1,024 MiB"),
        (b" " * (50 * MIB), 50 * MIB, "the file has 50.0 MiB, and its first 32 MiB have 0 rows"),
        (b"{}" * (20 * MIB), 40 * MIB, "the file has more than 4,000,000 rows"),
    ],
)
def test_a_file_of_other_rows_is_not_read_to_its_end(text: bytes, size: int, what: str) -> None:
    file = BytesIO(text)
    with pytest.raises(FileTooLarge) as refused:
        MANIFEST.take(file.read, size)
    assert refused.value.what == what
    assert file.tell() <= 32 * MIB


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("Grüße, 世界, שלום 👋", "Grüße, 世界, שלום 👋"),
        ("a\x1b[31mb", "a\\u001b[31mb"),
        ("a\rb", "a\\u000db"),
        ("\x9b", "\\u009b"),
        ("a\u202eb", "a\\u202eb"),
        ("\u061c", "\\u061c"),
        ("\u2028", "\\u2028"),
        ("\ud800", "\\ud800"),
        ("a\u200bb", "a\\u200bb"),
        ("a\u00adb\ufeff\u2060", "a\\u00adb\\ufeff\\u2060"),
        ("a\u3164", "a\\u3164"),
        ("about\u200d.md", "about\\u200d.md"),
        ("about\ufe0f.md", "about\\ufe0f.md"),
        ("a\U000e0041", "a\\udb40\\udc41"),
        ("ک\u200cک", "ک\u200cک"),
        ("\U0001f469\u200d\U0001f4bb ❤\ufe0f", "\U0001f469\u200d\U0001f4bb ❤\ufe0f"),
        ("::error::x", "\\u003a:error::x"),
        ("a\n \t::error::x", "a\n \t\\u003a:error::x"),
        ("a\n\u3000\x1f::x", "a\n\u3000\\u001f\\u003a:x"),
        ("a ::b C::d", "a ::b C::d"),
        ("##[group]x", "##\\u005bgroup]x"),
        ("#[a] ## [b]", "#[a] ## [b]"),
    ],
)
def test_unsafe_characters_are_written_as_escapes(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text() | st.just(HOSTILE))
def test_any_text_becomes_lines_of_harmless_characters(text: str) -> None:
    shown = printable(f"{text}\n::set-env::\n  ::x")
    assert not any(line.strip().startswith("::") for line in shown.splitlines())
    assert printable(printable(text)) == printable(text)
    shown = one_line(text)
    assert len(shown.splitlines()) <= 1
    assert "##[" not in shown
    for character in shown:
        assert unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}
        assert character not in "\u00ad\u200b\u2060\ufeff\u3164\u180e"
        moves = unicodedata.bidirectional(character)
        assert moves not in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    shown.encode()
    assert one_line("a\n\n\tb\tc") == "a b c"


NONE = [
    *("//[", "http://[", "http://]/", "http://[::1", "http://[x]/", "//a:x/", "http://a:99999/"),
    *("http://a:-1/", "http://\u2100.example/", "http://a\uff03@b/"),
]
WHOLE = "https://anna@example.org:8443/blog/?p=1#top"


@pytest.mark.parametrize("text", NONE)
def test_a_text_that_is_not_an_address_has_no_parts(text: str) -> None:
    assert (split(text), from_root(text)) == (None, None)
    assert (path_of(text), origin_of(text)) == ("", "")
    assert joined("https://example.org/", text) is None
    assert joined(text, "//[") is None


@pytest.mark.parametrize(
    "text", ["", "a", "\0", "\ud800", "?", "#", "mailto:a@b", "C:\\x", "/\t[", "a:b:c", "//"]
)
def test_any_other_text_has_parts_of_which_each_can_be_read(text: str) -> None:
    parts = split(text)
    assert parts is not None
    assert (parts.hostname, parts.port) == (None, None)
    assert joined("https://example.org/", text) is not None


def test_an_address_is_taken_apart() -> None:
    parts = split(WHOLE)
    assert parts
    assert (parts.scheme, parts.hostname, parts.port, parts.path) == ("https", "example.org", 8443, "/blog/")
    assert (path_of(WHOLE), origin_of(WHOLE)) == ("/blog/", "https://anna@example.org:8443")
    assert (from_root(WHOLE), from_root("https://example.org"), from_root("?a=b")) == (
        "/blog/?p=1",
        "/",
        "/?a=b",
    )
    assert (origin_of("/about/"), path_of("/about/?x")) == ("", "/about/")
    assert joined(WHOLE, "../a/b") == "https://anna@example.org:8443/a/b"
