"""`pressync import`: files, an account, and an exit code that says whether something is left to do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import jsonschema
import pytest
from tests.support.exports import export, record

if TYPE_CHECKING:
    from tests.support.terminal import Terminal


@pytest.fixture
def exported(terminal: Terminal) -> Terminal:
    """Put an export beside the repository: a page, and a draft."""
    records = (record(1, "moved", "Text", post_type="page"), record(2, "later", status="draft"))
    (terminal.repository.root.parent / "export.xml").write_text(export(*records))
    return terminal


def test_people_see_the_sum_and_the_next_step(exported: Terminal) -> None:
    result = exported.run("import", "../export.xml", exits=1)
    assert result.stderr == "Read export.xml as wxr; `--as` says otherwise.\n"
    assert result.stdout.splitlines() == [
        "2 items = 1 carried + 0 with parts as HTML + 0 with parts left verbatim or out + 1 left out",
        "  left out: draft, 1 of them, first at export.xml:34",
        "Authors: 1. Choose users of the new site for them in .pressync/import/authors.csv.",
        "1 file written below content/; the account is .pressync/import/report.md.",
        "Next: `git status`, `pressync check --worktree`, then commit.",
    ]
    assert (exported.repository.root / "content/pages/moved.md").is_file()


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("anna,1,jane\nzoe,1,\n", "Authors: 2. Choose users of the new site for 1 of them in "),
        ("anna,1,jane\nzoe,1,mary\n", ""),
        ("anna,1,jane\n*,,editor\n", ""),
    ],
    ids=["one is left", "all", "one for all others"],
)
def test_authors_are_told_until_all_have_a_user(terminal: Terminal, rows: str, told: str) -> None:
    other = record(2, "b").replace("anna", "zoe")
    (terminal.repository.root.parent / "export.xml").write_text(export(record(1, "a"), other))
    terminal.repository.write(".pressync/import/authors.csv", f"author,items,user\n{rows}")
    printed = terminal.run("import", "../export.xml").stdout
    assert told in printed
    assert ("Authors:" in printed) is bool(told)


def test_everything_carried_ends_with_0_and_programs_get_json(exported: Terminal) -> None:
    printed = exported.run("import", "../export.xml", "--all-statuses", "--to", "site", "--format", "json")
    document = json.loads(printed.stdout)
    assert document["items"] == document["carried"] == 2
    assert (exported.repository.root / "site/posts/later.md").is_file()


def test_the_account_is_what_its_schema_says(exported: Terminal) -> None:
    schema = json.loads(exported.run("schema", "import-report").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    printed = exported.run("import", "../export.xml", "--format", "json", exits=1).stdout
    report = (exported.repository.root / ".pressync/import/report.json").read_text()
    for text in (printed, report):
        jsonschema.validate(json.loads(text), schema)
    for part in (schema["required"], schema["properties"]["kinds"]["items"]["required"]):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(json.loads(printed.replace(f'"{part[-1]}"', '"x"')), schema)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing.xml",), "nothing.xml: there is no such file or folder"),
        (("content",), "content: pressync does not recognise this source"),
        (("../export.xml", "--to", ".."), "--to: the folder is outside of the repository"),
    ],
)
def test_a_source_that_cannot_be_read_ends_with_2(
    exported: Terminal, arguments: tuple[str, ...], message: str
) -> None:
    assert message in exported.run("import", *arguments, exits=2).stderr


@pytest.mark.parametrize("tool", ["hugo", "jekyll", "docusaurus", "mkdocs", "jsonl", "wxr", "wordpress"])
def test_a_folder_that_is_not_of_the_named_tool_is_refused_and_nothing_is_written(
    exported: Terminal, tool: str
) -> None:
    exported.run("import", "../export.xml", exits=1)
    folder = exported.repository.root / ".pressync/import"
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    notes = exported.repository.root.parent / "notes"
    (notes / "content").mkdir(parents=True)
    (notes / "content/a.md").write_text("# A\n")
    refused = exported.run("import", "../notes", "--as", tool, exits=2)
    assert refused.stdout == ""
    assert "../notes: " in refused.stderr
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
