"""The recipes of the guide for other forges: their steps are run as a runner does, against a bare repository.

GitLab's runner and Forgejo's do not run here. The clone, the commit without a branch and the variables are as
their documentation has them; `pip` is left out, because pressync is installed.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import pytest
import yaml
from tests.support import guide_pages
from tests.support.forge_lookalikes import play_gitlab, serving_gitlab
from tests.support.repository import SampleRepository
from tests.support.share import in_turn

from pressync.stage.server.app import WORDPRESS
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.support.forge_lookalikes import GitLab

RECIPES = {block.file: yaml.safe_load(block.text) for block in guide_pages.blocks("forges.md") if block.file}
GITLAB, FORGEJO = RECIPES[".gitlab-ci.yml"], RECIPES[".forgejo/workflows/pressync.yml"]
PAGE = "content/pages/about.md"


@dataclass
class Forge:
    """A bare repository on a forge, a clone of a person, the site, and the notes of GitLab."""

    folder: Path
    site: str
    gitlab: GitLab

    @property
    def origin(self) -> str:
        """The address of the bare repository."""
        return str(self.folder / "anna/garden.git")

    def shell(
        self, lines: Sequence[str], where: Path, environ: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run the lines of a job, which ends with the first one that fails."""
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        kept = {name: text for name, text in os.environ.items() if not name.startswith("PRESSYNC_")}
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", "\n".join(lines)],
            cwd=where,
            env={**kept, "PATH": path, "HOME": str(self.folder), "CI": "true", **environ},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[Forge]:
    """Serve a site, the notes of a forge, and a repository that `init` has begun."""
    for name, line in (("pip", ":"), ("pressync", f'exec {shlex.quote(sys.executable)} -m pressync "$@"')):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(0o755)
    with (
        running(tmp_path / "site.db", dialect=WORDPRESS, moves=True) as service,
        serving_gitlab("7", "secret-of-notes", 3) as notes,
    ):
        made = Forge(tmp_path, service.site, notes)
        begin = [
            f"git init --quiet --bare --initial-branch main {made.origin}",
            "git init --quiet --initial-branch main garden && cd garden",
            f"git remote add origin {made.origin}",
            f"pressync init --yes --url {made.site} --user anna",
            'rm content/pages/index.md && printf "# About\\n\\nWe bake.\\n" > content/pages/about.md',
            "git add . && git commit --quiet --message Begin && git push --quiet origin main",
        ]
        done = made.shell(begin, tmp_path, {})
        assert done.returncode == 0, done.stdout + done.stderr
        yield made


def gitlab(
    forge: Forge, job: str, commit: str, source: str, recipe: Mapping[str, Any] = GITLAB, **secrets: str
) -> tuple[int, str]:
    """Run a job as GitLab's runner does, in a new clone of the forge whose HEAD is detached."""
    rows = {**GITLAB[".pressync"], **recipe[job]}
    build = forge.folder / f"build-{job}-{commit[:8]}-{len(list(forge.folder.iterdir()))}"
    build.mkdir()
    checkout = [
        f"git init --quiet && git remote add origin {forge.origin}",
        "git fetch --quiet origin '+refs/heads/*:refs/remotes/origin/*'",
        f"git checkout --quiet --detach {commit}",
    ]
    environ = {
        "GITLAB_CI": "true",
        "CI_PIPELINE_SOURCE": source,
        "CI_COMMIT_SHA": commit,
        "CI_DEFAULT_BRANCH": "main",
        "CI_API_V4_URL": forge.gitlab.url,
        "CI_PROJECT_ID": "7",
        "CI_MERGE_REQUEST_IID": "3",
        # The recipe has an address of HTTPS.
        "REMOTE": forge.origin,
        **secrets,
    }
    done = forge.shell([*checkout, *rows["before_script"], *rows["script"]], build, environ)
    for path in rows.get("artifacts", {}).get("paths", ()) if done.returncode == 0 else ():
        assert (build / path).read_text(encoding="utf-8")
    return done.returncode, done.stdout + done.stderr


def forgejo(forge: Forge, commit: str, event: str, reference: str, **secrets: str) -> tuple[int, str]:
    """Run the steps as Forgejo's runner does, in an empty folder; an `if` may name another event."""
    build = forge.folder / f"build-{event}"
    build.mkdir()
    lines, environ = [], {"GITHUB_ACTIONS": "true", "GITHUB_SHA": commit, "GITHUB_REF": reference}
    environ |= {"GITHUB_SERVER_URL": str(forge.folder), "GITHUB_REPOSITORY": "anna/garden"}
    for step in FORGEJO["jobs"]["pressync"]["steps"]:
        if step.get("if", event) in {event, f"github.event_name == '{event}'"}:
            lines.append(step["run"])
            asked = step.get("env", {})
            assert all(text == f"${{{{ secrets.{name} }}}}" for name, text in asked.items())
            environ |= {name: secrets[name] for name in asked}
    done = forge.shell(lines, build, environ)
    return done.returncode, done.stdout + done.stderr


