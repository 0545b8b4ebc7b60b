"""A run announces each create before its first call, without the values that are not known yet."""

from __future__ import annotations

from tests.support.builders import HEAD, create, delete, keep, plan, update

from pressync.model.fingerprint import UNSURE
from pressync.sync.planned_creates import announced_creates


def test_creates_are_claimed_and_nothing_else() -> None:
    drawn = plan(create("a.md"), update("b.md"), delete("c.md"), keep("d.md"))
    (sent,) = announced_creates(drawn, "now")
    assert (sent.path, sent.slug, sent.time, sent.commit) == ("a.md", "a", "now", HEAD)
    wanted = create("a.md").desired
    assert sent.fingerprints == {**wanted.fingerprints, **wanted.create_only}


def test_the_id_of_a_parent_that_is_made_first_is_not_known_yet() -> None:
    above, below = create("a.md"), create("a/b.md", parent_path="a.md")
    assert [create.fingerprints.get("parent") for create in announced_creates(plan(above, below), "now")] == [
        None,
        UNSURE,
    ]


def test_a_body_that_refers_to_anything_that_may_move_is_not_known_yet() -> None:
    drawn = plan(create("a.md", links=("kept.md",)), create("b.md", links=("a.md",)), keep("kept.md"))
    first, second = announced_creates(drawn, "now")
    assert first.fingerprints["content"] != UNSURE
    assert second.fingerprints["content"] == UNSURE
