"""A file without a document says the error that is in the way, and not a warning beside it."""

from __future__ import annotations

from pressync.content.prepared_file import PreparedFile
from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

LINK = Problem("a.md", 2, "links to `gone.md`", "fix it", warning=True, code=Code.BROKEN_LINK)
LAYOUT = Problem("a.md", 1, "has no such layout", "write it", code=Code.NOT_TEXT)


def test_an_error_is_the_obstacle_also_behind_a_warning() -> None:
    found = PreparedFile(None, (LINK, LAYOUT))
    assert found.errors == (LAYOUT,)
    assert found.obstacle == LAYOUT.what


def test_a_file_without_an_error_says_its_warning_or_its_type() -> None:
    assert PreparedFile(None, (LINK,)).obstacle == LINK.what
    assert PreparedFile(None, (), left_out=True).obstacle == "its type is `none`"
