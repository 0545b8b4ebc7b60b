"""The addresses of a site. Hugo 0.168 itself built these trees and gave the addresses in the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import tree

from pressync.importers.hugo.addresses import address_of, aliases_of
from pressync.importers.hugo.config import read_config
from pressync.importers.hugo.pages import HugoPage, read_pages

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {
    "Hello World.md": "",
    "about.md": "date: 2024-05-06",
    "docs/Über uns.md": "",
    "docs/a.b.md": "",
    "docs/A & B (c).md": "",
    "docs/c%23.md": "",
    "docs/f#.md": "",
    "docs/plus+at@tilde~.md": "",
    "docs/日本.md": "",
    "docs/deep/er/x.md": "",
    "docs/bundle/index.md": "slug: bundled",
    "docs/slugged.md": "slug: My Slug & More",
    "docs/slugslash.md": "slug: a/b",
    "docs/url1.md": "url: /Abs/URL",
    "docs/url2.md": "url: rel/url.html",
    "docs/url3.md": "url: /with space/",
    "docs/urltok.md": "url: '/t/:year/:slug'\ntitle: Tok En\ndate: 2020-02-03",
    "Docs2/Sub Dir/_index.md": "",
    "Docs2/Sub Dir/Page.md": "",
    "posts/_index.md": "slug: nope",
    "posts/2024-01-31-dated.md": "title: 'A Title: With / Slash?'\ndate: 2024-01-31T23:30:00-05:00",
}


def addresses(folder: Path, settings: str, pages: dict[str, str]) -> dict[str, str]:
    """Give the address of each page of a site, by its path in the content."""
    files = {f"content/{path}": f"---\n{head}\n---\n" for path, head in pages.items()}
    site = tree(folder, {"hugo.toml": settings, **files})
    config = read_config(site)
    return {
        page.file.removeprefix("content/"): address_of(page, config)
        for page in read_pages(site, config)
        if isinstance(page, HugoPage)
    }


def test_addresses_without_settings_are_those_of_the_files(tmp_path: Path) -> None:
    assert addresses(tmp_path, "", NAMES) == {
        "Hello World.md": "/hello-world/",
        "about.md": "/about/",
        "docs/Über uns.md": "/docs/%C3%BCber-uns/",
        "docs/a.b.md": "/docs/a.b/",
        "docs/A & B (c).md": "/docs/a--b-c/",
        "docs/c%23.md": "/docs/c%23/",
        "docs/f#.md": "/docs/f%23/",
        "docs/plus+at@tilde~.md": "/docs/plus+at@tilde~/",
        "docs/日本.md": "/docs/%E6%97%A5%E6%9C%AC/",
        "docs/deep/er/x.md": "/docs/deep/er/x/",
        "docs/bundle/index.md": "/docs/bundled/",
        "docs/slugged.md": "/docs/my-slug-more/",
        "docs/slugslash.md": "/docs/a/b/",
        "docs/url1.md": "/Abs/URL/",
        "docs/url2.md": "/rel/url.html",
        "docs/url3.md": "/with%20space/",
        "docs/urltok.md": "/t/2020/tok-en/",
        "Docs2/Sub Dir/_index.md": "/docs2/sub-dir/",
        "Docs2/Sub Dir/Page.md": "/docs2/sub-dir/page/",
        "posts/_index.md": "/nope/",
        "posts/2024-01-31-dated.md": "/nope/2024-01-31-dated/",
    }


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (
            'baseURL = "https://example.org/sub/"\n',
            {"about.md": "/sub/about/", "docs/url1.md": "/sub/Abs/URL/"},
        ),
        (
            "disablePathToLower = true\n",
            {"docs/A & B (c).md": "/docs/A-B-c/", "Docs2/Sub Dir/Page.md": "/Docs2/Sub-Dir/Page/"},
        ),
        ("removePathAccents = true\n", {"docs/Über uns.md": "/docs/uber-uns/"}),
        (
            "uglyURLs = true\n",
            {
                "about.md": "/about.html",
                "Docs2/Sub Dir/_index.md": "/docs2/sub-dir/index.html",
                "docs/url1.md": "/Abs/URL/",
            },
        ),
        (
            "[uglyURLs]\ndocs2 = true\n",
            {"about.md": "/about/", "Docs2/Sub Dir/Page.md": "/docs2/sub-dir/page.html"},
        ),
        (
            (
                '[frontmatter]\ndate = [":filename", ":default"]\n'
                '[permalinks]\nposts = "/:year/:month/:day/:title/"\n'
                'docs = "/d/:sections/:slugorcontentbasename/"\n'
                'docs2 = "/:section/:sections[last]/:yearday/:monthname/:weekdayname/"\n'
            ),
            {
                "posts/2024-01-31-dated.md": "/2024/01/31/a-title-with-slash/",
                "posts/_index.md": "/nope/",
                "docs/f#.md": "/d/docs/f/",
                "docs/plus+at@tilde~.md": "/d/docs/plus-at@tilde~/",
                "docs/bundle/index.md": "/d/docs/bundled/",
                "docs/deep/er/x.md": "/d/docs/x/",
                "Docs2/Sub Dir/Page.md": "/docs2/sub-dir/1/january/monday/",
            },
        ),
        (
            (
                '[permalinks.page]\nposts = "/:year/:slug"\ndocs = "/:sections[1:]/:slug.html"\n'
                '[permalinks.section]\nposts = "/blog/:sections[²]"\n'
            ),
            {
                "posts/2024-01-31-dated.md": "/2024/a-title-with-slash/",
                "docs/bundle/index.md": "/bundled.html/",
                "posts/_index.md": "/blog/",
            },
        ),
        (
            '[permalinks]\nposts = "/D/:2006-01/:slug"\n',
            {"posts/2024-01-31-dated.md": "/d/2024-01/a-title-with-slash/"},
        ),
        (
            (
                '[[permalinks]]\npattern = "/arr/:slug/"\n[permalinks.target]\npath = "{/docs/**}"\n'
                '[[permalinks]]\npattern = "/rest/:sections/:contentbasename/"\n'
                '[permalinks.target]\nkind = "page"\n'
            ),
            {
                "docs/slugged.md": "/arr/my-slug-more/",
                "about.md": "/rest/about/",
                "Docs2/Sub Dir/Page.md": "/rest/docs2/sub-dir/page/",
            },
        ),
    ],
)
def test_settings_decide_addresses(tmp_path: Path, settings: str, expected: dict[str, str]) -> None:
    found = addresses(tmp_path, settings, NAMES)
    assert {path: found[path] for path in expected} == expected


LANGUAGES = "[languages.en]\nweight = 1\n[languages.de]\nweight = 2\n"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (LANGUAGES, ["/about/", "/de/about/", "/abs/x/", "/de/rel/y/", "/de/docs/b/", "/docs/z.fr/"]),
        (
            "defaultContentLanguageInSubdir = true\n" + LANGUAGES,
            ["/en/about/", "/de/about/", "/abs/x/", "/de/rel/y/", "/de/docs/b/", "/en/docs/z.fr/"],
        ),
    ],
)
def test_languages_have_prefixes(tmp_path: Path, settings: str, expected: list[str]) -> None:
    pages = {
        "about.md": "",
        "about.de.md": "",
        "docs/x.de.md": "url: /abs/x/",
        "docs/y.de.md": "url: rel/y",
        "docs/b/index.de.md": "",
        "docs/z.fr.md": "",
    }
    found = addresses(tmp_path, f'defaultContentLanguage = "en"\n{settings}', pages)
    assert [found[path] for path in pages] == expected


def test_aliases_begin_at_the_root_of_the_language_or_beside_the_page(tmp_path: Path) -> None:
    head = "---\naliases: [/old, older, ../up/x.html, 'https://example.org/no', /de/da]\n---\n"
    site = tree(tmp_path, {"hugo.toml": LANGUAGES, "content/docs/a.de.md": head})
    config = read_config(site)
    (page,) = [each for each in read_pages(site, config) if isinstance(each, HugoPage)]
    assert aliases_of(page, address_of(page, config), config) == (
        "/de/old/",
        "/de/docs/older/",
        "/de/up/x.html",
        "/de/da/",
        "/de/de/da/",
    )


def test_a_date_that_the_calendar_does_not_have_is_the_first_day(tmp_path: Path) -> None:
    found = addresses(
        tmp_path, '[permalinks]\nposts = "/:year/:slug"\n', {"posts/a.md": "slug: a\ndate: 2024-02-31"}
    )
    assert found == {"posts/a.md": "/0001/a/"}
