"""Files that look like pages and are not read are told of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.content.checks.passed_over import problems

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

SETTINGS = 'exclude = ["drafts/**"]\ntemplates = "content/theme"\n'


def test_mdx_and_html_of_the_content_folder_are_told_of_and_templates_are_not(
    repository: SampleRepository,
) -> None:
    told = ["content/pages/a.mdx", "content/pages/b.HTML", "content/_posts/c.htm"]
    silent = [
        "other/a.html",
        "content/theme/page.html",
        "content/_layouts/b.html",
        "content/pages/static/c.html",
        "content/.hidden/d.html",
        "content/drafts/e.mdx",
        "content/pages/f.md",
        "content/pages/g.css",
    ]
    repository.commit({"pressync.toml": SETTINGS, **dict.fromkeys([*told, *silent], "text\n")})
    with Workspace.open(repository.root, environ={}) as workspace:
        found = list(problems(workspace.content(Revision())))
    assert sorted(problem.path for problem in found) == sorted(told)
    assert all(problem.warning and problem.what and problem.todo for problem in found)
