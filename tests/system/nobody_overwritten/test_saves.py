"""A plug-in changes a record in the save of ours, as Polylang does: it is told once, and is nobody's edit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.support.library_repository import Shelf

from pressync.client.terms import Term
from pressync.model.changes import Result
from pressync.model.fingerprint import fingerprint
from pressync.sync import control

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.model.changes import Outcome
    from pressync.model.records import Fields, Value

OTHER = "content/posts/other.md"
POST, PAGE, HOME = "content/posts/p.md", "content/pages/p.md", "content/pages/home.md"
COLOUR, COLOR, OLD = (
    Term(number, name, name, 0) for number, name in ((1, "colour"), (2, "color"), (3, "old"))
)


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    """Bind the repository to a site with three tags."""
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    shelf.service.has["tags"] = [COLOUR, COLOR, OLD]
    return shelf


def post(*tags: str, text: str = "Text.") -> str:
    return f"---\ntags: [{', '.join(tags)}]\n---\n{text}\n"


def translated(fields: Fields) -> Fields:
    """Put one tag into the place of the other."""
    tags = fields.get("tags", ())
    assert isinstance(tags, tuple)
    return {"tags": tuple(sorted({COLOR.id if tag == COLOUR.id else tag for tag in tags}))}


def merged(shelf: Shelf, fields: Fields) -> Fields:
    """Put one tag into the place of the other, and delete it, as a plug-in for aliases does."""
    tags = fields.get("tags", ())
    assert isinstance(tags, tuple)
    aliases = {term.id for term in shelf.service.has["tags"] if term.name == COLOUR.name}
    for alias in aliases.intersection(tags):
        shelf.service.lose("tags", alias)
    return {"tags": tuple(sorted({COLOR.id if tag in aliases else tag for tag in tags}))}


def without_colour(fields: Fields) -> Fields:
    """Take a tag out."""
    tags = fields.get("tags", ())
    assert isinstance(tags, tuple)
    return {"tags": tuple(tag for tag in tags if tag != COLOUR.id)}


def done(shelf: Shelf) -> Outcome:
    """Sync the one change, and see that nothing is left to do, here and on the site."""
    (outcome,) = shelf.sync().outcomes
    assert outcome.result is Result.DONE
    assert not shelf.plan().pending
    assert not shelf.drift().pending
    assert shelf.sync().outcomes == ()
    return outcome


@pytest.mark.parametrize(("saves", "left"), [(translated, "[2,3]"), (without_colour, "[3]")])
def test_a_term_that_the_site_replaces_or_takes_out_is_told_once(
    shelf: Shelf, repository: SampleRepository, saves: object, left: str
) -> None:
    shelf.service.saves = saves  # type: ignore[assignment]
    repository.commit({POST: post("colour", "old")})
    assert done(shelf).message == f"tags: changed by the service from '[1,3]' to '{left}'"
    repository.commit({POST: post("colour", "old", text="Another text.")})
    assert done(shelf).message == ""
    assert not any(asked.startswith("make") for asked in shelf.service.asked)


def test_an_update_of_terms_alone_that_gives_the_former_ones_is_told_once_if_the_site_saved_it(
    shelf: Shelf, repository: SampleRepository
) -> None:
    shelf.service.saves = translated
    repository.commit({POST: post("colour", "old")})
    done(shelf)
    repository.commit({POST: post("colour", "color", "old")})
    shelf.service.time = "later"
    assert done(shelf).message == "tags: changed by the service from '[1,2,3]' to '[2,3]'"

    # A site that ignores an update gives the record of before, with its time.
    (record,) = shelf.service.held.values()
    shelf.service.saves = lambda _fields: record.fields
    repository.commit({POST: post("old")})
    for _ in range(2):
        (outcome,) = shelf.sync().outcomes
        assert outcome.result is Result.FAILED
        assert "has nothing of what was sent (tags)" in outcome.message
        assert shelf.plan().pending


def test_a_term_that_the_site_merges_into_another_and_deletes_is_told_once(
    shelf: Shelf, repository: SampleRepository
) -> None:
    shelf.service.has["tags"] = [COLOR, OLD]
    shelf.service.saves = partial(merged, shelf)
    repository.commit({POST: post("colour", "old"), OTHER: post("colour")})

    told = {each.change.path: each.message for each in shelf.sync().outcomes}

    # The second post has the term, too. The site has deleted it by then, and puts nothing in its place.
    assert told == {
        OTHER: "tags: changed by the service from '[100]' to '[2]'",
        POST: "tags: changed by the service from '[3,100]' to '[3]'",
    }
    assert not shelf.plan().pending
    assert not shelf.drift().pending
    assert shelf.sync().outcomes == ()
    # The site lost nothing, so a later edit neither makes the term again nor blames somebody.
    shelf.heard.clear()
    repository.commit({POST: post("colour", "old", text="Another text.")})
    assert done(shelf).message == ""
    assert shelf.heard == []
    assert shelf.service.asked.count("make tags colour below 0") == 1
    repository.commit({POST: post("colour", "old", "color")})
    shelf.sync()
    assert shelf.service.asked.count("make tags colour below 0") == 2, "the document sends it"


def test_a_picture_that_the_site_deletes_in_the_save_is_told_once(
    shelf: Shelf, repository: SampleRepository
) -> None:
    def without_picture(fields: Fields) -> Fields:
        shelf.service.files.clear()
        return {"featured_media": 0} if fields.get("featured_media") else {}

    shelf.service.saves = without_picture
    repository.write("content/posts/x.png", b"a picture")
    repository.commit({POST: "---\nfeatured_media: x.png\n---\nText.\n"})
    assert done(shelf).message == "featured_media: changed by the service from '200' to '0'"
    repository.commit({POST: "---\nfeatured_media: x.png\ntitle: Another\n---\nText.\n"})
    assert done(shelf).message == ""
    shelf.heard.clear()
    repository.commit({POST: "---\nfeatured_media: x.png\ntitle: Another\n---\nAnother text.\n"})
    assert done(shelf).message == ""
    assert shelf.heard == []
    assert shelf.service.asked.count("upload x.png") == 1
    repository.commit({POST: "---\nfeatured_media: x.png\ntitle: Another\n---\n![X](x.png)\n"})
    shelf.sync()
    assert shelf.service.asked.count("upload x.png") == 2, "the text shows it"


def test_a_term_that_somebody_deletes_in_a_run_comes_back_to_every_record(
    shelf: Shelf, repository: SampleRepository
) -> None:
    def deleted(_fields: Fields) -> Fields:
        shelf.service.lose("tags", COLOUR.id)
        shelf.service.saves = None
        return {"tags": ()}

    shelf.service.saves = deleted
    repository.commit({POST: post("colour"), OTHER: post("colour")})
    shelf.sync()
    assert {each.path for each in shelf.plan().pending} == {POST, OTHER}
    shelf.sync()
    assert {record.fields["tags"] for record in shelf.service.held.values()} == {(100,)}
    assert not shelf.drift().pending


def test_terms_that_the_site_translates_in_a_save_of_the_text_are_no_edit(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.commit({POST: post("colour", "old")})
    shelf.sync()
    shelf.service.saves = translated
    repository.commit({POST: post("colour", "old", text="Another text.")})
    assert done(shelf).message == "tags: changed by the service to '[2,3]', as an effect of this update"
    repository.commit({POST: post("colour", "old", text="A third text.")})
    assert done(shelf).message == ""


@pytest.fixture
def page(shelf: Shelf, repository: SampleRepository) -> Shelf:
    """Sync a page below another one, and edit its text."""
    repository.commit({HOME: "# Home\n", PAGE: f"---\nparent: {HOME}\nweight: 4\n---\n# P\n\nText.\n"})
    shelf.sync()
    repository.commit({PAGE: f"---\nparent: {HOME}\nweight: 4\n---\n# P\n\nAnother text.\n"})
    return shelf


def test_a_parent_that_the_site_changes_in_the_save_is_told_once(page: Shelf) -> None:
    page.service.saves = lambda fields: {"parent": 0} if "Another" in str(fields["content"]) else {}
    assert done(page).message == "parent: changed by the service to '0', as an effect of this update"
    assert page.entries()[PAGE].changed_by_service["parent"] == fingerprint(0)


@pytest.mark.parametrize(("name", "value"), [("title", "Theirs"), ("excerpt", "Theirs")])
def test_a_text_that_changes_in_the_save_is_an_edit(
    page: Shelf, repository: SampleRepository, name: str, value: Value
) -> None:
    repository.commit({PAGE: "---\nexcerpt: Ours\n---\n# P\n\nText.\n"})
    page.sync()
    page.service.saves = lambda _fields: {name: value}
    repository.commit({PAGE: "---\nexcerpt: Ours\n---\n# P\n\nA third text.\n"})
    (outcome,) = page.sync().outcomes
    assert f"{name} was changed on the site by somebody else" in outcome.message
    assert page.entries()[PAGE].conflict == {name: value}


def test_an_edit_that_the_read_before_the_save_has_shown_stays_one(
    page: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "RECENT", -1.0)
    number = page.entries()[PAGE].id
    records, fields, looks = page.service.records, page.service.held[number].fields, []

    def edited(kind: object, ids: object) -> object:
        """Unpublish the page between the look of the plan and that before the write."""
        looks.append(ids)
        if len(looks) == 2:
            page.service.hold(number, **{**fields, "status": "draft"})  # type: ignore[arg-type]
        return records(kind, ids)  # type: ignore[arg-type]

    monkeypatch.setattr(page.service, "records", edited)
    (outcome,) = page.sync().outcomes
    assert "status was changed on the site by somebody else" in outcome.message
    assert page.entries()[PAGE].conflict == {"status": "draft"}
