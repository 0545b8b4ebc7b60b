"""Holds what all steps of one run share: messages, the stop signal, the retries and the rate limit.

Every pause of a run must end when the user stops the run. So all pauses and all retries go through this one
object, and each step gets it instead of its parts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pressync.client.concurrency import Window
from pressync.client.port import require_readable
from pressync.client.retry import Retry, retrying
from pressync.sync.last_look import LastLook
from pressync.sync.rate_limit import RateLimiter
from pressync.sync.run_clock import RunClock

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from pressync.client.port import Library, Reads, Service
    from pressync.client.retry import AnyCarrier, Patience


@dataclass(frozen=True, slots=True)
class RunControl:
    """How one run speaks, stops, waits and retries; `say` gets sentences, and `clock` measures it.

    `last_look` tells when the run last knew each record.
    """

    say: Callable[[str], None]
    stop: threading.Event
    patience: Patience
    limiter: RateLimiter
    window: Window | None = None
    clock: RunClock = field(default_factory=RunClock)
    last_look: LastLook = field(default_factory=LastLook)

    @classmethod
    def of(
        cls,
        say: Callable[[str], None],
        stop: threading.Event,
        patience: Patience,
        rate: float | None = None,
        concurrency: int | None = None,
    ) -> RunControl:
        """Make the control of a run that starts at most `rate` calls per second.

        At most `concurrency` calls are under way at a time, and fewer while the service is overloaded.
        """
        window = Window(concurrency, stop.is_set) if concurrency else None
        return cls(say, stop, patience, RateLimiter(rate, stop), window)

    @property
    def stopped(self) -> bool:
        """Whether the run must not send anything more."""
        return self.stop.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait; true if the run was stopped meanwhile."""
        return self.stop.wait(seconds)

    def may_start(self) -> bool:
        """Wait until the rate limit lets the next call start; false if the run is stopped."""
        self.limiter.wait()
        return not self.stopped

    def retrying(self, service: AnyCarrier) -> AnyCarrier:
        """Give the same service with every call repeated where a repetition cannot do harm."""
        return retrying(service, Retry(self.patience, self.wait, self.say, self.window))

    def reads(self, service: Service) -> Reads:
        """Give the reads of a service, with retries.

        :raises ConfigError: the service cannot be read.
        """
        return self.retrying(require_readable(service))

    def library(self, service: Service) -> Library | None:
        """Give the terms, people and files of a service, with retries; None if it has none."""
        return self.retrying(service).library
