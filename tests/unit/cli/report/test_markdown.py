"""A plan and a run for reviewers, as Markdown and as a page: folded, escaped and bounded."""

from __future__ import annotations

import html
import json
import random
import re
from dataclasses import replace
from html.parser import HTMLParser

import comrak
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.builders import blocked, create, delete, plan, update, why
from tests.support.hostile import titles
from tests.support.plan_samples import (
    CREATE,
    HOSTILE,
    PLAN,
    PROBLEMS,
    REFUSED,
    UPDATE,
    hostile_plan,
    hostile_run,
)

from pressync.app.comparisons import Comparison
from pressync.app.playground import Playground
from pressync.app.propose import Proposal
from pressync.cli.report import html as page_of
from pressync.cli.report import markdown
from pressync.cli.report.words import PlanExtras
from pressync.model.printable import one_line, printable
from pressync.pull.puller import Pulled
from pressync.state.clone_log import EditorNote


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


def folds(text: str) -> list[str]:
    """List what the folds count, in their order."""
    return re.findall(r"<summary>(.*?)</summary>", text)


def test_no_other_table_takes_the_room_of_what_is_deleted() -> None:
    wrong = [PROBLEMS[0]._replace(path=f"content/pages/{n}.md", what=f"{n} is odd" * 9) for n in range(900)]
    deletes = [delete(f"content/pages/old-{number}.md", number + 1) for number in range(300)]
    shown = markdown.plan(replace(plan(CREATE, *deletes), problems=tuple(wrong)))
    opened = re.sub(r"<details>.*?</details>", "", shown, flags=re.DOTALL)
    assert [change.path for change in deletes if f"| `{change.path}` |" not in opened] == []
    assert "there is no room for them" in shown


@pytest.mark.parametrize("limit", [2_000, 20_000, markdown.LIMIT])
def test_whole_rows_are_left_out_and_counted(limit: int) -> None:
    creates = [create(f"content/pages/{'x' * 50}{number}.md") for number in range(2_000)]
    updates = [update(f"content/pages/{number}.md", "title", number=number + 1) for number in range(9)]
    shown = markdown.plan(plan(*creates, *updates), limit=limit)
    assert len(shown) <= limit
    assert folds(shown) == ["2000 to create", "9 to update"]
    rows = shown.count("| new document |") + shown.count("| title changed |")
    left = sum(int(number) for number in re.findall(r"^… and (\d+) more", shown, re.MULTILINE))
    assert rows + left == 2_009
    assert rendered(shown).count("<tr>") == rows + 2, "every row is whole"


@pytest.mark.parametrize("shown", [markdown.plan(hostile_plan()), markdown.run(hostile_run())])
def test_nothing_from_outside_is_rendered_or_mentions_anybody(shown: str) -> None:
    seen = page(shown)
    ours = {"details", "summary", "h3", "p", "strong", "code", "table", "thead", "tbody", "tr", "th", "td"}
    assert seen.tags <= ours
    assert "evil.test" in "".join(seen.cells), "it is shown, and that is all"
    outside_code = re.sub(r"<code>.*?</code>", "", rendered(shown))
    assert "everyone" in outside_code
    assert not re.search(r"@\w|#\d", html.unescape(outside_code))


@given(st.text(alphabet="ab`|\\[]()!<>*_~#@&\n :-", min_size=1, max_size=30))
def test_any_text_and_any_path_in_a_cell_is_shown_as_it_is_written(text: str) -> None:
    (shown,) = page(f"| a |\n|---|\n| {markdown.cell(text)} |\n").cells
    assert " ".join(shown.replace("\u200b", "").split()) == " ".join(one_line(text).split())
    path = "".join(each for each in text if each not in "\n :-") or "a"
    (shown, after) = page(f"| a | b |\n|---|---|\n| {markdown.code(path)} | x |\n").cells
    assert shown.replace("\u200b", "").strip() == one_line(path)
    assert after.strip() == "x"


def test_diffs_are_code_blocks_that_nothing_in_them_ends_as_long_as_there_is_room() -> None:
    shown = markdown.plan(PLAN, diffs={UPDATE.path: "-```\n+````x\n", CREATE.path: ""})
    assert "\n`````diff\n-```\n+````x\n\n`````\n" in shown
    assert shown.count("Edits of <code>content/pages/about.md</code>") == 1
    assert "content/pages/new.md</code>" not in shown
    shown = markdown.plan(PLAN, diffs={UPDATE.path: "+x" * 40_000, CREATE.path: "+y"})
    assert len(shown) <= markdown.LIMIT
    assert "… and the edits of 1 more files" in shown
    assert "+y" in shown


# GitHub reads these in the text of a page, and not in code.
ACTED_ON = re.compile(r"(?<![\w`])@[\w-]+|#\d|\bGH-\d|\w://|\bwww\.", re.IGNORECASE)


class Shown(HTMLParser):
    """The text outside of code, and the addresses of links and pictures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = ""
        self.addresses: list[str] = []
        self.rows: list[int] = []
        self._code = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an address, a row, and the beginning of code."""
        self._code += tag in {"code", "pre"}
        self.addresses += [value or "" for name, value in attrs if name in {"href", "src"}]
        if tag == "tr":
            self.rows.append(0)
        elif tag == "td":
            self.rows[-1] += 1

    def handle_endtag(self, tag: str) -> None:
        """Note the end of code."""
        self._code -= tag in {"code", "pre"}

    def handle_data(self, data: str) -> None:
        """Note text that GitHub reads."""
        self.text += "" if self._code else data


