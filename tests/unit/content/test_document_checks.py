"""What a reader of one page would see is told where the page is read: in plan, sync and check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.content.document_checks import (
    anchor_todo,
    ids_of,
    is_dead_anchor,
    unclosed_code,
)
from pressync.content.render.markdown import with_places
from pressync.model.interface import Kind
from pressync.model.records import Document

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository


PATH = "content/pages/a.md"


LFS = "version https://git-lfs.github.com/spec/v1\n"
HAWSER = LFS.replace("git-lfs", "hawser")


def said(
    repository: SampleRepository, text: str, template: str = "{{ content }}", *, path: str = PATH
) -> list[str]:
    """Read one document as a plan does, and give its problems as text."""
    layouts = {"templates/page.html": template, "templates/post.html": template}
    repository.commit({path: text, **layouts})
    with Workspace.open(repository.root, environ={"PRESSYNC_DIALECT": "wordpress"}) as workspace:
        return [str(problem) for problem in workspace.content(Revision()).read(path, {}).problems]


def test_a_link_to_a_missing_place_is_told_with_the_nearest(repository: SampleRepository) -> None:
    text = (
        "---\ntitle: A\n---\n\n[up](#the-titel) [down](#the-end)\n\n## The title\n\n<a name='the-end'></a>\n"
    )
    assert said(repository, text) == [
        f"{PATH}:5: links to `#the-titel`, and this page has no such place; did you mean `#the-title`?"
    ]


def test_places_of_footnotes_and_of_the_template_count(repository: SampleRepository) -> None:
    text = "---\ntitle: A\n---\n[nav](#menu) [own](a.md#here) a note[^1]\n\n## Here\n\n[^1]: Text\n"
    assert said(repository, text, template='<nav id="menu"></nav>{{ content }}') == []


def test_a_key_that_nothing_reads_is_told_with_its_line(repository: SampleRepository) -> None:
    text = "---\ntitle: A\ngenre: sea\ntaxonomies:\n  shelf: [x]\ncustom_fields:\n  mood: calm\n---\nText\n"
    told = "it is not sent, and no template has it"
    assert said(repository, text) == [
        f"{PATH}:3: nothing reads its key 'genre'; {told}",
        f"{PATH}:4: nothing reads its key 'taxonomies'; {told}",
        f"{PATH}:6: nothing reads its key 'custom_fields'; {told}",
    ]


@pytest.mark.parametrize(
    ("key", "template"),
    [
        ("genre", "{{ page.genre }}{{ content }}"),
        ("genre", '{% set key = page["genre"] %}{{ content }}'),
        ("nav_order", "{{ content }}"),
        ("_note", "{{ content }}"),
    ],
)
def test_a_key_of_the_template_of_another_tool_or_of_ours_is_not_told(
    repository: SampleRepository, key: str, template: str
) -> None:
    assert said(repository, f"---\ntitle: A\n{key}: 1\n---\nText\n", template=template) == []


POST = "content/posts/a.md"


@pytest.mark.parametrize(
    ("line", "todo"),
    [
        ("category: News", "write a list: `categories: [ONE, OTHER]`"),
        ("tag: [a]", "for tags, write a list: `tags: [ONE, OTHER]`"),
        ("keywords: a, b", "for tags, write a list: `tags: [ONE, OTHER]`"),
        ("thumbnail: a.png", "for a picture that the site shows with the page, write `featured_media: FILE`"),
        ("image: a.png", "for a picture that the site shows with the page, write `featured_media: FILE`"),
        ("comments: false", "write `comment_status: closed` or `comment_status: open`"),
        ("published: 2024-01-31", "write `date` for the time at which the page appears"),
        ("pubDate: 2024-01-31", "write `date` for the time at which the page appears"),
        ("Categories: [a]", "write it in small letters: `categories`"),
        ("TAGS: [a]", "write it in small letters: `tags`"),
        ("private: true", "visitors find the page: write `status: private`, `status: draft` or `type: none`"),
        (
            "publish: false",
            "visitors find the page: write `status: private`, `status: draft` or `type: none`",
        ),
        ("lastmod: 2024-01-31", "leave it out: WordPress notes by itself when a page was changed"),
        ("hidden: true", "visitors find the page: write `status: private`, `status: draft` or `type: none`"),
    ],
)
def test_a_key_of_another_tool_that_readers_would_miss_is_told_with_what_to_write(
    repository: SampleRepository, line: str, todo: str
) -> None:
    key = line.partition(":")[0]
    assert said(repository, f"---\ntitle: A\n{line}\n---\nText\n", path=POST) == [
        f"{POST}:3: nothing reads its key '{key}'; {todo}"
    ]
    assert said(repository, f"---\ntitle: A\n{line}\n---\nText\n", f"{{{{ page.{key} }}}}", path=POST) == []


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        (PATH, "keywords: [a]\ntag: b"),
        (POST, "category: News\ncategories: [News]"),
        (POST, "image: a.png\nfeatured_media: 7"),
        (POST, "published: true"),
        (POST, "published: 2024-01-31\ndate: 2024-01-31"),
        (POST, "tag: []\nhidden: false\nimage: ''"),
    ],
)
def test_a_key_of_another_tool_that_says_nothing_more_is_not_told(
    repository: SampleRepository, path: str, lines: str
) -> None:
    assert said(repository, f"---\ntitle: A\n{lines}\n---\nText\n", path=path) == []


@pytest.mark.parametrize(
    ("text", "place", "where"),
    [
        ("---\ntitle: A\n---\n\nText\n\na\x0bb\x1b\x0b\n", ":7", "text has the characters U+000B, U+001B"),
        ("---\ntitle: A\n---\nText &#11;\n", "", "text has the character U+000B"),
        ('---\ntitle: "A\\x0bB"\n---\nText\n', "", "title has the character U+000B"),
        ('---\ntitle: A\nexcerpt: "a\\x1bb"\n---\nText\n', "", "excerpt has the character U+001B"),
        ('---\ntitle: A\ntags: ["a\\x01b"]\n---\nText\n', ":3", "tags has the character U+0001"),
    ],
)
def test_a_character_that_a_feed_may_not_have_is_told(
    repository: SampleRepository, text: str, place: str, where: str
) -> None:
    (told,) = said(repository, text, path=POST)
    assert told.startswith(f"{POST}{place}: its {where}: readers of the feed could read none of it; delete ")


def test_each_line_with_a_character_that_a_feed_may_not_have_is_told(repository: SampleRepository) -> None:
    told = said(repository, "# A\n\na\x0bb\n\nText\n\n\x1b\n")
    assert [each.partition(" its ")[0].rpartition(":")[0][-2:] for each in told] == [":3", ":7"]


def test_text_of_all_scripts_and_raw_entities_may_be_in_a_feed(repository: SampleRepository) -> None:
    text = "# A\n\n\ttab \x7f \x85 \u200b \ufdd0 \U0001f600\n\n<p>&#11;</p>\n"
    assert said(repository, text) == []


@pytest.mark.parametrize("data", [f"{LFS}oid sha256:4d7a\nsize 12\n", f"---\ntitle: A\n---\n{LFS}", HAWSER])
def test_a_document_that_is_a_pointer_is_told(repository: SampleRepository, data: str) -> None:
    (told,) = said(repository, data)
    assert told.endswith(
        "the text is a pointer of Git LFS here, and readers would see that; commit the text itself"
    )


@pytest.mark.parametrize("heading", ["# A *garden*\n", "\nA garden\n========\n"])
def test_a_title_that_the_text_repeats_at_its_top_is_told(repository: SampleRepository, heading: str) -> None:
    (found,) = said(repository, f"---\ntitle: A garden\n---\n{heading}\nFlowers.\n")
    assert found.split(": ", 1)[1] == (
        "readers see the title twice, because the site shows it above the text; leave this heading out"
    )


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: A garden\n---\n# Another garden\n",
        "---\ntitle: A garden\n---\n## A garden\n",
        "---\ntitle: A garden\n---\nFlowers.\n\n# A garden\n",
        "---\ntitle: A garden\n---\n```\n# A garden\n```\n",
    ],
)
def test_other_headings_at_the_top_are_left_alone(repository: SampleRepository, text: str) -> None:
    assert said(repository, text) == []


def test_another_tools_syntax_and_open_code_are_told(repository: SampleRepository) -> None:
    found = said(repository, "# A\n\n{{< note >}}\n\n```\ncode\n")
    assert [line.split(";")[0] for line in found] == [
        f"{PATH}:5: this code block has no end: the rest of the page is code",
        f"{PATH}:3: a Hugo shortcode (`{{{{< … >}}}}`) is shown as it is written",
    ]


def found(markdown: str) -> list[tuple[int, str]]:
    """Give the line and the message of each warning about a text."""
    page = Document("a.md", "", Kind.PAGE, {}, markdown, 1)
    return [(each.line, each.what) for each in unclosed_code(page, lambda: with_places(markdown))]


def test_the_end_that_is_missing_may_be_taken_from_the_next_block() -> None:
    (told,) = found("```js\ncode\n\nA text.\n\n```python\ncode\n```\n")
    assert told == (1, "this code block has no end before the next one, in line 6")


@pytest.mark.parametrize(
    "markdown",
    [
        "```js\ncode\n```\n\n~~~\n```\n~~~\n",
        "````md\n```js\ncode\n```\n````\n",
        "- item\n\n  ```js\n  code\n  ```\n\n  text\n",
        "> ```\n> code\n> ```\n\ntext\n",
        '``` title="tabs"\n=== "C"\n\n    ``` c\n    code\n    ```\n```\n',
        "Text with ```inline``` code.\n",
        "<!--\n```\n-->\n\ntext\n",
    ],
)
def test_code_with_an_end_is_not_told_of(markdown: str) -> None:
    assert found(markdown) == []


@pytest.mark.parametrize("piece", ["```js\n", "- ", "> ", "```", "~~~\n```a\n"])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    markdown = piece * (300_000 // len(piece))
    page = Document("a.md", "", Kind.PAGE, {}, markdown, 1)
    # The HTML of a renderer would have one such block; the search for its end reads each row once.
    rows = markdown.count("\n") + 1
    list(unclosed_code(page, lambda: f'<pre data-sourcepos="1:1-{rows}:1">'))


PAGE = (
    '<h1 id="a-title">A</h1> <a name="old"></a> <p class="x" ID=\'b\'>id="text"</p>'
    '<h2 data-x=1 id=plain>x</h2> &lt;p id=&quot;no&quot;&gt; <p id="a&amp;b">'
)


def test_ids_are_read_however_they_are_written_and_the_nearest_is_proposed() -> None:
    assert ids_of(PAGE) == {"a-title", "old", "b", "plain", "a&b", ""}
    assert anchor_todo("a-titel", {"a-title", "b"}) == "did you mean `#a-title`?"
    assert '<a id="ü x"></a>' in anchor_todo("%C3%BC%20x", {"a-title"})
    many = {f"a{number}" for number in range(1000)}
    for fragment, ids in (("heart", {"heart\u200b"}), ("a1x", many), ("a" * 10_000, {"a" * 9_999})):
        assert "did you mean" not in anchor_todo(fragment, ids)


@pytest.mark.parametrize(
    "fragment", ["a-title", "old", "a&b", "a%2Dtitle", "", "top", "comments", "/route", "a=1"]
)
def test_these_lead_somewhere_or_cannot_be_known(fragment: str) -> None:
    assert not is_dead_anchor(fragment, ids_of(PAGE))
    assert [is_dead_anchor(dead, ids_of(PAGE)) for dead in ("A-Title", "new", "text", "no")] == [True] * 4
    mark = '<sup data-fn="1f-2e" class="fn"><a id="1f-2e-link" href="#1f-2e">1</a></sup>'
    assert not is_dead_anchor("1f-2e", ids_of(f"{mark}<!-- wp:footnotes /-->")), "WordPress makes this place"
    assert not is_dead_anchor("whats-new-in-20", ids_of("", "What's new in 2.0"))
