"""What editors read: schemas for what pressync accepts, the files of an editor, and the names of a site."""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import corpora
from tests.support.embedded_wordpress import ENVIRON
from tests.support.lines import closed_port
from tests.support.syncing import Bound

from pressync.app import editors
from pressync.app.editors import settings_schema
from pressync.cli.report import github
from pressync.config import settings_file
from pressync.config.keys import SITE, TOP
from pressync.config.settings import load
from pressync.content import documents
from pressync.content.documents import Defaults
from pressync.content.front_matter import keys
from pressync.content.front_matter.formats import toml_key, toml_value
from pressync.model.errors import Code, ConfigError, Problem
from pressync.model.interface import Kind
from pressync.model.records import Source

if TYPE_CHECKING:
    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

VALUE = Code.VALUE


def test_a_schema_is_json_that_is_a_schema_with_names_of_the_site() -> None:
    for document in (editors.CONFIG, editors.FRONT_MATTER):
        jsonschema.Draft7Validator.check_schema(json.loads(editors.schema_text(document)))
    page = json.loads(editors.schema_text(editors.FRONT_MATTER, Kind.PAGE, {"layout": ("wide",)}))
    assert page["properties"]["layout"]["anyOf"][0] == {"enum": ["wide"]}
    assert "tags" not in page["properties"]
    offered = settings_schema({"author": ("jane",)})["definitions"]["folder"]["properties"]["author"]["anyOf"]
    assert {"enum": ["jane"]} in offered


def test_the_task_finds_the_place_of_each_problem_that_check_writes() -> None:
    (task,) = json.loads(editors.of_vscode("")[".vscode/tasks.json"])["tasks"]
    placed, whole = (matcher["pattern"] for matcher in task["problemMatcher"])
    error = Problem("content/a.md", 12, "no", "fix", code=VALUE)
    warning = Problem("content/a b.md", 0, "it is: odd", "x", warning=True, code=VALUE)
    for problem, pattern in ((error, placed), (warning, whole)):
        (line,) = github.problems([problem])
        found = re.match(pattern["regexp"], line)
        assert found
        assert found[pattern["file"]] == problem.path
        assert found[pattern["severity"]] == problem.severity
        assert found[pattern["message"]].startswith(problem.what)
        if "line" in pattern:
            assert found[pattern["line"]] == "12"
    assert not re.match(placed["regexp"], next(iter(github.problems([warning]))))


HEAD = "[sites.live]\n"


@cache
def validator() -> jsonschema.Draft7Validator:
    schema = settings_schema()
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
        ),
        *("/x", "https://example.org/wp-json", "http:", "HTTP://A", "https://u:p@h/", "https://h#"),
        *("https://h#f", "ftp:x", "https://h/ b", "https://h/?rest_route=/", "https://[", "https://h\\"),
        *("documented", "wordpress", "pages", "draft", "bogus", "2024-01-31", "page", "none", "main"),
        *("origin", "yes", "a//b", "0"),
    ]
)
SCALARS = st.one_of(
    TEXTS, st.text(max_size=3), st.booleans(), st.integers(-2, 3), st.sampled_from([1.0, 0.5])
)
VALUES = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(TEXTS, SCALARS, max_size=2)
FRONT_MATTER = sorted({key for kind in Kind for key in keys.readers(kind.row)} | {"other"})
DEFAULTS = st.dictionaries(st.sampled_from([*FRONT_MATTER, "pages/x", "x"]), VALUES, max_size=2)
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
        *('content = "../x"\n', "templates = 3\n", 'exclude = ["!"]\n', 'folders = "pag"\n'),
        *('colour = "red"\n', '[authors]\n"Jane" = true\n', '[sites."-x"]\n', f'{HEAD}url = "ftp:x"\n'),
        *(f'{HEAD}url = "https://u:p@example.org/"\n', f'{HEAD}dialect = "wordpres"\n'),
        *(f'{HEAD}manifest = "/x"\n', f'{HEAD}password_command = ""\n', f'{HEAD}password = "x"\n'),
        *(f'{HEAD}allow_http = "yes"\n', f'{HEAD}[sites.live.defaults]\nstatus = "drafty"\n'),
        *('[defaults]\nslug = "x"\n', '[defaults."x"]\nstatus = "drafty"\n', "[defaults.tags]\nid = 4\n"),
    ],
)
def test_both_refuse(text: str) -> None:
    assert refused(text)
    assert marked(text)
    # A mark is at the key, and not on its whole table.
    assert not any(mark.startswith("$.sites.live:") for mark in marked(text) if "password" in text)


@pytest.mark.corpus
@pytest.mark.parametrize("name", corpora.TOOLS)
def test_the_settings_of_the_guide_for_real_trees_are_not_marked(name: str) -> None:
    assert not marked(corpora.settings(name))


FILES = {
    "pressync.toml": '[authors]\n"Jane Doe" = "ada"\n"*" = "admin"\n',
    "content/pages/a.md": "# A\n",
    "templates/page.html": "{{ content }}",
    "templates/wide/hero.html": "{{ content }}",
    "templates/style.css": "",
}


def test_names_come_from_site_and_settings(site: EmbeddedWordPress, repository: SampleRepository) -> None:
    repository.commit(FILES)
    news = site.post("categories", name="News & more")
    site.post("categories", name="Local", parent=news)
    site.post("categories", name="CI/CD")
    site.post("tags", name="2024")
    site.post("users", username="ada", email="ada@example.org", password="x", roles=["editor"])
    said: list[str] = []
    with Bound(repository.root, site.url, environ=ENVIRON).workspace() as workspace:
        names = editors.site_names(workspace, said.append)
    assert names == {
        "categories": ("News & more", "News & more/Local", "Uncategorized", "ci-cd"),
        "tags": ("2024",),
        "author": ("Jane Doe", "ada", "admin"),
        "layout": ("page", "wide/hero"),
    }
    assert {request.method for request, _, _ in site.exchanges} == {"GET"}
    assert [sentence.partition(":")[0] for sentence in said] == [
        "The site does not show this account what `template` may be"
    ]


def test_without_an_answer_this_clone_knows_names(
    repository: SampleRepository,
) -> None:
    repository.commit(FILES)
    said: list[str] = []
    with Bound(repository.root, f"http://{closed_port()}", environ=ENVIRON).workspace() as workspace:
        names = editors.site_names(workspace, said.append)
    assert names == {"author": ("Jane Doe",), "layout": ("page", "wide/hero")}
    assert said[-1].startswith("The site was not read, so only the names that this clone knows are there: ")


def test_names_of_a_sync_are_known_offline(site: EmbeddedWordPress, repository: SampleRepository) -> None:
    repository.commit({"content/posts/a.md": "---\ntags: [bread]\ncategories: [News/Local]\n---\nA\n"})
    bound = Bound(repository.root, site.url, environ=ENVIRON)
    bound.sync()
    site.auth = ("nobody", "x")
    with bound.workspace() as workspace:
        names = editors.site_names(workspace, lambda _sentence: None)
    assert names["tags"] == ("bread",)
    assert "News/Local" in names["categories"]


def test_a_name_of_two_lines_is_left_out(site: EmbeddedWordPress, repository: SampleRepository) -> None:
    repository.commit(FILES)
    with site.store.writing() as db:
        db.execute("UPDATE terms SET name = 'two' || char(10) || 'lines'")
    with Bound(repository.root, site.url, environ=ENVIRON).workspace() as workspace:
        assert "categories" not in editors.site_names(workspace, lambda _sentence: None)
