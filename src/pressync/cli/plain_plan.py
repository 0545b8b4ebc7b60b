"""Answers `pressync plan` without a further word where there is nothing to do, and does not load Click.

Click takes as long as everything else that such a plan does. Where only a plan can tell, or where anything is
unusual, this module gives no answer: Click then reads the command line, and meets the same fault.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.app import unchanged
from pressync.cli import log
from pressync.repo import discover

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.app.up_to_date import Stamp


def answered(environ: Mapping[str, str]) -> bool:
    """Write the plan of nothing, and give true; give false if only a plan can tell."""
    found = None
    with suppress(Exception):
        found = unchanged.find(Path(), site=None, config_file=None, environ=environ)
    if found is None:
        return False
    sys.stdout.write(log.plan_of_nothing(found, log.TEXT))
    tell_uncommitted(Path(), found, log.TEXT, quiet=False)
    return True


def tell_uncommitted(directory: Path, found: Stamp, form: str, *, quiet: bool) -> None:
    """Tell a person at a terminal of the edits that the answer leaves out."""
    log.tell_uncommitted(form, lambda: discover.uncommitted(directory, found.folders), quiet=quiet)
