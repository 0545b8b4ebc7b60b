"""`--all-sites`: one process plans or syncs every site of the settings, one after the other.

The program and its libraries are loaded once, and what no site decides is read and rendered once. A site that
fails stops no other, so each one has a row with its own end. The process ends with the highest exit code.
"""

from __future__ import annotations

import time
import traceback
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pressync.cli import console
from pressync.cli.main import INTERRUPTED, show
from pressync.cli.report.layout import table
from pressync.model.errors import PressyncError
from pressync.model.printable import counted, one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.app.shared_content import SharedContent
    from pressync.cli.options import Globals
    from pressync.content.content import Content


class SiteEnd(NamedTuple):
    """How the run of one site ended: its exit code, a sentence, and the document of its run or plan."""

    exit_code: int
    summary: str
    result: dict[str, Any] | None = None
    site: str = ""
    seconds: float = 0


def run(globals_: Globals, form: str, job: Callable[[Globals], SiteEnd]) -> None:
    """Do something for each site, report all of them, and end with the highest exit code.

    :raises SystemExit: always.
    """
    if console.is_site_chosen(globals_):
        raise click.UsageError("--all-sites is about every site; leave out --site and PRESSYNC_SITE")
    if form not in {"text", "json"}:
        raise click.UsageError(f"--all-sites has one report of all sites: leave out --format {form}")
    ends, globals_ = list[SiteEnd](), globals_._replace(open_content=_sharing())
    for name in console.sites(globals_)[0] or (None,):
        started = time.monotonic()
        console.tell(globals_, f"Site {one_line(name or 'of the settings')}:")
        end = _ended(globals_._replace(site=name), job)
        seconds = round(time.monotonic() - started, 3)
        ends.append(end._replace(site=name or "", seconds=seconds))
        if end.exit_code == INTERRUPTED:
            break
    click.echo(_document(ends) if form == "json" else _table(ends), nl=False)
    raise SystemExit(max(end.exit_code for end in ends))


def _sharing() -> Callable[..., Content]:
    """Give what opens the content of each site; it is loaded for the first site that reads a file."""

    @cache
    def shared() -> SharedContent:
        from pressync.app.shared_content import SharedContent  # noqa: PLC0415 - many runs have nothing to do

        return SharedContent()

    return lambda *arguments, **options: shared().open(*arguments, **options)


def _ended(globals_: Globals, job: Callable[[Globals], SiteEnd]) -> SiteEnd:
    """Do it for one site; an error of this one is its end, and is printed where it occurs."""
    try:
        return job(globals_)
    except (click.Abort, click.exceptions.Exit, click.ClickException):
        # These are about the command, and not about a site.
        raise
    except Exception as error:  # noqa: BLE001 - a fault of the program stops no other site either
        code = show(error, globals_.log_format)
        if code is None:
            traceback.print_exc()
            code = PressyncError.exit_code
        return SiteEnd(code, one_line(str(error) or type(error).__name__))


def _table(ends: list[SiteEnd]) -> str:
    cells = [(end.site, str(end.exit_code), f"{end.seconds:.1f} s", end.summary) for end in ends]
    failed = sum(end.exit_code != console.DONE for end in ends)
    head = ("site", "exit", "time", "")
    last = f"{counted(len(ends), 'site')}, {failed} not done."
    return "".join(f"{line}\n" for line in [*table([head, *cells]), last])


def _document(ends: list[SiteEnd]) -> str:
    from pressync.cli.report import documents  # noqa: PLC0415 - people read text

    return documents.text({"version": documents.VERSION, "sites": [end._asdict() for end in ends]})
