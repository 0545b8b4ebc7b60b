"""Each script of our workflows, run with programs that only note how they were called.

No runner of GitHub is here. This finds what a script does wrong by itself: a word that Bash does not take, a
program that nobody installed, an expression that is put into a script as text.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from tests.support.repository import SampleRepository
from tests.system.action.runner import ROOT

import pressync

if TYPE_CHECKING:
    from pathlib import Path

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
# Programs that the runner has or that an earlier step installs. Each notes its arguments and says this word.
PROGRAMS = ("apt-get", "curl", "docker", "gh", "mypy", "pip", "pytest", "python3", "ruff", "sudo", "zizmor")
BESIDE = (
    ".ci/ratchet",
    ".venv/bin/pip",
    ".venv/bin/pressync",
    "env/bin/pip",
    "env/bin/pressync",
    "tests/live/run",
    "tests/live/service",
    "tests/tools/run",
)
KNOWN = {
    "github.base_ref": "main",
    "github.ref_name": f"v{pressync.__version__}",
    "github.repository": "garden/pressync",
    "github.sha": "a" * 40,
    "github.token": "a token",
    "job.services.wordpress.id": "container",
    "job.services.wordpress.network": "network",
}


@dataclass(frozen=True)
class Script:
    """One script of a workflow, with the variables of its step."""

    name: str
    text: str
    env: dict[str, str]


def scripts() -> list[Script]:
    found = []
    for file in WORKFLOWS:
        for name, job in yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"].items():
            steps: list[dict[str, Any]] = [step for step in job["steps"] if "run" in step]
            for number, step in enumerate(steps, 1):
                found.append(Script(f"{file.stem}-{name}-{number}", step["run"], step.get("env", {})))
    return found


def stub(file: Path, text: str = 'echo "$(basename "$0") $*" >>"$CALLS"; echo "<title>"') -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
    file.chmod(0o755)


def made(tmp_path: Path) -> Path:
    """Make a clone in which every program notes how it was called."""
    for name in PROGRAMS:
        stub(tmp_path / "bin" / name)
    # Python itself compares versions.
    note = 'echo "python $*" >>"$CALLS"'
    stub(tmp_path / "bin/python", f'case "$1" in -c) exec {sys.executable} "$@" ;; *) {note} ;; esac')
    for name in BESIDE:
        stub(tmp_path / "clone" / name)
    (tmp_path / "clone/README.md").write_bytes((ROOT / "README.md").read_bytes())
    changes = f"# Changelog\n\n## [{pressync.__version__}] - 2026-01-31\n\n- New\n\n## [0.0.1]\n\n- Old\n"
    (tmp_path / "clone/CHANGELOG.md").write_text(changes, encoding="utf-8")
    for name in ("pressync.whl", "pressync.tar.gz"):
        (tmp_path / "clone/dist").mkdir(exist_ok=True)
        (tmp_path / "clone/dist" / name).touch()
    (tmp_path / "clone/notes").mkdir()
    SampleRepository.create(tmp_path / "clone").commit({})
    return tmp_path


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make one machine for scripts that run once."""
    return made(tmp_path_factory.mktemp("machine"))


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Make a machine that a test may change."""
    return made(tmp_path)


def ran(machine: Path, script: Script, **more: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run a script as the runner does; give the calls of programs as well."""
    env = {
        name: re.sub(r"\$\{\{ (.+?) \}\}", lambda found: KNOWN[found[1]], value)
        for name, value in script.env.items()
    }
    calls = machine / "calls"
    env |= {"PATH": f"{machine / 'bin'}:/usr/bin:/bin", "HOME": str(machine), "CALLS": str(calls)}
    calls.write_text("", encoding="utf-8")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script.text],
        cwd=machine / "clone",
        env={**env, **more},
        capture_output=True,
        text=True,
        check=False,
    )
    return done, calls.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("script", scripts(), ids=lambda script: script.name)
def test_each_script_runs_and_has_no_expression_in_it(shared: Path, script: Script) -> None:
    assert "${{" not in script.text, "an expression in a script is text that becomes code"
    done, calls = ran(shared, script)
    assert done.returncode == 0, done.stdout + done.stderr
    assert calls or script.name.startswith("release-build")


def script_with(text: str) -> Script:
    return next(script for script in scripts() if text in script.text)


def test_a_tag_that_is_not_the_version_is_not_released(machine: Path) -> None:
    compare = script_with("the tag is")
    assert ran(machine, compare)[0].returncode == 0
    done, _ = ran(machine, compare, TAG="v9.9.9")
    assert (done.returncode, done.stdout) == (
        1,
        f"::error::the tag is v9.9.9, and the version is {pressync.__version__}\n",
    )
    (machine / "clone/CHANGELOG.md").write_text("## [Unreleased]\n", encoding="utf-8")
    done, _ = ran(machine, compare)
    assert (done.returncode, "has no section for" in done.stdout) == (1, True)


def test_the_notes_of_a_release_are_its_section_of_the_change_log(shared: Path) -> None:
    ran(shared, script_with("notes/notes.md\n"))
    assert (shared / "clone/notes/notes.md").read_text(encoding="utf-8").strip() == "- New"


def test_the_release_is_made_of_both_files_and_the_tag_of_the_action_follows(shared: Path) -> None:
    (call,) = ran(shared, script_with("gh release create"))[1]
    assert call.startswith(
        f"gh release create v{pressync.__version__} dist/pressync.tar.gz dist/pressync.whl --verify"
    )
    (call,) = ran(shared, script_with("refs/tags"))[1]
    assert call == f"gh api -X PATCH repos/garden/pressync/git/refs/tags/v1 -f sha={'a' * 40} -F force=true"


def test_wordpress_in_a_service_container_is_installed_and_its_password_reaches_the_sync(
    machine: Path,
) -> None:
    stub(machine / "clone/tests/live/service", 'echo "$PRESSYNC_PASSWORD $*" >>"$CALLS"')
    *_, synced = ran(machine, script_with("wp core install"))[1]
    assert synced == "<title> http://127.0.0.1:8080 admin"


def test_github_runs_what_the_ci_script_runs() -> None:
    here = (ROOT / ".ci/run").read_text(encoding="utf-8")
    there = "\n".join(script.text for script in scripts())
    for command in (
        *("ruff format --check", "ruff check", "mypy", "-m sweep --timeout 600", "tests/live/run"),
        *("--hypothesis-profile=long tests/system/strangers/test_any_input.py",),
    ):
        assert command in here
        assert command in there
    assert "pytest -q -n 2" in there
    assert "zizmor --offline" in there


def test_every_python_and_both_systems_are_tried_before_a_merge_and_before_a_release() -> None:
    declared = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for file, job in (("ci.yml", "tests"), ("release.yml", "try")):
        jobs = yaml.safe_load((ROOT / ".github/workflows" / file).read_text(encoding="utf-8"))["jobs"]
        matrix = jobs[job]["strategy"]["matrix"]
        assert matrix["python"] == declared
        assert [system.partition("-")[0] for system in matrix["os"]] == ["ubuntu", "macos"]


def test_only_the_job_that_publishes_gets_an_identity_and_no_job_of_a_release_has_a_cache() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    with_identity = {name for name, job in jobs.items() if "id-token" in job["permissions"]}
    assert with_identity == {"publish", "release"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["environment"] == "pypi"
    assert "secrets." not in text
    assert "cache" not in str(jobs)
