"""The plan as a page: whole, without scripts, and with nothing from outside in its markup."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

from tests.support.plan_samples import IN_STEP, PLAN, REFUSED, hostile_plan

from pressync.cli.report import html


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


def test_a_plan_row_by_row_with_what_needs_a_person_first() -> None:
    seen = Page(html.plan(PLAN))
    rows = [text for tag, text in seen.texts if tag in {"td", "code"}]
    assert rows == [
        *("blocked", "content/posts/hello.md", "page", "the service cannot create a post"),
        *("delete", "content/pages/old.md", "page 8", "publish", "its file was removed"),
        *("create", "content/pages/new.md", "page", "publish", "new document"),
        *("update", "content/pages/about.md", "page 7", "publish", "content, title changed"),
    ]


def test_the_page_says_which_plan_it_is_and_what_it_comes_to() -> None:
    texts = Page(html.plan(PLAN)).texts
    assert ("h1", "pressync: plan for production at c0ffee0000") in texts
    assert ("title", "pressync: plan for production at c0ffee0000") in texts
    assert ("p", "Plan: 1 to create, 1 to update, 1 to delete, 1 blocked, 2 up to date.") in texts


def test_a_plan_with_nothing_to_do_has_no_table() -> None:
    assert "table" not in {tag for tag, _ in Page(html.plan(IN_STEP)).tags}


def test_a_refusal_is_a_paragraph_of_its_own() -> None:
    assert ("p", "Sync would refuse: it would delete 1 of 1 records") in Page(html.plan(REFUSED)).texts


def test_the_page_needs_nothing_from_anywhere() -> None:
    seen = Page(html.plan(hostile_plan()))
    assert {tag for tag, _ in seen.tags} == {
        *("html", "meta", "title", "style", "h1", "p", "table", "tr", "th", "td", "code"),
    }
    names = {name for _, attributes in seen.tags for name in attributes}
    assert names == {"lang", "charset", "name", "content", "class"}
    classes = {attributes["class"] for _, attributes in seen.tags if "class" in attributes}
    assert classes == {"create", "update", "delete", "blocked", "refusal"}


def test_nothing_from_outside_hides_or_turns_the_text() -> None:
    shown = html.plan(hostile_plan())
    assert all(character == "\n" or character.isprintable() for character in shown)


def test_a_diff_stands_under_its_change_and_is_text() -> None:
    page = html.plan(PLAN, diffs={"content/pages/about.md": "@@ -1 +1 @@\n-<old>\n+new & shiny"})
    assert "<pre>@@ -1 +1 @@\n<del>-&lt;old&gt;</del>\n<ins>+new &amp; shiny</ins></pre>" in page
    assert page.index("content/pages/about.md") < page.index("<pre>")


def test_notes_are_told() -> None:
    noted = replace(PLAN, notes=("1 <tag> is made.",))
    assert "<p>1 &lt;tag&gt; is made.</p>" in html.plan(noted)
