"""Fills the templates of the web site: the texts, dates, links and bodies that each page shows.

Titles and names of WordPress are HTML (`A &amp; B`). The templates escape everything but bodies, so a title
must become plain text first.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from email.utils import format_datetime
from html import unescape
from typing import TYPE_CHECKING

from flask import abort, render_template, request
from markupsafe import Markup

from pressync.server import archives, datetimes, navigation, permalinks
from pressync.server.own_links import to_paths
from pressync.server.page_body import page_body
from pressync.server.pictures import pictures
from pressync.server.shortcodes import without_shortcodes
from pressync.server.typography import in_print

if TYPE_CHECKING:
    from pressync.server.archives import TermLink
    from pressync.server.database import SiteSettings
    from pressync.server.pictures import UploadedPicture
    from pressync.server.queries import Outline, PublicRecords
    from pressync.server.record import StoredRecord

# The cookie of a reader who has typed the password of a text. It has the digest of the password.
COOKIE = "pressync-password"


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of a long list: its number from 1, the number of all entries, and the entries per sheet."""

    number: int
    total: int
    size: int

    @property
    def last(self) -> int:
        """The number of the last sheet; an empty list has one sheet."""
        return max(1, -(-self.total // self.size))

    @property
    def skip(self) -> int:
        """The number of entries before this sheet."""
        return (self.number - 1) * self.size


def sheet(total: int, size: int, asked: str | None = None) -> Sheet:
    """Give the sheet that the path or `?page=` asks for; 404 if it does not exist."""
    asked = asked or request.args.get("page", "1")
    found = Sheet(int(asked), total, size) if re.fullmatch("[1-9][0-9]{0,6}", asked) else None
    return found if found and found.number <= found.last else abort(404)


def render(
    template: str,
    records: PublicRecords,
    site: SiteSettings,
    surroundings: navigation.PageContext | None = None,
    **values: object,
) -> str:
    """Fill a template; `surroundings` are those of the page that is shown."""
    return render_template(
        template,
        site=site,
        around=surroundings or navigation.root_level(records),
        blog=f"/{permalinks.BLOG}/",
        now=records.now,
        show=PageTexts(records, site),
        **values,
    )


def digest(password: str) -> str:
    """Give the digest of a password, for the cookie."""
    return hashlib.sha256(password.encode()).hexdigest()


class PageTexts:
    """The parts of records as the templates show them."""

    def __init__(self, records: PublicRecords, site: SiteSettings) -> None:
        self._records = records
        self._site = site

    def title(self, record: StoredRecord | Outline) -> str:
        """Give the title as plain text, or the number of a record without one."""
        title = in_print(record.title) if self._records.classic else record.title
        return unescape(title).strip() or f"Page {record.id}"

    def path(self, record: StoredRecord) -> str:
        """Give the path of a record."""
        return self._records.permalinks.path(record)

    def body(self, record: StoredRecord) -> Markup:
        """Give the body, with paths in the place of links to this site."""
        html = page_body(self._records.db, record, classic=self._records.classic)
        return Markup(to_paths(html, self._records.own_addresses))  # noqa: S704 - the policy forbids its scripts

    def whole_body(self, record: StoredRecord) -> str:
        """Give the body with whole addresses, for feeds."""
        return page_body(self._records.db, record, classic=self._records.classic)

    def summary(self, record: StoredRecord) -> str:
        """Give the first words of a text that everybody may read."""
        if not self.is_open(record):
            return ""
        summary = without_shortcodes(record.summary)
        return in_print(summary) if self._records.classic else summary

    def is_open(self, record: StoredRecord) -> bool:
        """Whether this reader may read the text: it has no password, or the reader has typed it."""
        given = request.cookies.get(COOKIE, "")
        return not record.password or hmac.compare_digest(given.encode(), digest(record.password).encode())

    def day(self, second: int) -> str:
        """Write the day in site time."""
        moment = datetimes.moment_at(second, offset=self._site.offset)
        return f"{moment.day} {moment:%B %Y}"

    def utc(self, second: int) -> str:
        """Write a time as HTML, Atom and site maps do."""
        return f"{datetimes.text(second)}Z"

    def mail_date(self, second: int) -> str:
        """Write a time as RSS does."""
        return format_datetime(datetimes.moment_at(second)).replace("-0000", "+0000")

    def author(self, record: StoredRecord) -> TermLink | None:
        """Give the link to the author's posts."""
        return archives.author_of(self._records.db, record.author)

    def terms(self, base: str, record: StoredRecord) -> list[TermLink]:
        """Give the links to the record's categories or tags."""
        ids = record.categories if base == "category" else record.tags
        return archives.terms_of(self._records.db, base, ids)

    def picture(self, record: StoredRecord) -> UploadedPicture | None:
        """Give the featured picture."""
        found = pictures(self._records.db, [record.featured_media]) if record.featured_media else []
        return found[0] if found else None

    def terms_in_use(self, base: str) -> list[TermLink]:
        """Give the links to all categories or tags."""
        return self._records.terms_in_use(base)

    def years(self) -> list[TermLink]:
        """Give the links to all years."""
        return self._records.years_in_use(self._site.offset)
