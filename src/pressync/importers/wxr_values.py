"""Reads single values of a record of an export. Pure.

Every value is text in an export, and much of it needs a second look: slugs are percent-encoded, names are
HTML, a missing date is `0000-00-00`, and a date in GMT stands beside the local one.
"""

from __future__ import annotations

import datetime as dt
import html
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from pressync.importers.item import Remainder
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.importers.item import Place
    from pressync.importers.wxr_file import XmlElement

_USUAL_COMMENTS = {Kind.POST: "open", Kind.PAGE: "closed"}


def unfit(terms: Mapping[str, list[str]], place: Place, *, is_protected: bool) -> Iterator[Remainder]:
    """Name what a record has beside its text that no field takes."""
    for taxonomy, names in terms.items():
        yield Remainder(f"taxonomy {taxonomy}", place, ", ".join(names))
    if is_protected:
        yield Remainder("password", place, "the file is private, and has no password")


def further_fields(
    element: XmlElement, kind: Kind, meta: Mapping[str, str], pictures: Mapping[int, str]
) -> dict[str, Any]:
    """Give further front matter: only what differs from what WordPress does by itself."""
    found: dict[str, Any] = {}
    if picture := pictures.get(number_of(meta.get("_thumbnail_id", ""))):
        found["featured_media"] = picture
    if element.value("is_sticky") == "1":
        found["sticky"] = True
    for key, usual in (("comment_status", _USUAL_COMMENTS[kind]), ("ping_status", _USUAL_COMMENTS[kind])):
        if (value := element.value(key)) in {"open", "closed"} and value != usual:
            found[key] = value
    if footnotes := meta.get("footnotes"):
        try:
            json.loads(footnotes)
        except ValueError:
            return found
        found["meta"] = {"footnotes": footnotes}
    return found


def old_slugs(element: XmlElement) -> Iterator[str]:
    """Give the slugs that a record had before."""
    for meta in element.all("postmeta"):
        if meta.value("meta_key") == "_wp_old_slug" and meta.value("meta_value"):
            yield unquote(meta.value("meta_value"))


def former_address(address: str, slug: str) -> str:
    """Give the address that a record had with an old slug."""
    return f"{address.rstrip('/').rpartition('/')[0]}/{slug}/"


def modified(element: XmlElement) -> str:
    """Give the moment of the last change in GMT, or that of a draft in local time; "" in old exports."""
    gmt = element.value("post_modified_gmt").strip()
    return element.value("post_modified").strip() if gmt.startswith("0000") else gmt


def moment(element: XmlElement) -> str:
    """Give the moment of publication with the site's offset; a draft without a moment has no date."""
    local, gmt = element.value("post_date").strip(), element.value("post_date_gmt").strip()
    try:
        here = dt.datetime.fromisoformat(local)
    except ValueError:
        here = None
    try:
        there = dt.datetime.fromisoformat(gmt)
    except ValueError:
        there = None
    if there is None:
        return here.isoformat() if here and element.value("status") not in {"draft", "pending"} else ""
    ahead = here - there if here else dt.timedelta(0)
    if not ahead or abs(ahead) > dt.timedelta(hours=14) or ahead.seconds % 60:
        return f"{there.isoformat()}Z"
    zone = dt.timezone(ahead)
    return there.replace(tzinfo=dt.UTC).astimezone(zone).isoformat()


def address_of(link: str) -> str:
    """Give an address from the root of the host; "" for one that only its id tells apart, as a draft has."""
    try:
        parts = urlsplit(link.strip())
    except ValueError:
        return ""
    return unquote(parts.path) if parts.path and not parts.query else ""


def name_of(text: str) -> str:
    """Give a name as people read it: WordPress stores the names of terms as HTML."""
    return " ".join(html.unescape(text).split())


def number_of(text: str) -> int:
    """Give an id; 0 for a text that is not one."""
    text = text.strip()
    return int(text) if text.isdecimal() and len(text) < len(str(2**63)) else 0
