"""Changes which file belongs to which record: adopt, resolve, forget.

Nothing is sent to the site. Each command changes the manifest under the site's lock and saves it at once. The
next sync sends the content of the files. The records come from a person, from a list, or from the addresses
of the site. Where an address has several records, only a person can choose.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from pressync.client.port import AtAddress, read_keys, require_readable
from pressync.client.record_json import is_id
from pressync.model.changes import Create
from pressync.model.errors import Code, ConfigError, ContentError, Problem, ServiceError
from pressync.model.interface import Kind, SiteTypes
from pressync.model.printable import listed
from pressync.plan.build import PlanOptions, build_plan
from pressync.plan.decide import adopted
from pressync.plan.survey import NO_FINDINGS, known
from pressync.sync import occupied_addresses, prerequisites
from pressync.sync.occupied_addresses import DocumentMatcher, bound_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from pressync.app.revision import Revision
    from pressync.app.workspace import Workspace
    from pressync.content.content import Content
    from pressync.model.records import Desired, Entry, Record
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
        entries = state.manifest.entries
        ids = {path: entry.id for path, entry in entries.items() if path not in state.unconfirmed}
        confirmed = {path for path, number in bindings.items() if ids.get(path) == number}
        for path, number in bindings.items():
            if path in confirmed:
                # A person has confirmed the manifest, so from now on this clone vouches for the entry.
                state.vouched.add(entries[path])
                continue
            entry = _entry(path, _kind(content, state, path), number)
            _refuse_bound(state, entry)
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
        changed = [*made.values(), *(entries[path] for path in sorted(confirmed))]
        state.vouched.save()
        state.save(f"Adopt {', '.join(entry.path for entry in changed)}"[:_SUBJECT])
    return changed


def _refuse_missing(
    workspace: Workspace, made: Mapping[tuple[Kind, int], Entry], say: Callable[[str], None]
) -> None:
    """Refuse ids that the site does not have, where it can be asked; otherwise the next sync finds out."""
    if not made or not workspace.capabilities.read:
        return
    try:
        with workspace.service(1) as service:
            there = read_keys(require_readable(service), made)
    except (ConfigError, ServiceError) as error:
        say(f"The site was not asked for {'it' if len(made) == 1 else 'them'}: {error}")
        return
    missing = [entry for record, entry in made.items() if record not in there]
    if missing:
        more = f" (and {len(missing) - 1} more ids are not there)" if len(missing) > 1 else ""
        raise ConfigError(
            f"the site has no {missing[0].kind} {missing[0].id} that this user may see{more}",
            where=missing[0].path,
            todo="correct the id, or let `pressync adopt --from-site` find the record by its address",
        )


def resolve(workspace: Workspace, chosen_ids: Mapping[str, int | None]) -> None:
    """Settle unconfirmed creates, all or none: an id names the created record, None says that there is none.

    :raises ConfigError: a path has no unconfirmed create, or the record is bound already.
    """
    with workspace.state(writable=True) as state:
        settled: dict[str, Entry | None] = {}
        for path, number in chosen_ids.items():
            create = state.unconfirmed.get(path)
            if create is None:
                others = ", ".join(sorted(state.unconfirmed))
                none = "no create is; `pressync status` lists all records"
                todo = f"unconfirmed: {others}" if others else none
                raise ConfigError(f"{path} is not unconfirmed", todo=todo)
            settled[path] = None
            if number is not None:
                settled[path] = bound = _entry(path, create.kind, number)
                _refuse_bound(state, bound)
        for path, entry in settled.items():
            state.resolve(path, entry)
        state.save(f"Resolve {', '.join(settled)}"[:_SUBJECT])


def forget(workspace: Workspace, paths: Collection[str]) -> list[Entry]:
    """Remove records from the manifest, all or none; the site is not changed.

    :raises ConfigError: the manifest lacks one of the paths.
    """
    with workspace.state(writable=True) as state:
        recorded = state.forgotten_by_manifest | dict(state.manifest.entries)
        missing = [path for path in dict.fromkeys(paths) if path not in recorded]
        if missing:
            problem = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not in the manifest"
            raise ConfigError(problem, todo="`pressync status` lists its paths")
        entries = [recorded[path] for path in dict.fromkeys(paths)]
        for entry in entries:
            state.drop(entry.path)
        state.save(f"Forget {listed([entry.path for entry in entries], 1)}")
    return entries


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


def _refuse_bound(state: State, entry: Entry) -> None:
    held = state.manifest.entries.get(entry.path)
    if held is not None:
        raise ConfigError(
            f"{entry.path} is bound to {held.kind} {held.id} already",
            todo=f"`pressync forget {quote(entry.path)}` first",
        )
    other = state.holder(entry.kind, entry.id)
    if other is not None:
        raise ConfigError(
            f"{entry.kind} {entry.id} belongs to {other} already",
            todo=f"`pressync forget {quote(other)}` first",
        )


_Name = TypeVar("_Name", int, str)

_EXAMPLE = "`content/pages/a.md,12`"
# No id has more digits.
_DIGITS = 19


# The kind, the slug and the parent of a record by id, or of a document by path.
_Placed = tuple[Kind, str, _Name | None]


def bindings(file: Path, content: Content) -> dict[str, int]:
    """Read the bindings of a `.csv` (path,id) or `.xml` (WordPress export) file: path -> id.

    :raises ConfigError: the file cannot be read, or binds nothing; the error lists all wrong lines.
    """
    if file.suffix.lower() == ".xml":
        return _matched(_items(file, content.settings.types), content, file)
    return _rows(file)


def _rows(file: Path) -> dict[str, int]:
    bindings: dict[str, int] = {}
    problems: list[Problem] = []
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines)
            rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        todo = "save it as CSV in UTF-8"
        raise ConfigError(f"cannot be read: {error}", where=str(file), todo=todo) from error
    for number, cells in rows:
        if not any(cells) or [cell.lower() for cell in cells] == ["path", "id"]:
            continue
        if len(cells) != 2 or not _is_number(cells[1]) or int(cells[1]) < 1:  # noqa: PLR2004 - path and id
            wrong = "not a path and an id", "write `content/pages/a.md,12`"
        elif cells[0] in bindings:
            wrong = f"{cells[0]} is listed twice", "keep one of the lines"
        else:
            bindings[cells[0]] = int(cells[1])
            continue
        problems.append(Problem(str(file), number, *wrong, code=Code.ADOPT_LIST))
    if problems:
        raise ConfigError("\n".join(map(str, problems)))
    if not bindings:
        raise ConfigError("the file is without rows", where=str(file), todo=f"write lines like {_EXAMPLE}")
    return bindings


def _items(file: Path, types: SiteTypes) -> dict[int, _Placed[int]]:
    """Read the pages and posts of an export, by id."""
    items: dict[int, _Placed[int]] = {}
    try:
        # The parser (expat) refuses entities that expand without limit.
        for _, element in ET.iterparse(file):  # noqa: S314 - the user's own export
            if element.tag == "item":
                # The version in the namespace of these elements changes, so only local names count.
                fields = {child.tag.rpartition("}")[2]: (child.text or "").strip() for child in element}
                kind, number, parent = (fields.get(f"post_{name}", "") for name in ("type", "id", "parent"))
                if kind in types.by_name and _is_number(number):
                    # An export percent-encodes slugs that are not ASCII, as addresses do.
                    slug = unquote(fields.get("post_name", ""))
                    above = int(parent) if _is_number(parent) else 0
                    items[int(number)] = types.kind(kind), slug, above or None
                element.clear()
    except (OSError, ET.ParseError, ValueError, LookupError) as error:
        # The parser raises the last two for an encoding that it does not know.
        raise ConfigError(f"cannot be read: {error}", where=str(file), todo="export it again") from error
    return items


def _is_number(text: str) -> bool:
    """Tell whether it is a number that Python converts: it refuses thousands of digits."""
    return text.isdecimal() and len(text) <= _DIGITS


def _matched(items: Mapping[int, _Placed[int]], content: Content, file: Path) -> dict[str, int]:
    """Match records by their addresses, since an export names no files: their slug and those of parents."""
    reads = {path: content.read(path, {}).prepared for path in content.sources}
    desired = {path: prepared.desired for path, prepared in reads.items() if prepared}
    documents = {path: (d.kind, unquote(d.slug), d.parent_path) for path, d in desired.items()}
    records, bindings = _by_address(items), {}
    for address, paths in _by_address(documents).items():
        ids = records.get(address, [])
        # Nothing in an export tells two records with one address apart.
        if len(ids) == len(paths) == 1:
            bindings[paths[0]] = ids[0]
    if not bindings:
        raise ConfigError(
            f"none of its {len(items)} pages and posts has the address of a document",
            where=str(file),
            todo="bind by path with a CSV file of `path,id`",
        )
    return bindings


def _by_address(placed: Mapping[_Name, _Placed[_Name]]) -> dict[tuple[Kind, tuple[str, ...]], list[_Name]]:
    """Give those that have an address: their kind, and the slugs of their parents and their own."""
    names: dict[tuple[Kind, tuple[str, ...]], list[_Name]] = defaultdict(list)
    for name, (kind, slug, parent) in placed.items():
        slugs, passed, above = [slug], {name}, parent
        # A cycle is cut.
        while above is not None and above in placed and above not in passed:
            passed.add(above)
            _, slug_above, above = placed[above]
            slugs.insert(0, slug_above)
        # If a parent is not among them, the address is not known.
        if above is None or above in placed:
            names[kind, tuple(slugs)].append(name)
    return names


@dataclass(frozen=True, slots=True)
class Adoption:
    """The bound entries, the records of documents that were left alone, and how many addresses had none."""

    bound: tuple[Entry, ...]
    left: Mapping[str, tuple[Record, ...]]
    nothing_there: int


def adopt_from_site(workspace: Workspace, revision: Revision) -> Adoption:
    """Bind documents without a record to the records at their addresses.

    :raises ConfigError: the service cannot be read.
    :raises ServiceError: it does not answer.
    """
    if not workspace.capabilities.read:
        problem = f"the {workspace.settings.site.dialect} dialect does not show how to read records"
        todo = "bind one with `pressync adopt PATH ID`, or many with `--from FILE.csv` or a WordPress export"
        raise ConfigError(problem, where="--from-site", todo=todo)
    with workspace.state(writable=True) as state:
        content = workspace.content(revision, manifest=state.manifest)
        # Records that the manifest forgot are on the site too, so they are found there.
        evidence = replace(known(state, replace(NO_FINDINGS, taken={})), lost=dict)
        planned = build_plan(content, workspace.capabilities, evidence, PlanOptions(allow_rewind=True))
        creates = [change for change in planned.plan.changes if isinstance(change, Create)]
        if not creates:
            return Adoption((), {}, 0)
        with workspace.service(1) as service:
            reads = require_readable(service)
            # This call fails without valid credentials: a site hides drafts from visitors.
            user = reads.user()
            occupied = occupied_addresses.records_at(reads, creates, state.holder)
            if terms := service.library:
                there = tuple(create for create in creates if create.path in occupied)
                prerequisites.look_up(terms, state, content, replace(planned.plan, changes=there))
        live = {path: at.live for path, at in occupied.items()}
        alike = DocumentMatcher(content, planned.entries, live, user).matches()
        chosen, left = _chosen({create.path: create.desired for create in creates}, occupied, alike)
        entries = bound_entries(content, planned.entries, chosen, planned.plan.commit, said=True)
        if entries:
            state.put(*entries)
            for entry in entries:
                state.vouched.add(entry)
            state.vouched.save()
        state.save(f"Adopt {len(entries)} from the site, at {planned.plan.commit[:8]}")
    return Adoption(tuple(entries), left, len(creates) - len(entries) - len(left))


def _chosen(
    desired: Mapping[str, Desired], occupied: Mapping[str, AtAddress], alike: Mapping[str, Record]
) -> tuple[dict[str, Record], dict[str, tuple[Record, ...]]]:
    """Choose the record of each document; the second part has the addresses where nobody can choose."""
    chosen: dict[str, Record] = {}
    left: dict[str, tuple[Record, ...]] = {}
    spoken_for = {(record.kind, record.id) for record in alike.values()}
    wanted = Counter((r.kind, r.id) for path, at in occupied.items() if path not in alike for r in at.here)
    for path in occupied_addresses.parents_first({path: desired[path] for path in occupied}):
        if path in alike:
            chosen[path] = alike[path]
            continue
        records = occupied[path].here
        parent = desired[path].parent_path
        if parent is not None and parent in desired:
            above = chosen.get(parent)
            records = tuple(r for r in records if above is not None and r.fields.get("parent") == above.id)
        live = [r for r in records if not r.is_trashed and (r.kind, r.id) not in spoken_for]
        # Nothing tells two documents with one address apart.
        if len(live) == 1 and wanted[live[0].kind, live[0].id] == 1:
            chosen[path] = live[0]
        elif records:
            left[path] = records
    return chosen, left
