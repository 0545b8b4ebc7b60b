"""MDX becomes Markdown and HTML, and what only the program of the site can show is named."""

from __future__ import annotations

import pytest

from pressync.importing.sources.item import Place
from pressync.importing.sources.mdx import MdxText

FILES = {
    "./_part.mdx": "Part of {/* no */}it\n",
    "./_props.mdx": "Hello {props.name}\n",
    "./_loop.mdx": "import Loop from './_loop.mdx'\n<Loop />\n",
}


def converting() -> MdxText:
    return MdxText("docs/a.mdx", lambda _page, path: (path, FILES[path]) if path in FILES else None)


@pytest.mark.parametrize(
    ("written", "made"),
    [
        (":::note\n\nText\n\n:::", "> [!NOTE]\n> Text\n"),
        ("::::info\n:::danger\nIn\n:::\n::::", "> [!NOTE] Info\n> > [!CAUTION] Danger\n> > In\n"),
        ("- a\n  :::note\n  Text\n  :::", "- a\n  > [!NOTE]\n  > Text\n"),
        (":::note\nnever closed", ":::note\nnever closed"),
        ("```md\n:::note\n<Tabs>\n```", "```md\n:::note\n<Tabs>\n```"),
        ("<!-- truncate -->\n{/* truncate */}", "<!--more-->\n<!--more-->"),
        ("`<!-- truncate -->` `` {/* c */} ` `` x{/* c */}", "`<!-- truncate -->` `` {/* c */} ` `` x"),
        ("```\n<!-- truncate -->\n{/*\n```", "```\n<!-- truncate -->\n{/*\n```"),
        ('`<b className="x">` <b className="y">', '`<b className="x">` <b class="y">'),
        ("a {/* one\n\n- two\n*/} b\n{/* three\n*/}", "a \n\n\n b\n\n"),
        ("`{/*` one\n*/}", "`{/*` one\n*/}"),
        (
            '<img width={40} title={"a & b"} /> `<b x={1}>`',
            '<img width="40" title="a &amp; b" /> `<b x={1}>`',
        ),
        (
            "<p style={{ textAlign: 'center', width: 400, 'opacity': 0.5, top: 0, }} hidden={true}>",
            '<p style="text-align: center; width: 400px; opacity: 0.5; top: 0" hidden="true">',
        ),
        ("<img src={require('./a.png').default} />", '<img src="./a.png" />'),
        (
            '<Tabs groupId="os">\n<TabItem value="mac" label="macOS">\n\nOne\n\n</TabItem>\n</Tabs>',
            "\n\n**macOS**\n\n\nOne\n\n\n",
        ),
        ("import Part from './_part.mdx'\n\n<Part />", "\n\nPart of it"),
        ("export PATH=/bin", "export PATH=/bin"),
        (
            "import one from\n'./a.png';\nimport {\n  x\n} from 'y'\n\n<b><img src={one} /></b>\n## T\n",
            '\n\n\n\n\n\n<b><img src="./a.png" /></b>\n\n## T\n',
        ),
        ("```\nimport a from\n'./a.png'\n```", "```\nimport a from\n'./a.png'\n```"),
        ("<div>\n*a*\n</div>\n- b\n  <br/>\n- c", "<div>\n\n*a*\n</div>\n\n- b\n  <br/>\n- c"),
        ("<div>\n<p>a</p>\n</div>\nb\n<br/>\nc", "<div>\n<p>a</p>\n</div>\nb\n<br/>\nc"),
        ("<p>a</p>\n```\n<div>\n# x\n```", "<p>a</p>\n\n```\n<div>\n# x\n```"),
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
        ("a\n<b onClick={() => go()}>x</b> `<b y={z}>`", ["expression"]),
        ("a\n<b style={{ color: red }}>x</b>", ["expression"]),
        ("import P from './_props.mdx'\n<P name='x' />", ["component P"]),
        ("import Y from '../Y'\n<Y />", ["component Y"]),
        ("import y from './y.mdx'\n<img src={y} />", ["expression"]),
    ],
)
def test_all_else_stays_and_is_named_with_its_line(written: str, kinds: list[str]) -> None:
    known = converting()
    made = known.text(written, 7)
    assert written.split("\n")[1] in made
    assert [(each.kind, each.place) for each in known.remainders] == [
        (kind, Place("docs/a.mdx", 8)) for kind in kinds
    ]


def test_thousands_of_open_admonitions_are_text() -> None:
    assert converting().text(":::note\n" * 20_000, 1).endswith(":::note\n")
    assert "<Loop />" in converting().text("import Loop from './_loop.mdx'\n<Loop />\n", 1)
