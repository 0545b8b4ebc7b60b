"""Whole real Markdown trees on real WordPress, looked at record by record without the client."""

from __future__ import annotations

import json
import re
import shutil
import time
import tomllib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.live import expected
from tests.live.live import Eyes, Live, live, visit
from tests.support import replay
from tests.support.corpora import unpack

from pressync.model.changes import Result

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.live.expected import Page
    from tests.live.live import Row
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

pytestmark = pytest.mark.corpus

# Two files show an alert's source in a code block, which our plain pattern takes for an alert; two have
# a footnote or a fence inside of which the renderers truly differ.
RENDERED_OTHERWISE = {
    "content/pages/contribute/documentation/index.md",
    "content/pages/installation/windows.md",
    "content/pages/methods/page/GitInfo.md",
    "content/pages/render-hooks/blockquotes.md",
}

# Every so many pages are opened as a visitor does.
VISITED = 40


def plant(repository: SampleRepository, tree: Path) -> dict[str, Page]:
    """Commit a tree as pages, and give what each of them should say."""
    shutil.copytree(tree, repository.root / "content/pages", ignore=shutil.ignore_patterns("bin", "*.json"))
    repository.commit()
    return expected.pages(repository.root)


@pytest.mark.one_site
def test_a_handbook_of_720_pages_is_on_the_site_page_by_page(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path
) -> None:
    pages = plant(repository, unpack("wp-cli-handbook", tmp_path / "tree"))
    site = live(repository, line, wordpress)

    outcomes = timed_sync(site, line, wordpress)

    assert outcomes == {Result.DONE: 720}
    assert_shown(pages, site, wordpress)
    assert_second_sync_is_silent(site, line, wordpress)


@pytest.mark.one_site
def test_the_pages_of_a_hugo_site_are_on_the_site_page_by_page(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path
) -> None:
    pages = plant(repository, unpack("hugo-docs", tmp_path / "tree") / "content/en")
    site = live(repository, line, wordpress)

    first = timed_sync(site, line, wordpress)

    # Two of them name a layout of Hugo's, which is left out with a warning.
    assert first == {Result.DONE: 992}
    assert_shown(pages, site, wordpress)
    assert_second_sync_is_silent(site, line, wordpress)


@pytest.mark.one_site
def test_the_posts_of_a_blog_have_their_dates_and_terms(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path
) -> None:
    posts = dated(unpack("rust-blog", tmp_path / "tree") / "content")
    repository.commit({path: post.text for path, post in posts.items()})
    site = live(repository, line, wordpress)

    outcomes = timed_sync(site, line, wordpress)

    assert outcomes == {Result.DONE: len(posts)}
    eyes, ids = Eyes(wordpress), site.ids()
    rows, names = eyes.rows("post"), {field: eyes.terms(field) for field in ("categories", "tags")}
    assert sorted(ids.values()) == sorted(rows)
    for path, post in posts.items():
        row = rows[ids[path]]
        # Two spellings of one name are one term, and the first gives it its capitals.
        found = {field: {names[field][number].casefold() for number in row[field]} for field in names}
        assert (row["title"]["raw"], row["date"]) == (post.title, post.date)
        assert found == {"categories": {post.category.casefold()}, "tags": {t.casefold() for t in post.tags}}
    for terms in names.values():
        assert len(terms) == len({name.casefold() for name in terms.values()})
    assert_second_sync_is_silent(site, line, wordpress)


# Each takes a minute, and the versions differ in nothing that a replay shows, so one of them is enough.
@pytest.mark.parametrize("wordpress", ["mid"], indirect=True)
@pytest.mark.parametrize("name", replay.TREES)
def test_twenty_upstream_commits_of_an_unseen_tree_are_on_the_site_after_one_sync_each(
    wordpress: Site, line: Line, tmp_path: Path, name: str
) -> None:
    upstream = replay.Replay.of(name, tmp_path / "tree")
    site = Live(upstream.root, f"{line.url}/wp-json", password=wordpress.passwords["admin"])

    upstream.run(site)

    documents, wrong = replay.differing(site)
    assert wrong == []
    assert documents == sum(len(Eyes(wordpress).rows(kind)) for kind in ("page", "post"))
    print(f"\n{wordpress.version}: {dict(upstream.ended)}, {documents} documents")  # noqa: T201 - as below
    assert_second_sync_is_silent(site, line, wordpress)


