"""The subject of a commit counts records by their kind and id."""

from __future__ import annotations

from dataclasses import replace

from tests.support.builders import entry, manifest

from pressync.model.interface import Kind
from pressync.model.records import UnconfirmedCreate
from pressync.state.manifest_counts import LARGE, counts, too_large

A, B, C = entry("a.md", 1), entry("b.md", 2), entry("c.md", 3)
SENT_CREATE = UnconfirmedCreate("d.md", Kind.PAGE, "d", "2024-01-31T12:00:00Z", "c", {})


def test_what_is_new_changed_gone_and_unconfirmed_is_counted() -> None:
    moved = entry("renamed.md", 1)
    after = replace(manifest(moved, C), unconfirmed=(SENT_CREATE,))
    assert counts(manifest(A, B), after) == "1 created, 1 updated, 1 deleted, 1 unconfirmed"


def test_what_is_equal_is_not_named() -> None:
    assert counts(manifest(A), manifest(A)) == ""


def test_a_size_is_told_from_half_of_what_hosts_take() -> None:
    assert too_large(LARGE - 1, "x") == ""
    assert (
        too_large(65_500_000, "x") == "the manifest in x has 66 MB, and many hosts refuse files over 100 MB"
    )
