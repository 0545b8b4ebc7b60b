"""The JSON documents of plans, runs and states. A key is never renamed or removed within one `version`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pressync.cli.report.words import plan_counts, record_id, with_markup
from pressync.model.changes import Keep, NotCompared, Outcome, Plan, Result
from pressync.model.outcomes import RunResult, Standing, approval, change_row, digest
from pressync.model.visibility import FUTURE, Visibility, of_change, of_entry, preview

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pressync.model.changes import Blocked, Create, Delete, Update
    from pressync.model.records import Entry
    from pressync.state.clone_facts import RunRecord
    from pressync.state.clone_log import EditorNote

VERSION = 1


def rows(records: Iterable[object], *names: str) -> list[dict[str, Any]]:
    """Make a row of each record, with the members of these names."""
    return [{name: getattr(record, name) for name in names} for record in records]


def plan_document(plan: Plan, diffs: Mapping[str, str] | None = None) -> dict[str, object]:
    """Make the document of `plan --format json`; what is kept is only counted."""
    changes = [_change(change, diffs) for change in plan.changes if not isinstance(change, Keep)]
    not_compared = {"not_compared": [*map(_not_compared, plan.not_compared)]} if plan.compared else {}
    return {
        "version": VERSION,
        "site": plan.site,
        "commit": plan.commit,
        "digest": approval(plan),
        "file_digest": digest(plan),
        **({"drift": True} if plan.compared else {}),
        "counts": plan_counts(plan),
        "second_writes": plan.second_writes,
        "refusals": rows(plan.refusals, "code", "message"),
        "remarks": [{**remark.document, "message": str(remark)} for remark in plan.remarks],
        "changes": changes,
        **not_compared,
        "problems": rows(plan.problems, "path", "line", "code", "what", "todo", "warning"),
    }


def _change(change: Create | Update | Delete | Blocked, diffs: Mapping[str, str] | None) -> dict[str, object]:
    seen = of_change(change)
    # The digest of a plan does not cover who sees a record.
    row = {**change_row(change), "status": seen.status or None, "date": seen.date or None}
    return row if diffs is None else {**row, "diff": diffs.get(change.path)}


def run_document(run: RunResult) -> dict[str, object]:
    """Make the document of `sync --format json`; what was kept is only counted."""
    kept = run.manifest
    return {
        "version": VERSION,
        "site": run.plan.site,
        "commit": run.plan.commit,
        "run": run.run,
        "seconds": round(run.seconds, 3),
        "counts": run.counts,
        "later": run.plan.later,
        "manifest": kept and {"path": kept.path, "committed": kept.committed},
        "outcomes": [_outcome(outcome) for outcome in run.outcomes if outcome.result is not Result.KEPT],
    }


def status(site: str, standings: Sequence[Standing], notes: Sequence[EditorNote] = ()) -> str:
    """Write the output of `status --format json`."""
    records = [_standing(standing, notes) for standing in standings]
    return text({"version": VERSION, "site": site, "records": records})


def _standing(standing: Standing, notes: Sequence[EditorNote]) -> dict[str, object]:
    members, seen = ("id", "slug", "link", "modified", "modified_gmt"), standing.visibility
    entry = {name: getattr(standing.entry, name, None) for name in members}
    editor_notes = [note_row(note) for note in notes if note.path == standing.path]
    return {
        "path": standing.path,
        "kind": str(standing.kind),
        **entry,
        "state": standing.state,
        "title": standing.title,
        "status": seen.status or None,
        "reason": standing.reason,
        "date": seen.date or None,
        "preview": _preview(standing.entry),
        "notes": standing.notes,
        "editor_notes": editor_notes,
    }


def note_row(note: EditorNote) -> dict[str, object]:
    """Make the row of an open note of an editor; only a plan knows which commit resolves it."""
    (row,) = rows([note], *note.__struct_fields__)
    return {name: value for name, value in row.items() if value or name != "resolved_by"}


def run_row(record: RunRecord) -> dict[str, object]:
    """Make the row of a run of this clone for `manifest log --format json`."""
    return {
        "run": record.run,
        "commit": record.commit,
        "changes": len(record.touched),
        "ended": record.after is not None,
        "rolled_back": record.undoes or None,
    }


def _outcome(outcome: Outcome) -> dict[str, object]:
    change, entry = outcome.change, outcome.entry
    seen = of_entry(entry) if entry else Visibility("")
    date = of_change(change).date if seen.status == FUTURE else ""
    return {
        "action": change.action,
        "path": change.path,
        "kind": str(change.kind),
        "id": record_id(change, entry),
        "result": outcome.result.value,
        "message": outcome.message,
        **outcome.why.document,
        "modified": getattr(entry, "modified", None),
        "link": getattr(entry, "link", None),
        "status": seen.status or None,
        "date": date or None,
        "preview": _preview(entry),
    }


def _not_compared(change: NotCompared) -> dict[str, object]:
    (row,) = rows([change], "path", "kind", "id", "reason")
    return {**row, **change.why.document}


def _preview(entry: Entry | None) -> str | None:
    return preview(entry.link) if entry and of_entry(entry).hidden else None


def plan(
    plan: Plan,
    *,
    diffs: Mapping[str, str] | None = None,
    noted: Sequence[EditorNote] = (),
    uncommitted: Sequence[str] = (),
) -> str:
    """Write the output of `plan --format json`, with the open notes that a look at the site saw.

    `uncommitted` are the saved files that the plan does not see.
    """
    more: dict[str, object] = {"editor_notes": [*map(note_row, noted)]} if noted else {}
    more |= {"uncommitted": [*uncommitted]} if uncommitted else {}
    return text({**plan_document(plan, with_markup(plan, diffs)), **more})


def run(result: RunResult) -> str:
    """Write the output of `sync --format json`."""
    return text(run_document(result))


def text(document: dict[str, object]) -> str:
    """Write a document as JSON."""
    import json  # noqa: PLC0415 - text and Markdown start from this module too

    # ASCII, so that every terminal, pipe and shell gets the same characters. `##[` can only be inside a
    # string; a GitHub runner would obey it in a job's log.
    return json.dumps(document, indent=2).replace("##[", "##\\u005b") + "\n"
