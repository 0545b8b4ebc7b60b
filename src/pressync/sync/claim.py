"""A run's turn at a site that several machines sync: claimed before the first call, settled after the last.

It must not know who is told of it. What decided its shape: whoever takes a silent run for dead must be
right, so a run that cannot renew its claim stops sending long before anybody else may think so.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pressync.model.errors import Overtaken, PressyncError, RepositoryError, SafetyRefusal, StorageError
from pressync.sync.planned_creates import announced_creates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pressync.model.changes import Plan
    from pressync.state.state import State

# After so many renewals that failed in a row, in time, a run stops. Others wait five for a sign of life,
# and a call may be under way for two.
_PATIENCE = 2.5


@contextmanager
def holding_claim(
    state: State, plan: Plan, *, readable: bool, stop: threading.Event, say: Callable[[str], None]
) -> Iterator[None]:
    """Claim the site for what a plan would do, and save what is known at the block's end, however it ends.

    Nothing is claimed if nothing can come of it: neither a write, nor, where the site is `readable`, the
    end of a doubt. `stop` is set if the claim is lost.

    :raises Overtaken: another run was first; the block is not entered, and nothing must be sent.
    :raises SafetyRefusal: nobody can be told, or the manifest cannot be saved; the same.
    :raises StorageError: the manifest cannot be saved.
    """
    over = threading.Event()
    renewing = threading.Thread(target=_renew, args=(state, over, stop, say), daemon=True)
    if plan.pending or (readable and state.doubts):
        claim(state, plan)
        if state.pulse:
            renewing.start()
    try:
        yield
    finally:
        over.set()
        if renewing.ident is not None:
            renewing.join()
        state.save(_about(plan))


def claim(state: State, plan: Plan) -> None:
    """Claim the site for what a plan would do; a second time in a turn, for what it would do by now.

    :raises Overtaken: another run was first; nothing must be sent.
    :raises SafetyRefusal: nobody can be told, or the manifest cannot be saved; the same.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        state.claim(announced_creates(plan, now), _about(plan))
    except (RepositoryError, StorageError) as error:
        # The claim is the manifest's first save, so this run could not save what it is about to do.
        what = f"the manifest cannot be saved: {error.what}; nothing was sent"
        raise SafetyRefusal(what, where=error.where, todo=error.todo) from error


def _about(plan: Plan) -> str:
    return f"Sync of {plan.commit[:8]}"


def _renew(state: State, over: threading.Event, stop: threading.Event, say: Callable[[str], None]) -> None:
    renewed = time.monotonic()
    while not over.wait(state.pulse):
        begun = time.monotonic()
        try:
            state.renew()
            renewed = begun
        except Overtaken as error:
            say(f"{error.what}, and takes this one for dead: stopping")
            stop.set()
            return
        except (PressyncError, OSError) as error:
            if time.monotonic() - renewed > _PATIENCE * state.pulse:
                say(f"the claim cannot be renewed ({error}): stopping, before another run begins")
                stop.set()
                return
