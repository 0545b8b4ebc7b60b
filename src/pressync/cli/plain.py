"""Answers `pressync plan` and `check` without a further word where that is quick, and does not load Click.

Click takes as long as everything else that a plan with nothing to do needs, and longer than a check of one
edited page. Where only a whole run can tell, or where anything is unusual, this module gives no answer: Click
then reads the command line, and meets the same fault.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.cli import log
from pressync.repo import discover

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.app.up_to_date import Stamp

_DONE, _WRONG = 0, 2
_NO_PROBLEMS = ("0 problems", "0 warnings")


def plan(environ: Mapping[str, str]) -> int | None:
    """Write the plan of nothing, and give the exit code; None if only a plan can tell."""
    from pressync.app import unchanged  # noqa: PLC0415 - another command does not need it

    stamp = None
    with suppress(Exception):
        stamp = unchanged.find(Path(), site=None, config_file=None, environ=environ)
    if stamp is None:
        return None
    sys.stdout.write(log.plan_of_nothing(stamp, log.TEXT))
    tell_uncommitted(Path(), stamp, log.TEXT, quiet=False)
    return _DONE


def tell_uncommitted(directory: Path, stamp: Stamp, form: str, *, quiet: bool) -> None:
    """Tell a person at a terminal of the edits that the answer leaves out."""
    log.tell_uncommitted(form, lambda: discover.uncommitted(directory, stamp.folders), quiet=quiet)


def check(environ: Mapping[str, str]) -> int | None:
    """Write the problems, and give the exit code; None if only a whole check can tell."""
    from pressync.app import quick_check  # noqa: PLC0415 - another command does not need it

    checked = None
    with suppress(Exception):
        checked = quick_check.find(Path(), environ)
    if checked is None:
        return None
    if not checked.problems:
        sys.stdout.write(log.checked(checked.documents, _NO_PROBLEMS, checked.uncommitted))
        return _DONE
    from pressync.cli.commands.check import tell  # noqa: PLC0415 - the other checks need no Click
    from pressync.cli.options import Globals  # noqa: PLC0415 - as above

    tell(Globals(environ=environ), checked.documents, checked.problems, checked.uncommitted)
    return _DONE if all(problem.warning for problem in checked.problems) else _WRONG
