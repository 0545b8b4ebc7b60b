"""The text of pressync.toml: every mistake with its line, no secret repeated; an edit changes one value."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.config.keys import SITE, TOP, folder
from pressync.config.settings_file import quoted, read, refuse_types, right_sites, with_rows, with_setting
from pressync.content.front_matter.formats import toml_value
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pressync.config.keys import Key


URL = "https://example.org/wp-json"
FILE = "pressync.toml"


def refused(text: str) -> str:
    """Read settings that are wrong, and give what is said of them."""
    with pytest.raises(ConfigError) as caught:
        read(text, FILE)
    return str(caught.value)


def test_a_byte_order_mark_is_no_content() -> None:
    assert read('\ufeffcontent = "docs"\n', FILE) == {"content": "docs"}


@pytest.mark.parametrize("value", ["1" * 5000, "[" * 5000])
def test_numbers_and_nesting_that_python_refuses_to_read_are_told(value: str) -> None:
    assert refused(f"content = {value}\n").startswith(
        "pressync.toml: the file has a number with thousands of digits"
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("content", "content"),
        ("./content/", "content"),
        ("/content", "content"),
        (".", ""),
        ("", ""),
        ("a//b/../c", "a/c"),
    ],
)
def test_a_folder_is_read_as_git_writes_it(written: str, meant: str) -> None:
    assert folder(written) == meant


@pytest.mark.parametrize("folder_of_git", [".git", ".git/x", "a/.GIT/b", "git~1", ".git.", "a/../.git "])
@pytest.mark.parametrize("key", ["content", "templates"])
def test_a_folder_of_git_or_outside_of_the_repository_is_refused(key: str, folder_of_git: str) -> None:
    said = refused(f'\n{key} = "{folder_of_git}"\n')
    assert said == f"pressync.toml:2: the folder '{folder_of_git}' belongs to Git; use another folder"
    for outside in ("..", "../content", "a/../../b"):
        assert folder(outside) is None
        assert refused(f'\n{key} = "{outside}"\n') == (
            f"pressync.toml:2: the folder '{outside}' is outside the repository; use a path below its root"
        )


def test_all_problems_are_told_together() -> None:
    text = """\
contents = "x"
templates = 3

[sites.staging]
url = "https://staging.example.org/wp-json"
user = "ok"

