"""Markdown files become documents, or problems that name their line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example
from hypothesis import given as examples
from hypothesis import strategies as st

from pressync.config import settings as config
from pressync.content.documents import Defaults, DocumentReader
from pressync.content.read_files import LeftOutDocuments
from pressync.model.errors import Code
from pressync.model.interface import Kind
from pressync.model.records import Document, FieldReference, Source

if TYPE_CHECKING:
    from pressync.content.read_files import ReadFile

BOOK = "---\ntitle: Dune\ntype: book\n---\n"


SETTINGS_OF_NONE = config.load(None, where="", environ={})


def reading(
    path: str, text: str | bytes = "", defaults: dict[str, dict[str, object]] | None = None
) -> ReadFile:
    data = text if isinstance(text, bytes) else text.encode()
    reader = DocumentReader(SETTINGS_OF_NONE, Defaults(defaults or {}))
    result = reader.read(Source(path, "b10b"), data)
    assert not result.left_out or defaults or LeftOutDocuments(SETTINGS_OF_NONE).may_have(path, data)
    return result


def document(
    path: str, text: str | bytes = "", defaults: dict[str, dict[str, object]] | None = None
) -> Document:
    result = reading(path, text, defaults)
    assert result.document, result.problems
    return result.document


def problems(path: str, text: str | bytes, defaults: dict[str, dict[str, object]] | None = None) -> list[str]:
    result = reading(path, text, defaults)
    assert (result.document is None) == any(not problem.warning for problem in result.problems)
    return [str(problem) for problem in result.problems]


BLOG: dict[str, dict[str, object]] = {"": {"type": "page"}, "blog": {"type": "post"}}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("blog/index.md", Kind.PAGE),
        ("blog/2024/_index.md", Kind.PAGE),
        ("blog/2024/index.md", Kind.POST),
        ("blog/hello.md", Kind.POST),
        ("blog.md", Kind.PAGE),
    ],
)
def test_the_page_of_a_section_of_posts_is_a_page(path: str, kind: Kind) -> None:
    assert document(f"content/{path}", "", BLOG).kind is kind
    only_posts = {"blog": BLOG["blog"]}
    if path != "blog.md":
        assert document(f"content/{path}", "", only_posts).kind is kind
    assert document("content/blog/index.md", "---\ntype: post\n---\n", BLOG).kind == Kind.POST


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pages/a.md", "---\ntype: none\n---\n"),
        ("pages/_parts/a.md", ""),
        ("notes/a.md", ""),
        ("pages/a.md", '---\ntype: "n\\x6fne"\n---\n'),
        ("pages/a.md", '{"t\\u0079pe": "none"}\n'),
        ("pages/a.md", '---\ntype: "no\\\n  ne"\n---\n'),
    ],
)
def test_the_type_none_leaves_a_file_out_without_a_word(path: str, text: str) -> None:
    none: dict[str, dict[str, object]] = {"pages/_parts": {"type": "none"}, "notes": {"type": "none"}}
    result = reading(f"content/{path}", text, none)
    assert (result.document, result.problems, result.left_out) == (None, (), True)
    assert document("content/notes/a.md", "---\ntype: page\n---\n", none).kind == Kind.PAGE
    # Most texts show at once that they are not left out.
    plain = b"---\ntitle: A\n---\nA type of bread.\n"
    assert not LeftOutDocuments(SETTINGS_OF_NONE).may_have("content/pages/a.md", plain)


def test_a_file_is_a_document() -> None:
    text = (
        "---\ntitle: About us\nparent: ../company.md\nlayout: wide\ntoc: true\nid: 7\n---\n\nWe are *here*.\n"
    )
    assert document("content/pages/about/us.md", text) == Document(
        path="content/pages/about/us.md",
        place="pages/about/us.md",
        blob="b10b",
        kind=Kind.PAGE,
        fields={"title": "About us", "slug": "us"},
        body="We are *here*.\n",
        body_line=9,
        parent="content/pages/company.md",
        parent_line=3,
        layout="wide",
        layout_line=4,
        bound_id=7,
        extra={"toc": True},
    )


def test_all_problems_of_a_file_are_told_at_once_and_warnings_stop_nothing() -> None:
    text = "---\ntitel: x\nstatus: publik\nmenu_order: first\n---\n"
    assert problems("content/pages/a.md", text) == [
        "content/pages/a.md:2: unknown key 'titel'; did you mean 'title'?",
        "content/pages/a.md:3: status cannot be 'publik'; did you mean 'publish'?",
        "content/pages/a.md:4: menu_order cannot be 'first'; write a whole number",
    ]
    assert problems("content/pages/a.md", "---\nauthor: 0\nfeatured_media: -1\n---\n") == [
        "content/pages/a.md:2: author cannot be '0'; write a whole number, 1 or more",
        "content/pages/a.md:3: featured_media cannot be '-1'; write a whole number, 0 or more",
    ]
    warned = reading("content/pages/a.md", "---\ntitel: x\n---\n")
    assert warned.document
    assert [problem.warning for problem in warned.problems] == [True]


# The kind.


@pytest.mark.parametrize(
    ("path", "text", "defaults", "kind"),
    [
        ("pages/deep/a.md", "", {}, Kind.PAGE),
        ("posts/a.md", "---\ntype: page\n---\n", {}, Kind.PAGE),
        ("guide/a.md", "---\ntype: post\n---\n", {}, Kind.POST),
        ("posts/a.md", "", {"": {"type": "page"}}, Kind.POST),
    ],
)
def test_front_matter_says_the_kind_else_the_folder_else_a_default(
    path: str, text: str, defaults: dict[str, dict[str, object]], kind: Kind
) -> None:
    assert document(f"content/{path}", text, defaults).kind is kind


@pytest.mark.parametrize("path", ["content/README.md", "content/guide/a.md", "content/pages.md"])
def test_a_file_elsewhere_is_left_out_with_a_warning(path: str) -> None:
    result = reading(path, "# Hello")
    assert result.document is None
    assert [str(problem) for problem in result.problems] == [
        (
            f"{path}: it is neither under pages/ nor posts/; "
            "move it, set `type` in its front matter, or set one for its folder below `[defaults]`; "
            "for a type of the site's own, run `pressync schema site`"
        )
    ]
    assert result.problems[0].warning


# Title, slug and date that nobody named.


@pytest.mark.parametrize(
    ("path", "title", "slug"),
    [
        ("content/pages/about-us.md", "About us", "about-us"),
        ("content/pages/A_b c.md", "A_b c", "a_b-c"),
        ("content/pages/über.md", "Über", "über"),
        ("content/pages/docs/index.md", "Docs", "docs"),
        ("content/pages/2024-01-31-hello.md", "2024 01 31 hello", "2024-01-31-hello"),
        ("content/posts/2024-02-30-hello.md", "2024 02 30 hello", "2024-02-30-hello"),
    ],
)
def test_a_files_name_is_its_slug_and_its_title(path: str, title: str, slug: str) -> None:
    assert document(path).fields == {"title": title, "slug": slug}


@pytest.mark.parametrize(
    ("path", "head", "fields"),
    [
        ("posts/2024-01-31-A-b.md", "", {"title": "A b", "slug": "a-b", "date": "2024-01-31T00:00:00"}),
        ("posts/2024/2024-01-31-a/index.md", "", {"title": "A", "slug": "a", "date": "2024-01-31T00:00:00"}),
        (
            "posts/2024-01-31-a.md",
            "date: 2025-02-01T10:00Z",
            {"title": "A", "date_gmt": "2025-02-01T10:00:00"},
        ),
        ("pages/a.md", "slug: Hello  World", {"title": "A", "slug": "hello-world"}),
        # A word of the file hides a default that would contradict it.
        (
            "notes/a.md",
            "draft: true\ndate_gmt: 2024-01-31",
            {"status": "draft", "date_gmt": "2024-01-31T00:00:00"},
        ),
    ],
)
def test_a_date_that_leads_a_posts_name_is_its_date(path: str, head: str, fields: dict[str, str]) -> None:
    notes: dict[str, dict[str, object]] = {
        "notes": {"type": "post", "status": "publish", "date": "2020-01-01"}
    }
    found = document(f"content/{path}", f"---\n{head}\n---\n" if head else "", notes)
    assert found.fields == {"title": "A", "slug": "a", **fields}


@pytest.mark.parametrize(
    ("text", "title", "body", "line"),
    [
        ("---\nstatus: draft\n---\n\n# **Hello** you\n\n\nText.\n", "Hello you", "Text.\n", 8),
        ("Hello\n=====", "Hello", "", 2),
        ("Before.\n\n# Hello\n", "Hello", "Before.\n\n# Hello\n", 1),
        ("## Hello\n\nText.\n", "A", "## Hello\n\nText.\n", 1),
        ("## One\n\n# Hello\n\nText.\n", "Hello", "## One\n\n# Hello\n\nText.\n", 1),
        ("---\ntitle: No\n---\n# Hello\n", "No", "# Hello\n", 4),
    ],
    ids=["at the top", "underlined", "below a text", "of level 2", "below level 2", "beside a title"],
)
def test_a_leading_heading_becomes_the_title(text: str, title: str, body: str, line: int) -> None:
    found = document("content/pages/a.md", text)
    assert (found.fields["title"], found.body, found.body_line) == (title, body, line)


# Defaults.


def test_defaults_stand_in_for_what_a_file_does_not_name() -> None:
    defaults: dict[str, dict[str, object]] = {
        "": {"status": "draft", "author": 1, "toc": True, "protect": True, "layout": "plain"},
        "pages/docs": {"author": 2, "aliases": ["/d"], "parent": "docs"},
        "pages/doc": {"author": 3},
    }
    read_ = document("content/pages/docs/a/b.md", "---\nstatus: publish\nprotect: false\n---\n", defaults)
    assert read_.fields == {"status": "publish", "author": 2, "title": "B", "slug": "b"}
    assert (read_.extra, read_.protect, read_.layout) == ({"toc": True}, False, "plain")
    assert (read_.aliases, read_.parent, read_.parent_line) == (("/d",), "docs", 0)


def test_a_field_is_said_in_one_way_by_ids_or_by_names() -> None:
    defaults: dict[str, dict[str, object]] = {"": {"tags": ["a"], "author": "anna", "categories": [3]}}
    said = document("content/posts/x.md", "---\ntags: [7]\ncategories: [News]\n---\n", defaults)
    assert said.fields["tags"] == (7,)
    assert "categories" not in said.fields
    assert said.mentions == (FieldReference("categories", ("News",), 3), FieldReference("author", ("anna",)))


# Parents.


@pytest.mark.parametrize(
    ("written", "parent"),
    [
        ("12", 12),
        ("./b.md", "content/pages/docs/b.md"),
        ("../b/index.md", "content/pages/b/index.md"),
        ("../../../README.md", "README.md"),
    ],
)
def test_a_named_parent_is_an_id_or_a_path(written: str, parent: str | int) -> None:
    read_ = document("content/pages/docs/a.md", f"---\nparent: {written}\n---\n")
    assert (read_.parent, read_.parent_line) == (parent, 2)
    [problem] = problems("content/pages/a.md", "---\nparent: ../../../b.md\n---\n")
    assert problem.startswith(
        "content/pages/a.md:2: its parent '../../../b.md' is outside of the repository; "
    )
    [problem] = problems("content/pages/a.md", "", {"": {"status": "x"}})
    assert problem.startswith("pressync.toml: status cannot be 'x'; ")


# Bytes.


def test_line_ends_and_byte_order_marks_make_no_difference() -> None:
    lf = "---\ntitle: A\n---\nfirst\n\nlast\n"
    for text in (lf, lf.replace("\n", "\r\n"), lf.replace("\n", "\r"), "\ufeff" + lf):
        read_ = document("content/pages/a.md", text)
        assert (read_.body, read_.body_line, read_.fields["title"]) == ("first\n\nlast\n", 4, "A")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a\r\nb\rc\nd\xff", "content/pages/a.md:4: the text is not UTF-8; save the file as UTF-8 text"),
        (b"a\n\0", "content/pages/a.md:2: there is a NUL byte in the text; save the file as UTF-8 text"),
        ("a\n".encode("utf-16"), "content/pages/a.md:1: the text is not UTF-8"),
        (b"a\xff\n\0", "content/pages/a.md:1: the text is not UTF-8; save the file as UTF-8 text"),
    ],
)
def test_what_is_no_text_is_a_problem_with_its_line(data: bytes, said: str) -> None:
    [problem] = problems("content/pages/a.md", data)
    assert problem.startswith(said)


@examples(st.binary(max_size=200), st.sampled_from([b"", b"---\n", b"+++\n", b'{"']))
@example(b"a: &a [*a]\n---\n", b"---\n")
@example(b"date: 0001-01-01T00:00+23:59\n---\n", b"---\n")
@example(b"parent: 99999999999999999999999\n---\n", b"---\n")
def test_no_file_is_too_strange(data: bytes, fence: bytes) -> None:
    for path in ("content/pages/a.md", "content/posts/2024-01-31-a.md"):
        result = reading(path, fence + data)
        assert (result.document is None) == any(not problem.warning for problem in result.problems)


# Real trees.


@pytest.mark.parametrize(("folder", "kind"), [("pages", "page"), ("posts", "post")])
def test_below_our_own_folders_another_type_is_refused_and_makes_no_record(folder: str, kind: str) -> None:
    path = f"content/{folder}/dune.md"
    found = reading(path, BOOK)
    assert found.document is None
    (problem,) = found.problems
    assert str(problem) == (
        f"{path}:3: type cannot be 'book'; write page, post or none, or leave it out; if another tool reads "
        f'it, write `type = "{kind}"` below `[defaults."{folder}"]` in pressync.toml'
    )
    assert (problem.warning, problem.code) == (False, Code.VALUE)
    # In a folder whose type the settings name it belongs to another tool, and an empty one is not refused.
    known = reading(path, BOOK, {folder: {"type": kind}})
    assert known.document
    assert [each.code for each in known.problems] == [Code.FOREIGN_VALUE]
    assert reading(path, "---\ntype: ''\n---\n").document


def test_in_another_folder_the_message_does_not_ask_for_a_type_that_is_there() -> None:
    (problem,) = reading("content/books/dune.md", BOOK).problems
    assert str(problem) == (
        "content/books/dune.md:3: it is neither under pages/ nor posts/, and its type is neither page nor "
        "post; move it, correct its `type`, or set one for its folder below `[defaults]`; for a type of the "
        "site's own, run `pressync schema site`"
    )
    assert problem.code == Code.NOT_A_DOCUMENT
