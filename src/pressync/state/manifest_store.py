"""What keeps a manifest between two runs: a file, or something that several machines share.

It must not know either. What decided its shape: the state reads once and saves once, whoever keeps the
manifest; only a keeper that others share has to be told before the first call what a run is about to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pressync.model.records import Doubt, Manifest


class ManifestStore(Protocol):
    """Keeps one site's manifest."""

    @property
    def where(self) -> str:
        """Its place, for messages."""

    @property
    def goes_back(self) -> bool:
        """Whether an older manifest may be put in the place of the one that was saved last."""

    @property
    def is_there(self) -> bool:
        """Whether the last read found a manifest, be it an empty one."""

    def read(self, *, writable: bool) -> Manifest:
        """Read the manifest; with `writable`, to save another one later. One that is not there is empty.

        :raises ManifestError: it cannot be read, or is for another target.
        :raises LockHeld: it is to be written, and a run on another machine is at it.
        """

    def claim(self, known: Manifest, creates: tuple[Doubt, ...], about: str) -> None:
        """Tell other machines that a run begins, and what it is about to create.

        :raises Overtaken: another run was first; nothing must be sent on the strength of what was read.
        """

    @property
    def pulse(self) -> float:
        """How often a claim has to be renewed, in seconds; 0 if there is nobody to look at it."""

    def renew(self, known: Manifest) -> None:
        """Show that the run which made the claim is still at it, and what it knows by now.

        :raises Overtaken: another run has taken over; nothing more must be sent.
        """

    def save(self, known: Manifest, about: str) -> None:
        """Save the manifest, durably, unless it says the same already; `about` is one line of history.

        :raises ManifestError: it is no longer what was read; it stays as it is.
        :raises Overtaken: the same, and it can be read and put together anew.
        :raises OSError: it cannot be written.
        """
