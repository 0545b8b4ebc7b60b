"""Adopt, resolve and forget change the manifest as a person says, and send nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.library_repository import Shelf
from tests.support.states import unconfirmed_in

from pressync.app import bind
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.errors import ConfigError, ContentError, NoAnswer
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository

    from pressync.model.records import Entry

A, B, HELLO = "content/pages/a.md", "content/pages/b.md", "content/posts/hello.md"
FIELDS = {"title": "A", "slug": "a"}


@pytest.fixture
def workspace(repository: SampleRepository) -> Iterator[Workspace]:
    """Commit two pages and a post; no service is ever reached."""
    repository.commit({A: "# A\n", B: "# B\n", HELLO: "# Hello\n", "content/loose.md": "# Loose\n"})
    with Workspace.open(
        repository.root, environ={"PRESSYNC_URL": "http://127.0.0.1:9/wp-json"}, wait=0
    ) as opened:
        yield opened


def entries(workspace: Workspace) -> dict[str, Entry]:
    """Read the manifest as the next run would."""
    with workspace.reading() as state:
        return dict(state.manifest.entries)


def create(workspace: Workspace, path: str = A) -> None:
    """Leave an unconfirmed create."""
    with workspace.state(writable=True) as state:
        unconfirmed_in(state, path, FIELDS)


def test_adopted_records_are_in_the_manifest_with_nothing_known_of_them(workspace: Workspace) -> None:
    made = bind.adopt(workspace, {A: 40, HELLO: 40}, Revision())
    assert [(entry.kind, entry.id) for entry in made] == [(Kind.PAGE, 40), (Kind.POST, 40)]
    assert not entries(workspace)[A].fingerprints
    assert workspace.manifest_path.is_file()


@pytest.mark.parametrize(
    ("bindings", "said"),
    [
        ({"content/pages/nowhere.md": 41}, "is not a committed document"),
        ({A: 41}, f"{A} is bound to page 40 already"),
        ({B: 40}, f"page 40 belongs to {A} already"),
        ({B: 41, HELLO: 41, "content/pages/none.md": 42}, "is not a committed document"),
    ],
)
def test_all_are_bound_or_none(workspace: Workspace, bindings: dict[str, int], said: str) -> None:
    bind.adopt(workspace, {A: 40}, Revision())
    with pytest.raises(ConfigError, match=said):
        bind.adopt(workspace, bindings, Revision())
    assert list(entries(workspace)) == [A]


def test_one_record_is_not_bound_to_two_files_at_once(workspace: Workspace) -> None:
    with pytest.raises(ConfigError, match=f"{A} and {B} would both be page 40"):
        bind.adopt(workspace, {A: 40, B: 40}, Revision())


def test_a_file_that_cannot_be_read_is_not_bound(workspace: Workspace, repository: SampleRepository) -> None:
    repository.commit({B: "---\ntitle: [\n---\n"})
    with pytest.raises(ContentError):
        bind.adopt(workspace, {B: 40}, Revision())


def test_a_file_that_is_neither_page_nor_post_is_told_so(workspace: Workspace) -> None:
    with pytest.raises(ContentError) as refused:
        bind.adopt(workspace, {"content/loose.md": 40}, Revision())
    assert "neither under pages/ nor posts/" in str(refused.value.problems[0])


def test_adopting_settles_an_unconfirmed_create(workspace: Workspace) -> None:
    create(workspace)
    bind.adopt(workspace, {A: 40}, Revision())
    with workspace.reading() as state:
        assert not state.unconfirmed
        assert state.manifest.entries[A].id == 40


def test_an_unconfirmed_create_made_a_record(workspace: Workspace) -> None:
    create(workspace)
    bind.resolve(workspace, {A: 40})
    assert entries(workspace)[A].id == 40


def test_an_unconfirmed_create_made_nothing(workspace: Workspace) -> None:
    create(workspace)
    bind.resolve(workspace, {A: None})
    with workspace.reading() as state:
        assert not state.unconfirmed
    assert not entries(workspace)


def test_an_unconfirmed_create_is_not_resolved_with_another_files_record(workspace: Workspace) -> None:
    bind.adopt(workspace, {B: 40}, Revision())
    create(workspace)
    with pytest.raises(ConfigError, match=f"page 40 belongs to {B}"):
        bind.resolve(workspace, {A: 40})
    with workspace.reading() as state:
        assert A in state.unconfirmed


def test_several_unconfirmed_creates_are_settled_together_or_not_at_all(workspace: Workspace) -> None:
    create(workspace, A)
    with pytest.raises(ConfigError, match=f"{B} is not unconfirmed; unconfirmed: {A}"):
        bind.resolve(workspace, {A: None, B: None})
    create(workspace, B)
    bind.resolve(workspace, {A: None, B: None})
    with workspace.reading() as state:
        assert not state.unconfirmed


def test_what_is_not_unconfirmed_is_told_with_what_is(workspace: Workspace) -> None:
    with pytest.raises(ConfigError, match="not unconfirmed; no create is"):
        bind.resolve(workspace, {A: None})
    create(workspace)
    with pytest.raises(ConfigError, match=f"{B} is not unconfirmed; unconfirmed: {A}"):
        bind.resolve(workspace, {B: None})


def test_a_forgotten_record_is_not_in_the_manifest(workspace: Workspace) -> None:
    bind.adopt(workspace, {A: 40, B: 41}, Revision())
    assert [entry.id for entry in bind.forget(workspace, [A])] == [40]
    assert list(entries(workspace)) == [B]
    with pytest.raises(ConfigError, match=f"{A} is not in the manifest"):
        bind.forget(workspace, [A])


def test_a_thousand_records_are_bound_in_one_go(workspace: Workspace, repository: SampleRepository) -> None:
    many = {f"content/pages/many/{number}.md": number for number in range(1, 1001)}
    repository.commit(dict.fromkeys(many, "Text.\n"))
    bind.adopt(workspace, many, Revision())
    assert {path: entry.id for path, entry in entries(workspace).items()} == many


def test_a_number_that_no_record_can_have_is_refused(workspace: Workspace) -> None:
    create(workspace, B)
    with pytest.raises(ConfigError, match="9223372036854775808 is not an id of a record"):
        bind.adopt(workspace, {A: 2**63}, Revision())
    with pytest.raises(ConfigError, match="9223372036854775808 is not an id of a record"):
        bind.resolve(workspace, {B: 2**63})
    assert not entries(workspace)


def test_an_id_that_the_site_does_not_have_is_refused_at_once_and_nothing_is_bound(
    repository: SampleRepository,
) -> None:
    repository.commit({A: "# A\n", B: "# B\n"})
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    shelf.service.hold(40, slug="a")
    with shelf.workspace() as opened:
        with pytest.raises(ConfigError, match=f"{B}: the site has no page 41 that this user may see"):
            bind.adopt(opened, {A: 40, B: 41}, Revision())
        assert entries(opened) == {}
        bind.adopt(opened, {A: 40}, Revision())
        assert entries(opened)[A].id == 40


def test_where_the_site_does_not_answer_a_binding_is_made_and_that_is_told(
    repository: SampleRepository,
) -> None:
    repository.commit({A: "# A\n"})
    shelf, told = Shelf(repository.root, "https://site.test/wp-json"), list[str]()
    shelf.service.deaf = NoAnswer("it did not answer")
    with shelf.workspace() as opened:
        bind.adopt(opened, {A: 40}, Revision(), told.append)
        assert entries(opened)[A].id == 40
    assert told == ["The site was not asked for it: it did not answer"]
