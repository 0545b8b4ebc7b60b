"""`pressync rollback`: what it asks and prints; a sync that would do the run again is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import click
import jsonschema
import pytest
from tests.durability.walk import death
from tests.support.library_repository import Shelf
from tests.support.strict_service import serving
from tests.support.syncing import Site, stored_pages
from tests.support.undoing import rolled_back

from pressync.app import rollback as app
from pressync.cli import console
from pressync.cli.commands import rollback
from pressync.cli.options import Globals
from pressync.model.errors import ConfigError, RepositoryError
from pressync.plan.build import PlanOptions
from pressync.state.clone_facts import RunRecords

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository
    from tests.support.terminal import Terminal

    from pressync.stage.server.server import RunningService


A, B = "content/pages/a.md", "content/pages/b.md"


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    """Make a site whose last run is rolled back."""
    repository.write(".gitignore", ".pressync/\n")
    repository.commit({A: "# A\n", "readme.txt": "one"})
    made = Shelf(repository.root, "https://site.test/wp-json")
    made.sync()
    repository.commit({A: "# Anew\n"})
    made.sync()
    rolled_back(made)
    return made


def test_a_rollback_that_was_interrupted_goes_on_first(shelf: Shelf, repository: SampleRepository) -> None:
    repository.commit({A: "# Once more\n"})
    run = shelf.sync().run
    with patch.object(RunRecords, "end", side_effect=death.Killed), pytest.raises(death.Killed):
        rolled_back(shelf)
    (refusal,) = shelf.plan().refusals
    assert f"of run {run} was interrupted; `pressync rollback {run}` goes on with it" in refusal.message
    rolled_back(shelf)
    (refusal,) = shelf.plan().refusals
    assert f"run {run} was rolled back" in refusal.message
    assert "; `pressync rollback --files` and commit, or" in refusal.message


def test_no_command_is_given_that_would_take_back_an_earlier_run_too(repository: SampleRepository) -> None:
    repository.write(".gitignore", ".pressync/\n")
    repository.commit({A: "# A\n", B: "# B\n", "content/pages/c.md": "# C\n"})
    with serving() as service:
        site = Site(repository.root, service.url)
        site.sync()
        for path in (A, B):
            repository.remove(path)
        repository.commit()
        for limit in (1, None):
            site.sync(PlanOptions(limit=limit))
        rolled_back(site)
        (refusal,) = site.plan().refusals
    assert "; change or revert the files, and commit, or" in refusal.message


@pytest.mark.parametrize("path", [A, "templates/page.html", "pressync.toml"])
def test_other_content_or_settings_are_synced(shelf: Shelf, repository: SampleRepository, path: str) -> None:
    repository.commit({path: "" if path.endswith("toml") else "# Otherwise {{ content }}\n"})
    assert not shelf.plan().refusals
    shelf.sync()
    repository.commit({path: ""})
    assert not shelf.plan().refusals, "the mark is gone"


def undone(shelf: Shelf, repository: SampleRepository, *runs: str | None) -> str:
    """Roll back runs, commit the manifest, do what the message says, and give that command."""
    for run in runs or (None,):
        rolled_back(shelf, run)
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--allow-empty", "--message", "The manifest after the rollback")
    (refusal,) = shelf.plan().refusals
    command = refusal.message.split("`")[1]
    if command.startswith("git revert "):
        repository.git("revert", "--no-edit", command.removeprefix("git revert "))
    else:
        assert command == "pressync rollback --files"
        with shelf.workspace() as workspace:
            _run, paths = app.take_files_back(workspace, None)
        assert paths
        assert not repository.git("diff", "--cached", "--name-only"), "nothing is staged"
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--allow-empty", "--message", "Take it back")
    plan = shelf.plan()
    assert plan.settled, plan.changes
    assert not plan.refusals
    return command


@pytest.fixture
def tracked(repository: SampleRepository) -> Shelf:
    """Make a site with one page, whose manifest is committed with the next content."""
    repository.commit({A: "# A\n"})
    made = Shelf(repository.root, "https://site.test/wp-json")
    made.sync()
    return made


@pytest.mark.parametrize("mixed", [True, False])
def test_a_mixed_run_is_taken_back_whole(
    tracked: Shelf, repository: SampleRepository, *, mixed: bool
) -> None:
    if mixed:
        repository.commit({B: "# B\n", "content/pages/c.md": "# C\n"})
        repository.remove("content/pages/c.md")
    repository.commit({A: "# Anew\n"})
    tracked.sync()
    assert undone(tracked, repository) == "pressync rollback --files"


def test_a_commit_whose_file_was_wrong_is_not_the_way_back(
    tracked: Shelf, repository: SampleRepository
) -> None:
    repository.commit({A: "---\nstatus: publsh\n---\n# Anew\n"})
    repository.commit({A: "# Anew\n"})
    tracked.sync()
    assert undone(tracked, repository) == "pressync rollback --files"


def test_files_are_taken_back_into_a_clean_work_tree_of_a_run_that_was_rolled_back(
    tracked: Shelf, repository: SampleRepository
) -> None:
    repository.commit({B: "# B\n"})
    repository.commit({A: "# Anew\n"})
    run = tracked.sync().run

    def take(run: str | None = None) -> object:
        with tracked.workspace() as workspace:
            return app.take_files_back(workspace, run)

    with pytest.raises(ConfigError, match="not those of a run that was rolled back"):
        take()
    rolled_back(tracked)
    with pytest.raises(ConfigError, match="not those of a run other"):
        take("other")
    repository.write(B, "# Mine\n")
    with pytest.raises(RepositoryError, match=r"1 file has uncommitted changes \(content/pages/b.md"):
        take()
    assert (repository.root / A).read_text() == "# Anew\n"
    repository.write(B, "# B\n")
    new = repository.write("content/pages/new.md", "# New\n")
    with pytest.raises(
        RepositoryError, match=r"1 new file is not committed \(content/pages/new.md"
    ) as refused:
        take()
    assert "commit or move away what is new" in str(refused.value)
    new.unlink()
    assert take(run) == (run, [A, B])
    assert (repository.root / A).read_text() == "# A\n"
    assert not (repository.root / B).exists()


def test_two_runs_are_taken_back_at_once(tracked: Shelf, repository: SampleRepository) -> None:
    repository.commit({"readme.txt": "one"})
    repository.commit({A: "# Anew\n"})
    changed = repository.head()
    repository.commit({"readme.txt": "two"})
    tracked.sync()
    assert undone(tracked, repository) == f"git revert {changed[:10]}"
    repository.commit({A: "# Anew once more\n", "templates/page.html": "<!-- one -->{{ content }}"})
    first = tracked.sync().run
    repository.commit({A: "# Again\n", B: "# B\n", "templates/page.html": "<!-- two -->{{ content }}"})
    second = tracked.sync().run
    undone(tracked, repository, second, first)
    assert not (repository.root / "templates/page.html").exists()


@pytest.mark.parametrize(
    ("settings", "page"),
    [('content = ""\n', "pages/a.md"), ('templates = "."\n', A)],
    ids=["content at the root", "templates at the root"],
)
def test_a_manifests_commit_is_not_content(repository: SampleRepository, settings: str, page: str) -> None:
    repository.commit({"pressync.toml": settings, page: "# A\n"})
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    shelf.sync()
    repository.write(page, "# Anew\n")
    repository.git("commit", "--quiet", "--message", "Anew", "--", page)
    edit = repository.head()
    repository.commit(message="The manifest after the first sync")
    shelf.sync()
    assert undone(shelf, repository) == f"git revert {edit[:10]}"


ABOUT = "content/pages/about.md"


def _titles(service: RunningService) -> dict[str, Any]:
    return {page["slug"]: page["title"]["raw"] for page in stored_pages(service)}


def test_the_id_that_sync_prints_undoes_the_run(terminal: Terminal, service: RunningService) -> None:
    assert "does not know a run" in terminal.run("rollback", exits=2).stderr
    assert "Run 20" in terminal.run("sync", "--yes").stdout
    before = _titles(service)
    terminal.repository.commit({ABOUT: "# Others\n", "content/pages/new.md": "# New\n"})
    run = json.loads(terminal.run("sync", "--yes", "--format", "json").stdout)["run"]
    # There is nobody to ask, but the plan is shown all the same.
    refused = terminal.run("rollback", "--max-delete", "100%", exits=2).stderr
    assert all(f" {path} " in refused for path in (ABOUT, "content/pages/new.md"))
    assert f"`pressync rollback {run} --yes` does it" in refused
    assert "git revert" in terminal.run("rollback", "20260131-101500-k3f9p", exits=2).stderr
    assert _titles(service) != before
    done = terminal.run("rollback", run, "--yes")
    assert f"Rollback of run {run}: 2 undone." in done.stdout
    assert "sync --again" in done.stderr
    assert _titles(service) == before


def test_json_has_the_documented_shape(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    terminal.repository.commit({"content/pages/new.md": "# New\n"})
    run = json.loads(terminal.run("sync", "--yes", "--format", "json").stdout)["run"]
    document = json.loads(terminal.run("rollback", "--yes", "--format", "json").stdout)
    jsonschema.validate(document, json.loads(terminal.run("schema", "rollback").stdout))
    assert document["rolled_back"] == run
    assert document["run"] not in {None, run}
    assert document["counts"]["done"] == 1
    assert [(o["action"], o["path"]) for o in document["outcomes"]] == [("delete", "content/pages/new.md")]


PAGE = "content/pages/a.md"


@pytest.fixture
def two_runs(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Make a site whose page was changed by the last run, and bind the command to it."""
    made = Shelf(repository.root, "https://site.test/wp-json")
    repository.commit({PAGE: "# A\n"})
    made.sync()
    repository.commit({PAGE: "# Anew\n"})
    made.sync()
    monkeypatch.setattr(console, "open_workspace", lambda _globals, **_more: made.workspace())
    return made


