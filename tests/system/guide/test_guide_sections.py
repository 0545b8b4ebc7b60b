"""Every name of an error, a limit or a problem has a section in the guide; its CSS fits our HTML."""

from __future__ import annotations

import ast
import inspect
import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support import gallery, guide_pages

import pressync
from pressync.app import guide
from pressync.cli.commands import help as guide_help
from pressync.config.settings import MarkdownForms
from pressync.content.render import markdown
from pressync.html.tree import Element, parse
from pressync.model import errors
from pressync.model.changes import Block
from pressync.model.errors import Code

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest
    from tests.support.terminal import Terminal


SOURCE = Path(pressync.__file__).parent
# A part of a message that is shorter than this says nothing about the place that it comes from.
TELLING = 12

# Problems that stop a sync, and problems that only warn.
WRONG: dict[str, str | bytes] = {
    "templates/reference.html": "{{ content }}\n",
    "templates/page.html": "{{ content }}{{ page.nowhere if page.fails else '' }}\n",
    "content/pages/control.md": "# A\n\nb\x0bc\n",
    "content/pages/contradiction.md": "---\ndraft: true\nstatus: publish\n---\n# A\n",
    "content/pages/deep.md": "> " * 200 + "x\n",
    "content/pages/fails.md": "---\nfails: true\n---\n# A\n",
    "content/pages/large.md": "x" * (8 * 1024 * 1024 + 1),
    "content/pages/latin.md": "# Caf\xe9\n".encode("latin-1"),
    "content/pages/layout.md": "---\nlayout: referense\n---\n# A\n",
    "content/pages/merge.md": "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n",
    "content/pages/new\nline.md": "# A\n",
    "content/pages/parent.md": "---\nparent: nowhere.md\n---\n# A\n",
    "content/pages/picture.md": "---\nfeatured_media: gone.png\n---\n# A\n",
    "content/pages/unclosed.md": "---\ntitle: A\n\nText\n",
    "content/pages/value.md": "---\nstatus: publik\n---\n# A\n",
    "content/pages/yaml.md": "---\ntitle: [a\n---\n\nText\n",
}
ODD: dict[str, str | bytes] = {
    "content/notes/a.md": "# A note\n",
    "content/pages/attributes.md": "# A\n\n## Head {#id}\n",
    "content/pages/dead-address.md": "[a](/nowhere/)\n",
    "content/pages/dead-anchor.md": "[a](#nowhere)\n",
    "content/pages/empty.md": "\n",
    "content/pages/double.md": "---\ntitle: A\n---\n# A\n",
    "content/pages/drawing.svg": "<svg/>\n",
    "content/pages/fence.md": "```python\nx\n",
    "content/pages/folder/in.md": "# In a folder\n",
    "content/pages/foreign.md": "---\nid: install\n---\n# A\n",
    "content/pages/hugo.md": "{{< youtube x >}}\n",
    "content/pages/jekyll.md": "{{ site.title }}\n",
    "content/pages/kramdown.md": "*[HTML]: Text\n\nA :heart:.\n",
    "content/pages/vault.md": "[[A]] ![[b.png]] %%c%% [@doe] a[^1].\n\n> [!e]\n> #f\n\n$$x$$\n\n#+title: h\n",
    "content/pages/drawn.md": '```mermaid\ngraph\n```\n\n```js title="a.js"\nx\n```\n',
    "content/pages/link.md": "[a](gone.md)\n",
    "content/pages/mdx.md": "import X from 'x'\n",
    "content/pages/misspelt.md": "---\ntitel: A\n---\n# A\n",
    "content/pages/mkdocs.md": "!!! note\n    Text\n",
    "content/pages/note.md": ":::note\nText\n:::\n",
    "content/pages/outside.md": "[a](../../../out.md)\n",
    "content/pages/page.html": "<p>Text</p>\n",
    "content/pages/unsent.md": "[a](drawing.svg)\n",
    "content/pages/unused.md": "---\nsticky: true\n---\n# A\n",
    "content/pages/pointer.md": "version https://git-lfs.github.com/spec/v1\n",
    "content/posts/tags.md": "---\ntags: a, b\n---\n# A\n",
    "content/posts/authors.md": "---\nauthors: [anna, ben]\n---\n# A\n",
    "pressync.toml": '[authors]\n"*" = "editor"\n',
}
# The problems of other places: several documents together, the site, and files outside of the content.
ELSEWHERE = {
    *(Code.FRONT_PAGE, Code.ID_TWICE, Code.UNKNOWN_FIELD),
    *(
        Code.NO_ID,
        Code.UNKNOWN_AUTHOR,
        Code.UNKNOWN_ID,
        Code.NOT_SUPPORTED,
        Code.PARENT_CYCLE,
        Code.SAME_ADDRESS,
    ),
    *(Code.SETTINGS, Code.ADOPT_LIST, Code.TABLE, Code.MANIFEST, Code.MANIFEST_SEARCH, Code.ORPHANED_RECORD),
    *(Code.TAKEN_BACK, Code.PLAIN_CODE),
}


def test_every_name_has_a_section_and_no_section_explains_another_name() -> None:
    assert set(guide_help.sections()) == {*Code, *_limits(), *_errors(), *set(Block)}


def test_the_errors_and_limits_name_sections_that_are_there() -> None:
    assert errors.LockHeld("x").name == "lock-held"
    assert errors.SafetyRefusal("x", code="not_pulled").name == "not_pulled"
    assert {"not_pulled", "lost_manifest", "two_manifests", "manifest_unwritable"} <= _limits()


