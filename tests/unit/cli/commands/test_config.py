"""The settings in force, the schemas of what pressync prints and accepts, and what editors read."""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tests.support import corpora, embedded_wordpress
from tests.support.embedded_wordpress import ENVIRON
from tests.support.lines import closed_port
from tests.support.plan_samples import PLAN, PROBLEMS, REFUSED, RUN, STANDINGS, hostile_plan
from tests.support.syncing import Bound
from tests.support.terminal import Terminal

from pressync.app import editors
from pressync.app.check import Checked
from pressync.app.editors import settings_schema
from pressync.cli.commands import check as check_report
from pressync.cli.main import pressync
from pressync.cli.report import documents, github
from pressync.config import settings_file
from pressync.config.keys import SITE, TOP
from pressync.config.settings import load
from pressync.content import documents as content_documents
from pressync.content.front_matter import keys
from pressync.content.front_matter.formats import toml_key, toml_value
from pressync.model.errors import Code, ConfigError, Problem
from pressync.model.interface import DOCUMENTED_TYPES, Kind
from pressync.model.reason import ReasonCode
from pressync.model.records import Source

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository


def test_each_value_is_shown_with_its_origin(terminal: Terminal) -> None:
    terminal.environ.pop("PRESSYNC_URL")
    terminal.environ["PRESSYNC_USER"] = "editor"
    terminal.repository.commit(
        {"pressync.toml": '[sites.live]\nurl = "https://example.org/wp-json"\nbranch = "main"\n'}
    )
    shown = json.loads(terminal.run("config", "--format", "json").stdout)
    assert shown["url"] == {"value": "https://example.org/wp-json", "from": "pressync.toml [sites.live]"}
    assert shown["user"] == {"value": "editor", "from": "PRESSYNC_USER"}
    assert shown["templates"] == {"value": "templates", "from": "default"}
    assert shown["blocks"] == {"value": "false", "from": "default"}


def test_a_password_is_only_told_to_be_there(terminal: Terminal) -> None:
    terminal.environ["PRESSYNC_PASSWORD"] = "hunter2"
    terminal.environ["PRESSYNC_USER"] = "editor"
    shown = terminal.run("config").stdout
    assert "PRESSYNC_PASSWORD" in shown
    assert "hunter2" not in shown


_TWO = '[sites.staging]\nurl = "https://staging.example.org/wp-json"\n[sites.live]\nurl = "https://example.org/wp-json"\n'


def test_the_sites_are_listed_without_choosing_one_and_beside_a_chosen_one(terminal: Terminal) -> None:
    terminal.environ.pop("PRESSYNC_URL")
    terminal.repository.commit({"pressync.toml": _TWO})
    shown = json.loads(terminal.run("config", "--format", "json").stdout)
    assert shown == {"version": 1, "sites": {"value": ["staging", "live"], "from": "pressync.toml"}}
    told = terminal.run("config")
    assert told.stdout == "sites  staging, live  (pressync.toml)\n"
    assert told.stderr == "`pressync --site NAME config` shows the settings of one site.\n"
    shown = json.loads(terminal.run("--site", "live", "config", "--format", "json").stdout)
    assert (shown["site"]["value"], shown["sites"]["value"]) == ("live", ["staging", "live"])
    assert "staging, live" in terminal.run("--site", "live", "config").stdout


def test_trust_says_what_the_clone_agrees_to_and_that_can_be_read(terminal: Terminal) -> None:
    terminal.environ.pop("PRESSYNC_URL")
    memory = terminal.repository.root / ".git/pressync/used-settings"
    terminal.repository.commit({"pressync.toml": f"{_TWO}colour = 1\n"})
    terminal.run("--site", "live", "config", "--trust", exits=2)
    assert not memory.exists()
    terminal.repository.commit(
        {"pressync.toml": f"{_TWO}password_command = ['pass', 'show', 'my site']\nuser = 'anna'\n"}
    )
    said = terminal.run("--site", "live", "config", "--trust")
    assert said.stderr == (
        "From now on, this clone sends its credentials to https://example.org/wp-json. "
        "It runs `pass show 'my site'` for the password.\n"
    )
    assert json.loads(memory.read_text(encoding="utf-8")) == {
        "url": "https://example.org/wp-json",
        "password_command": ["pass", "show", "my site"],
        "site": "live",
    }


DOCUMENTS = ("plan", "sync", "status", "check", "rehearse")


def schema(terminal: Terminal, document: str) -> dict[str, Any]:
    """Print a schema as a program would get it, and hold it to the draft that it names."""
    found: dict[str, Any] = json.loads(terminal.run("schema", document).stdout)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(found)
    return found


def strict(of: Any) -> Any:  # noqa: ANN401 - any JSON
    """Forbid what the schema does not name: programs must bear a new key, and we must not forget one."""
    if isinstance(of, dict):
        closed = {"unevaluatedProperties": False} if "required" in of else {}
        return {**{key: strict(value) for key, value in of.items()}, **closed}
    return [strict(part) for part in of] if isinstance(of, list) else of


def check(schema: dict[str, Any], text: str) -> Any:  # noqa: ANN401 - any JSON
    """Validate a document, and allow no key that the schema does not name."""
    document = json.loads(text)
    jsonschema.Draft202012Validator(strict(schema)).validate(document)
    return document


