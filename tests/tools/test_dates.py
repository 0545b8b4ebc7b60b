"""Each tool reads dates in its own way: the import has the tool's day and clock, and its address."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from tests.support.source_trees import tree
from tests.tools.builders import TOOLS, ZONE, build
from tests.tools.judge import built_pages, imported

from pressync.importing.account import Carried

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SPELLINGS = (
    "2015-01-15",
    "2015-01-15 23:30:00",
    "2015-01-15 23:30",
    "2015-01-15T23:30:00Z",
    "2015-01-15 23:30:00 -0500",
    "2015-1-5 3:04",
    "2015/01/15",
    "01/15/2015",
    "15 January 2015",
    "January 15, 2015",
    "2015-02-30",
    "1421364600",
    "tomorrow",
)
ENDS, TODAY = "the build ends", "the day of the build"
# The tools do not read these. No address is made of them, and the name of the file has the day.
UNREAD: Mapping[str, Mapping[str, str]] = {
    "jekyll": dict.fromkeys(("01/15/2015", "1421364600", "tomorrow"), ENDS),
    "hugo": dict.fromkeys(
        (
            *("2015-01-15 23:30", "2015-1-5 3:04", "2015/01/15", "01/15/2015", "15 January 2015"),
            *("January 15, 2015", "2015-02-30", "tomorrow"),
        ),
        ENDS,
    ),
    "hexo": {"tomorrow": TODAY},
    "astro": {"tomorrow": ENDS},
    "docusaurus": dict.fromkeys(("1421364600", "tomorrow"), ENDS),
}
SITES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "jekyll": ("_posts/2011-02-03-{}.md", {"_config.yml": f"timezone: {ZONE}\n"}),
    "hugo": (
        "content/posts/{}.md",
        {"hugo.toml": f'timeZone = "{ZONE}"\n[permalinks]\nposts = "/:year/:month/:day/:slug/"\n'},
    ),
    "hexo": (
        "source/_posts/{}.md",
        {"_config.yml": f"timezone: {ZONE}\npermalink: :year/:month/:day/:title/\n", "scaffolds/post.md": ""},
    ),
    "astro": (
        "src/content/posts/{}.md",
        {
            "astro.config.mjs": "export default {};\n",
            "src/pages/posts/[...slug].astro": "getCollection('posts')",
        },
    ),
    "docusaurus": (
        "blog/2011-02-03-{}.md",
        {
            "docusaurus.config.js": "module.exports = {url: 'https://old.test', baseUrl: '/', presets: "
            "[['classic', {docs: false, blog: {onUntruncatedBlogPosts: 'ignore'}}]]};\n"
        },
    ),
}


def _site(name: str, spellings: tuple[str, ...], folder: Path) -> Path:
    path, settings = SITES[name]
    posts = {
        path.format(f"d{SPELLINGS.index(each)}"): f"---\ntitle: {each!r}\ndate: {each}\n---\nText\n"
        for each in spellings
    }
    return tree(folder, {**settings, **posts}).root


@pytest.mark.parametrize("name", SITES)
def test_the_import_has_the_day_the_clock_and_the_address_of_the_tool(name: str, tmp_path: Path) -> None:
    read = tuple(each for each in SPELLINGS if each not in UNREAD[name])
    site = _site(name, read, tmp_path / "site")
    built = build(name, site, tmp_path / "build")
    assert not built.ended
    old = {
        page.title: (address, page.moment)
        for address, page in built_pages(built.folder, TOOLS[name].zone).items()
        if page.title in read
    }
    account, pages = imported(site, tmp_path / "repository", TOOLS[name].zone)
    # The first address is the import's own; further ones lead to it.
    new = {page.title: (address, page.moment) for address, page in reversed(pages.items())}
    assert account.counts[Carried.AS_MARKDOWN] == len(read)
    assert new == old


@pytest.mark.parametrize(
    ("name", "spelling"), [(name, each) for name, unread in UNREAD.items() for each in unread]
)
def test_a_date_that_the_tool_does_not_read_is_no_date_and_is_named(
    name: str, spelling: str, tmp_path: Path
) -> None:
    # Docusaurus ends only when it compares the date with another one.
    site = _site(name, (SPELLINGS[0], spelling), tmp_path / "site")
    built = build(name, site, tmp_path / "build")
    zone = TOOLS[name].zone
    if UNREAD[name][spelling] == ENDS:
        assert built.ended
    else:
        today = datetime.now(ZoneInfo(zone)).strftime("%Y-%m-%d")
        pages = built_pages(built.folder, zone).values()
        assert [page.moment[:10] for page in pages if page.title == spelling] == [today]
    account, _ = imported(site, tmp_path / "repository", zone)
    assert [kind for way, kind in account.kinds if way is Carried.VERBATIM] == ["date"]
    dates = {file.item.title: file.item.date[:10] for file in account.files}
    assert dates[spelling] in {"", "2011-02-03"}
