"""The plan and the run for a pull request; a real Markdown renderer is the judge of what comes through."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from html.parser import HTMLParser

import comrak
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.builders import blocked, create, plan
from tests.support.plan_samples import HOSTILE, IN_STEP, PLAN, REFUSED, RUN, hostile_plan, hostile_run

from pressync.cli.report import markdown
from pressync.model.changes import Outcome, Result
from pressync.model.outcomes import RunResult
from pressync.model.printable import one_line


class Page(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser's
        """Note a tag, and a cell's beginning."""
        self.tags.add(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        """Note a cell's text."""
        if self.cells:
            self.cells[-1] += data


def page(text: str) -> Page:
    """Render as GitHub does, and look at the page."""
    return Page(rendered(text))


def rendered(text: str) -> str:
    """Render as GitHub does."""
    extensions = comrak.ExtensionOptions()
    for name in ("table", "strikethrough", "tasklist", "autolink", "footnotes"):
        setattr(extensions, name, True)
    options = comrak.RenderOptions()
    options.unsafe_ = True
    return str(comrak.render_markdown(text, extension_options=extensions, render_options=options))


def test_a_plan_line_by_line_with_what_needs_a_person_first() -> None:
    assert markdown.plan(PLAN) == (
        "### pressync: plan for production at `c0ffee0000`\n"
        "\n"
        "Plan: 1 to create, 1 to update, 1 to delete, 1 blocked, 2 in step.\n"
        "\n"
        "| | file | record | why |\n"
        "|---|---|---|---|\n"
        "| blocked | `content/posts/hello.md` | page | the service cannot create a post |\n"
        "| delete | `content/pages/old.md` | page 8 | its file was removed |\n"
        "| create | `content/pages/new.md` | page | new document |\n"
        "| update | `content/pages/about.md` | page 7 | content, title changed |\n"
    )


def test_a_plan_with_nothing_to_do_has_no_table() -> None:
    assert markdown.plan(IN_STEP) == (
        "### pressync: plan for production at `c0ffee0000`\n\nNothing to do: 1 record in step.\n"
    )


def test_a_refusal_stands_above_the_table() -> None:
    shown = markdown.plan(REFUSED)
    assert shown.index("> **Sync would refuse:** it would delete 1 of 1 records") < shown.index("| delete |")
    assert "table" in page(shown).tags


def test_a_run_shows_what_needs_a_person() -> None:
    assert markdown.run(RUN) == (
        "### pressync: sync of production at `c0ffee0000`\n"
        "\n"
        "Sync of production at c0ffee0000: 2 done, 1 failed, 1 blocked, 2 in step.\n"
        "\n"
        "| | file | what happened |\n"
        "|---|---|---|\n"
        "| done | `content/pages/new.md` | slug: sent 'new', the service made it 'new-2' |\n"
        "| failed | `content/pages/old.md` | the service refused with 403 |\n"
        "| blocked | `content/posts/hello.md` | the service cannot create a post |\n"
    )


def test_a_long_table_is_cut_and_says_so() -> None:
    shown = markdown.plan(plan(*(create(f"{number}.md") for number in range(201))))
    assert shown.count("| create |") == 200
    assert shown.endswith("\n… and 1 more.\n")


def test_a_long_run_is_cut_and_says_so() -> None:
    changes = [blocked(f"{number}.md") for number in range(203)]
    outcomes = tuple(Outcome(change, Result.BLOCKED, change.reason) for change in changes)
    assert markdown.run(RunResult(plan(*changes), outcomes)).endswith("\n… and 3 more.\n")


@pytest.mark.parametrize(
    ("shown", "cells"),
    [(markdown.plan(hostile_plan()), 4 * 4), (markdown.run(hostile_run()), 5 * 3)],
    ids=["plan", "run"],
)
def test_nothing_from_outside_is_rendered(shown: str, cells: int) -> None:
    seen = page(shown)
    assert len(seen.cells) == cells
    assert seen.tags <= {
        "h3",
        "p",
        "code",
        "blockquote",
        "strong",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "a",
    }
    assert "evil.test" in "".join(seen.cells), "it is shown, and that is all"


def test_nothing_from_outside_loads_or_leads_anywhere_by_markup() -> None:
    # Without autolinks, which show an address as it is.
    assert not re.search(r"<(?:img|a)\b", comrak.render_markdown(markdown.plan(hostile_plan())))


def test_nothing_from_outside_mentions_anybody() -> None:
    for shown in (markdown.plan(hostile_plan()), markdown.run(hostile_run())):
        outside_code = re.sub(r"<code>.*?</code>", "", rendered(shown))
        assert "everyone" in outside_code
        assert not re.search(r"@\w|#\d", html.unescape(outside_code))


@given(st.text(alphabet="ab`|\\[]()!<>*_~#@&\n :-", max_size=30))
def test_any_text_in_a_cell_is_shown_as_it_is_written(text: str) -> None:
    (shown,) = page(f"| a |\n|---|\n| {markdown.cell(text)} |\n").cells
    expected = one_line(text)
    assert " ".join(shown.replace("\u200b", "").split()) == " ".join(expected.split())


@given(st.text(alphabet="ab`|\\[]()!<>*_~#@&", min_size=1, max_size=30))
def test_any_path_in_a_cell_is_shown_as_it_is_written(text: str) -> None:
    (shown, after) = page(f"| a | b |\n|---|---|\n| {markdown.code(text)} | x |\n").cells
    assert shown.replace("\u200b", "").strip() == one_line(text)
    assert after.strip() == "x"


def test_a_path_that_a_runner_would_obey_is_taken_apart() -> None:
    assert "##[" not in markdown.plan(
        plan(create("##[add-mask]x.md"), replace(create("a.md"), reason=HOSTILE))
    )


def test_notes_are_told() -> None:
    assert "\n1 \\<tag\\> is made.\n" in markdown.plan(replace(PLAN, notes=("1 <tag> is made.",)))
