"""Each source has an account of its own; the first one has `.pressync/import/` itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.import_site import account_folder
from pressync.app.import_site.account import Account
from pressync.app.import_site.account_files import files
from pressync.app.import_site.write import FileWriter
from pressync.content.import_tables import FOLDER
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

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
        account.folder = account_folder.choose(account, writer)
        for path, text in files(account, {}).items():
            writer.write(path, text.encode())
        writer.close()
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


def test_the_tables_of_all_sources_are_read(repository: SampleRepository) -> None:
    written(repository, SITE, BLOG)
    repository.write(f"{FOLDER}/my-blog/authors.csv", "author,items,user\nanna,1,jane\n")
    tables = account_folder.tables(FileWriter(Repository(repository.root)))
    assert {path for path, table in tables.items() if table.chosen} == {f"{FOLDER}/my-blog/authors.csv"}
