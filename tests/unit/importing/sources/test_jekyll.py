"""A whole Jekyll site as items. Every address is the one that Jekyll 4.3.1 gave for the same site."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.support.corpora import unpack
from tests.support.source_trees import by_file, left_out, origin, tree

from pressync.config.settings import load
from pressync.importing.sources.item import Form, ImportSource, Item, LeftOut, Note
from pressync.importing.sources.jekyll import TOOL, JekyllSource
from pressync.importing.sources.jekyll_pages import JekyllConfig, read_config
from pressync.importing.sources.links import FolderFiles
from pressync.importing.sources.source_tree import SourceTree
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.importing.sources.item import Imported


EMPTY = "---\n---\n"


def imported(folder: Path, files: Mapping[str, str], config: str = "") -> list[Imported]:
    site = tree(folder, {"_config.yml": config, **files})
    return list(JekyllSource(site, read_config(site)).items())


def items(folder: Path, files: Mapping[str, str], config: str = "") -> dict[str, Item]:
    """Write a site, and give its pages by their files."""
    return by_file(imported(folder, files, config))


def item(folder: Path, text: str, config: str = "", file: str = "page.md") -> Item:
    """Write a site of one page, and give that page."""
    return items(folder, {file: text}, config)[file]


PLACED = {
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
    return {path: each.address for path, each in items(folder, PLACED, config + CONFIG).items()}


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


POST = """\
---
title: Hello
author: {name: Anna}
description: In short.
image: /img/a.png
layout: wide
redirect_from: /old/
---
See [the other]({% post_url 2024-01-01-other %}) and [a page]({% link docs/a.md %}).
{: .notice}
"""
FILES = {
    "_posts/2024-01-31-hello.md": POST,
    "_posts/notes/2024-01-01-other.md": EMPTY,
    "docs/a.md": "---\nnav_order: 3\n---\n",
    "index.html": "---\ntitle: Home\n---\n<p>Hi</p>\n",
    "img/a.png": "",
    "_drafts/idea.md": EMPTY,
}


def test_a_post_has_all_that_its_front_matter_says(tmp_path: Path) -> None:
    post = items(tmp_path, FILES)["_posts/2024-01-31-hello.md"]
    assert (post.kind, post.path, post.slug) == (Kind.POST, "posts/2024-01-31-hello.md", "hello")
    assert (post.title, post.author, post.excerpt) == ("Hello", "Anna", "In short.")
    assert (post.address, post.aliases) == ("/2024/01/31/hello.html", ("/old/",))
    assert post.fields == {
        "featured_media": "/img/a.png",
        "params": {"image": "/img/a.png", "layout": "wide"},
    }
    assert post.body == (
        "See [the other](import:_posts/notes/2024-01-01-other.md) and [a page](import:docs/a.md).\n\n"
    )
    assert [(each.kind, each.place.line) for each in post.remainders] == [("attribute list", 10)]
    found = items(tmp_path, FILES)
    assert (found["docs/a.md"].path, found["docs/a.md"].order) == ("pages/docs/a.md", 3)
    assert (found["index.html"].path, found["index.html"].form) == ("pages/index.md", Form.HTML)


def test_what_jekyll_does_not_build_is_a_draft_without_an_address(tmp_path: Path) -> None:
    found = items(tmp_path, {**FILES, "hidden.md": "---\npublished: false\n---\n"})
    drafts = {path: (each.status, each.address) for path, each in found.items() if each.status}
    assert drafts == {"_drafts/idea.md": ("draft", ""), "hidden.md": ("draft", "")}
    assert found["_drafts/idea.md"].path == "posts/idea.md"


def test_the_site_names_its_address_and_its_files(tmp_path: Path) -> None:
    found = imported(tmp_path, FILES, "url: https://example.org\nbaseurl: /blog\n")
    assert origin(found) == "https://example.org/blog"
    (files,) = (each for each in found if isinstance(each, FolderFiles))
    assert files.file_of("/blog/img/a.png") == "media/blog/img/a.png"
    assert not files.has("/blog/_posts/2024-01-31-hello.md")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "count", "examples"),
    [
        ("opensource-guide", 378, {"/ko/best-practices/", "/best-practices/", "/"}),
        ("made-mistakes", 1040, {"/articles/jekyll-static-comments/", "/faqs/paint-smooth/", "/about/"}),
    ],
)
def test_a_real_site_has_the_addresses_that_jekyll_gives(
    tmp_path: Path, name: str, count: int, examples: set[str]
) -> None:
    site = SourceTree(unpack(name, tmp_path))
    found = [each for each in JekyllSource(site, read_config(site)).items() if isinstance(each, Item)]
    addresses = Counter(each.address for each in found if each.address)
    assert len(found) == count
    assert examples <= addresses.keys()
    assert addresses.most_common(1)[0][1] == 1


def test_syntax_that_the_site_shows_as_it_is_written_is_in_the_account(tmp_path: Path) -> None:
    text = "---\ntitle: x\n---\nI :heart: HTML.\n\n*[HTML]: Hyper Text\n"
    page = item(tmp_path, text, "plugins: [jemoji]\n")
    assert [(each.kind, each.place.line) for each in page.remainders] == [
        ("abbreviation", 6),
    ]
    assert page.body == "I ❤️ HTML.\n\n*[HTML]: Hyper Text\n"


def test_a_caption_becomes_an_image_block_where_the_site_takes_blocks(tmp_path: Path) -> None:
    text = '---\ntitle: x\n---\n{% figure caption:"Me" %}\n![a](/a.png)\n{% endfigure %}\n'
    tree(tmp_path, {"_config.yml": "plugins: [jekyll-figure]\n", "a.md": text})
    site = '[sites.s]\nurl = "https://example.org/wp-json"\ndialect = "wordpress"\nblocks = true\n'
    settings = load(site, where="pressync.toml", environ={})
    found = [
        each for each in TOOL.items(ImportSource("x", tmp_path, settings=settings)) if isinstance(each, Item)
    ]
    assert found[0].body == '![a](/a.png "Me")\n'


def test_a_page_without_a_title_has_that_of_the_site_its_heading_or_its_name(tmp_path: Path) -> None:
    files = {"index.md": EMPTY, "about-us.md": f"{EMPTY}Text\n", "team.md": f"{EMPTY}# Our team\n\nText\n"}
    found = items(tmp_path, files, "title: Garden\n")
    assert {path: (each.title, each.body.strip()) for path, each in found.items()} == {
        "index.md": ("Garden", ""),
        "about-us.md": ("About us", "Text"),
        "team.md": ("Our team", "Text"),
    }


def test_a_document_of_a_collection_without_a_title_has_its_name_with_capitals(tmp_path: Path) -> None:
    files = {"_docs/rendering-process.md": f"{EMPTY}Text\n", "_docs/a.md": "---\ntitle: B c\n---\n"}
    found = items(tmp_path, files, "collections: {docs: {output: true}}\n")
    assert {path: each.title for path, each in found.items()} == {
        "_docs/rendering-process.md": "Rendering Process",
        "_docs/a.md": "B c",
    }


def test_files_of_jekyll_and_excluded_files_are_left_out_unless_they_are_included() -> None:
    config = JekyllConfig({"include": ["_pages"], "exclude": ["docs", "*.draft.md", "vendor"]})
    out = ["_layouts", ".git", "docs", "docs/a.md", "a.draft.md", "old~", "#x", "node_modules", "vendor"]
    assert [path for path in out if not config.leaves_out(path)] == []
    assert not config.leaves_out("_pages")
    assert not config.leaves_out("about.md")


def test_defaults_are_merged_as_jekyll_merges_them() -> None:
    scopes = [
        {"scope": {"path": "_posts/notes", "type": "posts"}, "values": {"a": "notes", "deep": {"x": 1}}},
        {"scope": {"path": ""}, "values": {"a": "all", "b": "all", "deep": {"y": 2}}},
        {"scope": {"path": "", "type": "post"}, "values": {"b": "posts"}},
        {"scope": {"path": "", "type": "pages"}, "values": {"b": "pages"}},
        {"scope": {"path": "_posts/*/x"}, "values": {"c": "pattern"}},
        "nothing",
    ]
    config = JekyllConfig({"defaults": scopes})
    assert config.defaults("_posts/notes/x/2024-01-01-a.md", "posts") == {
        "a": "notes",
        "b": "all",
        "c": "pattern",
        "deep": {"x": 1, "y": 2},
    }
    assert config.defaults("about.md", "pages") == {"a": "all", "b": "pages", "deep": {"y": 2}}


def test_a_source_that_a_build_makes_is_read_where_its_files_are(tmp_path: Path) -> None:
    built = tree(tmp_path / "a", {"_config.yml": "source: .tmp/src\n", "src/index.md": "---\n---\n"})
    assert read_config(built).source == "src"
    named = tree(tmp_path / "b", {"_config.yml": "source: docs\n", "docs/index.md": "---\n---\n"})
    assert read_config(named).source == "docs"
    assert read_config(tree(tmp_path / "c", {"_config.yml": ""})).source == ""


def test_posts_drafts_collections_and_pages_are_found_and_nothing_else(tmp_path: Path) -> None:
    files = dict.fromkeys(
        (
            *("_posts/2024-01-31-a.md", "news/_posts/24-1-1-b.md", "_drafts/c.md", "_shown/d.md", "e/f.md"),
            *("g.html", "_layouts/page.html", "_skipped/_posts/2024-01-01-h.md", "style.css"),
        ),
        EMPTY,
    )
    found = items(tmp_path, files, "collections: {shown: {output: true}}\n")
    assert sorted(found) == [
        *("_drafts/c.md", "_posts/2024-01-31-a.md", "_shown/d.md", "e/f.md"),
        *("g.html", "news/_posts/24-1-1-b.md"),
    ]
    assert found["news/_posts/24-1-1-b.md"].date == "2024-01-01T00:00:00"


def test_what_jekyll_makes_no_page_of_is_named_with_the_reason(tmp_path: Path) -> None:
    files = {
        "README.md": "# No front matter\n",
        "_posts/undated.md": EMPTY,
        "_parts/a.md": EMPTY,
        "old.md": "---\nredirect_to: https://example.org/\n---\n",
        "broken.md": "---\ntitle: [\n---\n",
        "feed.xml": "---\n---\n<feed/>\n",
        "news.rss": "---\n---\n<rss/>\n",
        "404.html": "<h1>Gone</h1>\n",
        "plain.xml": "<feed/>\n",
    }
    assert left_out(imported(tmp_path, files, "collections: [parts]\n")) == {
        "README.md": "file without front matter",
        "_posts/undated.md": "post without a date",
        "_parts/a.md": "part of a collection",
        "old.md": "redirect",
        "broken.md": "unreadable front matter",
        "feed.xml": "template of a file",
        "news.rss": "template of a file",
        "404.html": "file without front matter",
    }


@pytest.mark.parametrize(
    ("to", "config", "leads_to"),
    [
        ("b.html", "", "/a/b.html"),
        ("/b/", "baseurl: /base\n", "/b/"),
        ("/b/", "baseurl: /base\nplugins: [jekyll-redirect-from]\n", "/base/b/"),
        ("[https://else.test/, /b/]", "plugins: [jekyll-redirect-from]\n", "https://else.test/"),
    ],
)
def test_a_redirect_says_where_it_led(tmp_path: Path, to: str, config: str, leads_to: str) -> None:
    found = imported(tmp_path, {"a/old.md": f"---\nredirect_to: {to}\n---\n"}, config)
    assert [each.leads_to for each in found if isinstance(each, LeftOut)] == [leads_to]


def test_texts_of_settings_data_and_included_files_stand_in_the_page(tmp_path: Path) -> None:
    files = {
        "_data/people.yml": "ada: {name: Ada}\n",
        "_data/deep/er.json": '{"x": 2}',
        "_data/broken.yml": "a: [\n",
        "_includes/note.html": "<b>{{ include.text }}</b>\n",
    }
    known = "{{ site.a.b }} {{ site.data.people.ada.name }} {{ site.data.deep.er.x }}"
    text = (
        f"{known} {{% include note.html text='T' %}} {{{{ site.data.broken.a }}}} {{% include ../../x.md %}}"
    )
    files["page.md"] = f"---\ntitle: P\n---\n{text}\n"
    page = items(tmp_path, files, "a: {b: 1}\n")["page.md"]
    assert page.body == "1 Ada 2 <b>T</b> {{ site.data.broken.a }} {% include ../../x.md %}\n"
    assert [each.kind for each in page.remainders] == ["liquid output", "liquid include"]


def test_settings_of_the_site_decide_paths_days_and_pages(tmp_path: Path) -> None:
    config = "collections_dir: rooms\ncollections: {shown: {output: true}}\n"
    files = {"rooms/_shown/a.md": EMPTY, "rooms/_posts/2024-01-01-b.md": EMPTY}
    found = items(tmp_path / "rooms", files, config).values()
    assert [each.address for each in found] == ["/2024/01/01/b.html", "/shown/a.html"]
    config = "baseurl: /base/\ntimezone: America/New_York\nplugins: [jekyll-optional-front-matter]\n"
    head = "---\ndate: 2024-04-03 01:30:00 +0000\nredirect_from: [/a/, b.html, 'https://else.test/']\n"
    text = f"{head}categories: a b\ncategory: One Thing\ntags: x y\ntag: [z]\n---\n"
    late = item(tmp_path, text, config, "up/_posts/2024-04-01-two-words.md")
    assert late.address.startswith("/base/up/")
    assert late.address.endswith("/2024/04/02/two-words.html")
    assert (late.date, late.title) == ("2024-04-03T01:30:00+00:00", "Two Words")
    assert late.aliases == ("/base/a/", "/base/b.html")
    assert (late.categories, late.tags) == (("up", "a", "b", "One Thing"), ("x", "y", "z"))
    assert item(tmp_path, "# Title\n", config, "guide.md").address == "/base/guide.html"


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2024-01-31 10:00:00 +0100", "2024-01-31T09:00:00+00:00"),
        ("2024-01-31 10:00:00", "2024-01-31T10:00:00+00:00"),
        ("2024-01-31", "2024-01-31"),
        ("someday", ""),
    ],
)
def test_a_date_is_a_moment_where_jekyll_knows_the_moment(tmp_path: Path, written: str, date: str) -> None:
    assert item(tmp_path, f"---\ndate: {written}\n---\n").date.replace("T00:00:00", "") == date


def test_a_date_that_ruby_cannot_read_is_no_date(tmp_path: Path) -> None:
    config = "collections:\n  notes:\n    output: true\n    permalink: /:year/:title/\n"
    head = "---\ndate: someday\n---\n"
    found = items(tmp_path, {"_posts/2015-01-15-a.md": head, "_notes/b.md": head}, config)
    post, note = found["_posts/2015-01-15-a.md"], found["_notes/b.md"]
    assert (post.date, post.address) == ("2015-01-15T00:00:00", "/2015/01/15/a.html")
    assert (note.date, note.address) == ("", "")
    assert [str(each.place) for each in (*post.remainders, *note.remainders)] == [
        "_posts/2015-01-15-a.md:2",
        "_notes/b.md:2",
    ]


def test_a_readme_is_the_page_of_its_folder_with_the_plugin_for_that(tmp_path: Path) -> None:
    files = {"README.md": "Hi", "docs/README.md": "Text", "both/README.md": "Text", "both/index.md": EMPTY}
    found = imported(tmp_path, files, "plugins: [jekyll-readme-index]\n")
    assert {path: each.address for path, each in by_file(found).items()} == {
        "README.md": "/",
        "docs/README.md": "/docs/",
        "both/index.md": "/both/",
    }
    assert left_out(found) == {"both/README.md": "file without front matter"}


def test_a_key_that_the_settings_give_twice_is_named(tmp_path: Path) -> None:
    tree(tmp_path, {"_config.yml": "title: x\nbackground: a\nbackground: b\n", "a.md": EMPTY})
    found = list(TOOL.items(ImportSource("site", tmp_path)))
    assert by_file(found).keys() == {"a.md"}
    assert [each.text for each in found if isinstance(each, Note)] == [
        "_config.yml:3: the key 'background' is given twice, and the last one counts. Remove the other."
    ]
