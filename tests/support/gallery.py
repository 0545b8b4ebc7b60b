"""The gallery of forms: pages with every form that people write, for those who look at pages in a browser.

Each text is a row: its name, its Markdown, and whether it needs raw HTML of the author. Several forms stand
on one page, as they do on the pages of people.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


def picture(width: int, height: int) -> bytes:
    """Draw a PNG with a slope of colours, so that a browser shows where it is scaled."""
    rows = b"".join(
        b"\0" + b"".join(bytes((x * 255 // width, y * 255 // height, 120)) for x in range(width))
        for y in range(height)
    )

    def part(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + part(b"IDAT", zlib.compress(rows, 1)) + part(b"IEND", b"")


WIDE, TALL, SMALL = "wide.png", "tall.png", "small.png"
PICTURES: Mapping[str, tuple[int, int]] = {WIDE: (1600, 700), TALL: (420, 1400), SMALL: (48, 48)}
LONG = (
    "A title of two hundred characters that says everything there is to say about the page and then goes on, "
    * 2
)
# Longer than a telephone is wide.
LONG_WORD = "LongWord/ofmany/lettersandsignswithoutanyplacewhereabrowserbreakstheline"


class GalleryPage(NamedTuple):
    """One page of the gallery. `html` tells that it has HTML that an author may not write."""

    name: str
    text: str
    html: bool = False
    excerpt: str = ""


PAGES = (
    GalleryPage(
        "pictures",
        f"""\
![Alone]({WIDE})

A picture ![in a sentence]({WIDE}) with words after it.

![Two]({WIDE}) ![in a line]({WIDE})

![One under]({WIDE})
![the other]({TALL})

