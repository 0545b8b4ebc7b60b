"""Answers `pressync check` without a further word from the cache of the last check, and does not load Click.

Click and the forms of a report take longer than to read an edited page. Where only a whole check can tell,
or where anything is unusual, this module gives no answer.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.cli import log

if TYPE_CHECKING:
    from collections.abc import Mapping

_DONE, _WRONG = 0, 2
_NO_PROBLEMS = ("0 problems", "0 warnings")


def answered(environ: Mapping[str, str]) -> int | None:
    """Write the problems, and give the exit code; None if only a whole check can tell."""
    from pressync.app import quick_check  # noqa: PLC0415 - another command does not need it

    found = None
    with suppress(Exception):
        found = quick_check.find(Path(), environ)
    if found is None:
        return None
    if not found.problems:
        sys.stdout.write(log.checked(found.documents, _NO_PROBLEMS, found.uncommitted))
        return _DONE
    from pressync.cli.commands import check  # noqa: PLC0415 - the other checks need no Click
    from pressync.cli.options import Globals  # noqa: PLC0415 - as above

    check.tell(Globals(environ=environ), found.documents, found.problems, found.uncommitted)
    return _DONE if all(problem.warning for problem in found.problems) else _WRONG
