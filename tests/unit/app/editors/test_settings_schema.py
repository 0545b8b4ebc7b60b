"""The JSON schema of pressync.toml marks what pressync refuses, and nothing that pressync takes."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import corpora

from pressync.app.editors.settings_schema import settings
from pressync.config import settings_file
from pressync.config.keys import SITE, TOP
from pressync.config.settings import load
from pressync.content import documents
from pressync.content.documents import Defaults
from pressync.content.front_matter import convert
from pressync.content.front_matter.formats import toml_key, toml_value
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind
from pressync.model.records import Source

HEAD = "[sites.live]\n"


@cache
def validator() -> jsonschema.Draft7Validator:
    schema = settings()
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def marked(text: str) -> list[str]:
    """Give what an editor marks."""
    return [f"{error.json_path}: {error.message}" for error in validator().iter_errors(tomllib.loads(text))]


def refused(text: str) -> str:
    """Give the error with which pressync refuses settings, or a file whose defaults are wrong."""
    try:
        settings_file.read(text, "pressync.toml")
    except ConfigError as error:
        return str(error)
    named = load(text, where="pressync.toml", environ={"PRESSYNC_URL": "https://example.org/wp-json"})
    problems = [
        problem
        for kind in Kind
        for folder in named.site.defaults
        for problem in documents.read(
            Source(f"content/{folder}/{kind}.md".replace("//", "/"), "0" * 40),
            b"---\ntype: %s\n---\n" % kind.encode(),
            content="content",
            defaults=Defaults(named.site.defaults),
        ).problems
        if not problem.warning
    ]
    return "\n".join(map(str, problems))


TEXTS = st.sampled_from(
    [
        *(
            "",
            "x",
            "..",
            "/",
            "/..",
            "a/../..",
            "./a",
            "ref",
            ".git",
            ".git/x",
            "../x",
            "!",
            "!x",
            "!/",
            "//",
            "/x",
        ),
        *(
            "https://example.org/wp-json",
            "http:",
            "HTTP://A",
            "https://u:p@h/",
            "https://h#",
            "https://h#f",
            "ftp:x",
        ),
        *(
            "https://h/ b",
            "https://h/?rest_route=/",
            "https://[",
            "https://h\\",
            "documented",
            "wordpress",
            "pages",
        ),
        *("draft", "bogus", "2024-01-31", "page", "none", "main", "origin", "yes", "a//b", "0"),
    ]
)
SCALARS = st.one_of(
    TEXTS, st.text(max_size=3), st.booleans(), st.integers(-2, 3), st.sampled_from([1.0, 0.5])
)
VALUES = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(TEXTS, SCALARS, max_size=2)
FRONT_MATTER = sorted({key for readers in convert.READERS.values() for key in readers} | {"other"})
DEFAULTS = st.dictionaries(st.sampled_from([*FRONT_MATTER, "pages/x", "x"]), VALUES, max_size=2)
SITES = st.fixed_dictionaries({}, optional={name: VALUES for name in SITE if name != "defaults"})
TABLES = st.fixed_dictionaries(
    {},
    optional={
        **{name: VALUES for name in TOP if name not in {"sites", "defaults"}},
        "defaults": DEFAULTS | SCALARS,
        "sites": st.dictionaries(
            st.sampled_from(["live", "a.b", "-x", "embedded", "", "a b"]),
            st.fixed_dictionaries({}, optional={**{name: VALUES for name in SITE if name != "defaults"}})
            | SCALARS,
            max_size=1,
        ),
        "colour": SCALARS,
    },
)


def is_beyond_a_schema(said: str) -> bool:
    """Tell whether a schema cannot say why pressync refuses."""
    return any(
        why in said
        for why in (
            "outside the repository",  # `a/../..`
            "a file of the repository",
            "address (`url`)",  # hosts, ports, queries
            "has a NUL",
            "contains a NUL",
            "is not a user",  # 1.0 is a whole number for a schema
            "is not a date",
            "write a whole number",
            "contradicts",
        )
    )


@given(TABLES)
@pytest.mark.sweep
def test_schema_and_pressync_refuse_the_same_settings(tables: dict[str, Any]) -> None:
    text = "".join(f"{toml_key(key)} = {toml_value(value)}\n" for key, value in tables.items())
    said, marks = refused_or_unloadable(text), marked(text)
    if marks:
        assert said, marks
    if said and not is_beyond_a_schema(said):
        assert marks, said


def refused_or_unloadable(text: str) -> str:
    """Give the error of `refused`; a site that cannot be chosen or spoken to is not a fault of the file."""
    try:
        return refused(text)
    except ConfigError as error:
        return f"address (`url`): {error}"


@pytest.mark.parametrize(
    "text",
    [
        'content = "../x"\n',
        "templates = 3\n",
        'exclude = ["!"]\n',
        'folders = "pag"\n',
        'colour = "red"\n',
        '[authors]\n"Jane" = true\n',
        '[sites."-x"]\n',
        f'{HEAD}url = "ftp:x"\n',
        f'{HEAD}url = "https://u:p@example.org/"\n',
        f'{HEAD}dialect = "wordpres"\n',
        f'{HEAD}manifest = "/x"\n',
        f'{HEAD}password_command = ""\n',
        f'{HEAD}password = "x"\n',
        f'{HEAD}allow_http = "yes"\n',
        f'{HEAD}[sites.live.defaults]\nstatus = "drafty"\n',
        '[defaults]\nslug = "x"\n',
        '[defaults."x"]\nstatus = "drafty"\n',
        "[defaults.tags]\nid = 4\n",
    ],
)
def test_both_refuse(text: str) -> None:
    assert refused(text)
    assert marked(text)


def test_a_folder_may_have_the_name_of_a_key() -> None:
    text = '[defaults.tags]\nstatus = "draft"\n[defaults.slug]\nother = {a = 1}\n'
    assert not refused(text)
    assert not marked(text)


def test_a_mark_is_at_the_key_and_not_on_its_whole_table() -> None:
    (mark,) = marked(f'{HEAD}user = "jane"\npassword = "x"\n')
    assert mark.startswith("$.sites.live.password: ")


def test_names_of_the_site_are_offered_in_defaults() -> None:
    offered = settings({"author": ("jane",)})["definitions"]["folder"]["properties"]["author"]["anyOf"]
    assert {"enum": ["jane"]} in offered


@pytest.mark.corpus
@pytest.mark.parametrize("name", corpora.TOOLS)
def test_the_settings_of_the_guide_for_real_trees_are_not_marked(name: str) -> None:
    assert not marked(corpora.settings(name))
