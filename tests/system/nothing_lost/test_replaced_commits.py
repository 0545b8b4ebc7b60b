"""A rebase of what was synced needs no consent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.shared_manifest import Clones

from pressync.model.changes import Update
from pressync.model.errors import SafetyRefusal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.strict_service import StrictService
    from tests.support.syncing import Site


A, B, NEW = (f"content/pages/{name}.md" for name in "abc")


@pytest.fixture
def clones(tmp_path: Path, strict: StrictService) -> Clones:
    """Push two pages to an origin whose clones share the manifest in its reference."""
    return Clones.create(tmp_path, strict.url, {A: "# A\n", B: "# B\n"})


@pytest.fixture
def rebased(clones: Clones) -> tuple[Site, Site]:
    """Sync a commit, and rebase it on what somebody else has pushed meanwhile; the other clone has all."""
    here, there = clones.site(), clones.site()
    mine, theirs = clones.made
    here.sync()
    mine.commit({A: "# A2\n"})
    here.sync()
    theirs.commit({B: "# B2\n"})
    theirs.git("push", "--quiet", "origin", "HEAD:main")
    mine.git("pull", "--quiet", "--rebase")
    mine.git("push", "--quiet", "origin", "HEAD:main")
    theirs.git("pull", "--quiet")
    return here, there


def test_a_rebase_of_what_was_synced_needs_no_consent_and_the_others_need_none_afterwards(
    rebased: tuple[Site, Site], strict: StrictService
) -> None:
    here, there = rebased
    assert [(type(change), change.path) for change in here.plan().pending] == [(Update, B)]
    here.sync()
    assert not there.plan().refusals
    there.sync()
    assert there.plan().settled
    assert sorted(page["title"]["raw"] for page in strict.pages) == ["A2", "B2"]
    head = SampleRepository(here.root).head()
    assert {entry.commit for entry in there.entries().values()} == {head}


@pytest.mark.sweep
def test_a_clone_without_the_rebased_commit_may_send_what_takes_nothing_of_it_back(
    rebased: tuple[Site, Site], clones: Clones
) -> None:
    """The commit may have removed the page that looks new."""
    there = rebased[1]
    assert not there.plan().refusals
    assert not there.plan().settled, "the sync still has to note the new commit"
    clones.made[1].commit({NEW: "# C\n"})
    (refusal,) = there.plan().refusals
    assert refusal.code == "rewritten_history"
    assert "After a rebase, a sync in the clone that did it ends this" in refusal.message
    clones.made[1].git("reset", "--quiet", "--hard", "HEAD^")
    clones.made[1].commit({A: "# A, as before\n"})
    assert there.plan().refusals
    with pytest.raises(SafetyRefusal, match="--allow-rewind"):
        there.sync()
