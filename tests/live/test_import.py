"""A real site is imported: its files are in step with it, and an edit of a word changes that word alone."""

from __future__ import annotations

import difflib
import html
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import requests
from tests.live.exports import export
from tests.live.live import Eyes, Live, live
from tests.live.pictures import png
from tests.support.repository import SampleRepository

from pressync.app.revision import Revision
from pressync.importing.own_site import bind, own_site
from pressync.importing.run import ImportRequest, import_source
from pressync.importing.sources.item import ImportSource
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from tests.live.live import Row
    from tests.live.proxy import Line
    from tests.live.sites import Site

    from pressync.importing.account import Account

NOTE = "11111111-2222-4333-8444-555555555555"
# What a person leaves in the block editor; `{picture}` is the address of a picture, and `{number}` its id.
BLOCKS = """\
<!-- wp:heading -->
<h2 class="wp-block-heading">A heading</h2>
<!-- /wp:heading -->

<!-- wp:paragraph {{"align":"center"}} -->
<p class="has-text-align-center">A <em>quick</em> fox.</p>
<!-- /wp:paragraph -->

<!-- wp:image {{"id":{number},"sizeSlug":"full","linkDestination":"none"}} -->
<figure class="wp-block-image size-full"><img src="{picture}" alt="Red" class="wp-image-{number}"/>\
<figcaption class="wp-element-caption">A caption</figcaption></figure>
<!-- /wp:image -->

<!-- wp:gallery {{"linkTo":"none"}} -->
<figure class="wp-block-gallery has-nested-images columns-default is-cropped">\
<!-- wp:image {{"id":{number},"sizeSlug":"large","linkDestination":"none"}} -->
<figure class="wp-block-image size-large"><img src="{picture}" alt="" class="wp-image-{number}"/></figure>
<!-- /wp:image --></figure>
<!-- /wp:gallery -->

<!-- wp:table -->
<figure class="wp-block-table"><table><thead><tr><th>A</th></tr></thead><tbody><tr><td>1</td></tr></tbody>\
</table></figure>
<!-- /wp:table -->

<!-- wp:embed {{"url":"https://video.test/x","type":"video"}} -->
<figure class="wp-block-embed is-type-video"><div class="wp-block-embed__wrapper">
https://video.test/x
</div></figure>
<!-- /wp:embed -->

<!-- wp:paragraph -->
<p>A note<sup data-fn="{note}" class="fn"><a id="{note}-link" href="#{note}">1</a></sup>.</p>
<!-- /wp:paragraph -->

<!-- wp:footnotes /-->"""
CLASSIC = """\
A lazy dog.
Second line.

[caption id="attachment_{number}" align="alignleft" width="300"]<img src="{picture}" alt="Red" /> \
Words[/caption]

[gallery ids="{number}"]

See <a href="{home}/blocks/#x">blocks</a> &amp; “quotes”.
<!--more-->
<blockquote>Quoted</blockquote>"""


def fill(site: Site) -> None:
    """Put onto a site what people have there."""

    def post(route: str, **more: Any) -> Row:  # noqa: ANN401 - requests' own
        answer = requests.post(
            f"{site.url}/wp-json/wp/v2/{route}",
            auth=("admin", site.passwords["admin"]),
            timeout=30,
            **more,
        )
        answer.raise_for_status()
        return dict(answer.json())

    headers = {"Content-Disposition": 'attachment; filename="red.png"', "Content-Type": "image/png"}
    picture = post("media", data=png(200, 0, 0), headers=headers)
    filled = {"number": picture["id"], "picture": picture["source_url"], "home": site.url, "note": NOTE}
    news = post("categories", json={"name": "News & Co"})["id"]
    terms = {
        "categories": [post("categories", json={"name": "World", "parent": news})["id"]],
        "tags": [post("tags", json={"name": "2024"})["id"]],
    }
    notes = [{"id": NOTE, "content": "The note"}]
    meta = {} if site.version.startswith("6.1") else {"meta": {"footnotes": str(notes).replace("'", '"')}}
    parent = post("pages", json={"title": "Parent", "status": "publish", "menu_order": 2, "content": "Up"})
    child = {"title": "Child", "parent": parent["id"], "content": '<a href="/parent/">Up</a>'}
    post("pages", json={**child, "status": "publish"})
    for fields in (
        {"title": "Blocks", "content": BLOCKS.format(**filled), "sticky": True, **terms, **meta},
        {"title": "Classic", "content": CLASSIC.format(**filled), "featured_media": picture["id"]},
        {"title": "Größe", "content": "<p>Is HTML</p>", "comment_status": "closed", "excerpt": "Short"},
        {"title": "Draft", "status": "draft", "content": "Secret"},
        {"title": "Private", "status": "private", "content": "Secret"},
        {"title": "Protected", "password": "sesame", "content": "Secret"},
        {"title": "Later", "date": "2037-01-01T10:00:00", "status": "future", "content": "Soon"},
    ):
        post("posts", json={"status": "publish", "slug": str(fields["title"]).lower(), **fields})


