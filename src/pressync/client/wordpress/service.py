"""A WordPress site as a service: what any service does, and what only one with reads can do.

It must not know what it is asked for. What decided its shape: every method makes one attempt, as the port
says of `carry_out`; patience is the caller's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.client.wordpress import (
    addresses,
    batch,
    lost_creates,
    reads,
    site_info,
    terms_and_media,
    user_rights,
)
from pressync.client.wordpress.dialect import WORDPRESS
from pressync.model.errors import ServiceError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pressync.client.http import Transport
    from pressync.client.port import AtAddress, Term, Upload, Uploaded
    from pressync.client.wordpress.site_info import Description
    from pressync.client.wordpress.user_rights import Identity
    from pressync.model.interface import Kind
    from pressync.model.records import Call, Capabilities, Record


@dataclass(frozen=True, slots=True)
class WordPressService:
    """Stock WordPress, 6.1 or later, over HTTP. As many threads may share it as its transport allows."""

    transport: Transport

    @property
    def name(self) -> str:
        """The dialect's name, for messages."""
        return WORDPRESS.name

    @property
    def capabilities(self) -> Capabilities:
        """What may be asked of this service."""
        return WORDPRESS.capabilities

    def carry_out(self, call: Call) -> Record:
        """Make one attempt. Every `ServiceError` tells whether the call was certainly not carried out."""
        return WORDPRESS.record(call, self.transport.send(WORDPRESS.request(call)))

    def carry_out_many(self, calls: Sequence[Call]) -> list[Record | ServiceError]:
        """Make one attempt for up to 25 calls, in order, in one request.

        Each item is what `carry_out` would have given, or raised. If the answer to all is lost, each item
        is the same NoAnswer: a part of them may have been carried out.
        """
        request = batch.request(calls)
        try:
            response = self.transport.send(request)
        except ServiceError as error:
            return [error] * len(calls)
        return batch.results(calls, response)

    def records(self, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
        """Read those of the records that exist, in any status or in the trash; see `reading.records`."""
        return reads.records(self.transport.send, kind, ids)

    def find(self, kind: Kind, *, slug: str, parent: int | None) -> list[Record]:
        """Read every record that a create with this slug may have made; see `reading.find`."""
        return reads.find(self.transport.send, kind, slug=slug, parent=parent)

    def find_recent(self, kind: Kind, slugs: Sequence[str], *, requests: int) -> dict[str, list[Record]]:
        """Read what creates with these slugs may have made just now; see `lost.made`."""
        return lost_creates.find_recent(self.transport.send, kind, slugs, requests=requests)

    def at_addresses(self, kind: Kind, slugs: Collection[str]) -> dict[str, AtAddress]:
        """Read what holds these slugs; see `addresses.at_addresses`."""
        return addresses.at_addresses(self.transport.send, kind, slugs)

    def user(self) -> int:
        """Give the id of the user that we are; Refused if WordPress sees nobody."""
        return self.identity().id

    def newest(self, kind: Kind, *, besides: Collection[int]) -> list[Record]:
        """Read the newest records but these; see `reading.newest`."""
        return reads.newest(self.transport.send, kind, besides=besides)

    def terms(self, field: str) -> list[Term]:
        """Read every category or every tag; see `library.terms`."""
        return terms_and_media.terms(self.transport.send, field)

    def make_term(self, field: str, name: str, parent: int) -> int:
        """Make a term, or find it; see `library.make_term`."""
        return terms_and_media.make_term(self.transport.send, field, name, parent)

    def author(self, name: str) -> int | None:
        """Look up a user; see `library.author`."""
        return terms_and_media.author(self.transport.send, name)

    def uploaded(self, slugs: Collection[str]) -> dict[str, Uploaded]:
        """Look up uploaded files; see `library.uploaded`."""
        return terms_and_media.uploaded(self.transport.send, slugs)

    def upload(self, upload: Upload) -> Uploaded:
        """Upload a file; see `library.upload`."""
        return terms_and_media.upload(self.transport.send, upload)

    def delete_upload(self, number: int) -> None:
        """Delete an uploaded file for good; see `library.delete_upload`."""
        terms_and_media.delete_upload(self.transport.send, number)

    def identity(self) -> Identity:
        """Ask who we are; Refused if WordPress sees nobody. To be asked before the first write."""
        return user_rights.identity(self.transport.send)

    def missing_rights(self, kind: Kind) -> tuple[str, ...]:
        """Name the capabilities that a sync needs and this user lacks; see `identity.missing_rights`."""
        return user_rights.missing_rights(kind, self.identity())

    def describe(self) -> Description:
        """Ask the site what it is and what it can do; see `description.Description`."""
        return site_info.describe(self.transport.send)

    def close(self) -> None:
        """Let go of connections; the service is not used again."""
        self.transport.close()