def edited(forge: Forge, branch: str) -> tuple[str, str]:
    """Push an edit of a page to a branch; give the commits of main and of the branch."""
    clone = SampleRepository(forge.folder / "garden")
    before = clone.head()
    clone.git("switch", "--quiet", "--create", branch)
    commit = clone.commit({PAGE: "# About\n\nWe bake bread.\n"})
    clone.git("push", "--quiet", "origin", branch)
    return before, commit


def merged(forge: Forge, branch: str) -> str:
    """Merge a branch into main, and push it."""
    clone = SampleRepository(forge.folder / "garden")
    clone.git("switch", "--quiet", "main")
    clone.git("merge", "--quiet", "--ff-only", branch)
    clone.git("push", "--quiet", "origin", "main")
    return clone.head()


def edit_on_the_site(forge: Forge, title: str) -> None:
    """Give the page another title, as a person does in the editor."""
    pages = f"{forge.site}/wp-json/wp/v2/pages"
    page = json.loads(urlopen(pages).read())[0]  # noqa: S310 - our own address
    site = Request(f"{pages}/{page['id']}", json.dumps({"title": title}).encode(), method="POST")  # noqa: S310
    site.add_header("Content-Type", "application/json")
    site.add_header("Authorization", f"Basic {b64encode(b'anna:open sesame').decode()}")
    urlopen(site).close()  # noqa: S310


SECRETS: dict[str, Any] = {"PRESSYNC_PASSWORD": "open sesame"}


@in_turn(0, 3)
@pytest.mark.sweep
def test_gitlab_plans_a_merge_request_and_syncs_the_branch(forge: Forge) -> None:
    first, branch = edited(forge, "bread")
    assert gitlab(forge, "sync", first, "push", **SECRETS)[0] == 0
    # The job of a merge request has no password. Its first plan is only in the log, the second is a note, and
    # the third is in that note.
    forge.gitlab.comments.append({"id": 41, "body": "When is the plan here?", "noteable_iid": 3})
    for token in ("", "secret-of-notes", "secret-of-notes"):
        ended, said = gitlab(forge, "plan", branch, "merge_request_event", NOTE_TOKEN=token)
        assert (ended, "1 to update" in said) == (0, True), said
        assert "refuse" not in said
    question, note = forge.gitlab.comments
    assert (note["noteable_iid"], PAGE in note["body"]) == (3, True)
    assert question["body"] == "When is the plan here?"
    assert [received.method for received in forge.gitlab.received] == ["GET", "POST", "GET", "PUT"]
    ended, said = gitlab(forge, "drift", first, "schedule", **SECRETS)
    assert (ended, "Nothing to do" in said or "up to date" in said) == (0, True), said
    assert "1 done" in gitlab(forge, "sync", merged(forge, "bread"), "push", **SECRETS)[1]
    # The page that is sent twice is the same record: the second job had the manifest of the first.
    assert SampleRepository(forge.folder / "garden").git("ls-remote", forge.origin, "refs/pressync/*")


@pytest.mark.sweep
def test_gitlab_takes_what_people_edited_into_a_merge_request(forge: Forge) -> None:
    first = SampleRepository(forge.folder / "garden").head()
    request = play_gitlab(Path(forge.origin))
    assert gitlab(forge, "sync", first, "push", **SECRETS)[0] == 0
    edit_on_the_site(forge, "About bread")
    ended, said = gitlab(forge, "edits", first, "schedule", **SECRETS)
    assert (ended, "merge_requests/1" in said) == (0, True), said
    assert request.read_text(encoding="utf-8").startswith("pressync/site-edits|main|")


@in_turn(1, 3)
@pytest.mark.sweep
def test_gitlab_gets_another_merge_request_when_the_edits_are_others_than_in_the_closed_one(
    forge: Forge,
) -> None:
    first = SampleRepository(forge.folder / "garden").head()
    request = play_gitlab(Path(forge.origin))
    assert gitlab(forge, "sync", first, "push", **SECRETS)[0] == 0
    edit_on_the_site(forge, "About bread")
    assert "merge_requests/1" in gitlab(forge, "edits", first, "schedule", **SECRETS)[1]
    # Somebody closes it. That is an answer to these edits, and not to others.
    request.unlink()
    ended, said = gitlab(forge, "edits", first, "schedule", **SECRETS)
    assert (ended, "as it was" in said, request.exists()) == (0, True, False), said
    edit_on_the_site(forge, "About cake")
    ended, said = gitlab(forge, "edits", first, "schedule", **SECRETS)
    assert (ended, "merge_requests/1" in said, request.exists()) == (0, True, True), said


