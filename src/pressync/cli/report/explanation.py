"""An explanation as text for people and as rows for programs.

A person asks because something surprised them. So the text ends with what the next sync does and why, and a
value stands beside the place that somebody has to change.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from pressync.app.explain.origins import ExplainedField, Explanation, FieldState, ValueOrigin
from pressync.cli.report.documents import VERSION
from pressync.cli.report.layout import BOLD, YELLOW, paint, table
from pressync.model.changes import Blocked, Change, Create, Delete, Keep, NotCompared, Update
from pressync.model.printable import one_line, shortened
from pressync.model.visibility import is_deleted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.explain.origins import Cause
    from pressync.model.records import Entry
    from pressync.repo.history import Commit

# A longer value is cut: the text tells values apart, and the file has them.
_LONGEST = 40
_STATES = {
    # In most rows these are the same for all.
    FieldState.NEW: "",
    FieldState.SENT: "",
    FieldState.CHANGED: "changed",
    FieldState.UNCONFIRMED: "unconfirmed",
    FieldState.EMPTIED: "will be emptied",
    FieldState.LEFT_TO_SITE: "left to the site",
}
_NEXT = {
    Create: "it creates a {kind}",
    Update: "it updates {fields}",
    Delete: "it deletes {kind} {id}",
    Keep: "nothing",
    NotCompared: "nothing, but its record was not compared",
    Blocked: "it does nothing here, because something is in the way",
}
_SAME = "the file, its template, defaults, parent and links are as they were last sent"


def text(explained: Explanation, fields: tuple[str, ...] = (), *, colour: bool = False) -> str:
    """Write an explanation; with `fields`, only these fields and what comes next."""
    parts = [] if fields else [*_head(explained)]
    shown = [field for field in explained.fields if not fields or field.name in fields]
    if shown:
        parts += ["", paint("Fields", BOLD, colour=colour), *_fields(explained, shown)]
    if not fields and explained.left:
        parts.append(f"  The site decides about {', '.join(explained.left)}: nobody names them.")
    parts += ["", paint("The next sync", BOLD, colour=colour), *_next(explained)]
    stops = paint("But a sync of this site stops first:", YELLOW, colour=colour)
    parts += [f"  {stops} {one_line(refusal)}" for refusal in explained.refusals]
    return "\n".join(parts).lstrip("\n") + "\n"


def _head(explained: Explanation) -> Iterator[str]:
    entry = explained.entry
    kind = explained.kind or "not a document"
    record = f" {entry.id}" if entry else ", without a record"
    subject = f"{kind}{record}" if entry or explained.kind else kind
    yield one_line(f"{explained.path}: {subject}, site {explained.site} ({explained.target})")
    if explained.why_none:
        yield one_line(f"  not a document    {explained.why_none}")
    if explained.changed:
        yield f"  last changed in   {_commit(explained.changed)}"
    if not explained.is_committed:
        yield "  not committed     the file of the working tree is another one than that of HEAD"
    if explained.layout_origin:
        because = ", ".join(filter(None, (explained.layout_origin.place, explained.layout_origin.note)))
        why = f" ({because})" if because else ""
        yield one_line(f"  template          {explained.layout or 'none'}{why}")
    for default in explained.defaults:
        where = f"{default.folder}/" if default.folder else "all files"
        yield one_line(f"  defaults          {', '.join(default.keys)} for {where} ({default.place})")
    yield from _sending(explained)
    yield from _edits(explained)


def _sending(explained: Explanation) -> Iterator[str]:
    """Say what was last sent, and what the service made of it."""
    entry = explained.entry
    if entry and entry.commit:
        commit = _commit(explained.sent) if explained.sent else entry.commit[:10]
        yield one_line(f"  last sent from    {commit}")
        if explained.run:
            yield one_line(f"  by run            {explained.run}")
    elif entry:
        yield "  last sent from    never: it was adopted, and nothing was sent yet"
    if entry and entry.modified:
        yield one_line(f"  response          {entry.link}, modified {entry.modified}")
    bent = [field.name for field in explained.fields if field.bent]
    if bent:
        yield f"  changed by it     {', '.join(bent)}: the service stored another value than was sent"


def _edits(explained: Explanation) -> Iterator[str]:
    """Say who edited the record on the site, as far as somebody has looked."""
    edited = [field.name for field in explained.fields if field.edit is not None]
    if explained.revised:
        who = f"last revised {explained.revised.time} by {explained.revised.who}"
        yield one_line(f"  on the site       {who}")
    if explained.entry and is_deleted(explained.entry):
        yield "  on the site       deleted, when a sync last looked"
    elif edited:
        yield f"  edited there      {', '.join(edited)}, since the last sync"
    elif explained.entry and explained.looked:
        yield "  edited there      nothing since the last sync"
    elif explained.entry:
        yield "  edited there      not asked; `--drift` reads the site"


def _commit(commit: Commit) -> str:
    return one_line(f"{commit.id[:10]}  {commit.time[:10]}  {commit.who}  {commit.subject}")


def _fields(explained: Explanation, fields: list[ExplainedField]) -> Iterator[str]:
    path, rows = explained.path, []
    for field in fields:
        value = shortened(one_line(field.shown), _LONGEST)
        now = f" to {explained.entry.slug}" if field.name == "slug" and explained.entry else ""
        state = filter(
            None,
            (
                _STATES[field.state],
                f"changed by the service{now}" if field.bent else "",
                "edited on the site" if field.edit is not None else "",
            ),
        )
        place = field.origin.place
        # The path is in the first line already.
        place = place.replace(f"{path}:", "line ", 1) if place.startswith(f"{path}:") else place
        origin = ", ".join(filter(None, (place if place != path else "", field.origin.note)))
        rows.append((f"  {field.name}", value, one_line(origin), one_line(", ".join(state))))
    yield from table(rows)


def _next(explained: Explanation) -> Iterator[str]:
    change = explained.change
    if change is None:
        yield "  nothing: a sync does not read this file as a page or a post"
        return
    fields = ", ".join(_changed(change))
    about = _NEXT[type(change)].format(kind=change.kind, id=getattr(change, "id", ""), fields=fields)
    why = change.reason if change.why else _SAME * isinstance(change, Keep)
    yield one_line(f"  {about}: {why}" if why else f"  {about}")
    for cause in explained.causes:
        yield one_line("  since then: " + ": ".join(filter(None, (cause.place, cause.note))))


def document(explained: Explanation, fields: tuple[str, ...] = ()) -> dict[str, object]:
    """Give the JSON document of an explanation."""
    entry, change, chosen = explained.entry, explained.change, explained.fields
    why_none, blob = explained.why_none or None, explained.blob or None
    if fields:
        chosen = tuple(field for field in chosen if field.name in fields)
    template = sent = revised = following = None
    if explained.layout_origin:
        template = {"name": explained.layout or None, **_row(explained.layout_origin)}
    if entry and entry.commit:
        sent = _sent(explained, entry)
    if explained.revised:
        revised = {"time": explained.revised.time, "by": explained.revised.who}
    if change:
        following = {"action": change.action, "fields": _changed(change), "reason": change.reason}
    return {
        "version": VERSION,
        "site": explained.site,
        "path": explained.path,
        "kind": explained.kind,
        "id": getattr(entry, "id", None),
        "not_a_document": why_none,
        "source": {
            "blob": blob,
            "committed": explained.is_committed,
            "commit": _commit_row(explained.changed),
        },
        "template": template,
        "defaults": [asdict(defaults) for defaults in explained.defaults],
        "fields": [*map(_field_row, chosen)],
        "left_to_the_site": list(explained.left),
        "sent": sent,
        "site_was_read": explained.looked,
        "revised": revised,
        "next": following,
        "causes": [*map(_row, explained.causes)],
        "refusals": list(explained.refusals),
    }


def _sent(explained: Explanation, entry: Entry) -> dict[str, object]:
    commit = _commit_row(explained.sent) if explained.sent else {"id": entry.commit}
    row = {name: getattr(entry, name) for name in ("link", "slug", "modified", "modified_gmt")}
    return {"commit": commit, "run": explained.run or None, **row}


def _changed(change: Change) -> list[str]:
    return [] if isinstance(change, Keep | Delete) else list(change.fields)


def _commit_row(commit: Commit | None) -> dict[str, object] | None:
    if commit is None:
        return None
    return {"id": commit.id, "time": commit.time, "by": commit.who, "subject": commit.subject}


def _row(told: ValueOrigin | Cause) -> dict[str, object]:
    return {name: value or None for name, value in asdict(told).items()}


def _field_row(field: ExplainedField) -> dict[str, object]:
    value = list(field.value) if isinstance(field.value, tuple) else field.value
    return {
        "name": field.name,
        "value": value,
        "shown": field.shown,
        **_row(field.origin),
        "state": field.state.value,
        "state_name": field.state.public_name,
        "changed_by_service": field.bent,
        "edit": field.edit,
    }
