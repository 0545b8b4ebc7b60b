"""Tests of the forms of Obsidian: what a note becomes on the site, and that a pull gives its forms back."""

from __future__ import annotations

import re

import pytest

from pressync.config.settings import load
from pressync.content.render.links import Unresolved
from pressync.content.render.obsidian import hashtags, without_comments
from pressync.content.render.renderer import Renderer
from pressync.content.vault import Vault
from pressync.model.interface import Kind
from pressync.model.records import Document
from pressync.pull.body import merged_body
from pressync.pull.compose import BodyFormat

SETTINGS = load('content = "v"\n[markdown]\ndialect = "obsidian"\n', where="", environ={})
PATHS = "A Note.md x/Foo.md y/z/Foo.md x/deep/Foo.md x/me.md p.png s.mp3 f.mp4 d.pdf .trash/Old.md".replace(
    "A N", "A_N"
)
FILES = {f"v/{path.replace('_', ' ')}": path for path in PATHS.split()}
TEXTS = {"A_Note.md": b"---\naliases: [AI, 'Other Name']\ntags: [x]\n---\ntext"}
VAULT = Vault(FILES, lambda _path, blob, *_: TEXTS.get(blob, b""), SETTINGS)
RENDERER = Renderer({}, templates_folder="", content="v", forms=SETTINGS.markdown, vault=VAULT)


def note(body: str, path: str = "v/x/me.md") -> Document:
    return Document(path, "", Kind.PAGE, {}, body, 1)


def address(path: str) -> str | Unresolved:
    return f"https://s/{path[2:].replace(' ', '-')}" if path in FILES else Unresolved.MISSING


def is_file(path: str) -> bool:
    return not path.endswith(".md")


def shown(body: str) -> str:
    """Give the HTML that is sent for the body of a note."""
    return RENDERER.render(note(body), resolve=address, uploadable=is_file).content.strip()


@pytest.mark.parametrize(
    ("written", "inside"),
    [
        ("[[A Note]]", '<a href="https://s/A-Note.md">A Note</a>'),
        ("[[Foo]]", '<a href="https://s/x/Foo.md">Foo</a>'),
        ("[[z/foo]]", '<a href="https://s/y/z/Foo.md">z/foo</a>'),
        ("[see [[AI|it]] b]", '[see <a href="https://s/A-Note.md">it</a> b]'),
        ("a ^[b [[AI]]] c", 'a <small>(b <a href="https://s/A-Note.md">AI</a>)</small> c'),
        ("\\[[AI]] !\\[[p.png]] `[a [[AI]]]`", "&#91;[AI]] !&#91;[p.png]] <code>[a [[AI]]]</code>"),
        ("[[/x/deep/Foo|d]]", '<a href="https://s/x/deep/Foo.md">d</a>'),
        ("[[../y/z/Foo|r]]", '<a href="https://s/y/z/Foo.md">r</a>'),
        ("[[AI]]", '<a href="https://s/A-Note.md">AI</a>'),
        (
            "[[Foo#One: a#Two & b]]",
            '<a href="https://s/x/Foo.md#two--b">Foo &gt; One: a &gt; Two &amp; b</a>',
        ),
        ("[[Foo#^id]]", '<a href="https://s/x/Foo.md#%5Eid">Foo &gt; ^id</a>'),
        ("[[#Here]]", '<a href="#here">Here</a>'),
        ("[[Nowhere]] and [[Old|words]]", "Nowhere and words"),
        ("[m](<A Note.md>)", '<a href="https://s/A-Note.md">m</a>'),
        ("![[p.png|w|30x20]]", '<img src="https://s/p.png" alt="w" width="30" height="20" />'),
        ("![w|30](p.png)", '<img src="https://s/p.png" alt="w" width="30" />'),
        ("![[none.png]] x", "none.png x"),
        ("![[s.mp3]]", '<audio controls src="https://s/s.mp3"></audio>'),
        ("![[A Note#T]]", '<a href="https://s/A-Note.md#t">A Note &gt; T</a>'),
        ("a %%b [[Foo]]%% c ==d==", "a c <mark>d</mark>"),
        ("text ^id", 'text <a id="^id"></a>'),
        ("`[[Foo]] ![[p.png]] %%x%% ^id`", "<code>[[Foo]] ![[p.png]] %%x%% ^id</code>"),
    ],
)
def test_a_form_becomes_what_obsidian_shows(written: str, inside: str) -> None:
    assert shown(written) == f"<p>{inside}</p>"


def test_forms_in_a_table_have_an_escaped_pipe() -> None:
    page = shown("|a|b|\n|-|-|\n|[[Foo\\|w]]|![[p.png\\|9]]|")
    assert '<td><a href="https://s/x/Foo.md">w</a></td>' in page
    assert '<td><img src="https://s/p.png" alt="" width="9" /></td>' in page


