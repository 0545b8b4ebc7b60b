"""A repository bound to a service with reads in memory, and a person who edits the site."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tests.support.library_repository import Shelf

from pressync.app.pull import PullOptions, pull

if TYPE_CHECKING:
    from pressync.model.records import Record
    from pressync.pull.puller import Pulled


@dataclass
class Desk(Shelf):
    """One repository and one site, both at hand."""

    def record(self, path: str) -> Record:
        """Give what the site has for a file."""
        return self.service.held[self.entries()[path].id]

    def edit(self, path: str, **fields: Any) -> None:  # noqa: ANN401 - any field's value
        """Change a page as a person does in the browser; a tuple is what to replace in the text by what."""
        record = self.record(path)
        said = {
            name: str(record.fields[name]).replace(*value)
            if isinstance(value, tuple) and name == "content"
            else value
            for name, value in fields.items()
        }
        assert said != {name: record.fields.get(name) for name in said}, "nothing was edited"
        slug = str(said.get("slug", record.slug))
        self.service.held[record.id] = replace(
            record,
            slug=slug,
            link=f"https://site.test/{slug}/",
            modified="later",
            fields={**record.fields, **said},
        )

    def pull(self, *paths: str, force: bool = False, look: bool = False) -> list[Pulled]:
        """Pull without a command line."""
        with self.workspace() as workspace:
            return pull(workspace, PullOptions(tuple(paths), force=force, look=look))

    def text(self, path: str) -> str:
        """Read a file as it is on the disk."""
        return (self.root / path).read_bytes().decode()
