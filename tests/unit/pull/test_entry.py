"""What the manifest says once an edit has been taken into the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from tests.support.builders import desired, entry, prints

from pressync.model.fingerprint import UNSURE, fingerprint
from pressync.model.interface import Kind
from pressync.model.records import Document, Prepared, Record
from pressync.pull.entry import after_pull, differing, remote_edits

if TYPE_CHECKING:
    from pressync.model.records import Entry

PATH = "content/pages/about.md"


def record(**fields: Any) -> Record:  # noqa: ANN401 - any field's value
    """Make what the site has, which is what was sent but for these fields."""
    known = {"title": "About", "slug": "about", "content": "<p>about</p>", "status": "publish", **fields}
    return Record(
        Kind.PAGE, 7, str(known["slug"]), f"https://site.test/{known['slug']}/", "later", "later", known
    )


def theirs(**fields: Any) -> Prepared:  # noqa: ANN401 - any field's value
    """Make a document that says what was sent but for these fields."""
    said = {"title": "About", "slug": "about", "content": "<p>about</p>", **fields}
    document = Document(PATH, "", Kind.PAGE, {}, "", 1)
    return Prepared(document, desired(PATH, fingerprints=prints(PATH, **fields), basis="new"), said)


def after(there: Record, here: Prepared, *taken: str, before: Entry | None = None) -> Entry:
    """Give the entry once these fields have been taken."""
    return after_pull(before or entry(PATH), there, here, taken=taken, blob="t" * 40, commit="c" * 40)


def test_an_edit_is_what_is_neither_what_was_sent_nor_what_the_service_made_of_it() -> None:
    bent = replace(entry(PATH), changed_by_service={"slug": fingerprint("about-2")})
    assert remote_edits(bent, record(slug="about-2")) == {}
    assert remote_edits(bent, record(slug="about-3", excerpt="not ours")) == {"slug": "about-3"}
    unsure = replace(bent, fingerprints={**bent.fingerprints, "title": UNSURE})
    assert remote_edits(unsure, record(title="New", slug="about-2")) == {}


def test_a_record_never_written_differs_where_the_file_says_otherwise() -> None:
    assert differing({"title": "About", "weight": 1}, record(title="Us")) == {"title": "Us"}


def test_a_field_that_the_file_says_now_is_settled() -> None:
    there = record(title="Us", slug="us")
    made = after(there, theirs(title="Us", slug="us"), "title", "slug")
    assert made.fingerprints["title"] == fingerprint("Us")
    assert (made.conflict, made.changed_by_service, made.blob, made.basis) == ({}, {}, "t" * 40, "new")
    assert (made.slug, made.link, made.modified) == ("us", there.link, "later")
    assert made.former == ("https://site.test/about/",)


def test_a_content_that_reads_alike_is_what_the_service_made_of_ours() -> None:
    there = record(content="<!-- wp:paragraph -->\n<p>a <b>b</b></p>\n<!-- /wp:paragraph -->")
    made = after(there, theirs(content="<p>a <strong>b</strong></p>\n"), "content")
    assert made.fingerprints["content"] == fingerprint("<p>a <strong>b</strong></p>\n")
    assert made.changed_by_service == {"content": fingerprint(there.fields["content"])}
    assert remote_edits(made, there) == {}


def test_a_heading_that_kept_its_id_on_the_site_and_code_that_is_escaped_there_are_not_sent() -> None:
    there = record(
        content='<!-- wp:heading {"anchor":"old"} -->\n<h2 id="old">New <code><span>[</span>a1]</code></h2>\n'
        "<!-- /wp:heading -->"
    )
    made = after(there, theirs(content='<h2 id="new">New <code>[a1]</code></h2>\n'), "content")
    assert made.changed_by_service == {"content": fingerprint(there.fields["content"])}
    assert made.basis == "new"


def test_a_content_that_does_not_is_sent_by_the_next_sync() -> None:
    there = record(content="<p>a</p><footer>old title</footer>")
    made = after(there, theirs(content="<p>a</p><footer>new title</footer>"), "content")
    assert made.fingerprints["content"] == fingerprint(there.fields["content"])
    assert made.basis == ""
    assert remote_edits(made, there) == {}


def test_an_edit_that_was_not_taken_stays_a_conflict() -> None:
    made = after(record(title="Us", status="draft"), theirs(title="Us"), "title")
    assert made.conflict == {"status": "draft"}


def test_a_record_never_written_is_up_to_date_in_all_that_both_sides_say() -> None:
    adopted = replace(entry(PATH), fingerprints={}, commit="", blob="")
    made = after(record(title="Us", excerpt="not ours"), theirs(title="Us"), "title", before=adopted)
    assert made.fingerprints == prints(PATH, title="Us", status="publish")
    assert made.commit == "c" * 40
