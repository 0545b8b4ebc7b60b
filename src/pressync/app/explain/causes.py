"""Finds what has changed since a record was last sent, in its file and beside it: the causes of an update.

The manifest keeps digests and not values. So the file, the templates and the settings are compared with those
of the commit from which the record was last sent. No commit has the addresses of other pages: the former
address of each linked page is tried, until the text is the one that was sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.app.explain.explanation import Cause
from pressync.content.former import FormerTexts
from pressync.content.sources import below, folders_of
from pressync.model.fingerprint import is_unsure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.app.explain.origins import SettingsFile
    from pressync.content.content import Content
    from pressync.model.changes import Update
    from pressync.model.records import Desired, Entry, Manifest

# A page can link to thousands of others. At most this many of them are tried.
_TRIED = 50
_CONTENT = "content"


@dataclass(frozen=True)
class Causes:
    """The causes of one update. `entries` and `manifest` are those of now, as is `content`."""

    change: Update
    content: Content
    entries: Mapping[str, Entry]
    manifest: Manifest
    file: SettingsFile

    def found(self) -> tuple[Cause, ...]:
        """List the causes; none if nothing was sent, or this clone lacks the commit."""
        entry = self.change.entry
        if not entry.commit or not self.content.repository.known([entry.commit]):
            return ()
        certain = (*self._of_file(), *self._of_template(), *self._of_settings(), *self._of_parent())
        files = tuple(self._of_files())
        return (*certain, *files, *(() if files else self._of_addresses()))

    @property
    def _desired(self) -> Desired:
        return self.change.desired

    @cached_property
    def _then(self) -> Content:
        """The content of the commit from which the record was last sent."""
        entry, now = self.change.entry, self.content
        texts = FormerTexts(now.repository, now.settings, self.entries, [entry], self.manifest)
        return texts.content(entry.commit)

    def _of_file(self) -> Iterator[Cause]:
        if self.change.entry.blob != self._desired.blob:
            yield Cause("file", self._desired.path, "the file has changed")

    def _of_template(self) -> Iterator[Cause]:
        now, then = self._desired.layout, self.change.entry.layout
        if now != then:
            yield Cause("template", "", f"its template is {now or 'none'}, and was {then or 'none'}")
            return
        sources, former = (each.renderer.sources_of(now) for each in (self.content, self._then))
        for name in sorted(sources.keys() | former.keys()):
            if sources.get(name) != former.get(name):
                yield Cause(
                    "template", f"{self.content.settings.templates}/{name}", "the template has changed"
                )

    def _of_settings(self) -> Iterator[Cause]:
        now, then = self.content.settings, self._then.settings
        if now.site.blocks != then.site.blocks:
            place = self.file.place("sites", now.site.name, "blocks")
            yield Cause(
                "setting", place, f"`blocks` is {_word(now.site.blocks)}, and was {_word(then.site.blocks)}"
            )
        for table, fields in (("authors", {"author"}), ("terms", {"categories", "tags"})):
            if fields & {*self.change.fields} and getattr(now, table) != getattr(then, table):
                yield Cause("setting", self.file.place(table), f"`[{table}]` has changed")
        defaults, former = (self._defaults(each) for each in (self.content, self._then))
        for key in sorted(defaults.keys() | former.keys()):
            if defaults.get(key) != former.get(key):
                yield Cause("setting", self.file.where, f"the default `{key}` has changed")

    def _defaults(self, content: Content) -> dict[str, object]:
        """Give the defaults that hold for the file, by key."""
        found: dict[str, object] = {}
        for folder in (*folders_of(below(self._desired.path, content.settings.content)), ""):
            for key, value in content.settings.site.defaults.get(folder, {}).items():
                found.setdefault(key, value)
        return found

    def _of_parent(self) -> Iterator[Cause]:
        now, then = self._desired.parent_path, self.change.entry.parent_path
        if now != then:
            yield Cause("parent", "", f"its parent is {now or 'none'}, and was {then or 'none'}")
        elif now and "parent" in self.change.fields:
            yield Cause("parent", now, "its parent has another id now")

    def _of_files(self) -> Iterator[Cause]:
        """Name the files, such as pictures, that the page shows and that have changed."""
        for path in self._desired.links:
            if path not in self.content.sources:
                now, then = (each.tree.files.get(path) for each in (self.content, self._then))
                if now != then:
                    yield Cause("linked_file", path, "the linked file has changed")

    def _of_addresses(self) -> Iterator[Cause]:
        """Name the linked pages whose former addresses give the text that was sent, else the renderer."""
        sent = self.change.entry.fingerprints.get(_CONTENT, "")
        is_sent_anew = _CONTENT in self.change.fields and sent and not is_unsure(sent)
        if not is_sent_anew or self._text(self.entries) == sent:
            return
        linked = {path: entry for path in self.change.entry.links if (entry := self.entries.get(path))}
        former = {path: structs.replace(e, link=e.former[-1]) for path, e in linked.items() if e.former}
        trials: list[dict[str, Entry | None]] = [{**former}] if former else []
        trials += ({path: entry} for path, entry in former.items())
        trials += ({path: None} for path in linked)
        for tried in trials[:_TRIED]:
            entries = {path: entry for path, entry in {**self.entries, **tried}.items() if entry}
            if tried and self._text(entries) == sent:
                for path in tried:
                    yield Cause("address", path, "the address of the linked page has changed")
                return
        other = "another version of pressync or of its libraries writes the text in another way"
        or_link = ", or the address of a linked page or file has changed" if self.change.entry.links else ""
        yield Cause("renderer", "", f"{other}{or_link}")

    def _text(self, entries: Mapping[str, Entry]) -> str:
        """Give the fingerprint of the text of then, with the addresses of these entries."""
        entry = self.change.entry
        text = self.content.repository.text(entry.blob)
        if text is None:
            # Another clone pulled this text, and its commit is not here.
            return ""
        read = self._then.read(self._desired.path, entries, text.encode(), check=False).prepared
        return read.desired.fingerprints.get(_CONTENT, "") if read else ""


def _word(value: object) -> str:
    return str(value).lower()
