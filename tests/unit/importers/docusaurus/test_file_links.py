"""A link of a page leads to a file beside it, in its folder, in the site, or to a page's original."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import tree

from pressync.importers.docusaurus.config import Root
from pressync.importers.docusaurus.file_links import FileLinks, language

if TYPE_CHECKING:
    from pathlib import Path

FRENCH = Root("i18n/fr/content-docs/current", "fr/docs", original="docs")


@pytest.mark.parametrize(
    ("page", "root", "written", "link"),
    [
        ("docs/a/x.md", Root("docs", "docs"), "b.md", "../b.md"),
        ("docs/a/x.md", Root("docs", "docs"), "/b.md?q#f", "../b.md?q#f"),
        ("docs/a/x.md", Root("docs", "docs"), "../b.md", None),
        ("docs/a/x.md", Root("docs", "docs"), "/docs/b", None),
        ("docs/a/x.md", Root("docs", "docs"), "@site/static/a.png", "/base/a.png"),
        (f"{FRENCH.folder}/x.md", FRENCH, "./b.md", "../../../../docs/b.md"),
        (f"{FRENCH.folder}/x.md", FRENCH, "/docs/b", None),
        (f"{FRENCH.folder}/x.md", FRENCH, "/docs/c/#f", "/base/fr/docs/c/#f"),
    ],
)
def test_a_link_is_that_of_its_file_or_stays(
    tmp_path: Path, page: str, root: Root, written: str, link: str | None
) -> None:
    links = FileLinks(tree(tmp_path, {"docs/b.md": "", page: ""}), "/base", {"/base/fr/docs/c"})
    assert links.link(page, root, written) == link


def test_only_a_translated_folder_has_a_language() -> None:
    assert (language(FRENCH), language(Root("docs", "docs"))) == ("fr", "")
