"""Old addresses as other tools write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.content.documents import Defaults, read
from pressync.model.records import Source

if TYPE_CHECKING:
    from pressync.content.documents import ParsedFile


def addresses(front_matter: str, inner: str = "pages/docs/a.md") -> tuple[str, ...]:
    result = reading(front_matter, inner)
    assert result.document, result.problems
    return result.document.aliases


def reading(front_matter: str, inner: str = "pages/docs/a.md") -> ParsedFile:
    data = f"---\n{front_matter}\n---\n".encode()
    return read(
        Source(f"content/{inner}", "b10b"), data, content="content", defaults=Defaults({}), host="example.org"
    )


@pytest.mark.parametrize(
    ("front_matter", "found"),
    [
        ("aliases: [/old/, /older]", ("/old/", "/older")),
        ("redirect_from: /old.html", ("/old.html",)),
        ("redirect_from:\n  - /a/\n  - b/", ("/a/", "/b/")),
        ("permalink: /about.html", ("/about.html",)),
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
        ("old.html", "pages/a.md", ("/old.html",)),
        ("./old/", "docs/a.md", ("/docs/old/",)),
        ("../old/", "docs/x/a.md", ("/docs/old/",)),
        ("../../../../old/", "docs/a.md", ("/old/",)),
    ],
)
def test_an_alias_without_a_slash_begins_at_the_root_and_beside_its_page(
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


@pytest.mark.parametrize(
    "front_matter",
    [
        "permalink: pretty",
        "permalink: false",
        "permalink: {build: /a/}",
        "url: https://elsewhere.test/x",
        "url: //[",
        "redirect_from: 7",
        "redirect_from: ['', {a: b}]",
        "path: My Files",
        "url:",
    ],
)
def test_anything_else_is_left_to_the_templates(front_matter: str) -> None:
    assert addresses(front_matter) == ()
    assert reading(front_matter).problems == ()
