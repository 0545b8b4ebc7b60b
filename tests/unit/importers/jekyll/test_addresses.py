"""Every address is the one that Jekyll 4.3.1 gave for the same site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unit.importers.jekyll.sites import EMPTY, item, items

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "_posts/2024-01-31-hello-world.md": "---\ntitle: Hello\n---\n",
    "_posts/2024-1-5-Upper_case & more.md": "---\ncategories: Two Words\n---\n",
    "_posts/deep/2024-02-01-in-a-folder.md": "---\ncategory: One Thing\ncategories: [Über, b]\n---\n",
    "blog/_posts/2024-03-01-above.markdown": "---\nslug: Own Slug\n---\n",
    "_posts/2024-04-01-late.md": "---\ndate: 2024-04-02 23:30:00 -0500\n---\n",
    "_posts/2024-05-01-fixed.md": "---\npermalink: /fixed/:year/:title.html\n---\n",
    "_posts/2024-06-01-dots...md": EMPTY,
    "about.md": EMPTY,
    "docs/index.md": EMPTY,
    "docs/set up.md": EMPTY,
    "docs/own.html": "---\npermalink: /somewhere/else/\n---\n",
    "index.html": EMPTY,
    "_recipes/soups/onion.md": EMPTY,
    "_recipes/bread.md": EMPTY,
    "_pages/extra.md": EMPTY,
}
CONFIG = """\
include: [_pages]
exclude: [skip]
collections:
  recipes: {output: true}
defaults:
- scope: {path: '', type: posts}
  values: {category: All}
- scope: {path: _posts/deep}
  values: {permalink: '/deep/:title/'}
"""
HELLO, UPPER = "_posts/2024-01-31-hello-world.md", "_posts/2024-1-5-Upper_case & more.md"
ABOVE, ONION = "blog/_posts/2024-03-01-above.markdown", "_recipes/soups/onion.md"


def addresses(folder: Path, config: str) -> dict[str, str]:
    """Give the addresses of all files."""
    return {path: each.address for path, each in items(folder, FILES, config + CONFIG).items()}


def test_the_addresses_without_a_setting(tmp_path: Path) -> None:
    assert addresses(tmp_path, "") == {
        HELLO: "/all/2024/01/31/hello-world.html",
        UPPER: "/two/words/all/2024/01/05/Upper_case-&-more.html",
        "_posts/deep/2024-02-01-in-a-folder.md": "/deep/in-a-folder/",
        ABOVE: "/blog/all/2024/03/01/Own-Slug.html",
        "_posts/2024-04-01-late.md": "/all/2024/04/03/late.html",
        "_posts/2024-05-01-fixed.md": "/fixed/2024/fixed.html",
        "_posts/2024-06-01-dots...md": "/all/2024/06/01/dots.html",
        "_recipes/bread.md": "/recipes/bread.html",
        ONION: "/recipes/soups/onion.html",
        "about.md": "/about.html",
        "_pages/extra.md": "/_pages/extra.html",
        "index.html": "/",
        "docs/index.md": "/docs/",
        "docs/own.html": "/somewhere/else/",
        "docs/set up.md": "/docs/set%20up.html",
    }


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (
            "pretty",
            [
                "/all/2024/01/31/hello-world/",
                "/two/words/all/2024/01/05/Upper_case-&-more/",
                "/blog/all/2024/03/01/Own-Slug/",
                "/recipes/soups/onion/",
                "/about/",
            ],
        ),
        (
            "ordinal",
            [
                "/all/2024/031/hello-world.html",
                "/two/words/all/2024/005/Upper_case-&-more.html",
                "/blog/all/2024/061/Own-Slug.html",
                "/recipes/soups/onion.html",
                "/about.html",
            ],
        ),
        (
            "none",
            [
                "/all/hello-world.html",
                "/two/words/all/Upper_case-&-more.html",
                "/blog/all/Own-Slug.html",
                "/recipes/soups/onion.html",
                "/about.html",
            ],
        ),
        (
            "weekdate",
            [
                "/all/2024/W05/Wed/hello-world.html",
                "/two/words/all/2024/W01/Fri/Upper_case-&-more.html",
                "/blog/all/2024/W09/Fri/Own-Slug.html",
                "/recipes/soups/onion",
                "/about",
            ],
        ),
        (
            "/:slugified_categories/:i_month/:i_day/:short_year/:slug/",
            [
                "/all/1/31/24/hello-world/",
                "/two/words/all/1/5/24/upper-case-more/",
                "/blog/all/3/1/24/own-slug/",
                "/recipes/soups/onion/",
                "/about/",
            ],
        ),
        (
            "/p/:collection/:path/:name:output_ext",
            [
                "/p/posts/2024-01-31-hello-world/2024-01-31-hello-world.html",
                "/p/posts/2024-1-5-Upper_case%20&%20more/2024-1-5-upper-case-more.html",
                "/p/posts/blog/2024-03-01-above/2024-03-01-above.html",
                "/recipes/soups/onion.html",
                "/about.html",
            ],
        ),
    ],
)
def test_the_addresses_of_each_style(tmp_path: Path, style: str, expected: list[str]) -> None:
    found = addresses(tmp_path, f'permalink: "{style}"\n')
    assert [found[path] for path in (HELLO, UPPER, ABOVE, ONION, "about.md")] == expected


def test_the_base_path_stands_in_front_and_the_time_zone_decides_the_day(tmp_path: Path) -> None:
    config = "baseurl: /base/\ntimezone: America/New_York\n"
    found = item(tmp_path, "---\ndate: 2024-04-03 01:30:00 +0000\n---\n", config, "_posts/2024-04-01-late.md")
    assert (found.address, found.date) == ("/base/2024/04/02/late.html", "2024-04-03T01:30:00+00:00")


def test_the_addresses_of_the_plugin_redirect_from_are_old_ones_too(tmp_path: Path) -> None:
    found = item(tmp_path, "---\nredirect_from: [/a/, b.html, 'https://else.test/']\n---\n", "baseurl: /x\n")
    assert found.aliases == ("/x/a/", "/x/b.html")
