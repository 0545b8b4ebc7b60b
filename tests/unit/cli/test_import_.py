"""The text of an account: bounded, and without control characters of the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.exports import export, record

if TYPE_CHECKING:
    from tests.support.terminal import Terminal


def test_many_kinds_are_counted_and_not_listed(terminal: Terminal) -> None:
    file = terminal.repository.root.parent / "export.xml"
    file.write_text(export(*(record(number, "x", post_type=f"t{number}") for number in range(1, 31))))
    lines = terminal.run("import", str(file), exits=1).stdout.splitlines()
    assert "  … and 18 more kinds" in lines
    assert "0 files written below content/; the account is .pressync/import/report.md." in lines


def test_a_name_of_the_source_cannot_write_to_the_terminal(terminal: Terminal) -> None:
    file = terminal.repository.root.parent / "export.xml"
    file.write_text(export(record(1, "x", post_type="a\u009b31m")))
    assert "\u009b" not in terminal.run("import", str(file), exits=1).stdout
