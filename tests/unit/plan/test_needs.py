"""A plan names the terms, authors and files that its changes need, without a request."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.builders import delete, entry

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.changes import Create
from pressync.model.interface import Kind
from pressync.model.records import Manifest, Medium, Name
from pressync.plan import needs, reasons

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository

    from pressync.content.content import Content

URL = "https://site.test/wp-json"
ABOUT, TEAM = "content/posts/about.md", "content/posts/team.md"
PICTURE, COPY = "content/posts/a.png", "content/posts/z.png"


@pytest.fixture
def repository(repository: SampleRepository) -> SampleRepository:
    """Commit two posts that share an author, and each a copy of one picture."""
    repository.commit(
        {
            ABOUT: "---\nauthor: anna\ncategories: [News]\n---\n![a](a.png)\n",
            TEAM: "---\nauthor: anna\n---\n![a](z.png)\n",
            PICTURE: b"png",
            COPY: b"png",
        }
    )
    return repository


@contextmanager
def content(repository: SampleRepository, manifest: Manifest | None = None) -> Iterator[Content]:
    """Open the documents of HEAD for a WordPress site that has what `site` tells."""
    environ = {"PRESSYNC_URL": URL, "PRESSYNC_DIALECT": "wordpress"}
    with Workspace.open(repository.root, environ=environ) as workspace:
        yield workspace.content(Revision(), manifest=manifest)


def creates(documents: Content) -> list[Create]:
    """Plan the creates of both posts."""
    found = [documents.read(path, {}) for path in (ABOUT, TEAM)]
    return [
        Create(each.prepared.document.path, Kind.POST, (), reasons.NEW, each.prepared.desired)
        for each in found
        if each.prepared
    ]


def test_each_unknown_name_and_each_file_is_named_once(repository: SampleRepository) -> None:
    with content(repository) as documents:
        changes = creates(documents)
        blob = documents.tree.files[PICTURE]
        assert needs.names_of(documents, changes) == [Name("author", "anna"), Name("categories", "News")]
        assert needs.files_of(documents, changes) == {blob: PICTURE}, "equal files are uploaded once"
        assert needs.notes(documents, {}, changes) == (
            "A sync looks up these authors among the site's users: anna.",
            "A sync looks up these terms and creates the missing ones: categories News.",
            f"A sync uploads these files if the site does not have them: {PICTURE}.",
        )


def test_a_site_that_has_everything_needs_nothing(repository: SampleRepository) -> None:
    blob = repository.git("rev-parse", f"HEAD:{PICTURE}")
    names = {Name("author", "anna"): 2, Name("categories", "News"): 12}
    site = Manifest(URL, names=names, media={blob: Medium(blob, PICTURE, 31, "https://site.test/a.png")})
    with content(repository, site) as documents:
        assert needs.notes(documents, {}, creates(documents)) == ()


def test_media_are_unused_when_neither_an_entry_nor_a_change_links_to_them(
    repository: SampleRepository,
) -> None:
    blob = repository.git("rev-parse", f"HEAD:{PICTURE}")
    medium = Medium(blob, PICTURE, 31, "https://site.test/a.png")
    with content(repository, Manifest(URL, media={blob: medium})) as documents:
        linking = {ABOUT: entry(ABOUT, links=(PICTURE,))}
        assert needs.unused_media(documents, linking, []) == []
        assert needs.unused_media(documents, {}, creates(documents)) == []
        assert needs.unused_media(documents, {}, []) == [medium]
        (note,) = needs.notes(documents, {}, [])
        theirs = replace(medium, foreign=True)
    with content(repository, Manifest(URL, media={blob: theirs})) as documents:
        assert needs.unused_media(documents, {}, []) == [], "pressync names only its own uploads"
    assert f": {PICTURE} (media 31); " in note
    assert note.endswith("; delete those that the site does not use in its media library.")


def test_a_delete_needs_nothing() -> None:
    assert list(needs.desired_of([delete(ABOUT)])) == []
