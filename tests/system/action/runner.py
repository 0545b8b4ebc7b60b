"""A small runner of composite actions: what GitHub's does with the steps of `action.yml`, and no more.

Expressions are filled in where a runner fills them in, each `run` step gets the shell, the variables and the
files that GitHub documents, and what it prints is read for commands as the runner reads it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[3]
ACTION = ROOT / "action.yml"
TOKEN = "ghs_of-this-job"
SERVER = "https://github.test"
REPOSITORY = "garden/site"

# "Workflow syntax", `shell`: what `shell: bash` stands for.
_BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
_EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
# The runner takes a line that begins so for a command.
_COMMAND = re.compile(r"^::(?P<name>[a-z-]+)(?: (?P<properties>[^:]*(?::(?!:)[^:]*)*))?::(?P<message>.*)$")


@dataclass
class Annotation:
    """One annotation, as it would stand beside a file's line."""

    level: str
    message: str
    file: str = ""
    line: int = 0


@dataclass
class Job:
    """What became of the steps: exit code of the last, outputs of the action, summary, annotations, log."""

    code: int = 0
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    annotations: list[Annotation] = field(default_factory=list)
    log: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """The output `counts`, read as `fromJSON` reads it."""
        return dict(json.loads(self.outputs["counts"]))

    @property
    def report(self) -> Any:  # noqa: ANN401 - any JSON
        """The document that the output `report` names."""
        return json.loads(Path(self.outputs["report"]).read_text(encoding="utf-8"))


@dataclass
class Runner:
    """A machine with a checked-out repository; `environ` is the job's `env`, with its secrets."""

    workspace: Path
    temporary: Path
    environ: dict[str, str] = field(default_factory=dict)
    api: str = "http://127.0.0.1:9"
    action: Path = ACTION
    # Whether the step that installs is run; else what it makes must be there.
    installs: bool = False
    # What the step that sets up Python gives to the others.
    python: str = sys.executable
    # The names of the steps that were run, of the last run.
    done: list[str] = field(default_factory=list)

    def run(self, event: str, payload: Mapping[str, Any] | None = None, **inputs: str) -> Job:
        """Run every step of the action for an event."""
        definition = yaml.safe_load(self.action.read_text(encoding="utf-8"))
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert given.keys() <= definition["inputs"].keys()
        known = {
            f"inputs.{name}": given.get(name, about.get("default", ""))
            for name, about in definition["inputs"].items()
        }
        known |= {"github.token": TOKEN, "github.event_name": event}
        self.done = []
        variables = self._variables(event, payload or {})
        job = Job()
        for step in definition["runs"]["steps"]:
            found = self._step(step, known, variables, job)
            known |= {f"steps.{step.get('id')}.outputs.{name}": value for name, value in found.items()}
            if job.code:
                break
        job.outputs = {name: _filled(about["value"], known) for name, about in definition["outputs"].items()}
        return job

    def _step(
        self, step: dict[str, Any], known: dict[str, str], variables: dict[str, str], job: Job
    ) -> dict[str, str]:
        self.done.append(step["name"])
        if "uses" in step:
            # Setup only says where its Python is. The cache is empty.
            assert step["uses"].startswith(("actions/setup-python@", "actions/cache@"))
            return {"python-path": self.python, "python-version": "3.11.0"} if "id" in step else {}
        if step["name"] == "Install pressync" and not self.installs:
            return {}
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an expression in a script is text that becomes code"
        files = {name: self.temporary / f"{name}.txt" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        files |= {name: self.temporary / f"{name}.txt" for name in ("GITHUB_ENV", "GITHUB_PATH")}
        for file in files.values():
            file.write_text("", encoding="utf-8")
        script = self.temporary / "script.sh"
        script.write_text(step["run"], encoding="utf-8")
        environ = {**variables, **{name: str(file) for name, file in files.items()}}
        environ |= {name: _filled(value, known) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            [*_BASH, script],
            cwd=self.workspace / _filled(step.get("working-directory", "."), known),
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
        )
        assert TOKEN not in done.stdout
        job.code = done.returncode
        job.log += done.stdout
        job.annotations += _annotations(done.stdout)
        job.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        assert files["GITHUB_ENV"].read_text() == files["GITHUB_PATH"].read_text() == "", (
            "later steps of the job stay as they are"
        )
        return _outputs(files["GITHUB_OUTPUT"].read_text(encoding="utf-8"))

    def _variables(self, event: str, payload: Mapping[str, Any]) -> dict[str, str]:
        """Give the variables that every step has ("Variables reference"), and nothing else."""
        self.temporary.mkdir(exist_ok=True)
        file = self.temporary / "event.json"
        file.write_text(json.dumps({"repository": {"default_branch": "main"}, **payload}), encoding="utf-8")
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
        return {
            **kept,
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_SYSTEM": "/dev/null",
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(self.action.parent),
            "GITHUB_ACTOR": "ada",
            "GITHUB_API_URL": self.api,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(file),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_SERVER_URL": SERVER,
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_ARCH": "X64",
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(self.temporary),
            **self.environ,
        }


def proposal(number: int = 7, *, head: str | None = REPOSITORY) -> dict[str, Any]:
    """Make the payload of a pull request; `head` is the repository that it comes from."""
    repo = None if head is None else {"full_name": head}
    return {"pull_request": {"number": number, "head": {"repo": repo}}}


def _filled(text: str, known: Mapping[str, str]) -> str:
    # An output of a step that did not come to it is empty.
    return _EXPRESSION.sub(lambda found: known.get(found[1], ""), str(text))


def _outputs(text: str) -> dict[str, str]:
    """Read what a step wrote to GITHUB_OUTPUT: `name=value`, or `name<<FENCE`, lines, `FENCE`."""
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        if re.match(r"[\w-]+=", line):
            name, _, found[name] = line.partition("=")
            continue
        name, _, fence = line.partition("<<")
        assert fence
        value = []
        while (row := next(lines)) != fence:
            value.append(row)
        found[name] = "\n".join(value)
    return found


def _annotations(text: str) -> list[Annotation]:
    found = []
    for line in text.splitlines():
        assert "##[" not in line
        command = _COMMAND.match(line.lstrip())
        if command:
            assert command["name"] in {"error", "warning", "notice"}, line
            pairs = (pair.partition("=") for pair in (command["properties"] or "").split(",") if pair)
            about = {name: _unescaped(value) for name, _, value in pairs}
            message = _unescaped(command["message"])
            found.append(
                Annotation(command["name"], message, about.get("file", ""), int(about.get("line", 0)))
            )
    return found


def _unescaped(text: str) -> str:
    return re.sub(r"%([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), text)