[![Linked]({WIDE})](https://example.org/)

![With a caption]({WIDE} "The caption of it")

![Tall]({TALL})

![Small]({SMALL}) beside some text.

- An item with ![a picture]({WIDE})
- ![A picture alone in an item]({WIDE})

> ![In a quotation]({WIDE})

| Picture | Words |
|---|---|
| ![In a table]({WIDE}) | beside it |
""",
    ),
    GalleryPage(
        "tables-and-code",
        f"""\
| A | B |
|:---|---:|
| narrow | table |

| {" | ".join(f"Column {n}" for n in range(1, 15))} |
|{"---|" * 14}
| {" | ".join(f"valuewithoutblank{n}" for n in range(1, 15))} |

```python
{"print(" + "'a long line of code', " * 12 + ")"}
```

    {"indented code " * 20}

`{"inlinecodewithoutblanks" * 8}`

<https://example.org/{"a-long-address/" * 12}>
""",
    ),
    GalleryPage(
        "formulas",
        """\
Inline $a^2 + b^2 = c^2$ in a sentence, and a long one,
$a_0 + a_1 x + a_2 x^2 + a_3 x^3 + a_4 x^4 + a_5 x^5 + a_6 x^6 + a_7 x^7 + a_8 x^8$, in another.

$$
\\sum_{i=0}^{n} i^2 + \\sum_{i=0}^{n} i^3 + \\sum_{i=0}^{n} i^4 +
\\sum_{i=0}^{n} i^5 + \\sum_{i=0}^{n} i^6 + \\sum_{i=0}^{n} i^7
$$

- An item with $x$
""",
        html=True,
        # WordPress would make an excerpt of the TeX beside the letters of each formula.
        excerpt="Formulas in a sentence and on their own.",
    ),
    GalleryPage(
        "notes-and-alerts",
        """\
> [!NOTE]
> A note with *emphasis* and a [link](#links).

> [!TIP] A **title** of `Markdown` with $a^2$
> Text of the tip.[^one]

> [!IMPORTANT]
> One.
>
> > [!WARNING]
> > Nested.

> [!WARNING]
> Take care.

> [!CAUTION]
> - a list
> - in it

Text with a note[^one] and another one.[^longname]

Term
: What it means.

Second term
: Its meaning, with `code`.

- [x] done
- [ ] not *done* at all
  - [ ] a part of it

Text between two lists.

- [ ] of paragraphs

  with two of them

- [ ] [a link](#links)

<details><summary>More</summary>

Hidden *text*.

</details>

## Links

[To the top](#links) and [to the part](#two-words).

## Two words

[^one]: The note, with `code`.
[^longname]: The other note
    with two lines.
""",
    ),
    # WordPress shows each part at an address of its own.
    GalleryPage(
        "parts",
        """\
The first part has a note[^first] and one more.[^both] [A place](#in-the-first) is in it.

## In the first

<!--nextpage-->

## In the second

The second part has one of them[^both] and another.[^second] [A place](#in-the-second) is in it, too.

[^first]: The note of the first.
[^both]: The note of both.[^second]
[^second]: The note of the second.
""",
    ),
    GalleryPage(
        "media",
        f"""\
<iframe width="1100" height="500" src="about:blank" title="A frame"></iframe>

<video controls width="1200" src="film.mp4"></video>

<audio controls src="sound.mp3"></audio>

[A file](paper.pdf)

<img src="{WIDE}" width="300" alt="Narrower">

<img src="{WIDE}" alt="Of HTML">

<p style="text-align:center"><img src="{WIDE}" alt="Centred"></p>
""",
        html=True,
    ),
    GalleryPage(
        "players",
        f"""\
https://www.youtube.com/watch?v=a_b&t=2

> https://vimeo.com/76979871

[A sound](sound.mp3)

[A **film** with a long text below it](film.mp4)

![Wide]({WIDE})
![Tall]({TALL} "The caption of the tall one")
![Small]({SMALL})

<div>
https://vimeo.com/76979871
</div>

See https://www.youtube.com/watch?v=a_b for more, or <https://youtu.be/a>.
""",
    ),
    GalleryPage(
        "words",
        """\
# One

## Two

## The Systeminformation Project

### Three and `two`, then server/etcdserver/api/v3election/v3electionpb/v3election.proto

#### Four `logger.silent()`, SEMVER_SPEC_VERSION

Mutable `object`/`ReadonlyMap`/`ReadonlySet`/`ReadonlyArray` types.

##### Five

###### Six

<p dir="rtl">שלום עולם, זהו משפט ארוך מימין לשמאל עם כמה מילים.</p>

日本語の長い文章は空白なしで続きますが、ブラウザはどこでも折り返すことができます。日本語の長い文章は空白なしで続きます。

https://safebrowsing.example.org/safebrowsing/diagnostic/of/a/site/with/many/words?hl=en

1. one `node_modules/.pnpm/node_modules`
2. two
   - nested
     - deeper
       1. deepest

*emphasis*, **importance**, ~~mistake~~, `code`, H~2~O, line one
line two

---

> A quotation
>
> > in a quotation
""",
        # In an excerpt that WordPress makes, a long word would not break.
        excerpt="Words of every kind.",
    ),
    GalleryPage(
        "long-words",
        f"""\
![A picture]({SMALL} "{LONG_WORD}")

{LONG_WORD} in a paragraph, **{LONG_WORD}** and *{LONG_WORD}*.

- {LONG_WORD}
  - two
    - three [LongLinkOfNineteenA](https://example.org/)
      - four [LongLinkOfNineteenA](https://example.org/) and `LongCodeOfNineteenA`
        - five [LongLinkOfSixteen](https://example.org/)

> - in a quotation
>   - LongWordOfNineteenA
>     - LongWordOfNineteenA

{LONG_WORD}
: {LONG_WORD}

| In a table | it scrolls |
|---|---|
| {LONG_WORD} | {LONG_WORD} |
""",
        excerpt="Words that are longer than a telephone is wide.",
    ),
    GalleryPage(
        "by-hand",
        f"""\
<table border="1" width="600"><tr>{"<td>valuewithoutblank</td>" * 9}</tr></table>

<table class="own"><tr><td>narrow</td><td>table</td></tr></table>

<p><code>{LONG_WORD} -> <strong>{LONG_WORD}</strong></code> <kbd>{LONG_WORD}</kbd></p>

<details open><summary>{LONG_WORD}</summary>

{LONG_WORD}

</details>

<figure><img src="{WIDE}" alt="By hand"><figcaption>A caption with {LONG_WORD}</figcaption></figure>

<picture><source srcset="{WIDE}" media="(min-width: 600px)"><img src="{TALL}" alt="Of two files"></picture>

<p style="background:url('{WIDE}')">On a picture</p>

<video controls poster="{WIDE}" src="film.mp4"></video>

<img src="{SMALL}" srcset="{SMALL} 1x, {WIDE} 2x" alt="Of two sizes" width="48" height="48">

<iframe src="paper.pdf" width="900" height="90" title="A paper"></iframe>

<svg width="1000" height="60" viewBox="0 0 1000 60"><rect width="1000" height="60" fill="#9cf"/></svg>

<audio src="sound.mp3" controls style="width:900px"></audio>

<div dir="rtl">

משפט עם node_modules/.pnpm/node_modules ועם רשימה `git commit -m "a"`:

```python
print("code goes from left to right in a text that goes from right to left, and it scrolls")
```

</div>

<details><summary>More</summary><pre>{"a long line of hidden code, " * 9}</pre></details>

A note of another script.[^注]

<object data="paper.pdf" type="application/pdf" width="900" height="90" aria-label="A paper">
<a href="paper.pdf">A paper</a></object>

[^注]: 脚注の文章です。
""",
        html=True,
        excerpt="HTML of the author.",
    ),
)


def files(folder: str, kinds: tuple[str, ...] = ("pages", "posts")) -> dict[str, str | bytes]:
    """Give the files of the gallery: each page as a page and as a post, and the pictures beside them."""
    tree: dict[str, str | bytes] = {}
    for kind in kinds:
        place = f"content/{kind}/{folder}"
        for number, page in enumerate(PAGES):
            title = LONG.strip() if number == 0 else f"Gallery {page.name}"
            keys = f"title: '{title}'\nslug: {folder}-{page.name}\nexcerpt: '{page.excerpt}'\n"
            tree[f"{place}/{page.name}.md"] = f"---\n{keys}---\n{page.text}"
        tree |= {f"{place}/{name}": picture(*size) for name, size in PICTURES.items()}
        tree |= {f"{place}/{name}": data for name, data in FILES.items()}
    return tree


# As short as WordPress takes them for what their names say.
FILES: Mapping[str, bytes] = {
    "paper.pdf": b"%PDF-1.1\n1 0 obj<</Type/Catalog>>endobj\n%%EOF\n",
    "sound.mp3": b"\xff\xfb\x90\x00" + b"\0" * 413,
    "film.mp4": b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom\0\0\0\x08free",
}