@dataclass(frozen=True)
class Post:
    """A post of a blog, and what its front matter says of it."""

    text: str
    title: str
    date: str
    category: str
    tags: tuple[str, ...]


def dated(tree: Path) -> dict[str, Post]:
    """Give the posts of a Zola blog by their paths, their dates and authors written as WordPress has them."""
    posts = {}
    for file in sorted(tree.rglob("*.md")):
        _, head, body = file.read_text(encoding="utf-8").split("+++\n", 2)
        given = tomllib.loads(head)
        found = re.match(r"(?:inside-rust/)?(\d{4})/(\d\d)/(\d\d)/", given.get("path", ""))
        if not found:
            continue
        date = f"{'-'.join(found.groups())}T12:00:00"
        category = "Blog/Inside" if "inside-rust" in file.parts else "Blog"
        tags = tuple(dict.fromkeys(" ".join(name.split()) for name in given.get("authors", ())))
        lines = f"date = {date}\ncategories = {json.dumps([category])}\ntags = {json.dumps(tags)}\n"
        text = f"+++\n{lines}{head}+++\n{body}"
        path = f"content/posts/{file.relative_to(tree)}"
        posts[path] = Post(text, given["title"].strip(), date, category.rpartition("/")[2], tags)
    return posts


def timed_sync(site: Live, line: Line, wordpress: Site) -> Counter[Result]:
    """Sync, print what it took, and count how the changes ended."""
    passed, start = len(line.passed), time.monotonic()
    run = site.sync(keep_going=True)
    seconds = time.monotonic() - start
    counts = Counter(outcome.result for outcome in run.outcomes)
    print(  # noqa: T201 - the figures of a live run are for a person
        f"\n{wordpress.version}: {counts[Result.DONE]} pages, {seconds:.1f} s, "
        f"{len(line.passed) - passed} requests"
    )
    return counts


def assert_shown(pages: Mapping[str, Page], site: Live, wordpress: Site) -> None:
    """Compare every record with its page, field by field, and open some as a visitor does."""
    rows, ids = Eyes(wordpress).rows(), site.ids()

    assert sorted(ids) == sorted(pages)
    assert sorted(ids.values()) == sorted(rows)
    wrong = {path: found for path, page in pages.items() if (found := differing(path, page, rows, ids))}
    assert wrong == {}
    for path in sorted(pages)[::VISITED]:
        row = rows[ids[path]]
        if row["status"] == "publish":
            assert row["content"]["rendered"].strip() in visit(row["link"])


def differing(path: str, page: Page, rows: Mapping[int, Row], ids: Mapping[str, int]) -> list[str]:
    """Name what a record says otherwise than its page."""
    row = rows[ids[path]]
    same = {
        "title": page.title == row["title"]["raw"],
        "parent": (ids[page.parent] if page.parent else 0) == row["parent"],
        "menu_order": page.menu_order == row["menu_order"],
        "status": page.status == row["status"],
        "excerpt": page.excerpt == row["excerpt"]["raw"],
        "content": page.words == expected.words(row["content"]["raw"]) or path in RENDERED_OTHERWISE,
        # WordPress's typesetter left it alone.
        "tags": expected.tags(row["content"]["raw"]) == expected.tags(row["content"]["rendered"]),
    }
    return [name for name, is_same in same.items() if not is_same]


def assert_second_sync_is_silent(site: Live, line: Line, wordpress: Site) -> None:
    """Sync once more: no request at all, and no record touched."""
    before, passed = touched(wordpress), len(line.passed)

    run = site.sync()

    assert run.outcomes == ()
    assert len(line.passed) == passed
    assert touched(wordpress) == before


def touched(wordpress: Site) -> dict[int, str]:
    """Give when each record was last touched."""
    return {number: row["modified_gmt"] for number, row in Eyes(wordpress).rows().items()}