def imported(site: Live, source: str, media: Path | None = None, file: Path | None = None) -> Account:
    """Import without a command line, with every status."""
    with site.workspace() as workspace:
        wanted = ImportSource(
            source,
            file,
            all_statuses=True,
            media=media,
            settings=workspace.settings,
            own=own_site(workspace),
        )
        account = import_source(workspace.repository, workspace.settings, ImportRequest(wanted))
    # The import may have written the schema of the site.
    with site.workspace() as workspace:
        bound = bind(workspace, wanted.own, account)
    assert bound is not None
    assert not bound.unbound
    return account


def everything(wordpress: Site) -> dict[int, Row]:
    eyes = Eyes(wordpress)
    return eyes.rows() | eyes.rows("post")


def words(row: Row) -> list[str]:
    return html.unescape(re.sub(r"<[^>]*>", " ", row["content"]["rendered"])).split()


def test_a_site_becomes_files_in_step_with_it_and_one_word_is_one_update(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    fill(wordpress)
    repository.commit({"README.md": "# Read me\n"})
    site, before = live(repository, line, wordpress), everything(wordpress)
    uploads = wordpress.folder / "usr/share/wordpress/wp-content/uploads"

    account = imported(site, site.url, uploads)
    assert len(account.files) == len(before) + 1  # the first post is there, too
    repository.commit()
    assert site.plan().pending == ()
    assert not site.plan().problems
    with site.workspace() as workspace:
        assert workspace.plan(Revision(), PlanOptions(), drift=True).plan.pending == ()
    assert site.sync().outcomes == ()
    assert everything(wordpress) == before
    imported(site, site.url, uploads)
    assert repository.git("status", "--porcelain") == ""

    file = repository.root / "content/posts/blocks.md"
    file.write_text(file.read_text().replace("quick", "slow"))
    repository.commit()
    (outcome,) = site.sync().outcomes
    assert outcome.change.path == "content/posts/blocks.md"
    after = everything(wordpress)
    (changed,) = (number for number, row in after.items() if row["content"] != before[number]["content"])
    difference = difflib.ndiff(words(before[changed]), words(after[changed]))
    assert [row for row in difference if row[0] in "+-"] == ["- quick", "+ slow"]
    assert len(after) == len(before)
    assert site.plan().pending == ()


def test_markdown_that_went_to_a_site_comes_back_from_its_export(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path
) -> None:
    fill(wordpress)
    guide = Path(__file__).parents[2] / "content/pages"
    # Here the pages are below one of their own, and not in the groups of the guide.
    pages = {
        f"content/pages/guide/{file.name}": re.sub("^parent: .*\n", "", file.read_text(), flags=re.MULTILINE)
        for file in guide.glob("*.md")
    }
    repository.commit(
        {
            **pages,
            "content/pages/about.md": "---\ntitle: About\n---\nWe *are* `[code]`.\n\n| a |\n|---|\n| 1 |\n",
            "content/pages/about/team.md": "# Team\n\nSee [us](../about.md).\n\n```sh\nls [x]\n```\n",
            "content/posts/2024-01-31-hello.md": "---\ntags: [red]\n---\n# Hello\n\n> [!NOTE]\n> A note\n",
        }
    )
    live(repository, line, wordpress).sync()
    before = everything(wordpress)
    other = SampleRepository.create(tmp_path / "other")
    other.commit({"README.md": "# Read me\n"})
    # The export names the address of the site itself, and not that of the line to it.
    site = Live(other.root, f"{wordpress.url}/wp-json", password=wordpress.passwords["admin"])

    account = imported(site, "export.xml", file=export(wordpress, tmp_path / "export.xml"))
    assert len(account.files) == len(before) + 1
    other.commit()
    assert site.plan().pending == ()
    with site.workspace() as workspace:
        assert workspace.plan(Revision(), PlanOptions(), drift=True).plan.pending == ()
    assert site.sync().outcomes == ()
    assert everything(wordpress) == before
