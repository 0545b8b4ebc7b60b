"""The numbers and words that every format shows: records, counts, and what visitors see of a change.

All formats start from this module, so that no two of them can show different numbers. WordPress answers to
the create of a draft as to that of a public page, with an address at which a visitor finds nothing. So the
words say which new records visitors do not see, where an editor sees them, and which addresses change.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pressync.model.changes import Blocked, Create, Delete, Result, Update
from pressync.model.outcomes import ACTIONS, action
from pressync.model.visibility import FRONT_PAGE, of_change, of_entry, preview

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.model.changes import Change, Outcome, Plan
    from pressync.model.records import Entry

# The order of a report for reviewers: the changes that need a person come first.
TO_REVIEW = (Blocked, Delete, Create, Update)
# The words for people. JSON has the value of each result.
RESULT_WORDS = {result: result.value for result in Result} | {Result.UNCONFIRMED: "unconfirmed"}
# A report shows this many previews, and counts the others.
_SHOWN = 3
# An address has its host behind the second slash.
_HOST = 3
_REDIRECTS = "`pressync redirects` prints the old and the new address of each"


def record(change: Change, entry: Entry | None = None) -> str:
    """Name the record of a change: its kind, and its id if it has one, of which `entry` may know."""
    number = record_id(change, entry)
    return change.kind.value if number is None else f"{change.kind.value} {number}"


def plan_counts(plan: Plan) -> dict[str, int]:
    """Count the changes of a plan by their word."""
    found = Counter(action(change) for change in plan.changes)
    found["keep"] += plan.unlisted
    return {name: found[name] for name in ACTIONS.values()}


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


def plan_notes(plan: Plan) -> list[str]:
    """Say how many new records nobody will see, and that addresses will change."""
    hidden = [of_change(change).status for change in plan.changes if isinstance(change, Create)]
    hidden = [each for each in hidden if each not in {"", "publish"}]
    moved = sum(isinstance(change, Update) and _moves(change) for change in plan.changes)
    sentences = []
    if hidden:
        sentences.append(f"{_invisible(hidden)}; after the sync, `pressync status` has their addresses.")
    if moved:
        sentences.append(f"{_moved(moved, 'will get')}: afterwards, {_REDIRECTS}.")
    return sentences


def run_notes(outcomes: Iterable[Outcome], *, previews: bool = True, login: bool = True) -> list[str]:
    """Name the previews of the new records that nobody sees, and say that addresses have changed.

    On the embedded service a preview needs no `login`.
    """
    done = [each for each in outcomes if each.result is Result.DONE and each.entry]
    hidden = [
        (each.change.path, entry)
        for each in done
        if isinstance(each.change, Create) and (entry := each.entry) and of_entry(entry).hidden
    ]
    moved = _without_pages_below([each for each in done if _has_moved(each)])
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
        # A front page has the address of the site; the pages below it keep their addresses.
        below = any(FRONT_PAGE not in change.fields or _renames(change) for change in moved)
        lines.append(f"{_moved(len(moved), 'got', below=below)}: {_REDIRECTS}.")
    return lines


def _without_pages_below(moved: Iterable[Outcome]) -> list[Update]:
    """Leave out the pages that have moved only because a page above them has, as a plan counts them."""
    pairs = [
        (each.change, each.entry.link) for each in moved if isinstance(each.change, Update) and each.entry
    ]
    now = {f"{change.entry.link.rstrip('/')}/": f"{link.rstrip('/')}/" for change, link in pairs}

    def is_below(change: Update, link: str) -> bool:
        parts = change.entry.link.rstrip("/").split("/")
        above = (f"{'/'.join(parts[:end])}/" for end in range(_HOST, len(parts)))
        return any(link.startswith(now[each]) for each in above if each in now)

    return [change for change, link in pairs if _renames(change) or not is_below(change, link)]


def _invisible(statuses: list[str]) -> str:
    one = len(statuses) == 1
    kinds = Counter(statuses)
    words = statuses[0] if len(kinds) == 1 else ", ".join(f"{n} {word}" for word, n in kinds.items())
    return f"Visitors do not see {len(statuses)} new {'record' if one else 'records'} ({words})"


def _moved(count: int, verb: str, *, below: bool = True) -> str:
    if count == 1:
        return f"1 record {verb} a new address" + ", with all pages below it" * below
    return f"{count} records {verb} new addresses" + ", with all pages below them" * below


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
