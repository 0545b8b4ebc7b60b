"""Notes of editors in whole runs: they are no edit, and no write loses one.

The real editor's own notes are in `tests/live/test_notes.py`.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

import pytest
from tests.support import clones
from tests.support.undoing import rolled_back

from pressync.app.pull import PullOptions, pull
from pressync.client.wordpress import notes
from pressync.client.wordpress.service import AnchoredNotes
from pressync.html.notes import notes_of
from pressync.model.changes import Blocked, Result
from pressync.model.errors import ConfigError, Gone, NoAnswer, Refused
from pressync.stage.server.wordpress import registered

if TYPE_CHECKING:
    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository
    from tests.support.syncing import Bound

    from pressync.client.port import HttpRequest, HttpResponse

PAGE, OTHER = "content/pages/page.md", "content/pages/other.md"
TEXT = '# Page\n\n## Head "one"\n\nSome words of it.\n\n- item\n\n| a |\n|---|\n| b |\n\nLast words.\n'
HTML = "# Page\n\nSome words of it.\n\nLast words.\n"
BLOCKS = "[sites.default]\nblocks = true\n"
ATTRIBUTES = '{"metadata":{"noteId":[10]}}'


@pytest.fixture(params=["blocks", "html"])
def page(request: pytest.FixtureRequest, repository: SampleRepository, site: EmbeddedWordPress) -> Bound:
    """Sync a page, with `blocks = true` and without."""
    files = {PAGE: TEXT, "pressync.toml": BLOCKS} if request.param == "blocks" else {PAGE: HTML}
    repository.commit(files)
    bound = clones.bound(repository, site)
    bound.sync()
    repository.commit()
    return bound


def content(site: EmbeddedWordPress, number: int) -> str:
    """Give the content that the service stores."""
    return str(site.shown[number]["content"]["raw"])


def put_note(site: EmbeddedWordPress, number: int, before: str = "", note: int = 10) -> None:
    """Put a note on the first block, or on that before whose text is `before`, as the editor does."""
    raw = content(site, number)
    place = raw.rindex("<!-- wp:", 0, raw.index(before) if before else None) if before else 0
    end = raw.index("-->", place)
    name = raw[place:end].split(" ")[1]
    attributes = f'{{"metadata":{{"noteId":[{note}]}}}}'
    assert "{" not in raw[place:end]
    site.post(f"pages/{number}", content=f"{raw[:place]}<!-- {name} {attributes} {raw[end:]}")


@pytest.mark.parametrize(
    ("edit", "overwrite"),
    [
        (("Last", "Very last"), False),
        (("Some words of it.\n", "Few words of it.\n"), True),
        ((HTML[8:], ""), False),
    ],
)
def test_no_update_loses_a_note(
    page: Bound,
    repository: SampleRepository,
    site: EmbeddedWordPress,
    edit: tuple[str, str],
    overwrite: bool,
) -> None:
    (number,) = site.shown
    put_note(site, number)
    before = (repository.root / PAGE).read_text()
    repository.commit({PAGE: before.replace(*edit) if edit[0] in before else "# Page\n"})
    (outcome,) = page.sync(overwrite=overwrite).outcomes
    assert (outcome.result, outcome.message) == (Result.DONE, "")
    assert notes_of(content(site, number)) == (10,)
    repository.commit()
    assert page.sync().outcomes == ()
    # The note is deleted: its anchor goes, and that is not an edit either.
    site.post(
        f"pages/{number}", content=re.sub(r' \{"metadata":\{"noteId":\[10\]\}\}', "", content(site, number))
    )
    assert [each for each in clones.drift(page).changes if isinstance(each, Blocked)] == []


def test_an_edit_beside_a_note_comes_back_alone(
    repository: SampleRepository, site: EmbeddedWordPress
) -> None:
    repository.commit({PAGE: TEXT, "pressync.toml": BLOCKS})
    bound = clones.bound(repository, site)
    bound.sync()
    repository.commit()
    (number,) = site.shown
    for note, words in enumerate(("Head", "Some", "<li>item"), 10):
        put_note(site, number, words, note)
    edited = content(site, number).replace("Last words", "Last words of theirs").replace("Head", "The head")
    site.post(f"pages/{number}", content=edited)

    with bound.workspace() as workspace:
        (result,) = pull(workspace, PullOptions((PAGE,)))

    assert result.problems == ()
    text = TEXT.replace("Last words", "Last words of theirs").replace("Head", "The head")
    assert (repository.root / PAGE).read_text() == text
    repository.commit({PAGE: text.replace("Some words", "Few words")})
    bound.sync()
    raw = content(site, number)
    assert notes_of(raw) == (10, 11, 12)
    assert '"noteId":[11]}} -->\n<p>Few words' in raw


def test_a_write_is_done_although_the_site_does_not_say_whether_it_knows_notes(
    repository: SampleRepository, site: EmbeddedWordPress, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> bool:
        raise NoAnswer("nothing came back")

    monkeypatch.setattr(AnchoredNotes, "_knows_notes", lost)
    block = f"<!-- wp:paragraph {ATTRIBUTES} -->\n<p>Text</p>\n<!-- /wp:paragraph -->\n"
    repository.commit({PAGE: f"# Page\n\n{block}", OTHER: f"# Other\n\n{block}"})

    outcomes = clones.bound(repository, site).sync().outcomes

    assert [outcome.result for outcome in outcomes] == [Result.DONE, Result.DONE]


def test_a_rollback_keeps_notes(page: Bound, repository: SampleRepository, site: EmbeddedWordPress) -> None:
    (number,) = site.shown
    put_note(site, number)
    before = content(site, number)
    text = (repository.root / PAGE).read_text()
    repository.commit({PAGE: text.replace("Last", "Very last")})
    page.sync()
    repository.commit()
    rolled_back(page)
    assert content(site, number) == before


def test_a_body_may_have_the_bytes_of_a_note(repository: SampleRepository, site: EmbeddedWordPress) -> None:
    marked = '<mark class="wp-note" data-id="10">w</mark>'
    own = f"<!-- wp:paragraph {ATTRIBUTES} -->\n<p>Some {marked}</p>\n"
    repository.commit({PAGE: f"# Page\n\n{own}<!-- /wp:paragraph -->\n\nText.\n", "pressync.toml": BLOCKS})
    bound = clones.bound(repository, site)
    bound.sync()
    repository.commit()
    assert bound.sync().outcomes == ()
    assert [each for each in clones.drift(bound).changes if isinstance(each, Blocked)] == []
    (number,) = site.shown
    assert f"wp:paragraph {ATTRIBUTES} -->" in content(site, number)


@pytest.mark.parametrize("paths", [(), (PAGE,)])
def test_markdown_in_which_an_earlier_version_left_notes_comes_back(
    repository: SampleRepository,
    site: EmbeddedWordPress,
    paths: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repository.commit({PAGE: TEXT, "pressync.toml": BLOCKS})
    bound = clones.bound(repository, site)
    bound.sync()
    repository.commit()
    (number,) = site.shown
    for note, words in enumerate(("Head", "Some", "<li>item"), 10):
        put_note(site, number, words, note)
    with monkeypatch.context() as earlier:
        # For an earlier version the notes were a part of the text.
        earlier.setattr(registered, "_SUPPORTS", {"editor": True})
        with bound.workspace() as workspace:
            (result,) = pull(workspace, PullOptions((PAGE,)))
    assert result.problems == ()
    assert notes_of((repository.root / PAGE).read_text()) == (10, 11, 12)
    repository.commit()
    assert bound.sync().outcomes == ()

    with bound.workspace() as workspace:
        (result,) = pull(workspace, PullOptions(paths))

    assert result.problems == ()
    assert (repository.root / PAGE).read_text() == TEXT
    repository.commit()
    assert bound.sync().outcomes == ()
    assert [each for each in clones.drift(bound).changes if isinstance(each, Blocked)] == []
    assert notes_of(content(site, number)) == (10, 11, 12)
    with bound.workspace() as workspace:
        assert pull(workspace, PullOptions(paths)) == []


@pytest.mark.parametrize(
    ("refusal", "listed", "resolved"),
    [
        (Refused("the password is wrong", status=401), Refused, Refused),
        (Refused("not for an author", status=403), None, Refused),
        (Gone("no such comment", status=404), None, ConfigError),
    ],
    ids=str,
)
def test_a_refusal_of_the_credentials_is_not_taken_for_a_site_without_notes(
    refusal: Refused, listed: type[Exception] | None, resolved: type[Exception]
) -> None:
    def send(_request: HttpRequest) -> HttpResponse:
        raise refusal

    with pytest.raises(listed) if listed else contextlib.nullcontext():
        assert notes.open_notes(send) == []
    with pytest.raises(resolved):
        notes.resolve(send, 7, "Resolved.")
