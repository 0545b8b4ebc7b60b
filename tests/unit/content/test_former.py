"""Documents are read as they were sent: with the file, the template and the settings of then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.library_repository import Shelf
from tests.support.syncing import Bound

from pressync.app.workspace import Workspace
from pressync.content.former import FormerTexts, LastSynced, last_synced
from pressync.model.fingerprint import fingerprint
from pressync.model.records import Entry, Manifest, Prepared
from pressync.stage.embedded import EMBEDDED_SERVICE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.repository import SampleRepository


A, B = "content/pages/a.md", "content/pages/b.md"
TEMPLATE = "templates/page.html"


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    """Make a site with a page that links to another, below a template."""
    repository.commit({A: "# A\n\n[b](b.md)\n", B: "# B\n", TEMPLATE: "<!-- one -->{{ content }}"})
    made = Shelf(repository.root, "https://site.test/wp-json")
    made.sync()
    return made


def read(shelf: Shelf, entries: Mapping[str, Entry], entry: Entry) -> Prepared | None:
    with shelf.workspace() as workspace:
        site = Manifest(workspace.settings.site.target)
        texts = FormerTexts(workspace.repository, workspace.settings, entries, entries.values(), site)
        return texts.read(entry)


def test_a_text_that_was_never_committed_is_not_found(shelf: Shelf) -> None:
    then = shelf.entries()
    assert read(shelf, then, replace(then[A], blob="f" * 40)) is None
    assert read(shelf, then, replace(then[A], commit="f" * 40)), "another entry's commit has the same file"
    alone = {A: replace(then[A], commit="f" * 40)}
    assert read(shelf, alone, alone[A]) is None


class Embedded(Bound):
    """A repository without a configured site: the embedded service is its site."""

    def workspace(self) -> Workspace:
        return Workspace.open(self.root, environ={}, embedded=EMBEDDED_SERVICE, wait=0, say=self.heard.append)


@pytest.fixture
def embedded(repository: SampleRepository) -> Embedded:
    """Leave the repository to the embedded service."""
    return Embedded(repository.root, "")


def synced(site: Embedded, **changed: Entry) -> dict[str, LastSynced]:
    """Give the records by the last part of their path; `changed` replaces entries."""
    with site.workspace() as workspace, workspace.reading() as state:
        known = {path: changed.get(path[-4], entry) for path, entry in state.manifest.entries.items()}
        manifest = Manifest(state.manifest.target, known, state.manifest.names)
        found = last_synced(workspace.repository, workspace.settings, manifest)
        return {kept.entry.path[-4]: kept for kept in found}


def test_a_text_that_nobody_can_make_again_was_changed(
    repository: SampleRepository, embedded: Embedded
) -> None:
    repository.commit({"content/pages/a.md": "# A\n\nOne.\n"})
    embedded.sync()
    entry = embedded.entries()["content/pages/a.md"]
    by_another = replace(
        entry, fingerprints={**entry.fingerprints, "content": fingerprint("of a former version")}
    )
    kept = synced(embedded, a=by_another)["a"]
    assert kept.entry.fingerprints == by_another.fingerprints
    assert kept.entry.changed_by_service == {"content": fingerprint(kept.fields["content"])}
    edited = synced(embedded, a=replace(entry, conflict={"title": "By hand"}))["a"]
    assert (edited.fields["title"], edited.entry.changed_by_service) == ("By hand", {})


def test_a_file_is_read_from_git_wherever_it_is(repository: SampleRepository, embedded: Embedded) -> None:
    before = repository.commit({"README.md": "# Read me\n"})
    repository.commit({"content/pages/a/index.md": "# A\n", "content/pages/a/b.md": "# B\n\nOne.\n"})
    embedded.sync()
    repository.commit({"content/pages/a/b.md": "# B\n\nTwo.\n"})
    above, entry = embedded.entries().values()
    if entry.path.endswith("index.md"):
        above, entry = entry, above
    imported = replace(entry, commit=before)
    kept = synced(embedded, b=imported)["b"]
    assert kept.has_text
    assert kept.fields["title"] == "B"
    assert "One." in str(kept.fields["content"])
    lost = synced(embedded, b=replace(imported, blob="0" * 40))["b"]
    assert (lost.has_text, kept.fields["parent"], lost.fields["parent"]) == (False, above.id, above.id)
