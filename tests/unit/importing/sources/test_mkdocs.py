"""A whole MkDocs site as items. MkDocs 1.6 with Material 9.8 built the real tree, and had these addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.corpora import unpack
from tests.support.source_trees import by_file, left_out, origin, tree

from pressync.importing.sources import pymdown
from pressync.importing.sources.item import ImportSource, Item, LeftOut, Place, Remainder
from pressync.importing.sources.links import FolderFiles
from pressync.importing.sources.mkdocs import TOOL, MkDocsSource, converted
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pathlib import Path


SETTINGS = """
site_name: Demo
site_url: https://example.org/docs/
exclude_docs: |
  /secret.md
draft_docs: later.md
nav:
  - Home: index.md
  - Guide:
    - guide/setup.md
    - Start: guide/README.md
plugins:
  - search
  - material/blog:
      post_url_date_format: yyyy/MM
  - redirects:
      redirect_maps:
        old.md: guide/setup.md
"""
SITE = {
    "mkdocs.yml": SETTINGS,
    "docs/index.md": "# Welcome\n\nText\n",
    "docs/guide/README.md": "",
    "docs/guide/setup.md": """\
        ---
        title: Setup of it
        icon: x
        tags: [a]
        ---
        # Set up

        ![A](../img/a.png)
        """,
    "docs/both/index.md": "",
    "docs/both/README.md": "",
    "docs/Cäse Kept.md": "",
    "docs/secret.md": "",
    "docs/later.md": "",
    "docs/img/a.png": "",
    "docs/blog/index.md": "",
    "docs/blog/.authors.yml": "authors:\n  anna:\n    name: Anna Berg\n",
    "docs/blog/posts/x.md": """\
        ---
        date:
          created: 2024-01-31
        authors: [anna]
        categories: [News]
        draft: true
        ---
        # Hello, *World*: 2.0
        """,
}
HERE = Place("docs/a.md", 10)


def test_each_file_has_its_address_and_its_order(tmp_path: Path) -> None:
    found = list(MkDocsSource.of(tree(tmp_path, SITE)).items())
    assert origin(found) == "https://example.org/docs/"
    pages = by_file(found)
    assert {path: (each.path, each.address, each.order) for path, each in pages.items()} == {
        "docs/Cäse Kept.md": ("pages/Cäse Kept.md", "/docs/C%C3%A4se%20Kept/", None),
        "docs/blog/index.md": ("pages/blog/index.md", "/docs/blog/", None),
        "docs/blog/posts/x.md": ("posts/x.md", "/docs/blog/2024/01/hello-world-20/", None),
        "docs/both/index.md": ("pages/both/index.md", "/docs/both/", None),
        "docs/guide/README.md": ("pages/guide/index.md", "/docs/guide/", 3),
        "docs/guide/setup.md": ("pages/guide/setup.md", "/docs/guide/setup/", 2),
        "docs/index.md": ("pages/index.md", "/docs/", 1),
        "docs/later.md": ("pages/later.md", "/docs/later/", None),
    }
    assert left_out(found) == {"docs/both/README.md": "excluded page", "docs/secret.md": "excluded page"}
    (files,) = (each for each in found if isinstance(each, FolderFiles))
    assert files.file_of("/docs/img/a.png") == "media/docs/img/a.png"
    assert files.file_of("/docs/docs/img/a.png") is None


def test_the_heading_is_the_title_and_other_keys_stay(tmp_path: Path) -> None:
    pages = by_file(MkDocsSource.of(tree(tmp_path, SITE)).items())
    page, post = pages["docs/guide/setup.md"], pages["docs/blog/posts/x.md"]
    assert (page.title, page.body) == ("Set up", "![A](../img/a.png)\n")
    assert page.fields == {"params": {"icon": "x", "tags": ["a"], "title": "Setup of it"}}
    assert page.aliases == ("/docs/old/",)
    assert (post.kind, post.title, post.author) == (Kind.POST, "Hello, World: 2.0", "Anna Berg")
    assert (post.date, post.categories, post.status) == ("2024-01-31T00:00:00", ("News",), "draft")
    assert pages["docs/later.md"].status == "draft"


def test_a_redirect_to_a_place_or_away_is_not_lost(tmp_path: Path) -> None:
    maps = "{a.md: b.md#c, b/d.md: https://else.test/#x, e.md: gone.md}"
    settings = f"site_url: https://example.org/docs/\nplugins:\n- redirects: {{redirect_maps: {maps}}}\n"
    found = [*MkDocsSource.of(tree(tmp_path, {"mkdocs.yml": settings, "docs/b.md": ""})).items()]
    assert by_file(found)["docs/b.md"].aliases == ("/docs/a/",)
    assert [(each.address, each.leads_to) for each in found if isinstance(each, LeftOut)] == [
        ("/docs/b/d/", "https://else.test/#x"),
        ("/docs/e/", ""),
    ]


def test_a_pipe_in_code_parts_no_cells_and_a_picture_in_the_title_stays(tmp_path: Path) -> None:
    table = "| a `b|c` | d |\n|---|---|\n| `x|y` | ``p`|\\|`` |\n\n`e|f` | g\n"
    files = {"mkdocs.yml": "", "docs/a.md": f"# ![Mast](m.png) Harbour\n\n{table}"}
    page = by_file(MkDocsSource.of(tree(tmp_path, files)).items())["docs/a.md"]
    made = "| a `b\\|c` | d |\n|---|---|\n| `x\\|y` | ``p`\\|\\|`` |\n\n`e|f` | g\n"
    assert (page.title, page.body) == ("Harbour", f"![Mast](m.png)\n\n{made}")


def test_a_fence_further_right_in_a_box_is_code() -> None:
    text = (
        '- a\n\n    === "B"\n\n          ```c\n            x\n          ```\n\n    !!! note\n\n        text\n'
    )
    made, _ = converted(text, HERE)
    assert "    **B**\n\n    ```c\n      x\n    ```\n" in made


def test_settings_are_inherited_and_have_tags_of_python(tmp_path: Path) -> None:
    text = "INHERIT: base.yml\nmarkdown_extensions:\n  - x: !!python/name:a.b\nextra: !ENV [A, b]\n"
    files = {"mkdocs.yml": text, "base.yml": "site_url: https://example.org/\n", "docs/a.md": ""}
    assert origin(MkDocsSource.of(tree(tmp_path, files)).items()) == "https://example.org/"
    settings = "use_directory_urls: false\ndocs_dir: src\n"
    files = {"mkdocs.yml": settings, "src/a/b.md": "---\ndate: May\n---\n", "src/a/index.md": ""}
    found = by_file(MkDocsSource.of(tree(tmp_path / "flat", files)).items())
    assert [each.address for each in found.values()] == ["/a/b.html", "/a/"]
    (left,) = found["src/a/b.md"].remainders
    assert (left.kind, str(left.place), left.text) == ("date", "src/a/b.md:2", "May")


@pytest.mark.sweep
@pytest.mark.corpus
def test_a_real_site_is_carried_with_its_addresses(tmp_path: Path) -> None:
    root = unpack("mkdocs-material", tmp_path)
    found = by_file(TOOL.items(ImportSource(str(root), root)))
    assert len(found) == len(list((root / "docs").rglob("*.md")))
    assert all(isinstance(each, Item) and each.title for each in found.values())
    expected = {
        "docs/index.md": "/mkdocs-material/",
        "docs/blog/posts/git-sparse-checkout.md": (
            "/mkdocs-material/blog/2023/09/22/using-git-sparse-checkout-for-faster-documentation-builds/"
        ),
        "docs/blog/posts/mkdocs-2.0.md": "/mkdocs-material/blog/2026/02/18/mkdocs-2.0/",
        "docs/setup/extensions/python-markdown.md": "/mkdocs-material/setup/extensions/python-markdown/",
    }
    assert {path: found[path].address for path in expected} == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("!!! note\n    Text\nMore", "> [!NOTE]\n> Text\n\nMore"),
        ('!!! warning inline end "Mind it"\n\n    One\n\n    Two', "> [!WARNING] Mind it\n> One\n>\n> Two"),
        ('??? question "Why?"\n    Because', "<details>\n<summary>Why?</summary>\n\nBecause\n\n</details>"),
        ("???+ info\n    Text", "<details open>\n<summary>Info</summary>\n\nText\n\n</details>"),
        (
            '=== "A"\n\n    ``` py\n    x\n    ```\n\n=== "B"\n\n    y',
            "**A**\n\n``` py\nx\n```\n\n**B**\n\ny",
        ),
        ("!!! note\n\n    !!! tip\n        Inner", "> [!NOTE]\n> > [!TIP]\n> > Inner"),
        ("- item\n\n    !!! note\n        Text", "- item\n\n    > [!NOTE]\n    > Text"),
        ("<!-- more -->", "<!--more-->"),
        ('=== ":octicons-file-16: a.yml"\n\n    x', "**a.yml**\n\nx"),
        ("| :material-check: | :octicons-x-16: y |", "| ✓ | y |"),
        ("`#!py x` ``#!py `x` ``", "`x` `` `x` ``"),
        ("- :material-sun: + :material-moon: two", "- \\+ two"),
        ("- one `<!-- more -->`", "- one `<!-- more -->`"),
    ],
)
def test_a_block_is_converted_with_its_content(written: str, expected: str) -> None:
    assert converted(written, HERE)[0].strip("\n") == expected


def test_only_what_mkdocs_understands_is_named_with_its_line() -> None:
    text = "[Go](a.md){ .md-button }\n\n!!! note\n    :material-check: ok\n\n`x{.y}`"
    body, left = converted(text, HERE)
    assert "[Go](a.md)\n" in body
    assert body.endswith("`x{.y}`")
    assert left == (
        Remainder("attribute list", Place("docs/a.md", 10), "{ .md-button }"),
        Remainder("icon", Place("docs/a.md", 13), ":material-check:"),
    )


def test_definitions_that_an_extension_appends_and_its_emoji_are_in_each_text(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": """
            markdown_extensions:
              - pymdownx.emoji
              - pymdownx.snippets:
                  auto_append: [includes/links.md]
            """,
        "includes/links.md": "[Home]: https://e.org\n[other]: https://o.org\n",
        "docs/a.md": "# A\n\nSee [us] [home] :tada:.\n",
    }
    root = tree(tmp_path, files).root
    page = by_file(TOOL.items(ImportSource(str(root), root)))["docs/a.md"]
    assert page.body == "See [us][home] 🎉.\n\n[Home]: https://e.org\n"


@pytest.mark.parametrize("written", ["#+x", "id=+x", 'id="+x"'])
def test_an_id_stays_the_target_of_links(written: str) -> None:
    body, left = converted(f"[`x`](#+x){{ {written} }} text", HERE)
    assert (body, left) == ('[`x`](#+x)<a id="+x"></a> text', ())


def test_blocks_that_nest_without_end_are_read_in_bounds() -> None:
    text = "\n".join(f"{'    ' * depth}!!! note" for depth in range(60))
    assert converted(text, HERE)[0].startswith("> [!NOTE]\n> > [!NOTE]")
    line = "![a](b){ .x }" * 80_000
    assert converted(line, HERE) == (line, ())


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("!!! note\n\n    a  \n    b\n    ```\n\nend\n", "> [!NOTE]\n> a  \n> b\n> \\```\n\nend\n"),
        ('=== "T"\n\n    ```\n    a \n    ```\n', "**T**\n\n```\na \n```\n"),
        ("~~~\nx\n~~~\n\n~~~ py\n", "~~~\nx\n~~~\n\n\\~~~ py\n"),
    ],
)
def test_a_fence_that_never_ends_is_text_and_lines_keep_their_blanks(written: str, made: str) -> None:
    assert converted(written, Place("a.md", 1))[0].rstrip("\n") == made.rstrip("\n")


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("  1.  a\n      b\n\n    ```\n    x\n    ```\n", "1.  a\n      b\n\n    ```\n    x\n    ```\n"),
        ("   - a\n\n    b\n", "  - a\n\n    b\n"),
        ("- a\n\n      - b\n\n        c\n", "- a\n\n      - b\n\n        c\n"),
        ("  1.  a\n\n      b\n\nend\n", "  1.  a\n\n      b\n\nend\n"),
    ],
)
def test_the_sign_of_an_item_moves_if_a_block_of_it_stands_further_left(written: str, made: str) -> None:
    assert pymdown.with_near_items(written) == made


I18N = """site_url: https://old.test/
plugins:
- i18n:
    docs_structure: {}
    languages:
    - {{locale: en, name: English, default: true}}
    - {{locale: de, name: Deutsch}}
    - {{locale: it, name: Italiano, build: false}}
