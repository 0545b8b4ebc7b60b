"""Finds out what on a WordPress site still uses uploaded files, before they are deleted for good.

WordPress does not know which records use a file: it is not in a list, and a search does not find featured
pictures. So each record that a person can edit is read once, in every status except the trash, and the
settings, styles and widgets of the site. If this user may not read all of them, the answer would be a guess,
so there is none.
"""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from pressync.client.responses import clean, json_object
from pressync.client.wordpress.lists import STEADY, every_page, get, of_ids, rows, total
from pressync.client.wordpress.terms_and_media import id_of
from pressync.model.errors import BadAnswer, Refused

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pressync.client.port import HttpResponse
    from pressync.client.wordpress.lists import Query, Send

    Row = Mapping[str, object]

# A service without a list of types has these two.
_RECORDS = {"post": "wp/v2/posts", "page": "wp/v2/pages"}
# These types show no files, or have no list; the styles in use are read by their id.
_NOT_READ = frozenset({"attachment", "nav_menu_item", "wp_global_styles", "wp_font_family", "wp_font_face"})
# More records than this are not read.
_MOST = 100_000

_ELSEWHERE = "delete unused files in the media library of the site"
_MANAGE = f"sync as an administrator, or {_ELSEWHERE}"
# Plugins show their fields in `meta` and `acf`.
_SHOWN = "id,slug,status,featured_media,content.raw,excerpt.raw,meta,acf"
_MARKED = re.compile(r"(?:wp-image-|attachment_)(\d{1,18})")
# The value of a member or attribute whose name ends in `id` or `ids`: a number, or a list of numbers.
_NUMBERS = re.compile(r"""[iI]ds?["']?\s*[=:]\s*["'\[]*([\d,\s"']+)""")
# WordPress adds these to the name of a file: for its sizes, and for a picture that it made smaller or turned.
_VERSION = r"(?:-(?:\d+x\d+|scaled|rotated|e\d+))*"


def uses(send: Send, files: Mapping[int, str]) -> dict[int, str]:
    """Say which record uses each of these files, given as addresses by id; a file without a use is absent.

    :raises ServiceError: this user may not read every record, or there are too many.
    """
    fields = ("_fields", "id,post,link")
    media = {
        id_of(row): row
        for some in of_ids(files)
        for row in rows(get(send, "/wp/v2/media", (("context", "edit"), *some, fields)))
    }
    found = {
        number: f"is attached to record {row['post']}" for number, row in media.items() if row.get("post")
    }
    names = {
        number: _FileName(address, str(media.get(number, {}).get("link", "")))
        for number, address in files.items()
    }
    types = _types(send)
    # A service without a list of types has no settings, styles and widgets either.
    for what, row in _elsewhere(send, is_wordpress=types is not None):
        _note(found, names, row, what)
    for kind, route in (_RECORDS | (types or {})).items():
        for row in _all(send, kind, route):
            _note(found, names, row, f"{clean(kind, 40)} {clean(str(row.get('id')), 80)}")
    return found


def lost(send: Send, ids: Collection[int]) -> frozenset[int]:
    """Tell which of these files are gone. A list does not tell: it leaves out what this user may not see."""
    found = set()
    for number in ids:
        try:
            get(send, f"/wp/v2/media/{number}", (("_fields", "id"),))
        except Refused as refusal:
            if refusal.status == HTTPStatus.NOT_FOUND:
                found.add(number)
    return frozenset(found)


class _FileName:
    """Finds a file, its sizes, and its page on the site, in texts, by the paths of their addresses."""

    def __init__(self, address: str, page: str) -> None:
        path, _, ending = urlsplit(address).path.lower().rpartition(".")
        path = re.sub(r"-(?:scaled|rotated)$", "", unquote(path))
        self._forms = {path, quote(path).lower()}
        # A plugin may have made another format of the same picture.
        ended = rf"{_VERSION}\.(?:{re.escape(ending)}|webp|avif|jpe?g)\b"
        self._pattern = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(self._forms)))}){ended}")
        self._page = urlsplit(page).path.lower().rstrip("/")
        # Only a whole path: a page elsewhere may end in the same words.
        self._link = re.compile(
            rf"""(?:["'(=\s]|//[^/\s"']{{1,255}}){re.escape(self._page)}/?(?:["'?#)\s]|$)"""
        )

    def is_in(self, text: str) -> bool:
        """Tell whether a text, in lower case, has the file, or a link to its page."""
        if any(form in text for form in self._forms) and self._pattern.search(text):
            return True
        return self._page != "" and self._page in text and self._link.search(text) is not None


