"""The safety limits that stop a run before its first call. Pure: they turn numbers into sentences.

Both `plan` and `sync` take them from here. Each sentence has the numbers and the option that lifts the limit,
because the reader must decide at once whether the limit or the commit is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.changes import Change, Create, Delete, Refusal, Update
from pressync.model.errors import ConfigError, SafetyRefusal
from pressync.model.printable import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pressync.model.records import Name

# A percentage of few records means little, so the default limit needs at least this many records.
FLOOR = 10
OTHER_BRANCH = "other_branch"


@dataclass(frozen=True, slots=True)
class DeleteLimit:
    """How many records one run may delete: a count, or a percentage of all records."""

    count: int | None = None
    percent: float | None = None
    by_default: bool = False

    @classmethod
    def of(cls, text: str | None) -> DeleteLimit:
        """Read the value of `--max-delete`; without one the default holds.

        :raises ConfigError: the text is not a limit.
        """
        return cls.parse(text) if text else DEFAULT_LIMIT

    @classmethod
    def parse(cls, text: str) -> DeleteLimit:
        """Read `N` or `N%`.

        :raises ConfigError: the text is neither.
        """
        # Python converts neither thousands of digits to a number nor a huge percentage of the records.
        match = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)%|(\d{1,9})", text.strip())
        if not match:
            raise ConfigError(
                f"'{text}' is not a limit",
                where="--max-delete",
                todo="write a number, or a percentage like 50%",
            )
        return cls(percent=float(match[1])) if match[1] else cls(count=int(match[2]))

    def exceeded(self, deletes: int, records: int) -> Refusal | None:
        """Refuse the deletes, or give None."""
        if not deletes:
            return None
        if self.count is not None:
            allowed, limit = self.count, f"{self.count}"
        elif self.by_default and records < FLOOR:
            return None
        else:
            percent = self.percent or 0.0
            allowed, limit = int(records * percent / 100), f"{percent:g} % of {records}"
        if deletes <= allowed:
            return None
        share = 100 * deletes / max(records, 1)
        return Refusal(
            "too_many_deletes",
            f"it would delete {deletes} of {records} records ({share:.0f} %), and the limit is {limit}; "
            f"if this is intended, `pressync sync --max-delete {deletes}`",
        )


DEFAULT_LIMIT = DeleteLimit(percent=30, by_default=True)


def empty_source(documents: int, records: int, content: str, commit: str) -> Refusal | None:
    """Refuse to treat an empty content folder as "delete everything"."""
    if documents or not records:
        return None
    folder = f"{content}/" if content else "the root"
    return Refusal(
        "no_documents",
        f"there is no document below {folder} in commit {commit[:10]}, but the manifest has "
        f"{counted(records, 'record')}; correct `content` in pressync.toml. To delete all pages but one, "
        "commit one document, such as a draft, and sync with `--max-delete 100%`; `pressync forget` drops "
        "records and leaves their pages on the site",
    )


def other_branch(site: str, wanted: str, branch: str, *, rebasing: bool) -> Refusal:
    """Refuse a revision that is not on the branch that the site names."""
    problem = f"site '{site}' is synced from branch '{wanted}' only, and this is '{branch}'"
    return Refusal(OTHER_BRANCH, f"{problem}; {to_branch(wanted, rebasing=rebasing)}")


def to_branch(wanted: str, *, rebasing: bool) -> str:
    """Say how a clone gets to the site's branch. Git does not switch while a rebase is stopped."""
    if rebasing:
        return "a rebase is stopped here: `git rebase --continue` ends it, and `git rebase --abort` undoes it"
    return f"`git switch {quote(wanted)}`, or change `branch` in pressync.toml"


def beyond_tool(changes: Iterable[Change], *, readable: bool) -> Refusal | None:
    """Refuse what no tool of an agent sends, whatever its account may do; else give None.

    On a service that cannot be read, nobody can tell what the account may do.
    """
    pending = [change for change in changes if isinstance(change, Create | Update | Delete)]
    if pending and not readable:
        return of_tools("this service cannot be read, so nobody can tell what the account may do there")
    deleted = next((change.path for change in pending if isinstance(change, Delete)), None)
    return of_tools(f"the record of {deleted} would be deleted") if deleted is not None else None


def of_tools(why: str) -> Refusal:
    """Refuse what a tool of an agent does not send."""
    return Refusal("beyond_agent_policy", f"a tool does not send this: {why}; a person can sync it")


def refused_by_tools(why: str) -> SafetyRefusal:
    """Make the error of a run that met something which no tool of an agent sends."""
    refusal = of_tools(why)
    return SafetyRefusal(str(refusal), code=refusal.code)


def lacking(needed: Name | str) -> str:
    """Say which term or file a document needs that no tool of an agent makes."""
    if isinstance(needed, str):
        return f"needs {needed}, and the account of an agent uploads nothing"
    return f"names {needed.field} '{needed.text}', which the site does not have"


def moves_unseen(moved: Sequence[str]) -> Refusal:
    """Refuse to move pages by a rule of a new version, unless a person has seen the plan."""
    todo = "look at `pressync plan`, and run `pressync sync` at a terminal, or `sync --plan FILE`"
    said = f"a rule of a new version changes the address of {listed(moved)}; {todo}"
    return Refusal("moved_by_rule", said)


def distinct(*groups: Iterable[Refusal | None]) -> tuple[Refusal, ...]:
    """Give one refusal for each code: two reasons to pull are one pull."""
    refusals: dict[str, Refusal] = {}
    for refusal in filter(None, chain(*groups)):
        refusals.setdefault(refusal.code, refusal)
    return tuple(refusals.values())
