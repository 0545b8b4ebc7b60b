"""Anchors of notes: taken out without a trace, and put back where their words are."""

from __future__ import annotations

import random

import pytest

from pressync.content.render.editor_blocks import to_blocks
from pressync.content.render.markdown import to_html
from pressync.html import notes as html_notes
from pressync.html.notes import is_number, notes_of, signs, with_notes, without_notes

TEXT = """\
## A head

Some *words* of it & more.

- one
- two

| a | b |
|---|---|
| c | d |

```py
code
```

> quoted

Last words.
"""


def blocks(text: str) -> str:
    return to_blocks(to_html(text))


def paragraph(words: str, attributes: str = "") -> str:
    return f"<!-- wp:paragraph {attributes}-->\n<p>{words}</p>\n<!-- /wp:paragraph -->"


def test_a_content_without_its_notes_has_the_bytes_that_it_had_before_them() -> None:
    # As the editor of 7.1 saves them, and as that of 6.9 does.
    assert without_notes(paragraph("a", '{"metadata":{"noteId":[10]}} ')) == paragraph("a")
    assert without_notes(paragraph("a", '{"metadata":{"noteId":10}} ')) == paragraph("a")
    table = '<!-- wp:table {"hasFixedLayout":false%s} -->\n<figure></figure>\n<!-- /wp:table -->'
    assert without_notes(table % ',"metadata":{"noteId":[16,17]}') == table % ""
    named = '{%s"metadata":{"name":"a\\u003cb ü"%s},"align":"left"} '
    assert without_notes(paragraph("a", named % ("", ',"noteId":[1]'))) == paragraph("a", named % ("", ""))
    spacer = '<!-- wp:spacer {"height":"5px"%s} /-->'
    assert without_notes(spacer % ',"metadata":{"noteId":[5]}') == spacer % ""
    # A note on HTML leaves the marks of the author.
    inside = '<mark data-id="12" class="wp-note">of it</mark>\n<!-- /wp:html -->'
    noted = f'<!-- wp:html {{"metadata":{{"noteId":[12]}}}} -->\n{inside}'
    assert without_notes(noted) == f"<!-- wp:html -->\n{inside}"
    marked = 'Some <em>w</em> <mark data-id="12" class="wp-note">of <b>it</b></mark>.'
    assert without_notes(paragraph(marked, '{"metadata":{"noteId":[12]}} ')) == paragraph(
        "Some <em>w</em> of <b>it</b>."
    )


@pytest.mark.parametrize(
    "text",
    [
        # A mark of which the block does not speak, a mark in HTML of the author, and words about notes.
        paragraph('<mark data-id="12" class="wp-note">of it</mark>'),
        paragraph('<mark class="other">of it</mark>'),
        '<!-- wp:html -->\n<mark data-id="12" class="wp-note">of it</mark>\n<!-- /wp:html -->',
        paragraph("&quot;noteId&quot;: 5"),
        paragraph("a", '{"metadata":{"noteId":"x"}} '),
        paragraph("a", '{"noteId":[5]} '),
        '<!-- wp:paragraph {"metadata":{"noteId":[5]}} -->\n<p>no end</p>',
    ],
)
def test_bytes_that_only_look_like_a_note_are_data(text: str) -> None:
    assert without_notes(text) == text
    assert notes_of(text) == ()


def test_a_note_stays_on_its_words_wherever_they_go() -> None:
    noted = with_place(blocks(TEXT), "Some", '<mark class="wp-note" data-id="7">of it</mark>', "of it")
    assert '{"metadata":{"noteId":[7]}} -->\n<p>Some' in noted
    # An edit around the words, other markup in them, another block that they go to.
    assert marked(with_notes(blocks(TEXT.replace("Some", "Few")), noted)) == ["of it"]
    assert marked(with_notes(blocks(TEXT.replace("of it", "of **it**")), noted)) == ["of ", "it"]
    moved = TEXT.replace(" of it", "").replace("Last words", "The last of it")
    assert marked(with_notes(blocks(moved), noted)) == ["of it"]
    # Without its words the note is at the block.
    other = with_notes(blocks(TEXT.replace("of it", "only")), noted)
    assert marked(other) == []
    assert '{"metadata":{"noteId":[7]}} -->\n<p>Some <em>words</em> only' in other


