"""A rollback on real WordPress: the site is as it was, member by member, whatever the run did."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from tests.live.live import FIRST_POST, Eyes, live
from tests.support.undoing import TakenOver, Walk, rolled_back, seen, stored_texts, walk

if TYPE_CHECKING:
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

A, BELOW, POST = "content/pages/c-a.md", "content/pages/c-a/below.md", "content/posts/c-post.md"


def shown(eyes: Eyes) -> dict[int, dict[str, Any]]:
    rows = {**eyes.rows("page"), **eyes.rows("post")}
    return {number: row for number, row in rows.items() if number != FIRST_POST}


def test_a_deleted_tree_and_a_sticky_post_come_back_with_their_ids(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    repository.commit(
        {A: "# A\n", BELOW: "# Below\n", POST: "---\nsticky: true\ntags: [c-red]\n---\n# Post\n"}
    )
    site.sync()
    before = {number: seen(row) for number, row in shown(eyes).items()}
    links = {number: row["link"] for number, row in shown(eyes).items()}
    repository.remove(A, BELOW, POST)
    repository.commit({"content/pages/c-new.md": "---\nslug: c-a\n---\n# New\n"})
    site.sync()
    rolled_back(site)
    after = shown(eyes)
    assert {number: seen(after[number]) for number in before} == before
    assert {number: after[number]["link"] for number in before} == links
    assert {row["status"] for number, row in after.items() if number not in before} == {"trash"}


@pytest.mark.parametrize("user", ["admin", "editor"])
def test_random_values_of_others_come_back_to_the_byte(
    wordpress: Site, line: Line, repository: SampleRepository, user: str
) -> None:
    repository.write(".gitignore", ".pressync/\n")
    eyes, choose = Eyes(wordpress), random.Random(user)  # noqa: S311 - no secret
    world = TakenOver(
        repository,
        live(repository, line, wordpress, user),
        lambda **fields: eyes.make("post", **fields),
        lambda number, fields: eyes.edit_record("post", number, **fields),
        lambda: eyes.rows("post"),
        f"c-{user}",
    )
    before, after = world.take_over({f"n{n:02}": stored_texts(choose) for n in range(60)})
    texts = ("title", "content", "excerpt", "slug", "status", "sticky", "categories", "tags")
    assert {n: {name: row[name] for name in texts} for n, row in after.items()} == {
        n: {name: row[name] for name in texts} for n, row in before.items()
    }


@pytest.mark.parametrize("seed", range(2))
def test_random_runs_are_rolled_back(
    wordpress: Site, line: Line, repository: SampleRepository, seed: int
) -> None:
    repository.write(".gitignore", ".pressync/\n")
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)

    def edit(number: int, fields: dict[str, Any]) -> None:
        eyes.edit_record(str(shown(eyes)[number]["type"]), number, **fields)

    def make(title: str, slug: str) -> int:
        return eyes.make(title=title, slug=slug, status="publish", content="")

    choose = random.Random(seed)  # noqa: S311 - no secret
    walk(Walk(repository, site, lambda: shown(eyes), edit, make, choose, "c"), 3)
