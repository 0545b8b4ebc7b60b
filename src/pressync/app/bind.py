"""Changes which file belongs to which record, as a person says: adopt, resolve, forget.

Nothing is sent to the site. Each command changes the manifest under the site's lock and saves it at once. The
next sync sends the content of the files.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.client.port import require_readable
from pressync.client.record_json import is_id
from pressync.model.errors import ConfigError, ContentError, ServiceError
from pressync.plan.decide import adopted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pressync.app.revision import Revision
    from pressync.app.workspace import Workspace
    from pressync.content.content import Content
    from pressync.model.interface import Kind
    from pressync.model.records import Entry
    from pressync.state.state import State


# Characters in the subject line of a commit, at most.
_SUBJECT = 70


def adopt(
    workspace: Workspace,
    bindings: Mapping[str, int],
    revision: Revision,
    say: Callable[[str], None] = lambda _sentence: None,
) -> list[Entry]:
    """Bind documents (path -> id) to existing records; either all of them or none.

    A path that the manifest already binds to the same record is confirmed, even if its file was removed.
    `say` tells people if the site could not be asked for the records.

    :raises ConfigError: a path is not a document, or the path or the record has another binding already.
    :raises ContentError: a document cannot be read.
    """
    content = workspace.content(revision)
    made: dict[tuple[Kind, int], Entry] = {}
    with workspace.state(writable=True) as state:
        holders = _holders(state)
        confirmed = {path for path, number in bindings.items() if _is_bound(state, path, number)}
        for path, number in bindings.items():
            if path in confirmed:
                # A person has confirmed the manifest, so from now on this clone vouches for the entry.
                state.vouched.add(state.manifest.entries[path])
                continue
            entry = _entry(path, _kind(content, state, path), number)
            _refuse_bound(state, holders, entry)
            twin = made.setdefault((entry.kind, entry.id), entry)
            if twin is not entry:
                raise ConfigError(
                    f"{twin.path} and {path} would both be {entry.kind} {entry.id}",
                    todo="remove one of the two",
                )
        _refuse_missing(workspace, made, say)
        for entry in made.values():
            if entry.path in state.unconfirmed:
                state.resolve(entry.path, entry)
            else:
                state.put(entry)
                state.vouched.add(entry)
        changed = [*made.values(), *(state.manifest.entries[path] for path in sorted(confirmed))]
        state.vouched.save()
        state.save(f"Adopt {', '.join(entry.path for entry in changed)}"[:_SUBJECT])
    return changed


def _refuse_missing(
    workspace: Workspace, made: Mapping[tuple[Kind, int], Entry], say: Callable[[str], None]
) -> None:
    """Refuse ids that the site does not have, where it can be asked; otherwise the next sync finds out."""
    if not made or not workspace.capabilities.read:
        return
    wanted = {kind: [number for each, number in made if each is kind] for kind in {kind for kind, _ in made}}
    try:
        with workspace.service(1) as service:
            reads = require_readable(service)
            found = {(kind, number) for kind, ids in wanted.items() for number in reads.records(kind, ids)}
    except (ConfigError, ServiceError) as error:
        say(f"The site was not asked for {'it' if len(made) == 1 else 'them'}: {error}")
        return
    missing = [entry for record, entry in made.items() if record not in found]
    if missing:
        more = f" (and {len(missing) - 1} more ids are not there)" if len(missing) > 1 else ""
        raise ConfigError(
            f"the site has no {missing[0].kind} {missing[0].id} that this user may see{more}",
            where=missing[0].path,
            todo="correct the id, or let `pressync adopt --from-site` find the record by its address",
        )


def _is_bound(state: State, path: str, number: int) -> bool:
    entry = state.manifest.entries.get(path)
    return entry is not None and entry.id == number and path not in state.unconfirmed


def resolve(workspace: Workspace, chosen_ids: Mapping[str, int | None]) -> None:
    """Settle unconfirmed creates, all or none: an id names the created record, None says that there is none.

    :raises ConfigError: a path has no unconfirmed create, or the record is bound already.
    """
    with workspace.state(writable=True) as state:
        settled = {path: _settled(state, path, number) for path, number in chosen_ids.items()}
        for path, entry in settled.items():
            state.resolve(path, entry)
        state.save(f"Resolve {', '.join(settled)}"[:_SUBJECT])


def forget(workspace: Workspace, paths: Collection[str]) -> list[Entry]:
    """Remove records from the manifest, all or none; the site is not changed.

    :raises ConfigError: the manifest lacks one of the paths.
    """
    with workspace.state(writable=True) as state:
        known = state.forgotten_by_manifest | dict(state.manifest.entries)
        missing = [path for path in dict.fromkeys(paths) if path not in known]
        if missing:
            verb = "is" if len(missing) == 1 else "are"
            what = f"{', '.join(missing)} {verb} not in the manifest"
            raise ConfigError(what, todo="`pressync status` lists its paths")
        entries = [known[path] for path in dict.fromkeys(paths)]
        for entry in entries:
            state.drop(entry.path)
        more = f" and {len(entries) - 1} more" if len(entries) > 1 else ""
        state.save(f"Forget {entries[0].path}{more}")
    return entries


def _settled(state: State, path: str, number: int | None) -> Entry | None:
    create = state.unconfirmed.get(path)
    if create is None:
        others = ", ".join(sorted(state.unconfirmed))
        todo = f"unconfirmed: {others}" if others else "no create is; `pressync status` lists all records"
        raise ConfigError(f"{path} is not unconfirmed", todo=todo)
    if number is None:
        return None
    entry = _entry(path, create.kind, number)
    _refuse_bound(state, _holders(state), entry)
    return entry


def _entry(path: str, kind: Kind, number: int) -> Entry:
    # Calls cannot name such a record, so every later run would fail at it.
    if not is_id(number):
        raise ConfigError(f"{number} is not an id of a record", where=path, todo="correct the id")
    return adopted(path, kind, number)


def _kind(content: Content, state: State, path: str) -> Kind:
    if path not in content.sources:
        raise ConfigError(
            f"{path} is not a committed document", todo="commit it first, below the content folder"
        )
    read = content.read(path, state.manifest.entries)
    if read.prepared is None:
        # For a file that is neither a page nor a post there is only a warning.
        errors = tuple(problem for problem in read.problems if not problem.warning)
        raise ContentError(errors or read.problems)
    return read.prepared.document.kind


def _holders(state: State) -> dict[tuple[Kind, int], str]:
    """Map each record to its path."""
    return {(entry.kind, entry.id): entry.path for entry in state.manifest.entries.values()}


def _refuse_bound(state: State, holders: Mapping[tuple[Kind, int], str], entry: Entry) -> None:
    held = state.manifest.entries.get(entry.path)
    if held is not None:
        raise ConfigError(
            f"{entry.path} is bound to {held.kind} {held.id} already",
            todo=f"`pressync forget {quote(entry.path)}` first",
        )
    other = holders.get((entry.kind, entry.id))
    if other is not None:
        raise ConfigError(
            f"{entry.kind} {entry.id} belongs to {other} already",
            todo=f"`pressync forget {quote(other)}` first",
        )
