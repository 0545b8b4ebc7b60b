"""The life of pages and posts on real WordPress, from their files alone; and who may not give them one."""

from __future__ import annotations

import contextlib
import html
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.live.live import Eyes, live, messages, numbered, results, scheduled, titles, visit

from pressync.cli.main import pressync
from pressync.model.errors import ConfigError, ServiceError

if TYPE_CHECKING:
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

POST = "content/posts/2024-01-31-hello.md"
FULL = """\
---
title: Grüße & “Wünsche” <3
slug: gruesse
date: 2024-01-31T10:00:00+02:00
description: Kurz gesagt
sticky: true
format: aside
comment_status: closed
---
Ein *Beitrag*
über zwei Zeilen.

<script>
const a = 1 && 2

</script>
"""


def test_a_post_is_created_updated_and_put_into_the_trash(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit({POST: FULL})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)

    assert results(site.sync()) == {POST: "done"}
    (made,) = eyes.rows("post").values()
    repository.commit({POST: FULL.replace("Beitrag", "Artikel").replace("sticky: true\n", "")})
    assert results(site.sync()) == {POST: "done"}
    changed = eyes.row(made["id"], "post")
    shown = visit(changed["link"])
    repository.remove(POST)
    repository.commit(numbered(1))
    assert results(site.sync())[POST] == "done"
    trashed = eyes.row(made["id"], "post")

    assert made["title"]["raw"] == "Grüße & “Wünsche” <3"
    assert (made["slug"], made["date_gmt"]) == ("gruesse", "2024-01-31T08:00:00")
    assert (made["excerpt"]["raw"], made["format"], made["sticky"]) == ("Kurz gesagt", "aside", True)
    assert made["comment_status"] == "closed"
    assert "<p>Ein <em>Artikel</em>\nüber zwei Zeilen.</p>" in shown
    assert "<script>\nconst a = 1 && 2\n\n</script>" in changed["content"]["raw"]
    assert changed["sticky"] is False
    assert trashed["status"] == "trash"


def test_a_permanent_delete_leaves_nothing(wordpress: Site, line: Line, repository: SampleRepository) -> None:
    repository.commit(numbered(3))
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()

    repository.remove("content/pages/page-002.md")
    repository.commit()
    run = site.sync(permanent=True)

    assert results(run) == {"content/pages/page-002.md": "done"}
    assert titles(eyes.rows().values()) == ["Number 1", "Number 3"]


