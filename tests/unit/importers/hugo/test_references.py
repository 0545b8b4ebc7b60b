"""HugoReferences are resolved by path, beside the page, or by a unique name."""

from __future__ import annotations

import pytest

from pressync.importers.hugo.pages import HugoPage
from pressync.importers.hugo.references import HugoReferences
from pressync.importers.source_tree import Front

PAGES = {
    "docs/a": ("page", "/docs/a/"),
    "docs": ("section", "/docs/"),
    "docs/b/same": ("page", "/docs/b/same/"),
    "blog/same": ("page", "/blog/same/"),
    "blog/Only": ("page", "/blog/only/"),
    "": ("home", "/"),
}


def page(inner: str, kind: str, language: str = "en") -> HugoPage:
    return HugoPage(f"content/{inner}.md", inner, language, kind, Front())


SITE = HugoReferences(
    [
        *((page(inner, kind), address) for inner, (kind, address) in PAGES.items()),
        (page("docs/a", "page", "de"), "/de/docs/a/"),
    ]
)


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("/docs/a.md", "/docs/a/"),
        ("docs/a", "/docs/a/"),
        ("b/same.md#top", "/docs/b/same/#top"),
        ("../blog/same", "/blog/same/"),
        ("only.md", "/blog/only/"),
        ("/docs/_index.md", "/docs/"),
        ("/docs/", "/docs/"),
        ("/", "/"),
        ("#here", "#here"),
        ("same", ""),
        ("/same", ""),
        ("none.md", ""),
        ("", ""),
    ],
)
def test_a_reference_from_a_page_of_docs(written: str, address: str) -> None:
    assert SITE.address(page("docs/x", "page"), written) == address


def test_a_section_and_a_bundle_look_into_their_folder() -> None:
    assert SITE.address(page("docs", "section"), "a.md") == "/docs/a/"


def test_another_language_is_named() -> None:
    assert SITE.address(page("docs/x", "page"), "/docs/a", "de") == "/de/docs/a/"
