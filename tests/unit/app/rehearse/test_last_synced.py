"""The records of the manifest as the last syncs left them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.app.rehearse import last_synced
from pressync.model.fingerprint import fingerprint
from pressync.model.records import Manifest

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository
    from tests.unit.app.rehearse.conftest import Embedded

    from pressync.app.rehearse.last_synced import LastSynced
    from pressync.model.records import Entry


def synced(site: Embedded, **changed: Entry) -> dict[str, LastSynced]:
    """Give the records by the last part of their path; `changed` replaces entries."""
    with site.workspace() as workspace, workspace.reading() as state:
        known = {path: changed.get(path[-4], entry) for path, entry in state.manifest.entries.items()}
        manifest = Manifest(state.manifest.target, known, state.manifest.names)
        found = last_synced.records(workspace, manifest, workspace.repository.commit())
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


def test_a_commit_that_this_clone_lacks_leaves_a_record_with_its_slug(
    repository: SampleRepository, embedded: Embedded
) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    embedded.sync()
    entry = embedded.entries()["content/pages/a.md"]
    kept = synced(embedded, a=replace(entry, blob="0" * 40, commit="0" * 40))["a"]
    assert kept.fields == {"title": "a", "slug": "a"}


def test_an_edit_that_the_manifest_knows_is_in_the_record(
    repository: SampleRepository, embedded: Embedded
) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    embedded.sync()
    entry = embedded.entries()["content/pages/a.md"]
    kept = synced(embedded, a=replace(entry, conflict={"title": "By hand"}))["a"]
    assert kept.fields["title"] == "By hand"
    assert not kept.entry.changed_by_service
