"""The options of one `pressync sync`."""

from __future__ import annotations

import pytest

from pressync.cli.commands import sync
from pressync.cli.main import Globals
from pressync.cli.sync_options import SyncOptions


def options(*words: str) -> SyncOptions:
    """Read the words behind `pressync sync` as Click does."""
    context = sync.command.make_context("sync", list(words), obj=Globals())
    return SyncOptions(**context.params)


def test_each_option_is_a_field_of_its_name() -> None:
    assert [
        parameter.name for parameter in sync.command.params if parameter.name not in SyncOptions._fields
    ] == []
    assert options("--rate", "2", "a.md", "b.md") == options("a.md", "b.md")._replace(rate=2.0)


@pytest.mark.parametrize("words", [(), ("--yes",), ("--site", "live"), ("--wait", "0")])
def test_options_about_how_to_sync_leave_a_sync_plain(words: tuple[str, ...]) -> None:
    assert options(*words).is_plain


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
        ("--overwrite",),
        ("--format", "json"),
    ],
)
def test_options_that_ask_for_more_make_a_sync_read_everything(words: tuple[str, ...]) -> None:
    assert not options(*words).is_plain
