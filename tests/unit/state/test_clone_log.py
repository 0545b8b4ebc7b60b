"""The log of what a clone knows of a site: few files, few replacements, and no harm by a damaged line."""

from __future__ import annotations

import json
import os
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.json import encode
from tests.support.builders import HEAD, TARGET, entry
from tests.support.embedded_wordpress import ENVIRON, serving
from tests.support.share import part
from tests.support.states import log_in, opened
from tests.support.terminal import Terminal

from pressync.client.dialects import UserRights
from pressync.model.interface import Kind
from pressync.state import atomic_files, clone_log
from pressync.state.clone_facts import VERSION, Image, RunRecord, RunRecords, TouchedRecord, record_after
from pressync.state.clone_log import Bond, Rights, bond_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.support.repository import SampleRepository

    from pressync.state.clone_log import CloneLog

A, B = "content/pages/a.md", "content/pages/b.md"
OTHER = "https://other.test/wp-json"
OLD, NEW = "20240131-120000-aaaaa", "20991231-235959-bbbbb"
_BONDS = st.lists(
    st.tuples(st.sampled_from("abc"), st.builds(Bond, st.just("page"), st.integers(0, 3), st.just(HEAD)))
)


def everything(log: CloneLog) -> dict[str, object]:
    """Give all that a log says."""
    runs = RunRecords(log)
    return {
        **{name: getattr(log, name)() for name in ("bonds", "removed", "notes", "rights", "claim")},
        "runs": runs.all(),
        "images": {each.run: runs.images(each.run) for each in runs.all()},
    }


def filled(folder: Path, run: str = NEW) -> CloneLog:
    """Write each kind of fact into a log."""
    log = log_in(folder)
    log.append(bond_facts({A: Bond("page", 7, HEAD), "ü.md": Bond("post", 8, HEAD)}.items()))
    rest = {
        "removed": [("page", 1)],
        "notes": [("page", 7, 2)],
        "rights": Rights("ed", 3, ("x",)),
        "claim": "f" * 32,
    }
    log.append((name, encode(members)) for name, members in rest.items())
    record = RunRecord(VERSION, run, TARGET, HEAD, (TouchedRecord(A, Kind.PAGE, 7, entry(A)),))
    RunRecords(log).begin(record, [Image.of(Kind.PAGE, 7, {"title": "Theirs"}, {})])
    RunRecords(log).end(record, {A: record_after(entry(A))}.items())
    return log


