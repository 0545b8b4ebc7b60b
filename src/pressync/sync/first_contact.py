"""Checks the dialect of a target before pressync writes to it for the first time.

Stock WordPress publishes a page whose title is the JSON text of the documented encoding (measured), and it
answers with a success. So a wrong dialect must be found before the first write. One request without
credentials shows it. A target that has ever taken a write is not asked again.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.client import probe
from pressync.model.errors import BadAnswer, ConfigError, Refused, ServiceError
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.client.port import Limits
    from pressync.config.settings import Settings
    from pressync.state.state import State

# The seconds that the request may take. A documented service need not know it, and may never respond to it.
_LONGEST = 15.0
# A service that is not WordPress refuses its reads with one of these.
_UNKNOWN_ROUTE = frozenset({400, 404, 405, 415})


def refuse_wordpress(url: str | None, settings: Settings, state: State, limits: Limits) -> None:
    """Refuse to speak the documented dialect to stock WordPress.

    A service that does not respond, or that responds with an error, is not refused: the first write tells.

    :raises ConfigError: the site is stock WordPress.
    """
    if url is None or _was_written(state):
        return
    try:
        seen = _asked(url, limits)
    except ServiceError:
        return
    # The embedded service speaks both dialects at one address, and names them.
    if seen.wordpress and not seen.documented:
        raise ConfigError(
            f"the site is stock WordPress (GET {one_line(seen.asked)}: {seen.wordpress}), and it would "
            "publish the documented encoding as text; nothing was sent",
            where=_place(settings),
            todo=_remedy(settings, "wordpress"),
        )


@contextmanager
def refusing_documented(url: str | None, settings: Settings, state: State, limits: Limits) -> Iterator[None]:
    """Explain a first read that fails because the target does not speak the dialect of WordPress.

    :raises ConfigError: the target refused the read, and nothing at its address shows stock WordPress.
    """
    try:
        yield
    except (BadAnswer, Refused) as error:
        if url is None or _was_written(state):
            raise
        if isinstance(error, Refused) and error.status not in _UNKNOWN_ROUTE:
            raise
        try:
            seen = _asked(url, limits)
        except ServiceError:
            raise error from None
        # An index that is closed to visitors, or that failed, shows nothing about the dialect.
        if seen.wordpress or seen.leads_to or seen.status not in {200, *_UNKNOWN_ROUTE}:
            raise
        raise ConfigError(
            f"no sign of stock WordPress at GET {one_line(seen.asked)} ({seen.status}), and its first read "
            f"failed ({error.what}); nothing was sent",
            where=_place(settings),
            todo=f"correct `url` (`pressync doctor` tests it), or {_remedy(settings, 'documented')}",
        ) from None


def _was_written(state: State) -> bool:
    """Whether a response to a write of this site is known; a record that was only adopted is not one."""
    return any(entry.fingerprints for entry in state.manifest.entries.values())


def _asked(url: str, limits: Limits) -> probe.Probe:
    short = replace(limits, read=min(limits.read, _LONGEST), total=min(limits.total, _LONGEST))
    return probe.probe(url, short)


def _place(settings: Settings) -> str:
    """Name the place that sets the dialect, or the address if no place does."""
    origins = settings.origins
    return origins["dialect"] if origins["dialect"] != "default" else origins["url"]


def _remedy(settings: Settings, dialect: str) -> str:
    if _place(settings).startswith("PRESSYNC_"):
        return f"set PRESSYNC_DIALECT={dialect}"
    return f'write `dialect = "{dialect}"` below [sites.{settings.site.name}] in pressync.toml'