def test_what_the_commands_print_is_what_the_schemas_say(terminal: Terminal) -> None:
    schemas = {name: schema(terminal, name) for name in DOCUMENTS}
    plan = check(schemas["plan"], terminal.run("plan", "--format", "json").stdout)
    assert plan["counts"]["create"] == 3
    check(schemas["status"], terminal.run("status", "--format", "json").stdout)
    check(schema(terminal, "doctor"), terminal.run("doctor", "--format", "json").stdout)
    check(schemas["rehearse"], terminal.run("rehearse", "--format", "json").stdout)
    sync = check(schemas["sync"], terminal.run("sync", "--yes", "--format", "json").stdout)
    assert sync["counts"]["done"] == 3
    check(schemas["plan"], terminal.run("plan", "--format", "json").stdout)
    terminal.repository.remove("content/pages/about/history.md")
    terminal.repository.commit(
        {"content/pages/about.md": "---\ntitle: We\n---\n", "content/posts/new.md": "# A post\n"}
    )
    changed = check(schemas["plan"], terminal.run("plan", "--format", "json").stdout)
    assert {change["action"] for change in changed["changes"]} == {"update", "delete", "blocked"}
    check(schemas["status"], terminal.run("status", "--format", "json").stdout)
    check(
        schemas["sync"],
        terminal.run("sync", "--yes", "--max-delete", "50%", "--format", "json", exits=1).stdout,
    )


def test_every_kind_of_change_outcome_and_standing_is_in_them(terminal: Terminal) -> None:
    plan, sync, status, checked, _ = (schema(terminal, name) for name in DOCUMENTS)
    problems = (*PLAN.problems, *hostile_plan().problems)
    for place in ("worktree", "index", "commit"):
        check(checked, check_report.document(Checked("abc", problems, place=place)))
    for drawn in (PLAN, REFUSED, hostile_plan()):
        check(plan, documents.plan(drawn))
    check(sync, documents.run(RUN))
    check(status, documents.status("production", STANDINGS))


# A plan may overwrite as a whole, too.
BOTH = {ReasonCode.OVERWRITES}


def test_the_schema_of_a_plan_explains_every_reason_under_both_of_its_names(terminal: Terminal) -> None:
    rows = {name: schema(terminal, "plan")["$defs"][name]["oneOf"] for name in ("reason", "remark")}
    of_changes, of_plan = ({row["const"] for row in each} for each in rows.values())
    assert of_changes | of_plan == set(ReasonCode) - {ReasonCode.NONE}
    assert of_changes & of_plan == BOTH
    for row in (*rows["reason"], *rows["remark"]):
        assert row["title"] == ReasonCode(row["const"]).public_name
        assert row["description"].endswith(".")
    names = [code.public_name for code in ReasonCode]
    # A name is the code of a later version, so it never is another reason's.
    assert len({*names}) == len(names)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("document", "wrong"),
    [
        ("plan", '{"version": 1}'),
        ("plan", documents.plan(PLAN).replace('"id": 8', '"id": null')),
        ("sync", documents.run(RUN).replace('"done"', '"fine"')),
        ("status", documents.status("production", STANDINGS).replace("in_step", "well")),
        ("check", check_report.document(Checked("abc", PROBLEMS)).replace('"warning"', '"bad"')),
        ("check", check_report.document(Checked("abc", PROBLEMS, place="somewhere"))),
    ],
)
def test_what_they_do_not_say_is_refused(terminal: Terminal, document: str, wrong: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(wrong), schema(terminal, document))
    new = {**json.loads(documents.plan(PLAN)), "new": 1}
    jsonschema.validate(new, schema(terminal, "plan"))


def test_without_a_site_no_repository_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for document in ("config", "front-matter"):
        result = CliRunner().invoke(pressync, ["schema", document])
        assert (result.exit_code, result.stdout) == (0, editors.schema_text(document))
    refused = CliRunner().invoke(pressync, ["schema", "config", "--kind", "page"])
    assert "--kind is an option of `pressync schema front-matter`" in refused.stderr


def test_a_named_site_writes_its_names_in(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "templates/wide.html": "{{ content }}"})
    with embedded_wordpress.serving() as site:
        terminal = Terminal(repository, {**ENVIRON, "PRESSYNC_URL": site.url})
        generic = terminal.run("schema", "front-matter", "--kind", "post").stdout
        own = terminal.run("schema", "front-matter", "--kind", "post", "--site", "default").stdout
        config = terminal.run("schema", "config", "--site", "default").stdout
    assert "wide" not in generic
    keys = json.loads(own)["properties"]
    assert keys["layout"]["anyOf"][0] == {"enum": ["wide"]}
    assert keys["author"]["anyOf"][0] == {"enum": ["admin"]}
    assert "parent" not in keys
    assert json.loads(config)["definitions"]["folder"]["properties"]["layout"]["anyOf"][0] == {
        "enum": ["wide"]
    }


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
    (task,) = json.loads(editors.of_vscode()[".vscode/tasks.json"])["tasks"]
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
        for kind in DOCUMENTED_TYPES.kinds
        for folder in named.site.defaults
        for problem in content_documents.DocumentReader(named)
        .read(
            Source(f"content/{folder}/{kind}.md".replace("//", "/"), "0" * 40),
            b"---\ntype: %s\n---\n" % kind.encode(),
        )
        .problems
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
FRONT_MATTER = sorted({key for kind in DOCUMENTED_TYPES.kinds for key in keys.readers(kind.row)} | {"other"})
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


def test_without_an_answer_this_clone_knows_names(repository: SampleRepository) -> None:
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
