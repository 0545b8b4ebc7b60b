"""The claim of a run as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.any_manifest import any_unconfirmed_create

from pressync.model.errors import ManifestError
from pressync.model.interface import Kind
from pressync.model.records import UnconfirmedCreate
from pressync.state.manifest.claims import Claim, decode, encode


@given(st.lists(any_unconfirmed_create, max_size=3))
def test_a_claim_is_read_as_it_was_written(creates: list[object]) -> None:
    claim = Claim("run", "host", 7, "2024-01-31T12:00:00+00:00", tuple(creates))  # type: ignore[arg-type]
    assert decode(encode(claim).encode(), "c.json") == claim


def test_it_says_who_is_at_it() -> None:
    assert str(Claim("run", "build-7", 12, "2024-01-31T12:00:00+00:00", ())) == (
        "process 12 on host build-7, since 2024-01-31T12:00:00+00:00"
    )


@pytest.mark.parametrize("text", ["", "[]", '{"version": 1}', "\udcff"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ManifestError, match=r"c\.json: it is not a claim of a run"):
        decode(text.encode(errors="surrogateescape"), "c.json")


def test_one_of_a_newer_version_is_refused() -> None:
    text = encode(Claim("run", "host", 7, "now", ())).replace('"version": 1', '"version": 2')
    with pytest.raises(ManifestError, match="newer pressync"):
        decode(text.encode(), "c.json")


def test_a_claim_is_written_as_the_earlier_version_wrote_it() -> None:
    create = UnconfirmedCreate("a.md", Kind.PAGE, "a", "2024", "c", {"title": "t"})
    line = (
        '{"path": "a.md", "kind": "page", "slug": "a", "time": "2024", "commit": "c", '
        '"fingerprints": {"title": "t"}}'
    )
    assert encode(Claim("run", "host", 7, "2024", (create, create))) == (
        '{"version": 1, "run": "run", "host": "host", "process": 7, "since": "2024",\n'
        f' "creates": [\n{line},\n{line}]}}\n'
    )
