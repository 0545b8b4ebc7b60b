"""The numbers and words that every format shows, and the groups of what is equal: the first, and a count.

WordPress answers to the create of a draft as to that of a public page, so the words say which new records
visitors do not see. Reasons are equal if they have the same code and differ in facts of one record alone. The
words of a service have no code: they are equal if they differ in quoted values and numbers alone.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pressync.model.changes import (
    KINDS_OF_CHANGES,
    Blocked,
    Change,
    Create,
    Delete,
    NotCompared,
    Outcome,
    Plan,
    Result,
    Update,
)
from pressync.model.errors import Problem, counted_places
from pressync.model.outcomes import approval
from pressync.model.printable import counted, listed, one_line, shortened
from pressync.model.reason import ReasonCode
from pressync.model.visibility import FRONT_PAGE, of_change, of_entry, preview

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pressync.app.playground import Playground
    from pressync.model.reason import Reason
    from pressync.model.records import Entry
    from pressync.state.clone_log import EditorNote

_Item = TypeVar("_Item")
# The order of a report for reviewers: the changes that need a person come first.
TO_REVIEW = (Blocked, Delete, Create, Update, NotCompared)
# The words for people. JSON has the value of each result.
RESULT_WORDS = {result: result.value for result in Result} | {Result.UNCONFIRMED: "unconfirmed"}
# A report shows this many previews, and counts the others.
_SHOWN = 3
# An address has its host behind the second slash.
_HOST = 3
# The text of the link to the changed pages.
LOOK = "Look at these pages in WordPress"
# A longer text is compared up to here: nobody reads on.
_LONGEST_MARKUP = 100_000
_REDIRECTS = "`pressync redirects` prints the old and the new address of each"


def plan_counts(plan: Plan) -> dict[str, int]:
    """Count the changes of a plan by their word; only a plan that read the site has compared its records."""
    counts = Counter(change.action for change in plan.changes)
    counts["keep"] += plan.unlisted
    counted_ = [kind.action for kind in KINDS_OF_CHANGES if plan.compared or kind is not NotCompared]
    return {name: counts[name] for name in counted_}


def record_id(change: Change, entry: Entry | None) -> int | None:
    """Give the id of the record of a change, of which `entry` may know."""
    if entry:
        return entry.id
    return None if isinstance(change, Create) else change.id


def status(change: Change) -> str:
    """Name the status that the record of a change will have, or has."""
    return of_change(change).status


def reason(change: Change) -> str:
    """Give the reason of a change, and when its record appears if visitors do not see it before a date."""
    date = of_change(change).date
    return "; ".join(filter(None, (change.reason, date and f"visible from {date}")))


def look_at(entry: Entry) -> str:
    """Give the address of a record, or that of its preview if visitors do not see it."""
    return preview(entry.link) if of_entry(entry).hidden else entry.link


class PlanExtras(NamedTuple):
    """Things beside a plan: its pages in WordPress, and the open notes of editors on its records."""

    look: Playground | None = None
    noted: Sequence[EditorNote] = ()


NO_EXTRAS = PlanExtras()


def editor_note(note: EditorNote) -> str:
    """Say who wrote a note, about which words, and what."""
    who = note.author or "somebody"
    about = f" on “{_cut(note.quoted)}”" if note.quoted else ""
    by = f" (the sync resolves it: commit {note.resolved_by[:10]})" if note.resolved_by else ""
    return f"note {note.id} by {who}{about}: {_cut(note.text, 300)}{by}"


def _cut(text: str, most: int = 60) -> str:
    return shortened(" ".join(text.split()), most)


def look_notes(look: Playground | None) -> list[str]:
    """Say what a link to the changed pages does not have, and where it is."""
    if look is None:
        return []
    sentences = []
    if look.left:
        pages = counted(look.left, "changed page is", "changed pages are")
        sentences.append(
            f"{pages} not in the link, which has room for {look.longest:,} characters: `pressync plan "
            "--format playground --out FILE` writes all, and `pressync rehearse --on wordpress` plays a site."
        )
    if look.pictures:
        pictures = counted(look.pictures, "picture is", "pictures are")
        sentences.append(f"{pictures} not in the link: it has those of at most {look.small:,} bytes.")
    return sentences


def plan_notes(plan: Plan) -> list[str]:
    """Say how many new records nobody will see, and that addresses will change."""
    hidden = [of_change(change).status for change in plan.changes if isinstance(change, Create)]
    hidden = [status for status in hidden if status not in {"", "publish"}]
    moved = [change for change in plan.changes if isinstance(change, Update) and _moves(change)]
    sentences = []
    if hidden:
        addresses = "its address" if len(hidden) == 1 else "their addresses"
        sentences.append(f"{_invisible(hidden)}; after the sync, `pressync status` has {addresses}.")
    if moved:
        sentences.append(f"{_moved(moved, 'will get')}: afterwards, {_REDIRECTS}.")
    replaced = [c for c in plan.changes if ReasonCode.REPLACES_MARKUP in c.why.codes]
    if unknown := sum(change.path not in plan.markup for change in replaced):
        pages = counted(unknown, "more page" if plan.markup else "page")
        shown = "" if plan.compared else ": where the site can be read, `pressync plan --drift` shows it"
        sentences.append(f"The site's own text of {pages} is not known here{shown}.")
    if plan.approve and plan.pending:
        sentences.append(f"The digest of this plan, which a sync wants as its approval: {approval(plan)}")
    return sentences


def with_markup(plan: Plan, diffs: Mapping[str, str] | None) -> Mapping[str, str] | None:
    """Add to the diffs of a plan those of the texts of the site that it replaces as a whole."""
    if not plan.markup:
        return diffs
    from pressync.pull.bounded_diff import unified  # noqa: PLC0415 - few plans replace a text of others

    made = dict(diffs or {})
    for path, texts in plan.markup.items():
        there, new = (text[:_LONGEST_MARKUP] for text in texts)
        lines = unified(there, new, "content on the site now", "content as it will be", 2)
        made[path] = "\n".join(filter(None, (made.get(path, ""), *lines)))
    return made


def run_notes(outcomes: Iterable[Outcome], *, previews: bool = True, login: bool = True) -> list[str]:
    """Name the previews of new records that nobody sees, which may need `login`, and the moved addresses."""
    done = [outcome for outcome in outcomes if outcome.result is Result.DONE and outcome.entry]
    created = [(outcome.change.path, outcome.entry) for outcome in done if isinstance(outcome.change, Create)]
    hidden = [(path, entry) for path, entry in created if entry and of_entry(entry).hidden]
    moved = _without_pages_below([outcome for outcome in done if _has_moved(outcome)])
    seen = [(path, link) for path, entry in hidden if (link := preview(entry.link)) != entry.link]
    seen = seen if previews else []
    lines = []
    if hidden:
        sentence = _invisible([of_entry(entry).status for _, entry in hidden])
        them = "them" if len(hidden) > 1 else "it"
        where = f"Log in to see {them}:" if login else f"Look at {them} here:"
        lines.append(f"{sentence}. {where}" if seen else f"{sentence}.")
    lines += [f"  {path}: {link}" for path, link in seen[:_SHOWN]]
    if len(seen) > _SHOWN:
        lines.append(f"  … and {len(seen) - _SHOWN} more, which `pressync status` has")
    if moved:
        lines.append(f"{_moved(moved, 'got')}: {_REDIRECTS}.")
    return lines


def _without_pages_below(moved: Iterable[Outcome]) -> list[Update]:
    """Leave out the pages that have moved only because a page above them has, as a plan counts them."""
    pairs = [(o.change, o.entry.link) for o in moved if isinstance(o.change, Update) and o.entry]
    now = {f"{change.entry.link.rstrip('/')}/": f"{link.rstrip('/')}/" for change, link in pairs}

    def is_below(change: Update, link: str) -> bool:
        parts = change.entry.link.rstrip("/").split("/")
        above = (f"{'/'.join(parts[:end])}/" for end in range(_HOST, len(parts)))
        return any(link.startswith(now[page]) for page in above if page in now)

    return [change for change, link in pairs if _renames(change) or not is_below(change, link)]


def _invisible(statuses: list[str]) -> str:
    kinds = Counter(statuses)
    words = statuses[0] if len(kinds) == 1 else ", ".join(f"{n} {word}" for word, n in kinds.items())
    return f"Visitors do not see {counted(len(statuses), 'new record')} ({words})"


def _moved(moved: Collection[Update], verb: str) -> str:
    # A front page has the address of the site: the pages below it keep theirs. Pages are never below a post.
    pages = [change for change in moved if change.kind.row.hierarchical]
    below = any(FRONT_PAGE not in change.fields or _renames(change) for change in pages)
    addresses, them = ("a new address", "it") if len(moved) == 1 else ("new addresses", "them")
    return f"{counted(len(moved), 'record')} {verb} {addresses}" + f", with all pages below {them}" * below


def _moves(change: Update) -> bool:
    was_seen = bool(change.entry.link) and not of_entry(change.entry).hidden
    if not change.entry.fingerprints and change.desired.slug == change.entry.slug:
        # An adopted record was found by the address that its document will have.
        return False
    return was_seen and _renames(change)


def _renames(change: Update) -> bool:
    # A record that comes out of the trash has its slug named, and gets the same again.
    renamed = "slug" in change.fields and change.desired.slug != change.entry.slug
    return renamed or "parent" in change.fields


def _has_moved(outcome: Outcome) -> bool:
    change, entry = outcome.change, outcome.entry
    if not isinstance(change, Update) or entry is None or of_entry(change.entry).hidden:
        return False
    return bool(change.entry.link) and change.entry.link != entry.link


# A quoted value ends only before these characters, so that an apostrophe within the value does not end it.
_DIFFERING = re.compile(r"'.*?'(?=[,;.) ]|$)|\d+")
# A line names this many further places.
_NAMED = 2
# A printed command names at most this many paths. Of more paths it names the first, and says how to list all.
_MOST = 5
_COMMAND = re.compile(r"`([^`]*)`")
# These commands take any number of paths at their end.
_TAKES_PATHS = ("pressync sync ", "pressync pull ", "pressync forget ", "git commit ", "git checkout ")
_OPEN_END = (" ID", " N")
# These facts, every number and the path of the change are of one record.
_OF_ONE = frozenset({"slug", "status", "time", "records"})


def grouped(items: Iterable[_Item], key: Callable[[_Item], object]) -> list[list[_Item]]:
    """Group the items of one key, by the first of each group; an item whose key is None stays alone."""
    groups: dict[object, list[_Item]] = {}
    for number, item in enumerate(items):
        shared = key(item)
        groups.setdefault((number,) if shared is None else (None, shared), []).append(item)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A row of any format: equal changes or outcomes, the sentence of each path, and the first's record."""

    change: Change
    said: Sequence[tuple[str, str]]
    result: Result | None = None
    entry: Entry | None = None

    @property
    def paths(self) -> list[str]:
        """The paths of all."""
        return [path for path, _ in self.said]

    @property
    def record(self) -> str:
        """The kind of the record, and its id if it has one."""
        number = record_id(self.change, self.entry)
        return str(self.change.kind) if number is None else f"{self.change.kind} {number}"

    def why(self, *, named: bool = False) -> str:
        """Write the sentence of all; with `named` it has the next paths, where no cell has them."""
        return group_sentence(self.said, named=named)


