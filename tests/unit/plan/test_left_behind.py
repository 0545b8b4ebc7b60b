"""A manifest's file that was left beside the reference has records that the reference never had, or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import TARGET, entry, manifest

from pressync.config import settings
from pressync.plan import left_behind
from pressync.repo.repository import Repository
from pressync.state.manifest.codec import encode

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.config.settings import Site
    from pressync.model.records import Entry

FILE = ".pressync/live.json"
REFERENCE = "refs/pressync/live"
A, B, C = entry("a.md", 1), entry("b.md", 2), entry("c.md", 3)


def site(manifest_setting: str = "ref") -> Site:
    text = f'[sites.live]\nurl = "{TARGET}"\nmanifest = "{manifest_setting}"\n'
    return settings.load(text, where="pressync.toml", environ={}).site


def moved(repository: SampleRepository, *entries: Entry, subject: str = "Move from a file") -> None:
    """Commit these entries to the reference, beside the branch."""
    head = repository.git("rev-parse", "--verify", "HEAD") if repository.git("branch") else ""
    repository.commit({"manifest.json": encode(manifest(*entries))}, subject)
    repository.git("update-ref", REFERENCE, "HEAD")
    if head:
        repository.git("reset", "--quiet", "--hard", head)


@pytest.mark.parametrize(
    ("there", "more"), [((A,), 0), ((A, B), 0), ((A, B, C), 1)], ids=["older", "equal", "with another page"]
)
def test_records_that_the_reference_never_had_refuse_a_create(
    repository: SampleRepository, there: tuple[Entry, ...], more: int
) -> None:
    repository.commit({FILE: encode(manifest(*there))})
    moved(repository, A, B)
    with Repository(repository.root) as opened:
        tree = opened.tree(opened.commit())
        # B was deleted after the move.
        found = left_behind.refusal(opened, site(), tree, [A])
        assert left_behind.refusal(opened, site("x.json"), tree, [A]) is None
    assert (found is not None) == bool(more)
    if found:
        assert found.code == "two_manifests"
        assert f"{FILE} in the commit has 1 record that {REFERENCE} does not have" in found.message


def test_a_file_of_another_target_or_a_broken_one_refuses_nothing(repository: SampleRepository) -> None:
    for text in ("{", encode(manifest(C)).replace(TARGET, "https://elsewhere.test")):
        repository.commit({FILE: text})
        moved(repository, A)
        with Repository(repository.root) as opened:
            assert left_behind.refusal(opened, site(), opened.tree(opened.commit()), [A]) is None


def test_the_last_move_counts_or_else_the_beginning(repository: SampleRepository) -> None:
    with Repository(repository.root) as opened:
        assert left_behind.after_last_move(opened, REFERENCE, TARGET) is None
    moved(repository, A, subject="Claim: Sync of 1")
    with Repository(repository.root) as opened:
        assert left_behind.after_last_move(opened, REFERENCE, TARGET) == manifest(A)
    repository.commit({"manifest.json": encode(manifest(A, B))}, "Move from a file")
    repository.commit({"manifest.json": encode(manifest(A, B, C))}, "Sync of 2")
    repository.git("update-ref", REFERENCE, "HEAD")
    with Repository(repository.root) as opened:
        assert left_behind.after_last_move(opened, REFERENCE, TARGET) == manifest(A, B)
