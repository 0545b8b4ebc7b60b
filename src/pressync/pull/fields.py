"""Chooses the front matter key and the value for a field of the site. Pure.

A file keeps its own keys: a `weight` stays a `weight`, and `draft: true` becomes a `status` only where that
is necessary. An id becomes the name or the path that this repository has for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.content.front_matter.edit import Setting

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.content.front_matter.edit import Plain
    from pressync.model.records import Value

# The keys that can set a field; the first one wins.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "excerpt": ("excerpt", "summary", "description"),
    "menu_order": ("menu_order", "weight"),
    "date": ("date", "date_gmt"),
    "date_gmt": ("date_gmt", "date"),
}
# Hugo's and Jekyll's keys for a status: key -> the value that means a draft.
_DRAFTS: Mapping[str, bool] = {"draft": True, "published": False}


@dataclass(frozen=True, slots=True)
class IdNames:
    """The names of this repository for ids: paths of pages and files, names of terms and people."""

    pages: Mapping[int, str]
    names: Mapping[tuple[str, int], str]
    files: Mapping[int, str]


def setting(field: str, value: Value, keys: Collection[str], names: IdNames) -> Setting | None:
    """Choose what to write for a field of the site, in a file whose front matter has these keys.

    None for the two fields that pressync never writes into a file: a password, and `meta`.
    """
    if field in {"password", "meta"}:
        return None
    if field == "status" and "status" not in keys:
        return _status(str(value), keys)
    key = next((key for key in _KEYS.get(field, ()) if key in keys), field)
    # A date-time is read as GMT only with its offset.
    text = f"{value}Z" if field == "date_gmt" else _named(field, value, names)
    return Setting(key, text, bare=field in {"date", "date_gmt"})


def _status(status: str, keys: Collection[str]) -> Setting:
    for key, draft in _DRAFTS.items():
        if key in keys:
            return Setting(key, draft) if status == "draft" else Setting("status", status, instead_of=key)
    return Setting("status", status)


def _named(field: str, value: Value, names: IdNames) -> Plain:
    """Give a value with names in the place of ids."""
    match value:
        case tuple():
            return tuple(names.names.get((field, number), number) for number in value)
        case bool() | str():
            return value
        case int() if field == "parent":
            return names.pages.get(value, value)
        case int() if field == "author":
            return names.names.get((field, value), value)
        case int() if field == "featured_media":
            return names.files.get(value, value)
        case int():
            return value
        case _:
            raise ValueError(f"front matter cannot express the value of {field}")
