"""A clone of Push MD has its pages and posts carried, and its other files named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import by_file, left_out, origin, tree

from pressync.importing.sources import push_md
from pressync.importing.sources.item import ImportSource

if TYPE_CHECKING:
    from pathlib import Path

REMOTE = '[remote "origin"]\n\turl = https://anna:secret@x.org/blog/wp-json/git/v1/md.git\n'
POST = """\
---
title: "Hello \\ud83d\\ude00 a\\/b"
slug: "hello"
status: "published"
date: "2024-01-31 08:00:00"
description: "Short"
categories:
  - "News > Tech"
author: "anna"
seo_title: "S"
---

Text.

```gutenberg
<!-- wp:spacer --><div></div><!-- /wp:spacer -->
```
Next.

```php
kept
```
"""


def test_each_file_is_an_item_or_left_out(tmp_path: Path) -> None:
    files = {
        ".git/config": REMOTE,
        "post/hello.md": POST,
        "post/later.md": "---\ntitle: Later\nstatus: draft\n---\n",
        "post/odd.md": "---\ntitle: Odd\nstatus: trash\n---\n",
        "post/soon.md": "---\ntitle: Soon\nstatus: scheduled\ndate: 2036-01-01T00:00:00Z\n---\n",
        "page/about.md": "---\ntitle: About\n---\n",
        "page/about/team.md": "---\ntitle: Team\nstatus: private\n---\n",
        "AGENTS.md": "# For agents",
        "wp_template_part/t/header.html": "<header/>",
    }
    tree(tmp_path, files)
    found = list(push_md.items(ImportSource("clone", tmp_path)))
    assert origin(found) == "https://x.org/blog/", "without the credentials"
    assert {each.path: (each.address, each.status) for each in by_file(found).values()} == {
        "posts/hello.md": ("", ""),
        "posts/later.md": ("", "draft"),
        "posts/soon.md": ("", "future"),
        "pages/about.md": ("/blog/about/", ""),
        "pages/about/team.md": ("", "private"),
    }
    assert left_out(found) == {
        "post/odd.md": "status trash",
        "AGENTS.md": "guidance of the clone",
        "wp_template_part/t/header.html": "file of wp_template_part",
    }
    hello = by_file(found)["post/hello.md"]
    assert hello.title == "Hello \N{GRINNING FACE} a/b"
    assert (hello.date, hello.slug, hello.excerpt) == ("2024-01-31T08:00:00+00:00", "hello", "Short")
    assert (hello.categories, hello.author) == (("News/Tech",), "anna")
    assert hello.fields == {"params": {"seo_title": "S"}}
    assert hello.body == (
        "Text.\n\n\n<!-- wp:spacer --><div></div><!-- /wp:spacer -->\n\nNext.\n\n```php\nkept\n```\n"
    )


@pytest.mark.parametrize(
    "sign", ["AGENTS.md", "authors.md", "wp_global_styles/t.json", "wp_theme/t/theme.json"]
)
def test_a_clone_is_recognised_with_and_without_guidance_for_agents(tmp_path: Path, sign: str) -> None:
    tree(tmp_path, {"post/a.md": ""})
    assert not push_md.recognises(ImportSource("clone", tmp_path))
    tree(tmp_path, {sign: ""})
    assert push_md.recognises(ImportSource("clone", tmp_path))
