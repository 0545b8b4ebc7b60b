"""Documents of a real tree, rendered against what the manifest knows."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry

from pressync.app.check import check
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.content.read_files import ReadFile
from pressync.model.errors import Code, ContentError, Problem
from pressync.model.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository

    from pressync.content.content import Content
    from pressync.model.records import Entry


ABOUT, TEAM, HELLO = "content/pages/about.md", "content/pages/about/team.md", "content/posts/hello.md"


@contextmanager
def content(repository: SampleRepository, *, strict: bool = False) -> Iterator[Content]:
    with Workspace.open(repository.root, environ={}) as workspace:
        yield workspace.content(Revision(), strict=strict)


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
    repository.commit({ABOUT: "---\nparent: about\n---\n", TEAM: "---\nparent: 40\n---\n"})
    with content(repository) as documents:
        (problem,) = documents.read(ABOUT, {}).problems
        assert str(problem) == (
            f"{ABOUT}:2: it names itself as its parent; name another page, or leave `parent:` out"
        )
        prepared = documents.prepare(TEAM, {ABOUT: entry(ABOUT, 12)})
    assert (prepared.fields["parent"], prepared.desired.parent_path) == (40, None)


def test_the_id_of_a_parent_that_is_not_made_yet_equals_no_id(repository: SampleRepository) -> None:
    repository.commit({ABOUT: "# About\n", TEAM: "# Team\n"})
    with content(repository) as documents:
        before = documents.prepare(TEAM, {}).desired.fingerprints["parent"]
        after = documents.prepare(TEAM, {ABOUT: entry(ABOUT, 12)}).desired.fingerprints["parent"]
    assert before not in {fingerprint(0), fingerprint(12)}
    assert after == fingerprint(12)


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


def test_the_basis_changes_with_linked_addresses_and_the_parent(repository: SampleRepository) -> None:
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


def test_a_document_that_the_plan_has_read_is_sent_without_another_read(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({ABOUT: "[team](about/team.md)\n", TEAM: "x\n"})
    with content(repository) as documents:
        planned = documents.read(ABOUT, {}).prepared
        assert planned
        monkeypatch.setattr(documents.repository, "read", pytest.fail)
        sent = documents.prepare(ABOUT, {TEAM: entry(TEAM, 7, link="https://site.test/about/team/")})
    assert sent.document == planned.document
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


LINK = Problem("a.md", 2, "links to `gone.md`", "fix it", warning=True, code=Code.BROKEN_LINK)
LAYOUT = Problem("a.md", 1, "has no such layout", "write it", code=Code.NOT_TEXT)


def test_a_file_without_an_error_says_its_warning_or_its_type() -> None:
    found = ReadFile(None, (LINK, LAYOUT))
    assert (found.errors, found.obstacle) == ((LAYOUT,), LAYOUT.what)
    assert ReadFile(None, (LINK,)).obstacle == LINK.what
    assert ReadFile(None, (), left_out=True).obstacle == "its type is `none`"


ROOT, ABOUT, DOCS = "content/pages/index.md", "content/pages/about.md", "content/pages/docs/index.md"
SETTINGS = '[sites.a]\nurl = "https://site.test/wp-json"\ndialect = "{}"\nfront_page = {}\n'
SAID = "---\nfront_page: true\n---\n# About\n"


def fronts(repository: SampleRepository, files: dict[str, str], settings: str = "") -> list[str]:
    """Give the paths of the documents that are sent as the front page."""
    repository.commit({"pressync.toml": settings, **files})
    with Workspace.open(repository.root, environ={}) as workspace:
        content = workspace.content(Revision())
        read = {path: content.read(path, {}).prepared for path in content.sources}
    return [path for path, prepared in read.items() if prepared and prepared.fields.get("front_page")]


def problems(repository: SampleRepository, files: dict[str, str], settings: str = "") -> list[str]:
    repository.commit({"pressync.toml": settings, **files})
    with Workspace.open(repository.root, environ={}) as workspace:
        found = check(workspace, Revision(), strict=False).problems
    return [
        f"{'warning ' if each.warning else ''}{each}" for each in found if each.code is not Code.DEAD_ANCHOR
    ]


@pytest.mark.parametrize("root", [ROOT, "content/pages/_index.md"])
def test_with_the_setting_the_root_index_is_the_front_page(repository: SampleRepository, root: str) -> None:
    files = {root: "# Home\n", ABOUT: "# About\n", DOCS: "# Docs\n"}
    assert fronts(repository, files, SETTINGS.format("wordpress", "true")) == [root]
    assert fronts(repository, files, SETTINGS.format("wordpress", "false")) == []
    assert fronts(repository, {root: "# Home\n", ABOUT: SAID}) == [ABOUT]
    files = {root: "---\nfront_page: false\n---\n# Home\n", ABOUT: "# About\n"}
    assert fronts(repository, files, SETTINGS.format("wordpress", "true")) == []


def test_two_front_pages_are_a_content_error(repository: SampleRepository) -> None:
    files = {ROOT: "# Home\n", ABOUT: SAID}
    (problem,) = problems(repository, files, SETTINGS.format("wordpress", "true"))
    assert problem.startswith(f"{ROOT}: {ABOUT} is the front page already, and a site has one; ")
    repository.remove(ROOT)
    (problem,) = problems(repository, {ABOUT: SAID.replace("true", "true\ndraft: true")})
    assert "it is the front page, and its status is 'draft'" in problem
    assert not problem.startswith("warning")


def test_a_dialect_without_a_front_page_leaves_it_out(repository: SampleRepository) -> None:
    settings = SETTINGS.format("documented", "false")
    (problem,) = problems(repository, {ABOUT: SAID}, settings)
    assert problem.startswith(f"warning {ABOUT}: front_page is left out: the documented dialect ")
    assert fronts(repository, {ABOUT: SAID}, settings) == []


def test_a_post_and_a_default_cannot_be_the_front_page(repository: SampleRepository) -> None:
    defaults = "[defaults]\nfront_page = true\n"
    found = problems(repository, {"content/posts/p.md": SAID, ABOUT: "# About\n"}, defaults)
    assert any("posts have no front_page" in problem for problem in found)
    assert any("'front_page' cannot be a default" in problem for problem in found)
