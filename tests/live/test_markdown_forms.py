"""The filter of WordPress for authors leaves coloured code as it is, and formulas from 7.1 on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import requests

from pressync.config.settings import MarkdownForms
from pressync.content.render.markdown import to_html
from pressync.content.render.renderer import with_forms

if TYPE_CHECKING:
    from tests.live.sites import Site

CODE = '```python title="a <b>.py" {2}\ndef f(x):\n    return "a" & x  # \'c\' [gallery]\n```\n'
FORMULAS = (
    '$x_1 < 3$\n\n$$\n\\frac{a}{b} \\text{if "q"} [c]\n$$\n\n$\\begin{align}a&=b\\\\c&=d\\end{align}$\n'
)


def stored(site: Site, content: str) -> str:
    """Give what the site stores of a draft that an author writes."""
    found = requests.post(
        f"{site.url}/wp-json/wp/v2/posts",
        auth=("author", site.passwords["author"]),
        json={"title": "Forms", "status": "draft", "content": content},
        timeout=60,
    )
    found.raise_for_status()
    return str(found.json()["content"]["raw"])


def test_an_authors_coloured_code_stays_as_it_is(wordpress: Site) -> None:
    for style in ("default", "monokai", "friendly"):
        forms = MarkdownForms(highlight=style)
        page, _ = with_forms(to_html(CODE, forms), forms)
        assert "<span style=" in page
        assert stored(wordpress, page) == page


def test_an_authors_formulas_stay_as_they_are_where_the_plan_says_so(wordpress: Site) -> None:
    forms = MarkdownForms(math=True)
    page, faults = with_forms(to_html(FORMULAS, forms), forms)
    assert not faults
    kept = stored(wordpress, page)
    if wordpress.version.startswith("7."):
        assert kept == page
    else:
        assert "<math" not in kept
