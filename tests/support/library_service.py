"""A service in memory that has terms, people and files beside its records."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from tests.support.memory_service import MemoryService

from pressync.client.abilities import Uploaded
from pressync.client.dialects import WORDPRESS
from pressync.client.terms import Term
from pressync.model.records import NoUser

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pressync.client.dialects import Capabilities
    from pressync.client.port import Upload
    from pressync.model.errors import ServiceError
    from pressync.model.interface import Kind
    from pressync.model.records import Fields, Record


@dataclass
class LibraryService(MemoryService):
    """`has` are the terms by field, `people` ids by login, `files` uploads by slug.

    Making or uploading something whose name is in `refuses` ends with that error, after it was done if
    the error is in `acted`. `saves` is what a plug-in makes of the fields of a record in each save.
    """

    has: dict[str, list[Term]] = field(default_factory=dict)
    people: dict[str, int] = field(default_factory=dict)
    files: dict[str, tuple[Uploaded, bytes]] = field(default_factory=dict)
    refuses: dict[str, ServiceError] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    saves: Callable[[Fields], Fields] | None = None

    @property
    def capabilities(self) -> Capabilities:
        """What stock WordPress can do."""
        return WORDPRESS.capabilities

    @property
    def library(self) -> Self:
        """This service."""
        return self

    def _keep(self, kind: Kind, number: int, fields: Fields) -> Record:
        """Drop the tags that are not there without a word, as WordPress does."""
        tags, there = fields.get("tags"), {term.id for term in self.has.get("tags", [])}
        if isinstance(tags, tuple):
            fields = {**fields, "tags": tuple(tag for tag in tags if tag in there)}
        if self.saves:
            fields = {**fields, **self.saves(fields)}
        return super()._keep(kind, number, fields)

    def terms(self, field: str) -> list[Term]:
        """Read the terms of a field."""
        self.asked.append(f"terms {field}")
        return list(self.has.get(field, []))

    def make_term(self, field: str, name: str, parent: int) -> int:
        """Make a term, without looking whether there is one."""
        self.asked.append(f"make {field} {name} below {parent}")
        if name in self.refuses:
            raise self.refuses[name]
        here = self.has.setdefault(field, [])
        made = Term(99 + self._count("make"), name, name.lower(), parent)
        here.append(made)
        return made.id

    def authors(self, names: Collection[str]) -> Mapping[str, int | NoUser]:
        """Look people up."""
        return {
            name: self.people.get(name, NoUser("nobody has this name", ", ".join(self.people)))
            for name in names
        }

    def logins(self, ids: Collection[int]) -> Mapping[int, str]:
        """Give the names of people."""
        return {number: name for name, number in self.people.items() if number in ids}

    def present(self, field: str, ids: Collection[int]) -> frozenset[int]:
        """Tell which terms or files are there."""
        files = {made.id for made, _ in self.files.values()}
        people = set(self.people.values())
        terms = {term.id for term in self.has.get(field, [])}
        return frozenset({"featured_media": files, "author": people}.get(field, terms) & set(ids))

    def uploaded(self, slugs: Collection[str]) -> dict[str, Uploaded]:
        """Look files up."""
        self._listen()
        return {slug: self.files[slug][0] for slug in slugs if slug in self.files}

    def upload(self, upload: Upload) -> Uploaded:
        """Take a file."""
        self.asked.append(f"upload {upload.name}")
        error = self.refuses.get(upload.name)
        if error is None or error in self.acted:
            made = Uploaded(199 + self._count("upload"), f"https://site.test/files/{upload.name}")
            self.files[upload.slug] = (made, upload.data)
        if error:
            raise error
        return made

    def _count(self, what: str) -> int:
        """Count what was asked: an id is never given twice."""
        return sum(asked.startswith(f"{what} ") for asked in self.asked)

    def lose(self, field: str, number: int) -> None:
        """Let a person delete a term or a file on the site: every record loses it."""
        self.has[field] = [term for term in self.has.get(field, []) if term.id != number]
        self.files = {slug: file for slug, file in self.files.items() if file[0].id != number}
        for record in list(self.held.values()):
            before = record.fields.get(field)
            after = tuple(n for n in before if n != number) if isinstance(before, tuple) else 0
            if before != after and (isinstance(before, tuple) or before == number):
                # A post without a category comes into the first one.
                kept = (1,) if field == "categories" and not after else after
                self.held[record.id] = replace(record, fields={**record.fields, field: kept})