def test_a_sync_of_one_edit_replaces_few(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as site:
        repository.commit({"pressync.toml": f'[sites.default]\nurl = "{site.url}"\n', A: "# A\n", B: "# B\n"})
        terminal = Terminal(repository, ENVIRON)
        terminal.run("sync", "--yes")
        (repository.root / B).unlink()
        repository.commit({A: "# Edited\n"})
        replaced: list[Path] = []
        replace = atomic_files.replace

        def counted(path: Path, *data: Any, **named: Any) -> None:  # noqa: ANN401 - as `replace` takes them
            replaced.append(path)
            replace(path, *data, **named)

        monkeypatch.setattr(atomic_files, "replace", counted)
        terminal.run("sync", "--yes")
    assert len(replaced) <= 4
    files = {path.name for path in (repository.root / ".git/pressync").iterdir()}
    # The last of them is for all sites: it names the addresses that a person has agreed to.
    assert files == {"default.lock", "default.made", "default.log", "any.seen", "used-settings"}


_DAMAGES = (lambda _text: None, lambda text: text[: len(text) // 2], lambda text: bytes(len(text)))


@pytest.mark.parametrize(
    ("name", "damage"), part(product(["default.made", "default.log", "any.seen"], _DAMAGES), 4)
)
def test_a_file_of_the_clone_that_is_lost_or_cut_off_makes_no_second_record_and_loses_none(
    repository: SampleRepository, name: str, damage: Callable[[bytes], bytes | None]
) -> None:
    with serving() as site:
        repository.commit({"pressync.toml": f'[sites.default]\nurl = "{site.url}"\n', A: "# A\n", B: "# B\n"})
        terminal = Terminal(repository, ENVIRON)
        terminal.run("sync", "--yes")
        terminal.run("plan")
        file = repository.root / ".git/pressync" / name
        left = damage(file.read_bytes())
        file.unlink() if left is None else file.write_bytes(left)
        terminal.run("plan", "--exit-code")
        (repository.root / B).unlink()
        repository.commit({A: "# Edited\n", "content/pages/c.md": "# C\n"})
        terminal.run("sync", "--yes")
        terminal.run("plan", "--exit-code")
        shown = {record["title"]["raw"]: record["status"] for record in site.shown.values()}
        assert (len(site.shown), shown) == (3, {"Edited": "publish", "B": "trash", "C": "publish"})


def test_each_fact_is_read_back_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    said = everything(filled(tmp_path))
    assert said == everything(log_in(tmp_path))
    assert all(said.values())
    assert log_in(tmp_path).path.stat().st_mode & 0o777 == 0o600
    assert log_in(tmp_path).path.parent.stat().st_mode & 0o777 == 0o700


def test_another_target_reads_nothing_and_leaves_what_is_there(tmp_path: Path) -> None:
    said = everything(filled(tmp_path))
    assert everything(log_in(tmp_path, OTHER)) == everything(log_in(tmp_path / "none"))
    log_in(tmp_path, OTHER).append(bond_facts({A: Bond("page", 99, HEAD)}.items()))
    assert everything(log_in(tmp_path)) == said


@pytest.mark.parametrize(
    "damage", [lambda line: line[:-30], lambda line: bytes(len(line)), lambda line: b"?" + line]
)
def test_a_damaged_line_is_left_out_and_no_other(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = filled(tmp_path).path
    lines = path.read_bytes().splitlines()
    for number, line in enumerate(lines):
        path.write_bytes(b"\n".join([*lines[:number], *lines[number + 1 :], b""]))
        expected = everything(log_in(tmp_path))
        path.write_bytes(b"\n".join([*lines[:number], damage(line), *lines[number + 1 :], b""]))
        assert everything(log_in(tmp_path)) == expected
        # It may also be the last line, and a later run appends to it.
        path.write_bytes(b"\n".join([*lines[:number], damage(line)]))
        log_in(tmp_path).append([("claim", b'"later"')])
        assert log_in(tmp_path).claim() == "later"


@given(_BONDS, _BONDS)
def test_a_rewritten_log_says_the_same(before: list[tuple[str, Bond]], after: list[tuple[str, Bond]]) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        log = filled(Path(folder))
        log.append(bond_facts(before))
        said, lines = everything(log), log.path.read_bytes().count(b"\n")
        patch.setattr(clone_log, "_ROOM", -1_000_000)
        log.prune()
        assert everything(log_in(Path(folder))) == said
        assert b'{"anew":' in log.path.read_bytes()
        assert log.path.read_bytes().count(b"\n") <= lines + 1
        expected = log.bonds(after)
        for only in ("", "a", "bc"):
            assert log.bonds(after, only) == {path: bond for path, bond in expected.items() if path in only}
        log.append(bond_facts(after))
        assert log_in(Path(folder)).bonds() == expected
        # A record has one path.
        records = [(bond.kind, bond.id) for bond in expected.values() if bond.id]
        assert len(records) == len(set(records))


def test_a_log_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clone_log, "_ROOM", 2000)
    log, sizes = log_in(tmp_path), []
    for _ in range(200):
        log.append(bond_facts({A: Bond("page", 7, HEAD)}.items()))
        log.prune()
        sizes.append(log.path.stat().st_size)
    assert max(sizes) < 3000
    assert len({size for size in sizes if size < 500}) > 0
    assert log.bonds() == {A: Bond("page", 7, HEAD)}


def test_a_reader_sees_what_another_has_appended_or_written_anew(tmp_path: Path) -> None:
    log = filled(tmp_path, OLD)
    reader = log_in(tmp_path)
    assert reader.bonds() == log.bonds()
    log_in(tmp_path).append([("claim", b'"later"')])
    assert reader.claim() == log.claim() == "later"
    log_in(tmp_path).prune()
    assert everything(reader) == everything(log_in(tmp_path))


def test_no_fact_is_written_where_there_is_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = filled(tmp_path)
    said = everything(log)
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: write(file, data[:10], at) if at % 2 else fail())
    with pytest.raises(OSError, match="full"):
        log.append([("claim", b'"later"')])
    monkeypatch.undo()
    assert everything(log_in(tmp_path)) == said
    log.append([("removed", b'[["page",9]]')])
    assert log.removed() == {("page", 1), ("page", 9)}


def fail() -> int:
    raise OSError(28, "full")


# What an earlier version left in files of their own.


_EARLIER: Mapping[str, object] = {
    "site.vouched": {"target": TARGET, "records": [[A, "page", 7, HEAD], [B, "page", 0, HEAD]]},
    "site.made.removed": {"target": TARGET, "records": [["page", 1]]},
    "site.notes": {
        "target": TARGET,
        "rights": {"user": "ed", "id": 4, "lacking": ["edit_pages"]},
        "notes": [["page", 4, 5]],
    },
    f"site.runs/{OLD}.run": {
        "version": 1, "run": OLD, "target": TARGET, "commit": HEAD,
        "touched": [{"path": A, "kind": "page", "id": 7}],
        "after": {A: {"id": 7, "digest": "d"}}, "finished": True,
    },
    f"site.runs/{NEW}.run": {"version": 1, "run": NEW, "target": TARGET, "commit": HEAD, "touched": []},
    f"site.runs/{NEW}.images": [{"kind": "page", "id": 7, "fields": {"title": "Theirs"}}],
    f"site.runs/{NEW}.json": {},
}  # fmt: skip


def earlier(folder: Path, target: str = TARGET) -> None:
    """Leave the files of an earlier version."""
    for name, members in _EARLIER.items():
        file = folder / "pressync" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(members, separators=(",", ":")).replace(TARGET, target))
    (folder / "pressync/site.claim").write_text("c" * 32)


def known(folder: Path) -> dict[str, object]:
    """Read what the earlier files said."""
    with opened(folder, writable=False) as state:
        runs = RunRecords(state.log)
        return {
            "bonds": state.vouched.bonds(),
            "removed": state.created_copy.removed(),
            "rights": state.log.rights_of("ed"),
            "notes": state.log.notes(),
            "claim": state.log.claim(),
            "commits": state.log.commits(),
            "runs": [(each.run, each.after is not None, each.finished) for each in runs.all()],
            "images": runs.images(NEW),
        }


_KNOWN = {
    "bonds": {A: Bond("page", 7, HEAD), B: Bond("page", 0, HEAD)},
    "removed": {(Kind.PAGE, 1)},
    "rights": UserRights(4, frozenset({"edit_pages"})),
    "notes": {(Kind.PAGE, 4): 5},
    "claim": "c" * 32,
    "commits": {OLD: HEAD, NEW: HEAD},
    "runs": [(OLD, True, True), (NEW, False, False)],
    "images": {(Kind.PAGE, 7): Image(Kind.PAGE, 7, {"title": "Theirs"})},
}


def test_what_an_earlier_version_noted_is_read_in_place_and_is_in_the_log_after_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert known(tmp_path) == _KNOWN
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    with monkeypatch.context() as patch:
        # The first run is killed while it takes them in.
        patch.setattr("pressync.state.clone_log.remove_earlier", lambda _files: fail())
        with opened(tmp_path):
            pass
    assert known(tmp_path) == _KNOWN
    with opened(tmp_path):
        pass
    assert {path.name for path in (tmp_path / "pressync").iterdir()} == {"site.lock", "site.log"}
    assert known(tmp_path) == _KNOWN


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"target": 1}', "\0", '{"target": "t", "records": [[1]]}']
)
@pytest.mark.parametrize("name", [*_EARLIER, "site.claim"])
def test_an_earlier_file_that_cannot_be_read_says_nothing(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "pressync/site.runs").mkdir(parents=True)
    (tmp_path / "pressync" / name).write_text(text)
    for _ in range(2):
        found = known(tmp_path)
        assert found.pop("rights") is None
        assert found.pop("claim") == (text if name == "site.claim" else "")
        assert not any(found.values())
        with opened(tmp_path):
            pass


