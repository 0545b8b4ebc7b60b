"""The meaning of front matter, key by key and together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.config.settings import Settings, load
from pressync.content.documents import DocumentReader
from pressync.content.front_matter.keys import Meaning, interpret
from pressync.content.front_matter.value import given
from pressync.model.interface import Kind
from pressync.model.records import Document, Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.content.read_files import ReadFile


def meaning(front_matter: dict[str, object], kind: Kind = Kind.PAGE, *, shared: bool = False) -> Meaning:
    lines = {key: line for line, key in enumerate(front_matter, 2)}
    values = given(front_matter, lines).value
    assert isinstance(values, dict)
    return interpret(values, kind, "a.md", shared=shared)


def problems(front_matter: dict[str, object], kind: Kind = Kind.PAGE, *, shared: bool = False) -> list[str]:
    return [str(problem) for problem in meaning(front_matter, kind, shared=shared).problems]


def test_what_is_no_field_stands_beside_the_fields() -> None:
    said = meaning(
        {"parent": "docs", "layout": "wide", "id": 7, "protect": True, "aliases": ["/a"], "type": "page"}
    )
    assert (said.parent, said.parent_line, said.layout, said.bound_id) == ("docs", 2, "wide", 7)
    assert (said.protect, said.aliases, said.fields, said.extra) == (True, ("/a",), {}, {})


@pytest.mark.parametrize(
    ("front_matter", "fields"),
    [
        ({"draft": True}, {"status": "draft"}),
        ({"draft": False}, {}),
        ({"published": False}, {"status": "draft"}),
        # A date with an offset is a moment.
        ({"date": "2024-01-31T10:00:00+02:00"}, {"date_gmt": "2024-01-31T08:00:00"}),
        # MkDocs writes a table.
        ({"date": {"created": "2026-02-18", "updated": "2026-02-20"}}, {"date": "2026-02-18T00:00:00"}),
        ({"description": "d", "summary": "s", "excerpt": "e"}, {"excerpt": "e"}),
        ({"description": "d"}, {"excerpt": "d"}),
        ({"weight": 5}, {"menu_order": 5}),
        ({"weight": 5, "menu_order": 1}, {"menu_order": 1}),
        ({"categories": []}, {}),
    ],
)
def test_a_key_of_ours_or_of_another_tool_is_a_field(
    front_matter: dict[str, object], fields: dict[str, object]
) -> None:
    said = meaning(front_matter)
    assert (said.fields, said.problems) == (fields, ())


@pytest.mark.parametrize(
    ("front_matter", "kind", "told"),
    [
        ({"status": "publish", "draft": True}, Kind.PAGE, "3: 'draft: true' contradicts 'status: publish'"),
        ({"date": "2024-01-31", "date_gmt": "2024-01-31"}, Kind.PAGE, "3: date and date_gmt are both named"),
        ({"sticky": True}, Kind.PAGE, "2: pages have no sticky; 'sticky' is left to the templates"),
        ({"parent": 3}, Kind.POST, "2: posts have no parent; 'parent' is left to the templates"),
        ({"content": "x"}, Kind.PAGE, "2: the content is the text after the front matter; 'content' is left"),
    ],
)
def test_a_key_that_contradicts_another_or_says_nothing_here_is_told(
    front_matter: dict[str, object], kind: Kind, told: str
) -> None:
    (problem,) = problems(front_matter, kind)
    assert problem.startswith(f"a.md:{told}")


def test_templates_have_what_is_not_a_field_in_silence() -> None:
    three: dict[str, object] = {"description": "d", "summary": "s", "excerpt": "e"}
    assert meaning(three).extra == {"description": "d", "summary": "s"}
    post = meaning({"weight": 5}, Kind.POST)
    assert (post.fields, post.extra, post.problems) == ({}, {"weight": 5}, ())
    assert meaning({"categories": []}).extra == {"categories": []}
    extra: dict[str, object] = {"linkTitle": "x", "cascade": [{"a": 1}], "our_own": {"n": [1, 2.5, "x"]}}
    said = meaning(extra)
    assert (said.fields, said.extra, said.problems) == ({}, extra, ())
    assert meaning({"title": None, "status": None, "id": None, "toc": None}) == Meaning({})


@pytest.mark.parametrize(
    ("key", "value", "ours"),
    [
        ("id", "versioning", "the number of a record on the site"),
        ("template", "home.html", "the name of a template of the site's theme"),
        ("type", "paper", "page, post, none"),
    ],
)
def test_a_value_with_the_meaning_of_another_tool_is_a_warning(key: str, value: object, ours: str) -> None:
    said = meaning({"title": "x", key: value})
    assert [problem.warning for problem in said.problems] == [True]
    assert str(said.problems[0]) == (
        f"a.md:3: its {key} belongs to another tool; it is left out; here {key} is {ours}"
    )
    assert (said.fields, said.bound_id, said.extra) == ({"title": "x"}, None, {key: value})


def test_defaults_must_not_name_what_is_one_files_alone() -> None:
    assert problems({"id": 7, "slug": "x"}, shared=True) == [
        f"a.md:{line}: '{key}' cannot be a default: two records cannot share it; name it in the file"
        for line, key in ((2, "id"), (3, "slug"))
    ]
    assert problems({"sticky": True, "status": "draft"}, shared=True) == []


def settings() -> Settings:
    return load('[sites.live]\nurl = "https://example.org/wp-json"\n', where="", environ={})


def addresses(front_matter: str, inner: str = "pages/docs/a.md") -> tuple[str, ...]:
    result = reading(front_matter, inner)
    assert result.document, result.problems
    return result.document.aliases


def reading(front_matter: str, inner: str = "pages/docs/a.md") -> ReadFile:
    data = f"---\n{front_matter}\n---\n".encode()
    return DocumentReader(settings()).read(Source(f"content/{inner}", "b10b"), data)


@pytest.mark.parametrize(
    ("front_matter", "found"),
    [
        ("aliases: [/old/, /older]", ("/old/", "/older")),
        ("redirect_from:\n  - /a/\n  - b/", ("/a/", "/b/")),
        ("permalink: team/", ("/team/",)),
        ("url: /commands/hugo_mod_tidy/", ("/commands/hugo_mod_tidy/",)),
        ("path: 2025/06/26/Rust-1.88.0", ("/2025/06/26/Rust-1.88.0",)),
        ("url: /a/\npermalink: /a/\naliases: [/a/]", ("/a/",)),
        ("aliases: [https://Example.org/old/?p=1]", ("/old/?p=1",)),
        ("aliases: [https://old.test/a/]", ("https://old.test/a/",)),
        ("redirect_from: [http://example.org]", ("/",)),
    ],
)
def test_the_keys_of_other_tools_are_old_addresses(front_matter: str, found: tuple[str, ...]) -> None:
    assert addresses(front_matter) == found
    assert reading(front_matter).problems == ()


@pytest.mark.parametrize(
    ("alias", "inner", "found"),
    [
        ("old/", "pages/docs/a.md", ("/old/", "/docs/old/")),
        ("old", "docs/x/a.md", ("/old", "/docs/x/old")),
        ("old/", "docs/a/index.md", ("/old/", "/docs/old/")),
        ("old/", "docs/_index.md", ("/old/",)),
        ("./old/", "docs/a.md", ("/docs/old/",)),
        ("../../../../old/", "docs/a.md", ("/old/",)),
    ],
)
def test_an_alias_begins_at_the_root_and_beside_its_page(
    alias: str, inner: str, found: tuple[str, ...]
) -> None:
    assert addresses(f"type: page\naliases: [{alias}]", inner) == found


@pytest.mark.parametrize("key", ["permalink", "url"])
@pytest.mark.parametrize(
    "value", ["/:categories/:title/", "/blog/:year-:month/", "'{{ page.slug }}/index.html'"]
)
def test_an_address_with_placeholders_is_left_out_with_a_warning(key: str, value: str) -> None:
    assert addresses(f"{key}: {value}") == ()
    (problem,) = reading(f"{key}: {value}").problems
    assert str(problem) == (
        f"content/pages/docs/a.md:2: its {key} has placeholders of another tool; "
        "it is left out; write its old address in `aliases`"
    )


def test_an_alias_with_a_blank_is_kept_with_a_warning() -> None:
    assert addresses("aliases: [/a b/, /c%20d/]") == ("/a b/", "/c%20d/")
    (problem,) = reading("aliases: [/a b/, /c%20d/]").problems
    told = "its alias '/a b/' has a blank, which no address has; write `%20` in its place"
    assert (problem.warning, str(problem)) == (True, f"content/pages/docs/a.md:2: {told}")


@pytest.mark.parametrize(
    "front_matter",
    [
        *("permalink: pretty", "permalink: {build: /a/}", "url: https://elsewhere.test/x"),
        *("redirect_from: 7", "redirect_from: ['', {a: b}]", "url:"),
    ],
)
def test_anything_else_is_left_to_the_templates(front_matter: str) -> None:
    assert addresses(front_matter) == ()
    assert reading(front_matter).problems == ()


TABLE: dict[str, str | int] = {"Jane Doe": "jane", "Bot": "", "Anna": 3, "*": "editor"}


def with_authors(front_matter: str, users: Mapping[str, str | int] | None = None) -> ReadFile:
    reader = DocumentReader(settings()._replace(authors=TABLE if users is None else users))
    return reader.read(Source("content/pages/a.md", "b10b"), f"---\n{front_matter}\n---\n".encode())


def document(front_matter: str, users: Mapping[str, str | int] | None = None) -> Document:
    result = with_authors(front_matter, users)
    assert result.document, result.problems
    return result.document


@pytest.mark.parametrize(
    ("front_matter", "user"),
    [
        ("author: Jane Doe", "jane"),
        ("author: jane  doe", "jane"),
        ("author: John Roe, Example Ltd.", "editor"),
        ("author: [Jane Doe, John Roe]", "jane"),
        ("authors: [Jane Doe]", "jane"),
        ("authors: [{name: Jane Doe, url: x}]", "jane"),
        ("author: Jane Doe\nauthors: [John Roe]", "jane"),
        ("author:\nauthors: [Jane Doe]", "jane"),
    ],
)
def test_an_author_becomes_the_user_of_the_table(front_matter: str, user: str) -> None:
    (mention,) = document(front_matter).mentions
    assert (mention.field, mention.given) == ("author", (user,))
    assert [document(f"author: {each}").fields["author"] for each in ("Anna", "7")] == [3, 7]
    # Two people may differ in the case of their names, and one whom the table does not name is a user.
    users = {"Matz": "yukihiro", "matz": "matthias"}
    found = [document(f"author: {name}", users).mentions[0].given[0] for name in (*users, "anna")]
    assert found == ["yukihiro", "matthias", "anna"]


@pytest.mark.parametrize("front_matter", ["author: Bot", "author: []", "authors: [{url: x}]", "author: ''"])
def test_an_empty_user_leaves_the_author_out(front_matter: str) -> None:
    found = document(front_matter)
    assert found.mentions == ()
    assert "author" not in found.fields


def test_templates_have_the_words_of_the_file_and_several_authors_are_told() -> None:
    assert document("author: Jane Doe").extra == {"author": "Jane Doe"}
    assert document("authors: [Jane Doe, John Roe]").extra == {
        "author": "jane",
        "authors": ["Jane Doe", "John Roe"],
    }
    without = document("authors: [Jane Doe, John Roe]", {})
    assert (without.mentions, without.extra) == ((), {"authors": ["Jane Doe", "John Roe"]})
    assert [str(each) for each in with_authors("title: x\nauthors: [Jane Doe, John Roe]").problems] == [
        "content/pages/a.md:3: it has several authors, and a record has one; the first is taken"
    ]
    assert with_authors("authors: [Jane Doe]").problems == ()
