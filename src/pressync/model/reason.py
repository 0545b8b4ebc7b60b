"""Why a change is made or not made: a code and facts for programs, and a sentence for people.

Programs filter by these codes (`plan --format json`), and the digest of a reviewed plan covers them. So a
code is never renamed and never used for another reason. A sentence may be worded anew in each version, so
nothing reads it to decide.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    Fact = str | int | tuple[str, ...]


class ReasonCode(StrEnum):
    """A sort of reason."""

    NONE = ""
    # A change is made.
    NEW = "new"
    BOUND = "bound"
    CHANGED = "changed"
    EMPTIED = "emptied"
    UNSURE = "unsure"
    NO_PARENT_ANY_MORE = "no_parent_any_more"
    FRONT_PAGE = "front_page"
    NO_FRONT_PAGE = "no_front_page"
    LINKS = "links"
    OVERWRITES = "overwrites"
    REPLACES_MARKUP = "replaces_markup"
    OUT_OF_TRASH = "out_of_trash"
    REMOVED = "removed"
    LEFT_OUT = "left_out"
    ROLLED_BACK = "rolled_back"
    # The manifest is to say something else, or the site keeps a value.
    RULE = "rule"
    MOVED = "moved"
    LET_GO = "let_go"
    STATUS_STAYS = "status_stays"
    WILL_BE_BOUND = "will_be_bound"
    # A change is blocked: the site has other values.
    CONFLICT = "conflict"
    CONFLICT_UNREADABLE = "conflict_unreadable"
    TRASHED = "trashed"
    DELETED = "deleted"
    EDITED_AND_REMOVED = "edited_and_removed"
    SYNCED_UPSTREAM = "synced_upstream"
    EDITED_SINCE = "edited_since"
    STATUS_CHANGED = "status_changed"
    NAMES_DELETED = "names_deleted"
    # A change is blocked: the record may be another one, or is not known.
    UNCONFIRMED = "unconfirmed"
    UNCONFIRMED_SECOND = "unconfirmed_second"
    FORGOTTEN = "forgotten"
    HEARSAY = "hearsay"
    UNVERIFIED = "unverified"
    TAKEN = "taken"
    BOUND_TWICE = "bound_twice"
    BOUND_OTHERWISE = "bound_otherwise"
    MAYBE_RENAMED = "maybe_renamed"
    # A change is blocked: the repository is not ready for it, or the service cannot do it.
    BROKEN = "broken"
    CANNOT_CREATE = "cannot_create"
    OTHER_KIND = "other_kind"
    PULLED = "pulled"
    PULLED_ELSEWHERE = "pulled_elsewhere"
    UNCOMMITTED = "uncommitted"
    OUTSIDE = "outside"
    PROTECTED = "protected"
    UNKNOWN_TYPE = "unknown_type"
    UNPROVEN = "unproven"
    NO_PARENT = "no_parent"
    PARENT_IN_TRASH = "parent_in_trash"
    PARENT_DELETED = "parent_deleted"
    HAS_CHILD = "has_child"
    NO_RIGHT = "no_right"
    LEFT_AS_IT_IS = "left_as_it_is"
    # A record was not compared with the site.
    NOT_READABLE = "not_readable"
    FIELDS_NOT_READABLE = "fields_not_readable"
    OTHER_SCHEMA = "other_schema"
    # A change waits for the next sync.
    WAITS = "waits"
    PARENT_WAITS = "parent_waits"
    # A plan as a whole.
    NO_DOCUMENT = "no_document"
    NEEDS = "needs"
    LOOKS_UP = "looks_up"
    COME_BACK = "come_back"
    SENT_AGAIN = "sent_again"
    FOR_GOOD = "for_good"
    NOT_ASKED = "not_asked"
    NEEDS_PERSON = "needs_person"
    FORMULAS = "formulas"
    FORMER_FORM = "former_form"
    KEPT_QUIET = "kept_quiet"
    KEPT_RULE = "kept_rule"
    RESOLVES_NOTE = "resolves_note"
    IDS_NOT_COMPARED = "ids_not_compared"
    WILL_BE_FILTERED = "will_be_filtered"

    @property
    def public_name(self) -> str:
        """The name for people, which is to be the code of a later version."""
        return _NAMES.get(self, self.value)


# The codes that are private words of the source.
_NAMES: Mapping[ReasonCode, str] = {
    ReasonCode.LET_GO: "left_to_the_site",
    ReasonCode.HEARSAY: "entry_lost_unverified",
    ReasonCode.FORGOTTEN: "entry_lost",
    ReasonCode.UNPROVEN: "removal_not_in_history",
    ReasonCode.LEFT_AS_IT_IS: "not_undone",
    ReasonCode.UNSURE: "unconfirmed_fields",
    ReasonCode.TAKEN: "address_taken",
    ReasonCode.OUTSIDE: "outside_type_folders",
    ReasonCode.BROKEN: "file_has_problems",
    ReasonCode.RULE: "rule_changed",
    ReasonCode.PULLED: "pull_not_committed",
    ReasonCode.LOOKS_UP: "addresses_looked_up",
    ReasonCode.COME_BACK: "deleted_records_return",
    ReasonCode.KEPT_QUIET: "nobody_told",
    ReasonCode.FOR_GOOD: "deleted_for_good",
    ReasonCode.NOT_ASKED: "account_not_asked",
    ReasonCode.FORMER_FORM: "older_form_kept",
    ReasonCode.KEPT_RULE: "older_rule_kept",
    ReasonCode.NEEDS: "names_and_files",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a change is made or not made. `facts` are values of its sentence.

    The fact `also` has the codes of further reasons for the same change. Two reasons that differ only in
    their sentence are equal.
    """

    code: ReasonCode
    facts: Mapping[str, Fact] = field(default_factory=dict, hash=False)
    sentence: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.sentence

    def __bool__(self) -> bool:
        return self.code is not ReasonCode.NONE

    @property
    def document(self) -> dict[str, object]:
        """The members of a row in a JSON document; a row without a reason has no code."""
        facts = {name: list(fact) if isinstance(fact, tuple) else fact for name, fact in self.facts.items()}
        return {"code": self.code.value or None, "name": self.code.public_name or None, "facts": facts}

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of all reasons for one change."""
        also = self.facts.get("also", ())
        return (self.code.value, *(also if isinstance(also, tuple) else ()))


NO_REASON = Reason(ReasonCode.NONE)


def joined(*reasons: Reason) -> Reason:
    """Make one reason of those that say something; the code is that of the first."""
    said = [reason for reason in reasons if reason]
    if len(said) < 2:  # noqa: PLR2004 - nothing is to be joined
        return said[0] if said else NO_REASON
    facts = {name: fact for reason in said for name, fact in reason.facts.items()}
    also = tuple(dict.fromkeys(code for reason in said for code in reason.codes))[1:]
    return Reason(said[0].code, {**facts, "also": also}, "; ".join(map(str, said)))
