"""The account adds up, tells the worst first, keeps what people filled in, and has a folder a source."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pressync.config.settings import load
from pressync.content.sources import IMPORT_FOLDER as FOLDER
from pressync.importing.account import (
    Account,
    Carried,
    ImportedFile,
    choose_folder,
    document,
    files_of,
    read_choices,
    write_choices,
)
from pressync.importing.sources.item import Item, LeftOut, OwnFacts, Place
from pressync.importing.tables import ADDRESSES
from pressync.importing.write import FileWriter
from pressync.model.errors import ConfigError, ContentError
from pressync.model.interface import Kind
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository


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


@pytest.mark.parametrize(
    ("report", "folders"),
    [('{"version": 1, "source": "my blog"}', ["old.test", ""]), ("<<<<<<< ours", ["", "my-blog"])],
    ids=["of an older version", "unreadable"],
)
def test_an_old_report_belongs_to_its_source_and_an_unreadable_one_to_the_next_import(
    repository: SampleRepository, report: str, folders: list[str]
) -> None:
    repository.write(f"{FOLDER}/report.json", report)
    assert written(repository, SITE, BLOG) == folders


AUTHORS, TERMS = ".pressync/import/authors.csv", ".pressync/import/blog/terms.csv"
OLD = {
    AUTHORS: "author,items,user\nanna,1,jane\nbob,3,\nZoe,2,zoe\n",
    TERMS: "term,items,name\ntags/x,1,X-ray\ntags/y,1,\n",
}
SETTINGS = '# Ours.\n[authors]\nZoe = "zoe.k"   # since May\n\n[sites.a]\nurl = "https://a.test/wp-json"'


def settings_after(repository: SampleRepository, *without_user: str, own: OwnFacts | None = None) -> str:
    """Write the choices after an import, and give the text of the settings."""
    with Repository(repository.root) as opened:
        write_choices(opened, None, Account("x", without_user=without_user, own=own))
    return (repository.root / "pressync.toml").read_bytes().decode()


def test_choices_in_old_tables_move_into_the_settings(repository: SampleRepository) -> None:
    repository.commit({"pressync.toml": SETTINGS, ".pressync/import/addresses.csv": "x", **OLD})
    text = settings_after(repository, "Jane Doe", "bob")
    assert text == (
        '# Ours.\n[authors]\nZoe = "zoe.k"   # since May\n'
        '"anna" = "jane"\n# "Jane Doe" = "…"\n# "bob" = "…"\n'
        '\n[sites.a]\nurl = "https://a.test/wp-json"\n\n[terms]\n"tags/x" = "X-ray"\n'
    )
    assert [
        path for path in (*OLD, ".pressync/import/addresses.csv") if (repository.root / path).exists()
    ] == [".pressync/import/addresses.csv"]
    assert settings_after(repository, "Jane Doe", "bob") == text
    assert settings_after(repository, "Another", own=OwnFacts()) == text, "the own site has its users"


def test_without_settings_the_old_tables_stay_and_count_for_an_import(repository: SampleRepository) -> None:
    repository.commit(OLD)
    with pytest.raises(FileNotFoundError):
        settings_after(repository, "bob")
    with FileWriter(Repository(repository.root)) as writer:
        found, places = read_choices(load(None, where="", environ={}), writer)
    assert (found.authors["anna"], found.terms, [*places.values()]) == ("jane", {"tags/x": "X-ray"}, [{}, {}])


def test_a_source_of_thousands_of_authors_does_not_fill_the_settings(repository: SampleRepository) -> None:
    repository.commit({"pressync.toml": SETTINGS})
    text = settings_after(repository, *(f"author {number}" for number in range(5_000)))
    assert text.count('= "…"\n') == 200
    assert settings_after(repository, *(f"author {number}" for number in range(5_000))) == text


def test_choices_that_are_too_large_for_the_settings_stay(repository: SampleRepository) -> None:
    rows = "".join(f"author {number},1,{'x' * 90}\n" for number in range(12_000))
    repository.commit({"pressync.toml": SETTINGS, AUTHORS: f"author,items,user\n{rows}"})
    with pytest.raises(ConfigError, match="the file would be too large"):
        settings_after(repository)
    assert (repository.root / "pressync.toml").read_text() == SETTINGS
    assert (repository.root / AUTHORS).exists()


@pytest.mark.parametrize("settings", ['authors = { Zoe = "zoe" }\n', None], ids=["inline", "a symlink"])
def test_settings_that_cannot_be_edited_stay(repository: SampleRepository, settings: str | None) -> None:
    repository.commit({"pressync.toml": settings or SETTINGS, **OLD})
    file = repository.root / "pressync.toml"
    if settings is None:
        file.rename(repository.root / "elsewhere.toml")
        file.symlink_to("elsewhere.toml")
    before = file.read_bytes()
    with pytest.raises(ConfigError):
        settings_after(repository, "bob")
    assert file.read_bytes() == before
    assert (repository.root / AUTHORS).exists()


def test_a_broken_table_of_any_account_stops_the_import(repository: SampleRepository) -> None:
    repository.commit(
        {**OLD, ".pressync/import/blog/addresses.csv": "a;b\n", AUTHORS: "author,items,user\na,b,c,d\n"}
    )
    with FileWriter(Repository(repository.root)) as writer, pytest.raises(ContentError) as stopped:
        read_choices(load(None, where="", environ={}), writer)
    assert [(each.path, each.line) for each in stopped.value.problems] == [
        (AUTHORS, 2),
        (".pressync/import/blog/addresses.csv", 1),
    ]
