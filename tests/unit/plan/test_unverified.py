"""Changes whose entry is not verified are blocked, with the commands that settle it."""

from __future__ import annotations

from tests.support.builders import delete, entry, update, why

from pressync.model.changes import Blocked
from pressync.plan import unverified

PATH = "content/pages/a b.md"


def test_an_overwrite_and_a_delete_that_are_not_verified_are_blocked_and_nothing_else() -> None:
    one, other, third = update(PATH), delete("content/pages/b.md"), update("content/pages/c.md")
    changed = unverified.block_unverified(
        [one, other, third], {PATH: why("why"), other.path: why("why else")}
    )
    assert [type(change) for change in changed] == [Blocked, Blocked, type(third)]
    assert [change.reason for change in changed[:2]] == ["why", "why else"]
    assert [change.id for change in changed if isinstance(change, Blocked)] == [one.id, other.id]
    assert unverified.block_unverified([one], {}) == [one]


def test_the_reason_ends_in_both_commands() -> None:
    told = str(unverified.reason(entry(PATH), unverified.unseen("c" * 40, shallow=True)))
    assert "git fetch --unshallow" in told
    assert f"`pressync adopt 'content/pages/a b.md' {entry(PATH).id}`" in told
    assert told.endswith("`pressync forget 'content/pages/a b.md'`")
