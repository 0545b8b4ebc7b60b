"""The choices of people in old tables are read; a table that they broke is a problem with its line."""

from __future__ import annotations

import pytest

from pressync.content.sources import IMPORT_FOLDER as FOLDER
from pressync.importing.tables import ADDRESSES, old_choices, together

AUTHORS, TERMS = f"{FOLDER}/authors.csv", f"{FOLDER}/terms.csv"


def chosen(path: str, data: bytes) -> tuple[dict[str, str], list[tuple[int, str]]]:
    """Give the choices in one table, and the lines of its problems with their texts."""
    found, problems = together([path], lambda _path: data)
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
def test_a_broken_table_says_where(path: str, table: bytes, told: list[tuple[int, str]]) -> None:
    found, problems = chosen(path, table)
    assert found == {}
    for (line, what), (at, said) in zip(told, problems, strict=True):
        assert at == line
        assert what in said


def test_two_sources_that_choose_differently_for_one_name_are_a_problem() -> None:
    second = f"{FOLDER}/blog/terms.csv"
    texts = {TERMS: b"term,items,name\ntags/x,1,X-ray\n", second: b"term,items,name\ntags/x,1,Unknown\n"}
    _, terms, (problem,) = old_choices(sorted(texts), texts.__getitem__)
    told = f"{TERMS}:2: 'tags/x' has another name in {second}:2; write the same into both rows"
    assert (str(problem), problem.warning, terms) == (told, False, {})
