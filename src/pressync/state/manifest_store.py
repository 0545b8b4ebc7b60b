"""The store that keeps a manifest between two runs: a file, or a reference that several machines share.

The state reads once and saves once, for both stores alike. Only a store that machines share must be told,
before the first call, which creates a run is about to send.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pressync.model.changes import Refusal
    from pressync.model.records import Manifest, UnconfirmedCreate

    Creates = tuple[UnconfirmedCreate, ...]


class ManifestStore(Protocol):
    """Keeps one site's manifest.

    `changed` has all paths at which `known` may differ from what was read last. None says that nobody knows
    them, and then the whole manifest is encoded again.
    """

    @property
    def where(self) -> str:
        """The place of the manifest, for messages."""

    @property
    def goes_back(self) -> bool:
        """Whether somebody can put an older manifest in the place of the one that was saved last."""

    @property
    def refusal(self) -> Refusal | None:
        """Why a run cannot write the manifest that was read last, as far as it shows without a write."""

    @property
    def is_there(self) -> bool:
        """Whether the last read found a manifest; an empty one counts."""

    def read(self, *, writable: bool) -> Manifest:
        """Read the manifest; `writable` says that it will be saved later. A missing manifest is empty.

        :raises ManifestError: it cannot be read, or it is for another target.
        :raises LockHeld: it will be saved later, and a run on another machine claims it.
        """

    def claim(
        self, known: Manifest, creates: Creates, about: str, changed: Collection[str] | None = None
    ) -> None:
        """Tell other machines that a run begins, and which creates it is about to send.

        :raises Overtaken: another run was first, so the manifest that was read is old; nothing must be sent.
        :raises RepositoryError: the other machines cannot be told; nothing must be sent.
        """

    @property
    def pulse(self) -> float:
        """How often a claim has to be renewed, in seconds; 0 if no other machine sees it."""

    def renew(self, known: Manifest, changed: Collection[str] | None = None) -> None:
        """Show that the run which made the claim is still working, and save what it knows now.

        :raises Overtaken: another run has taken over; nothing more must be sent.
        :raises RepositoryError: the other machines cannot be told.
        """

    def save(self, known: Manifest, about: str, changed: Collection[str] | None = None) -> None:
        """Save the manifest, durably, unless the store has the same one; `about` is one line of history.

        :raises ManifestError: the stored manifest has changed since it was read; it stays as it is.
        :raises Overtaken: the stored manifest has changed, and it can be read and merged again.
        :raises OSError: it cannot be written.
        """

    def records(self) -> Iterator[bytes]:
        """Give the text of the records as it was read or saved last, in pieces, with the end of the text.

        :raises ManifestError: there is no such text, or somebody else has changed it.
        :raises OSError: it cannot be read.
        """
