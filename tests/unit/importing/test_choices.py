"""The choices of people: an import keeps them, and moves those in tables of an earlier version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.config.settings import load
from pressync.importing import choices
from pressync.importing.account import Account
from pressync.importing.sources.in_step import OwnFacts
from pressync.importing.write import FileWriter
from pressync.model.errors import ConfigError, ContentError
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

AUTHORS, TERMS = ".pressync/import/authors.csv", ".pressync/import/blog/terms.csv"
OLD = {
    AUTHORS: "author,items,user\nanna,1,jane\nbob,3,\nZoe,2,zoe\n",
    TERMS: "term,items,name\ntags/x,1,X-ray\ntags/y,1,\n",
}
SETTINGS = '# Ours.\n[authors]\nZoe = "zoe.k"   # since May\n\n[sites.a]\nurl = "https://a.test/wp-json"'


def written(repository: SampleRepository, *without_user: str, own: OwnFacts | None = None) -> str:
    """Write the choices after an import, and give the text of the settings."""
    with Repository(repository.root) as opened:
        choices.write(opened, None, Account("x", without_user=without_user, own=own))
    return (repository.root / "pressync.toml").read_bytes().decode()


def test_choices_in_old_tables_move_into_the_settings_and_each_author_gets_a_row(
    repository: SampleRepository,
) -> None:
    repository.commit({"pressync.toml": SETTINGS, ".pressync/import/addresses.csv": "x", **OLD})
    text = written(repository, "Jane Doe", "bob")
    assert text == (
        '# Ours.\n[authors]\nZoe = "zoe.k"   # since May\n'
        '"anna" = "jane"\n# "Jane Doe" = "…"\n# "bob" = "…"\n'
        '\n[sites.a]\nurl = "https://a.test/wp-json"\n\n[terms]\n"tags/x" = "X-ray"\n'
    )
    assert [
        path for path in (*OLD, ".pressync/import/addresses.csv") if (repository.root / path).exists()
    ] == [".pressync/import/addresses.csv"]
    assert written(repository, "Jane Doe", "bob") == text


def test_the_own_site_has_its_users_so_nobody_is_asked_for_others(repository: SampleRepository) -> None:
    repository.commit({"pressync.toml": SETTINGS})
    assert written(repository, "Jane Doe", own=OwnFacts()) == SETTINGS


def test_without_settings_the_old_tables_stay_and_count(repository: SampleRepository) -> None:
    repository.commit(OLD)
    with pytest.raises(FileNotFoundError):
        written(repository, "bob")
    with FileWriter(Repository(repository.root)) as writer:
        found, places = choices.read(load(None, where="", environ={}), writer)
    assert (found.authors["anna"], found.terms, [*places.values()]) == ("jane", {"tags/x": "X-ray"}, [{}, {}])


def test_a_source_of_thousands_of_authors_does_not_fill_the_settings(repository: SampleRepository) -> None:
    repository.commit({"pressync.toml": SETTINGS})
    text = written(repository, *(f"author {number}" for number in range(5_000)))
    assert text.count('= "…"\n') == 200
    assert written(repository, *(f"author {number}" for number in range(5_000))) == text


def test_choices_that_would_make_the_settings_too_large_stay_in_their_table(
    repository: SampleRepository,
) -> None:
    rows = "".join(f"author {number},1,{'x' * 90}\n" for number in range(12_000))
    repository.commit({"pressync.toml": SETTINGS, AUTHORS: f"author,items,user\n{rows}"})
    with pytest.raises(ConfigError, match="the file would be too large"):
        written(repository)
    assert (repository.root / "pressync.toml").read_text() == SETTINGS
    assert (repository.root / AUTHORS).exists()


@pytest.mark.parametrize("settings", ['authors = { Zoe = "zoe" }\n', None], ids=["inline", "a symlink"])
def test_settings_that_cannot_be_edited_stay_with_the_old_tables(
    repository: SampleRepository, settings: str | None
) -> None:
    repository.commit({"pressync.toml": settings or SETTINGS, **OLD})
    file = repository.root / "pressync.toml"
    if settings is None:
        file.rename(repository.root / "elsewhere.toml")
        file.symlink_to("elsewhere.toml")
    before = file.read_bytes()
    with pytest.raises(ConfigError):
        written(repository, "bob")
    assert file.read_bytes() == before
    assert (repository.root / AUTHORS).exists()


def test_a_broken_table_of_any_account_stops_the_import(repository: SampleRepository) -> None:
    repository.commit(
        {**OLD, ".pressync/import/blog/addresses.csv": "a;b\n", AUTHORS: "author,items,user\na,b,c,d\n"}
    )
    with FileWriter(Repository(repository.root)) as writer, pytest.raises(ContentError) as stopped:
        choices.read(load(None, where="", environ={}), writer)
    assert [(each.path, each.line) for each in stopped.value.problems] == [
        (AUTHORS, 2),
        (".pressync/import/blog/addresses.csv", 1),
    ]
