"""The records of the manifest as the last syncs left them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.syncing import Bound

from pressync.app.workspace import Workspace
from pressync.content.former import last_synced
from pressync.model.fingerprint import fingerprint
from pressync.model.records import Manifest

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.content.former import LastSynced
    from pressync.model.records import Entry


class Embedded(Bound):
    """A repository without a configured site: the embedded service is its site."""

    def workspace(self) -> Workspace:
        """Open the workspace; the caller closes it."""
        return Workspace.open(self.root, environ={}, wait=0, say=self.heard.append)


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


def test_texts_are_those_of_the_commit_that_was_synced(
    repository: SampleRepository, embedded: Embedded
) -> None:
    repository.commit(
        {
            "content/pages/a.md": "# A\n\nOne.\n",
            "content/pages/b.md": "# B\n",
            "templates/page.html": "{{ content }}!\n",
        }
    )
    embedded.sync()
    repository.commit({"content/pages/a.md": "# A\n\nTwo.\n", "templates/page.html": "{{ content }}?\n"})
    repository.remove("content/pages/b.md")
    repository.commit({})
    found = synced(embedded)
    assert "One.</p>\n!" in str(found["a"].fields["content"])
    assert found["b"].fields["title"] == "B"
    assert not found["a"].entry.changed_by_service


def test_a_text_that_cannot_be_made_again_counts_as_changed_by_the_service(
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


def test_a_commit_that_this_clone_lacks_leaves_a_record_with_its_slug(
    repository: SampleRepository, embedded: Embedded
) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    embedded.sync()
    entry = embedded.entries()["content/pages/a.md"]
    kept = synced(embedded, a=replace(entry, blob="0" * 40, commit="0" * 40))["a"]
    assert kept.fields == {"title": "a", "slug": "a"}
    assert not kept.has_text


def test_a_file_that_its_commit_does_not_have_is_read_from_git_wherever_it_is(
    repository: SampleRepository, embedded: Embedded
) -> None:
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