[sites.production]
url = "ftp:x"
user = ["a"]
dialect = "wordpres"
brnch = "main"
allow_http = "yes"
manifest = "../live.json"
blocks = "gutenberg"
"""
    address = (
        "pressync.toml:9: the service's address (`url`) does not begin with https:// or http://; "
        "write it as https://example.org/wp-json"
    )
    assert refused(text).splitlines() == [
        "pressync.toml:1: unknown key 'contents'; did you mean 'content'?",
        "pressync.toml:2: 'templates' is not text in quotes; correct its value",
        address,
        "pressync.toml:10: 'user' is not text in quotes; correct its value",
        "pressync.toml:11: dialect 'wordpres' is unknown; use one of documented, wordpress, wordpress.com",
        "pressync.toml:12: unknown key 'brnch'; did you mean 'branch'?",
        "pressync.toml:13: 'allow_http' is not true or false; correct its value",
        "pressync.toml:14: the manifest must be a file of the repository; use a path below its root",
        "pressync.toml:15: 'blocks' is not true or false; correct its value",
    ]


@pytest.mark.parametrize("key", ["password", "token", "app_password", "client_secret"])
def test_a_secret_in_the_file_or_the_url_is_refused_and_not_repeated(key: str) -> None:
    said = refused(f'[sites.a]\nurl = "{URL}"\n{key} = "hunter2"\n')
    assert said == (
        f"pressync.toml:3: '{key}' is a secret, and pressync does not read secrets from files; "
        "use PRESSYNC_PASSWORD, PRESSYNC_TOKEN or `password_command`"
    )
    for url in ("https://bot:hunter2@example.org/", f"https://example.org/?{key}=hunter2"):
        said = refused(f'[sites.a]\nurl = "{url}"\n')
        assert said.startswith("pressync.toml:2: the service's address")
        assert "hunter2" not in said


@pytest.mark.parametrize("name", ["my site", "a/b", "..", ".hidden", "embedded", "größe", ""])
def test_a_name_that_is_no_file_name_everywhere_is_refused(name: str) -> None:
    said = refused(f'\n[sites."{name}"]\nurl = "{URL}"\n')
    assert said == f"pressync.toml:2: a site cannot be called '{name}'; use letters, digits, dots, - and _"


@pytest.mark.parametrize(
    "text",
    [
        r'"x\n::error::y" = 1',
        r'content = "../a\n  ::add-mask::b"',
        r'[sites."a\n::set-output name=x::y"]',
        r'[sites."a\ncontent/pages/b.md:3: forged"]',
        r'sites.a = { url = "https://x/", "k\r\n::error::y" = 1 }',
        r'sites.a = { url = "https://x/", dialect = "d\n::error::y" }',
    ],
)
def test_what_is_quoted_of_the_file_stays_on_the_line_of_its_problem(text: str) -> None:
    assert "\n" not in refused(f"{text}\n")


@pytest.mark.parametrize(
    "manifest",
    [
        "/etc/x.json",
        "..",
        "a/../../b",
        "",
        "state/",
        ".git",
        ".git/x",
        "./.git/x",
        "a/.GIT/b.json",
        "git~1/x",
    ],
)
def test_a_manifest_outside_of_the_work_tree_is_refused(manifest: str) -> None:
    said = refused(f'[sites.a]\nurl = "{URL}"\nmanifest = "{manifest}"\n')
    assert said.startswith("pressync.toml:3: the manifest must be a file of the repository")


COMMAND = "'password_command' is not a command; write one, or a list of words"
TERM = "is not the name of a term; write the name as text"
PATTERNS = 'write paths below the content folder: `exclude = ["_includes/**", "README.md"]`'
USER = 'is not a user; write a login, an e-mail address or an id, or "" to leave the author out'
TAXONOMY = "begin it with categories/, tags/ or the name of a taxonomy"
KEYS_OF_ALL = "content, templates, exclude, folders, authors, terms, markdown, sites, defaults, agents"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *((f"[sites.a]\npassword_command = {word}\n", COMMAND) for word in ('""', "[]", "[1, 2]")),
        *(
            (f'exclude = [\n"a", {word}]\n', f"'{word.strip(chr(34))}' is not a pattern of files; {PATTERNS}")
            for word in ('""', '"!"', '"/"', "3")
        ),
        *((f'[authors]\n"*" = {user}\n', USER) for user in ("0", "-1", "true", "1.5", "[]")),
        *(
            (
                f'[terms]\n"{term}" = "y"\n',
                f"'{term}' does not say whether it is a category or a tag; {TAXONOMY}",
            )
            for term in ("x", "tag/x", "category/x")
        ),
        ('[terms]\n"tags/x" = 3\n', f"'3' {TERM}"),
        ('[terms]\n"tags/x" = " "\n', f"' ' {TERM}"),
        ('\ncolour = "red"\n', f"unknown key 'colour'; the keys are {KEYS_OF_ALL}"),
        ('\nurl = "x"\n', "unknown key 'url'; write it below `[sites.NAME]`, with the name of the site"),
        (
            '[markdown]\ncontent = "docs"\n',
            "unknown key 'content'; write it at the top of the file, before the first `[…]`",
        ),
        ("[sites.a]\nembeds = true\n", "unknown key 'embeds'; write it below `[markdown]`"),
        ("[sites.a]\n[sites.a.markdown]\n", "unknown key 'markdown'; write the table as `[markdown]`"),
        (
            '[sites]\nproduction = "x"\n',
            "'production' is not a table; write its settings below [sites.production]",
        ),
        (
            "[sites.a]\n[sites.a]\n",
            "this table begins a second time; put its keys below the place where it begins first",
        ),
    ],
)
def test_a_value_that_is_none_is_told_with_what_may_be_there(text: str, told: str) -> None:
    said = refused(text)
    assert said.startswith(("pressync.toml:2: ", "pressync.toml:1: "))
    assert said.endswith(told)


def test_a_wrong_table_of_one_site_stops_no_other() -> None:
    text = f'[sites.good]\nurl = "{URL}"\n[sites.bad]\nurl = "{URL}"\nusr = "anna"\ndialect = "x"\n'
    assert read(text, FILE, "good")["sites"]["good"] == {"url": URL}
    assert right_sites(read(text, FILE, "")) == {"good": {"url": URL}}
    with pytest.raises(ConfigError, match=r"pressync\.toml:5: unknown key 'usr'"):
        read(text, FILE, "bad")
    # What is wrong for all sites is wrong for each.
    with pytest.raises(ConfigError, match="unknown key 'contents'"):
        read(f'contents = "x"\n{text}', FILE, "good")


def test_authors_terms_and_names_of_sites_are_read() -> None:
    text = '[authors]\n"Jane" = 3\n"*" = ""\n[terms]\n"categories/News/World" = "Abroad"\n'
    assert read(text, FILE) == {
        "authors": {"Jane": 3, "*": ""},
        "terms": {"categories/News/World": "Abroad"},
    }
    for name in ("production", "eu-1", "www.example.org", "0"):
        assert read(f'[sites."{name}"]\r\nurl = "{URL}"\r\n', FILE)["sites"].keys() == {name}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f'sites.a.url = "{URL}"\nsites.a.dialect = "wp"\n', 2),
        (f'\nsites = {{ a = {{ url = "{URL}", dialect = "wp" }} }}\n', 2),
        (f'[sites]\na.url = "{URL}"\n# dialect = "x"\n"a" . dialect = "wp"\n', 4),
        (f'[ sites . "a" ]\nurl = "{URL}"\n\tdialect="wp"\n', 3),
        (f'[sites.b]\nurl = "{URL}"\ndialect = "documented"\n[sites.a]\nurl = "{URL}"\ndialect = "wp"', 6),
    ],
)
def test_the_line_is_found_however_the_table_is_written(text: str, line: int) -> None:
    assert refused(text).startswith(f"pressync.toml:{line}: dialect 'wp' is unknown")


def test_a_type_in_defaults_is_ours() -> None:
    text = '[defaults]\ntype = "pots"\n[defaults."blog"]\ntype = "section"\n'
    with pytest.raises(ConfigError) as caught:
        refuse_types(text, FILE, "production", ("page", "post", "none"), "")
    assert str(caught.value).splitlines() == [
        "pressync.toml:2: type 'pots' is unknown; did you mean 'post'?",
        "pressync.toml:4: type 'section' is unknown; use one of page, post, none",
    ]
    assert read('[defaults."_includes"]\ntype = "none"\n', FILE)


def test_very_many_sites_are_one_problem_with_its_line() -> None:
    tables = [f'[sites.s{number}]\nwrong = "{URL}"\n' for number in range(20_000)]
    assert refused("".join(tables)) == (
        "pressync.toml:2001: this is site number 1,001, one too many; "
        "give the other sites a settings file of their own (`--config FILE`)"
    )
    right = "".join(tables[:1_000]).replace("wrong", "url")
    assert len(read(right, FILE)["sites"]) == 1_000


ADDRESS = 'url = "https://example.org/wp-json"'


def edited(text: str, site: str, value: str = "ref", key: str = "manifest") -> str:
    return with_setting(text, "pressync.toml", site, key, value)


def test_a_missing_key_is_added_below_the_last_row() -> None:
    assert edited(f"[sites.a]  # A\n{ADDRESS}\n\n[sites.b]\n{ADDRESS}\n", "b") == (
        f'[sites.a]  # A\n{ADDRESS}\n\n[sites.b]\n{ADDRESS}\nmanifest = "ref"\n'
    )
    assert edited(f"[sites.a]\r\n{ADDRESS}\r\n", "a") == f'[sites.a]\r\n{ADDRESS}\r\nmanifest = "ref"\r\n'
    assert edited(f"[sites.a] # one\u2028line\n{ADDRESS}\n", "a") == (
        f'[sites.a] # one\u2028line\n{ADDRESS}\nmanifest = "ref"\n'
    )


def test_quoted_names_and_keys_are_found() -> None:
    text = f'[sites."my.site"]\n{ADDRESS}\n"manifest" = "x.json"\n'
    assert tomllib.loads(edited(text, "my.site"))["sites"]["my.site"]["manifest"] == "ref"
    assert edited(text, "my.site").count("manifest") == 1


@pytest.mark.parametrize(
    "text",
    [
        f"[sites]\na = {{{ADDRESS}}}\n",
        f"sites.a.{ADDRESS}\n",
        'content = "content"\n',
        f'[sites.a]\n{ADDRESS}\nmanifest = """x.json"""\n',
    ],
)
def test_what_cannot_be_edited_safely_is_left_to_a_person(text: str) -> None:
    with pytest.raises(ConfigError, match='write `manifest = "ref"` into it, and run this again'):
        edited(text, "a")


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20))
def test_any_comment_and_any_value_survive(words: str) -> None:
    text = f'# {words}\n[sites.a] # {words}\n{ADDRESS} # {words}\nuser = "x" # {words}\n'
    after = edited(text, "a", words, key="user")
    assert tomllib.loads(after)["sites"]["a"] == {"url": "https://example.org/wp-json", "user": words}
    assert after.count(f"# {words}\n") == text.count(f"# {words}\n")


NOTE = "fill in"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[authors]\n# fill in\nJane = "x"\n# Tom = "…"\n'),
        ('content = "a"', 'content = "a"\n\n[authors]\n# fill in\nJane = "x"\n# Tom = "…"\n'),
        (
            '[authors]\nAnna = "a" # hm\n\n# The sites\n[sites.a]\nurl = "https://a.org"\n',
            '[authors]\nAnna = "a" # hm\nJane = "x"\n# Tom = "…"\n\n# The sites\n[sites.a]\nurl = "https://a.org"\n',
        ),
        ('[authors]\r\n# "Anna" = "…"\r\n', '[authors]\r\n# "Anna" = "…"\r\nJane = "x"\r\n# Tom = "…"\r\n'),
        ('[authors]\n"Jane" = "y"\n# "Tom" = "…"\n', '[authors]\n"Jane" = "y"\n# "Tom" = "…"\n'),
        ("[authors]", '[authors]\nJane = "x"\n# Tom = "…"\n'),
    ],
    ids=["no text", "no table", "a comment of the next table", "CRLF", "nothing is new", "no rows"],
)
def test_rows_go_below_the_last_row_of_their_table(before: str, after: str) -> None:
    after = after.replace("Jane =", '"Jane" =').replace('""Jane""', '"Jane"').replace("# Tom", '# "Tom"')
    found = with_rows(before, FILE, "authors", {"Jane": "x"}, asked=["Tom"], note=NOTE)
    assert found == after
    assert with_rows(found, FILE, "authors", {"Jane": "x"}, asked=["Tom"], note=NOTE) == found


@pytest.mark.parametrize(
    "text", ['authors = { Anna = "a" }\n', 'authors.Anna = "a"\n', "text = '''\n[authors]\n'''"]
)
def test_a_table_that_is_written_in_an_unusual_way_gets_no_rows(text: str) -> None:
    with pytest.raises(ConfigError):
        with_rows(text, FILE, "authors", {"Jane": "x"})


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_any_name_and_any_comment_survive_rows(words: str) -> None:
    comment = "# " + "".join(each for each in words if each.isprintable())
    text = f'{comment}\n[authors] {comment}\n"a" = "b" {comment}\n'
    after = with_rows(text, FILE, "authors", {words: words}, asked=[words])
    assert tomllib.loads(after)["authors"] == {words: words, "a": "b"}
    assert after.startswith(text)
    assert not re.search("[\x00-\x1f\x7f-\x9f]", quoted(words))


GUIDE = Path(__file__).parents[3] / "content/pages/configuration.md"
KEYS = [("", name, key) for name, key in TOP.items()] + [
    ("[sites.live]\n", name, key) for name, key in SITE.items()
]


@pytest.mark.parametrize(
    ("table", "name", "key"), KEYS, ids=[f"{table[1:-2]} {name}" for table, name, _ in KEYS]
)
def test_a_key_is_described_and_its_examples_are_accepted(table: str, name: str, key: Key) -> None:
    assert key.description.endswith(".")
    assert len(key.description) <= 220
    values = [*key.examples, *key.choices, *([] if key.default is None else [key.default])]
    assert values
    for value in values:
        assert isinstance(value, key.types)
        read(f"{table}{name} = {toml_value(value)}\n", "pressync.toml")
        texts = value if isinstance(value, list) else [value]
        assert all(re.search(key.shape, text) for text in texts if isinstance(text, str))


@pytest.mark.parametrize("name", sorted({*TOP, *SITE} - {"sites"}))
def test_the_guide_has_each_key(name: str) -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    assert re.search(rf"^\|[^|]*`\[?{name}\]?`", guide, re.MULTILINE), f"{GUIDE.name} has no row of {name}"
