"""A whole Jekyll site as items."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.support.corpora import unpack
from tests.support.source_trees import origin, tree
from tests.unit.importers.jekyll.sites import EMPTY, imported, item, items

from pressync.config.settings import load
from pressync.importers.item import Form, ImportSource, Item
from pressync.importers.jekyll.config import read_config
from pressync.importers.jekyll.source import JekyllSource, recognises
from pressync.importers.jekyll.source import items as source_items
from pressync.importers.source_files import FolderFiles
from pressync.importers.source_tree import SourceTree
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pathlib import Path

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


def test_a_folder_with_the_settings_of_jekyll_is_recognised(tmp_path: Path) -> None:
    assert not recognises(ImportSource("x", tmp_path))
    tree(tmp_path, {"_config.yml": ""})
    assert recognises(ImportSource("x", tmp_path))


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


def test_pages_have_the_path_of_their_address_and_html_stays_html(tmp_path: Path) -> None:
    found = items(tmp_path, FILES)
    assert (found["docs/a.md"].path, found["docs/a.md"].order) == ("pages/docs/a.md", 3)
    assert (found["index.html"].path, found["index.html"].form) == ("pages/index.md", Form.HTML)


def test_what_jekyll_does_not_build_is_a_draft_without_an_address(tmp_path: Path) -> None:
    found = items(tmp_path, {**FILES, "hidden.md": "---\npublished: false\n---\n"})
    drafts = {path: (each.status, each.address) for path, each in found.items() if each.status}
    assert drafts == {"_drafts/idea.md": ("draft", ""), "hidden.md": ("draft", "")}
    assert found["_drafts/idea.md"].path == "posts/idea.md"


def test_two_pages_of_one_address_get_two_files(tmp_path: Path) -> None:
    found = items(tmp_path, {"a.md": EMPTY, "b.md": "---\npermalink: /a.html\n---\n"})
    assert [each.path for each in found.values()] == ["pages/a.md", "pages/a-2.md"]


def test_a_post_without_a_title_gets_its_name(tmp_path: Path) -> None:
    assert item(tmp_path, EMPTY, "", "_posts/2024-01-01-two-words.md").title == "Two Words"


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
        ("made-mistakes", 1039, {"/articles/jekyll-static-comments/", "/faqs/paint-smooth/", "/about/"}),
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
        ("emoji code", 4),
        ("abbreviation", 6),
    ]
    assert page.body == "I :heart: HTML.\n\n*[HTML]: Hyper Text\n"


def test_a_caption_becomes_an_image_block_where_the_site_takes_blocks(tmp_path: Path) -> None:
    text = '---\ntitle: x\n---\n{% figure caption:"Me" %}\n![a](/a.png)\n{% endfigure %}\n'
    tree(tmp_path, {"_config.yml": "plugins: [jekyll-figure]\n", "a.md": text})
    site = '[sites.s]\nurl = "https://example.org/wp-json"\ndialect = "wordpress"\nblocks = true\n'
    settings = load(site, where="pressync.toml", environ={})
    found = [
        each
        for each in source_items(ImportSource("x", tmp_path, settings=settings))
        if isinstance(each, Item)
    ]
    assert found[0].body == '![a](/a.png "Me")\n'


def test_a_page_without_a_title_has_that_of_the_site_its_heading_or_its_name(tmp_path: Path) -> None:
    files = {
        "index.md": EMPTY,
        "about-us.md": f"{EMPTY}Text\n",
        "team.md": f"{EMPTY}# Our team\n\nText\n",
    }
    found = items(tmp_path, files, "title: Garden\n")
    assert {path: (each.title, each.body.strip()) for path, each in found.items()} == {
        "index.md": ("Garden", ""),
        "about-us.md": ("About us", "Text"),
        "team.md": ("Our team", "Text"),
    }
