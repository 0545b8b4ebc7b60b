"""Every step of `action.yml`, run as a runner runs it, on real Git repositories and a real service."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.github_lookalike import LIMIT
from tests.support.syncing import stored_pages
from tests.system.action.machine import check_out
from tests.system.action.runner import Runner, proposal

if TYPE_CHECKING:
    from tests.support.github_lookalike import GitHub
    from tests.support.repository import SampleRepository

    from pressync.stage.server.server import RunningService

MANIFEST = ".pressync/live.json"


def manifest(repository: SampleRepository, revision: str = "main") -> dict[str, int]:
    """Read the manifest that a branch has: path -> id."""
    document = json.loads(repository.git("show", f"{revision}:{MANIFEST}"))
    return {record["path"]: record["id"] for record in document["records"]}


class TestInputs:
    """What a workflow may ask for beside its mode."""

    def test_the_options_of_sync_and_what_changed(self, runner: Runner, service: RunningService) -> None:
        job = runner.run("pull_request", proposal(), args="--limit 1 content/pages/index.md")
        assert (job.code, job.outputs["changed"], job.counts["create"]) == (0, "true", 1)
        assert Path(job.outputs["markdown"]).read_text(encoding="utf-8") == job.summary
        job = runner.run("push", args="--limit=1 --concurrency 1")
        assert (job.code, job.outputs["changed"], job.counts["done"]) == (0, "true", 1)
        assert len(stored_pages(service)) == 1
        runner.run("push")
        assert runner.run("push").outputs["changed"] == "false"

    @pytest.mark.sweep
    def test_problems_stop_all_files_or_only_their_own_and_warnings_may_be_problems(
        self, runner: Runner, clone: SampleRepository, service: RunningService
    ) -> None:
        clone.commit({"content/pages/odd.md": "# Odd\n\n[x](#nowhere)\n"})
        assert runner.run("pull_request", proposal()).code == 0
        assert runner.run("pull_request", proposal(), strict="true").code == 2
        clone.commit({"content/pages/odd.md": "---\nmenu_order: many\n---\n"})
        assert runner.run("push").code == 2
        assert stored_pages(service) == []
        job = runner.run("push", keep_going="true")
        assert (job.code, job.counts["done"]) == (1, 2)


class TestPullRequest:
    """A pull request is planned: summary, annotations, one comment."""

    def test_its_plan_is_the_summary_and_a_comment_and_nothing_is_sent(
        self, runner: Runner, github: GitHub, service: RunningService
    ) -> None:
        job = runner.run("pull_request", proposal())
        assert job.code == 0
        assert job.outputs["exit-code"] == "3"
        assert job.counts == {"create": 2, "update": 0, "delete": 0, "keep": 0, "blocked": 0}
        assert [change["path"] for change in job.report["changes"]] == [
            "content/pages/about.md",
            "content/pages/index.md",
        ]
        assert job.summary.startswith("### pressync: plan for live at `")
        (comment,) = github.comments
        assert comment["body"] == f"<!-- pressync:live -->\n{job.summary.rstrip()}\n"
        assert "<details><summary>2 to create</summary>" in comment["body"]
        assert job.annotations == []
        assert stored_pages(service) == []

    def test_the_comment_is_one_and_follows_the_branch(
        self, runner: Runner, clone: SampleRepository, github: GitHub
    ) -> None:
        for number in range(120):
            github.add(7, f"A remark {number}", author="ada")
        github.add(7, "<!-- pressync:live -->\nsomebody who knows the mark", author="mallory")
        runner.run("pull_request", proposal())
        clone.commit({"content/pages/new.md": "# New\n"})
        runner.run("pull_request", proposal())
        runner.run("pull_request", proposal())
        planted, own = (comment for comment in github.comments if comment["user"]["login"] != "ada")
        assert planted["body"].endswith("somebody who knows the mark")
        assert "3 to create" in own["body"]
        assert [line.split()[0] for line in github.heard if "GET" not in line] == ["POST", "PATCH"]

    @pytest.mark.sweep
    def test_a_comment_on_hundreds_of_changes_fits_and_counts_what_it_leaves_out(
        self, runner: Runner, clone: SampleRepository, github: GitHub
    ) -> None:
        clone.commit({f"content/pages/{'long-' * 20}{number}.md": "# Page\n" for number in range(600)})
        job = runner.run("pull_request", proposal())
        (comment,) = github.comments
        assert LIMIT - 300 < len(comment["body"]) <= LIMIT
        left = int(comment["body"].split("… and ")[1].split()[0])
        assert comment["body"].count("| new document |") + left == 602
        assert job.summary.count("| new document |") == 602

    def test_a_problem_is_an_annotation_on_its_line_and_fails_the_job(
        self, runner: Runner, clone: SampleRepository, github: GitHub
    ) -> None:
        clone.commit({"content/pages/bad.md": "---\ntitle: Bad\nmenu_order: many\n---\n"})
        job = runner.run("pull_request", proposal())
        assert job.code == 2
        assert job.outputs["exit-code"] == "2"
        (annotation,) = job.annotations
        assert (annotation.level, annotation.file, annotation.line) == ("error", "content/pages/bad.md", 3)
        assert "<details><summary>1 problem</summary>" in job.summary
        assert "content/pages/bad.md:3" in github.comments[0]["body"]

    def test_wrong_settings_are_annotated_on_their_line(
        self, runner: Runner, clone: SampleRepository
    ) -> None:
        clone.commit({"pressync.toml": "[sites.live]\nurl = 'https://site.test/wp-json'\nusr = 'ada'\n"})
        job = runner.run("pull_request", proposal())
        markdown = job.outputs.pop("markdown")
        empty = {"counts": "{}", "report": "", "playground": ""}
        assert job.outputs == {"exit-code": "2", "changed": "false", **empty}
        assert (job.code, Path(markdown).read_text(encoding="utf-8")) == (2, job.summary)
        (annotation,) = job.annotations
        assert (annotation.file, annotation.line) == ("pressync.toml", 3)
        assert "did you mean" in annotation.message

    @pytest.mark.sweep
    def test_what_sync_would_refuse_fails_it_before_it_is_merged(
        self, runner: Runner, clone: SampleRepository
    ) -> None:
        clone.commit({f"content/pages/{number}.md": "# Page\n" for number in range(12)})
        runner.run("push")
        clone.git("rm", "--quiet", "-r", "content/pages")
        clone.commit({"content/pages/index.md": "# Home\n"})
        job = runner.run("pull_request", proposal())
        assert (job.code, job.outputs["exit-code"]) == (4, "4")
        assert runner.run("pull_request", proposal(), max_delete="100%").code == 0

    @pytest.mark.sweep
    def test_a_new_post_that_cannot_be_made_is_told_and_does_not_fail_it(
        self, runner: Runner, clone: SampleRepository, github: GitHub
    ) -> None:
        runner.run("push")
        clone.commit({"content/posts/news.md": "# News\n"})
        job = runner.run("pull_request", proposal())
        assert (job.code, job.outputs["exit-code"]) == (0, "1")
        (annotation,) = job.annotations
        assert (annotation.level, annotation.file) == ("error", "content/posts/news.md")
        assert "1 blocked" in github.comments[0]["body"]

    def test_one_from_a_fork_is_planned_without_secrets_and_without_a_comment(
        self, runner: Runner, github: GitHub
    ) -> None:
        job = runner.run("pull_request", proposal(head="mallory/site"))
        assert (job.code, job.outputs["exit-code"]) == (0, "3")
        assert "no secret was used" in job.summary
        assert github.heard == []

    @pytest.mark.sweep
    def test_a_plan_without_changes_begins_no_comment_and_renews_one_that_is_there(
        self, runner: Runner, github: GitHub
    ) -> None:
        runner.run("pull_request", proposal(8))
        runner.run("push")
        runner.run("pull_request", proposal(7))
        runner.run("pull_request", proposal(8))
        (comment,) = github.comments
        assert "Nothing to do: 2 records are up to date" in comment["body"]

    @pytest.mark.sweep
    def test_a_comment_that_is_not_wanted_or_not_allowed_fails_nothing(
        self, runner: Runner, github: GitHub
    ) -> None:
        assert runner.run("pull_request", proposal(), comment="false").code == 0
        assert github.heard == []
        github.writable = False
        job = runner.run("pull_request", proposal())
        assert job.code == 0
        (warning,) = job.annotations
        assert warning.level == "warning"
        assert "pull-requests: write" in warning.message

    def test_titles_and_paths_are_no_markup_and_no_commands(
        self, runner: Runner, clone: SampleRepository, github: GitHub
    ) -> None:
        name = "content/pages/@everyone <img src=x> `a` | #1 ::error::x.md"
        clone.commit({name: "---\ntitle: '@all ![x](https://evil.test/x.png) $a$'\nslug: evil\n---\n"})
        job = runner.run("pull_request", proposal())
        assert job.annotations == []
        assert "\\<img" in github.comments[0]["body"]
        assert "@everyone" not in github.comments[0]["body"]


class TestPush:
    """A push is synced, and the manifest goes back to the branch."""

    def test_it_is_synced_and_the_manifest_is_committed_and_pushed(
        self, runner: Runner, origin: SampleRepository, service: RunningService
    ) -> None:
        job = runner.run("push")
        assert (job.code, job.outputs["exit-code"]) == (0, "0")
        assert job.counts["done"] == 2
        assert {outcome["result"] for outcome in job.report["outcomes"]} == {"done"}
        assert "<details><summary>2 done</summary>" in job.summary
        assert len(stored_pages(service)) == 2
        assert set(manifest(origin)) == {"content/pages/about.md", "content/pages/index.md"}
        assert origin.git("show", "-s", "--format=%an: %s").startswith("github-actions[bot]: Sync live to ")
        assert "[skip ci]" in origin.git("show", "-s", "--format=%s")
        before = origin.head()
        assert runner.run("schedule").counts["kept"] == 2
        assert origin.head() == before, "a second run commits nothing"

    def test_whoever_pushed_meanwhile_keeps_their_work(
        self, runner: Runner, origin: SampleRepository, tmp_path: Path
    ) -> None:
        theirs = origin.commit({"README.md": "Somebody was quicker.\n"})
        job = runner.run("push")
        assert job.code == 0
        assert origin.git("rev-parse", "HEAD^") == theirs
        assert origin.git("diff", "--name-only", "HEAD^") == MANIFEST
        fresh = check_out(origin, tmp_path / "fresh")
        assert Runner(fresh.root, runner.temporary).run("push").counts["kept"] == 2

    @pytest.mark.sweep
    def test_two_runs_at_once_make_one_manifest(
        self, runner: Runner, clone: SampleRepository, origin: SampleRepository, tmp_path: Path
    ) -> None:
        runner.run("push")
        clone.git("pull", "--quiet")
        origin.commit({"content/pages/about.md": "# About all of us\n"})
        clone.git("pull", "--quiet")
        origin.commit({"content/pages/index.md": "# At home\n"})
        other = check_out(origin, tmp_path / "other")
        assert Runner(other.root, runner.temporary).run("push").counts["done"] == 2
        assert runner.run("push").counts["done"] == 1
        fresh = check_out(origin, tmp_path / "fresh")
        job = Runner(fresh.root, runner.temporary).run("push")
        assert (job.code, len(manifest(origin))) == (0, 2)

    def test_two_runs_that_both_made_a_page_are_told_apart_by_a_person(
        self, runner: Runner, origin: SampleRepository, tmp_path: Path
    ) -> None:
        other = check_out(origin, tmp_path / "other")
        Runner(other.root, runner.temporary).run("push")
        job = runner.run("push")
        assert job.code == 2
        assert re.search(r"is page \d on one side and page \d on the other", job.annotations[-1].message)
        assert "was NOT pushed to main" in job.summary
        assert len(manifest(origin)) == 2

    @pytest.mark.sweep
    def test_a_job_that_may_not_push_sends_nothing(
        self, runner: Runner, clone: SampleRepository, service: RunningService
    ) -> None:
        clone.git("remote", "set-url", "--push", "origin", "file:///nowhere")
        job = runner.run("push")
        assert (job.code, job.outputs["counts"]) == (2, "{}")
        assert "contents: write" in job.annotations[0].message
        assert stored_pages(service) == []

    def test_a_branch_that_refuses_the_manifest_fails_the_job_though_the_sync_is_done(
        self, runner: Runner, origin: SampleRepository
    ) -> None:
        hook = origin.root / ".git/hooks/pre-receive"
        hook.write_text("#!/bin/sh\necho protected branch >&2\nexit 1\n", encoding="utf-8")
        hook.chmod(0o755)
        job = runner.run("push")
        assert job.code != 0
        assert job.counts["done"] == 2
        assert "was NOT pushed to main" in job.summary
        assert "protected branch" in job.annotations[-1].message

    @pytest.mark.sweep
    def test_what_a_failed_sync_has_made_is_remembered(
        self, runner: Runner, clone: SampleRepository, origin: SampleRepository
    ) -> None:
        clone.commit({"content/pages/lost.md": "---\ntitle: Lost\nparent: 99\n---\n"})
        job = runner.run("push")
        assert (job.code, job.outputs["exit-code"]) == (1, "1")
        assert job.annotations[0].file == "content/pages/lost.md"
        assert set(manifest(origin)) == {"content/pages/about.md", "content/pages/index.md"}

    def test_a_detached_head_at_the_tip_of_the_branch_fails_the_job(
        self, runner: Runner, clone: SampleRepository, service: RunningService
    ) -> None:
        clone.git("checkout", "--quiet", "--detach")
        job = runner.run("push", {"repository": {"default_branch": "main"}})
        assert job.code == 2
        assert "HEAD is detached at a commit of 'main'" in job.annotations[-1].message
        assert stored_pages(service) == []

    @pytest.mark.sweep
    def test_the_branch_of_the_settings_goes_before_the_default_one(
        self, runner: Runner, clone: SampleRepository, origin: SampleRepository
    ) -> None:
        clone.git("checkout", "--quiet", "-b", "live")
        settings = (clone.root / "pressync.toml").read_text(encoding="utf-8")
        clone.commit({"pressync.toml": f'{settings}branch = "live"\n'})
        clone.git("push", "--quiet", "origin", "live")
        assert runner.run("push").counts["done"] == 2
        assert len(manifest(origin, "live")) == 2

    @pytest.mark.sweep
    def test_a_shallow_clone_says_what_it_cannot_do(
        self, runner: Runner, origin: SampleRepository, service: RunningService, tmp_path: Path
    ) -> None:
        runner.run("push")
        origin.git("rm", "--quiet", "content/pages/about.md")
        origin.commit({"content/pages/index.md": "# Home\n"})
        origin.commit({"content/pages/index.md": "# Home again\n"})
        shallow = check_out(origin, tmp_path / "shallow", "--depth=1")
        job = Runner(shallow.root, runner.temporary).run("push")
        assert "fetch-depth: 0" in job.summary
        assert len(stored_pages(service)) == 2
        whole = check_out(origin, tmp_path / "whole")
        # One of two pages: a share of so few says little, so no limit is applied unless one is given.
        job = Runner(whole.root, runner.temporary).run("push")
        assert job.code == 0
        assert len(stored_pages(service)) == 1


class TestManifestInAReference:
    """With `manifest = "ref"` it never touches the branch."""

    def test_each_run_on_a_new_machine_knows_what_the_last_one_did(
        self, runner: Runner, clone: SampleRepository, origin: SampleRepository, tmp_path: Path
    ) -> None:
        settings = (clone.root / "pressync.toml").read_text(encoding="utf-8")
        clone.commit({"pressync.toml": f'{settings}manifest = "ref"\n'})
        clone.git("push", "--quiet", "origin", "main")
        before = origin.head()
        job = runner.run("push")
        assert (job.code, job.counts["done"]) == (0, 2)
        fresh = check_out(origin, tmp_path / "fresh")
        runner.workspace = fresh.root
        planned = runner.run("pull_request", proposal())
        assert planned.counts == {"create": 0, "update": 0, "delete": 0, "keep": 2, "blocked": 0}
        assert runner.run("schedule").counts["kept"] == 2
        assert origin.head() == before
        assert origin.git("for-each-ref", "--format=%(refname)", "refs/pressync") == "refs/pressync/live"

    def test_a_job_that_may_not_push_sends_nothing(
        self, runner: Runner, clone: SampleRepository, service: RunningService
    ) -> None:
        settings = (clone.root / "pressync.toml").read_text(encoding="utf-8")
        clone.commit({"pressync.toml": f'{settings}manifest = "ref"\n'})
        clone.git("remote", "set-url", "--push", "origin", "file:///nowhere")
        job = runner.run("push")
        assert (job.code, job.outputs["counts"]) == (4, "{}")
        assert "contents: write" in job.annotations[0].message
        assert stored_pages(service) == []


class TestDrift:
    """`mode: drift` fails when anything differs, and says what."""

    def test_up_to_date_it_passes_and_else_it_says_what_differs(
        self, runner: Runner, clone: SampleRepository
    ) -> None:
        runner.run("push")
        job = runner.run("schedule", mode="drift")
        assert (job.code, job.outputs["exit-code"]) == (0, "0")
        clone.commit({"content/pages/about.md": "# About all of us\n"})
        job = runner.run("schedule", mode="drift")
        assert (job.code, job.outputs["exit-code"]) == (3, "3")
        assert job.summary.startswith("### pressync: drift of live at `")
        assert "<details><summary>1 to update</summary>" in job.summary
        assert "cannot be read" in job.summary


class TestEvents:
    """What else may start a workflow."""

    def test_an_event_that_says_nothing_needs_a_mode(self, runner: Runner) -> None:
        assert "choose one of plan, sync, drift" in runner.run("issues").log
        assert runner.run("issues", mode="plan").code == 0

    def test_an_input_that_is_wrong_ends_it_at_once(self, runner: Runner, service: RunningService) -> None:
        job = runner.run("push", args="--commit")
        assert (job.code, job.outputs["exit-code"]) == (2, "2")
        assert "args: the Action decides `--commit` by itself" in job.annotations[0].message
        assert runner.run("push", mode="publish").code == 2
        (annotation,) = runner.run("push", max_delete="many").annotations
        assert "max-delete" in annotation.message
        assert stored_pages(service) == []
