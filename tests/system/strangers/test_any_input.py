"""Any content, manifest, journal and request gives a result or an error of ours, and never a crash.

Hypothesis makes the text from the words of each format. `--hypothesis-profile=long` tries 1,000 examples of
each test, here and in the unit tests.
"""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.any_manifest import any_manifest
from werkzeug.test import Client

from pressync.config.settings import load
from pressync.content.documents import DocumentReader
from pressync.content.render.links import Unresolved
from pressync.content.render.renderer import Renderer
from pressync.model.errors import JournalError, ManifestError
from pressync.model.interface import FORM_CONTENT_TYPE, OPERATIONS
from pressync.model.records import Source
from pressync.stage.server.app import make_api
from pressync.stage.server.store import Store
from pressync.state.journal_lines import check_header, decode, encode
from pressync.state.manifest import codec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pressync.model.interface import Operation
    from pressync.model.records import Manifest


def pieces(words: Sequence[str], most: int = 30) -> st.SearchStrategy[str]:
    """Make text from the words of a format, with other text between them."""
    return st.lists(st.sampled_from(words) | st.text(max_size=4), max_size=most).map("".join)


_KEYS = [
    "title",
    "slug",
    "date",
    "date_gmt",
    "parent",
    "author",
    "meta",
    "categories",
    "tags",
    "status",
    "weight",
    "draft",
    "aliases",
    "id",
]
_SIGNS = ["\n", ": ", " = ", "- ", "[", "]", "{", "}", '"', "'", ",", "&a ", "*a", "<<", "!!int ", "|\n  "]
_ODD = ["0", "010", "1e9", "No", "~", "null", "2024-02-30", "\t", "\\ud800", "\\u0000", "\x85", "\ufeff", "."]
_head = pieces([*_KEYS, *_SIGNS, *_ODD, "\n  ", "# ", "'''", '"""', "[[x]]", "---", "+++"])


@given(
    _head,
    st.sampled_from(["---\n", "+++\n", '{"', "---json\n", "\ufeff---\n"]),
    pieces(["# ", "\n", "](a.md)"]),
)
def test_any_front_matter_is_a_document_that_can_be_sent_or_a_problem(
    head: str, fence: str, body: str
) -> None:
    close = "}" if fence == '{"' else f"\n{fence}"
    data = f"{fence}{head}{close}{body}".encode(errors="surrogatepass")
    reader = DocumentReader(load(None, where="", environ={}))
    reading = reader.read(Source("content/pages/a.md", "b" * 40), data)
    for problem in reading.problems:
        assert problem.path == "content/pages/a.md"
        assert 0 <= problem.line <= data.count(b"\n") + data.count(b"\r") + 1
    if reading.document:
        json.dumps([*reading.document.fields.values()], default=dict, ensure_ascii=False).encode()
        renderer = Renderer({}, templates_folder="templates", content="content")
        renderer.render(reading.document, resolve=lambda _path: Unresolved.MISSING)
    else:
        assert reading.problems


# A manifest of all its nouns takes a fifth of a second to draw.
@settings(max_examples=settings().max_examples // 5)
@given(any_manifest, st.data())
def test_any_damage_to_a_manifest_is_a_manifest_or_a_manifest_error(
    known: Manifest, data: st.DataObject
) -> None:
    text = codec.encode(known)
    at = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(at, min(len(text), at + 40)))
    damaged = (
        text[:at]
        + data.draw(pieces(['"', "{", "}", "[", "]", ",", ":", "null", "-1", "\\ud800"], 3))
        + text[end:]
    )
    with suppress(ManifestError):
        read_back = codec.decode(damaged, where="m.json")
        assert codec.decode(codec.encode(read_back), where="m.json") == read_back


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
_lines = st.dictionaries(
    st.sampled_from(["journal", "intent", "done", "removed", "not", "learned", "forgotten", "resolved"]),
    st.dictionaries(
        st.sampled_from(
            [
                "version",
                "target",
                "n",
                "entries",
                "path",
                "kind",
                "id",
                "why",
                "names",
                "media",
                "action",
                "slug",
                "doubts",
                "entry",
            ]
        ),
        _json,
    )
    | _json,
    max_size=2,
)


@given(_lines | _json, st.booleans())
def test_any_line_of_a_journal_is_a_line_or_a_journal_error(value: object, whole: bool) -> None:
    text = json.dumps(value).encode()
    raw = b"%s\t%08x\n" % (text, zlib.crc32(text) if whole else 0)
    with suppress(JournalError):
        line = decode(raw, "here")
        assert decode(encode(line), "here") == line
    with suppress(JournalError):
        check_header(raw, "target", "here")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """Open the embedded service's interface, with one page and no socket."""
    store = Store(tmp_path / "site.db")
    client = Client(make_api(store))
    client.post("/wp/v2/pages", data={"title": '{"raw": "A"}'})
    yield client
    store.close()


_values = _json.map(json.dumps) | pieces(
    ["true", "2024-01-31T10:00:00", "publish", "99", "[1]", '{"raw": "x"}'], 2
)


@st.composite
def _requests(draw: st.DrawFn) -> tuple[Operation, str, bytes]:
    operation = draw(st.sampled_from(OPERATIONS))
    number = draw(st.sampled_from(["1", "2", "0", "-1", "1.5", "9" * 18, "9" * 30, "%00", "x"]))
    names = st.sampled_from([*(field.name for field in operation.body), "id", "%", "x y"])
    pairs = draw(st.lists(st.tuples(names, _values), max_size=4))
    body = "&".join(f"{name}={quote_plus(text, errors='replace')}" for name, text in pairs).encode()
    return operation, operation.path.replace("{id}", number), draw(st.just(body) | st.binary(max_size=60))


@given(
    _requests(),
    st.sampled_from([FORM_CONTENT_TYPE, "application/json", "", f"{FORM_CONTENT_TYPE}; charset=x"]),
)
def test_any_request_gets_a_record_or_a_refusal_and_never_a_fault(
    client: Client, asked: tuple[Operation, str, bytes], kind: str
) -> None:
    operation, path, body = asked
    answer = client.open(path, method=operation.method, data=body, content_type=kind or None)
    said: dict[str, Any] = json.loads(answer.data)
    assert answer.status_code in {200, 400, 404, 405, 409, 410, 413, 415}, said
    if answer.status_code == 200:
        assert [*said] == [field.name for field in operation.kind.row.record]
    else:
        assert {"code", "message"} <= {*said}
