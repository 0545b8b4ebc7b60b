"""The next step for a manifest that is not committed: commands and hooks say the same sentence."""

from __future__ import annotations

import pytest

from pressync.app.commit_hint import next_commit
from pressync.model.outcomes import KeptManifest

MANIFEST = ".pressync/live.json"


@pytest.mark.parametrize("kept", [None, KeptManifest(MANIFEST, committed=True, ignored=False)])
def test_a_committed_manifest_needs_no_next_step(kept: KeptManifest | None) -> None:
    assert next_commit(kept) == ""


def test_an_edited_manifest_is_to_be_committed() -> None:
    said = next_commit(KeptManifest(MANIFEST, committed=False, ignored=False))
    assert said == "next: commit .pressync/live.json, so that other clones know these records"


def test_an_ignored_manifest_leaves_gitignore_first() -> None:
    said = next_commit(KeptManifest(MANIFEST, committed=False, ignored=True))
    assert said.startswith("next: take .pressync/live.json out of .gitignore and commit it")


def test_a_path_cannot_end_the_line() -> None:
    assert "\n" not in next_commit(KeptManifest("a\nb.json", committed=False, ignored=False))
