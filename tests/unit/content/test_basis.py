"""The basis is equal exactly as long as everything beside the file is equal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pressync.config import settings
from pressync.content.basis import BasisDigest
from pressync.content.import_tables import NO_TABLES
from pressync.content.render.link_targets import UNKNOWN

SETTINGS = settings.load('[defaults]\nauthor = "jane"\n', where="pressync.toml", environ={})
A, B = ("a.md", "https://example.org/a/"), ("b.md", UNKNOWN)


def basis(template: str = "t") -> BasisDigest:
    return BasisDigest(SETTINGS, NO_TABLES, lambda layout: f"{layout} {template}")


def test_equal_facts_give_equal_digests_of_twenty_digits() -> None:
    assert basis().of("page.html", 7, [A, B]) == basis().of("page.html", 7, [A, B])
    assert len(basis().of("page.html", 7)) == 20


@pytest.mark.parametrize(
    "other",
    [
        basis().of("post.html", 7, [A]),
        basis().of("page.html", 8, [A]),
        basis().of("page.html", 7),
        basis().of("page.html", 7, [("a.md", "https://example.org/other/")]),
        basis().of("page.html", 7, [("a.md", UNKNOWN)]),
        basis("another").of("page.html", 7, [A]),
        BasisDigest(SETTINGS, replace(NO_TABLES, users={"jane": "anna"}), lambda layout: f"{layout} t").of(
            "page.html", 7, [A]
        ),
        BasisDigest(
            replace(SETTINGS, site=replace(SETTINGS.site, defaults={})),
            NO_TABLES,
            lambda layout: f"{layout} t",
        ).of("page.html", 7, [A]),
    ],
)
def test_each_fact_changes_the_digest(other: str) -> None:
    assert basis().of("page.html", 7, [A]) != other