def run(**chosen: object) -> None:
    options = {
        "files": False,
        "yes": False,
        "notify": False,
        "max_delete": None,
        "concurrency": 4,
        "rate": None,
        "wait": 0.0,
        "form": "text",
        **chosen,
    }
    context = click.Context(rollback.command, obj=Globals())
    context.invoke(rollback.command, run=None, **options)


def test_the_plan_names_the_run_and_is_asked_about(
    two_runs: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "is_watched", lambda _globals: True)
    monkeypatch.setattr("click.confirm", lambda question, **_more: "1 change" not in question)
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 1
    shown = capsys.readouterr().err
    with two_runs.workspace() as workspace:
        assert f"Rollback of run {app.find(workspace, None).run}" in shown
    assert "back to commit" in shown
    assert two_runs.service.held[1].fields["title"] == "Anew"


def test_with_yes_the_plan_is_shown_too_and_the_next_steps_are_named_until_the_files_differ(
    two_runs: Shelf, repository: SampleRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(yes=True)
    assert ended.value.code == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    assert "1 undone" in out
    assert "back to commit" in err
    assert 0 < err.index("next: commit .pressync") < err.index("After that: `pressync rollback --files`")
    assert two_runs.service.held[1].fields["title"] == "A"
    run()
    again = capsys.readouterr().err
    assert "is rolled back already. Nothing was sent." in again
    steps = [line for line in err.splitlines() if "next: commit" in line or "After that: `pressync" in line]
    assert again.splitlines()[1:] == steps
    repository.commit({PAGE: "# A third text\n"})
    run()
    assert "refuses" not in capsys.readouterr().err
