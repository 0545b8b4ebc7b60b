"""The account adds up, tells the worst first, keeps what people filled in, and has a folder a source."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pressync.content.import_tables import ADDRESSES
from pressync.content.sources import IMPORT_FOLDER as FOLDER
from pressync.importing.account import Account, Carried, ImportedFile, choose_folder, document, files_of
from pressync.importing.sources.item import Item, LeftOut, Place
from pressync.importing.write import FileWriter
from pressync.model.interface import Kind
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository


ITEM = Item("1", Kind.PAGE, Place("a.xml", 3))


def test_what_is_left_out_counts_as_an_item() -> None:
    account = Account("a.xml")
    account.files += [ImportedFile(ITEM, "a.md", way) for way in (Carried.AS_MARKDOWN, Carried.AS_HTML)]
    assert account.is_complete
    account.leave_out(LeftOut("draft", Place("a.xml", 9), "no"))
    assert account.items == sum(account.counts.values()) == 3
    assert account.kinds == {(Carried.LEFT_OUT, "draft"): ["a.xml:9"]}
    assert not account.is_complete


def test_a_part_left_verbatim_is_not_complete() -> None:
    account = Account("a.xml", [ImportedFile(ITEM, "a.md", Carried.VERBATIM)])
    assert not account.is_complete


def account() -> Account:
    """Make an account of a page, a post and a draft."""
    page = Item("1", Kind.PAGE, Place("a.xml", 3), address="/about/", author="anna", tags=("x",))
    post = Item("2", Kind.POST, Place("a.xml", 9), address="/2024/a/", author="anna", aliases=("/old/",))
    media = ["https://blog.test/b.png", "https://blog.test/a.png"]
    made = Account("a.xml", tool="wxr", origin="https://blog.test", media=media)
    made.files.append(ImportedFile(page, "content/pages/about.md", Carried.AS_MARKDOWN, "/about/"))
    made.files.append(ImportedFile(post, "content/posts/a.md", Carried.AS_HTML))
    made.note(Carried.AS_HTML, "block gallery", post.place)
    made.leave_out(LeftOut("draft", Place("a.xml", 20), "not public", "/draft/"))
    return made


def test_programs_get_the_counts_and_the_kinds_with_their_places() -> None:
    assert document(account()) == {
        "version": 1,
        "source": "a.xml",
        "tool": "wxr",
        "origin": "https://blog.test",
        "items": 3,
        "carried": 1,
        "html": 1,
        "verbatim": 0,
        "left_out": 1,
        "kinds": [
            {"kind": "draft", "outcome": "left_out", "count": 1, "places": ["a.xml:20"]},
            {"kind": "block gallery", "outcome": "html", "count": 1, "places": ["a.xml:9"]},
        ],
    }


def test_people_get_the_sum_and_the_reasons() -> None:
    report = files_of(account(), {})[f"{FOLDER}/report.md"]
    assert (
        "3 items = 1 carried + 1 with parts as HTML + 0 with parts left verbatim or out + 1 left out"
        in report
    )
    assert "draft, once: not public\n\n- a.xml:20\n" in report
    assert "## Authors\n\n- anna: 2\n" in report


def test_every_old_address_has_a_row_and_the_table_keeps_what_people_chose() -> None:
    chosen = {f"{FOLDER}/{ADDRESSES}": {"/draft/": "/news/", "/zoo/": "/a/"}}
    written = files_of(account(), chosen)
    assert written[f"{FOLDER}/{ADDRESSES}"].splitlines() == [
        "address,file,new,to",
        "/2024/a/,content/posts/a.md,,",
        "/about/,content/pages/about.md,/about/,",
        "/draft/,,,/news/",
        "/old/,content/posts/a.md,,",
        "/zoo/,,,/a/",
    ]
    assert written[f"{FOLDER}/terms.txt"] == '"tags/x" = "x"  # 1\n'
    assert written[f"{FOLDER}/media.txt"] == "https://blog.test/a.png\nhttps://blog.test/b.png\n"


def test_the_report_names_twenty_places_and_counts_the_others() -> None:
    made = Account("a.xml")
    for line in range(50):
        made.leave_out(LeftOut("comment", Place("a.xml", line + 1), "no comments"))
    written = files_of(made, {})
    assert "- … and 30 more in report.json\n" in written[f"{FOLDER}/report.md"]
    assert len(json.loads(written[f"{FOLDER}/report.json"])["kinds"][0]["places"]) == 50


SITE = Account("https://old.test", tool="wordpress", origin="https://old.test")
EXPORT = Account("old.2026-01-31.xml", tool="wxr", origin="https://old.test")
NEWER = Account("old.2026-02-28.xml", tool="wxr", origin="https://old.test")
BLOG = Account("my blog", tool="jekyll", origin="https://blog.test")
OTHER = Account("my blog", tool="jekyll", origin="https://notes.test")
NAMELESS = Account("pages.jsonl", tool="jsonl")


def written(repository: SampleRepository, *accounts: Account) -> list[str]:
    """Write these accounts one after the other, and give the name of the folder of each."""
    folders = []
    for account in accounts:
        writer = FileWriter(Repository(repository.root))
        account.folder = choose_folder(account, writer)
        for path, text in files_of(account, {}).items():
            writer.write(path, text.encode())
        folders.append(account.folder.removeprefix(FOLDER).strip("/"))
    return folders


@pytest.mark.parametrize(
    ("accounts", "folders"),
    [
        ((SITE, BLOG, SITE, BLOG), ["", "my-blog", "", "my-blog"]),
        ((BLOG, SITE, EXPORT, NEWER), ["", "old.test", "old.test", "old.test"]),
        ((SITE, BLOG, OTHER, BLOG, OTHER), ["", "my-blog", "my-blog-2", "my-blog", "my-blog-2"]),
        ((NAMELESS, BLOG, NAMELESS), ["", "my-blog", ""]),
    ],
    ids=["two sources", "a site and its exports", "two folders of one name", "a source without an address"],
)
def test_a_source_keeps_its_folder_and_takes_that_of_no_other(
    repository: SampleRepository, accounts: tuple[Account, ...], folders: list[str]
) -> None:
    assert written(repository, *accounts) == folders


def test_the_account_of_an_older_version_belongs_to_the_source_of_its_name(
    repository: SampleRepository,
) -> None:
    repository.write(f"{FOLDER}/report.json", '{"version": 1, "source": "my blog"}')
    assert written(repository, SITE, BLOG) == ["old.test", ""]


def test_a_report_that_nobody_can_read_gives_its_place_to_the_next_import(
    repository: SampleRepository,
) -> None:
    repository.write(f"{FOLDER}/report.json", "<<<<<<< ours")
    assert written(repository, SITE) == [""]
