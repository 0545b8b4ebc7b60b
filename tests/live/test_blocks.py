"""Bodies as blocks on real WordPress: every byte comes back, and nothing is sent twice."""

from __future__ import annotations

import contextlib
import html
import json
import re
import shutil
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.live import expected
from tests.live.live import Eyes, live, results, visit
from tests.support.corpora import unpack
from tests.unit.content.render.test_editor_blocks import ADDRESSES

from pressync.client.wordpress.record import wrap
from pressync.content.render.links import Unresolved
from pressync.content.render.renderer import Renderer
from pressync.model.changes import CreateCall, DeleteCall
from pressync.model.interface import Kind
from pressync.model.records import Document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live.live import Live
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

# Its footnote and its fence are where the renderers truly differ.
RENDERED_OTHERWISE = {"content/pages/page/GitInfo.md"}

SHORTCODE = re.compile(r"\[[^\]\n]*\]+")
ADDRESS = re.compile(r"https://[\w./?=]+", re.IGNORECASE)

SETTINGS = "pressync.toml"
ON, OFF = "[sites.live]\nblocks = true\n", "[sites.live]\n"

PAGE = "content/pages/page.md"
# A body of which every kind of block is made.
TEXT = """\
## One & *two*

A paragraph with "quotes", a [link](https://example.org/?a=1&b=2) and
a second line -- with dashes.

- one
- two
  1. inner

> A quote
>
> - [x] with a task

```php
[gallery]
https://www.youtube.com/watch?v=dQw4w9WgXcQ
echo '<p>';
```

```a--b
x
```

| Left | Right |
|:-----|------:|
| *a*  | 1 < 2 |

![A picture](https://example.org/a.png "Its title")

---

Term
: What it means

<script>
const a = 1 && 2

</script>
"""

# Code in every kind of block. Each name is one of WordPress's own shortcodes.
CODE = """\
Write `[gallery]`, `[caption="x"]` or `[embed]https://www.youtube.com/watch?v=skos4B5x7qE[/embed]`.

## Heading with `[gallery]`

- tight `[audio]`
  - with `[video src="a"]`

1. loose `[playlist]`

2. items

> quoted `[gallery ids="1"]`

| `[gallery]` | b           |
|-------------|-------------|
| `a[i]`      | `[[audio]]` |

- item `[gallery]`

  and code:

  ```
  [gallery]
  https://www.youtube.com/watch?v=skos4B5x7qE
  ```

<pre class="mine">
<code>[gallery]</code>
https://www.youtube.com/watch?v=skos4B5x7qE
</pre>

```
[gallery]
HTTPS://www.youtube.com/watch?v=skos4B5x7qE
```
"""
SCRIPT = """
<script>
const open = '<pre>', [first, second] = [1, 2]
</script>
"""


def test_wordpress_knows_each_provider_of_our_table(wordpress: Site) -> None:
    table = wordpress.folder / "usr/share/wordpress/wp-includes/class-wp-oembed.php"
    patterns = re.findall(r"'#(\S+)#i?'\s*=> array", table.read_text(encoding="utf-8"))
    known = [re.compile(pattern, re.IGNORECASE) for pattern in patterns]
    assert not [address for address in ADDRESSES if not any(each.match(address) for each in known)]


