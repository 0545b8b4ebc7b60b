"""What the command line asks of one sync."""

from __future__ import annotations

import pytest

from pressync.cli.commands import sync
from pressync.cli.sync_options import SyncOptions


def order(*words: str) -> SyncOptions:
    """Read the words behind `pressync sync` as Click does."""
    context = sync.command.make_context("sync", list(words))
    return SyncOptions(**context.params)


def test_each_option_is_a_field_of_its_name() -> None:
    assert [
        parameter.name for parameter in sync.command.params if parameter.name not in SyncOptions._fields
    ] == []
    assert order("--rate", "2", "a.md", "b.md") == order("a.md", "b.md")._replace(rate=2.0)


@pytest.mark.parametrize("words", [(), ("--yes",), ("--site", "live"), ("--wait", "0"), ("--overwrite",)])
def test_how_it_is_done_leaves_an_order_plain(words: tuple[str, ...]) -> None:
    assert order(*words).is_plain


@pytest.mark.parametrize(
    "words",
    [
        ("a.md",),
        ("--worktree",),
        ("--ref", "v1"),
        ("--plan", __file__),
        ("--strict",),
        ("--commit",),
        ("--delete-unused-media",),
        ("--format", "json"),
    ],
)
def test_what_more_or_what_else_is_asked_makes_it_an_order_to_look(words: tuple[str, ...]) -> None:
    assert not order(*words).is_plain
