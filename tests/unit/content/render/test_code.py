"""Tests of coloured code: the text of a fence never changes, and a pull gives the fence back."""

from __future__ import annotations

import html
import re

import pytest

from pressync.config.settings import MarkdownForms
from pressync.content.render.code import highlighted, too_long
from pressync.content.render.markdown import to_html, with_places
from pressync.html.normalize import canonical, normalized
from pressync.html.tree import parse
from pressync.pull.body import merged_body
from pressync.pull.compose import BodyFormat

FORMS = MarkdownForms(highlight="monokai")
PYTHON = 'def f(x):\n    """Doc\n\n    string"""\n    return [x & 1 < 2, \'a\', "b"]  # [gallery]\n'
FENCE = f"```python\n{PYTHON}```\n"


def shown(markdown: str) -> str:
    return highlighted(to_html(markdown, FORMS), FORMS.highlight)


def test_code_gets_spans_a_caption_and_marks_and_keeps_its_text() -> None:
    page = shown(FENCE)
    assert '<span style="color: #66d9ef">def</span>' in page
    assert html.unescape(re.sub(r"<[^<>]*>", "", page)) == f"{PYTHON}\n"
    page = shown('```js title="a <b>.js" {1,3-4}\na\nb\nc\nd\n```\n')
    assert page.startswith('<figure class="code-title"><figcaption>a &lt;b&gt;.js</figcaption><pre ')
    assert [re.sub("<[^<>]*>", "", each) for each in re.findall("<mark .*?</mark>", page)] == ["a", "c", "d"]


@pytest.mark.parametrize(
    "markdown",
    [
        "```\nx\n```\n",
        '<pre><code class="language-tnt">!</code></pre>\n',
        "```no-such-language\nx\n```\n",
        "    def f(): pass\n",
    ],
)
def test_code_without_a_known_language_stays_as_it_is(markdown: str) -> None:
    assert shown(markdown) == to_html(markdown)


def test_code_that_would_take_long_stays_as_it_is() -> None:
    long = f"```python\n{'x = 1  # a' * 900}\n```\n"
    assert shown(long) == to_html(long)
    many = "```python\nx = 1\n```\n\n" + f"```python\n{'x = 1 + 2  ' * 700}\n```\n\n" * 4
    assert shown(many).count("<pre style=") == 4
    assert len([*too_long(with_places(many, FORMS))]) == 1


@pytest.mark.parametrize(
    ("language", "text", "coloured"),
    [
        ("autohotkey", "x = 1\n" * 166, True),
        ("autohotkey", "x = 1\n" * 167, False),
        ("python", "x=1\n" * 999, True),
        ("python", "x=1\n" * 1001, False),
        ("autohotkey", "\n" * 4000, False),
        ("robotframework", "{}" * 240, True),
        ("robotframework", "{}" * 2000, False),
        ("systemd", "Key=x\n" * 300, False),
        ("zeek", "1" * 5000, False),
        ("xpp", "a\n" * 600, False),
        ("androidbp", "_" * 5000, False),
        ("tnt", "!", False),
        ("no-such-language", "x" * 9000, False),
    ],
)
def test_the_bound_is_one_of_characters_and_of_lines_and_what_is_beyond_it_is_named(
    language: str, text: str, *, coloured: bool
) -> None:
    markdown = f"Text.\n\n```{language}\n{text}\n```\n"
    assert ("<pre style=" in shown(markdown)) == coloured
    placed = with_places(markdown, FORMS)
    named = [] if coloured or language == "no-such-language" else [3]
    assert [*too_long(placed)] == [*too_long(highlighted(placed, FORMS.highlight))] == named


@pytest.mark.parametrize("info", ["python", 'python title="x.py"', "python {2} linenums=1", "js", "yaml"])
def test_the_page_and_the_text_are_equal_for_a_pull(info: str) -> None:
    markdown = FENCE.replace("python", info, 1)
    ours, theirs = (
        canonical(normalized(parse(page))) for page in (to_html(markdown, FORMS), shown(markdown))
    )
    assert ours == theirs


def test_an_edit_of_coloured_code_comes_back_as_the_edited_fence() -> None:
    body = f'Text before.\n\n~~~python title="x.py" {{1}}\n{PYTHON}~~~\n\nText after.\n'
    pulled = BodyFormat(lambda text: with_places(text, FORMS), lambda link: link)
    remote = shown(body).replace("Doc", "Words").replace("before", "above")
    assert merged_body(body, shown(body), pulled) == body
    assert merged_body(body, remote, pulled) == body.replace("Doc", "Words").replace("before", "above")