"""


@pytest.mark.parametrize(
    ("structure", "names"),
    [
        (
            "suffix",
            ("index.md", "index.de.md", "a.md", "a.de.md", "v1.2.md", "only.de.md", "a.it.md", "a.fr.md"),
        ),
        (
            "folder",
            ("en/index.md", "de/index.md", "en/a.md", "de/a.md", "en/v1.2.md", "de/only.md", "it/a.md"),
        ),
    ],
)
def test_the_plugin_for_languages_decides_addresses_and_links(
    tmp_path: Path, structure: str, names: tuple[str, ...]
) -> None:
    """MkDocs 1.6 with mkdocs-static-i18n 1.3 wrote these pages."""
    pages = {f"docs/{name}": "[v](v1.2.md) [a](a.md#x)\n" for name in names}
    site = tree(tmp_path, {"mkdocs.yml": I18N.format(structure), **pages})
    found = list(MkDocsSource.of(site).items())
    items = by_file(found).values()
    assert {item.address: (item.path, item.aliases) for item in items} == {
        "/": ("pages/index.md", ()),
        "/a/": ("pages/a.md", ()),
        "/v1.2/": ("pages/v1.2.md", ("/de/v1.2/",)),
        "/de/": ("pages/de/index.md", ()),
        "/de/a/": ("pages/de/a.md", ()),
        "/de/only/": ("pages/de/only.md", ()),
    }
    german = next(item.body for item in items if item.address == "/de/")
    other = "[v](v1.2.md) [a](a.de.md#x)\n" if structure == "suffix" else "[v](../en/v1.2.md) [a](a.md#x)\n"
    assert german == other
    assert set(left_out(found).values()) == {"page of a language that is off"}


SNIPPETS = {
    "mkdocs.yml": """
        markdown_extensions:
          - pymdownx.snippets:
              base_path: [docs, LICENSE, .]
        """,
    "docs/examples/a.py": "# --8<-- [start:first]\none\n# --8<-- [end:first]\ntwo\n\nthree\n",
    "docs/inner.md": '!!! note\n    :material-book: ok\n\n--8<-- "inner.md"\n',
    "docs/own.md": '--8<-- "examples/a.py"\n',
    "LICENSE": "Free\n",
}


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ('```\n--8<-- "examples/a.py"\n```', "```\none\ntwo\n\nthree\n```"),
        ("```\n  -8<- 'docs/examples/a.py:first'\n```", "```\n  one\n```"),
        ('```\n--8<-- "examples/a.py:4:6"\n```', "```\ntwo\n\nthree\n```"),
        ('```\n--8<-- "examples/a.py:2,-2:"\n```', "```\none\nthree\n```"),
        ('```\n--8<-- "examples/a.py::2"\n```', "```\none\n```"),
        ('--8<-- "inner.md"', "> [!NOTE]\n> ok"),
        ('--8<-- "own.md"\n--8<-- "LICENSE"', "one\ntwo\n\nthree\n\n\nFree"),
        ("--8<--\nLICENSE\n\n; LICENSE\nown.md\n--8<--", "Free\n\n\none\ntwo\n\nthree"),
        (';--8<-- "LICENSE"', '--8<-- "LICENSE"'),
    ],
)
def test_the_file_of_a_snippet_stands_in_its_place(text: str, body: str, tmp_path: Path) -> None:
    tree(tmp_path, {**SNIPPETS, "docs/a.md": f"# A\n\n{text}\n"})
    page = by_file(TOOL.items(ImportSource(str(tmp_path), tmp_path)))["docs/a.md"]
    assert isinstance(page, Item)
    assert page.body.strip() == body


def test_a_snippet_that_is_not_there_is_named_and_other_rows_keep_their_places(tmp_path: Path) -> None:
    text = (
        '# A\n\n```\n--8<-- "examples/a.py"\n--8<-- "../b.py"\n```\n\n--8<-- "inner.md"\n\n:material-book:\n'
    )
    tree(tmp_path, {**SNIPPETS, "docs/a.md": text})
    page = by_file(TOOL.items(ImportSource(str(tmp_path), tmp_path)))["docs/a.md"]
    assert isinstance(page, Item)
    assert '--8<-- "../b.py"' in page.body
    assert set(page.remainders) == {
        Remainder("snippet", Place("docs/a.md", 5), "../b.py"),
        Remainder("icon", Place("docs/inner.md", 2), ":material-book:"),
        Remainder("icon", Place("docs/a.md", 10), ":material-book:"),
    }


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "### First\n\ntext\n", "Named & so"),
        ("a.md", "---\ntitle: Front\n---\n### First\n", "Named & so"),
        ("a.md", "# Heading\n", "Heading"),
        ("b-c.md", "### First\n", "B c"),
        ("b-c.md", "---\ntitle: Front\n---\n### First\n", "Front"),
        ("b-c.md", "before\n\n# Heading\n", "Heading"),
        ("graph-QL.md", "text\n", "graph QL"),
        ("index.md", "text\n", "Home"),
    ],
)
def test_a_page_without_a_heading_has_the_title_of_the_navigation(
    name: str, text: str, title: str, tmp_path: Path
) -> None:
    tree(tmp_path, {"mkdocs.yml": "nav: [{Part: [{Named & so: a.md}, b-c.md]}]\n", f"docs/{name}": text})
    page = by_file(TOOL.items(ImportSource(str(tmp_path), tmp_path)))[f"docs/{name}"]
    assert isinstance(page, Item)
    assert page.title == title
