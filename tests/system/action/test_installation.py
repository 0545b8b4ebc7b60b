"""The steps before the last: what they refuse, and what they install beside a tree that somebody proposes.

The tree is hostile, as that of a fork's pull request may be. Each file in it would run, or would change what
is installed, if Python or pip stood in that folder.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from tests.support.repository import SampleRepository
from tests.support.share import in_turn
from tests.system.action import wheels
from tests.system.action.runner import ROOT, Runner, proposal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.action.runner import Job

# Names that Python, venv, pip or the build import before they have a reason to look anywhere else.
MODULES = (
    *(
        "venv",
        "types",
        "sitecustomize",
        "usercustomize",
        "ensurepip",
        "typing",
        "zipfile",
        "ctypes",
        "tomllib",
    ),
    *("hatchling/__init__", "pip/__init__", "pip/__main__", "pressync/__init__", "pressync/__main__"),
    *("click/__init__", "pyproject_hooks/__init__"),
)
SECRET = "hunter2-of-this-job"


@pytest.fixture(scope="module")
def action(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the Action, and make the wheels that it installs."""
    lacking = wheels.missing()
    if lacking:
        pytest.skip(f"this environment is not the locked one: {', '.join(lacking)}")
    return wheels.action(tmp_path_factory.mktemp("action") / "pressync")


class Hostile:
    """A tree that notes each time that a file of it runs, with the secret that it saw."""

    def __init__(self, folder: Path) -> None:
        self.repository = SampleRepository.create(folder)
        self._note = folder.parent / "it ran"
        trap = (
            "import os\n"
            f"with open({str(self._note)!r}, 'a') as note:\n"
            "    note.write(f\"{__file__} {os.environ.get('PRESSYNC_PASSWORD')}\\n\")\n"
        )
        pip = "[global]\nindex-url = http://127.0.0.1:9/\ntarget = stolen\nno-index = true\n"
        files = {f"{name}.py": trap for name in MODULES}
        files |= {f"{name}.py": trap for name in (f"src/{module}" for module in MODULES)}
        files |= dict.fromkeys(("pip.conf", ".pip/pip.conf", ".config/pip/pip.conf"), pip)
        files |= {"constraints.txt": "click==0\n", "setup.cfg": "[install]\nprefix = stolen\n"}
        files |= {"pyvenv.cfg": "home = stolen\n", "content/pages/index.md": "# Home\n"}
        self.repository.commit(files)

    @property
    def ran(self) -> list[str]:
        """Tell which files ran."""
        return self._note.read_text(encoding="utf-8").splitlines() if self._note.exists() else []


@pytest.fixture
def hostile(tmp_path: Path) -> Hostile:
    return Hostile(tmp_path / "work")


def install(
    action: Path,
    hostile: Hostile,
    temporary: Path,
    environ: dict[str, str] | None = None,
    python: str = sys.executable,
) -> Job:
    runner = Runner(
        hostile.repository.root, temporary, environ or {}, action=action, installs=True, python=python
    )
    return runner.run("pull_request", proposal())


@in_turn(0, 2)
@pytest.mark.sweep
def test_no_file_of_the_tree_runs_and_it_is_planned(action: Path, hostile: Hostile, tmp_path: Path) -> None:
    job = install(action, hostile, tmp_path / "temporary", {"PRESSYNC_PASSWORD": SECRET})
    assert hostile.ran == []
    assert job.code == 0, job.log
    assert job.counts["create"] == 1
    assert hostile.repository.git("status", "--porcelain") == ""


@in_turn(1, 2)
@pytest.mark.sweep
def test_nor_where_the_job_lets_python_and_pip_look_there_and_no_secret_is_near(
    action: Path, hostile: Hostile, tmp_path: Path
) -> None:
    tree, seen, python = hostile.repository.root, tmp_path / "environments", tmp_path / "python"
    python.write_text(f"#!/bin/sh\nenv >>'{seen}'\nexec '{sys.executable}' \"$@\"\n", encoding="utf-8")
    python.chmod(0o755)
    environ = {
        "PRESSYNC_PASSWORD": SECRET,
        "PRESSYNC_TOKEN": SECRET,
        "ANOTHER_KEY": SECRET,
        "PYTHONPATH": f"{tree}:{tree / 'src'}:.",
        "PYTHONSTARTUP": str(tree / "venv.py"),
        "PIP_CONFIG_FILE": str(tree / "pip.conf"),
        "PIP_CONSTRAINT": str(tree / "constraints.txt"),
        "PIP_TARGET": str(tree / "stolen"),
        "XDG_CONFIG_HOME": str(tree / ".config"),
    }
    job = install(action, hostile, tmp_path / "temporary", environ, python=str(python))
    assert hostile.ran == []
    assert job.code == 0, job.log
    assert not (tree / "stolen").exists()
    assert "PYTHONSAFEPATH=1" in seen.read_text(encoding="utf-8")
    assert SECRET not in seen.read_text(encoding="utf-8")


@in_turn(0, 2)
@pytest.mark.sweep
def test_a_file_with_another_hash_is_not_installed(action: Path, hostile: Hostile, tmp_path: Path) -> None:
    folder = tmp_path / "bent"
    subprocess.run(["cp", "-r", action.parent, folder], check=True)
    listed = folder / "requirements.txt"
    text = listed.read_text(encoding="utf-8")
    listed.write_text(re.sub(r"(click==.*sha256:).{8}", r"\g<1>00000000", text), encoding="utf-8")
    job = install(folder / "action.yml", hostile, tmp_path / "temporary")
    assert job.code != 0
    assert "DO NOT MATCH THE HASHES" in job.log


def test_an_event_that_strangers_start_is_refused_before_anything_is_installed(
    action: Path, hostile: Hostile, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    runner = Runner(hostile.repository.root, temporary, action=action, installs=True)
    for event in ("pull_request_target", "issue_comment", "workflow_run"):
        for mode in ("auto", "plan", "sync"):
            job = runner.run(event, proposal(), mode=mode)
            assert job.code == 2
            (annotation,) = job.annotations
            assert event in annotation.message
            assert runner.done == ["Refuse events that lend this job's secrets to strangers"]
            assert not (temporary / "pressync").exists()


def test_every_package_that_pressync_needs_is_in_the_locked_list_with_its_hashes() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = settings["project"]["dependencies"] + settings["build-system"]["requires"]
    names = {re.split(r"[<>=~!\[; ]", each, maxsplit=1)[0] for each in wanted}
    assert names <= wheels.locked().keys()
    text = wheels.LOCKED.read_text(encoding="utf-8")
    rows = re.split(r"\n(?=\S)", text[text.index("\n", text.index("uv pip compile")) + 1 :].strip())
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", row) for row in rows)
    assert not re.search(r"://|--(extra-)?index-url|--find-links|^-e|@ ", text, re.MULTILINE)


def test_it_has_the_versions_that_are_tested() -> None:
    tested = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    assert all(f"\n{name}=={version} \\\n" in tested for name, version in wheels.locked().items())


def test_what_the_locked_packages_need_is_locked_as_well() -> None:
    if wheels.missing():
        pytest.skip("this environment is not the locked one")
    for name in wheels.locked():
        for text in metadata.distribution(name).requires or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": "", "sys_platform": "linux"}):
                assert needed.name.lower().replace("_", "-") in wheels.locked(), f"{name} needs {text}"