def _note(found: dict[int, str], names: Mapping[int, _FileName], row: Row, what: str) -> None:
    """Note the files that a row uses, as far as no use of them is known yet."""
    text = _text(row)
    ids = {int(number) for number in _MARKED.findall(text)}
    ids.update(int(each) for some in _NUMBERS.findall(text) for each in re.findall(r"\d{1,18}", some))
    for member in (row.get("meta"), row.get("acf")):
        ids.update(
            map(int, re.findall(r"(?<![\d.])\d{1,18}(?![\d.])", json.dumps(member, ensure_ascii=False)))
        )
    lowered = text.lower()
    for number, name in names.items():
        if number == row.get("featured_media"):
            found.setdefault(number, f"is the featured picture of {what}")
        elif number not in found and (number in ids or name.is_in(lowered)):
            found[number] = f"is in {what}"


def _text(row: Row) -> str:
    """Give all texts of a row; JSON in them may write slashes with a backslash."""
    return "\n".join(_strings({**row, "id": ""})).replace("\\/", "/")


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            if isinstance(member, (int, float)):
                yield f'"{name}":{member}'
            yield from _strings(member)
    elif isinstance(value, list):
        yield json.dumps(value)


def _types(send: Send) -> dict[str, str] | None:
    """Give the route of each type of records; None if the service has no list of types.

    :raises BadAnswer: this user may not edit the records of a type.
    """
    try:
        shown, editable = (
            json_object(get(send, "/wp/v2/types", (("context", context),))) for context in ("view", "edit")
        )
    except Refused as refusal:
        if refusal.status != HTTPStatus.NOT_FOUND:
            raise
        return None
    if closed := sorted(shown.keys() - editable.keys() - _NOT_READ):
        named = ", ".join(clean(name, 40) for name in closed)
        raise BadAnswer(f"this user may not edit the records of these types: {named}", todo=_MANAGE)
    return {
        name: f"{kind.get('rest_namespace') or 'wp/v2'}/{kind['rest_base']}"
        for name, kind in editable.items()
        if name not in _NOT_READ and isinstance(kind, dict) and kind.get("rest_base")
    }


def _all(send: Send, kind: str, route: str) -> Iterator[Row]:
    """Read every record of a type.

    :raises BadAnswer: this user may not read all of them, or there are too many.
    """
    query: Query = (("context", "edit"), ("status", "any"), ("_fields", _SHOWN), *STEADY)
    expected = 0

    def page(number: int) -> HttpResponse:
        nonlocal expected
        response = get(send, f"/{route}", (*query, ("page", str(number))))
        expected = expected or total(response, "x-wp-total")
        if expected > _MOST:
            raise BadAnswer(
                f"the site has more than {_MOST:,} records of type {clean(kind, 40)}", todo=_ELSEWHERE
            )
        return response

    read = 0
    for row in every_page(page):
        read += 1
        yield row
    if read < expected:
        what = f"this user may read {read:,} of the {expected:,} records of type “{clean(kind, 40)}”"
        raise BadAnswer(what, todo=_ELSEWHERE)


def _elsewhere(send: Send, *, is_wordpress: bool) -> Iterator[tuple[str, Row]]:
    """Read the settings, styles and widgets of the whole site.

    :raises BadAnswer: this user may not read them.
    """
    what, right = "settings", "manage_options"
    try:
        # Without the title, a service with neither picture answers with an empty list.
        settings = json_object(get(send, "/wp/v2/settings", (("_fields", "title,site_logo,site_icon"),)))
        pictures = {f"{name}_id": value for name, value in settings.items() if name != "title"}
        yield "the settings of the site", pictures
        what, right = "widgets", "edit_theme_options"
        query: Query = (("context", "edit"), ("_fields", "id,rendered,instance"))
        for row in rows(get(send, "/wp/v2/widgets", query)):
            yield f"widget {clean(str(row.get('id')), 80)}", row
        what = "styles"
        themes = rows(get(send, "/wp/v2/themes", (("status", "active"), ("_fields", "stylesheet,_links"))))
        for number in set(re.findall(r"/global-styles/(\d{1,18})\b", json.dumps(themes))):
            styles = json_object(get(send, f"/wp/v2/global-styles/{number}", (("context", "edit"),)))
            yield "the styles of the site", {"styles": styles.get("styles")}
    except Refused as refusal:
        if is_wordpress or refusal.status != HTTPStatus.NOT_FOUND:
            why = f"this user may not read the {what} of the site (it lacks the right {right})"
            raise BadAnswer(why, todo=_MANAGE) from refusal
