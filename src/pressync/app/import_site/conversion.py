"""Makes the file of an item: front matter, and the body as Markdown with links to other files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping  # noqa: TC003 - `msgspec` looks up the types of a file when it reads it back
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync import __version__
from pressync.app.import_site import front_matter
from pressync.content.sources import below
from pressync.importers import bodies
from pressync.importers.item import Form, Item, Remainder  # noqa: TC001 - as above
from pressync.importers.links import rewritten

if TYPE_CHECKING:
    from pressync.importers.kept_lines import KeptLines
    from pressync.importers.links import LinkTargets


@dataclass(frozen=True, slots=True)
class FinishedFile:
    """A file that can be written: its item without the body, its path and its content.

    `kept` are the kinds of HTML in it. `media` are the addresses of its pictures that have no file here.
    """

    item: Item
    path: str
    data: bytes
    kept: tuple[str, ...]
    media: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversion:
    """Makes files below the folder `content`. `targets` has the path of each item.

    `parents` are those that front matter must name, by the key of the item. `addresses` are the new addresses
    that are certain; it is None if each item stays at its address. `kept` has the bodies of an interrupted
    import.
    """

    content: str
    targets: LinkTargets
    parents: Mapping[str, str | int]
    addresses: Mapping[str, str] | None
    captions: bool
    kept: KeptLines

    def file(self, item: Item) -> FinishedFile:
        """Make the file of one item."""
        path = self.targets.by_key[item.key]
        html = bodies.as_html(item.body, item.form)
        linked = rewritten(html, item.form, lambda written: self.targets.link(item, written))
        body = bodies.MarkdownBody(linked) if item.form is Form.MARKDOWN else self._markdown(linked)
        item, media = self._with_picture(item)
        head = front_matter.written(
            item,
            below(path, self.content),
            parent=self.parents.get(item.key),
            now=None if self.addresses is None else self.addresses.get(item.key, ""),
        )
        data = f"{head}\n{body.text.lstrip(chr(10))}".encode(errors="replace")
        return FinishedFile(replace(item, body="", excerpt=""), path, data, body.kept, media)

    def _markdown(self, html: str) -> bodies.MarkdownBody:
        """Turn HTML into Markdown, unless an import that was interrupted has done so."""
        version = f"{__version__} {self.captions}"
        key = hashlib.sha256(f"{version} {html}".encode(errors="surrogatepass")).hexdigest()
        if isinstance(kept := self.kept.get(key), list):
            text, *kinds = kept
            return bodies.MarkdownBody(text, tuple(kinds))
        body = bodies.as_markdown(html, captions=self.captions)
        self.kept.keep({key: [body.text, *body.kept]})
        return body

    def _with_picture(self, item: Item) -> tuple[Item, tuple[str, ...]]:
        """Link the featured picture to its file, or leave it out."""
        picture = item.fields.get("featured_media")
        if not isinstance(picture, str):
            return item, ()
        others = {key: value for key, value in item.fields.items() if key != "featured_media"}
        link = self.targets.link(item, picture)
        if link is not None:
            return replace(item, fields={**others, "featured_media": link}), ()
        remainders = (*item.remainders, Remainder("featured picture without a file", item.place, picture))
        media = (picture,) if "://" in picture else ()
        return replace(item, fields=others, remainders=remainders), media
