"""The settings in force with their origins, and the schemas of what pressync prints and of files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from click.testing import CliRunner
from tests.support import embedded_wordpress
from tests.support.embedded_wordpress import ENVIRON
from tests.support.plan_samples import PLAN, PROBLEMS, REFUSED, RUN, STANDINGS, hostile_plan
from tests.support.terminal import Terminal

from pressync.app import editors
from pressync.cli.commands import check as check_report
from pressync.cli.main import pressync
from pressync.cli.report import documents
from pressync.model.reason import ReasonCode

if TYPE_CHECKING:
    from pathlib import Path

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
    check(checked, check_report.document(3, (*PLAN.problems, *hostile_plan().problems)))
    for drawn in (PLAN, REFUSED, hostile_plan()):
        check(plan, documents.plan(drawn))
    check(sync, documents.run(RUN))
    check(status, documents.status("production", STANDINGS))


def test_the_schema_of_a_plan_names_the_code_of_every_reason(terminal: Terminal) -> None:
    code = schema(terminal, "plan")["properties"]["changes"]["items"]["properties"]["code"]
    of_a_plan = {
        ReasonCode.NO_DOCUMENT,
        ReasonCode.NEEDS,
        ReasonCode.LOOKS_UP,
        ReasonCode.COME_BACK,
        ReasonCode.FORMULAS,
        ReasonCode.KEPT_QUIET,
    }
    assert set(code["examples"]) == set(ReasonCode) - {*of_a_plan, ReasonCode.NONE}


@pytest.mark.parametrize(
    ("document", "wrong"),
    [
        ("plan", '{"version": 1}'),
        ("plan", documents.plan(PLAN).replace('"id": 8', '"id": null')),
        ("sync", documents.run(RUN).replace('"done"', '"fine"')),
        ("status", documents.status("production", STANDINGS).replace("in_step", "well")),
        ("check", check_report.document(3, PROBLEMS).replace('"warning"', '"bad"')),
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
