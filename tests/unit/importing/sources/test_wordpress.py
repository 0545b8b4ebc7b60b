"""A live site is read as its editor sees it, or as a visitor, and the password goes to no other address."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.live.sites import open_at
from tests.support import embedded_wordpress, wordpress_lookalike
from tests.support.embedded_wordpress import PASSWORD, USER, EmbeddedWordPress
from tests.support.wire import End, Received, Reply

from pressync.client.credentials import basic
from pressync.client.retry import Patience, Retry
from pressync.client.wordpress.whole_site import WholeWordPress
from pressync.config import settings
from pressync.importing.sources import wordpress
from pressync.importing.sources.item import (
    Form,
    ImportSource,
    Item,
    KnownFile,
    LeftOut,
    Note,
    Origin,
    OwnFacts,
    OwnSite,
)
from pressync.model.errors import ConfigError
from pressync.model.records import Name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pressync.client.abilities import Row
    from pressync.client.port import Service
    from pressync.model.interface import Kind

    Make = Callable[..., int]


@pytest.fixture
def make(site: EmbeddedWordPress) -> Make:
    """Give the function that makes a record on the site."""

    def made(route: str = "pages", **fields: object) -> int:
        return site.post(route, **{"status": "publish", **fields})

    return made


def source(
    url: str,
    password: str = PASSWORD,
    *,
    at: str = "",
    all_statuses: bool = False,
    known: KnownFile | None = None,
) -> ImportSource:
    """Give the source at an address, for a repository that is synced to `at`."""

    @contextmanager
    def connect() -> Iterator[Service]:
        with closing(open_at(url, basic(USER, password) if password else None)) as service:
            yield service

    found = settings.load(None, where="test", environ={"PRESSYNC_URL": url, "PRESSYNC_DIALECT": "wordpress"})
    files = {(known.entry.kind, known.entry.id): known} if known else {}
    own = OwnSite(at or url, connect, lambda: files)
    return ImportSource(url, settings=found, own=own, all_statuses=all_statuses)


def read(source: ImportSource) -> tuple[dict[str, Item], list[LeftOut]]:
    found = [each for each in wordpress.items(source) if not isinstance(each, OwnFacts)]
    items = {each.title: each for each in found if isinstance(each, Item)}
    return items, [each for each in found if isinstance(each, LeftOut)]


def facts(source: ImportSource) -> OwnFacts | None:
    """Give what the importer found out about the own site; None if it is not the source."""
    return next((each for each in wordpress.items(source) if isinstance(each, OwnFacts)), None)


def asked_with_password(site: EmbeddedWordPress) -> set[bool]:
    return {"Authorization" in one.headers for one in site.received}


def test_an_editor_gets_the_stored_texts_and_the_manifest_them_too(
    site: EmbeddedWordPress, make: Make
) -> None:
    about = make(title="About", content="One\n\nTwo")
    make(
        title="Team",
        parent=about,
        menu_order=2,
        content="<!-- wp:paragraph --><p>We</p><!-- /wp:paragraph -->",
    )
    make(title="Plan", content="Secret", status="draft")
    asked = source(site.url)
    items, left = read(asked)
    own = facts(asked)
    found = list(wordpress.items(asked))
    assert isinstance(found[0], Origin)
    assert any(isinstance(each, Note) and "blocks = true" in each.text for each in found)
    assert (items["About"].body, items["About"].form, items["About"].id) == ("One\n\nTwo", Form.BLOCKS, about)
    assert (items["Team"].parent, items["Team"].order) == (items["About"].key, 2)
    assert [each.kind for each in left] == ["draft"]
    assert read(source(site.url, all_statuses=True))[0]["Plan"].status == "draft"
    assert own is not None
    assert own.seen[items["About"].key].id == about
    assert Name("author", items["About"].author) in own.names


def test_a_visitor_gets_what_is_published_and_no_ids(site: EmbeddedWordPress, make: Make) -> None:
    make(title="About", content="<p>One</p>")
    make(title="Plan", status="draft")
    asked = source(site.url, password="")
    items, _ = read(asked)
    assert [*items] == ["About"]
    assert (items["About"].form, items["About"].id) == (Form.HTML, None)
    assert "<p>One</p>" in items["About"].body
    assert facts(asked) is None


@pytest.mark.parametrize("at", ["https://example.org/wp-json", "{url}/other", "ftp://nowhere"])
def test_the_password_goes_to_the_configured_site_only(site: EmbeddedWordPress, make: Make, at: str) -> None:
    make(title="About")
    site.received.clear()
    items, _ = read(source(site.url, at=at.format(url=site.url)))
    assert [*items] == ["About"]
    assert asked_with_password(site) == {False}


def test_the_interface_is_found_from_the_address_of_the_site_without_a_password() -> None:
    with wordpress_lookalike.serving() as lookalike:
        assert wordpress.interface_of(f"{lookalike.url}/") == lookalike.base
        assert {has_password for _, _, has_password in lookalike.asked} == {False}


def test_a_site_that_cannot_be_read_says_why(site: EmbeddedWordPress) -> None:
    with pytest.raises(ConfigError, match="application password"):
        read(source(site.url, password="wrong"))
    with pytest.raises(ConfigError, match="without encryption"):
        wordpress.interface_of("http://example.org/")


def test_the_address_of_one_page_is_read_as_that_of_the_whole_site_and_a_note_says_so(
    site: EmbeddedWordPress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wordpress, "discover", lambda _address, tell: site.url)  # noqa: ARG005
    (origin,) = (each for each in wordpress.items(ImportSource(site.url)) if isinstance(each, Origin))

    def notes(path: str) -> list[str]:
        found = wordpress.items(ImportSource(f"{origin.address}{path}"))
        return [each.text for each in found if isinstance(each, Note)]

    home = origin.address
    told = "The whole site was read; `--under /imprint/` imports what is below it."
    assert notes("/imprint/") == [f"{home}/imprint/ is one address of {home}. {told}"]
    assert notes("") == notes("/") == []


def test_a_site_that_does_not_answer_cannot_be_read() -> None:
    with embedded_wordpress.serving() as site:
        gone = site.url
    with pytest.raises(ConfigError, match="connection refused"):
        read(ImportSource(gone))


@pytest.mark.parametrize("lost", [1, 2, 20])
def test_a_reading_that_breaks_off_in_the_middle_is_repeated_and_then_says_how_far_it_came(
    site: EmbeddedWordPress, make: Make, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    for number in range(101):
        make(title=f"{number}")
    cuts, heard, take = list(range(lost)), list[str](), site.take

    def cut(received: Received) -> tuple[bytes, End]:
        if "/posts?" not in received.path or "orderby" not in received.path or not cuts:
            return take(received)
        cuts.pop()
        return b"", End.CLOSE

    monkeypatch.setattr(site, "take", cut)
    retry = Retry(Patience(unanswered_attempts=3, jitter=0), lambda _seconds: None, heard.append)
    asked = replace(source(site.url), retry=retry)
    if lost < 3:
        assert len(read(asked)[0]) == 101
        assert len(heard) == lost
        assert heard[0].endswith("trying again in 0.5 s")
        return
    with pytest.raises(
        ConfigError, match=r"\(101 pages and posts were read before, and nothing was writt"
    ) as told:
        read(asked)
    assert told.value.todo.startswith("import again when the site answers")


def test_a_broken_record_is_left_out(
    site: EmbeddedWordPress, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = make(title="Broken")
    make(title="About")
    rows = WholeWordPress.records

    def without_slug(self: WholeWordPress, kind: Kind) -> Iterator[Row]:
        return ({**row, "slug": None} if row["id"] == broken else row for row in rows(self, kind))

    monkeypatch.setattr(WholeWordPress, "records", without_slug)
    items, left = read(source(site.url))
    assert [*items] == ["About"]
    assert [each.kind for each in left] == ["broken record"]


def test_a_record_that_somebody_deletes_while_the_site_is_read_is_not_a_hidden_one(
    site: EmbeddedWordPress, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(title="About")
    gone = make(title="Gone")
    rows = WholeWordPress.records

    def after_a_deletion(self: WholeWordPress, kind: Kind) -> Iterator[Row]:
        site.client.delete(f"/wp-json/wp/v2/pages/{gone}?force=true", auth=(USER, PASSWORD))
        return rows(self, kind)

    monkeypatch.setattr(WholeWordPress, "records", after_a_deletion)
    items, left = read(source(site.url))
    assert ([*items], left) == (["About"], [])


@pytest.mark.parametrize(
    ("status", "answer", "why"),
    [
        (
            403,
            {"code": "rest_cannot_view", "message": "No."},
            "the service refused with 403: rest_cannot_view: No",
        ),
        (500, {"code": "x", "message": "Oops"}, "the service answered 500: x: Oops"),
        (200, [1], "the response is JSON but not an object"),
        (200, {"page": None}, "the response to GET /wp/v2/types is not a map of objects"),
    ],
)
def test_an_own_site_whose_schema_cannot_be_read_is_imported_and_says_why(  # noqa: PLR0917 - fixtures and cases
    site: EmbeddedWordPress,
    make: Make,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    answer: object,
    why: str,
) -> None:
    make(title="About")
    respond = site.respond
    monkeypatch.setattr(
        site, "respond", lambda got: Reply(status, answer) if "/wp/v2/types" in got.path else respond(got)
    )
    waited = list[float]()
    retry = Retry(Patience(9, 9), waited.append, lambda _: None)
    found = list(wordpress.items(replace(source(site.url), retry=retry)))
    note, *others = (each.text for each in found if isinstance(each, Note))
    assert note.startswith(f"The types and fields of the site cannot be read: {why}. Pages and posts are ")
    uncounted = "Comments, menus and records of other types cannot all be counted: the "
    assert [each.startswith(uncounted) for each in others] == [True] * (answer != {"page": None})
    # A person waits for it.
    assert sum(waited) < 5
    assert [each.title for each in found if isinstance(each, Item)] == ["About"]
    assert [each.schema for each in found if isinstance(each, Origin)] == [None]


def test_an_import_that_ends_says_that_the_schema_could_not_be_read_before(
    site: EmbeddedWordPress, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Reply(403, {"code": "rest_cannot_view", "message": "No."})
    respond = site.respond
    monkeypatch.setattr(
        site,
        "respond",
        lambda got: refused if "/wp/v2/types" in got.path or "/wp/v2/pages" in got.path else respond(got),
    )
    with pytest.raises(
        ConfigError, match="Before that: The types and fields of the site cannot be read: the"
    ):
        list(wordpress.items(source(site.url)))
