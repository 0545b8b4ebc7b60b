"""Adds to records whether they are the front page of their site, where the manifest says anything of it.

A record does not show it: the front page is a setting of the site. So it costs a request, which is made only
if an entry among those that are compared has the field.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.model.front_page import FRONT_PAGE
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.client.port import Reads
    from pressync.model.records import Entry, Record


def shown(service: Reads, entries: Iterable[Entry], found: Mapping[int, Record]) -> Mapping[int, Record]:
    """Add the field to the pages that were found by id; if the user cannot see the front page, nothing."""
    asked = [entry.id for entry in entries if entry.kind is Kind.PAGE and FRONT_PAGE in entry.fingerprints]
    asked = [number for number in asked if number in found]
    front = service.front_page() if asked else None
    if front is None:
        return found
    told = {n: replace(found[n], fields={**found[n].fields, FRONT_PAGE: n == front}) for n in asked}
    return {**found, **told}
