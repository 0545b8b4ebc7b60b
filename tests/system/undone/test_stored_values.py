"""A rollback brings back the values of others as the site stored them, to the byte."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.clones import bound
from tests.support.undoing import TakenOver, rolled_back, stored_texts

from pressync.app import bind
from pressync.app.revision import Revision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

    from pressync.model.changes import Plan

POST = "content/posts/c.md"


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    with embedded_wordpress.serving() as service:
        yield service


@pytest.mark.parametrize(
    ("title", "content"),
    [
        ("C", "First.\r\n\r\nSecond."),
        ("A <em>x</em> &#8211; b", "[sourcecode]\nif (a < b) {}\n[/sourcecode]"),
        ("Ours <em>x</em>", "<!-- wp:paragraph -->\n<p>First.</p>\n<!-- /wp:paragraph -->\n\ntail"),
    ],
)
def test_a_text_of_the_classic_editor_and_a_title_with_markup_come_back(
    repository: SampleRepository, wordpress: EmbeddedWordPress, title: str, content: str
) -> None:
    site = bound(repository, wordpress)
    number = wordpress.post("posts", title=title, content=content, slug="c", status="publish")
    repository.commit({POST: "---\ntitle: Ours <em>x</em>\n---\n\nNew text.\n"})
    with site.workspace() as workspace:
        bind.adopt(workspace, {POST: number}, Revision())
    before = wordpress.shown[number]
    site.sync()
    assert wordpress.shown[number]["title"]["raw"] == "Ours &lt;em>x&lt;/em>"

    rolled_back(site)

    after = wordpress.shown[number]
    assert {name: after[name] for name in ("title", "content", "excerpt")} == {
        "title": {**before["title"], "raw": title},
        "content": {**before["content"], "raw": content},
        "excerpt": before["excerpt"],
    }


SCRIPT = "First. <script>one()</script>"
FILTERED = f"1 value with markup that it filters, because this user lacks unfiltered_html: {POST} (content)"


@pytest.mark.parametrize(
    ("title", "content", "role", "said"),
    [
        ("C", SCRIPT, "author", f"{FILTERED}."),
        ("C", SCRIPT, "editor", None),
        ("C", "<!-- wp:html --><!-- <script> --><p>First.</p><!-- /wp:html -->", "author", None),
        ("C", '<p onclick="one()">First.</p>', "author", f"{FILTERED}."),
        ("C <span>d</span>", "First.", "author", f"{FILTERED.replace('content)', 'title)')}."),
    ],
)
def test_the_plan_says_which_values_the_site_will_filter(  # noqa: PLR0917 - four of them are a row
    repository: SampleRepository,
    wordpress: EmbeddedWordPress,
    title: str,
    content: str,
    role: str,
    said: str | None,
) -> None:
    site = bound(repository, wordpress)
    number = wordpress.post("posts", title=title, content=content, slug="c", status="publish")
    repository.commit({POST: "---\ntitle: Ours\n---\n\nNew text.\n"})
    with site.workspace() as workspace:
        bind.adopt(workspace, {POST: number}, Revision())
    site.sync()
    wordpress.demote(role)
    seen: list[str] = []

    def agree(plan: Plan) -> bool:
        seen.extend(plan.notes)
        return True

    rolled_back(site, agree=agree)

    before = "The site will not take everything back as it was: "
    assert seen == ([f"{before}{said}"] if said else [])


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.sweep)])
def test_random_values_come_back(
    repository: SampleRepository, wordpress: EmbeddedWordPress, seed: int
) -> None:
    choose = random.Random(seed)  # noqa: S311 - no secret
    world = TakenOver(
        repository,
        bound(repository, wordpress),
        lambda **fields: wordpress.post("posts", **fields),
        lambda number, fields: wordpress.post(f"posts/{number}", **fields),
        lambda: wordpress.shown,
        "s",
    )
    before, after = world.take_over({f"n{n:02}": stored_texts(choose) for n in range(30)})
    assert {n: stored(row) for n, row in after.items()} == {n: stored(row) for n, row in before.items()}


def stored(row: dict[str, object]) -> dict[str, object]:
    """Give the texts of a record, as they are stored and as they are shown."""
    return {name: row[name] for name in ("title", "content", "excerpt", "slug", "status")}
