"""The plan as a page: whole, with data instead of diffs, and with nothing from outside in its markup."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from tests.support.builders import blocked, plan, update, why
from tests.support.plan_samples import HOSTILE, PLAN, PROBLEMS, REFUSED, hostile_plan

from pressync.app.comparisons import Comparison
from pressync.cli.report import html
from pressync.model.printable import printable

ABOUT = "content/pages/about.md"


class Page(HTMLParser):
    """The tags with their attributes, and the text of each tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Note text with the tag before it."""
        if data.strip():
            self.texts.append((self.tags[-1][0] if self.tags else "", data.strip()))

    def rows(self) -> list[dict[str, str | None]]:
        """Give the facts by which the rows are filtered."""
        return [attributes for tag, attributes in self.tags if tag == "li" and "data-path" in attributes]

    def sides(self) -> list[dict[str, str]]:
        """Give the data of the diffs."""
        return [json.loads(text) for tag, text in self.texts if tag == "script" and text.startswith("{")]


def test_a_plan_row_by_row_with_what_needs_a_person_first() -> None:
    seen = Page(html.plan(PLAN))
    assert [(row["data-action"], row["data-path"], row["data-kind"]) for row in seen.rows()] == [
        ("blocked", "content/posts/hello.md", "page"),
        ("delete", "content/pages/old.md", "page"),
        ("create", "content/pages/new.md", "page"),
        ("update", ABOUT, "page"),
    ]
    for tag, text in (
        ("span", "content, title changed"),
        ("h1", "pressync: plan for production at c0ffee0000"),
        ("title", "pressync: plan for production at c0ffee0000"),
        ("p", "Plan: 1 to create, 1 to update, 1 to delete, 1 blocked, 2 up to date."),
    ):
        assert (tag, text) in seen.texts


def test_refusals_problems_and_notes_are_above_the_changes_and_many_are_counted() -> None:
    shown = html.plan(replace(REFUSED, problems=PROBLEMS, remarks=(why("1 <tag> is made."),)))
    seen = Page(shown)
    assert ("p", "Sync would refuse: it would delete 1 of 1 records") in seen.texts
    assert ("li", "content/pages/bad.md:3: no number; write one") in seen.texts
    assert '<p class="note">1 &lt;tag&gt; is made.</p>' in shown
    assert shown.index("two of one slug") < shown.index('<ol id="changes">')
    found = tuple(replace(PROBLEMS[0], what=f"no number {number}") for number in range(205))
    seen = Page(html.plan(plan(problems=found)))
    assert ("h2", "205 errors") in seen.texts
    assert ("li", "… and 5 more, which `pressync check` prints") in seen.texts


def test_blocked_changes_with_one_reason_are_one_row_that_lists_and_counts_them() -> None:
    many = [blocked(f"content/posts/{number}.md", "no posts here") for number in range(2_000)]
    shown = html.plan(plan(*many))
    (row,) = Page(shown).rows()
    assert row["data-count"] == "2000"
    assert "and 1,999 more" in shown
    assert "<li><code>content/posts/1999.md</code></li>" in shown


def test_a_diff_is_data_that_cannot_leave_its_element() -> None:
    source = "@@ -1 +1 @@\n-</script><!--<script>\n+new & shiny\u202e"
    rows = "<p>a &amp; b\u00ad</p></script>"
    for compared, left in ((False, "as last sent"), (True, "the site now")):
        shown = html.plan(replace(PLAN, compared=compared), {ABOUT: Comparison(ABOUT, source, rows)})
        (sides,) = Page(shown).sides()
        heading = f"Rendered: {left} | the file"
        assert sides == {"source": printable(source), "rendered": rows, "why": "", "heading": heading}
        assert shown.count("</script>") == 2


@pytest.mark.sweep
def test_the_page_has_a_bounded_size_and_says_what_it_leaves_out() -> None:
    changes = [update(f"{number} x.md", "content") for number in range(60)]
    long = {each.path: Comparison(each.path, "x" * (html.LONGEST - 1_000), "") for each in changes}
    long["0 x.md"] = Comparison("0 x.md", "x" * html.LONGEST, "")
    shown = html.plan(plan(*changes), long)
    seen = Page(shown)
    cut = [sides["cut"] for sides in seen.sides() if "cut" in sides]
    assert len(shown) < html.WHOLE + 200_000
    assert cut[0] == (
        "This page has no room for this diff. `pressync plan --diff '0 x.md'` prints its source."
    )
    note = f"The diffs of {len(cut)} changes are left out, because this page would be too long; "
    assert ("p", f"{note}`pressync plan --diff PATH` prints them.") in seen.texts
    assert (len(cut), len(seen.sides())) == (20, 60)


def test_the_page_needs_nothing_from_anywhere() -> None:
    seen = Page(html.plan(hostile_plan(), {HOSTILE: Comparison(HOSTILE, HOSTILE, HOSTILE)}))
    names = {name for _, attributes in seen.tags for name in attributes}
    assert not {"src", "href", "style", "action", "onerror"} & names
    assert not {"img", "a", "link", "iframe", "base"} & {tag for tag, _ in seen.tags}
    policy = next(a["content"] for tag, a in seen.tags if "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-inline" not in policy.partition("style-src-attr")[0]
