"""An editor's work on a real WordPress, brought back into the file; and the next sync leaves it there."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING

import pytest
import requests
from tests.live.live import Eyes, live, results
from tests.live.pictures import png
from tests.unit.html.test_to_markdown import BODIES

from pressync.app import bind
from pressync.app.pull import PullOptions, pull
from pressync.app.revision import Revision
from pressync.html.paragraphs import paragraphs

if TYPE_CHECKING:
    from tests.live.live import Live
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

    from pressync.pull.puller import Pulled

ABOUT, TEAM = "content/pages/about.md", "content/pages/team.md"
TEXT = """\
---
title: About us   # the short one
weight: 2
---
* We *are* what
  we write.

| a   | b     |
|-----|:-----:|
| 1   | two   |

See [the team](team.md#lead).

Last words.
"""

# What a person in the block editor leaves behind a page that came as HTML.
BLOCKS = """

<!-- wp:paragraph -->
<p>Words of an <strong>editor </strong>at<br>the <a href="{team}">team</a>.</p>
<!-- /wp:paragraph -->

<!-- wp:list -->
<ul><!-- wp:list-item -->
<li>One</li>
<!-- /wp:list-item -->

<!-- wp:list-item -->
<li>Two</li>
<!-- /wp:list-item --></ul>
<!-- /wp:list -->

<!-- wp:paragraph {{"align":"center"}} -->
<p class="has-text-align-center">In the middle</p>
<!-- /wp:paragraph -->
"""
MARKDOWN = """\

Words of an **editor** at\\
the [team](team.md).

* One
* Two

<!-- wp:paragraph {"align":"center"} -->
<p class="has-text-align-center">In the middle</p>
<!-- /wp:paragraph -->
"""


@pytest.fixture
def about(wordpress: Site, line: Line, repository: SampleRepository) -> Live:
    """Sync two pages."""
    repository.commit({ABOUT: TEXT, TEAM: "# Team\n\n## Lead\n"})
    site = live(repository, line, wordpress)
    site.sync()
    return site


def pulled(site: Live, *paths: str) -> list[Pulled]:
    """Pull without a command line."""
    with site.workspace() as workspace:
        return pull(workspace, PullOptions(paths))


def test_what_an_editor_changed_comes_back_and_stays_as_it_is_on_the_site(
    wordpress: Site, about: Live, repository: SampleRepository
) -> None:
    eyes, number, team = Eyes(wordpress), about.ids()[ABOUT], about.ids()[TEAM]
    raw = str(eyes.row(number)["content"]["raw"]).replace("<td>1</td>", "<td>One</td>")
    eyes.edit(
        number, content=raw + BLOCKS.format(team=eyes.row(team)["link"]), title="About: us", menu_order=7
    )
    edited = eyes.row(number)

    (result,) = pulled(about, ABOUT)

    assert result.settled
    assert result.taken == ("content", "menu_order", "title")
    text = TEXT.replace("About us ", "'About: us' ").replace("weight: 2", "weight: 7")
    text = text.replace("| 1   | two   |", "| One | two |") + MARKDOWN
    assert (repository.root / ABOUT).read_text() == text
    repository.commit()
    assert about.plan().pending == ()
    assert about.sync().outcomes == ()
    assert eyes.row(number) == edited

    repository.commit({ABOUT: text.replace("Last words", "Last words of ours")})
    assert results(about.sync()) == {ABOUT: "done"}
    assert "Last words of ours" in eyes.row(number)["content"]["raw"]
    assert pulled(about, "content") == []
    assert about.sync().outcomes == ()


def test_a_conflict_becomes_one_text_of_both(
    wordpress: Site, about: Live, repository: SampleRepository
) -> None:
    eyes, number = Eyes(wordpress), about.ids()[ABOUT]
    raw = str(eyes.row(number)["content"]["raw"])
    eyes.edit(number, content=raw.replace("Last words", "Their last words"), status="draft")
    repository.commit({ABOUT: TEXT.replace("See [the", "Ask [the")})
    assert results(about.sync()) == {ABOUT: "blocked"}

    (result,) = pulled(about)

    assert result.settled
    repository.commit()
    assert results(about.sync()) == {ABOUT: "done"}
    row = eyes.row(number)
    assert row["status"] == "draft"
    assert "Ask <a" in row["content"]["raw"]
    assert "Their last words" in row["content"]["raw"]
    assert about.plan().pending == ()


@pytest.mark.parametrize(("for_good", "said"), [(False, "in the trash"), (True, "no longer on the site")])
def test_of_a_page_that_was_removed_nothing_is_taken(
    wordpress: Site, about: Live, repository: SampleRepository, *, for_good: bool, said: str
) -> None:
    Eyes(wordpress).remove(about.ids()[ABOUT], for_good=for_good)
    (result,) = pulled(about, ABOUT)
    assert said in result.problems[0]
    assert (repository.root / ABOUT).read_text() == TEXT


# WordPress also runs shortcodes and changes dashes and pictures. 6.1 has another rule for `math`, and for a
# quotation with a `>` in its tag.
CLASSIC = [text for text, _shown in BODIES if not re.search(r"math|a > b|--|src=|\[", text)]


def test_a_page_of_the_classic_editor_comes_into_the_file_with_its_paragraphs(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit({ABOUT: "# About\n\nFirst,\\\nwith a line.\n\nOld text.\n"})
    text = 'First,\nwith a line.\n\nNew <em>text</em>.\n\n[audio src="https://a.test/x.mp3"]\n\n<ul>\n\t<li>One</li>\n</ul>\nLast.'
    number = Eyes(wordpress).make(title="About", status="publish", content=text)
    site = live(repository, line, wordpress)
    with site.workspace() as workspace:
        bind.adopt(workspace, {ABOUT: number}, Revision())

    (result,) = pulled(site, ABOUT)

    assert "content" in result.taken
    body = 'First,\\\nwith a line.\n\nNew *text*.\n\n[audio src="https://a.test/x.mp3"]\n\n- One\n\nLast.\n'
    assert (repository.root / ABOUT).read_text().endswith(body)
    repository.commit()
    assert site.sync().outcomes == ()
    assert Eyes(wordpress).row(number)["content"]["raw"] == text


def test_paragraphs_are_those_that_this_wordpress_makes(wordpress: Site) -> None:
    eyes = Eyes(wordpress)
    assert len(CLASSIC) > 30
    for text in CLASSIC:
        number = eyes.make(title="Classic", content=text)
        assert eyes.row(number)["content"]["rendered"] == paragraphs(text)


def test_a_footnote_of_the_block_editor_comes_back_with_its_words(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    if wordpress.name == "old":
        pytest.skip("this version shows no footnotes in its interface")
    text = "---\ntitle: Team\n---\nOne.\n\nTwo.\n"
    repository.commit({"pressync.toml": "[sites.live]\nblocks = true\n", TEAM: text})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    number = site.ids()[TEAM]
    # These are the bytes of the editor.
    mark = '<sup data-fn="3f2a9c01" class="fn"><a href="#3f2a9c01" id="3f2a9c01-link">1</a></sup>'
    raw = str(eyes.row(number)["content"]["raw"]).replace("Two.", f"Two.{mark}")
    words = json.dumps([{"id": "3f2a9c01", "content": "Words of <strong>theirs</strong>."}])
    eyes.edit(number, content=f"{raw}\n\n<!-- wp:footnotes /-->", meta={"footnotes": words})
    assert "Words of <strong>theirs</strong>." in eyes.row(number)["content"]["rendered"]

    (result,) = pulled(site, TEAM)

    assert result.problems == ()
    written = text.replace("Two.", "Two.[^1]") + "\n[^1]: Words of **theirs**.\n"
    assert (repository.root / TEAM).read_text() == written
    repository.commit()
    assert site.sync().outcomes == ()
    repository.commit({TEAM: written.replace("One", "First")})
    assert results(site.sync()) == {TEAM: "done"}
    shown = eyes.row(number)["content"]["rendered"]
    assert shown.count("Words of <strong>theirs</strong>.") == 1


VAULT: dict[str, str | bytes] = {
    "pressync.toml": '[markdown]\ndialect = "obsidian"\nhashtags = true\n',
    ABOUT: "See [[Team]], [[Team#Who leads|the lead]], ![[red.png|20]], 100\\%\\%. %%ask [[Team]]%% ^here\n"
    "\n"
    "> [!bug]- Why?\n> ==Because== of [[Team|them]].\n\n![[Team]] [[Nowhere]]\n",
    TEAM: "# Team\n\n## Who leads\n\nWe. [[about#^here]]\n",
    "content/pages/red.png": png(8, 8, 8),
}


def test_a_vault_shows_no_brackets_and_comes_back_in_its_own_forms(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit(VAULT)
    site = live(repository, line, wordpress)
    site.sync()
    eyes = Eyes(wordpress)
    number = site.ids()[ABOUT]

    shown = (
        requests.get(eyes.row(number)["link"], timeout=60).text.partition("<main")[2].partition("</main")[0]
    )
    assert not re.search(r"\[\[|\]\]|\[!|%%ask|==", shown)
    assert "100%%" in html.unescape(shown)
    assert f'href="{eyes.row(site.ids()[TEAM])["link"]}#who-leads"' in shown
    assert not site.plan().pending

    raw = eyes.row(number)["content"]["raw"]
    team = eyes.row(site.ids()[TEAM])["link"]
    edited = raw.replace("See ", "Read ").replace(f'{team}">Team<', f'{team}">Our team<', 1)
    eyes.edit(number, content=edited)
    assert [each.conflicts for each in pulled(site, ABOUT)] == [0]
    text = str(VAULT[ABOUT]).replace("See [[Team]]", "Read [[Team|Our team]]")
    assert (repository.root / ABOUT).read_text(encoding="utf-8") == text
    repository.commit()
    assert not site.plan().pending
