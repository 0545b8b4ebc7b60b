"""An export is read in bounded memory, and a broken one ends with its line and never with less text."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest
from tests.support.exports import export, record

from pressync.importing.sources.wxr_file import WxrFile
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def read(tmp_path: Path, data: bytes) -> list[tuple[str, str]]:
    """Give the name of each element of the channel, and its title."""
    file = tmp_path / "export.xml"
    file.write_bytes(data)
    return [(each.name, each.value("title")) for each in WxrFile(file, file.name).elements()]


def refusal(tmp_path: Path, data: bytes) -> str:
    """Give the message with which an export is refused."""
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, data)
    return str(refused.value)


def test_the_elements_of_the_channel_come_in_their_order(tmp_path: Path) -> None:
    found = read(tmp_path, export(record(1, "one"), record(2, "two")).encode())
    assert [name for name, _ in found[:2]] == ["title", "link"]
    assert [title for name, title in found if name == "item"] == ["One", "Two"]


def test_several_cdata_sections_are_one_text(tmp_path: Path) -> None:
    assert ("item", "a ]]> b") in read(tmp_path, export(record(1, "one", title="a ]]> b")).encode())


def test_forbidden_characters_are_removed_and_counted_with_their_first_line(tmp_path: Path) -> None:
    file = tmp_path / "export.xml"
    data = export(record(1, "one", title="a\x08b\x1bc")).encode()
    file.write_bytes(data)
    opened = WxrFile(file, file.name)
    assert [each.value("title") for each in opened.elements()][-1] == "abc"
    line = data[: data.index(b"\x08")].count(b"\n") + 1
    assert (opened.removed, opened.first_removed) == (2, line)


def test_blank_lines_before_everything_do_not_matter_and_count(tmp_path: Path) -> None:
    file = tmp_path / "export.xml"
    file.write_text("\n\n" + export(record(1, "one")))
    line = next(each.line for each in WxrFile(file, file.name).elements() if each.name == "item")
    assert file.read_text().splitlines()[line - 1] == "<item>"


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_an_export_that_was_cut_off_names_its_last_line(tmp_path: Path, part: float) -> None:
    whole = export(*(record(number, f"p{number}", "text\n" * 9) for number in range(9))).encode()
    cut = whole[: int(len(whole) * part)]
    last = cut.count(b"\n") + 1
    assert refusal(tmp_path, cut).startswith(f"export.xml:{last}: the export ends here")


def test_a_mistake_in_the_middle_names_its_line(tmp_path: Path) -> None:
    broken = export(record(1, "one"), "<wp:tag>\n&nbsp;\n</wp:tag>")
    line = broken[: broken.index("&nbsp;")].count("\n") + 1
    assert refusal(tmp_path, broken.encode()) == (
        f"export.xml:{line}: undefined entity; repair that line, or export again"
    )


def test_an_entity_bomb_is_refused_before_it_expands(tmp_path: Path) -> None:
    rows = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    bomb = (
        f'<?xml version="1.0"?>\n<!DOCTYPE rss [<!ENTITY e0 "x">{rows}]>\n<rss><channel>&e9;</channel></rss>'
    )
    assert refusal(tmp_path, bomb.encode()).startswith("export.xml:2: it has a DOCTYPE")


def test_another_kind_of_xml_is_named(tmp_path: Path) -> None:
    assert "its first element is <feed>" in refusal(tmp_path, b"<feed/>")


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    assert "elements are open" in refusal(tmp_path, export("<a>" * 50 + "</a>" * 50).encode())


def test_a_large_export_needs_the_memory_of_one_record(tmp_path: Path) -> None:
    file = tmp_path / "export.xml"
    file.write_text(export(*(record(number, "p", "word " * 4000) for number in range(400))))
    tracemalloc.start()
    count = sum(1 for each in WxrFile(file, file.name).elements() if each.name == "item")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 400
    assert peak < file.stat().st_size / 8
