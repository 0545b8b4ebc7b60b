"""The choices of people are read; a table that they broke is a problem with its line."""

from __future__ import annotations

import pytest

from pressync.content.import_tables import ADDRESSES, AUTHORS, FOLDER, TERMS, ImportTables, read, tables
from pressync.model.records import FieldReference


def test_the_last_column_is_what_people_chose() -> None:
    table = b'\xef\xbb\xbfauthor,items,user\r\n"Doe, Jane",3,jane\r\nbot,2,\r\nold,1\r\n\r\n*,,editor,,\r\n'
    assert read(AUTHORS, table).chosen == {"Doe, Jane": "jane", "*": "editor"}
    assert read(ADDRESSES, b"address,file,new,to\n/a/,,,/b/\n").chosen == {"/a/": "/b/"}
    assert read(TERMS, b"\n") == read(TERMS, b"")


def test_a_row_has_its_line_with_and_without_a_choice() -> None:
    table = b"author,items,user\nJane,1,\nTom,2\nAnna,1,anna\nJane,1,jane\n"
    assert read(AUTHORS, table).lines == {"Jane": 5, "Tom": 3, "Anna": 4}


@pytest.mark.parametrize(
    ("path", "table", "told"),
    [
        (AUTHORS, b"author;items;user\n", [(1, "the first row is not `author,items,user`")]),
        (AUTHORS, b"author,items,user\na,1,\nDoe, J,1,j\n", [(3, "has 4 cells, and the first row has 3")]),
        (AUTHORS, b'author,items,user\na,1,b\n"c,1,d\n', [(3, "this is not a row of a table")]),
        (AUTHORS, b"author,items,user\na,1,b\na,1,c\n", [(3, "'a' has another user in line 2")]),
        (AUTHORS, b"author,items,user\na,1,b\n\xff,1,c\n", [(3, "the text is not UTF-8")]),
        (TERMS, b"term,items,name\nx,1,y\nz,1,y\n", [(2, "'x' does not say"), (3, "'z' does not say")]),
        (TERMS, b"term,items,name\n<<<<<<< a\n=======\n>>>>>>> b\n", [(2, "a merge was not finished")]),
        (TERMS, b"a,b\n" * 3_000_000, [(0, "the table has more than 8 MiB")]),
    ],
    ids=["separator", "comma", "quote", "twice", "encoding", "field", "merge", "size"],
)
def test_a_broken_table_chooses_nothing_and_says_where(
    path: str, table: bytes, told: list[tuple[int, str]]
) -> None:
    found = read(path, table)
    assert found.chosen == {}
    for (line, what), problem in zip(told, found.problems, strict=True):
        assert (problem.path, problem.line) == (path, line)
        assert what in problem.what
        assert problem.todo


def test_terms_get_the_chosen_names_once_each() -> None:
    chosen = {"tags/a": "b", "tags/b": "a", "tags/c": "a", "categories/News/World": "Abroad"}
    tables = ImportTables({}, chosen, ())
    written = (
        FieldReference("tags", ("a", "b", "c", 7), 3),
        FieldReference("categories", ("News/World",), 4),
    )
    default = FieldReference("tags", ("a",))
    assert [each.given for each in tables.renamed(written)] == [("b", "a", 7), ("Abroad",)]
    assert [each.line for each in tables.renamed(written)] == [3, 4]
    assert tables.renamed((default,)) == (default,)


def test_a_choice_in_the_table_of_one_source_counts_for_all_files() -> None:
    first, second = f"{FOLDER}/{AUTHORS}", f"{FOLDER}/blog/{AUTHORS}"
    texts = {
        first: b"author,items,user\nJane,1,\nTom,2,tom\n",
        second: b"author,items,user\nJane,1,jane\nTom,1,tom\n",
        f"{FOLDER}/blog/deeper/{AUTHORS}": b"not a table",
    }
    found = tables({path: path for path in texts}, texts.__getitem__)
    assert (found.users, found.problems) == ({"Jane": "jane", "Tom": "tom"}, ())
    assert found.row_of_user("jane") == (second, 2)
    assert found.author_rows["Tom"] == (first, 3)


def test_two_sources_that_choose_differently_for_one_name_are_a_problem() -> None:
    texts = {
        f"{FOLDER}/{TERMS}": b"term,items,name\ntags/x,1,X-ray\n",
        f"{FOLDER}/blog/{TERMS}": b"term,items,name\ntags/x,1,Unknown\n",
    }
    found = tables({path: path for path in texts}, texts.__getitem__)
    (problem,) = found.problems
    assert str(problem) == (
        f"{FOLDER}/terms.csv:2: 'tags/x' has another name in {FOLDER}/blog/terms.csv:2; "
        "write the same into both tables"
    )
    assert found.terms == {}
