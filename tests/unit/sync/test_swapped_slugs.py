"""Records that take each other's slugs in one commit have them after one sync, without a number."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.support import embedded_wordpress
from tests.support.clones import bound, drift

from pressync.model.changes import Result

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.model.changes import Outcome

A, B, C = "content/pages/a.md", "content/pages/b.md", "content/pages/c.md"
NEWS, OLD = "content/posts/news.md", "content/posts/old.md"
LINKING = "content/pages/linking.md"
A_CHILD, B_CHILD = "content/pages/a/child.md", "content/pages/b/child.md"


def named(slug: str) -> str:
    return f"---\nslug: {slug}\n---\n# It was another\n"


SWAP = {A: named("b"), B: named("a")}


def below(parent: str) -> str:
    return f"---\nparent: {parent}\n---\n# Child\n"


@pytest.mark.parametrize(
    ("before", "after", "addresses"),
    [
        ({A: "# A\n", B: "# B\n"}, SWAP, {A: "/b/", B: "/a/"}),
        (
            {A: "# A\n", B: "# B\n", C: "# C\n"},
            {A: named("b"), B: named("c"), C: named("a")},
            {A: "/b/", B: "/c/", C: "/a/"},
        ),
        (
            {NEWS: "# N\n", OLD: "# O\n"},
            {NEWS: named("old"), OLD: named("news")},
            {NEWS: "/blog/old/", OLD: "/blog/news/"},
        ),
        (
            {A: "# A\n", B: "# B\n", A_CHILD: "# Child\n", B_CHILD: "# Child\n"},
            {A_CHILD: below(B), B_CHILD: below(A)},
            {A_CHILD: "/b/child/", B_CHILD: "/a/child/"},
        ),
    ],
    ids=["two pages", "three pages", "two posts", "the parents of two"],
)
def test_records_that_take_each_others_addresses_have_them_after_one_sync(
    repository: SampleRepository, before: dict[str, str], after: dict[str, str], addresses: dict[str, str]
) -> None:
    with embedded_wordpress.serving() as wordpress:
        site = bound(repository, wordpress)
        repository.commit(before)
        site.sync()
        repository.commit(after)
        run = site.sync()
        # Nothing is told of the number that one of them had for a moment.
        assert [(one.result, one.message) for one in run.outcomes] == [(Result.DONE, "")] * len(after)
        links = {path: wordpress.shown[site.entries()[path].id]["link"] for path in addresses}
        assert {path: urlsplit(link).path for path, link in links.items()} == addresses
        assert not site.plan().pending
        assert not drift(site).pending


def test_links_lead_to_the_pages_that_have_swapped_and_to_the_pages_below(
    repository: SampleRepository,
) -> None:
    with embedded_wordpress.serving() as wordpress:
        site = bound(repository, wordpress)
        repository.commit({A: "# A\n", B: "# B\n", A_CHILD: "# Child\n"})
        site.sync()
        repository.commit({**SWAP, LINKING: "[a](a.md) [child](a/child.md) [b](b.md)\n"})
        site.sync()
        entries = site.entries()
        text = wordpress.shown[entries[LINKING].id]["content"]["raw"]
        links = [wordpress.shown[entries[path].id]["link"] for path in (A, A_CHILD, B)]
        assert [f'href="{link}"' in text for link in links] == [True] * 3
        assert not site.plan().pending


def test_a_run_that_ends_before_the_slug_is_free_leaves_it_to_the_next(repository: SampleRepository) -> None:
    with embedded_wordpress.serving() as wordpress:
        site, stop = bound(repository, wordpress), threading.Event()
        repository.commit({A: "# A\n", B: "# B\n"})
        site.sync()
        repository.commit(SWAP)

        def stop_after_both(outcome: Outcome) -> None:
            if outcome.change.path == B:
                stop.set()

        run = site.sync(stop=stop, on_outcome=stop_after_both)
        assert [one.message for one in run.outcomes] == ["its slug is completed by the next sync", ""]
        assert [one.result for one in site.sync().outcomes] == [Result.DONE]
        assert {path: entry.slug for path, entry in site.entries().items()} == {A: "b", B: "a"}


def test_a_slug_that_a_stranger_has_is_told_once(repository: SampleRepository) -> None:
    with embedded_wordpress.serving() as wordpress:
        site = bound(repository, wordpress)
        repository.commit({A: "# A\n", B: "# B\n"})
        site.sync()
        wordpress.post("pages", title="Theirs", slug="c", status="publish")
        repository.commit({A: named("c"), B: named("a")})
        run = site.sync()
        told = "slug: changed by the service from 'c' to 'c-2', because another record or a file"
        assert run.outcomes[0].message.startswith(told)
        assert not run.outcomes[1].message
        assert not site.plan().pending
