"""The links between documents; `tests/unit/app/test_check.py` has them in whole repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.content.checks.addresses import Addresses
from pressync.content.checks.site_links import PageLinks, SiteLinks

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.content.render.renderer import Rendered
    from pressync.model.records import Document

A, B = "content/pages/a.md", "content/pages/b.md"


def links(repository: SampleRepository) -> tuple[set[str], list[str]]:
    """Read all documents; give the missing files, and the problems of their links as text."""
    pages: dict[str, PageLinks] = {}

    def collect(document: Document, rendered: Rendered) -> None:
        pages[document.path] = PageLinks.of(document, rendered)

    with Workspace.open(repository.root, environ={}) as workspace:
        content = workspace.content(Revision(), on_rendered=collect)
        for path in content.sources:
            content.read(path, {})
        found = SiteLinks(content, pages, Addresses({}, [], None))
        return found.missing(), [str(problem) for problem in found.problems({})]


def test_the_files_that_broken_links_and_dead_addresses_seem_to_mean_are_collected(
    repository: SampleRepository,
) -> None:
    repository.commit({A: "[x](old) [y](b.md) [z](/gone/)\n", B: "# B\n"})
    missing, _ = links(repository)
    assert missing >= {"content/pages/old.md", "content/pages/old/index.md", "content/pages/gone.md"}
    assert B not in missing


def test_a_page_that_cannot_be_rendered_is_not_blamed_for_its_places(repository: SampleRepository) -> None:
    repository.commit(
        {
            A: "[x](b.md#place)\n",
            B: "---\nlayout: odd\n---\n## Other\n",
            "templates/odd.html": "{{ nothing }}",
            "templates/page.html": "{{ content }}",
        }
    )
    assert links(repository)[1] == []


def test_a_page_names_a_hundred_dead_links_at_most(repository: SampleRepository) -> None:
    repository.commit({A: "".join(f"[x](b.md#p{n}) [y](/no{n}/)\n" for n in range(150)), B: "# B\n"})
    assert len(links(repository)[1]) == 200
