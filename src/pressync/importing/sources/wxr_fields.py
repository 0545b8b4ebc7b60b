"""Makes front matter of the rows that an export has of a record's fields.

WordPress keeps lists and objects as PHP writes them, and truth as "1" or nothing. The schema of the site says
what a value is: an export does not. WordPress and plug-ins keep notes of their own there, so a row that no
field takes is counted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pressync.content.front_matter import registered
from pressync.content.front_matter.convert import UnfitError
from pressync.content.front_matter.value import DEEPEST, given
from pressync.importing.sources.item import Note, Place, Remainder
from pressync.model.interface import Field, Kind, types_of
from pressync.model.records import FieldReference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


# The rows that become something else in a file: a picture, old addresses, footnotes.
_READ = frozenset({"_thumbnail_id", "_wp_old_slug", "footnotes"})
_SHOWN = 8
# A value of PHP: null, truth, a number, or the head of a text or of a list.
_PHP = re.compile(
    rb"N;|b:(?P<truth>[01]);|i:(?P<whole>-?\d{1,19});|d:(?P<real>[^;]{1,40});"
    rb'|s:(?P<size>\d{1,9}):"|a:(?P<members>\d{1,7}):\{'
)


class FieldRows:
    """Reads the rows of each record, and counts those that no field of a file takes."""

    def __init__(self, pictures: Mapping[int, str]) -> None:
        self._pictures = pictures
        self._unused: Counter[str] = Counter()

    def notes(self) -> Iterator[Note]:
        """Tell what was not taken: a line for internal rows, and one for fields without a schema."""
        for what, is_internal in (
            ("Internal fields of WordPress and plug-ins", True),
            ("Fields that the schema of the site does not have", False),
        ):
            rows = {key: n for key, n in self._unused.items() if key.startswith("_") is is_internal}
            if rows:
                first = sorted(rows, key=lambda key: (-rows[key], key))
                named = ", ".join(f"{key} ({rows[key]})" for key in first[:_SHOWN])
                more = f" and {len(rows) - _SHOWN} more keys" if len(rows) > _SHOWN else ""
                yield Note(f"{what}: {sum(rows.values())}. No file has them: {named}{more}.")

    def read(
        self, rows: Mapping[str, list[str]], chosen: Mapping[str, Any], kind: Kind, place: Place
    ) -> tuple[dict[str, Any], list[Remainder]]:
        """Give front matter of the values of each key and of those `chosen` elsewhere; and unfit values."""
        picture = self._pictures.get(number_of(rows.get("_thumbnail_id", [""])[-1]))
        found: dict[str, Any] = {**({"featured_media": picture} if picture else {}), **chosen}
        with suppress(ValueError, RecursionError):
            footnotes = rows.get("footnotes", [""])[-1]
            json.loads(footnotes)
            found |= {} if kind.row.has_schema else {"meta": {"footnotes": footnotes}}
        unfit: list[Remainder] = []
        fields = [each for each in kind.row.body if each.inside and each.key in rows]
        for field in fields:
            try:
                if (typed := self._value(field, rows[field.key])) != field.empty:
                    found[field.name] = typed
            except (UnfitError, ValueError, RecursionError):
                unfit.append(Remainder(f"field {field.name}", place, rows[field.key][-1]))
        taken = _READ.union(each.key for each in fields)
        self._unused.update({key: len(texts) for key, texts in rows.items() if key not in taken})
        return found, unfit

    def _value(self, field: Field, texts: list[str]) -> object:
        """Give the value of a field as front matter has it; UnfitError if the schema does not take it."""
        types, text = types_of(field.schema), texts[-1]
        if field.is_file and (picture := self._pictures.get(number_of(text))):
            return picture
        is_serialized = text.startswith("a:") and bool(types & {"array", "object"})
        # Such a field has a row for each value.
        has_rows = field.inside == "meta" and types == {"array"} and "default" not in field.schema
        value: object = texts if has_rows else text
        value = _php(text.encode())[0] if is_serialized else value
        if value == [] and "object" in types:
            value = {}
        elif "boolean" in types:
            value = text == "1"
        elif not text and "string" not in types:
            return field.empty
        read = registered.reader(field)(field.name, given(value))
        return text if isinstance(read, FieldReference) else read


def number_of(text: str) -> int:
    """Give an id; 0 for a text that is not one."""
    text = text.strip()
    return int(text) if text.isdecimal() and len(text) < len(str(2**63)) else 0


def _php(data: bytes, here: int = 0, depth: int = 0) -> tuple[Any, int]:
    """Give the value of PHP that begins at a place, and its end; PHP counts the bytes of a text."""
    found = _PHP.match(data, here)
    if not found or depth > DEEPEST:
        raise ValueError("it is not a value of PHP")
    here = found.end()
    if found["members"]:
        members: dict[object, object] = {}
        for _ in range(int(found["members"])):
            key, here = _php(data, here, depth + 1)
            value, here = _php(data, here, depth + 1)
            members[str(key) if isinstance(key, list | dict) else key] = value
        is_list = list(members) == list(range(len(members)))
        return list(members.values()) if is_list else {str(k): v for k, v in members.items()}, here + 1
    if found["size"]:
        end = here + int(found["size"])
        return data[here:end].decode(), end + len('";')
    number = float(found["real"]) if found["real"] else found["whole"] and int(found["whole"])
    return found["truth"] == b"1" if found["truth"] else number, here
