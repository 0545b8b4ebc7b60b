"""The lines of a journal as text."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry

from pressync.model.errors import JournalError
from pressync.model.interface import Kind
from pressync.model.records import Medium, Name, NamedId, RolledBack, UnconfirmedCreate
from pressync.state.journal_lines import (
    Done,
    Forgotten,
    Intent,
    Learned,
    Marked,
    Removed,
    Resolved,
    Withdrawn,
    check_header,
    decode,
    encode,
    encode_header,
)

if TYPE_CHECKING:
    from pressync.state.journal_lines import (
        Line,
    )


CREATE = Intent(
    1, "create", "a.md", Kind.PAGE, None, "a", {"title": "t"}, "c", "b", "2024-01-31T12:00:00+00:00"
)
SENT_CREATE = UnconfirmedCreate("a.md", Kind.PAGE, "a", "2024-01-31T12:00:00+00:00", "c", {"title": "t"})
LINES: list[Line] = [
    CREATE,
    Intent(2, "delete", "b.md", Kind.POST, 7, "", {}, "c", "", "2024-01-31T12:00:00+00:00"),
    Done(1, (entry("a.md", 12, parent_path="p.md", links=("b.md",)),)),
    Done(0, (entry("b.md", 13), entry("c.md", 14))),
    Removed(2, "b.md", Kind.POST, 7),
    Withdrawn(3, "the service refused with 403"),
    Resolved((SENT_CREATE, SENT_CREATE), entry("a.md", 12)),
    Resolved((SENT_CREATE,)),
    Learned((NamedId("tags", "A & B", 4),), (Medium("b", "img/x.jpg", 5, "https://site.test/x.jpg"),)),
    Forgotten((Name("author", "anna"),), ("b",)),
    Marked(RolledBack("20240131T120000Z-1", "c", "d")),
    Marked(None),
]


@pytest.mark.parametrize("line", [*LINES, Withdrawn(4, "a name with half of a character: \udce4")])
def test_a_line_is_read_as_it_was_written(line: Line) -> None:
    text = encode(line)
    assert text.endswith(b"\n")
    assert text.count(b"\n") == 1
    assert decode(text, "j:2") == line


def test_a_line_holds_whatever_the_service_answers() -> None:
    line = Done(1, (entry("a.md", 1, slug="\0\n\t\ud83d é", changed_by_service={"title": "\U0001f600"}),))
    assert decode(encode(line), "j:2") == line
    assert encode(line).isascii()


def test_a_whole_line_that_says_nothing_known_is_damaged() -> None:
    for text in (encode_header("t"), b'{"intent":{}}\t5f27a1c5\n', b"\n"):
        with pytest.raises(JournalError, match="damaged"):
            decode(text, "j:2")


@pytest.mark.parametrize(
    "text", ["[1]", "{}", '{"a": 1, "b": 2}', '{"intent": {"n": "one"}}', '{"done": 7}', "nope"]
)
def test_a_line_with_the_right_sum_and_the_wrong_content_is_damaged(text: str) -> None:
    line = b"%s\t%08x\n" % (text.encode(), zlib.crc32(text.encode()))
    for read in (lambda: decode(line, "j:2"), lambda: check_header(line, "t", "j:1")):
        with pytest.raises(JournalError, match="damaged"):
            read()


def test_a_line_of_another_kind_with_the_members_of_a_header_is_no_header() -> None:
    text = encode_header("t").partition(b"\t")[0].replace(b'"journal"', b'"removed"')
    for line in (encode(CREATE), b"%s\t%08x\n" % (text, zlib.crc32(text))):
        with pytest.raises(JournalError, match="damaged"):
            check_header(line, "t", "j:1")


def test_a_header_is_for_one_target() -> None:
    check_header(encode_header("https://site.test"), "https://site.test", "j:1")
    with pytest.raises(
        JournalError, match=r"calls to https://other.test, not to https://site.test; nothing was"
    ):
        check_header(encode_header("https://other.test"), "https://site.test", "j:1")


def test_a_journal_of_a_newer_version_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pressync.state.journal_lines.VERSION", 2)
    newer = encode_header("t")
    monkeypatch.undo()
    with pytest.raises(JournalError, match=r"j:1: .* by a newer pressync \(version 2\); upgrade pressync"):
        check_header(newer, "t", "j:1")


def test_lines_say_in_words_what_would_be_lost_with_them() -> None:
    assert [str(line) for line in LINES] == [
        "create of a.md",
        "delete of b.md (post 7)",
        "a.md is page 12",
        "b.md is page 13, c.md is page 14",
        "b.md no longer has post 7",
        "call 3 was not carried out (the service refused with 403)",
        "a.md is page 12",
        "a.md was not created",
        "tags 'A & B' is 4, img/x.jpg is media 5",
        "1 names and 1 files are forgotten",
        "run 20240131T120000Z-1 is rolled back",
        "no run is rolled back any more",
    ]


# As version 0.1.0 wrote them, each without its checksum.
WRITTEN = (
    '{"done":{"n":1,"entries":[{"path":"a.md","kind":"post","id":7,"slug":"a","link":"l","modified":"m","modified_gmt":"g","blob":"b","commit":"c","fingerprints":{"title":"t"},"parent":"p.md","links":["x.md"],"bent":{"slug":"s"},"protect":true}]}}',
    '{"removed":{"n":2,"path":"b.md","kind":"post","id":7}}',
    '{"not":{"n":3,"why":"no: 403"}}',
    '{"resolved":{"doubts":[{"path":"a.md","kind":"page","slug":"a","time":"2024","commit":"c","fingerprints":{"title":"t"}}],"entry":{"path":"a.md","kind":"post","id":7,"slug":"a","link":"l","modified":"m","modified_gmt":"g","blob":"b","commit":"c","fingerprints":{"title":"t"},"parent":"p.md","links":["x.md"],"bent":{"slug":"s"},"protect":true}}}',
    '{"resolved":{"doubts":[{"path":"a.md","kind":"page","slug":"a","time":"2024","commit":"c","fingerprints":{"title":"t"}}],"entry":null}}',
    (
        '{"learned":{"names":[{"field":"tags","name":"A & B","id":4}],"media":'
        '[{"blob":"b","path":"x.jpg","id":5,"link":"l"}]}}'
    ),
    '{"forgotten":{"names":[{"field":"tags","text":"A & B"}],"media":["b"]}}',
    '{"intent":{"n":1,"action":"create","path":"a.md","kind":"page","id":null,"slug":"a","fingerprints":{"title":"t"},"commit":"c","blob":"b","time":"2024","told":false}}',
)


@pytest.mark.parametrize("text", WRITTEN)
def test_a_line_of_the_earlier_version_is_written_again_byte_for_byte(text: str) -> None:
    raw = b"%s\t%08x\n" % (text.encode(), zlib.crc32(text.encode()))
    assert encode(decode(raw, "j:2")) == raw
