"""`action.yml` and the workflows: right by GitHub's schemas, and without a finding of a security linter."""

from __future__ import annotations

import re
import subprocess
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner
from tests.system.action.runner import ROOT

from pressync.app.github import workflow_file

if TYPE_CHECKING:
    from pathlib import Path

ACTION = ROOT / "action.yml"
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
needs_schemas = pytest.mark.skipif(not find_spec("check_jsonschema"), reason="check-jsonschema is not there")


@pytest.fixture(params=[1, 2], ids=["one site", "two sites"])
def offered(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Write the workflow that `init` offers."""
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    sites = dict(list({"production": "main", "staging": "next"}.items())[: request.param])
    text = workflow_file.text(f"garden/pressync@{'a' * 40}", sites=sites)
    (folder / "pressync.yml").write_text(text, encoding="utf-8")
    return folder / "pressync.yml"


def checked(schema: str, *files: Path) -> None:
    """Hold files to one of the schemas that check-jsonschema brings with it."""
    main = import_module("check_jsonschema").main
    done = CliRunner().invoke(main, ["--builtin-schema", schema, *map(str, files)])
    assert done.exit_code == 0, done.output


def steps(document: dict[str, Any]) -> list[dict[str, Any]]:
    """List the steps of an action, or of all jobs of a workflow."""
    if "runs" in document:
        return list(document["runs"]["steps"])
    return [step for job in document["jobs"].values() for step in job["steps"]]


@needs_schemas
def test_the_action_is_one() -> None:
    checked("vendor.github-actions", ACTION)


@needs_schemas
@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("dependabot", "dependabot.yml"),
        ("github-issue-config", "ISSUE_TEMPLATE/config.yml"),
        ("github-issue-forms", "ISSUE_TEMPLATE/[!c]*.yml"),
    ],
)
def test_the_forms_for_issues_and_the_updates_of_packages_are_right(schema: str, files: str) -> None:
    checked(f"vendor.{schema}", *sorted((ROOT / ".github").glob(files)))


@needs_schemas
def test_the_workflows_are_workflows(offered: Path) -> None:
    checked("vendor.github-workflows", *WORKFLOWS, offered)


def test_the_security_linter_finds_nothing(offered: Path) -> None:
    try:
        installed = metadata.files("zizmor") or []
    except metadata.PackageNotFoundError:
        pytest.skip("zizmor is not there")
    program = next(str(file.locate()) for file in installed if file.name == "zizmor")
    command = [program, "--offline", "--no-config", "--persona=auditor", "--format=plain"]
    done = subprocess.run(
        [*command, ACTION, *WORKFLOWS, ROOT / ".github/dependabot.yml", offered],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("file", [ACTION, *WORKFLOWS], ids=lambda file: file.name)
def test_what_others_wrote_is_pinned_by_its_commit_and_names_its_version(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    used = [step["uses"] for step in steps(yaml.safe_load(text)) if "uses" in step]
    assert all(PINNED.fullmatch(name) or name == "./" for name in used)
    for name in used:
        if name != "./":
            assert re.search(rf"{re.escape(name)} # v\d+\.\d+\.\d+$", text, re.MULTILINE)


def test_the_action_and_the_offered_workflow_use_one_version_of_everything(offered: Path) -> None:
    texts = [file.read_text(encoding="utf-8") for file in (ACTION, *WORKFLOWS, offered)]
    found = set(re.findall(r"(actions/[\w-]+)@([0-9a-f]{40})", "\n".join(texts)))
    assert len(found) == len({name for name, _ in found})


def test_each_job_says_its_rights_and_its_end() -> None:
    for file in WORKFLOWS:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        assert "permissions" in document
        assert "concurrency" in document
        assert all("timeout-minutes" in job for job in document["jobs"].values())


def test_no_secret_is_an_input() -> None:
    inputs = yaml.safe_load(ACTION.read_text(encoding="utf-8"))["inputs"]
    assert list(inputs) == [
        *("mode", "site", "working-directory", "max-delete", "strict", "keep-going", "args"),
        *("python-version", "comment"),
    ]


def test_only_the_sync_of_the_offered_workflow_may_write_and_a_plan_has_no_secret(offered: Path) -> None:
    jobs = yaml.safe_load(offered.read_text(encoding="utf-8"))["jobs"]
    rights = {name: job["permissions"] for name, job in jobs.items()}
    assert rights == {
        "plan": {"contents": "read", "pull-requests": "write"},
        "sync": {"contents": "write"},
        "drift": {"contents": "read"},
    }
    assert "secrets." not in str(jobs["plan"])
    assert jobs["sync"]["concurrency"]["cancel-in-progress"] is False


def test_the_guide_shows_the_workflow_that_init_writes() -> None:
    guide = (ROOT / "content/pages/github-action.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```yaml\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    assert shown == workflow_file.text(workflow_file.UNKNOWN, sites={"production": "main"})


def test_the_guide_tells_of_every_input_and_output() -> None:
    guide = (ROOT / "content/pages/github-action.md").read_text(encoding="utf-8")
    definition = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    for table, names in (("Input", definition["inputs"]), ("Output", definition["outputs"])):
        rows = re.search(rf"^\| {table} \|.*?\n\n", guide, re.MULTILINE | re.DOTALL)
        assert rows is not None
        assert re.findall(r"^\| `([a-z-]+)`", rows[0], re.MULTILINE) == list(names)
