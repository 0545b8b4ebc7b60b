"""Which document is the front page: by its front matter, or as the root index by the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.check import check
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.problem_codes import Code

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

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


def test_a_page_says_that_it_is_the_front_page(repository: SampleRepository) -> None:
    assert fronts(repository, {ROOT: "# Home\n", ABOUT: SAID}) == [ABOUT]


@pytest.mark.parametrize("root", [ROOT, "content/pages/_index.md"])
def test_with_the_setting_the_root_index_is_the_front_page(repository: SampleRepository, root: str) -> None:
    files = {root: "# Home\n", ABOUT: "# About\n", DOCS: "# Docs\n"}
    assert fronts(repository, files, SETTINGS.format("wordpress", "true")) == [root]
    assert fronts(repository, files, SETTINGS.format("wordpress", "false")) == []


def test_a_root_index_may_say_that_it_is_not(repository: SampleRepository) -> None:
    files = {ROOT: "---\nfront_page: false\n---\n# Home\n"}
    assert fronts(repository, files, SETTINGS.format("wordpress", "true")) == []


def test_two_front_pages_are_a_content_error(repository: SampleRepository) -> None:
    files = {ROOT: "# Home\n", ABOUT: SAID}
    (problem,) = problems(repository, files, SETTINGS.format("wordpress", "true"))
    assert problem.startswith(f"{ROOT}: {ABOUT} is the front page already, and a site has one; ")


def test_a_front_page_that_nobody_sees_is_a_content_error(repository: SampleRepository) -> None:
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