def test_a_section_quotes_what_the_program_says() -> None:
    """The messages of problems that one bad file shows are compared with those of `check`, further down."""
    foreign = [
        (name, part.strip())
        for name in sorted(guide_help.sections().keys() - (set(Code) - ELSEWHERE))
        for part in re.split(r"…|blocked: |failed: |; |\n", guide_help.sections()[name].paragraphs[0])
        if len(part.strip()) >= TELLING and not _is_said(part.strip())
    ]
    assert foreign == []


def test_a_section_has_a_message_and_then_explains_it() -> None:
    for section in guide_help.sections().values():
        quoted, *texts = section.paragraphs
        assert (section.name, quoted[:4], bool(texts)) == (section.name, "    ", True)


def test_a_problem_of_a_file_has_the_message_that_its_section_quotes(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRESSYNC_DIALECT", "wordpress")
    terminal.repository.commit(ODD)
    found = _problems(terminal, exits=0)
    terminal.repository.commit(WRONG)
    found |= _problems(terminal, exits=2)
    assert set(Code) - found.keys() == ELSEWHERE
    for name, said in found.items():
        (quoted, *_) = guide_help.sections()[name].paragraphs
        patterns = [".+".join(map(re.escape, row.strip().split("…"))) for row in quoted.split("\n")]
        assert any(re.fullmatch(one, each) for one in patterns for each in said), (quoted, said)


def _problems(terminal: Terminal, *, exits: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for problem in json.loads(terminal.run("check", "--format", "json", exits=exits).stdout)["problems"]:
        found.setdefault(problem["code"], []).append(problem["message"])
    return found


@cache
def _limits() -> set[str]:
    """Find the codes of all refusals in the source: the text, or the constant with it."""
    nodes = _nodes("Refusal(")
    constants = {
        name: value.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for name, value in _pairs(node)
        if isinstance(value, ast.Constant)
    }
    # A module is named before the class in some places.
    calls = [(ast.unparse(node.func).split(".")[-1], node) for node in nodes if isinstance(node, ast.Call)]
    codes = [call.args[0] for name, call in calls if name == "Refusal"]
    codes += [
        given.value
        for name, call in calls
        if name == "SafetyRefusal"
        for given in call.keywords
        if given.arg == "code"
    ]
    texts = [code.value for code in codes if isinstance(code, ast.Constant)]
    named = [constants[code.id] for code in codes if isinstance(code, ast.Name)]
    return {*map(str, texts + named)}


def _pairs(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """Give each name with its value, also of `A, B = "a", "b"`."""
    target = node.targets[0]
    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
        yield from zip(map(ast.unparse, target.elts), node.value.elts, strict=True)
    else:
        yield ast.unparse(target), node.value


def _errors() -> set[str]:
    classes = [each for _, each in inspect.getmembers(errors, inspect.isclass)]
    kinds = [each for each in classes if issubclass(each, errors.PressyncError)]
    return {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "-", each.__name__).lower()
        for each in kinds
        if each is not errors.PressyncError
    }


def _is_said(part: str) -> bool:
    """Tell whether the program says this: in a text, or in one with values filled in."""
    return part in _text() or any(pattern.fullmatch(part) for pattern in _filled())


@cache
def _text() -> str:
    return "\0".join(_said())


@cache
def _filled() -> tuple[re.Pattern[str], ...]:
    filled = (said.split("…") for said in _said() if len(said.replace("…", "")) >= TELLING)
    return tuple(re.compile(".+".join(map(re.escape, parts))) for parts in filled if len(parts) > 1)


def _nodes(word: str = "") -> list[ast.AST]:
    """Give the nodes of all modules that have a word."""
    texts = (path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    return [node for text in texts if word in text for node in ast.walk(ast.parse(text))]


@cache
def _said() -> tuple[str, ...]:
    """Give every text of the source, with `…` where a value is filled in."""
    found = []
    for node in _nodes():
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
            found.append("".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return tuple(found)


MARKDOWN = """
A note.[^a]

> [!NOTE]
> N

> [!TIP]
> T

> [!IMPORTANT]
> I

> [!WARNING]
> W

> [!CAUTION]
> C

```python
x
```

| a | b |
|---|---|
| 1 | 2 |

- [x] done

Term
: Meaning

> Quote

[^a]: The note.
"""


def test_the_gallery_of_the_guide_has_every_form_that_browsers_are_asked_about() -> None:
    shown = set(_forms(guide.page(guide.GALLERY[0]).split("---", 2)[2]))
    # The title of the page is its heading of level 1.
    asked = {form for page in gallery.PAGES for form in _forms(page.text)} - {("", "h1", frozenset())}
    assert len(asked) > 50
    assert asked - shown == set()


def _forms(text: str) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Give the elements of a page with their classes, and the elements that they stand in."""
    forms = MarkdownForms(math=True, embeds=True, galleries=True)
    waiting = [("", node) for node in parse(markdown.to_html(text, forms))]
    while waiting:
        parent, node = waiting.pop()
        if isinstance(node, Element):
            yield parent, node.name, frozenset(each for each in node.classes() if "language-" not in each)
            waiting += [(node.name, child) for child in node.children]


# The theme's own class, which a site with blocks has.
OF_WORDPRESS = {"wp-block-table"}


def test_every_class_and_element_of_the_css_is_in_the_html() -> None:
    html = markdown.to_html(MARKDOWN)
    (css,) = [block.text for block in guide_pages.blocks("writing/blocks.md") if block.language == "css"]
    rules = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", css, flags=re.DOTALL)
    classes = set(re.findall(r"\.([a-z][a-z-]+)", rules)) - OF_WORDPRESS
    assert {"markdown-alert-caution", "footnote-backref"} <= classes
    assert {name for name in classes if not re.search(rf'class="[^"]*\b{name}[ "]', html)} == set()
    for element in ("pre", "code", "table", "blockquote", "dt", "dd", 'input type="checkbox"'):
        assert f"<{element}" in html
