"""The CSS that the guide offers is for the HTML that pressync makes of Markdown."""

from __future__ import annotations

import re

from tests.support import guide_pages

from pressync.content.render import markdown

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
# The theme's own class, which a site with blocks has.
OF_WORDPRESS = {"wp-block-table"}


def test_every_class_and_element_of_the_css_is_in_the_html() -> None:
    html = markdown.to_html(MARKDOWN)
    (css,) = [block.text for block in guide_pages.blocks("styles.md") if block.language == "css"]
    rules = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", css, flags=re.DOTALL)
    classes = set(re.findall(r"\.([a-z][a-z-]+)", rules)) - OF_WORDPRESS
    assert {"markdown-alert-caution", "footnote-backref"} <= classes
    assert {name for name in classes if not re.search(rf'class="[^"]*\b{name}[ "]', html)} == set()
    for element in ("pre", "code", "table", "blockquote", "dt", "dd", 'input type="checkbox"'):
        assert f"<{element}" in html
