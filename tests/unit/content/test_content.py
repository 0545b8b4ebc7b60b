"""Documents of a real tree, rendered against what the manifest knows."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.errors import ContentError
from pressync.model.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository

    from pressync.content.content import Content
    from pressync.model.records import Entry

ABOUT, TEAM, HELLO = "content/pages/about.md", "content/pages/about/team.md", "content/posts/hello.md"


@contextmanager
def content(repository: SampleRepository, *, strict: bool = False) -> Iterator[Content]:
    """Open the documents of HEAD."""
    with Workspace.open(repository.root, environ={}) as workspace:
        yield workspace.content(Revision(), strict=strict)


def test_only_markdown_below_the_content_folder_is_a_document(repository: SampleRepository) -> None:
    repository.commit({ABOUT: "x", "content/pages/a.png": "x", "README.md": "x", "docs/a.md": "x"})
    with content(repository) as documents:
        assert list(documents.sources) == [ABOUT]


def test_an_excluded_file_is_not_a_document(repository: SampleRepository) -> None:
    repository.commit(
        {ABOUT: "x", "content/README.md": "x", "content/_includes/a.md": "x", "content/pages/README.md": "x"}
    )
    repository.commit({"pressync.toml": 'exclude = ["_includes/", "README.md"]\n'})
    with content(repository) as documents:
        assert list(documents.sources) == [ABOUT]


@pytest.mark.parametrize(
    "named", ["about", "about.md", "pages/about", "content/pages/about.md", "/about/", "pages/about.md"]
)
def test_a_parent_is_named_by_any_form_of_its_path(repository: SampleRepository, named: str) -> None:
    repository.commit({ABOUT: "# About\n", "content/pages/x.md": f"---\nparent: {named}\n---\n"})
    with content(repository) as documents:
        prepared = documents.prepare("content/pages/x.md", {ABOUT: entry(ABOUT, 12)})
    assert prepared.desired.parent_path == ABOUT
    assert prepared.fields["parent"] == 12


def test_a_parent_that_is_no_document_is_a_problem_with_its_line(repository: SampleRepository) -> None:
    repository.commit({TEAM: "---\ntitle: Team\nparent: nowhere\n---\n"})
    with content(repository) as documents:
        read = documents.read(TEAM, {})
        assert read.prepared is None
        (problem,) = read.problems
        assert str(problem).startswith(f"{TEAM}:3: its parent 'nowhere' is not a document here; ")
        with pytest.raises(ContentError):
            documents.prepare(TEAM, {})


def test_a_page_is_not_its_own_parent(repository: SampleRepository) -> None:
    repository.commit({ABOUT: "---\nparent: about\n---\n"})
    with content(repository) as documents:
        assert documents.read(ABOUT, {}).prepared is None


def test_a_parent_may_be_an_id_of_the_site(repository: SampleRepository) -> None:
    repository.commit({TEAM: "---\nparent: 40\n---\n", ABOUT: "# About\n"})
    with content(repository) as documents:
        prepared = documents.prepare(TEAM, {ABOUT: entry(ABOUT, 12)})
    assert prepared.fields["parent"] == 40
    assert prepared.desired.parent_path is None


def test_a_post_has_no_parent(repository: SampleRepository) -> None:
    repository.commit({"content/posts.md": "x", HELLO: "# Hello\n"})
    with content(repository) as documents:
        assert documents.prepare(HELLO, {}).desired.parent_path is None


def test_the_id_of_a_parent_that_is_not_made_yet_equals_no_id(repository: SampleRepository) -> None:
    repository.commit({ABOUT: "# About\n", TEAM: "# Team\n"})
    with content(repository) as documents:
        before = documents.prepare(TEAM, {}).desired.fingerprints["parent"]
        after = documents.prepare(TEAM, {ABOUT: entry(ABOUT, 12)}).desired.fingerprints["parent"]
    assert before not in {fingerprint(0), fingerprint(12)}
    assert after == fingerprint(12)


def test_a_link_leads_to_the_address_that_the_service_gave(repository: SampleRepository) -> None:
    repository.commit({ABOUT: "[team](about/team.md#us)\n", TEAM: "# Team\n"})
    with content(repository) as documents:
        prepared = documents.prepare(ABOUT, {TEAM: entry(TEAM, 12)})
    assert 'href="https://site.test/team/#us"' in str(prepared.fields["content"])
    assert prepared.desired.links == (TEAM,)


@pytest.mark.parametrize(
    ("edit", "changes"),
    [
        ({"templates/page.html": "<main>{{ content }}</main>\n"}, True),
        ({"templates/unused.html": "<p></p>\n"}, False),
        ({"pressync.toml": "[defaults]\nstatus = 'draft'\n"}, True),
        (
            {"pressync.toml": "[sites.a]\nurl = 'https://a.test'\ndialect = 'wordpress'\nblocks = true\n"},
            True,
        ),
        ({"content/pages/other.md": "# Other\n"}, False),
    ],
)
def test_the_basis_changes_with_all_that_goes_into_the_fields_beside_the_file(
    repository: SampleRepository, edit: dict[str, str], changes: bool
) -> None:
    repository.commit({ABOUT: "# About\n", "templates/page.html": "{{ content }}\n"})
    with content(repository) as documents:
        before = documents.prepare(ABOUT, {}).desired.basis
    repository.commit(edit)
    with content(repository) as documents:
        assert (documents.prepare(ABOUT, {}).desired.basis != before) is changes


def test_the_basis_changes_with_the_address_of_a_linked_page_and_the_id_of_the_parent(
    repository: SampleRepository,
) -> None:
    repository.commit({ABOUT: "# About\n", TEAM: "[up](../about.md)\n"})
    moved = entry(ABOUT, 12, link="https://site.test/moved/")
    with content(repository) as documents:
        known = [{ABOUT: entry(ABOUT, 12)}, {ABOUT: moved}, {ABOUT: entry(ABOUT, 13)}, {}]
        bases = {documents.prepare(TEAM, entries).desired.basis for entries in known}
    assert len(bases) == 4


def test_strictly_a_warning_is_an_error(repository: SampleRepository) -> None:
    repository.commit({ABOUT: "[broken](nowhere.md)\n"})
    with content(repository) as documents:
        assert documents.read(ABOUT, {}).prepared is not None
    with content(repository, strict=True) as documents:
        assert documents.read(ABOUT, {}).prepared is None


def test_the_users_that_somebody_chose_after_an_import_count_behind_the_settings(
    repository: SampleRepository,
) -> None:
    table = "author,items,user\nanna,1,12\nbob,1,13\n"
    repository.commit(
        {
            ABOUT: "---\nauthor: anna\n---\n",
            TEAM: "---\nauthor: bob\n---\n",
            "pressync.toml": "[authors]\nbob = 14\n",
            ".pressync/import/authors.csv": table,
        }
    )
    with content(repository) as documents:
        assert [documents.prepare(path, {}).fields["author"] for path in (ABOUT, TEAM)] == [12, 14]
        basis = documents.prepare(ABOUT, {}).desired.basis
    repository.commit({".pressync/import/authors.csv": table.replace(",12", ",16")})
    with content(repository) as documents:
        assert documents.prepare(ABOUT, {}).desired.basis != basis


def test_a_sync_takes_the_names_that_somebody_chose_for_terms_after_an_import(
    repository: SampleRepository,
) -> None:
    table = "term,items,name\ntags/x,1,X-ray\n"
    repository.commit(
        {
            "content/posts/a.md": "---\ntags: [x, y]\n---\n",
            ".pressync/import/terms.csv": table,
        }
    )
    with content(repository) as documents:
        prepared = documents.read("content/posts/a.md", {}).prepared
        assert prepared is not None
        desired = prepared.desired
        assert [each.given for each in desired.mentions] == [("X-ray", "y")]
    repository.commit({".pressync/import/terms.csv": table.replace("tags/", "")})
    with content(repository) as documents:
        (problem,) = documents.read("content/posts/a.md", {}).problems
        assert str(problem).startswith(".pressync/import/terms.csv:2: 'x' does not say whether")
        assert documents.basis("", None, (), {}) != desired.basis


def test_a_document_that_the_plan_has_read_is_sent_without_another_read(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({ABOUT: "[team](about/team.md)\n", TEAM: "x\n"})
    with content(repository) as documents:
        planned = documents.read(ABOUT, {}).prepared
        assert planned
        monkeypatch.setattr(documents.repository, "read", pytest.fail)
        sent = documents.prepare(ABOUT, {TEAM: entry(TEAM, 7, link="https://site.test/about/team/")})
    assert sent.document is planned.document
    assert "https://site.test/about/team/" in str(sent.fields["content"])


def test_a_page_that_the_plan_has_rendered_is_sent_without_another_rendering(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({ABOUT: "[hello](../posts/hello.md)\n", HELLO: "text\n"})
    known = {HELLO: entry(HELLO, 12, link="https://site.test/hello/")}
    with content(repository) as documents:
        planned = documents.read_for_plan(ABOUT, known, {}).prepared
        monkeypatch.setattr(documents.renderer, "render", pytest.fail)
        again = documents.read_for_plan(ABOUT, known, {}).prepared
        sent = documents.prepare(ABOUT, known)
    assert planned
    assert again
    assert again.desired == sent.desired == planned.desired
    assert again.fields == sent.fields == planned.fields


def test_a_child_that_the_plan_has_rendered_gets_the_id_of_its_new_parent(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({ABOUT: "# About\n", TEAM: "text\n"})
    parent = {ABOUT: entry(ABOUT, 12)}
    with content(repository) as documents:
        wanted = documents.read(TEAM, parent).prepared
        assert documents.read_for_plan(TEAM, {}, {}).prepared
        monkeypatch.setattr(documents.renderer, "render", pytest.fail)
        sent = documents.prepare(TEAM, parent)
    assert wanted
    assert (sent.desired, sent.fields) == (wanted.desired, wanted.fields)


def test_a_page_is_rendered_again_when_an_address_in_it_has_changed(repository: SampleRepository) -> None:
    repository.commit({ABOUT: "[team](about/team.md)\n", TEAM: "text\n"})
    before, now = (
        {TEAM: entry(TEAM, 7, link=f"https://site.test/{slug}/")} for slug in ("former", "about/team")
    )
    with content(repository) as documents:
        documents.read_for_plan(ABOUT, before, {})
        sent = documents.prepare(ABOUT, now)
        assert (sent.desired, sent.fields) == _prepared(documents, ABOUT, now)


def _prepared(documents: Content, path: str, known: dict[str, Entry]) -> tuple[object, object]:
    prepared = documents.read(path, known).prepared
    assert prepared
    return prepared.desired, prepared.fields