@pytest.mark.parametrize(
    ("changed", "at"),
    [
        (TEXT.replace("Last words.", "New.\n\nLast words."), "Last words."),
        (f"Last words.\n\n{TEXT.replace('Last words.', '')}", "Last words."),
        (TEXT.replace("Last words.", "Other text."), "Other text."),
        (TEXT.replace("Last words.", ""), "quoted"),
    ],
)
def test_a_note_on_a_block_goes_with_its_text_or_to_the_nearest(changed: str, at: str) -> None:
    noted = blocks(TEXT).replace("<!-- wp:paragraph -->\n<p>Last", f"{NOTE}\n<p>Last")
    result = with_notes(blocks(changed), noted)
    assert f"{NOTE}\n<p>{at}</p>" in result
    assert without_notes(result) == blocks(changed)


def test_a_text_without_blocks_gets_a_place_for_its_notes_which_is_nothing_to_read() -> None:
    noted = paragraph("a", '{"metadata":{"noteId":[5]}} ')
    assert with_notes("", noted) == paragraph("", '{"metadata":{"noteId":[5]}} ')
    for text in ("", "no block", "<!-- wp:x"):
        assert without_notes(with_notes(text, noted)) == text


def test_a_note_that_is_there_already_is_not_put_there_twice() -> None:
    noted = "\n\n".join([paragraph("a", '{"metadata":{"noteId":[5]}} '), paragraph("b")])
    assert with_notes(noted, noted) == noted
    more = noted.replace("wp:paragraph -->\n<p>b", 'wp:paragraph {"metadata":{"noteId":[6]}} -->\n<p>b')
    assert with_notes(noted, more) == more
    single = '{"metadata":{"noteId":10}} '
    assert with_notes(paragraph("b"), paragraph("a", single)) == paragraph("b", single), (
        "as its editor has it"
    )


@pytest.mark.parametrize("seed", range(20))
def test_no_sequence_of_edits_loses_a_note_or_leaves_a_trace(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a sequence that can be repeated
    parts = TEXT.strip().split("\n\n")
    content = blocks(TEXT)
    noted: set[int] = set()
    for note in range(1, 9):
        starts = [place for place in range(len(content)) if content.startswith("<!-- wp:", place)]
        place = chance.choice(starts)
        end = content.index("-->", place)
        attributes = "{" in content[place:end] or "/-->" in content[place : end + 3]
        if not attributes:
            content = f'{content[:end]}{{"metadata":{{"noteId":[{note}]}}}} {content[end:]}'
            noted.add(note)
        match chance.randrange(4):
            case 0 if len(parts) > 1:
                parts.pop(chance.randrange(len(parts)))
            case 1:
                parts.insert(chance.randrange(len(parts) + 1), f"New {note} & words.")
            case 2:
                chance.shuffle(parts)
            case _:
                number = chance.randrange(len(parts))
                parts[number] = parts[number].replace("o", "oo")
        plain = blocks("\n\n".join(parts))
        content = with_notes(plain, content)
        assert without_notes(content) == plain
        assert set(notes_of(content)) == noted


NOTE = '<!-- wp:paragraph {"metadata":{"noteId":[5]}} -->'


def with_place(content: str, start: str, mark: str, words: str) -> str:
    """Put a note on words of a paragraph, as the editor does."""
    comment = '<!-- wp:paragraph {"metadata":{"noteId":[7]}} -->'
    return content.replace(f"<!-- wp:paragraph -->\n<p>{start}", f"{comment}\n<p>{start}").replace(
        words, mark
    )


def marked(content: str) -> list[str]:
    return [part.split("</mark>")[0] for part in content.split('<mark class="wp-note" data-id="7">')[1:]]


LIST = """\
<!-- wp:list {"metadata":{"noteId":[3,4]}} -->
<ul><!-- wp:list-item {"metadata":{"noteId":5}} -->
<li>One &amp; <b>two</b></li>
<!-- /wp:list-item --></ul>
<!-- /wp:list -->
<!-- wp:spacer {"height":"5px"} /-->
"""


def test_each_block_has_its_notes_and_the_text_in_it() -> None:
    found = html_notes.blocks(LIST)
    assert [(block.name, block.notes, block.text) for block in found] == [
        ("list", (3, 4), "One & two"),
        ("list-item", (5,), "One & two"),
        ("spacer", (), ""),
    ]
    assert [is_number(block.attributes) for block in found] == [False, True, False]
    # The text of an item is not the list's own.
    assert "".join(sign for _, _, sign in signs(LIST, found[0])).split() == []
    assert "".join(sign for _, _, sign in signs(LIST, found[1])).strip() == "One & two"
