"""The limits that stop a run before its first call, and the sentence that each one says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.model.errors import ConfigError
from pressync.plan.limits import (
    DEFAULT_LIMIT,
    FLOOR,
    DeleteLimit,
    empty_source,
)

HEAD = "a" * 40


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("0", DeleteLimit(count=0)),
        ("12", DeleteLimit(count=12)),
        (" 12 ", DeleteLimit(count=12)),
        ("50%", DeleteLimit(percent=50.0)),
        ("0%", DeleteLimit(percent=0.0)),
        ("2.5%", DeleteLimit(percent=2.5)),
    ],
)
def test_a_limit_is_a_count_or_a_percentage(text: str, limit: DeleteLimit) -> None:
    assert DeleteLimit.parse(text) == limit


@pytest.mark.parametrize(
    "text", ["", "-1", "1.5", "%", "ten", "50 %%", "1e3", "nan%", f"{'9' * 400}%", "9" * 5000]
)
def test_anything_else_is_no_limit(text: str) -> None:
    with pytest.raises(ConfigError, match=r"--max-delete: .* is not a limit; write a number"):
        DeleteLimit.parse(text)


@pytest.mark.parametrize(
    ("limit", "deletes", "records", "refused"),
    [
        (DeleteLimit(count=2), 2, 100, False),
        (DeleteLimit(count=2), 3, 100, True),
        (DeleteLimit(count=0), 1, 1, True),
        (DeleteLimit(percent=50), 5, 10, False),
        (DeleteLimit(percent=50), 6, 10, True),
        (DeleteLimit(percent=50), 3, 5, True),
        (DeleteLimit(percent=0), 1, 100, True),
        (DeleteLimit(percent=100), 9, 9, False),
        (DEFAULT_LIMIT, 3, 10, False),
        (DEFAULT_LIMIT, 4, 10, True),
        (DEFAULT_LIMIT, 9, FLOOR - 1, False),
        (DEFAULT_LIMIT, 30, 100, False),
        (DEFAULT_LIMIT, 31, 100, True),
    ],
)
def test_deletes_beyond_the_limit_fail(limit: DeleteLimit, deletes: int, records: int, refused: bool) -> None:
    assert (limit.exceeded(deletes, records) is not None) == refused


@given(st.integers(0, 500), st.integers(0, 500), st.builds(DeleteLimit, count=st.integers(0, 500)))
def test_the_override_that_a_refusal_names_is_enough(deletes: int, records: int, limit: DeleteLimit) -> None:
    refusal = limit.exceeded(deletes, records)
    assert (refusal is None) == (deletes <= (limit.count or 0))
    if refusal:
        named = refusal.message.rpartition("--max-delete ")[2].rstrip("`")
        assert DeleteLimit.parse(named).exceeded(deletes, records) is None


def test_an_empty_content_folder_is_not_read_as_delete_everything() -> None:
    assert str(empty_source(0, 12, "content", HEAD)) == (
        "there is no document below content/ in commit aaaaaaaaaa, but the manifest has 12 records; "
        "correct `content` in pressync.toml. To delete all pages but one, commit one document, such as a "
        "draft, and sync with `--max-delete 100%`; `pressync forget` drops records and leaves their pages on "
        "the site"
    )
    assert "the manifest has 1 record;" in str(empty_source(0, 1, "content", HEAD))