@pytest.mark.parametrize("seed", range(40))
def test_no_title_note_or_path_mentions_people_closes_an_issue_or_breaks_out(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seed makes the test the same each time
    texts = titles.any_texts(chance, 12)
    notes = [
        EditorNote(1, f"content/{a}.md", 3, b, "", c, a + c)
        for a, b, c in zip(texts[::3], texts[1::3], texts[2::3], strict=True)
    ]
    changes = [blocked(f"content/{text}.md", text) for text in texts]
    look = Playground('{"steps":[]}', ("a",), left=2)
    shown = Shown(rendered(markdown.plan(plan(*changes), extras=PlanExtras(look, notes))))
    edits = tuple(
        Pulled(f"content/{a}.md", ("content",), (b,), before=b, after=c)
        for a, b, c in zip(texts[::3], texts[1::3], texts[2::3], strict=True)
    )
    authors = {edit.path: text for edit, text in zip(edits, texts[::3], strict=True)}
    left = tuple((f"content/{text}.md", text) for text in texts)
    proposed = Shown(rendered(markdown.proposal(Proposal("live", "a", "main", "b", edits, authors, left))))

    assert shown.addresses == [look.address]
    assert proposed.addresses == []
    assert not ACTED_ON.search(shown.text), ACTED_ON.search(shown.text)
    assert not ACTED_ON.search(proposed.text), ACTED_ON.search(proposed.text)
    assert set(shown.rows) <= {0, 2, 4}
    assert set(proposed.rows) <= {0, 2, 3}
    assert (shown.rows.count(2), proposed.rows.count(3)) == (len(notes), len(edits))


ABOUT = "content/pages/about.md"


class HtmlPage(HTMLParser):
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


def test_refusals_problems_and_notes_are_above_the_changes_and_many_are_counted() -> None:
    shown = page_of.plan(replace(REFUSED, problems=PROBLEMS, remarks=(why("1 <tag> is made."),)))
    seen = HtmlPage(shown)
    assert ("p", "Sync would refuse: it would delete 1 of 1 records") in seen.texts
    assert ("li", "content/pages/bad.md:3: no number; write one") in seen.texts
    assert '<p class="note">1 &lt;tag&gt; is made.</p>' in shown
    assert shown.index("two of one slug") < shown.index('<ol id="changes">')
    found = tuple(PROBLEMS[0]._replace(what=f"no number {number}") for number in range(205))
    seen = HtmlPage(page_of.plan(plan(problems=found)))
    assert ("h2", "205 errors") in seen.texts
    assert ("li", "… and 5 more, which `pressync check` prints") in seen.texts


def test_blocked_changes_with_one_reason_are_one_row_that_lists_and_counts_them() -> None:
    many = [blocked(f"content/posts/{number}.md", "no posts here") for number in range(2_000)]
    shown = page_of.plan(plan(*many))
    (row,) = HtmlPage(shown).rows()
    assert row["data-count"] == "2000"
    assert "and 1,999 more" in shown
    assert "<li><code>content/posts/1999.md</code></li>" in shown


def test_a_diff_is_data_that_cannot_leave_its_element() -> None:
    source = "@@ -1 +1 @@\n-</script><!--<script>\n+new & shiny\u202e"
    rows = "<p>a &amp; b\u00ad</p></script>"
    for compared, left in ((False, "as last sent"), (True, "the site now")):
        shown = page_of.plan(replace(PLAN, compared=compared), {ABOUT: Comparison(ABOUT, source, rows)})
        (sides,) = HtmlPage(shown).sides()
        heading = f"Rendered: {left} | the file"
        assert sides == {"source": printable(source), "rendered": rows, "why": "", "heading": heading}
        assert shown.count("</script>") == 2


@pytest.mark.sweep
def test_the_page_has_a_bounded_size_and_says_what_it_leaves_out() -> None:
    changes = [update(f"{number} x.md", "content") for number in range(60)]
    long = {each.path: Comparison(each.path, "x" * (page_of.LONGEST - 1_000), "") for each in changes}
    long["0 x.md"] = Comparison("0 x.md", "x" * page_of.LONGEST, "")
    shown = page_of.plan(plan(*changes), long)
    seen = HtmlPage(shown)
    cut = [sides["cut"] for sides in seen.sides() if "cut" in sides]
    assert len(shown) < page_of.WHOLE + 200_000
    assert cut[0] == (
        "This page has no room for this diff. `pressync plan --diff '0 x.md'` prints its source."
    )
    note = f"The diffs of {len(cut)} changes are left out, because this page would be too long; "
    assert ("p", f"{note}`pressync plan --diff PATH` prints them.") in seen.texts
    assert (len(cut), len(seen.sides())) == (20, 60)


def test_the_page_needs_nothing_from_anywhere() -> None:
    seen = HtmlPage(page_of.plan(hostile_plan(), {HOSTILE: Comparison(HOSTILE, HOSTILE, HOSTILE)}))
    names = {name for _, attributes in seen.tags for name in attributes}
    assert not {"src", "href", "style", "action", "onerror"} & names
    assert not {"img", "a", "link", "iframe", "base"} & {tag for tag, _ in seen.tags}
    policy = next(a["content"] for tag, a in seen.tags if "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-inline" not in policy.partition("style-src-attr")[0]