def change_rows(changes: Iterable[Change], apart: Collection[str] = ()) -> list[ReportRow]:
    """Make one row of equal changes that are blocked or not compared, and not at the paths `apart`."""
    groups = grouped(
        changes, lambda c: alike(c) if isinstance(c, Blocked | NotCompared) and c.path not in apart else None
    )
    return [ReportRow(some[0], [(change.path, reason(change)) for change in some]) for some in groups]


def outcome_rows(outcomes: Iterable[Outcome]) -> list[ReportRow]:
    """Make one row of equal outcomes that are not done."""
    alone = {Result.KEPT, Result.DONE}
    groups = grouped(outcomes, lambda o: None if o.result in alone else (o.result, _said(o)))
    said = ([(outcome.change.path, outcome.message) for outcome in some] for some in groups)
    return [
        ReportRow(o.change, texts, o.result, o.entry) for (o, *_), texts in zip(groups, said, strict=True)
    ]


def alike(change: Change) -> tuple[object, ...]:
    """Give the part of a change that equal changes share."""
    return type(change), change.kind, *same_reason(change.why, change.path)


def same_reason(why: Reason, path: str) -> tuple[object, ...]:
    """Give the part of a reason that the changes of a group share: its code, and facts not of one record."""
    facts = {name: fact for name, fact in why.facts.items() if not isinstance(fact, int)}
    shared = ((name, "" if fact == path else fact) for name, fact in facts.items() if name not in _OF_ONE)
    return why.code, frozenset(shared)


