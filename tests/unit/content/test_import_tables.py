"""The choices of people in old tables are read; a table that they broke is a problem with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.config.settings import load
from pressync.content.import_tables import ADDRESSES, amended, together
from pressync.content.sources import IMPORT_FOLDER as FOLDER
from pressync.content.sources import old_tables
from pressync.model.bounds import TABLE

if TYPE_CHECKING:
    from pressync.model.bounds import FileBound

AUTHORS, TERMS = f"{FOLDER}/authors.csv", f"{FOLDER}/terms.csv"
SETTINGS = load('[authors]\nTom = "tim"\n', where="pressync.toml", environ={})


def chosen(path: str, data: bytes) -> tuple[dict[str, str], list[tuple[int, str]]]:
    """Give the choices in one table, and the lines of its problems with their texts."""

    def read(_blob: str, bound: FileBound = TABLE, /) -> bytes:
        bound.check(len(data))
        return data

    found, problems = together({path: path}, read)
    assert all(problem.path == path and problem.todo for problem in problems)
    return found, [(problem.line, problem.what) for problem in problems]


def test_the_last_column_is_what_people_chose() -> None:
    table = b'\xef\xbb\xbfauthor,items,user\r\n"Doe, Jane",3,jane\r\nbot,2,\r\nold,1\r\n\r\n*,,editor,,\r\n'
    assert chosen(AUTHORS, table) == ({"Doe, Jane": "jane", "*": "editor"}, [])
    assert chosen(ADDRESSES, b"address,file,new,to\n/a/,,,/b/\n") == ({"/a/": "/b/"}, [])
    assert chosen(TERMS, b"\n") == chosen(TERMS, b"") == ({}, [])


@pytest.mark.parametrize(
    ("path", "table", "told"),
    [
        (AUTHORS, b"author;items;user\n", [(1, "the first row is not `author,items,user`")]),
        (AUTHORS, b"author,items,user\na,1,\nDoe, J,1,j\n", [(3, "has 4 cells, and the first row has 3")]),
        (AUTHORS, b'author,items,user\na,1,b\n"c,1,d\n', [(3, "this is not a row of a table")]),
        (AUTHORS, b"author,items,user\na,1,b\na,1,c\n", [(3, f"'a' has another user in {AUTHORS}:2")]),
        (AUTHORS, b"author,items,user\na,1,b\n\xff,1,c\n", [(3, "the text is not UTF-8")]),
        (TERMS, b"term,items,name\nx,1,y\nz,1,y\n", [(2, "'x' does not say"), (3, "'z' does not say")]),
        (TERMS, b"term,items,name\n<<<<<<< a\n=======\n>>>>>>> b\n", [(2, "a merge was not finished")]),
        (TERMS, b"a,b\n" * 3_000_000, [(0, "MiB, and a table has at most 8 MiB")]),
    ],
    ids=["separator", "comma", "quote", "twice", "encoding", "field", "merge", "size"],
)
def test_a_broken_table_chooses_nothing_and_says_where(
    path: str, table: bytes, told: list[tuple[int, str]]
) -> None:
    found, problems = chosen(path, table)
    assert found == {}
    for (line, what), (at, said) in zip(told, problems, strict=True):
        assert at == line
        assert what in said


def test_choices_in_the_tables_of_all_sources_join_the_settings_which_win() -> None:
    second = f"{FOLDER}/blog/authors.csv"
    texts = {
        AUTHORS: b"author,items,user\nJane,1,\nTom,2,tom\n",
        second: b"author,items,user\nJane,1,jane\nTom,1,tom\n",
        TERMS: b"term,items,name\ntags/x,1,X-ray\n",
        f"{FOLDER}/blog/deeper/authors.csv": b"not a table",
    }
    old = {path: path for path in old_tables(texts)}
    assert len(old) == len(texts) - 1
    found, (problem,) = amended(SETTINGS, old, lambda path, _bound=TABLE: texts[path])
    assert (found.authors, found.terms) == ({"Jane": "jane", "Tom": "tim"}, {"tags/x": "X-ray"})
    assert str(problem) == (
        f"{AUTHORS}: the choices in such a table belong into the settings now; import the source again, "
        "which moves the choices into pressync.toml, or do it by hand"
    )
    assert problem.warning


@pytest.mark.parametrize("table", [b"author,items,user\nJane,1,\n", b""], ids=["no choice", "empty"])
def test_a_table_without_a_choice_changes_nothing_and_is_not_told(table: bytes) -> None:
    assert amended(SETTINGS, {AUTHORS: ""}, lambda _path, _bound=TABLE: table) == (SETTINGS, ())


def test_two_sources_that_choose_differently_for_one_name_are_a_problem() -> None:
    second = f"{FOLDER}/blog/terms.csv"
    texts = {TERMS: b"term,items,name\ntags/x,1,X-ray\n", second: b"term,items,name\ntags/x,1,Unknown\n"}
    old = {path: path for path in old_tables(texts)}
    found, (problem,) = amended(SETTINGS, old, lambda path, _bound=TABLE: texts[path])
    told = f"{TERMS}:2: 'tags/x' has another name in {second}:2; write the same into both rows"
    assert (str(problem), problem.warning, found.terms) == (told, False, {})
