"""Asks which terms, files and users the site does not have: deleted ones, and wrong numbers in documents.

WordPress accepts the id of a term or a picture that does not exist, and drops it without an error. It refuses
a record with such an author. Nothing shows that a text has the address of a deleted file. So a run asks
before it sends them, forgets the deleted ones, and looks for them again.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from pressync.client.port import Library, Reads, read_some
from pressync.content.references import NO_AUTHOR_TODO
from pressync.model.changes import Block, Blocked, Create, Keep, Plan, Update, desired_of, sent_of
from pressync.model.errors import BadAnswer, Code, Problem, Refused
from pressync.model.fingerprint import fingerprint, from_text
from pressync.model.printable import listed
from pressync.model.reason import Reason, ReasonCode
from pressync.plan import reasons
from pressync.sync.prerequisites import AUTHOR, FILE_FIELD, singular

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from pressync.content.content import Content
    from pressync.model.changes import Change
    from pressync.model.interface import Kind
    from pressync.model.records import Desired, Entry, Fields, Manifest, Record, Value
    from pressync.state.state import Learner, State


# A record is compared with what it was before it lost any of this many terms: 255 comparisons.
_MOST = 8


@dataclass(frozen=True, slots=True)
class OpenSite:
    """The open site beside the memory that a run compares with it; `say` hears of the differences."""

    reads: Reads
    library: Library | None
    state: State
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Vanished:
    """The ids of deleted terms, files and users, by the field that holds them."""

    ids: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def as_left(self, entry: Entry, record: Record) -> Entry:
        """Give the entry of a record that lost deleted terms, its picture or its author.

        The entry says what the record holds now, and has no blob. So the loss is not somebody's edit, and the
        next plan reads the file and gives the record back what it says.
        """
        left = {name: fingerprint(record.fields[name]) for name in self.explain(entry, record.fields)}
        if not left:
            return entry
        return replace(
            entry,
            blob="",
            fingerprints={**entry.fingerprints, **left},
            changed_by_service={n: d for n, d in entry.changed_by_service.items() if n not in left},
            conflict={name: text for name, text in entry.conflict.items() if name not in left},
        )

    def explain(self, entry: Entry, fields: Fields) -> dict[str, frozenset[int]]:
        """Give the deleted ids that explain what a record holds in some fields, by field."""
        lost_ids = {}
        for name, ids in self.ids.items():
            # The field was sent by name, so the manifest has the ids that came back.
            value, stored = fields.get(name), entry.changed_by_service.get(name)
            if value is not None and stored is not None:
                before = (some for held, some in _before(name, value, ids) if fingerprint(held) == stored)
                if lost := frozenset(next(before, ())):
                    lost_ids[name] = lost
        return lost_ids

    def named(self, manifest: Manifest, ids: Mapping[str, Collection[int]]) -> list[str]:
        """Name deleted things for people; `ids` are theirs, by field."""
        terms = (
            f"{singular(name.field)} '{name.text}'"
            for name, number in manifest.names.items()
            if number in ids.get(name.field, ())
        )
        files = (medium.path for medium in manifest.media.values() if medium.id in ids.get(FILE_FIELD, ()))
        return sorted((*terms, *files))


def look(service: Library, manifest: Manifest, fields: Collection[str]) -> Vanished:
    """Ask which of the known terms, files and users of these fields the site has no longer.

    :raises ServiceError: the service cannot be read.
    """
    wanted: dict[str, set[int]] = defaultdict(set)
    for name, number in manifest.names.items():
        if name.field in fields:
            wanted[name.field].add(number)
    if FILE_FIELD in fields and manifest.media:
        wanted[FILE_FIELD] = {medium.id for medium in manifest.media.values()}
    return _gone(service, wanted)


def reasons_of_edits(vanished: Vanished, manifest: Manifest, entries: Iterable[Entry]) -> dict[str, Reason]:
    """Say, by path, which deleted things explain all edits of a record."""
    whys = {}
    for entry in entries:
        edits = {name: from_text(entry.kind, name, text) for name, text in entry.conflict.items()}
        ids = vanished.explain(entry, edits)
        if edits and ids.keys() == edits.keys():
            whys[entry.path] = reasons.lost(sorted(ids), vanished.named(manifest, ids), entry.path)
    return whys


def _needs(manifest: Manifest, content: Content, documents: Iterable[Desired]) -> dict[str, set[int]]:
    """Give the ids of the known terms, authors and files that documents have, by field."""
    wanted: dict[str, set[int]] = defaultdict(set)
    files = content.tree.files
    for desired in documents:
        for name in (name for mention in desired.mentions for name in mention.names):
            if name in manifest.names:
                wanted[name.field].add(manifest.names[name])
        for path in desired.links:
            if medium := manifest.media.get(files.get(path, "")):
                wanted[FILE_FIELD].add(medium.id)
    return wanted


def _gone(service: Library, wanted: Mapping[str, set[int]]) -> Vanished:
    gone = {name: frozenset(ids - service.present(name, ids)) for name, ids in wanted.items()}
    return Vanished({name: ids for name, ids in gone.items() if ids})


def forget_needed(site: OpenSite, content: Content, plan: Plan, memory: Learner | None = None) -> bool:
    """Forget what the pending changes of a plan need and the site has no longer; false if it has all.

    A sync makes the deleted terms of what it sends again, so these records are in no conflict. A plan that
    changes nothing forgets them in its own `memory`.

    :raises ServiceError: the service cannot be read.
    """
    if site.library is None:
        return False
    learner = memory or site.state
    needs = _needs(learner.manifest, content, desired_of(plan.changes))
    return _forget(site, learner, _gone(site.library, needs), content, plan)


def forget_edited(site: OpenSite, content: Content, plan: Plan) -> bool:
    """Forget what edits of others are about and the site has no longer; false if it has all.

    :raises ServiceError: the service cannot be read.
    """
    if site.library is None:
        return False
    manifest = site.state.manifest
    edited = {name for entry in manifest.entries.values() for name in entry.conflict}
    return _forget(site, site.state, look(site.library, manifest, edited), content, plan)


# A plug-in may delete a term in the save of the record that names it. That was told when the record came
# back. No record loses it later, and it is not made again before a document sends it.
def _forget(site: OpenSite, learner: Learner, vanished: Vanished, content: Content, plan: Plan) -> bool:
    """Forget deleted things, and note which records lost something; false if there is nothing.

    People are told of those that a record lost, or that a change of the plan sends.
    """
    gone, manifest = vanished.ids, learner.manifest
    if not gone:
        return False
    told = _note_losses(site.reads, learner, vanished)
    for name, ids in _needs(manifest, content, sent_of(plan.changes)).items():
        told[name] |= ids & gone.get(name, frozenset())
    lost = vanished.named(manifest, told)
    names = [name for name, number in manifest.names.items() if number in gone.get(name.field, ())]
    media = [blob for blob, medium in manifest.media.items() if medium.id in gone.get(FILE_FIELD, ())]
    learner.unlearn(names=names, media=media)
    if lost:
        site.say(
            f"Somebody deleted these on the site: {listed(lost)}. The sync looks for them, and makes "
            "missing terms and files again."
        )
    return True


def _note_losses(reads: Reads, learner: Learner, vanished: Vanished) -> dict[str, set[int]]:
    """Read every record that may have lost something; give the ids that explain what they hold, by field."""
    lost: dict[str, set[int]] = defaultdict(set)
    by_kind: dict[Kind, dict[int, Entry]] = defaultdict(dict)
    for entry in learner.manifest.entries.values():
        if vanished.ids.keys() & entry.changed_by_service.keys():
            by_kind[entry.kind][entry.id] = entry
    for kind, entries in by_kind.items():
        # No change of this user can overwrite a record that this user may not read.
        records, _ = read_some(reads, kind, entries.keys())
        left = {number: vanished.as_left(entries[number], record) for number, record in records.items()}
        learner.put(*(entry for number, entry in left.items() if entry is not entries[number]))
        for number, record in records.items():
            for name, ids in vanished.explain(entries[number], record.fields).items():
                lost[name] |= ids
    return lost


def _before(name: str, value: Value, ids: frozenset[int]) -> Iterator[tuple[Value, tuple[int, ...]]]:
    """Give the values that a field may have had before some of these ids were deleted, and these ids."""
    if value == 0 or name == AUTHOR:
        # The records of a deleted user belong to another one now.
        yield from ((number, (number,)) for number in ids)
    if not isinstance(value, tuple):
        return
    several = sorted(ids)[:_MOST]
    for count in range(1, len(several) + 1):
        for some in combinations(several, count):
            yield tuple(sorted({*value, *some})), some
            if len(value) == 1:
                # A post that loses its last category comes into the site's default one.
                yield some, some


# One request takes this many numbers.
_MOST_NUMBERS = 100


class NumericId(NamedTuple):
    """A number of a field with terms or an author, and the document that has it."""

    field: str
    id: int
    path: str


def missing_numbers(
    service: Library, content: Content, changes: Iterable[Change]
) -> tuple[tuple[Problem, ...], tuple[Reason, ...]]:
    """Give a warning for each number that the site does not have, and a remark on those not compared.

    :raises ServiceError: the service cannot be read.
    """
    named: dict[str, list[NumericId]] = defaultdict(list)
    for change in changes:
        for number in _numbers(content, change):
            named[number.field].append(number)
    problems: list[Problem] = []
    remarks: list[Reason] = []
    for name, numbers in sorted(named.items()):
        wanted = sorted({number.id for number in numbers})
        asked = frozenset(wanted[:_MOST_NUMBERS])
        try:
            gone = asked - service.present(name, asked)
        except (BadAnswer, Refused):
            asked = gone = frozenset()
        problems += [_missing(content, number) for number in numbers if number.id in gone]
        if left := [str(number) for number in wanted if number not in asked]:
            remarks.append(_not_compared(name, left, is_hidden=not asked))
    return tuple(dict.fromkeys(problems)), tuple(remarks)


def _numbers(content: Content, change: Change) -> Iterator[NumericId]:
    """Give the numbers in the document of a change, in the fields that the change is about."""
    fields = {AUTHOR, *content.settings.types.taxonomies}.intersection(_fields(change))
    if isinstance(change, Create | Update):
        # A document of names alone need not be read again.
        fields -= {
            mention.field for mention in change.desired.mentions if len(mention.names) == len(mention.given)
        }
    document = content.parse(change.path).document if fields and change.path in content.sources else None
    if document is None:
        return
    values = {name: value for name, value in document.fields.items() if name in fields}
    values |= {mention.field: mention.given for mention in document.mentions if mention.field in fields}
    for name, value in values.items():
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, int):
                yield NumericId(name, item, change.path)


def _fields(change: Change) -> Collection[str]:
    """Name the fields whose values may be missing on the site."""
    match change:
        case Create(desired=desired):
            return desired.fingerprints.keys()
        case Update(fields=fields) | Blocked(block=Block.CONFLICT, fields=fields):
            return fields
        case Keep(entry=entry):
            return entry.changed_by_service.keys()
        case _:
            return ()


def _missing(content: Content, number: NumericId) -> Problem:
    settings, field = content.settings, number.field
    if field == AUTHOR and number.id in settings.authors.values():
        problem, todo = f"[authors]: the site has no user {number.id}", "correct the user below `[authors]`"
        return Problem(settings.origins["authors"], 0, problem, todo, warning=True, code=Code.UNKNOWN_ID)
    problem = f"{field} {number.id}: the site has no {'user' if field == AUTHOR else 'term'} of this id"
    todo = NO_AUTHOR_TODO if field == AUTHOR else "write the name, which a sync looks up, or another id"
    line = _line(content, number)
    return Problem(number.path, line, problem, todo, warning=True, code=Code.UNKNOWN_ID)


def _line(content: Content, number: NumericId) -> int:
    """Give the line of a number in the front matter; 0 if it comes from a default."""
    text = content.repository.text(content.sources[number.path]) or ""
    from pressync.content.documents import split  # noqa: PLC0415 - 25 ms, and few runs have a wrong number
    from pressync.content.front_matter.keys import SPELLINGS  # noqa: PLC0415 - as above

    values = split(number.path, text).values
    key = next((key for key in SPELLINGS.get(number.field, (number.field,)) if key in values), "")
    if not key:
        return 0
    given = values[key]
    items = () if given.scalar else given.items
    return next((item.line for item in items if item.text == str(number.id)), 0) or given.line


def _not_compared(field: str, ids: list[str], *, is_hidden: bool) -> Reason:
    why = (
        "the site does not show them to this account"
        if is_hidden
        else f"a look asks for {_MOST_NUMBERS} of a field"
    )
    said = f"Not compared with the site: {field} {listed(ids)}, because {why}."
    return Reason(ReasonCode.IDS_NOT_COMPARED, {"field": field, "ids": tuple(ids)}, said)