def _said(outcome: Outcome) -> object:
    """Give the part of a message that equal outcomes share; the words of a service are all that it gives."""
    if outcome.why:
        return same_reason(outcome.why, outcome.change.path)
    return _compared(general(outcome.message, outcome.change.path))


def general(sentence: str, path: str) -> str:
    """Write a sentence for every path: its own path becomes PATH."""
    return sentence.replace(quote(path), "PATH").replace(path, "PATH")


def group_sentence(alike: Sequence[tuple[str, str]], *, named: bool = False, most: int | None = _MOST) -> str:
    """Write the sentence of a group of paths with their sentences, with commands that are for all of them.

    It names the next paths if they need a command of their own, and with `named` in any case. The commands
    have at most so many paths; None is for `status`, which has them all.
    """
    (path, text), *rest = alike
    own = any(quote(path) in command for command in _COMMAND.findall(text))
    further = rest if own or named else []
    more = others([other for other, _ in further])
    parts = [_COMMAND.split(message) for _, message in alike]
    if not own or not rest or len({len(part) for part in parts}) > 1:
        return text + more
    if most is not None and len(alike) > most:
        return f"{text}{more}; `pressync status` has the commands for all paths"
    paths = [quote(path) for path, _ in alike]
    # The text stands at the even places, and the commands between it.
    commands = zip(*(part[1::2] for part in parts), strict=True)
    joint = (f"`{_for_all(same, paths)}`" for same in commands)
    joined = "".join(chain(*zip(parts[0][::2], [*joint, ""], strict=True)))
    return joined if all(path in joined for path in paths) else joined + more


