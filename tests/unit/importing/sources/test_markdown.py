"""Lists of attributes, titles and notes of other tools become what Markdown has, and code stays."""

from __future__ import annotations

import pytest

from pressync.importing.sources.item import Place, Remainder
from pressync.importing.sources.markdown import (
    MdxText,
    alert,
    lines,
    of_headings,
    titled,
    with_code_titles,
    with_emoji,
)

HERE = Place("a.md", 10)


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("## Set up {#set-up}", "## Set up"),
        ("## Set up {#install}", '## <a id="install"></a>Set up'),
        ("## Path <small>1</small> { id=path }", '## <a id="path"></a>Path <small>1</small>'),
        ('## 4.9.1 <small>a</small> { id="4.9.1" }', '## <a id="4.9.1"></a>4.9.1 <small>a</small>'),
        ("# A `{x}` b", "# A `{x}` b"),
        ("```md\n## Set up {#install}\n```", "```md\n## Set up {#install}\n```"),
    ],
)
def test_the_target_of_links_stays(written: str, made: str) -> None:
    assert of_headings(written, HERE) == (made, ())


def test_a_class_is_named_with_its_line() -> None:
    text, left = of_headings("a\n\n## Set up {#install .wide}\n", HERE)
    assert text == 'a\n\n## <a id="install"></a>Set up\n'
    assert left == (Remainder("attribute list", Place("a.md", 12), "{#install .wide}"),)


@pytest.mark.parametrize(
    ("given", "body", "expected"),
    [
        ("A", "# B\n\nText", ("A", "# B\n\nText")),
        ("", "# B *x* {#b}\n\nText", ("B x", "Text")),
        ("", "Text\n\n# B\n", ("B", "Text\n\n# B\n")),
        ("", "## B\n", ("B", "## B\n")),
        ("", "Text", ("My page", "Text")),
    ],
)
def test_a_heading_that_is_the_title_leaves_the_text(
    given: str, body: str, expected: tuple[str, str]
) -> None:
    assert titled(given, body, "my-page") == expected
    assert titled("A", "# B\nText", "x", heading_wins=True) == ("B", "Text"), "as some tools show it"
    assert titled("A", "Text\n# B", "x", heading_wins=True) == ("A", "Text\n# B")


@pytest.mark.parametrize(
    ("word", "title", "head"),
    [
        ("Tip", "Tip", "> [!TIP]"),
        ("danger", "", "> [!CAUTION] Danger"),
        ("warning", "Mind the gap", "> [!WARNING] Mind the gap"),
        ("whatever", "", "> [!NOTE] Whatever"),
    ],
)
def test_a_kind_without_a_counterpart_keeps_its_word_as_the_title(word: str, title: str, head: str) -> None:
    assert alert(word, title, "Text").split("\n") == [head, "> Text"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\n````md\n```\n# b\n~~~~\n````\nc", ["a", "c"]),
        ("- ```\n  {x}\n  ```\n- b", ["- b"]),
        ("``` a ``` b\nc", ["``` a ``` b", "c"]),
        ("```\n    ```\n    a\n    ```\n```\nb", ["b"]),
        ("- a\n\n    ```\n    b\n\nc\n> > ```\n> > d\n> > ```\n> e", ["- a", "", "c", "> e"]),
    ],
    ids=[
        *("a fence ends with as many of the same characters", "code in a list is code"),
        *("a line of inline code opens nothing", "a fence that is indented further is code"),
        "a block ends with the list that holds it",
    ],
)
def test_lines_of_code_are_told_from_lines_of_text(text: str, plain: list[str]) -> None:
    assert [line for line, is_code in lines(text) if not is_code] == plain


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


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ('```yaml title="a_b.yml"\nx: 1\n```', "\n**a\\_b.yml**\n\n```yaml\nx: 1\n```"),
        ('````\n``` title="a"\n```\n````', None),
        ("```js\na\n// highlight-next-line\nb\n```", "```js\na\nb\n```"),
        ("// highlight-next-line", None),
    ],
)
def test_the_title_of_code_is_a_line_above_it(text: str, made: str | None) -> None:
    assert with_code_titles(text) == (made or text)


def test_codes_of_emoji_are_characters_outside_of_code_and_addresses() -> None:
    text = "I :heart: it `:x:` 10:20:30 :nobody:\n\n```\n:x:\n```"
    assert with_emoji(text) == text.replace(":heart:", "❤️")
