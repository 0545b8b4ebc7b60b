"""Puts what the manifest says, and what was read of the site, into a stage: settings, people, terms, records.

Every stage begins with the same rows and the same ids. So the manifest of the site holds for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from msgspec.structs import replace

from pressync.app.rehearse import last_synced, site_data
from pressync.app.rehearse.stage import SiteDifference
from pressync.model.visibility import is_deleted
from pressync.server.wordpress.roles import User

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pressync.app.rehearse.live_site import LiveSite
    from pressync.app.workspace import Workspace
    from pressync.model.records import Entry, Manifest
    from pressync.server.database import SiteSettings
    from pressync.server.record import StoredRecord
    from pressync.server.wordpress.media import Attachment
    from pressync.server.wordpress.terms import TermRow


class GivenRows(Protocol):
    """The place of the rows: the store of the embedded service, or what another stage is told."""

    def settings(self) -> SiteSettings:
        """Give the settings with which the stage begins."""

    def set(self, settings: SiteSettings) -> None:
        """Replace the settings."""

    def clear(self, kind: type[User | TermRow]) -> None:
        """Remove the users, or the terms, with which the stage begins."""

    def put(self, given: Iterable[User | TermRow | Attachment]) -> None:
        """Put users, terms or files."""

    def save(self, given: StoredRecord) -> None:
        """Put a record; it replaces the one with its id."""

    def reserve_ids(self, last: int) -> None:
        """Give no new record an id up to this one."""


@dataclass(slots=True)
class GivenRecords:
    """The entries that changed, and the paths of the records whose texts are nowhere to be found."""

    changed: list[Entry] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def differences(self) -> Iterator[SiteDifference]:
        """Say which records have no text on the stage."""
        if self.lost:
            more = f" and {len(self.lost) - 1} more" if self.lost[1:] else ""
            yield SiteDifference(f"the text of {min(self.lost)}{more}", "empty", "")


def put(
    rows: GivenRows, workspace: Workspace, known: Manifest, live: LiveSite, uploads: Path
) -> GivenRecords:
    """Put everything; the uploaded files of the manifest go into a folder."""
    _put_site(rows, workspace, known, live, uploads)
    given = _put_records(rows, workspace, known, live)
    rows.reserve_ids(site_data.last_id(live, known))
    return given


def _put_site(rows: GivenRows, workspace: Workspace, known: Manifest, live: LiveSite, uploads: Path) -> None:
    """Put the settings, users, terms and files of the site."""
    address = live.home or home_of(workspace.settings.site.url or "")
    rows.set(site_data.settings(rows.settings(), live, known, address))
    for kind, some in site_data.rows(live, known):
        # Without a user of the site, the administrator of the stage stays.
        if kind is not User or live.user:
            rows.clear(kind)
        rows.put(some)
    rows.put(site_data.media(live, known, address, uploads, workspace.repository))


def _put_records(rows: GivenRows, workspace: Workspace, known: Manifest, live: LiveSite) -> GivenRecords:
    """Put the records of the manifest, and over them those that were read."""
    given = GivenRecords()
    dialect, offset = workspace.settings.site.dialect, live.offset or 0
    read = {(record.kind, record.id): record for record in live.records}
    for kept in last_synced.records(workspace, known, workspace.repository.commit()):
        record = read.pop((kept.entry.kind, kept.entry.id), None)
        if record:
            rows.save(site_data.as_it_is(record, dialect, offset, kept.fields))
        elif not (kept.entry.id in live.gone or is_deleted(kept.entry)):
            rows.save(site_data.synced(kept, dialect, offset))
            given.lost += [] if kept.has_text else [kept.entry.path]
        before = known.entries[kept.entry.path]
        noted = {
            name: digest
            for name, digest in kept.entry.changed_by_service.items()
            if record is None or name not in record.fields
        }
        if not noted.items() <= before.changed_by_service.items():
            given.changed.append(replace(before, changed_by_service={**before.changed_by_service, **noted}))
    for record in read.values():
        rows.save(site_data.as_it_is(record, dialect, offset))
    return given


def home_of(url: str) -> str:
    """Give the address of a site's pages, as far as the address of its interface shows it."""
    parts = urlsplit(url)
    path = parts.path.partition("/wp-json")[0].partition("/index.php")[0].rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path if '/wp-json' in url or '?' in url else ''}"