def test_a_moved_page_is_the_same_record_at_its_new_place_and_so_are_those_below_it(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    long = "\n\n".join(f"Paragraph {number} of a text that Git knows again." for number in range(9))
    repository.commit(
        {
            "content/pages/docs.md": "# Docs\n\n[Setup](docs/setup.md)\n",
            "content/pages/guide.md": "# Guide\n\nRead on.\n",
            "content/pages/docs/setup.md": f"# Setup\n\n{long}\n",
            "content/pages/docs/setup/linux.md": f"# Linux\n\n{long} On Linux.\n",
        }
    )
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    before = site.ids()

    repository.move("content/pages/docs/setup.md", "content/pages/guide/setup.md")
    repository.move("content/pages/docs/setup/linux.md", "content/pages/guide/setup/linux.md")
    repository.commit({"content/pages/docs.md": "# Docs\n\n[Setup](guide/setup.md)\n"})
    run = site.sync()

    after = site.ids()
    assert set(results(run).values()) == {"done"}
    assert sorted(after.values()) == sorted(before.values())
    setup, linux = after["content/pages/guide/setup.md"], after["content/pages/guide/setup/linux.md"]
    rows = eyes.rows()
    assert rows[setup]["link"] == f"{wordpress.url}/guide/setup/"
    assert rows[linux]["link"] == f"{wordpress.url}/guide/setup/linux/"
    assert f'href="{wordpress.url}/guide/setup/"' in rows[after["content/pages/docs.md"]]["content"]["raw"]
    assert "On Linux." in visit(rows[linux]["link"])
    assert site.sync().outcomes == ()


def test_pages_that_link_to_each_other_are_complete_after_one_sync(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit(
        {
            "content/pages/one.md": "# One\n\n[two](two.md)\n",
            "content/pages/two.md": "# Two\n\n[one](one.md#top)\n",
        }
    )
    site = live(repository, line, wordpress)
    site.sync()

    one, two = sorted(Eyes(wordpress).rows().values(), key=lambda row: str(row["slug"]))
    assert f'href="{two["link"]}"' in one["content"]["raw"]
    assert f'href="{one["link"]}#top"' in two["content"]["raw"]
    assert site.sync().outcomes == ()


def test_every_sticky_post_stays_sticky_and_every_scheduled_one_has_its_event(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    sticky = {f"content/posts/s{n}.md": f"---\nsticky: true\n---\n# Sticky {n}\n" for n in range(80)}
    coming = {
        f"content/posts/c{n}.md": f"---\ndate: 2036-01-31T10:{n:02}:00Z\n---\n# Coming {n}\n"
        for n in range(60)
    }
    repository.commit({**sticky, **coming, **numbered(30, kind="post")})

    run = live(repository, line, wordpress).sync(concurrency=8)

    rows = Eyes(wordpress).rows("post").values()
    assert set(results(run).values()) == {"done"}
    assert sum(row["sticky"] for row in rows) == 80
    assert scheduled(wordpress) == {row["id"] for row in rows if row["status"] == "future"}
    assert len(scheduled(wordpress)) == 60


CODE = """\
Write `[gallery]`, `[[caption]]` or `[my-plugin id="7"]`, and an address alone:

```
[embed]https://www.youtube.com/watch?v=skos4B5x7qE[/embed]
https://www.youtube.com/watch?v=skos4B5x7qE
[[menus.main]]
```
"""


def test_code_is_shown_as_it_is_written(wordpress: Site, line: Line, repository: SampleRepository) -> None:
    repository.commit({"content/pages/code.md": CODE})
    site = live(repository, line, wordpress)

    site.sync()

    (row,) = Eyes(wordpress).rows().values()
    shown = html.unescape(row["content"]["rendered"])
    for code in (
        "[gallery]",
        "[[caption]]",
        '[my-plugin id="7"]',
        *CODE.split("```")[1].strip().splitlines(),
    ):
        assert code in shown
    assert "<iframe" not in shown
    assert site.sync().outcomes == ()


@pytest.mark.parametrize(
    ("own_settings", "starts"), [("", "<!-- wp:html -->"), ("blocks = true\n", "<!-- wp:paragraph -->")]
)
def test_wordpress_reads_the_value_of_a_shortcode(
    wordpress: Site, line: Line, repository: SampleRepository, own_settings: str, starts: str
) -> None:
    text = (
        'Hear [audio src="https://a.test/x.mp3" preload="none"] now.\n\n[embed]https://a.test/y.mp3[/embed]\n'
    )
    repository.commit({"content/pages/a.md": text, "pressync.toml": f"[sites.live]\n{own_settings}"})
    site = live(repository, line, wordpress)

    site.sync()

    (row,) = Eyes(wordpress).rows().values()
    assert row["content"]["raw"].startswith(starts)
    assert re.search(
        r'<audio [^>]*preload="none".* src="https://a\.test/x\.mp3\?_=', row["content"]["rendered"]
    )
    assert 'src="https://a.test/y.mp3' in row["content"]["rendered"]
    assert site.sync().outcomes == ()


@pytest.mark.parametrize(
    "own",
    [
        "<!-- wp:paragraph -->\n<p>A block.</p>\n<!-- /wp:paragraph -->\n",
        "<!-- wp:html -->\n<p>One block.</p>\n<!-- /wp:html -->",
    ],
    ids=["block", "like ours"],
)
def test_a_text_with_blocks_of_its_own_is_up_to_date_too(
    wordpress: Site, line: Line, repository: SampleRepository, own: str
) -> None:
    repository.commit({"content/pages/blocks.md": f"---\ntitle: Blocks\n---\n{own}"})
    repository.commit({"templates/page.html": "{{ content | trim }}"})
    site = live(repository, line, wordpress)

    run = site.sync()

    (row,) = Eyes(wordpress).rows().values()
    assert [outcome.message for outcome in run.outcomes] == [""]
    assert "block.</p>" in row["content"]["rendered"]
    assert "wp:" not in row["content"]["rendered"]


@pytest.mark.parametrize("base", ["/?rest_route=/", "/index.php?rest_route=/"])
def test_a_site_without_pretty_addresses_is_synced_as_any(
    wordpress: Site, line: Line, repository: SampleRepository, base: str
) -> None:
    repository.commit(numbered(30))
    site = live(repository, line, wordpress)
    site.url = line.url + base

    assert set(results(site.sync()).values()) == {"done"}
    assert len(Eyes(wordpress).rows()) == 30

    # One deletion goes by itself, and nginx refuses some methods where a folder's index answers.
    repository.remove("content/pages/page-007.md")
    repository.commit()
    assert set(results(site.sync()).values()) == {"done"}
    assert [row["slug"] for row in Eyes(wordpress).rows().values() if row["status"] == "trash"] == [
        "page-007__trashed"
    ]


def test_an_address_that_redirects_is_told_and_not_followed(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit(numbered(3))
    line.moved_to = wordpress.url

    with pytest.raises(ServiceError, match=f"redirects to {wordpress.url}.*set `url` to the final address"):
        live(repository, line, wordpress).sync()

    assert line.writes == []
    assert Eyes(wordpress).rows() == {}


def test_a_wrong_password_is_told_and_nothing_is_written(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit(numbered(3))
    environ = {**live(repository, line, wordpress).environ, "PRESSYNC_PASSWORD": "not this one"}

    done = CliRunner().invoke(pressync, ["-C", str(repository.root), "sync", "--yes"], env=environ)

    assert done.exit_code == 1
    assert "application password" in done.output
    assert "not this one" not in done.output
    assert line.writes == []


@pytest.mark.parametrize(
    ("role", "kind", "missing"),
    [
        ("author", "page", "edit_pages"),
        ("contributor", "post", "publish_posts"),
        ("subscriber", "post", "edit_posts"),
    ],
)
def test_a_user_without_the_rights_is_told_which_and_nothing_is_written(
    wordpress: Site, line: Line, repository: SampleRepository, *, role: str, kind: str, missing: str
) -> None:
    repository.commit(numbered(2, kind=kind))
    site = live(repository, line, wordpress, user=role)

    with pytest.raises(ConfigError, match=missing):
        site.sync()

    assert line.writes == []
    assert Eyes(wordpress).rows(kind) == {}


def test_an_author_syncs_the_own_posts_and_is_told_of_each_other_record(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    page, post = "content/pages/page-001.md", "content/posts/post-{:03}.md"
    repository.commit({**numbered(1), **numbered(4, kind="post")})
    admin = live(repository, line, wordpress)
    admin.sync()
    ids = admin.ids()
    with contextlib.closing(wordpress.service("author")) as service:
        author = service.identity().id
    for number in (1, 2):
        Eyes(wordpress).edit_record("post", ids[post.format(number)], author=author)
    # Another user's draft is one that an author may not even read.
    Eyes(wordpress).edit_record("post", ids[post.format(4)], status="draft")
    repository.remove(post.format(2))
    edited = dict.fromkeys((page, *map(post.format, (1, 3, 4, 5))), "# Edited\n\nText.\n")
    repository.commit(edited)
    site = live(repository, line, wordpress, user="author")

    run = site.sync()

    assert results(run) == {
        **{post.format(number): "done" for number in (1, 2, 5)},
        **dict.fromkeys((page, post.format(3), post.format(4)), "blocked"),
    }
    assert "the right edit_pages;" in messages(run)[page]
    for number in (3, 4):
        assert (
            "is another user's, and this user lacks the right edit_others_posts;"
            in messages(run)[post.format(number)]
        )
    assert set(results(live(repository, line, wordpress, user="editor").sync()).values()) <= {
        "done",
        "blocked",
    }
    assert Eyes(wordpress).row(ids[page])["title"]["raw"] == "Edited"


def test_an_editor_may_do_all_that_a_sync_does(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit({**numbered(2), **numbered(2, kind="post")})
    site = live(repository, line, wordpress, user="editor")

    assert set(results(site.sync()).values()) == {"done"}
    repository.remove("content/posts/post-001.md")
    repository.commit({"content/pages/page-001.md": "# Other\n\nText.\n"})
    assert set(results(site.sync()).values()) == {"done"}
