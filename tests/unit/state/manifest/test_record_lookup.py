"""A record is found by its path, without a look at the others."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from tests.support.any_manifest import any_manifest
from tests.support.builders import entry

from pressync.model.errors import ManifestError
from pressync.model.records import Manifest
from pressync.state.manifest import codec
from pressync.state.manifest.record_lookup import RecordLookup

if TYPE_CHECKING:
    from pressync.model.records import Entry


def lookup(text: str) -> RecordLookup:
    with TemporaryDirectory() as folder:
        file = Path(folder, "manifest.json")
        file.write_bytes(text.encode())
        with file.open("rb") as opened:
            return RecordLookup(opened, where="manifest.json")


@given(any_manifest)
def test_each_record_of_any_manifest_is_found_and_no_other(manifest: Manifest) -> None:
    text = codec.encode(manifest)
    records = lookup(text)
    known = codec.decode(text, where="").entries
    assert {path: records.find(path) for path in known} == known
    for other in {"", "content", "zzz", *(f"{path}.md" for path in known)} - known.keys():
        assert records.find(other) is None


def test_all_of_many_records_are_found() -> None:
    known: dict[str, Entry] = {
        path: entry(path, number, links=("content/pages/é.md",))
        for number in range(1, 300)
        for path in [f"content/pages/{number % 7}/p{'é' * (number % 3)}{number}.md"]
    }
    records = lookup(codec.encode(Manifest("there", known)))
    assert {path: records.find(path) for path in known} == known
    assert records.find("content/pages/3/p.md") is None


@pytest.mark.parametrize(("sign", "instead"), [('"kind": "page"', '"kind": "movie"'), ('.md",\n', '.md" \n')])
def test_what_is_not_a_record_is_refused(sign: str, instead: str) -> None:
    text = codec.encode(Manifest("there", {"a.md": entry("a.md", 1)}))
    with pytest.raises(ManifestError):
        lookup(text.replace(sign, instead)).find("a.md")
