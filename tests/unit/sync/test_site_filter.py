"""A rollback knows what WordPress takes out of the texts of others, and which titles it trims."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest
from tests.support.builders import update

from pressync.sync import rollback
from pressync.sync.undo import Undo

if TYPE_CHECKING:
    from pressync.client.port import Reads

A, B = "content/posts/a.md", "content/posts/b.md"


@dataclass
class Filtering:
    """A site that filters the texts of our user; it counts how often it is asked."""

    asked: list[str] = field(default_factory=list)

    def is_filtered(self) -> bool:
        """Tell that it filters."""
        self.asked.append("is_filtered")
        return True


def warned(site: Filtering, **values: str) -> list[str]:
    undos = {path: Undo(path, update(path, *values), None, values) for path in (A, B)}
    return list(map(str, rollback.warned_of_filter(undos, cast("Reads", site))))


def test_titles_with_blanks_at_the_ends_are_counted_and_named_without_a_request() -> None:
    site = Filtering()
    said = f"2 titles with blanks at the ends, which it trims: {A}, {B}"
    assert warned(site, title=" T", content=" x ") == [
        f"The site will not take everything back as it was: {said}."
    ]
    assert site.asked == []


def test_values_with_markup_are_counted_and_named_with_one_request() -> None:
    site = Filtering()
    (said,) = warned(site, title="T", content="<iframe></iframe>")
    assert f"2 values with markup that it filters, because this user lacks unfiltered_html: {A} (cont" in said
    assert site.asked == ["is_filtered"]


@pytest.mark.parametrize(
    ("value", "is_taken"),
    [
        ("plain & <p>text</p>", False),
        ("<p>a < b and c > d</p>", False),
        ("<P>text</P><br/>", False),
        ("<!-- <script> -->", False),
        ("<SCRIPT>one()</SCRIPT>", True),
        ('<input type="checkbox" disabled>', True),
        ('<a href="javascript:one()">a</a>', True),
        ("<img src=x onerror=one()>", True),
        ('<a title="one">on = off</a>', False),
        ("<my-element></my-element>", True),
    ],
)
def test_markup_of_the_filter(value: str, is_taken: bool) -> None:
    assert rollback.is_taken("content", value) is is_taken


def test_a_value_that_is_not_a_text_for_readers_is_not_filtered() -> None:
    assert not rollback.is_taken("slug", "<script>")
