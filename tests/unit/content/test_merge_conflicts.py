"""Half a merge is not published; a page that explains conflicts is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.terminal import Terminal

from pressync.content.merge_conflicts import unresolved

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

CONFLICT = "# Opening hours\n\n<<<<<<< HEAD\nNine to five.\n=======\nTen to six.\n>>>>>>> winter\n"


def test_the_line_on_which_a_conflict_begins_is_named() -> None:
    problem = unresolved("content/pages/hours.md", CONFLICT)
    assert str(problem) == (
        "content/pages/hours.md:3: a merge was not finished here: Git's conflict markers are in the text; "
        "keep what is right, and delete the lines with the markers"
    )


@pytest.mark.parametrize(
    "text",
    [
        "---\n<<<<<<< HEAD\ntitle: A\n=======\ntitle: B\n>>>>>>> b\n---\nText.\n",
        "<<<<<<< HEAD\nOurs.\n||||||| 4f1c2a9\nBefore.\n=======\nTheirs.\n>>>>>>> b\n",
        "Text.\n<<<<<<<\nOurs.\n=======\nTheirs.\n>>>>>>>",
        "<<<<<<< HEAD\n```\ncode\n=======\n~~~\ncode\n>>>>>>> b\n```\n",
        "```\ncode\n```\n<<<<<<< HEAD\nOurs.\n=======\n>>>>>>> b\n",
    ],
    ids=["front matter", "three sides", "without names", "each side opens a fence", "behind a code block"],
)
def test_every_shape_of_a_conflict_is_found(text: str) -> None:
    assert unresolved("a.md", text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "```text\n" + CONFLICT + "```\n",
        "~~~~\n```\n" + CONFLICT + "~~~~\n",
        "    <<<<<<< HEAD\n    Nine.\n    =======\n    Ten.\n    >>>>>>> b\n",
        "\\<<<<<<< HEAD\n\nNine.\n\n=======\n\n>>>>>>> b\n",
        ">>>>>>> a\n=======\n<<<<<<< b\n",
        "<<<<<<< HEAD\nNine.\n>>>>>>> b\n",
        "A title\n=======\n\n>>>>>>> a deep quote\n",
        "<<<<<<<< eight\n========\n>>>>>>>> eight\n",
    ],
    ids=["code", "code in code", "indented", "escaped", "another order", "no middle", "Markdown", "eight"],
)
def test_a_text_about_conflicts_is_text(text: str) -> None:
    assert unresolved("a.md", text) is None


@pytest.mark.parametrize("command", [["check"], ["plan"], ["sync", "--yes"], ["check", "--staged"]])
def test_half_a_merge_ends_every_command_before_anything_is_sent(
    repository: SampleRepository, command: list[str]
) -> None:
    repository.commit({"content/pages/hours.md": CONFLICT})
    ended = Terminal(repository, {"PRESSYNC_URL": "http://127.0.0.1:9/wp-json"}).run(*command, exits=2)
    assert "content/pages/hours.md:3: a merge was not finished here" in ended.output
