"""Real documents, edited there and taken over: some, or with PRESSYNC_TEST_CORPORA=all each of them."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest
from tests.support.corpora import thinned, unpack
from tests.support.hand import hand, html

from pressync.content.documents import split, text_of
from pressync.content.render.editor_blocks import to_blocks
from pressync.html.normalize import HEADINGS, canonical, normalized
from pressync.html.pieces import cut
from pressync.html.tree import Element, parse
from pressync.pull.body import merged_body

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.html.tree import Node

pytestmark = pytest.mark.corpus

TREES = ("wp-cli-handbook", "hugo-docs", "rust-blog")
WORD = re.compile(r"(?<=[ >\n])[A-Za-z]{3,}(?=[ .,<\n])(?![^<]*>)")


@pytest.fixture(scope="module", params=TREES)
def bodies(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    tree: Path = unpack(request.param, tmp_path_factory.mktemp("corpus"))
    files = thinned(tree.rglob("*.md"), 40)
    return {str(file): split("a.md", text_of(file.read_bytes())).body for file in files}


def reads(source: str) -> list[str]:
    """Give what each piece of a page reads, without the ids of headings."""
    made = frozenset(
        node.attributes.get("id", "") for node in _elements(parse(source)) if node.name in HEADINGS
    )
    return [canonical(normalized(piece.nodes, made)) for piece in cut(parse(source))]


def _elements(nodes: tuple[Node, ...]) -> list[Element]:
    found = [node for node in nodes if isinstance(node, Element)]
    return [each for node in found for each in (node, *_elements(node.children))]


def _edited(source: str, name: str) -> str | None:
    """Change a word of one paragraph, and put a new one behind it; None if there is none."""
    chance = random.Random(name)  # noqa: S311 - a test's choice
    paragraphs = [node for node in parse(source) if isinstance(node, Element) and node.name == "p"]
    if not paragraphs:
        return None
    chosen = chance.choice(paragraphs)
    text = source[chosen.start : chosen.end]
    words = list(WORD.finditer(text))
    if words:
        word = chance.choice(words)
        text = f"{text[: word.start()]}edited{text[word.end() :]}"
    new = "\n<p>A <strong>new</strong> paragraph by an *editor* &amp; co.<br>With [two] lines.</p>"
    return source[: chosen.start] + text + new + source[chosen.end :]


@pytest.mark.sweep
def test_a_real_document_that_nobody_edited_keeps_every_byte(bodies: dict[str, str]) -> None:
    changed = [name for name, body in bodies.items() if merged_body(body, html(body), hand()) != body]
    assert changed == []


@pytest.mark.sweep
def test_as_blocks_of_the_editor_it_keeps_every_byte_too(bodies: dict[str, str]) -> None:
    editors = hand(blocks=True)
    changed = [
        name for name, body in bodies.items() if merged_body(body, to_blocks(html(body)), editors) != body
    ]
    assert changed == []


@pytest.mark.sweep
def test_an_edit_of_a_real_document_reads_here_as_it_does_there(bodies: dict[str, str]) -> None:
    tried, failed = 0, []
    for name, body in bodies.items():
        remote = _edited(html(body), name)
        if remote is not None:
            tried += 1
            if reads(html(merged_body(body, remote, hand()))) != reads(remote):
                failed.append(name)
    print(f"{tried} documents were edited and taken over")  # noqa: T201 - the figure of a whole run
    assert tried
    assert failed == []
