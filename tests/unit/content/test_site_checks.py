"""The links between documents; `tests/unit/cli/commands/test_check.py` has them in whole repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import desired

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.content.site_checks import Addresses, PageLinks, SiteLinks, passed_over
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.content.render.renderer import Rendered
    from pressync.model.records import Document

A, B = "content/pages/a.md", "content/pages/b.md"
GUIDE, SETUP, POST = "content/pages/guide/index.md", "content/pages/guide/setup.md", "content/posts/hello.md"
DOCUMENTS = {
    GUIDE: desired(GUIDE, slug="guide", parent_path=None, aliases=("/old-guide/", "//[")),
    SETUP: desired(SETUP, slug="set-up", parent_path=GUIDE),
    POST: desired(POST, kind=Kind.POST, slug="hello", parent_path=None),
}
UNANSWERED = ("/set-up/", "/guide/setup/", "/nowhere/", "/images/a.png", "/feedback/")
SETTINGS = 'exclude = ["drafts/**"]\ntemplates = "content/theme"\n'


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


def test_the_files_that_broken_links_seem_to_mean_are_collected(repository: SampleRepository) -> None:
    repository.commit({A: "[x](old) [y](b.md) [z](/gone/)\n", B: "# B\n"})
    missing, _ = links(repository)
    assert missing >= {"content/pages/old.md", "content/pages/old/index.md", "content/pages/gone.md"}
    assert B not in missing


def test_a_page_names_a_hundred_dead_links_at_most(repository: SampleRepository) -> None:
    repository.commit({A: "".join(f"[x](b.md#p{n}) [y](/no{n}/)\n" for n in range(150)), B: "# B\n"})
    assert len(links(repository)[1]) == 200


@pytest.mark.parametrize(
    "address",
    [
        *("/", "/guide/", "/Guide/Set-Up/", "/old-guide", "/hello/", "/2024/01/31/hello/"),
        *("/wp-content/uploads/a.pdf", "/category/news/", "/feed/"),
    ],
)
def test_these_are_answered_or_may_be(address: str) -> None:
    addresses = Addresses(DOCUMENTS, ["content/pages/broken.md"], None)
    assert addresses.answer("/broken/")
    assert addresses.answer(address)
    assert [address for address in UNANSWERED if addresses.answer(address)] == []


def test_addresses_begin_at_the_path_of_the_site_and_follow_parents() -> None:
    addresses = Addresses(DOCUMENTS, [], "https://example.org/blog/wp-json")
    assert addresses.of(SETUP) == "/blog/guide/set-up/"
    assert addresses.answer("/blog/guide/")
    assert not addresses.answer("/guide/"), "a page of this site would be below /blog/"
    assert addresses.answer("/shop/"), "another site may be there"
    addresses = Addresses({**DOCUMENTS, "a.md": desired("a.md", slug="a", parent_path="a.md")}, [], None)
    assert addresses.of(POST) is None
    assert addresses.of("a.md") == "/a/"


def test_mdx_and_html_are_told_of_and_templates_are_not(repository: SampleRepository) -> None:
    told = ["content/pages/a.mdx", "content/pages/b.HTML", "content/_posts/c.htm"]
    silent = [
        *("other/a.html", "content/theme/page.html", "content/_layouts/b.html"),
        *("content/pages/static/c.html", "content/.hidden/d.html", "content/drafts/e.mdx"),
        *("content/pages/f.md", "content/pages/g.css"),
    ]
    repository.commit({"pressync.toml": SETTINGS, **dict.fromkeys([*told, *silent], "text\n")})
    with Workspace.open(repository.root, environ={}) as workspace:
        found = list(passed_over(workspace.content(Revision())))
    assert sorted(problem.path for problem in found) == sorted(told)
    assert all(problem.warning and problem.what and problem.todo for problem in found)
