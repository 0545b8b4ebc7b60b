"""MDX becomes Markdown as far as Docusaurus itself brings it."""

from __future__ import annotations

import pytest

from pressync.importing.sources.docusaurus_mdx import Converting
from pressync.importing.sources.item import Place

FILES = {
    "./_part.mdx": "Part of {/* no */}it\n",
    "./_props.mdx": "Hello {props.name}\n",
    "./_loop.mdx": "import Loop from './_loop.mdx'\n<Loop />\n",
}


def converting() -> Converting:
    return Converting("docs/a.mdx", lambda _page, path: FILES.get(path))


@pytest.mark.parametrize(
    ("written", "made"),
    [
        (":::note\n\nText\n\n:::", "> [!NOTE]\n> Text\n"),
        (":::tip[My *tip*]\nText\n:::", "> [!TIP] My *tip*\n> Text\n"),
        (":::warning Mind it\nText\n:::", "> [!WARNING] Mind it\n> Text\n"),
        ("::::info\n:::danger\nIn\n:::\n::::", "> [!NOTE] Info\n> > [!CAUTION] Danger\n> > In\n"),
        ("- a\n  :::note\n  Text\n  :::", "- a\n  > [!NOTE]\n  > Text\n"),
        (":::note\nnever closed", ":::note\nnever closed"),
        ("```md\n:::note\n<Tabs>\n```", "```md\n:::note\n<Tabs>\n```"),
        ("a{/* comment */}b", "ab"),
        ("<!-- truncate -->\n{/* truncate */}", "<!--more-->\n<!--more-->"),
        ("## Set up {/* #install */}", "## Set up {#install}"),
        ("<img src={require('./a.png').default} />", '<img src="./a.png" />'),
        ("<a href={useBaseUrl('/b')}>b</a>", '<a href="/b">b</a>'),
        ('<div className="x">', '<div class="x">'),
        (
            '<Tabs groupId="os">\n<TabItem value="mac" label="macOS">\n\nOne\n\n</TabItem>\n</Tabs>',
            "\n\n**macOS**\n\n\nOne\n\n\n",
        ),
        ("import Part from './_part.mdx'\n\n<Part />", "\n\nPart of it"),
        ("import Tabs from '@theme/Tabs';", ""),
    ],
)
def test_what_docusaurus_brings_is_converted(written: str, made: str) -> None:
    known = converting()
    assert (known.text(written, 1), known.remainders) == (made, [])


@pytest.mark.parametrize(
    ("written", "kinds"),
    [
        ("a\n<Chart data={1} />", ["component Chart"]),
        ("a\nText <Badge>x</Badge> `<Code>`", ["component Badge"]),
        ("a\nexport const x = 1", ["export"]),
        ("import P from './_props.mdx'\n<P name='x' />", ["component P"]),
        ("import Y from '../Y'\n<Y />", ["component Y"]),
    ],
)
def test_all_else_stays_and_is_named_with_its_line(written: str, kinds: list[str]) -> None:
    known = converting()
    made = known.text(written, 7)
    assert written.split("\n")[1] in made
    assert [(each.kind, each.place) for each in known.remainders] == [
        (kind, Place("docs/a.mdx", 8)) for kind in kinds
    ]


def test_a_file_that_imports_itself_ends() -> None:
    known = converting()
    assert "<Loop />" in known.text("import Loop from './_loop.mdx'\n<Loop />", 1)


def test_an_export_of_a_shell_is_text() -> None:
    known = converting()
    assert known.text("export PATH=/bin", 1) == "export PATH=/bin"
    assert known.remainders == []


def test_thousands_of_open_admonitions_are_text() -> None:
    assert converting().text(":::note\n" * 20_000, 1).endswith(":::note\n")
