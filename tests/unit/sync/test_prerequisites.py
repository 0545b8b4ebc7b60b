"""A sync with names and files, from the plan to the manifest, on a service in memory."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from tests.support.library_repository import Shelf
from tests.support.library_service import LibraryService

from pressync.client.port import Term
from pressync.content import references
from pressync.content.references import NO_AUTHOR_TODO
from pressync.model.changes import Result
from pressync.model.errors import ContentError, Refused

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.client.port import Upload, Uploaded
    from pressync.model.changes import Call
    from pressync.model.records import Record

ABOUT, TEAM = "content/pages/about.md", "content/pages/team.md"


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    return Shelf(repository.root, "https://site.test/wp-json")


def fields(shelf: Shelf, slug: str) -> dict[str, object]:
    (record,) = (record for record in shelf.service.held.values() if record.slug == slug)
    return dict(record.fields)


def test_files_and_an_author_are_there_before_the_pages_that_need_them(
    shelf: Shelf, repository: SampleRepository
) -> None:
    shelf.service.people["anna"] = 2
    repository.commit(
        {ABOUT: "---\nauthor: anna\nfeatured_media: a.png\n---\n![a](a.png)\n", "content/pages/a.png": b"a"}
    )
    assert shelf.plan().notes == (
        "A sync looks up these authors among the site's users: anna.",
        "A sync uploads these files if the site does not have them: content/pages/a.png.",
        (
            "A sync first looks up the address of the new document on the site; "
            "`pressync plan --drift` looks now."
        ),
    )
    assert [outcome.result for outcome in shelf.sync().outcomes] == [Result.DONE]
    sent = fields(shelf, "about")
    assert (sent["author"], sent["featured_media"]) == (2, 200)
    assert 'src="https://site.test/files/a.png"' in str(sent["content"])
    assert shelf.plan().pending == ()
    assert shelf.plan().notes == ()
    assert shelf.sync().outcomes == ()


def test_a_file_is_uploaded_beside_the_pages_that_do_not_need_it(
    shelf: Shelf, repository: SampleRepository
) -> None:
    written = threading.Event()

    class Slow(LibraryService):
        """Takes a file only after it has the page that does not need it."""

        def carry_out(self, call: Call) -> Record:
            record = super().carry_out(call)
            if record.slug == "team":
                written.set()
            return record

        def upload(self, upload: Upload) -> Uploaded:
            assert written.wait(60)
            return super().upload(upload)

    shelf.service = Slow()
    repository.commit({ABOUT: "![a](a.png)\n", TEAM: "x\n", "content/pages/a.png": b"a"})
    assert [outcome.result for outcome in shelf.sync().outcomes] == [Result.DONE, Result.DONE]
    assert "/files/a.png" in str(fields(shelf, "about")["content"])


def test_an_author_whom_nobody_knows_is_a_problem_of_the_content_and_nothing_is_sent(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.commit({ABOUT: "---\nauthor: bob\n---\n", TEAM: "x\n"})
    with pytest.raises(ContentError) as caught:
        shelf.sync()
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"{ABOUT}:2: author 'bob': nobody has this name; write the user's id")
    assert shelf.service.calls == []
    run = shelf.sync(keep_going=True)
    assert {o.change.path: o.result for o in run.outcomes} == {ABOUT: Result.FAILED, TEAM: Result.DONE}
    failed = next(outcome.message for outcome in run.outcomes if outcome.change.path == ABOUT)
    assert failed == f"line 2: author 'bob': nobody has this name; {NO_AUTHOR_TODO}"


def test_a_file_that_is_refused_fails_its_pages_and_no_others(
    shelf: Shelf, repository: SampleRepository
) -> None:
    shelf.service.refuses["a.png"] = Refused("no such type", status=500)
    repository.commit({ABOUT: "![a](a.png)\n", TEAM: "x\n", "content/pages/a.png": b"a"})
    outcomes = {outcome.change.path: outcome for outcome in shelf.sync().outcomes}
    assert outcomes[TEAM].result is Result.DONE
    assert outcomes[ABOUT].result is Result.FAILED
    assert "content/pages/a.png was not uploaded: no such type" in outcomes[ABOUT].message
    shelf.service.refuses.clear()
    assert [outcome.result for outcome in shelf.sync().outcomes] == [Result.DONE]


def test_a_picture_that_changed_is_uploaded_anew_and_the_old_one_reported_and_kept(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.commit({ABOUT: "![a](a.png)\n", "content/pages/a.png": b"one"})
    shelf.sync()
    repository.commit({"content/pages/a.png": b"two"})
    (change,) = shelf.plan().pending
    assert change.path == ABOUT
    shelf.sync()
    assert sorted(data for _, data in shelf.service.files.values()) == [b"one", b"two"]
    assert shelf.plan().notes == (
        (
            "No document of this repository uses these uploads any more: the former content/pages/a.png "
            "(media 200); delete those that the site does not use in its media library."
        ),
    )


BLOCKS = 'sites.x = {url = "https://site.test/wp-json", dialect = "wordpress", blocks = true}\n'
GALLERY = (
    '<!-- wp:image {"id":7,"sizeSlug":"large"} -->\n<figure class="wp-block-image size-large">'
    '<img src="a.png" alt="" class="wp-image-7"/></figure>\n<!-- /wp:image -->\n'
)


def test_a_picture_is_sent_with_the_id_of_its_upload_and_a_replaced_one_with_the_new_id(
    shelf: Shelf, repository: SampleRepository
) -> None:
    files = {ABOUT: "![a](a.png)\n", TEAM: f"Text\n\n{GALLERY}"}
    repository.commit({**files, "pressync.toml": BLOCKS, "content/pages/a.png": b"one"})
    shelf.sync()
    (first,) = (made for made, _ in shelf.service.files.values())
    assert fields(shelf, "about")["content"] == (
        f'<!-- wp:image {{"id":{first.id},"sizeSlug":"full","linkDestination":"none"}} -->\n'
        f'<figure class="wp-block-image size-full"><img src="{first.link}" alt="a" '
        f'class="wp-image-{first.id}"/></figure>\n<!-- /wp:image -->'
    )
    assert GALLERY.replace("7", str(first.id)).replace("a.png", first.link).strip() in str(
        fields(shelf, "team")["content"]
    )
    assert shelf.plan().pending == ()
    repository.commit({"content/pages/b.png": b"two", ABOUT: "![a](b.png)\n"})
    repository.remove("content/pages/a.png")
    repository.commit({TEAM: f"Text\n\n{GALLERY}".replace("a.png", "b.png")})
    shelf.sync()
    for page in ("about", "team"):
        content = str(fields(shelf, page)["content"])
        assert f"wp-image-{first.id}" not in content
        assert f'"id":{first.id}' not in content
        assert content.count(str(first.id + 1)) == 2


def test_a_record_that_has_its_pictures_without_ids_stays_until_its_body_changes(
    shelf: Shelf, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version before sent pictures without ids."""
    with monkeypatch.context() as before:
        before.setattr(references, "with_ids", lambda page, _ids: page)
        repository.commit(
            {ABOUT: "![a](a.png)\n", "pressync.toml": BLOCKS, "content/pages/a.png": b"a", TEAM: "x\n"}
        )
        shelf.sync()
    assert "wp-image" not in str(fields(shelf, "about")["content"])
    assert shelf.sync().outcomes == ()
    assert shelf.drift().pending == ()
    repository.commit({"templates/page.html": "{{ content }}", ABOUT: "---\ntitle: A\n---\n![a](a.png)\n"})
    (change,) = shelf.plan().pending
    assert "content" not in getattr(change, "fields", ()), "the body is read again, and stays"
    repository.commit({ABOUT: "![a](a.png)\n\nMore\n"})
    shelf.sync()
    assert "wp-image-200" in str(fields(shelf, "about")["content"])


