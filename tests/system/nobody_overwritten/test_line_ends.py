"""The classic editor writes CRLF when somebody saves. That is not an edit, and no file gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support import embedded_wordpress
from tests.support.clones import bound, drift

from pressync.app import bind
from pressync.app.pull import PullOptions, pull
from pressync.app.revision import Revision
from pressync.model.changes import Blocked, Result
from pressync.model.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository
    from tests.support.syncing import Bound

    from pressync.pull.puller import Pulled

POST = "content/posts/a.md"
TEXT = '---\ntitle: A\nexcerpt: "One\\r\\ntwo"\n---\n\nOne\nline.\n\n```\ncode\nmore\n```\n'


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    with embedded_wordpress.serving() as service:
        yield service


def saved_by_the_classic_editor(wordpress: EmbeddedWordPress, number: int, **replaced: str) -> None:
    """Save a post as the form of wp-admin does: with CRLF in each text, and perhaps other words."""
    row = wordpress.shown[number]
    texts = {name: row[name]["raw"] for name in ("content", "excerpt")}
    for old, new in replaced.items():
        texts = {name: text.replace(old, new) for name, text in texts.items()}
    crlf = {name: text.replace("\r\n", "\n").replace("\n", "\r\n") for name, text in texts.items()}
    wordpress.post(f"posts/{number}", **crlf)
    assert wordpress.shown[number]["content"]["raw"].count("\r\n") > 3


def pulled(site: Bound, *paths: str) -> list[Pulled]:
    with site.workspace() as workspace:
        return pull(workspace, PullOptions(paths))


@pytest.mark.parametrize("blocks", ["", "[sites.default]\nblocks = true\n"])
def test_an_update_without_an_edit_is_not_a_conflict(
    repository: SampleRepository, wordpress: EmbeddedWordPress, blocks: str
) -> None:
    site = bound(repository, wordpress)
    repository.commit({POST: TEXT, "pressync.toml": blocks})
    assert [outcome.message for outcome in site.sync().outcomes] == [""]
    number = site.entries()[POST].id
    saved_by_the_classic_editor(wordpress, number)

    assert not [change for change in drift(site).changes if isinstance(change, Blocked)]
    assert pulled(site, POST) == []
    repository.commit({POST: TEXT.replace("line", "row")})
    assert [outcome.result for outcome in site.sync().outcomes] == [Result.DONE]


def test_a_pull_takes_the_words_and_no_line_end(
    repository: SampleRepository, wordpress: EmbeddedWordPress
) -> None:
    site = bound(repository, wordpress)
    repository.commit({POST: TEXT})
    site.sync()
    saved_by_the_classic_editor(wordpress, site.entries()[POST].id, more="less", One="Eins")

    (edited,) = pulled(site, POST)

    assert (edited.taken, edited.problems) == (("content", "excerpt"), ())
    assert b"\r" not in (repository.root / POST).read_bytes()
    assert "Eins\nline." in edited.after
    assert "```\ncode\nless\n```" in edited.after
    repository.commit()
    assert drift(site).pending == ()


def test_an_adopted_text_of_the_classic_editor_is_pulled_without_its_line_ends(
    repository: SampleRepository, wordpress: EmbeddedWordPress
) -> None:
    site = bound(repository, wordpress)
    number = wordpress.post(
        "posts", title="A", slug="a", status="publish", content="One.\r\n\r\nTwo,\r\nthree."
    )
    repository.commit({POST: "---\ntitle: A\n---\n\nOld.\n"})
    with site.workspace() as workspace:
        bind.adopt(workspace, {POST: number}, Revision())

    pulled(site, POST)

    assert (repository.root / POST).read_bytes() == b"---\ntitle: A\n---\n\nOne.\n\nTwo,\\\nthree.\n"


def test_a_manifest_of_an_earlier_version_has_the_line_ends_of_the_site(
    repository: SampleRepository, wordpress: EmbeddedWordPress
) -> None:
    """It noted a text as it was stored. Neither that text nor the one with LF is an edit."""
    site = bound(repository, wordpress)
    repository.commit({POST: TEXT})
    site.sync()
    number = site.entries()[POST].id
    theirs = "Theirs.\r\n\r\nTwo.\r\n"
    with site.workspace() as workspace, workspace.state(writable=True) as state:
        entry = state.manifest.entries[POST]
        state.put(replace(entry, changed_by_service={"content": fingerprint(theirs)}))
        state.save("Import")
    for stored in (theirs, theirs.replace("\r\n", "\n")):
        wordpress.post(f"posts/{number}", content=stored)
        assert not [change for change in drift(site).changes if isinstance(change, Blocked)]
    wordpress.post(f"posts/{number}", content="An edit.\r\n")
    assert [change.path for change in drift(site).changes if isinstance(change, Blocked)] == [POST]
