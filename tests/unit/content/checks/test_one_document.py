"""What a reader of one page would see is told where the page is read: in plan, sync and check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

PATH = "content/pages/a.md"


def said(repository: SampleRepository, text: str, *, template: str = "{{ content }}") -> list[str]:
    """Read one document as a plan does, and give its problems as text."""
    repository.commit({PATH: text, "templates/page.html": template})
    with Workspace.open(repository.root, environ={}) as workspace:
        return [str(problem) for problem in workspace.content(Revision()).read(PATH, {}).problems]


def test_a_link_to_a_place_that_the_page_does_not_have_is_told_with_the_nearest(
    repository: SampleRepository,
) -> None:
    text = (
        "---\ntitle: A\n---\n\n[up](#the-titel) [down](#the-end)\n\n## The title\n\n<a name='the-end'></a>\n"
    )
    assert said(repository, text) == [
        f"{PATH}:5: links to `#the-titel`, and this page has no such place; did you mean `#the-title`?"
    ]


def test_the_places_of_footnotes_of_the_template_and_of_a_link_to_the_own_file_count(
    repository: SampleRepository,
) -> None:
    text = "---\ntitle: A\n---\n[nav](#menu) [own](a.md#here) a note[^1]\n\n## Here\n\n[^1]: Text\n"
    assert said(repository, text, template='<nav id="menu"></nav>{{ content }}') == []


@pytest.mark.parametrize("heading", ["# A *garden*\n", "\nA garden\n========\n"])
def test_a_title_that_the_text_repeats_at_its_top_is_told(repository: SampleRepository, heading: str) -> None:
    (found,) = said(repository, f"---\ntitle: A garden\n---\n{heading}\nFlowers.\n")
    assert found.split(": ", 1)[1] == (
        "readers see the title twice, because the site shows it above the text; leave this heading out"
    )


@pytest.mark.parametrize(
    "text",
    [
        "# A garden\n\nFlowers.\n",
        "---\ntitle: A garden\n---\n# Another garden\n",
        "---\ntitle: A garden\n---\n## A garden\n",
        "---\ntitle: A garden\n---\nFlowers.\n\n# A garden\n",
        "---\ntitle: A garden\n---\n```\n# A garden\n```\n",
    ],
)
def test_other_headings_at_the_top_are_left_alone(repository: SampleRepository, text: str) -> None:
    assert said(repository, text) == []


def test_another_tools_syntax_and_open_code_are_told(repository: SampleRepository) -> None:
    found = said(repository, "# A\n\n{{< note >}}\n\n```\ncode\n")
    assert [line.split(";")[0] for line in found] == [
        f"{PATH}:5: this code block has no end: the rest of the page is code",
        f"{PATH}:3: a Hugo shortcode (`{{{{< … >}}}}`) is shown as it is written",
    ]


def test_the_text_that_is_sent_stays_the_same_and_a_second_read_before_sending_is_not_checked(
    repository: SampleRepository,
) -> None:
    repository.commit({PATH: "# A\n\n{{< note >}}\n"})
    with Workspace.open(repository.root, environ={}) as workspace:
        content = workspace.content(Revision())
        checked = content.read(PATH, {})
        unchecked = content.read(PATH, {}, check=False)
    assert checked.prepared == unchecked.prepared
    assert checked.problems
    assert not unchecked.problems
