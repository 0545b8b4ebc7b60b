"""The nouns and errors: frozen, without what they cannot have, and counted or told in one way."""

from __future__ import annotations

import dataclasses
import inspect
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.support.builders import create, desired, entry, keep, plan, update

from pressync.model import changes, errors, reason, records
from pressync.model.changes import (
    Block,
    Create,
    CreateCall,
    Delete,
    DeleteCall,
    Outcome,
    Result,
    Update,
)
from pressync.model.errors import (
    Code,
    ConfigError,
    ContentError,
    Gone,
    NoAnswer,
    PressyncError,
    Problem,
    Refused,
    ServiceError,
)
from pressync.model.interface import SHOWN_VALUES, Kind
from pressync.model.outcomes import KeptManifest, RunResult
from pressync.model.records import (
    CREATED_WITH,
    Entry,
    Medium,
    Name,
    NamedId,
    UnconfirmedCreate,
    new_id,
)

if TYPE_CHECKING:
    from pressync.model.changes import Change


@pytest.mark.parametrize(
    ("results", "counts"),
    [
        ((Result.DONE, Result.FAILED), {"done": 1, "failed": 1, "kept": 1}),
        ((Result.KEPT, Result.UNCONFIRMED), {"in_doubt": 1, "kept": 2}),
        ((Result.SKIPPED, Result.BLOCKED), {"skipped": 1, "blocked": 1, "kept": 1}),
    ],
)
def test_a_run_counts_each_result(results: tuple[Result, ...], counts: dict[str, int]) -> None:
    changes: tuple[Change, ...] = (create("a.md"), update("b.md", "title"))
    outcomes = tuple(Outcome(change, result) for change, result in zip(changes, results, strict=True))
    told = RunResult(plan(*changes, keep("d.md")), outcomes).counts
    assert told == {**dict.fromkeys(told, 0), **counts}


@pytest.mark.parametrize(
    ("kept", "step"),
    [
        (KeptManifest(".pressync/m.json", committed=True), ""),
        (KeptManifest(".pressync/m.json", committed=False), "next: commit .pressync/m.json, so that"),
        (KeptManifest("m.json", committed=False, ignored=True), "next: take m.json out of .gitignore and"),
        (KeptManifest("a\nb.json", committed=False), "next: commit a b.json"),
    ],
)
def test_the_next_step_is_to_commit_the_manifest_until_that_is_done(kept: KeptManifest, step: str) -> None:
    assert kept.next_step.startswith(step)
    assert bool(kept.next_step) is not kept.committed
    assert kept.next_step.isprintable()


def test_a_create_cannot_have_an_id_and_a_delete_cannot_lack_one() -> None:
    for create_ in (Create, CreateCall):
        assert "id" not in {field.name for field in dataclasses.fields(create_)}
    for change in (Update, Delete, DeleteCall):
        (number,) = (field for field in dataclasses.fields(change) if field.name == "id")
        assert (number.type, number.default) == ("int", dataclasses.MISSING)
    assert not DeleteCall(Kind.PAGE, 7).permanent
    # These words are part of the face.
    assert [block.value for block in Block] == ["blocked", "conflict", "in_doubt"]
    assert [result.value for result in Result] == ["done", "failed", "skipped", "blocked", "in_doubt", "kept"]


NOUNS = [
    noun
    for room in (records, changes, reason)
    for _, noun in inspect.getmembers(room, inspect.isclass)
    if dataclasses.is_dataclass(noun) or issubclass(noun, msgspec.Struct)
]


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_every_noun_is_frozen_and_small(noun: type) -> None:
    if issubclass(noun, msgspec.Struct):
        assert noun.__struct_config__.frozen
    else:
        assert noun.__dataclass_params__.frozen  # type: ignore[attr-defined]
        assert "__slots__" in vars(noun)


def test_the_nouns_of_the_manifest_are_frozen_structs_and_no_default_can_be_written_to() -> None:
    for noun in (Entry, Name, NamedId, Medium, UnconfirmedCreate):
        assert noun.__struct_config__.frozen
        assert not noun.__struct_config__.gc
    here, there = entry("a.md"), entry("b.md")
    assert here.changed_by_service is not there.changed_by_service
    assert here.conflict is not there.conflict
    with pytest.raises(TypeError):
        CREATED_WITH["status"] = "draft"  # type: ignore[index]
    assert dict(CREATED_WITH) == {"status": SHOWN_VALUES["status"]}
    assert "body" not in desired("a.md").__struct_fields__


def test_ids_sort_as_they_were_made_also_within_one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        at = 0

        @classmethod
        def now(cls, _zone: object) -> datetime:
            cls.at += 2000
            return datetime(2026, 1, 31, 10, 15, 0, cls.at, UTC)

    monkeypatch.setattr("pressync.model.records.datetime", Clock)
    made = [new_id() for _ in range(400)]
    assert made == sorted(made)
    assert made[0].startswith("20260131-101500-")


def drawn() -> list[tuple[str, str, int | None]]:
    """Read the tree of the docstring: each error, the one above it, and its exit code if it is drawn."""
    above = [PressyncError.__name__]
    rows = []
    for branch, name, code in re.findall(
        r"^ {4}([│ ├└─]{4,})(\w+)(?: +\((\d)\))?", inspect.getdoc(errors) or "", re.MULTILINE
    ):
        depth = len(branch) // 4
        del above[depth:]
        rows.append((name, above[-1], int(code) if code else None))
        above.append(name)
    return rows


def real() -> dict[str, type[PressyncError]]:
    """Gather the errors that the module defines."""
    return {
        name: error
        for name, error in inspect.getmembers(errors, inspect.isclass)
        if issubclass(error, PressyncError) and error is not PressyncError
    }


def test_the_drawn_tree_and_its_exit_codes_are_the_real_ones() -> None:
    assert {name: parent for name, parent, _ in drawn()} == {
        name: error.__base__.__name__ for name, error in real().items() if error.__base__
    }
    codes = {name: code for name, _, code in drawn() if code is not None}
    assert codes == {name: real()[name].exit_code for name in codes}
    assert {error.exit_code for error in real().values() if issubclass(error, ServiceError)} == {1}
    assert all(map(inspect.getdoc, real().values()))
    # A caller can tell certainly not carried out from perhaps.
    assert issubclass(Gone, Refused)
    assert not issubclass(NoAnswer, Refused)
    assert not issubclass(Refused, NoAnswer)


def test_a_message_says_where_what_and_what_to_do_and_problems_come_all_at_once() -> None:
    error = ConfigError("no such site", where="--site", todo="name one")
    assert str(error) == "--site: no such site; name one"
    assert str(ConfigError("no such site")) == "no such site"
    one, two = Problem("a.md", 1, "x", "y", code=Code.VALUE), Problem("b.md", 0, "y", code=Code.VALUE)
    assert (str(one), str(two)) == ("a.md:1: x; y", "b.md: y")
    assert ContentError((one, two)).problems == (one, two)
    assert str(ContentError((one, two))).startswith("2 problems in the content")
    assert str(ContentError((one,))).startswith("1 problem in the content")
    same = one._replace(path="elsewhere.md", line=7)
    assert str(ContentError((one, same))).startswith("1 problem (at 2 places) in the content")


@pytest.mark.parametrize("code", Code)
def test_a_code_is_a_kebab_case_text_and_its_help_is_a_sentence(code: Code) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
    assert re.fullmatch(r"[A-Z].*[^.]\.", code.help)
    assert f"{code}" == code.value
