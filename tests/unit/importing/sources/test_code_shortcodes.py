"""Shortcodes that show code become code, to the byte; all others stay."""

from __future__ import annotations

import pytest

from pressync.importing.conversion import as_html, as_markdown
from pressync.importing.sources.item import Form
from pressync.importing.sources.wordpress_record import with_code


def written(text: str) -> str:
    return as_markdown(as_html(with_code(text), Form.BLOCKS)).text


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        (
            '[sourcecode language="python"]\n    if x &lt; 3:\n        *x*\n\n    x\n[/sourcecode]\n\nB',
            "```python\n    if x < 3:\n        *x*\n\n    x\n```\n\nB\n",
        ),
        ('[code lang="java"]\nList<A> x;\n  a &lt; b\n[/code]', "```java\nList<A> x;\n  a &lt; b\n```\n"),
        ("[cc lang='c']\n#include <a.h>\n\n  x = *a;\n[/cc]", "```c\n#include <a.h>\n\n  x = *a;\n```\n"),
        ("[php]\n<?php echo 1;\n[/php]", "```php\n<?php echo 1;\n```\n"),
        ("[code]\n  a\n[/code]", "```\n  a\n```\n"),
        ("Use [code]a*b*c[/code] here.", "Use `a*b*c` here.\n"),
        (
            "<!-- wp:shortcode -->\n[bash]\nls\n  -l\n[/bash]\n<!-- /wp:shortcode -->",
            "```bash\nls\n  -l\n```\n",
        ),
        ("[latex]\nx_1\n  y\n[/latex]", "```latex\nx_1\n  y\n```\n"),
    ],
)
def test_a_shortcode_for_code_is_code(text: str, markdown: str) -> None:
    assert written(text) == markdown


@pytest.mark.parametrize(
    "text",
    [
        "[box]\nText\n[/box]",
        "[code]\nnever closed",
        "<pre>[code]\na\n[/code]</pre>",
        "a [latex]x^2[/latex] b",
        "[[code]\nan example\n[/code]]",
    ],
)
def test_other_shortcodes_stay(text: str) -> None:
    assert with_code(text) == text


@pytest.mark.parametrize("part", ["[code]", "[code]\n[php]\n[/x]", "<pre>[code]", "[/code]", "[latex]a"])
def test_a_text_made_to_be_slow_is_read_once(part: str) -> None:
    text = f"[/latex]{part * 50_000}"
    assert with_code(text) == text