def test_callouts_fold_and_nest() -> None:
    page = shown("> [!note]- One\n> a\n>\n> > [!bug]\n> > b\n\n> [!faq]+ Why [[Foo]]?\n\n> quote\n")
    assert page.split("\n") == [
        '<details class="markdown-alert markdown-alert-note">',
        "<summary>One</summary>",
        "<p>a</p>",
        '<div class="markdown-alert markdown-alert-bug">',
        '<p class="markdown-alert-title">Bug</p>',
        "<p>b</p>",
        "</div>",
        "</details>",
        '<details class="markdown-alert markdown-alert-faq" open>',
        '<summary>Why <a href="https://s/x/Foo.md">Foo</a>?</summary>',
        "</details>",
        "<blockquote>",
        "<p>quote</p>",
        "</blockquote>",
    ]


@pytest.mark.parametrize(
    ("body", "page"),
    [
        ("a\n\n%%\nsecret\n\n- secret\n%%\n\nb", "<p>a</p>\n<p>b</p>"),
        ("a %%x **y** z%% b", "<p>a b</p>"),
        ("%%\n\n```\n%%\n```\n\nx %% b", "<p> b</p>"),
    ],
)
def test_a_comment_goes_with_all_that_is_in_it(body: str, page: str) -> None:
    assert shown(body) == page


def test_tags_in_the_text_are_read_outside_of_code_and_comments() -> None:
    text = "# H\n\n#one and #two/deep, #One `#code` #12 a#b [x](y#z)\n\n%% #no %%\n"
    assert hashtags(text, SETTINGS.markdown) == ("one", "two/deep")


@pytest.mark.parametrize(
    ("body", "was", "becomes"),
    [
        ("See [[Foo]], ![[A Note|x]] and [[#^a]] now.\n", "now", "later"),
        ("> [!bug]- Why [[Foo]]?\n> It ==is== so.\n>\n> - a ^b\n", "so", "not so"),
        ("One %%two%% `three` four.\n", "four", "five"),
        ("|a|b|\n|-|-|\n|[[Foo\\|w]]|c ![[p.png\\|9]]|\n", "c ", "d "),
        ("See [[AI]] and [[Foo#Feeding|feeding]] now.\n", "(?<=[|>])feeding", "the feeding"),
    ],
)
def test_an_edit_on_the_site_changes_its_words_alone(body: str, was: str, becomes: str) -> None:
    def render(text: str) -> str:
        return RENDERER.laid_out(note(text), resolve=address, uploadable=is_file)

    site = re.sub(was, becomes, re.sub(' data-sourcepos="[^"]*"', "", render(body)), count=1)
    pulled = merged_body(body, site, BodyFormat(render, lambda link: link, by_words=True))
    assert pulled == re.sub(was, becomes, body, count=1)


def test_the_names_that_a_note_depends_on_are_among_its_links() -> None:
    links = RENDERER.render(note("[[Foo]] [[AI]] ![[p.png]]"), resolve=address, uploadable=is_file).links
    assert {"[[foo]]", "[[ai]]", "[[=v/A Note.md]]", "[[p.png]]", "v/x/Foo.md", "v/p.png"} <= {*links}
    other = Vault({**FILES, "v/x/new/foo.md": "b"}, lambda *_: b"", SETTINGS)
    assert {name for name in links if other.digest(name) != VAULT.digest(name)} == {"[[foo]]"}


@pytest.mark.parametrize("written", ["[[Gone]]", "[[sub/gone]]", "[x](Gone.md)", "[[../y/sub/Gone]]"])
def test_a_link_to_a_renamed_note_names_its_new_path_as_a_plan_knows_it(written: str) -> None:
    renamed = {"v/y/sub/Gone.md": "v/A Note.md", "v/.trash/Gone.md": "v/x/Foo.md"}
    (problem,) = RENDERER.render(note(written), resolve=address, renamed=renamed).problems
    assert problem.todo == "link to `../A Note.md`"


@pytest.mark.sweep
@pytest.mark.parametrize(
    "hostile",
    [
        "[[" * 100_000,
        "![[" * 100_000,
        "![[a|" * 60_000,
        "%%" * 100_001,
        "%%a%%" * 60_000,
        "<div>" * 20_000 + "%%a%%",
        "<p>" + " " * 200_000,
        "> [!x]- " * 40,
        "<img alt=" * 30_000,
        '<a href="' * 30_000,
        "x ^" * 100_000,
    ],
)
def test_hostile_notes_end(hostile: str) -> None:
    page = shown(hostile)
    assert "data-vault" not in page
    assert len(page) < 10 * len(hostile) + 1000


def test_a_comment_takes_no_tag_that_is_open_behind_it() -> None:
    assert without_comments("<ul><li>a %%b</li><li>c%% d</li></ul>") == "<ul><li>a</li><li> d</li></ul>"
