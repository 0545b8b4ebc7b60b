"""A whole Hugo site as items. Hugo 0.168 itself built these trees and gave the addresses in the tables."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from tests.support.corpora import unpack
from tests.support.source_trees import by_file, left_out, origin, tree

from pressync.importing.sources.hugo import HugoReferences, HugoSource, address_of, aliases_of
from pressync.importing.sources.hugo_config import read_config
from pressync.importing.sources.hugo_pages import HugoPage, read_pages
from pressync.importing.sources.item import Form, Item, LeftOut, Note, Place, Remainder
from pressync.importing.sources.links import FolderFiles, LinkTargets
from pressync.importing.sources.source_tree import Front, SourceTree
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.importing.sources.item import Imported


ADDRESSES = {
    "Hello World.md": ("", "/hello-world/"),
    "about.md": ("date: 2024-05-06", "/about/"),
    "docs/Über uns.md": ("", "/docs/%C3%BCber-uns/"),
    "docs/a.b.md": ("", "/docs/a.b/"),
    "docs/A & B (c).md": ("", "/docs/a--b-c/"),
    "docs/c%23.md": ("", "/docs/c%23/"),
    "docs/f#.md": ("", "/docs/f%23/"),
    "docs/plus+at@tilde~.md": ("", "/docs/plus+at@tilde~/"),
    "docs/日本.md": ("", "/docs/%E6%97%A5%E6%9C%AC/"),
    "docs/deep/er/x.md": ("", "/docs/deep/er/x/"),
    "docs/bundle/index.md": ("slug: bundled", "/docs/bundled/"),
    "docs/slugged.md": ("slug: My Slug & More", "/docs/my-slug-more/"),
    "docs/slugslash.md": ("slug: a/b", "/docs/a/b/"),
    "docs/url1.md": ("url: /Abs/URL", "/Abs/URL/"),
    "docs/url2.md": ("url: rel/url.html", "/rel/url.html"),
    "docs/url3.md": ("url: /with space/", "/with%20space/"),
    "docs/urltok.md": ("url: '/t/:year/:slug'\ntitle: Tok En\ndate: 2020-02-03", "/t/2020/tok-en/"),
    "Docs2/Sub Dir/_index.md": ("", "/docs2/sub-dir/"),
    "Docs2/Sub Dir/Page.md": ("", "/docs2/sub-dir/page/"),
    "posts/_index.md": ("slug: nope", "/nope/"),
    "posts/2024-01-31-dated.md": (
        "title: 'A Title: With / Slash?'\ndate: 2024-01-31T23:30:00-05:00",
        "/nope/2024-01-31-dated/",
    ),
}
NAMES = {path: head for path, (head, _) in ADDRESSES.items()}
PAGES = {
    "docs/a": ("page", "/docs/a/"),
    "docs": ("section", "/docs/"),
    "docs/b/same": ("page", "/docs/b/same/"),
    "blog/same": ("page", "/blog/same/"),
    "blog/Only": ("page", "/blog/only/"),
    "": ("home", "/"),
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
    assert addresses(tmp_path, "", NAMES) == {path: address for path, (_, address) in ADDRESSES.items()}


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


# Hugo 0.168 gave these addresses.
@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("C++", "c"),
        ("C++ tips", "c-tips"),
        ("+lead", "-lead"),
        ("a + b", "a-b"),
        ("a++b", "a-b"),
        ("C++/CLI", "c-cli"),
        ("2015-01-15 23:30 +1400", "2015-01-15-2330-1400"),
        ("İstanbul", "istanbul"),
        ("ΟΔΟΣ", "οδοσ"),
    ],
)
def test_a_title_has_the_letters_of_hugo_in_a_pattern(tmp_path: Path, title: str, slug: str) -> None:
    settings = '[permalinks]\nposts = "/:title/"\ndocs = "/d/:slug/"\n'
    pages = {"posts/a.md": f"title: {title!r}", "docs/a.md": f"slug: {title.replace('/', '')!r}"}
    found = addresses(tmp_path, settings, pages)
    assert {unquote(each) for each in found.values()} == {f"/{slug}/", f"/d/{slug}/"}


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


def page(inner: str, kind: str, language: str = "en") -> HugoPage:
    return HugoPage(f"content/{inner}.md", inner, language, kind, Front())


REFERENCES = HugoReferences(
    [
        *((page(inner, kind), address) for inner, (kind, address) in PAGES.items()),
        (page("docs/a", "page", "de"), "/de/docs/a/"),
    ]
)


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("/docs/a.md", "/docs/a/"),
        ("b/same.md#top", "/docs/b/same/#top"),
        ("only.md", "/blog/only/"),
        ("/docs/_index.md", "/docs/"),
        ("/", "/"),
        ("#here", "#here"),
        ("same", ""),
    ],
)
def test_a_reference_from_a_page_of_docs(written: str, address: str) -> None:
    assert REFERENCES.address(page("docs/x", "page"), written) == address
    assert REFERENCES.address(page("docs", "section"), "a.md") == "/docs/a/"
    assert REFERENCES.address(page("docs/x", "page"), "/docs/a", "de") == "/de/docs/a/"


SITE = {
    "hugo.toml": 'baseURL = "https://example.org/"\n[params]\nversion = "3.1"\n',
    "content/_index.md": "---\ntitle: Home\n---\nWelcome\n",
    "content/docs/_index.md": "---\ntitle: Docs\nweight: 2\n---\n",
    "content/docs/x.md": """\
        ---
        title: X
        weight: 5
        description: About X.
        categories: [a]
        ---
        ## Set up {#install}

        Version {{< param version >}}, {{< own >}}
        """,
    "content/blog/2024/hello/index.md": """\
        +++
        title = "Hello"
        date = 2024-01-31T10:00:00+02:00
        lastmod = 2024-02-01
        author = "Anna"
        tags = ["bread", "2024"]
        categories = ["News"]
        +++
        ![Oven](oven.jpg)
        """,
    "content/blog/2024/hello/oven.jpg": "",
    "content/page.html": "---\ntitle: H\n---\n<p>Hi</p>\n",
    "content/draft.md": "---\ndraft: true\n---\n",
    "content/part.md": "---\nbuild: {render: never}\n---\n",
    "content/tags/bread/_index.md": "---\ntitle: Bread\n---\n",
    "static/img/a.png": "",
    "layouts/shortcodes/own.html": "",
}


def imported(site: SourceTree) -> list[Imported]:
    return list(HugoSource(site, read_config(site), dt.date(2026, 1, 1)).items())


def test_each_file_is_an_item_or_left_out(tmp_path: Path) -> None:
    found = imported(tree(tmp_path, SITE))
    assert origin(found) == "https://example.org/"
    assert {path: (str(each.kind), each.path, each.address) for path, each in by_file(found).items()} == {
        "content/_index.md": ("page", "pages/index.md", "/"),
        "content/docs/_index.md": ("page", "pages/docs/index.md", "/docs/"),
        "content/docs/x.md": ("page", "pages/docs/x.md", "/docs/x/"),
        "content/blog/2024/hello/index.md": ("post", "posts/2024/hello.md", "/blog/2024/hello/"),
        "content/page.html": ("page", "pages/page.md", "/page/"),
        "content/draft.md": ("page", "pages/draft.md", "/draft/"),
    }
    assert left_out(found) == {
        "content/part.md": "headless page",
        "content/tags/bread/_index.md": "page of a term",
    }


def test_a_page_has_its_order_and_a_post_its_terms(tmp_path: Path) -> None:
    found = by_file(imported(tree(tmp_path, SITE)))
    page, post = found["content/docs/x.md"], found["content/blog/2024/hello/index.md"]
    assert (page.order, page.excerpt, page.fields) == (5, "About X.", {"params": {"categories": ["a"]}})
    assert page.body == '## <a id="install"></a>Set up\n\nVersion 3.1, {{< own >}}\n'
    assert page.remainders == (Remainder("shortcode own", Place("content/docs/x.md", 9), "{{< own >}}"),)
    assert (post.kind, post.date, post.modified) == (
        Kind.POST,
        "2024-01-31T08:00:00+00:00",
        "2024-02-01T00:00:00",
    )
    assert (post.author, post.tags, post.categories, post.fields) == (
        "Anna",
        ("bread", "2024"),
        ("News",),
        {},
    )
    assert found["content/draft.md"].status == "draft"
    assert found["content/page.html"].form is Form.HTML


def test_files_of_static_and_of_bundles_are_found_by_their_addresses(tmp_path: Path) -> None:
    (files,) = (each for each in imported(tree(tmp_path, SITE)) if isinstance(each, FolderFiles))
    assert files.file_of("/img/a.png") == "media/img/a.png"
    assert files.file_of("/blog/2024/hello/oven.jpg") == "media/blog/2024/hello/oven.jpg"
    assert [file for _, file in files.copies()] == [
        tmp_path / "content/blog/2024/hello/oven.jpg",
        tmp_path / "static/img/a.png",
    ]


def test_pages_that_are_not_content_are_in_the_account(tmp_path: Path) -> None:
    apart = {"static/app/index.html": "<p>App</p>", "layouts/404.html": "Lost"}
    found = [each for each in imported(tree(tmp_path, {**SITE, **apart})) if isinstance(each, LeftOut)]
    assert {(each.kind, str(each.place), each.address) for each in found} >= {
        ("static page", "static/app/index.html", "/app/index.html"),
        ("error page", "layouts/404.html", ""),
    }


MOUNTS = """
[languages.en]
[languages.de]
[[module.mounts]]
source = "content/en"
target = "content"
lang = "en"
[[module.mounts]]
source = "content/de"
target = "content"
lang = "de"
[[module.mounts]]
source = "content/en"
target = "content"
lang = "de"
[params.social]
name = "Ada"
"""


def test_a_file_of_two_mounts_is_two_pages_and_the_first_mount_wins(tmp_path: Path) -> None:
    text = "---\ntitle: {}\n---\n{{{{< param social.name >}}}}, [b](b.md)\n"
    site = {
        "hugo.toml": MOUNTS,
        "content/en/a.md": text.format("A"),
        "content/en/b.md": text.format("B"),
        "content/de/a.md": text.format("Ah"),
    }
    items = [each for each in imported(tree(tmp_path, site)) if isinstance(each, Item)]
    assert [(each.title, each.address, each.key) for each in items] == [
        ("Ah", "/de/a/", "de:content/de/a.md"),
        ("A", "/a/", "content/en/a.md"),
        ("B", "/de/b/", "de:content/en/b.md"),
        ("B", "/b/", "content/en/b.md"),
    ]
    assert {each.body for each in items} == {"Ada, [b](/de/b/)\n", "Ada, [b](/b/)\n"}
    targets = LinkTargets("", {each.key: f"content/{each.path}" for each in items})
    targets.learn(items)
    assert [targets.link(each, "a.md") for each in items] == ["a.md"] * 4, "each links to its own language"


TWICE = """
[languages.en]
[languages.bn]
[[module.mounts]]
source = "content/en"
target = "content"
lang = "en"
[[module.mounts]]
source = "content/bn"
target = "content"
lang = "bn"
[[module.mounts]]
source = "content/en/docs"
target = "content/docs"
lang = "bn"
"""


# The addresses are those of a build with Hugo 0.168.
def test_a_folder_that_another_language_shows_too_stays_in_its_own(tmp_path: Path) -> None:
    files = ("en/_index", "en/docs/_index", "en/docs/install", "bn/_index")
    site = {"hugo.toml": TWICE, **{f"content/{file}.md": f"---\ntitle: {file}\n---\n" for file in files}}
    found = [each for each in imported(tree(tmp_path, site)) if isinstance(each, Item)]
    assert sorted(each.address for each in found) == [
        "/",
        "/bn/",
        "/bn/docs/",
        "/bn/docs/install/",
        "/docs/",
        "/docs/install/",
    ]


def test_a_folder_of_a_language_that_the_settings_do_not_mount_is_told(tmp_path: Path) -> None:
    site = {"hugo.toml": "", "content/en/a.md": "", "content/en/b.md": "", "content/c.md": ""}
    notes = [each.text for each in imported(tree(tmp_path, site)) if isinstance(each, Note)]
    assert [note.partition(":")[0] for note in notes] == [
        "content/en has the name of a language, and the settings mount it nowhere"
    ]
    assert 'source = "content/en", target = "content", lang = "en"' in notes[0]


HOMES = {
    "[languages.en]\n[languages.de]\n": "/en/",
    "defaultContentLanguageInSubdir = true\n[languages.en]\n[languages.de]\n": "/",
    "defaultContentLanguageInSubdir = true\n": "/",
    "disableDefaultLanguageRedirect = true\n[languages.en]\n[languages.de]\n": "",
    "[languages.en]\nbaseURL = 'https://en.test'\n[languages.de]\nbaseURL = 'https://de.test'\n": "",
    "[languages.en]\n": "",
}


@pytest.mark.parametrize("settings", HOMES)
def test_the_home_page_has_the_further_address_that_hugo_leads_to_it(tmp_path: Path, settings: str) -> None:
    """Hugo 0.168 wrote these pages, each of which leads to the home page."""
    site = tree(tmp_path, {"hugo.toml": settings, "content/_index.md": "x", "content/a.md": ""})
    found = by_file(imported(site))
    assert found["content/_index.md"].aliases == tuple(filter(None, [HOMES[settings]]))


def test_a_page_of_a_language_that_is_off_is_left_out(tmp_path: Path) -> None:
    settings = "disableLanguages = ['it']\n[languages.en]\n[languages.it]\n[languages.fr]\ndisabled = true\n"
    pages = dict.fromkeys(("content/a.md", "content/a.fr.md", "content/a.it.md", "content/v1.2.md"), "x")
    site = tree(tmp_path, {"hugo.toml": settings, **pages})
    found = list(imported(site))
    assert set(by_file(found)) == {"content/a.md", "content/v1.2.md"}
    assert set(left_out(found)) == {"content/a.fr.md", "content/a.it.md"}


def test_languages_become_folders(tmp_path: Path) -> None:
    site = {
        "hugo.toml": 'defaultContentLanguage = "en"\n[languages.en]\n[languages.de]\n',
        "content/a.md": "",
        "content/a.de.md": "",
        "content/posts/p.de.md": "",
        "content/b.md": "---\nurl: /c/\n---\n",
        "content/c.md": "",
    }
    found = by_file(imported(tree(tmp_path, site)))
    assert {path: each.path for path, each in found.items()} == {
        "content/a.md": "pages/a.md",
        "content/a.de.md": "pages/de/a.md",
        "content/posts/p.de.md": "posts/de/p.md",
        "content/b.md": "pages/c.md",
        "content/c.md": "pages/c.md",
    }
    assert len({each.key for each in found.values()}) == len(found)


# Hugo 0.168 built these trees, with empty templates for their shortcodes, and had these addresses.
@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "addresses", "left"),
    [
        (
            "letsencrypt",
            {
                "content/en/post/2017-6-14-acme-v2-api.markdown": "/2017/06/14/acme-v2-api.html",
                "content/en/post/_index.md": "/blog/",
                "content/de/docs/_index.md": "/de/docs/",
                "content/en/stats.html": "/stats/",
            },
            0,
        ),
    ],
)
def test_a_real_site_is_carried_with_its_addresses(
    tmp_path: Path, name: str, addresses: dict[str, str], left: int
) -> None:
    root = unpack(name, tmp_path)
    files = [path for path in (root / "content").rglob("*") if path.suffix in {".md", ".markdown", ".html"}]
    found = imported(SourceTree(root))
    items = [each for each in found if isinstance(each, Item)]
    assert sum(isinstance(each, LeftOut) and each.kind != "error page" for each in found) == left
    assert len(items) == len(files)
    known = {each.place.path: each.address for each in items}
    assert {path: known[path] for path in addresses} == addresses
