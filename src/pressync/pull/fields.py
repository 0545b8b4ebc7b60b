"""What the site says in a field -> which key of the file's front matter says it, and how. Pure.

It must not know formats of front matter or the body. What decided its shape: a file keeps its own words.
A `weight` stays a weight and `draft: true` becomes a status only if it has to; an id becomes the name or
the path that this repository has for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.content.front_matter.edit import Setting

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.content.front_matter.edit import Plain
    from pressync.model.records import Value

# The keys that can say a field, the one that counts first.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "excerpt": ("excerpt", "summary", "description"),
    "menu_order": ("menu_order", "weight"),
    "date": ("date", "date_gmt"),
    "date_gmt": ("date_gmt", "date"),
}
# Jekyll's and Hugo's words for a status: key -> the value that means a draft.
_DRAFTS: Mapping[str, bool] = {"draft": True, "published": False}


@dataclass(frozen=True, slots=True)
class IdNames:
    """What this repository says in the place of ids: pages and files by path, terms and people by name."""

    pages: Mapping[int, str]
    names: Mapping[tuple[str, int], str]
    files: Mapping[int, str]


def setting(field: str, value: Value, keys: Collection[str], words: IdNames) -> Setting | None:
    """Say what to write for a field of the site, in a file whose front matter has these keys.

    None for what no front matter should be given: a password, and the members of `meta`.
    """
    if field in {"password", "meta"}:
        return None
    if field == "status" and "status" not in keys:
        return _status(str(value), keys)
    key = next((key for key in _KEYS.get(field, ()) if key in keys), field)
    # Only with its offset is a moment read as GMT.
    moment = field in {"date", "date_gmt"}
    said = f"{value}Z" if field == "date_gmt" else _said(field, value, words)
    return Setting(key, said, bare=moment)


def _status(status: str, keys: Collection[str]) -> Setting:
    for key, draft in _DRAFTS.items():
        if key in keys:
            return Setting(key, draft) if status == "draft" else Setting("status", status, instead_of=key)
    return Setting("status", status)


def _said(field: str, value: Value, words: IdNames) -> Plain:
    match value:
        case tuple():
            return tuple(words.names.get((field, number), number) for number in value)
        case bool() | str():
            return value
        case int() if field == "parent":
            return words.pages.get(value, value)
        case int() if field == "author":
            return words.names.get((field, value), value)
        case int() if field == "featured_media":
            return words.files.get(value, value)
        case int():
            return value
        case _:
            raise ValueError(f"{field} is nothing that front matter can say")
