"""The names of a clone's notes: those of each site, and the same in every version of this program."""

from __future__ import annotations

from pathlib import Path

from pressync.state.clone_files import CloneFiles

COMMON = Path("/clone/.git")


def names(site: str) -> list[Path]:
    notes = CloneFiles.of(COMMON, site)
    return [notes.lock, notes.journal, notes.made, notes.claim, notes.manifest]


def test_what_another_version_noted_is_found_where_all_work_trees_look() -> None:
    assert [str(name.relative_to(COMMON)) for name in names("live")] == [
        "pressync/live.lock",
        "pressync/live.journal",
        "pressync/live.made",
        "pressync/live.claim",
        "pressync/live.json",
    ]


def test_two_sites_share_none() -> None:
    assert len({*names("live"), *names("live.journal")}) == 10
