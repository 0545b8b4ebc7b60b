"""The workflow that `init` writes, read back as YAML."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from pressync.app.github import workflow_file
from pressync.model.errors import ConfigError


def read(action: str = "garden/pressync@" + "a" * 40, branch: str = "main", site: str = "live") -> Any:  # noqa: ANN401 - any YAML
    """Write a workflow and read it."""
    return yaml.safe_load(workflow_file.text(action, sites={site: branch}))


def test_each_job_uses_the_action_on_its_own_occasion() -> None:
    jobs = read()["jobs"]
    assert {name: job["steps"][-1]["uses"] for name, job in jobs.items()} == dict.fromkeys(
        ("plan", "sync", "drift"), "garden/pressync@" + "a" * 40
    )
    assert [job["if"].count("github.event_name") for job in jobs.values()] == [1, 2, 1]
    assert jobs["drift"]["steps"][-1]["with"] == {"mode": "drift"}


@pytest.mark.parametrize(
    "name", ["main", "release/1.x", "on", "1.0", "a b: #c", 'a"b', "Übersicht", "-x", "~"]
)
def test_any_name_of_a_branch_or_site_is_read_back_as_text(name: str) -> None:
    found = read(branch=name, site=name)
    # YAML 1.1 reads the key `on` as true.
    assert found[True]["push"]["branches"] == [name]
    assert found["jobs"]["sync"]["environment"] == name


@pytest.mark.parametrize("action", ["./", "./here", "garden/tools/pressync@v1", workflow_file.UNKNOWN])
def test_an_action_may_be_anywhere(action: str) -> None:
    assert read(action)["jobs"]["plan"]["steps"][-1]["uses"] == action


@pytest.mark.parametrize(
    "action", ["", "pressync", "garden/pressync", "a/b@c\nrun: evil", "a/b@c # x", "../up"]
)
def test_what_uses_cannot_name_is_refused(action: str) -> None:
    with pytest.raises(ConfigError, match="OWNER/NAME@COMMIT"):
        read(action)


def test_several_sites_are_a_matrix_with_a_branch_an_environment_and_a_queue_each() -> None:
    found = yaml.safe_load(workflow_file.text("./", sites={"staging": "next", "on": "main", "shop": "main"}))
    assert found[True]["push"]["branches"] == ["next", "main"]
    for name, job in found["jobs"].items():
        assert job["strategy"] == {"fail-fast": False, "matrix": {"site": ["staging", "on", "shop"]}}
        assert job["concurrency"]["group"].endswith("-${{ matrix.site }}")
        assert job["steps"][-1]["with"]["site"] == "${{ matrix.site }}"
        assert job.get("environment") == (None if name == "plan" else "${{ matrix.site }}")
    assert found["jobs"]["drift"]["steps"][-1]["with"]["mode"] == "drift"
    assert list(found["jobs"]["sync"]["steps"][-1]["env"]) == ["PRESSYNC_PASSWORD"]


def test_more_sites_than_jobs_of_a_matrix_are_refused_with_the_ways_out() -> None:
    sites = {f"s{number}": "main" for number in range(workflow_file.MOST_JOBS + 1)}
    with pytest.raises(ConfigError, match=r"257 sites.*256 jobs"):
        workflow_file.text("./", sites=sites)
