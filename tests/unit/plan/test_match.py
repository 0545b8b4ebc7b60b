"""Whether a record of the site was made of a file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.support.builders import entry, record

from pressync.model.interface import Kind
from pressync.model.records import Document, Record
from pressync.plan.match import FileVersion, Similarity, is_another, similarity, words

SENT = {"title": "About", "slug": "about", "content": "<p>about</p>", "status": "publish"}
BODY = "Some *words* that [lead](b.md) somewhere, and ![a picture](p.png) of more.\n"
DOCUMENT = Document("content/pages/a.md", "b", Kind.PAGE, {"title": "A & B", "slug": "a"}, BODY, 1)
SHOWN = (
    "<p>Some <em>words</em> that <a href='https://site.test/b/'>lead</a> somewhere, and <img> of more.</p>"
)


def tied(document: Document = DOCUMENT, *, bent: dict[str, str] | None = None, **fields: str) -> Similarity:
    held = {"title": "A & B", "slug": "a", "content": SHOWN, **fields}
    record = Record(Kind.PAGE, 7, held["slug"], "", "", "", held)
    return similarity(
        [FileVersion(document)], entry("content/pages/a.md", 7, changed_by_service=bent or {}), record
    )


def test_links_pictures_and_what_a_template_puts_around_do_not_matter() -> None:
    whole = Similarity(title=True, slug=True, text=True)
    assert tied() == whole
    assert tied(content=f"<!-- wp:html {{'a':'<b>'}} --><nav>Menu</nav>{SHOWN}<hr>Foot") == whole


@pytest.mark.parametrize("title", ["A &amp; B", "a <b>&</b> b"])
def test_a_title_that_the_site_filtered_is_the_same(title: str) -> None:
    assert tied(title=title).title


@pytest.mark.parametrize("slug", ["a", "a-2", "a__trashed", "a-2__trashed-3"])
def test_a_slug_that_the_site_numbered_is_the_same(slug: str) -> None:
    assert tied(slug=slug).slug


def test_another_page_is_another() -> None:
    other = tied(title="B", slug="about", content="<p>Words that say some other thing, and more of it</p>")
    assert other == Similarity(title=False, slug=False, text=False)


def test_a_text_that_lost_a_few_words_is_the_same_only_where_the_site_is_known_to_filter() -> None:
    body = " ".join(f"word{n}" for n in range(20))
    document, shown = replace(DOCUMENT, body=body), body.replace("word7 ", "")
    assert tied(document, content=shown).text is False
    assert tied(document, content=shown, bent={"content": "x"}).text is True


def test_a_file_with_hardly_a_text_cannot_tell() -> None:
    assert tied(replace(DOCUMENT, body="Soon."), content="Something else").text is None


def test_words_are_what_people_read() -> None:
    assert words("<p>One&nbsp;<!-- not <b> this -->two</p><!-- nor this") == ["one", "two"]
    assert words("<" * 100_000 + "<!--" * 100_000) == []


def test_half_of_a_character_is_no_traceback() -> None:
    assert tied(replace(DOCUMENT, body="\ud800 and so on and so on")).text is None


@pytest.mark.parametrize(
    ("echoed", "another"),
    [
        ({"title": "Team", "slug": "team", "content": "<p>team</p>"}, True),
        ({"title": "Team", "slug": "about-us", "content": ""}, True),
        ({"title": "Team", "slug": "about-2", "content": "<p>team</p>"}, False),
        ({"title": "Team", "slug": "team"}, False),
        ({"slug": "team", "content": ""}, False),
        ({"title": "", "slug": "", "content": ""}, False),
    ],
    ids=["all", "only alike", "a slug that was taken", "our content", "our title", "emptied"],
)
def test_a_create_made_no_record_in_which_nothing_is_what_was_sent(
    echoed: dict[str, Any], *, another: bool
) -> None:
    assert is_another(SENT, record("content/pages/about.md", **echoed)) is another