@in_turn(2, 3)
@pytest.mark.sweep
def test_gitlab_does_not_plan_what_is_wrong(forge: Forge) -> None:
    clone = SampleRepository(forge.folder / "garden")
    commit = clone.commit({PAGE: "---\nmenu_order: first\n---\n"})
    clone.git("push", "--quiet", "origin", "main:refs/heads/wrong")
    ended, said = gitlab(forge, "plan", commit, "merge_request_event", NOTE_TOKEN="t")
    assert (ended, f"{PAGE}:2: " in said, forge.gitlab.received) == (2, True, [])


@in_turn(3, 3)
@pytest.mark.sweep
def test_forgejo_plans_a_pull_request_and_syncs_the_branch(forge: Forge) -> None:
    first, branch = edited(forge, "bread")
    ended, said = forgejo(forge, first, "push", "refs/heads/main", REMOTE=forge.origin, **SECRETS)
    assert (ended, "1 done" in said) == (0, True), said
    ended, said = forgejo(forge, branch, "pull_request", "refs/heads/bread")
    assert (ended, "1 to update" in said) == (0, True), said


MATRICES = [
    yaml.safe_load(block.text) for block in guide_pages.blocks("sites.md") if block.language == "yaml"
]


@pytest.fixture
def two_sites(forge: Forge, tmp_path: Path) -> Iterator[tuple[Forge, str, list[str]]]:
    """Let the settings of the forge have a second site; give the commit, and the addresses of both."""
    clone = SampleRepository(forge.folder / "garden")
    table = '[sites.{}]\nurl = "{}/wp-json"\ndialect = "wordpress"\nuser = "anna"\nmanifest = "ref"\n'
    with running(tmp_path / "staging.db", dialect=WORDPRESS, moves=True) as staging:
        sites = {"staging": staging.site, "production": forge.site}
        commit = clone.commit({"pressync.toml": "".join(table.format(*each) for each in sites.items())})
        clone.git("push", "--quiet", "origin", "main")
        yield forge, commit, [*sites.values()]


def titles(sites: Sequence[str]) -> list[set[str]]:
    """Give the titles of the pages of each site."""
    found = (json.loads(urlopen(f"{site}/wp-json/wp/v2/pages").read()) for site in sites)  # noqa: S310
    return [{page["title"]["rendered"] for page in pages} for pages in found]


@in_turn(4, 3)
@pytest.mark.sweep
def test_the_matrix_of_gitlab_syncs_each_site(two_sites: tuple[Forge, str, list[str]]) -> None:
    forge, commit, sites = two_sites
    recipe = next(each for each in MATRICES if "jobs" not in each)
    (axes,) = recipe["sync"]["parallel"]["matrix"]
    for name in axes["PRESSYNC_SITE"]:
        ended, said = gitlab(forge, "sync", commit, "push", recipe, PRESSYNC_SITE=name, **SECRETS)
        assert (ended, "1 done" in said) == (0, True), said
    assert titles(sites) == [{"About"}, {"About"}]


@in_turn(5, 3)
@pytest.mark.sweep
def test_the_matrix_of_github_is_what_the_settings_say(two_sites: tuple[Forge, str, list[str]]) -> None:
    forge, commit, sites = two_sites
    jobs = next(each for each in MATRICES if "jobs" in each)["jobs"]
    build, output = forge.folder / "build", forge.folder / "output"
    environ = {"GITHUB_OUTPUT": str(output), "GITHUB_ACTIONS": "true", "GITHUB_SHA": commit, **SECRETS}
    environ |= {"GITHUB_EVENT_NAME": "push", "GITHUB_REF": "refs/heads/main", "GITHUB_REF_NAME": "main"}
    forge.shell([f"git clone --quiet {forge.origin} {build}"], forge.folder, {})
    lines = [step["run"] for step in jobs["sites"]["steps"] if "run" in step]
    done = forge.shell(lines, build, environ)
    assert done.returncode == 0, done.stderr
    name, _, names = output.read_text(encoding="utf-8").strip().partition("=")
    # What the second job reads of the first one is what the first one wrote.
    step = next(step for step in jobs["sites"]["steps"] if "id" in step)
    assert jobs["sites"]["outputs"] == {name: f"${{{{ steps.{step['id']}.outputs.{name} }}}}"}
    matrix = jobs["sync"]["strategy"]["matrix"]
    assert matrix == {"site": f"${{{{ fromJSON(needs.sites.outputs.{name}) }}}}"}
    assert jobs["sync"]["steps"][-1]["with"] == {"site": "${{ matrix.site }}"}
    for site in json.loads(names):
        done = forge.shell([f"pressync action --mode auto --site {site}"], build, environ)
        assert (done.returncode, "1 created" in done.stdout or "1 done" in done.stdout) == (0, True), done
    assert titles(sites) == [{"About"}, {"About"}]
