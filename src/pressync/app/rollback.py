"""Rolls back a run of this clone: finds its record, and opens content, manifest and service for it.

Only the clone that made a run has its record, so no other clone can roll the run back. Another machine may
change the manifest in between. Then the rollback is planned again with the manifest of that machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.revision import Revision, content_of, files_of, mark_of, way_back
from pressync.app.workspace import Workspace, planned_again
from pressync.model.errors import ConfigError, RepositoryError
from pressync.model.records import RolledBack
from pressync.repo import work_tree
from pressync.state.clone_facts import RunRecord, RunRecords
from pressync.state.clone_log import CloneLog
from pressync.sync.rollback import RollbackRun
from pressync.sync.run_recording import RunRecording

if TYPE_CHECKING:
    import threading

    from pressync.model.outcomes import RunResult
    from pressync.plan.limits import DeleteLimit
    from pressync.sync.apply import RunListener, RunOptions
    from pressync.sync.control import Approval


def records_of(workspace: Workspace) -> RunRecords:
    """Open the records of this clone's runs."""
    settings = workspace.settings
    return RunRecords(CloneLog(workspace.clone_files, settings.site.target, settings.types))


def find(workspace: Workspace, run: str | None) -> RunRecord:
    """Find the record of a run, by default of the last sync.

    :raises ConfigError: this clone does not know it.
    """
    records = records_of(workspace)
    if run is None:
        last = next((record for record in reversed(records.all()) if not record.undoes), None)
        if last is None:
            todo = "`pressync manifest log` lists the runs that the manifest knows"
            raise ConfigError("this clone does not know a run to this site", todo=todo)
        return last
    record = records.read(run)
    if record is None:
        problem = f"this clone does not know a run {run!r}"
        todo = "`pressync manifest log` lists those that it has; or `git revert` the run's commit and sync"
        raise ConfigError(problem, where="RUN", todo=todo)
    if record.undoes:
        problem = f"run {run} is a rollback of run {record.undoes}"
        raise ConfigError(problem, where="RUN", todo="`pressync sync --again` does that run again")
    return record


def is_finished(workspace: Workspace, record: RunRecord) -> bool:
    """Whether a run was rolled back before, and nothing of it is left."""
    return any(run.undoes == record.run and run.finished for run in records_of(workspace).all())


def save(workspace: Workspace) -> None:
    """Save what a finished rollback has left in the journal, if it was killed before it could save it."""
    with workspace.state(writable=True) as state:
        state.save("Rollback")


def way_on(workspace: Workspace) -> str:
    """Say how the files get the text of before; "" if a sync does not refuse them."""
    with workspace.reading() as state:
        mark = mark_of(state, workspace.content(Revision(), manifest=state.manifest))
        return way_back(workspace.repository, workspace.settings, mark) if mark else ""


def take_files_back(workspace: Workspace, run: str | None) -> tuple[str, list[str]]:
    """Write the files of before a rolled-back run into the work tree; give the run and the files.

    :raises ConfigError: the files do not say what a rolled-back run sent.
    :raises RepositoryError: the work tree is not clean, or this clone does not have the files.
    """
    with workspace.reading() as state:
        mark = mark_of(state, workspace.content(Revision(), manifest=state.manifest))
    if mark is None or run not in {None, mark.run}:
        named = f" {run}" if run else ""
        problem = f"the files of HEAD are not those of a run{named} that was rolled back"
        todo = "`pressync rollback` undoes a run first; `git revert` takes back a commit"
        raise ConfigError(problem, where="--files", todo=todo)
    root = workspace.repository.require_root("run it in a clone with a working tree")
    commits = {mark.since, mark.commit}
    if workspace.repository.history.known(commits) != commits:
        problem = f"no commit of this clone has the files of before run {mark.run}"
        raise RepositoryError(problem, todo="change or revert the files, and commit")
    return mark.run, work_tree.take_back(root, mark.since, mark.commit, files_of(workspace.settings))


def rollback(
    workspace: Workspace,
    record: RunRecord,
    delete_limit: DeleteLimit,
    options: RunOptions,
    approval: Approval,
    *,
    stop: threading.Event,
    listener: RunListener,
    notify: bool = False,
) -> RunResult | None:
    """Undo a run, as far as nobody has worked on its records since; None if nobody agreed.

    :raises SafetyRefusal: a limit; nothing was sent.
    """

    def attempt() -> RunResult | None:
        with workspace.state(writable=True) as state:
            content = workspace.content(Revision(), manifest=state.manifest)
            # The mark has the commit of the last of the runs that were rolled back one after the other.
            earlier, digest, commit = state.whole.rolled_back, content_of(content), record.commit
            history = content.repository.history
            if earlier and earlier.content == digest:
                both = {commit, earlier.commit}
                if history.known(both) == both and history.ancestors([commit], earlier.commit):
                    commit = earlier.commit
            return RollbackRun(
                content=content,
                state=state,
                capabilities=workspace.capabilities,
                service=lambda: workspace.service(options.concurrency, options.limits),
                record=record,
                records=records_of(workspace),
                recording=RunRecording.of(state, undoes=record.run),
                mark=RolledBack(record.run, commit, digest),
                paths=files_of(content.settings),
                delete_limit=delete_limit,
                options=options,
                approval=approval,
                control=options.control(listener.say, stop),
                on_outcome=listener.outcome,
                notify=notify or content.settings.site.notify,
            ).execute()

    return planned_again(attempt, listener.say)
