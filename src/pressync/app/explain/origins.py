"""Finds the place that each value of one document comes from: its lines, a default, its name, its folder.

A document keeps values and not their places, because a plan of fifty thousand has no use for them. So the
file and the settings are read once more here, with the readers that made the document.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pressync.app.explain.explanation import FolderDefaults, ValueOrigin, ValueSource
from pressync.config import settings_file
from pressync.content.front_matter.keys import DRAFTS, SPELLINGS, interpret
from pressync.content.front_matter.split import split
from pressync.content.front_matter.value import Given
from pressync.content.markdown_text import first_heading
from pressync.content.sources import below, folders_of
from pressync.model.records import CREATED_WITH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.config.settings import Settings
    from pressync.model.records import Document


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """The text of the settings, and its name for messages."""

    text: str
    where: str

    @property
    def tables(self) -> Mapping[str, Any]:
        """The tables of the file; it was read before, so it can be read."""
        return settings_file.read(self.text, self.where)

    def place(self, *path: str) -> str:
        """Give the place of a key, as `path:line`."""
        line = settings_file.line_of(self.text, path)
        return f"{self.where}:{line}" if line else self.where


class DocumentOrigins:
    """The origins of the values of one document."""

    def __init__(self, document: Document, text: str, settings: Settings, file: SettingsFile) -> None:
        self._document, self._settings, self._file = document, settings, file
        self._parts = split(document.path, text)
        self._own = interpret(self._parts.values, document.kind, document.path)
        self._inner = below(document.path, settings.content)

    def of(self, field: str) -> ValueOrigin:
        """Give the origin of a field's value, or of the layout."""
        keys = SPELLINGS.get(field, (field,))
        if found := self._in_file(field, keys):
            return found
        for folder in (*folders_of(self._inner), ""):
            table = self._settings.site.defaults.get(folder, {})
            for key in keys:
                if key in table and table[key] == DRAFTS.get(key, table[key]):
                    what = f"`{key}` for all files" if not folder else f"`{key}` for {folder}/"
                    return ValueOrigin(ValueSource.DEFAULT, self._default_place(folder, key), what)
        return self._derived(field)

    def defaults(self) -> Iterator[FolderDefaults]:
        """Give the defaults that hold for the file, the innermost folder first."""
        for folder in (*folders_of(self._inner), ""):
            table = self._settings.site.defaults.get(folder, {})
            if table:
                yield FolderDefaults(folder, self._default_place(folder, next(iter(table))), tuple(table))

    def _in_file(self, field: str, keys: tuple[str, ...]) -> ValueOrigin | None:
        values, own = self._parts.values, self._own
        named = {"parent": own.parent, "layout": own.layout, "front_page": own.front_page, "author": True}
        # A value that belongs to another tool does not count, and then a default does.
        is_own = field in own.fields or any(each.field == field for each in own.mentions)
        for key in keys if is_own or named.get(field) is not None else ():
            given = values.get(key, Given(None))
            if given.value is None or given.value != DRAFTS.get(key, given.value):
                continue
            notes = (f"`{key}`" if key != field else "", self._table(field))
            place = f"{self._document.path}:{given.line}"
            return ValueOrigin(ValueSource.FRONT_MATTER, place, ", ".join(filter(None, notes)))
        return None

    def _table(self, field: str) -> str:
        """Name the table by which the document has another user or term than the file names."""
        written, meant = (
            next((each.given for each in found if each.field == field), None)
            for found in (self._own.mentions, self._document.mentions)
        )
        if written is None or written == meant:
            return ""
        return "by `[authors]`" if field == "author" else "by `[terms]`"

    def _default_place(self, folder: str, key: str) -> str:
        """Find a default in the table of the site, whose values win, else in that of all sites."""
        name = self._settings.site.name
        tables = self._file.tables
        of_site = tables.get("sites", {}).get(name, {}).get("defaults", {})
        of_all = tables.get("defaults", {})
        for above, table in ((("sites", name, "defaults"), of_site), (("defaults",), of_all)):
            inner = next((each for each in table if each.strip("/") == folder), "") if folder else ""
            if key in (table.get(inner, {}) if folder else table):
                return self._file.place(*above, *filter(None, (inner,)), key)
        return self._file.where

    def _derived(self, field: str) -> ValueOrigin:
        """Give the origin of a value that nobody names."""
        path, parts = self._document.path, self._parts
        if field == "title" and (heading := first_heading(parts.body)) is not None:
            line = parts.body_line + parts.body.count("\n", 0, heading.start)
            return ValueOrigin(ValueSource.TEXT, f"{path}:{line}", "the first heading")
        if field == "front_page":
            place = self._file.place("sites", self._settings.site.name, "front_page")
            return ValueOrigin(ValueSource.SETTINGS, place, "`front_page` of the site")
        if field in CREATED_WITH:
            return ValueOrigin(ValueSource.PRESSYNC, "", "a new record gets it if nobody names one")
        name = ValueOrigin(ValueSource.FILE_NAME, path, "the name of the file")
        return {
            "content": ValueOrigin(ValueSource.TEXT, f"{path}:{self._document.body_line}"),
            "parent": ValueOrigin(ValueSource.FOLDER, path.rpartition("/")[0], "the page of its folder"),
            **dict.fromkeys(("title", "slug", "date", "date_gmt"), name),
        }.get(field, ValueOrigin(ValueSource.SERVICE, "", "nobody names it"))
