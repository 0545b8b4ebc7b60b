"""Small trees of odd cases: each page says after the import what the tool itself made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import tree
from tests.tools.builders import build
from tests.tools.judge import compared

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def _page(text: str, title: str = "Page") -> str:
    return f"---\ntitle: {title!r}\n---\n{text}"


_TREES: Mapping[str, Mapping[str, str]] = {
    "jekyll": {
        "_config.yml": "title: Harbour\n",
        "html.md": _page(
            '<aside markdown="1">\n<img src="https://e.test/a.png" alt="A">\n*Text* [here](/links/)\n'
            '<p markdown="1" class="c">\n- **by** [me](https://e.test)\n</p>\n</aside>\n\nafter\n\n'
            '<div markdown="block">\n\n- a\n- b\n\n</div>\n'
        ),
        "strong.md": _page("说**专利。**你们 **a:**b *c*\n\n[x] and[^1]\n\n[x]: /links/\n[^1]: Note\n"),
        "links.md": _page(
            "[a](/html/) [b](/html) [c](/html.html) n[^1] [s]\n\n[^1]: Note\n[s]: /html/\n", "A &amp; <B>"
        ),
        "picture.md": _page(
            "![a](https://e.test/a.svg#part)\n\n{{ page.title }}\n\n## Date & time\n\n[t](#date--time)\n"
        ),
        "tables.md": _page(
            "| a | b\n|---\n| c | `x|y`\n\nfoo | bar\nc | d\n\n|---|---|\n| e | f |\n\n"
            "| g | h |\n|---|---|\n| 1 | 2 |\n|---|---|\n| 3 | 4 |\n\n[a] one\n\n[a]: /html/\n[a]: /links/\n"
        ),
        "kramdown.md": _page(
            "a `{::nomarkdown} x {:/}` `f(){: .x}` {::nomarkdown}<b>x</b>{:/} {::comment}no{:/} *a*{: .y}\n\n"
            '{::comment}\nhidden\n{:/comment}\n\n{::options toc_levels="1" /}\n\n'
            '<div>\n<pre class="c"><code>```sh\n\na\n\n\n```</code></pre>\n</div>\n\n*after*\n\n```\nb\n```\n'
        ),
        "_includes/badge.html": "<b>{{ include.version }}</b>\n",
        "_includes/frame.html": "<b>{% if include.w %}{{ include.w }}{% endif %}{{ include.t }}</b>\n",
        "frames.md": _page(
            '{% include frame.html t="a" w=3 %}\n\n{% include frame.html t="b \\"c\\"" %}\n\n[o](old.html)\n'
        ),
        "old.html": "---\nredirect_to: html.html\nlayout: null\n---\n"
        '<html><head><meta http-equiv="refresh" content="0; url=/html.html"></head><body></body></html>\n',
        "liquid.md": _page(
            '## New {%- include badge.html version="3" -%}\n\ntext\n\n'
            'in {% include badge.html version="4" %}, and `{{ "{{" }} x }}`\n\n'
            "{% highlight diff %}\n{% raw %}\n- {{ a }}\n{% endraw %}\n{% endhighlight %}\n"
        ),
        "_posts/2024-01-31-tab.md": "---\ntitle:\t'Tab'\ndate: 2024-02-01\n---\nText\n",
    },
    "hugo": {
        "hugo.toml": 'disableKinds = ["home", "section", "taxonomy", "term"]\nenableEmoji = true\n'
        'defaultContentLanguage = "en"\n[languages.en]\n[languages.fr]\ndisabled = true\n[languages.de]\n'
        'contentDir = "content/de"\n[markup.goldmark.parser]\nautoHeadingIDType = "blackfriday"\n'
        "[markup.goldmark.parser.attribute]\nblock = true\n",
        "content/docs/a.md": "---\ntitle: A\nslug: other\n---\nI :heart: it `:x:` 10:20\n\n## Date & time\n",
        "content/docs/b.md": _page(
            "[a](/docs/a) [t](/docs/other/#date-time)\n\n{{< highlight go >}}\na\n  b\n{{< /highlight >}}\n"
        ),
        "content/docs/c.md": _page(
            "a|b\n:-|:-|:-\nc|d\n{.wide}\n\nterm\n: One.\n\n  Two\n\n  ```\n  x\n  ```\n\nother\n: Three\n",
            "C",
        ),
        "content/de/docs/a.md": "---\ntitle: A de\nslug: anders\n---\nDeutsch\n",
        "content/de/docs/b.md": _page("[a](/docs/a)\n", "B de"),
        "content/docs/a.fr.md": _page("Personne\n", "A fr"),
        "content/docs/x.de.md": _page("Ein Name mit Sprache [b](/docs/b)\n", "X"),
    },
    "mkdocs": {
        "mkdocs.yml": "site_name: Harbour\nmarkdown_extensions: [admonition, attr_list, md_in_html, "
        "footnotes, pymdownx.superfences, pymdownx.keys, pymdownx.emoji, pymdownx.details, "
        "pymdownx.mark, pymdownx.caret, pymdownx.tilde, pymdownx.smartsymbols, def_list, "
        "pymdownx.snippets]\nnav: [a.md, {Named & so: named.md}]\n",
        "docs/cells.md": "# Cells\n\n| a | b |\n|---|---|\n| `x|y` | c |\n",
        "docs/named.md": '### First\n\n```py\n--8<-- "a.py"\n--8<-- "a.py:x"\n```\n\n'
        '```py\n--8<-- "a.py"\n```\n\n!!! note\n    --8<-- "a.inc"\n    --8<-- "a.inc"\n',
        "a.py": "# --8<-- [start:x]\nx = 1\n# --8<-- [end:x]\n\ny = 2\n",
        "a.inc": "*Text* of all\n",
        "docs/a.md": '# A\n\n!!! note "Mind"\n\n    Text\n\n    ``` yaml title="a.yml"\n    x: 1\n    ```\n\n'
        "<div markdown>\n*x*\n</div>\n\n++ctrl+a++ :tada:\n\n[b] [b][^1]\n\n[b]: b.md\n[^1]: Note\n",
        "docs/c.md": "# C\n\n==a== ^^b^^ A^T^ H~2~O (c) 1/2 ++ctrl+arrow-down++ `==x==`\n\n"
        "<!-- md:option a -->\n\n"
        ":   One\n\n    ``` yaml\n    a: 1\n    ```\n\nterm\n\n:   Two\n\n    Three\n\n"
        '!!! tip "See [B]"\n\n    x\n\n??? tip "See [B] `c`"\n\n    y\n\n<!-- c --> Text [B]\n'
        "<!-- d --> further [B]\n\n[B]: a.md\n[B]: b.md\n",
        "docs/open.md": '# O\n\n!!! note "a"\n\n    text\n\n    ```\n    x  \n    y\n    ```\n\n    more  \n'
        '    line\n    ```\n\n!!! note "b"\n\n    *b*\n\n'
        "para [u] note[^1] [v]\n[u]: a.md\n\n[^1]: Note\n[v]: c.md\n",
        "docs/near.md": "# N\n\n  1.  one\n      two\n\n  2.  three\n\n    ```\n    x\n    ```\n\n    - n\n\n"
        "end\n\n   - a\n\n    b\n\n- c\n\n<div>\n<pre><code>```\n\nx\n```</code></pre>\n</div>\n\n*after*\n",
        "docs/b.md": "# B\n\n- item\n\n    ``` py\n    a\n\n      b\n    ```\n\n- two\n\n"
        "## Über `x`\n\n[t](#uber-x)\n",
    },
    "hexo": {
        "_config.yml": "title: Harbour\ntimezone: America/New_York\npermalink: :year/:title/\n"
        "exclude: [out.md]\nskip_render: [raw/*]\n",
        "scaffolds/post.md": "",
        "source/_posts/a.md": "---\ntitle: A\ndate: 2024-01-31 23:30:00\ntags: [x y]\n---\n"
        "Text {% raw %}{{ x }}{% endraw %}\n\n{% post_link b %} {% post_link b 'Text' %}\n\n"
        "{% codeblock lang:js %}\na\n  b\n{% endcodeblock %}\n\n## Date & Time\n\n[t](#Date-Time)\n",
        "source/_posts/b.md": "title: B\ndate: 2024-02-01\n---\n**a**b | c\n\n- one\n\n  two\n\n"
        "{% blockquote Jane https://e.test %}\nSaid\n{% endblockquote %}\n\n<!-- more -->\n\nend\n",
        "source/about/index.md": _page("# Head\n\n[a](/2024/a/)\n\n|a|b|\n|-|-|\n|1|2|\n", "About"),
        "source/_drafts/d.md": _page("draft", "D"),
        "source/out.md": _page("out", "Out"),
        "source/raw/r.md": _page("raw", "Raw"),
        "source/_posts/U.MD": _page("upper", "U"),
    },
    "astro": {
        "astro.config.mjs": "export default {};\n",
        "src/pages/posts/[...slug].astro": "getCollection('posts')",
        "src/content/posts/a.md": "---\ntitle: A\ndate: 2024-01-31\n---\n## Date & time\n\n"
        '[t](#date--time) ~~x~~ -- "q"\n\n```js\na\n  b\n```\n\nnote[^1]\n\n[^1]: Note\n',
        "src/content/posts/deep/B b.md": "---\ntitle: B\ndate: 2024-02-01\n---\n"
        "[a](/posts/a/)\n\n|a|b|\n|-|-|\n|1|2|\n",
    },
    "docusaurus": {
        "docusaurus.config.js": "module.exports = {url: 'https://old.test', baseUrl: '/', "
        "i18n: {defaultLocale: 'en', locales: ['en', 'de']}, presets: [['classic', {blog: "
        "{archiveBasePath: null, showReadingTime: false, onUntruncatedBlogPosts: 'ignore'}}]]};",
        "docs/README.md": "# Docs\n\n[a](guide/01-first.md) [b](./guide/02-second.mdx#own)\n",
        "docs/guide/01-first.md": "---\ntitle: First\n---\n## Date & time {#when}\n\n[t](#when) :tada:\n\n"
        ":::tip[Mind *this*]\n\nText\n\n:::\n\n::::note\n\n:::info\n\nInner\n\n:::\n\n::::\n\n"
        '```js title="a.js" {1}\na\n  b // c\n```\n\nnote[^1]\n\n[^1]: Note\n',
        "docs/guide/02-second.mdx": "---\nid: zweite\n---\nimport Part from './_part.mdx';\n"
        "import Tabs from '@theme/Tabs';\nimport TabItem from '@theme/TabItem';\n\n# Second `x`\n\n"
        "<Part />\n\n{/* comment */}\n\n## Own {/* #own */}\n\n<Tabs>\n"
        '<TabItem value="a" label="A">\n\nin a\n\n</TabItem>\n<TabItem value="b">\n\nin b\n\n</TabItem>\n'
        "</Tabs>\n\n<details>\n<summary>More</summary>\n\n*x*\n\n</details>\n\n"
        "[up](../README.md) [f](@site/docs/guide/01-first.md)\n",
        "docs/guide/_part.mdx": "Part **text**\n",
        "docs/my-Page_x.md": "---\nslug: /other/place\n---\n[s](/docs/guide/first)\n\n"
        "| a | b |\n|---|---|\n| 1 | `x \\| y` |\n",
        "docs/draft.md": "---\ndraft: true\n---\nDraft\n",
        "blog/2024-01-31-post.md": "---\ntitle: Post\n---\nIntro\n\n<!-- truncate -->\n\n~~old~~ -- 'q'\n",
        "blog/2024-02-01/index.mdx": "# Folder\n\nText\n",
        "i18n/de/docusaurus-plugin-content-docs/current/guide/01-first.md": "---\ntitle: Erste\n---\n"
        "## Datum {#when}\n\n[z](../README.md) [s](/docs/other/place)\n",
        "i18n/de/docusaurus-plugin-content-blog/2024-01-31-post.md": "---\ntitle: Beitrag\n---\nDeutsch\n",
    },
}
# The small program of Docusaurus shows no texts.
_WORDS = {"docusaurus": ("docusaurus", "build", "--no-minify", "--config", "ours.config.js")}
# The differences that remain, by tool, address and kind, each with its reason.
_ACCEPTED: Mapping[tuple[str, str, str], str] = {
    ("hexo", "/2024/a/", "date"): "a date without an offset is one of the clock of the new site",
    ("hexo", "/2024/b/", "words"): "Hexo writes the author and the source without a blank between them",
    ("astro", "/posts/a/", "lost"): "a heading above the notes, which only readers of the screen hear",
    ("docusaurus", "/docs/guide/first/", "lost"): "the same heading",
    ("docusaurus", "/docs/guide/zweite/", "order"): "the labels of all tabs stand in one row",
    ("docusaurus", "/de/docs/guide/zweite/", "order"): "the same labels",
    ("docusaurus", "/de/docs/guide/zweite/", "links"): "a page without a translation leads to its language",
    ("docusaurus", "/de/docs/other/place/", "links"): "the same",
    ("docusaurus", "/blog/authors/", "no_address"): "WordPress has its lists of posts at other addresses",
    ("docusaurus", "/de/blog/authors/", "no_address"): "the same",
    ("docusaurus", "/de/blog/", "no_address"): "the same",
}


@pytest.mark.parametrize("name", _TREES)
def test_each_page_says_what_the_tool_made_of_it(name: str, tmp_path: Path) -> None:
    source = tree(tmp_path / "site", _TREES[name]).root
    built = build(name, source, tmp_path / "build", words=_WORDS.get(name, ()))
    assert not built.ended
    result = compared(source, built.folder, tmp_path / "repository")
    assert result["counts"]["same"], result
    differences = [
        (page["address"], each["kind"], each["old"], each["new"])
        for page in result["pages"]
        for each in page["differences"]
        if each["kind"] != "language" and (name, page["address"], each["kind"]) not in _ACCEPTED
    ]
    assert not differences, differences
