"""One file on a real disk: what is not written, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.support.builders import desired, entry, prints

from pressync.content.documents import text_of
from pressync.model.fingerprint import UNSURE, fingerprint
from pressync.model.interface import Kind
from pressync.model.records import Document, Prepared, Record
from pressync.pull.puller import after_pull, differing, remote_edits, replace_text

if TYPE_CHECKING:
    from tests.support.desk import Desk
    from tests.support.repository import SampleRepository

    from pressync.model.records import Entry


PAGE = "content/pages/about.md"


@pytest.fixture
def edited(desk: Desk, repository: SampleRepository) -> Desk:
    """Sync a page that somebody then edits."""
    repository.commit({PAGE: "# About\n\nOne.\n"})
    desk.sync()
    desk.edit(PAGE, content=("One.", "Two."))
    return desk


def problem(desk: Desk) -> str:
    """Pull, and give the one sentence that says why nothing was taken over."""
    before = desk.entries()
    (pulled,) = desk.pull(PAGE)
    assert pulled.taken == ()
    assert desk.entries() == before
    (said,) = pulled.problems
    assert said.endswith("; nothing was taken over")
    return said


def test_a_file_that_a_filter_changes_on_the_disk_is_left_alone(
    edited: Desk, repository: SampleRepository
) -> None:
    # As Git LFS does, or keywords: what is checked out is not what is committed.
    repository.git("config", "filter.shout.smudge", "tr a-z A-Z")
    repository.git("config", "filter.shout.clean", "tr A-Z a-z | sed 's/^# about/# About/; s/^one/One/'")
    repository.commit({".gitattributes": "*.md filter=shout\n"})
    repository.remove(PAGE)
    repository.git("checkout", "--", PAGE)
    assert "a filter" in problem(edited)
    assert edited.text(PAGE) == "# ABOUT\n\nONE.\n"


def test_a_file_that_is_gone_or_left_out_or_wrong_is_told(edited: Desk, repository: SampleRepository) -> None:
    repository.remove(PAGE)
    assert "its file is not here" in problem(edited)
    # As a sparse checkout leaves it out.
    repository.git("update-index", "--skip-worktree", PAGE)
    assert "cannot be written (No such file or directory)" in problem(edited)
    repository.git("update-index", "--no-skip-worktree", PAGE)
    for text, why in (
        ("---\nstatus: nonsense\n---\n", "`pressync check`"),
        # Its broken link is a warning, and comes first.
        ("---\nlayout: odd\n---\n[x](gone.md)\n", "'nothing' is undefined"),
        ("---\ntype: none\n---\n", "its type is `none`"),
    ):
        templates = {"templates/odd.html": "{{ nothing }}", "templates/page.html": "{{ content }}"}
        repository.commit({PAGE: text, **templates})
        assert why in problem(edited)


@pytest.mark.parametrize("has_commit", [True, False])
def test_a_base_that_is_not_in_this_clone_is_that_of_its_commit_or_a_person_chooses(
    edited: Desk, repository: SampleRepository, has_commit: bool
) -> None:
    """Without a base, each line of one side alone is in a conflict: the file itself lacks what was sent."""
    repository.commit({PAGE: "# About\n\nOne.\n\nSaid.\n\nMine.\n"})
    repository.git("config", "merge.conflictStyle", "diff3")
    entry = edited.entries()[PAGE]
    manifest = edited.root / ".pressync/default.json"
    lost = manifest.read_text().replace(entry.blob, "0" * 40)
    manifest.write_text(lost if has_commit else lost.replace(entry.commit, "1" * 40))
    (pulled,) = edited.pull(PAGE)
    assert pulled.conflicts == 1
    base = "||||||| last synced\nOne.\n" if has_commit else ""
    ours = "<<<<<<< this file\nOne.\n\nSaid.\n\nMine.\n"
    assert edited.text(PAGE) == f"# About\n\n{ours}{base}=======\nTwo.\n>>>>>>> the site\n"


def test_the_page_of_a_folder_without_a_file_gets_its_file(desk: Desk, repository: SampleRepository) -> None:
    repository.commit({"pressync.toml": 'folders = "pages"\n', "content/pages/guide/one.md": "# One\n"})
    desk.sync()
    page = "content/pages/guide/index.md"
    desk.edit(page, content="<p>Read this.</p>\n")

    assert [pulled.taken for pulled in desk.pull(page)] == [("content",)]

    assert desk.text(page) == "Read this.\n"
    repository.commit()
    assert desk.plan().pending == ()


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        (b"a\nb\n", "b", "c", b"a\nc\n"),
        (b"a\r\nb\r\n", "b", "c\nd", b"a\r\nc\r\nd\r\n"),
        (b"a\r\nb\nc\n", "c", "d", b"a\r\nb\nd\n"),
        (b"\xef\xbb\xbfa\nb", "a", "c", b"\xef\xbb\xbfc\nb"),
        (b"a\rb\r", "b", "c", b"a\rc\r"),
        (b"a\x0cb\nc", "c", "d", b"a\x0cb\nd"),
        (b"", "", "x\n", b"x\n"),
    ],
)
def test_only_lines_that_change_get_new_bytes(data: bytes, old: str, new: str, expected: bytes) -> None:
    text = text_of(data)
    assert replace_text(data, text, text.replace(old, new, 1)) == expected


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


def test_a_page_that_somebody_converted_to_blocks_is_not_sent() -> None:
    blocks = (
        '<!-- wp:code -->\n<pre class="wp-block-code"><code>a</code></pre>\n<!-- /wp:code -->',
        "<!-- wp:paragraph -->\n<p></p>\n<!-- /wp:paragraph -->",
    )
    there = record(content="\n\n".join(blocks))
    code = '<pre><code class="language-py">a\n</code></pre>\n'
    assert after(there, theirs(content=code), "content").basis == "new"
    sent = f'<!-- wp:code {{"className":"language-py"}} -->\n{code}<!-- /wp:code -->'
    assert after(there, theirs(content=sent), "content").basis == ""


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
