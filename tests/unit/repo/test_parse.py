"""What Git prints, read from what it prints."""

from __future__ import annotations

from pressync.repo.parse import Departures, complaint, departures, uncommitted

OLD, NEW, NONE = "a" * 40, "b" * 40, "0" * 40


def row(status: str, *paths: str, old: str = OLD) -> str:
    """Write one row of a raw diff with its paths."""
    return "\0".join((f":100644 100644 {old} {NEW} {status}", *paths, ""))


def test_nothing_said_is_nothing_departed() -> None:
    assert departures("") == Departures()


def test_a_rename_has_two_paths_and_a_removal_the_blob_that_was_there() -> None:
    assert departures(row("R087", "a.md", "b.md") + row("D", "c.md")) == Departures(
        {"a.md": "b.md"}, {"c.md": OLD}
    )


def test_between_commits_stand_their_ids_and_the_newest_word_counts() -> None:
    newer = f"{NEW}\0" + row("D", "a.md")
    older = f"{OLD}\0" + row("R100", "a.md", "b.md") + row("D", "c.md", old=NONE)
    assert departures(newer + older) == Departures({}, {"a.md": OLD, "c.md": NONE})


def test_a_path_may_look_like_a_row() -> None:
    assert departures(row("D", ":100644 x") + row("R100", ":a", ":b")) == Departures(
        {":a": ":b"}, {":100644 x": OLD}
    )


def test_a_merge_removed_only_what_all_its_parents_had() -> None:
    both = f"::100644 100644 000000 {OLD} {NEW} {NONE} DD\0a.md\0"
    one = f"::100644 100644 000000 {OLD} {NEW} {NONE} AD\0b.md\0"
    renamed = f"::100644 100644 100644 {OLD} {OLD} {NEW} RR\0c.md\0"
    assert departures(both + one + renamed + row("D", "d.md")) == Departures({}, {"a.md": OLD, "d.md": OLD})


def test_a_renamed_file_is_one_change_under_two_names() -> None:
    assert uncommitted("R  new.md\0?? not untracked\0 M b.md\0?? c.md\0") == (2, 1)
    assert uncommitted("") == (0, 0)


def test_a_complaint_has_no_credentials_and_no_blanks_at_the_ends_of_its_lines() -> None:
    said = "remote: no   \nfatal: https://me:secret@example.org/x.git: not found\r\n\n"
    assert complaint(said) == "remote: no\nfatal: https://example.org/x.git: not found"
