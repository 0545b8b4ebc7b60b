"""A WordPress site as a service of the port, with reads, terms, people and files.

Every method makes one attempt, as the port says of `carry_out`; `client.retry` repeats them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from pressync.client.wordpress import (
    addresses,
    application_passwords,
    batch,
    front_page,
    lost_creates,
    media_uses,
    reads,
    site_info,
    terms_and_media,
    user_rights,
    users,
)
from pressync.client.wordpress.dialect import WORDPRESS
from pressync.model.calls import UpdateCall
from pressync.model.errors import ServiceError
from pressync.model.front_page import FRONT_PAGE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pressync.client.capabilities import Capabilities
    from pressync.client.http import Transport
    from pressync.client.port import AtAddress, Term, Upload, Uploaded
    from pressync.client.wordpress.application_passwords import ApprovalPage
    from pressync.client.wordpress.site_info import Description
    from pressync.client.wordpress.user_rights import Identity
    from pressync.model.calls import Call
    from pressync.model.interface import Kind
    from pressync.model.records import Record


@dataclass(frozen=True, slots=True)
class WordPressService:
    """Stock WordPress, 6.1 or later. As many threads may share it as its transport has connections."""

    transport: Transport
    asked_authors: dict[str, int | str] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The dialect's name, for messages."""
        return WORDPRESS.name

    @property
    def capabilities(self) -> Capabilities:
        """The abilities of this service."""
        return WORDPRESS.capabilities

    @property
    def readable(self) -> Self:
        """This service: it can be read."""
        return self

    @property
    def library(self) -> Self:
        """This service: it has terms, people and files."""
        return self

    def carry_out(self, call: Call) -> Record:
        """Make one attempt. The type of a `ServiceError` tells whether the call was certainly not done."""
        if isinstance(call, UpdateCall) and FRONT_PAGE in call.fields:
            return front_page.carry_out(self.transport.send, call)
        return WORDPRESS.record(call, self.transport.send(WORDPRESS.request(call)))

    def carry_out_many(self, calls: Sequence[Call]) -> list[Record | ServiceError]:
        """Make one attempt for up to 25 calls, in order, in one request.

        Each item is the record that `carry_out` would return, or the error that it would raise. If the
        response is lost, each item is the same NoAnswer, because some calls may have been carried out.
        """
        request = batch.request(calls)
        try:
            response = self.transport.send(request)
        except ServiceError as error:
            return [error] * len(calls)
        return batch.results(calls, response)

    def records(self, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
        """Read records by id; see `reads.records`."""
        return reads.records(self.transport.send, kind, ids)

    def front_page(self) -> int | None:
        """Give the id of the front page; see `front_page.front`."""
        return front_page.front(self.transport.send)

    def find(self, kind: Kind, *, slug: str, parent: int | None) -> list[Record]:
        """Read every record that a create with this slug may have made; see `reads.find`."""
        return reads.find(self.transport.send, kind, slug=slug, parent=parent)

    def find_recent(self, kind: Kind, slugs: Sequence[str], *, requests: int) -> dict[str, list[Record]]:
        """Read what creates with these slugs may have made a moment ago; see `lost_creates.find_recent`."""
        return lost_creates.find_recent(self.transport.send, kind, slugs, requests=requests)

    def at_addresses(self, kind: Kind, slugs: Collection[str]) -> dict[str, AtAddress]:
        """Read the records at these slugs; see `addresses.at_addresses`."""
        return addresses.at_addresses(self.transport.send, kind, slugs)

    def user(self) -> int:
        """Give the id of the user whom the credentials belong to; Refused if they belong to nobody."""
        return self.identity().id

    def newest(self, kind: Kind, *, besides: Collection[int]) -> list[Record]:
        """Read the newest records except these; see `reads.newest`."""
        return reads.newest(self.transport.send, kind, besides=besides)

    def terms(self, field: str) -> list[Term]:
        """Read every category or every tag; see `terms_and_media.terms`."""
        return terms_and_media.terms(self.transport.send, field)

    def make_term(self, field: str, name: str, parent: int) -> int:
        """Give the id of a term; see `terms_and_media.make_term`."""
        return terms_and_media.make_term(self.transport.send, field, name, parent)

    def authors(self, names: Collection[str]) -> Mapping[str, int | str]:
        """Look up users, each name once; see `users.authors`."""
        unasked = [name for name in names if name not in self.asked_authors]
        self.asked_authors.update(users.authors(self.transport.send, unasked))
        return {name: self.asked_authors[name] for name in names}

    def present(self, field: str, ids: Collection[int]) -> frozenset[int]:
        """Tell which terms, files or users the site has; see `terms_and_media.present`."""
        if field == "author":
            return users.present(self.transport.send, ids)
        return terms_and_media.present(self.transport.send, field, ids)

    def uploaded(self, slugs: Collection[str]) -> dict[str, Uploaded]:
        """Look up uploaded files; see `terms_and_media.uploaded`."""
        return terms_and_media.uploaded(self.transport.send, slugs)

    def upload(self, upload: Upload) -> Uploaded:
        """Upload a file; see `terms_and_media.upload`."""
        return terms_and_media.upload(self.transport.send, upload)

    def delete_upload(self, number: int) -> None:
        """Delete an uploaded file for good; see `terms_and_media.delete_upload`."""
        terms_and_media.delete_upload(self.transport.send, number)

    def lost_files(self, ids: Collection[int]) -> frozenset[int]:
        """Tell which files are gone; see `media_uses.lost`."""
        return media_uses.lost(self.transport.send, ids)

    def uses(self, files: Mapping[int, str]) -> dict[int, str]:
        """Say which record uses each file; see `media_uses.uses`."""
        return media_uses.uses(self.transport.send, files)

    def identity(self) -> Identity:
        """Read the user whom the credentials belong to; a run does this before its first write."""
        return user_rights.identity(self.transport.send, self.transport.address_of)

    def missing_rights(self, kind: Kind) -> tuple[str, ...]:
        """Name the rights that a sync needs and this user lacks; see `user_rights.missing_rights`."""
        return user_rights.missing_rights(kind, self.identity())

    def approval_page(self) -> ApprovalPage:
        """Read where a person makes an application password; see `application_passwords.approval_page`."""
        return application_passwords.approval_page(self.transport.send)

    def revoke_password(self) -> str:
        """Delete the application password that is used; see `application_passwords.revoke`."""
        return application_passwords.revoke(self.transport.send)

    def describe(self) -> Description:
        """Read what the site tells of itself; see `site_info.Description`."""
        return site_info.describe(self.transport.send)

    def close(self) -> None:
        """Close all connections; the service is not used again."""
        self.transport.close()