def whole_group(alike: Sequence[tuple[str, str]]) -> list[str]:
    """Write the sentence of a group of paths, with the commands for all of them, once if it can be."""
    path, text = alike[0]
    # A command in which a person has to write an id is the same for each path.
    own = [command for command in _COMMAND.findall(text) if quote(path) in command]
    if own and not own[0].endswith(_OPEN_END):
        text = group_sentence(alike, most=None)
        if not all(quote(path) in text for path, _ in alike):
            return [one_line(f"{path}: {said}") for path, said in alike]
    return [one_line(f"{listed([path for path, _ in alike], 1)}: {text}")]


def _for_all(commands: Sequence[str], paths: Sequence[str]) -> str:
    """Join the commands of several paths, each about its own."""
    first = commands[0]
    if len(set(commands)) == 1 or first.endswith(_OPEN_END):
        return first
    if first.startswith(_TAKES_PATHS) and first.endswith(f" {paths[0]}"):
        return " ".join((first, *paths[1:]))
    return " && ".join(commands)


def grouped_messages(pairs: Iterable[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Group equal messages: pairs of a place and a message."""
    return grouped(pairs, lambda pair: _compared(pair[1]))


def _compared(message: str) -> str:
    """Give the part of a message that equal messages share."""
    return _DIFFERING.sub("…", message)


def group_line(alike: Sequence[tuple[str, str]]) -> str:
    """Write one group: the first place and its message, then the next places and the number of the others."""
    place, message = alike[0]
    return ": ".join(filter(None, (one_line(place), one_line(message)))) + others(
        [place for place, _ in alike[1:]]
    )


def others(places: Sequence[str]) -> str:
    """Name the next places of a group, and count the others; an empty text if there are none."""
    return f"; also {listed([*map(one_line, places)], _NAMED)}" if places else ""


def grouped_problems(problems: Iterable[Problem], *, similar: bool = False) -> list[list[Problem]]:
    """Group equal problems; `similar` ignores numbers and values."""

    def key(problem: Problem) -> Problem:
        if not similar:
            return problem.group
        message, todo = (_compared(general(text, problem.path)) for text in (problem.what, problem.todo))
        return problem.group._replace(what=message, todo=todo)

    return grouped(problems, key)


def count_problems(problems: Sequence[Problem], word: str) -> str:
    """Count problems as they are printed: the lines, and the places if there are more of them."""
    return counted_places(len(grouped_problems(problems)), len(problems), word)


def merged_problem(alike: Sequence[Problem]) -> Problem:
    """Make one problem of a group: at the first place, and it names the next places and counts the others."""
    first, *rest = alike
    differs = any(problem.what != first.what for problem in rest)
    message = first.alike if differs and first.alike else first.what
    more = others([problem.place for problem in rest])
    return first._replace(what=message, todo=f"{first.todo}{more}" if first.todo else more.removeprefix("; "))