# The note of the rights that a user was seen to lack.

ALL, AUTHOR = UserRights(3), UserRights(4, frozenset({"edit_pages", "edit_others_posts"}))


@pytest.mark.parametrize("found", [ALL, AUTHOR])
def test_rights_are_known_of_the_user_and_site_they_are_of(tmp_path: Path, found: UserRights) -> None:
    log_in(tmp_path).note_rights("ed", found)
    assert log_in(tmp_path).rights_of("ed") == found
    assert log_in(tmp_path).rights_of("jo") is None
    assert log_in(tmp_path, "https://other.test/wp-json").rights_of("ed") is None
    # Dropped they are asked for again, and a folder that cannot be written is no error.
    log_in(tmp_path).note_rights()
    assert log_in(tmp_path).rights_of("ed") is None
    log_in(tmp_path / "pressync/site.log").note_rights("ed", ALL)


def test_the_last_look_at_each_record_counts(tmp_path: Path) -> None:
    log_in(tmp_path).see_notes({(Kind.PAGE, 3): 2, (Kind.POST, 3): 1})
    log_in(tmp_path).see_notes({(Kind.PAGE, 3): 0, (Kind.PAGE, 4): 5})
    assert log_in(tmp_path).notes() == {(Kind.PAGE, 4): 5, (Kind.POST, 3): 1}
    assert log_in(tmp_path, "https://other.test/wp-json").notes() == {}


def test_what_was_seen_already_is_not_written_again(tmp_path: Path) -> None:
    for _ in range(2):
        log_in(tmp_path).note_rights("ed", ALL)
        log_in(tmp_path).see_notes({(Kind.PAGE, 3): 2, (Kind.PAGE, 4): 0})
    assert len(log_in(tmp_path).path.read_bytes().splitlines()) == 2
