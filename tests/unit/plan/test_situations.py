"""From collected facts to the one situation of a path, and whether a record was made of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs
from tests.support.builders import HEAD, desired, entry, record, why

from pressync.model.changes import Absence
from pressync.model.errors import Code, Problem
from pressync.model.interface import Kind
from pressync.model.records import Document, Record, UnconfirmedCreate
from pressync.plan.match import FileVersion, Similarity, is_another, is_similar, similarity, words
from pressync.plan.situations import (
    BoundDocument,
    BrokenDocument,
    Facts,
    KnownDocument,
    MissingDocument,
    NewDocument,
    UnconfirmedDocument,
)

if TYPE_CHECKING:
    from pressync.model.records import Entry

PATH = "content/pages/about.md"
ABOUT, HELD = desired(PATH), entry(PATH)
SENT_CREATE = UnconfirmedCreate(PATH, Kind.PAGE, "about", "2024-01-31T12:00:00Z", HEAD, {})
PROBLEM = Problem(PATH, 3, "`menu_order` is no number", code=Code.VALUE)


def facts(**known: Any) -> Facts:  # noqa: ANN401 - any of the facts
    """Collect the facts that matter to a test; there are no others."""
    nothing: dict[str, Any] = {name: {} for name in Facts.__slots__}
    del nothing["types"]
    return Facts(**{**nothing, "untraceable": (), "shallow": False, **known})


@pytest.mark.parametrize(
    "document", [ABOUT, structs.replace(ABOUT, bound_id=12), None], ids=["plain", "bound", "without a file"]
)
@pytest.mark.parametrize("held", [HELD, None], ids=["with a record", "without a record"])
def test_an_unconfirmed_create_goes_before_everything_else(document: Any, held: Any) -> None:  # noqa: ANN401
    known = facts(
        desired={PATH: document} if document else {},
        entries={PATH: held} if held else {},
        problems={} if document else {PATH: PROBLEM},
        unconfirmed={PATH: SENT_CREATE},
    )
    assert known.situation(PATH) == UnconfirmedDocument(SENT_CREATE, held)


def test_a_document_without_an_entry_is_new_and_has_all_signs_of_a_duplicate() -> None:
    known = facts(desired={PATH: ABOUT}, forgotten={PATH: HELD}, taken={PATH: why("page 9 has this address")})
    assert known.situation(PATH) == NewDocument(ABOUT, HELD, None, why("page 9 has this address"))


@pytest.mark.parametrize("missing", ["content/pages/old/about.md", "content/pages/a.md"])
def test_a_new_document_may_be_the_missing_file_of_the_same_name_or_else_any(missing: str) -> None:
    gone = ("content/pages/b.md", missing) if "about" in missing else (missing, "content/pages/b.md")
    known = facts(desired={PATH: ABOUT}, untraceable=gone)
    assert known.situation(PATH) == NewDocument(ABOUT, maybe_renamed_from=missing)


def test_a_document_with_an_id_is_bound_and_names_the_other_owner() -> None:
    bound = structs.replace(ABOUT, bound_id=12)
    known = facts(desired={PATH: bound}, owners={PATH: "content/pages/team.md"}, taken={PATH: why("page 9")})
    assert known.situation(PATH) == BoundDocument(bound, 12, "content/pages/team.md")


def test_a_document_with_an_entry_is_known_by_its_old_path_and_may_be_deleted_on_the_site() -> None:
    known = facts(
        desired={PATH: ABOUT}, entries={PATH: HELD}, came_from={PATH: "content/pages/old.md"}, deleted={PATH}
    )
    assert known.situation(PATH) == KnownDocument(ABOUT, HELD, "content/pages/old.md", is_deleted=True)


@pytest.mark.parametrize(
    ("path", "held", "kind"),
    [(PATH, HELD, Kind.PAGE), (PATH, None, Kind.PAGE), ("content/posts/new.md", None, Kind.POST)],
)
def test_a_problem_goes_before_an_absence_and_without_a_record_the_folder_has_the_kind(
    path: str, held: Entry | None, kind: Kind
) -> None:
    entries = {path: held} if held else {}
    known = facts(entries=entries, problems={path: PROBLEM}, absences={path: Absence.REMOVED})
    assert known.situation(path) == BrokenDocument(path, kind, held.id if held else None, PROBLEM)


def test_an_entry_without_a_document_is_missing_for_the_reason_that_git_shows() -> None:
    removed = facts(entries={PATH: HELD}, absences={PATH: Absence.REMOVED})
    assert removed.situation(PATH) == MissingDocument(HELD, Absence.REMOVED)
    committed = facts(entries={PATH: HELD}, committed={PATH})
    assert committed.situation(PATH) == MissingDocument(HELD, Absence.OUTSIDE)
    assert facts().situation(PATH) is None


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


def test_a_text_that_lost_a_few_words_is_the_same_only_where_the_site_is_known_to_filter() -> None:
    body = " ".join(f"word{n}" for n in range(20))
    document, shown = structs.replace(DOCUMENT, body=body), body.replace("word7 ", "")
    assert tied(document, content=shown).text is False
    assert tied(document, content=shown, bent={"content": "x"}).text is True


@pytest.mark.parametrize(("shown", "similar"), [("more of SOME words", True), ("more of words", False)])
def test_a_record_with_half_of_the_words_of_a_file_is_similar(shown: str, *, similar: bool) -> None:
    versions = [FileVersion(structs.replace(DOCUMENT, body="Nothing of it.")), FileVersion(DOCUMENT)]
    assert is_similar(versions, record("content/pages/a.md", content=f"<p>{shown}</p>")) is similar


def test_another_page_is_another_and_a_file_with_hardly_a_text_cannot_tell() -> None:
    other = tied(title="B", slug="about", content="<p>Words that say some other thing, and more of it</p>")
    assert other == Similarity(title=False, slug=False, text=False)
    assert tied(structs.replace(DOCUMENT, body="Soon."), content="Something else").text is None


def test_words_are_what_people_read() -> None:
    assert words("<p>One&nbsp;<!-- not <b> this -->two</p><!-- nor this") == ["one", "two"]
    assert words("<" * 100_000 + "<!--" * 100_000) == []


def test_half_of_a_character_is_no_traceback() -> None:
    assert tied(structs.replace(DOCUMENT, body="\ud800 and so on and so on")).text is None


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
def test_a_create_made_no_record_without_what_was_sent(echoed: dict[str, Any], *, another: bool) -> None:
    assert is_another(SENT, record("content/pages/about.md", **echoed)) is another
