"""Explains one path for one site: what the file says, what was sent, and what the next sync does and why.

The reason of the next sync is the sentence of the plan itself, so that an explanation cannot say anything
else than `plan` does. Without `drift`, nothing is asked of the site. Neither the commit nor the manifest has
a path whose file is gone, so Git's history and the records of the runs are asked.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.app.editors import opened
from pressync.app.explain.origins import (
    Causes,
    DocumentOrigins,
    ExplainedField,
    Explanation,
    FieldState,
    Revised,
    ValueOrigin,
    ValueSource,
)
from pressync.app.rollback import records_of
from pressync.content.documents import text_of
from pressync.content.sources import below
from pressync.model.changes import Update
from pressync.model.errors import ConfigError, RepositoryError, ServiceError
from pressync.model.fingerprint import fingerprint, is_unsure, to_text
from pressync.model.printable import one_line
from pressync.model.visibility import is_deleted
from pressync.plan.build import PlannedRun, PlanOptions
from pressync.plan.decide import difference
from pressync.repo.paths import WorkingPlace, candidates

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.app.revision import Revision
    from pressync.app.workspace import Workspace
    from pressync.content.content import Content
    from pressync.model.records import Document, Entry, Prepared, Value
    from pressync.repo.history import Commit

# Texts that are not shown: one is long, and one is secret.
_CONTENT, _PASSWORD = "content", "password"


def explain(workspace: Workspace, path: str, revision: Revision, *, drift: bool = False) -> Explanation:
    """Explain a path from the root; with `drift`, read the site too.

    :raises ConfigError: the path is a folder.
    """
    planned = workspace.plan(revision, PlanOptions(paths=(path,)), drift=drift)
    with workspace.reading() as state:
        manifest = state.manifest
    content = workspace.content(revision, manifest=manifest)
    entry = planned.entries.get(path)
    change = next((change for change in planned.plan.changes if change.path == path), None)
    if change is None and entry is None and any(below(file, path) for file in content.tree.files):
        raise ConfigError(f"'{path}' is a folder", todo="name one file of it")
    explained = Explanation(
        path=path,
        site=workspace.settings.site.name,
        target=workspace.settings.site.target,
        kind=getattr(change, "kind", None),
        entry=entry,
        change=change,
        changed=_commit(workspace, content.tree.commit, path),
        is_committed=revision.is_committed or _is_as_in_head(content, path),
        refusals=tuple(refusal.message for refusal in planned.plan.refusals),
        looked=drift,
    )
    if isinstance(change, Update):
        causes = Causes(change, content, planned.entries, manifest, workspace.clone.settings_text)
        explained = replace(explained, causes=causes.found())
    if entry:
        sent = _commit(workspace, entry.commit) if entry.commit else None
        revised = last_revision(workspace, entry) if drift else None
        explained = replace(explained, sent=sent, run=_last_run(workspace, entry), revised=revised)
    return _with_document(explained, workspace, content, planned)


def _is_as_in_head(content: Content, path: str) -> bool:
    head = content.repository.tree(content.repository.commit())
    return head.files.get(path) == content.tree.files.get(path)


def _with_document(
    explained: Explanation, workspace: Workspace, content: Content, planned: PlannedRun
) -> Explanation:
    """Add what the file says, if it is a document."""
    path = explained.path
    if path not in content.sources:
        return replace(explained, why_none=_why_none(workspace, content, path))
    blob = content.sources[path]
    parsed = content.parse(path)
    read = content.read(path, planned.entries, renamed=planned.renamed)
    explained = replace(explained, blob=blob, problems=read.problems)
    if parsed.document is None:
        why = "its type is `none`, so pressync leaves it out" if parsed.left_out else ""
        return replace(explained, why_none=why or "it cannot be read as a page or a post")
    document, layout = parsed.document, content.renderer.layouts.of(parsed.document)
    text = text_of(content.repository.read(blob))
    origins = DocumentOrigins(document, text, workspace.settings, workspace.clone.settings_text)
    fields = tuple(_fields(explained.entry, document, read.prepared, origins))
    named = {field.name for field in fields}
    if document.layout is not None:
        layout_origin = origins.of("layout")
    else:
        own = f"{document.kind}.html"
        why = f"for each {document.kind}" if layout == own else "for each page and post"
        why = f"{why} without `layout`" if layout else f"there is neither {own} nor default.html"
        layout_origin = ValueOrigin(ValueSource.PRESSYNC, "", why)
    return replace(
        explained,
        kind=document.kind,
        layout=layout,
        layout_origin=layout_origin,
        defaults=tuple(origins.defaults()),
        fields=fields,
        left=tuple(field.name for field in document.kind.row.body if field.name not in named),
    )


def _fields(
    entry: Entry | None, document: Document, prepared: Prepared | None, origins: DocumentOrigins
) -> Iterator[ExplainedField]:
    """Give the fields that are named, then those that were named when the record was last sent."""
    mentions = {mention.field: ", ".join(map(str, mention.given)) for mention in document.mentions}
    values: dict[str, Value] = {**document.fields, **(prepared.fields if prepared else {})}
    desired = prepared.desired if prepared else None
    digests = dict(desired.fingerprints) if desired else {}
    if desired and (entry is None or "status" in entry.fingerprints):
        digests = {**desired.create_only, **digests}
    differs = difference(desired, entry) if desired and entry else None
    for name in sorted({*values, *mentions, *digests}):
        value = values.get(name)
        given = None if name in {_CONTENT, _PASSWORD} else value
        shown = mentions.get(name) or _shown(name, value)
        digest, before = digests.get(name), entry.fingerprints.get(name) if entry else None
        if entry is None:
            state = FieldState.NEW
        elif before is not None and is_unsure(before):
            state = FieldState.UNCONFIRMED
        else:
            # pressync does not send a file with problems, so the file does not get fingerprints.
            state = FieldState.SENT if digest in {before, None} else FieldState.CHANGED
        field = ExplainedField(name, given, shown, origins.of(name), state)
        yield _edited(field, entry, fingerprint(value) if name in mentions and value is not None else None)
    gone = (entry.fingerprints.keys() - digests.keys() - values.keys()) if entry and differs else ()
    for name in sorted(gone):
        emptied = differs is not None and name in differs.resets
        state = FieldState.EMPTIED if emptied else FieldState.LEFT_TO_SITE
        origin = ValueOrigin(ValueSource.SERVICE, "", "front matter no longer names it")
        yield _edited(ExplainedField(name, None, "", origin, state), entry)


def _edited(field: ExplainedField, entry: Entry | None, meant: str | None = None) -> ExplainedField:
    """Add what the service and other people made of a field; `meant` digests the ids of its names."""
    if entry is None:
        return field
    edit = None if is_deleted(entry) else entry.conflict.get(field.name)
    stored = entry.changed_by_service.get(field.name)
    # The manifest has the ids of names as a value of the service.
    return replace(field, bent=stored is not None and stored != meant, edit=edit)


def _shown(name: str, value: Value | None) -> str:
    if name == _PASSWORD:
        return "(not shown)"
    if name == _CONTENT:
        size = len(value) if isinstance(value, str) else 0
        return f"{size:,} characters of HTML"
    if value is None:
        # Nobody but a create sends it.
        return "publish" if name == "status" else ""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else to_text(value)


def _why_none(workspace: Workspace, content: Content, path: str) -> str:
    """Say why a path is not a document."""
    folder, repository = workspace.settings.content, workspace.repository
    if path not in content.tree.files:
        if not repository.history.was_file_removed(path) or repository.port.resolve(f"HEAD:{path}"):
            return "its file is not in the commit"
        gone = "its file was removed or renamed"
        for run in reversed(records_of(workspace).all()):
            touched = next((write for write in run.touched if write.path == path and write.before), None)
            if touched and touched.before and run.after is not None and path not in run.after:
                return f"{gone}; run {run.run} deleted its {touched.kind} {touched.before.id}"
        return gone
    if not below(path, folder):
        return f"it is not below the content folder, {folder}/" if folder else "it is not a document"
    if content.excludes(path):
        return "`exclude` in the settings leaves it out"
    return "it is not Markdown, or its name begins with a dot"


def _last_run(workspace: Workspace, entry: Entry) -> str:
    """Name the last run of this clone that sent something of a record; "" if it has no record of one."""
    records = records_of(workspace)
    for run in reversed(records.ids()):
        record = records.read(run)
        touched = record.touched if record else ()
        if any((write.path, write.kind) == (entry.path, entry.kind) for write in touched):
            return run
    return ""


def _commit(workspace: Workspace, commit: str, path: str = "") -> Commit | None:
    """Read about a commit, or about the last one that changed a path; None if this clone does not have it."""
    try:
        return next(iter(workspace.repository.history.commits(commit, path, limit=1)), None)
    except RepositoryError:
        return None


def path_of(workspace: Workspace, directory: Path, typed: str) -> str | None:
    """Give the path from the root of a file that a commit has removed; None if there never was one."""
    place = WorkingPlace(directory, workspace.repository.root, workspace.settings.content)
    was_removed = workspace.repository.history.was_file_removed
    return next((path for path in candidates(typed, place) if path and was_removed(path)), None)


def last_revision(workspace: Workspace, entry: Entry) -> Revised | None:
    """Give the last revision of a record; None if the site does not show it."""
    if not workspace.capabilities.read:
        return None
    with suppress(ServiceError, ConfigError), opened(workspace) as facts:
        if last := facts.last_revision(entry.kind, entry.id):
            return Revised(last.moment, one_line(last.name or last.slug or f"user {last.author}"))
    return None