def test_every_kind_of_block_comes_back_as_it_went_and_is_shown(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit({SETTINGS: ON, PAGE: TEXT})
    site = live(repository, line, wordpress)

    run = site.sync()
    (row,) = Eyes(wordpress).rows().values()
    shown = visit(row["link"])

    assert results(run) == {PAGE: "done"}
    assert [outcome.message for outcome in run.outcomes] == [""]
    assert [row["content"]["raw"]] == list(contents(line))
    assert row["content"]["raw"].startswith(
        '<!-- wp:heading -->\n<h2 class="wp-block-heading" id="one--two">'
    )
    assert "<!-- wp:" not in shown
    # In code neither a shortcode nor an address means anything.
    assert (
        "&#091;gallery]\nhttps:/&#047;www.youtube.com/watch?v=dQw4w9WgXcQ\necho '&lt;p&gt;';\n</code>"
        in shown
    )
    assert '<td class="has-text-align-right" data-align="right">1 &lt; 2</td>' in shown
    assert "const a = 1 && 2\n\n</script>" in shown
    assert_silent(site, line)


def test_code_is_shown_as_it_is_written_in_every_kind_of_block(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit({SETTINGS: ON, PAGE: CODE + SCRIPT})
    site = live(repository, line, wordpress)

    run = site.sync()
    (row,) = Eyes(wordpress).rows().values()
    shown, _, script = without_escapes(row["content"]["rendered"]).partition("<script>")

    assert results(run) == {PAGE: "done"}
    assert [outcome.message for outcome in run.outcomes] == [""]
    assert [row["content"]["raw"]] == list(contents(line))
    assert Counter(SHORTCODE.findall(shown)) == Counter(SHORTCODE.findall(CODE))
    assert Counter(ADDRESS.findall(shown)) == Counter(ADDRESS.findall(CODE))
    # A script is no code that anybody reads.
    assert SCRIPT.strip() in row["content"]["raw"]
    assert "[first, second] = [1, 2]" in script
    assert_silent(site, line)


def test_the_filter_for_those_who_may_not_write_all_html_leaves_code_as_it_went(wordpress: Site) -> None:
    content = sent(CODE)

    with contextlib.closing(wordpress.service("author")) as service:
        made = service.carry_out(CreateCall(Kind.POST, {"title": "Code", "content": content}))
        service.carry_out(DeleteCall(Kind.POST, made.id, permanent=True))

        assert service.identity().filtered
        assert made.fields["content"] == content


def test_an_edit_is_sent_as_blocks_and_the_option_changes_every_page(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    paths = {f"content/pages/{name}.md": f"# {name}\n\nText of {name}.\n" for name in ("one", "two")}
    repository.commit({SETTINGS: OFF, **paths})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)

    def told() -> list[str]:
        results(site.sync())
        return sorted(row["content"]["raw"] for row in eyes.rows().values())

    plain = told()
    repository.commit({SETTINGS: ON})
    blocks = told()
    repository.commit({"content/pages/two.md": "# two\n\nAnother text.\n"})
    edited = told()
    repository.commit({SETTINGS: OFF})
    plain_again = told()

    assert plain[0] == "<!-- wp:html -->\n<p>Text of one.</p>\n<!-- /wp:html -->"
    assert blocks[0] == "<!-- wp:paragraph -->\n<p>Text of one.</p>\n<!-- /wp:paragraph -->"
    assert edited[0] == "<!-- wp:paragraph -->\n<p>Another text.</p>\n<!-- /wp:paragraph -->"
    assert edited[1] == blocks[0]
    assert plain_again[1] == plain[0]


@pytest.mark.corpus
@pytest.mark.one_site
@pytest.mark.parametrize("tree", ["wp-cli-handbook", "hugo-docs/content/en/methods"])
def test_real_trees_come_back_byte_by_byte(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path, tree: str
) -> None:
    ignored = shutil.ignore_patterns("bin", "*.json")
    name, _, part = tree.partition("/")
    shutil.copytree(unpack(name, tmp_path) / part, repository.root / "content/pages", ignore=ignored)
    templates = {f"templates/{name}.html": "{{ content }}" for name in ("list", "single")}
    repository.commit({SETTINGS: ON, **templates})
    pages = expected.pages(repository.root)
    site = live(repository, line, wordpress)

    run = site.sync()
    rows, ids, sent = Eyes(wordpress).rows(), site.ids(), set(contents(line))

    assert set(results(run).values()) == {"done"}
    assert [outcome for outcome in run.outcomes if "content" in outcome.message] == []
    assert sorted(ids) == sorted(pages)
    assert [path for path, number in ids.items() if rows[number]["content"]["raw"] not in sent] == []
    assert {
        path for path, page in pages.items() if not_said(page, rows[ids[path]]["content"]["raw"])
    } <= RENDERED_OTHERWISE
    assert_silent(site, line)


def sent(text: str) -> str:
    """Give the content that is sent for a Markdown text."""
    renderer = Renderer({}, templates_folder="", content="", blocks=True)
    document = Document(path="a.md", blob="", kind=Kind.PAGE, fields={}, body=text, body_line=1)
    return wrap(renderer.render(document, resolve=lambda _path: Unresolved.MISSING).content)


def without_escapes(shown: str) -> str:
    """Give what a reader sees of escaped code."""
    return html.unescape(re.sub(r"<span>([\[/])</span>", r"\1", shown))


def contents(line: Line) -> Iterator[str]:
    """Read out of the requests that came by which contents were sent."""
    for passed in line.writes:
        asked: dict[str, Any] = json.loads(passed.body)
        for body in [call["body"] for call in asked["requests"]] if "requests" in asked else [asked]:
            if "content" in body:
                yield body["content"]


def not_said(page: expected.Page, content: str) -> list[str]:
    """Name the words of a page that are not in its content."""
    said = expected.words(content)
    return [word for word in set(page.words) if word not in said]


def assert_silent(site: Live, line: Line) -> None:
    """Sync once more: nothing is sent."""
    before = len(line.passed)
    assert site.sync().outcomes == ()
    assert len(line.passed) == before
