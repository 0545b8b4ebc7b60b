"""The files of an account: for people, for programs, and tables in which people choose."""

from __future__ import annotations

import json

from pressync.app.import_site.account import Account, Carried, ImportedFile
from pressync.app.import_site.account_files import document, files
from pressync.content.import_tables import ADDRESSES, AUTHORS, FOLDER, read
from pressync.importers.item import Item, LeftOut, Place
from pressync.model.interface import Kind


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
    report = files(account(), {})[f"{FOLDER}/report.md"]
    assert (
        "3 items = 1 carried + 1 with parts as HTML + 0 with parts left verbatim or out + 1 left out"
        in report
    )
    assert "draft, once: not public\n\n- a.xml:20\n" in report


def test_every_old_address_has_a_row_and_the_tables_keep_what_people_chose() -> None:
    chosen = {
        f"{FOLDER}/{AUTHORS}": {"anna": "jane", "*": "editor"},
        f"{FOLDER}/{ADDRESSES}": {"/draft/": "/news/"},
    }
    written = files(account(), chosen)
    assert written[f"{FOLDER}/{ADDRESSES}"].splitlines() == [
        "address,file,new,to",
        "/2024/a/,content/posts/a.md,,",
        "/about/,content/pages/about.md,/about/,",
        "/draft/,,,/news/",
        "/old/,content/posts/a.md,,",
    ]
    assert written[f"{FOLDER}/{AUTHORS}"] == "author,items,user\nanna,2,jane\n*,,editor\n"
    assert read(AUTHORS, written[f"{FOLDER}/{AUTHORS}"].encode()).chosen == {"anna": "jane", "*": "editor"}
    assert written[f"{FOLDER}/terms.csv"] == "term,items,name\ntags/x,1,\n"
    assert written[f"{FOLDER}/media.txt"] == "https://blog.test/a.png\nhttps://blog.test/b.png\n"


def test_the_report_names_twenty_places_and_counts_the_others() -> None:
    made = Account("a.xml")
    for line in range(50):
        made.leave_out(LeftOut("comment", Place("a.xml", line + 1), "no comments"))
    written = files(made, {})
    assert "- … and 30 more in report.json\n" in written[f"{FOLDER}/report.md"]
    assert len(json.loads(written[f"{FOLDER}/report.json"])["kinds"][0]["places"]) == 50