def test_a_term_that_was_removed_on_the_site_is_made_again(
    shelf: Shelf, repository: SampleRepository
) -> None:
    post = "content/posts/x.md"
    repository.commit({post: "---\ntags: [a]\n---\n"})
    shelf.sync()
    assert fields(shelf, "x")["tags"] == (100,)
    shelf.service.has["tags"] = [Term(300, "other", "other", 0)]
    repository.commit({post: "---\ntags: [a, other]\n---\n"})
    (outcome,) = shelf.sync().outcomes
    assert outcome.message == ""
    assert fields(shelf, "x")["tags"] == (101, 300)
    assert shelf.plan().pending == ()


def test_a_sync_that_is_stopped_makes_no_more_terms_files_or_pages(
    shelf: Shelf, repository: SampleRepository
) -> None:
    stop = threading.Event()
    repository.commit(
        {"content/posts/a.md": "---\ntags: [one, two]\n---\n![a](a.png)\n", "content/posts/a.png": b"a"}
    )
    made = shelf.service.make_term

    def stopping(field: str, name: str, parent: int) -> int:
        stop.set()
        return made(field, name, parent)

    shelf.service.make_term = stopping  # type: ignore[method-assign]
    assert [outcome.result for outcome in shelf.sync(stop=stop).outcomes] == [Result.SKIPPED]
    assert [asked for asked in shelf.service.asked if not asked.startswith("terms")] == [
        "make tags one below 0"
    ]
    assert [outcome.result for outcome in shelf.sync().outcomes] == [Result.DONE]


def test_a_wrong_user_in_the_table_of_authors_is_told_once_and_where_it_stands(
    shelf: Shelf, repository: SampleRepository
) -> None:
    table = '[authors]\n"Jane Doe" = "jnae"\n'
    text = "---\nauthor: Jane Doe\n---\nText\n"
    repository.commit({"pressync.toml": table, ABOUT: text, TEAM: text})
    with pytest.raises(ContentError) as caught:
        shelf.sync()
    (problem,) = caught.value.problems
    assert str(problem) == (
        "pressync.toml: [authors]: 'jnae': nobody has this name; correct the user below `[authors]`"
    )


def test_a_wrong_user_in_a_table_of_an_earlier_version_is_told_with_the_table(
    shelf: Shelf, repository: SampleRepository
) -> None:
    table = "author,items,user\nJane Doe,2,jnae\n"
    repository.commit({".pressync/import/authors.csv": table, ABOUT: "---\nauthor: Jane Doe\n---\nText\n"})
    with pytest.raises(ContentError) as caught:
        shelf.sync()
    (problem,) = caught.value.problems
    what = "[authors]: 'jnae': nobody has this name; correct the user below `[authors]`"
    assert str(problem) == f".pressync/import/authors.csv: {what}"
