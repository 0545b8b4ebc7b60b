"""The rules by which a file was read otherwise before, each with the version in which it changed. Pure.

A new version must not change a site on which nobody edited anything. So a record keeps the former rule until
its file changes. The fingerprints of its entry show which rule made it. The plan that reads the file marks
the basis of the entry. So the plans after it, which do not read the file, name the record too.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from pressync import __version__
from pressync.model.fingerprint import may_be

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.model.records import Entry


class Rule(StrEnum):
    """A rule that has changed."""

    TITLE = "title"
    README = "readme"
    TAGS = "tags"


class RuleChange(NamedTuple):
    """A rule since it changed, the fields that show it, and the version that was `released` with it.

    A version that is not released has no number yet. So its rules have "", and are rules of this version.
    `mark` is one character, which is neither a digit of a basis nor another mark.
    """

    mark: str
    says: str
    fields: tuple[str, ...]
    moves: bool = False
    released: str = ""

    @property
    def version(self) -> str:
        """The version in which the rule changed."""
        return self.released or __version__


CHANGES: Mapping[Rule, RuleChange] = {
    Rule.TITLE: RuleChange(
        "T",
        "a title is the first heading of level 1, else the name of the file; a note has its file's name",
        ("title",),
    ),
    Rule.README: RuleChange(
        "R", "README.md is the page of a folder without index.md", ("slug", "parent"), moves=True
    ),
    Rule.TAGS: RuleChange("G", "in a vault, `[[#Heading]]` is not a tag, and the tag `#x` is x", ("tags",)),
}
EVERY = frozenset(CHANGES)
NO_RULES: frozenset[Rule] = frozenset()
# The fields of a document that rules decide by its file alone.
OF_FILES = ("title", "slug", "tags")


class AppliedRules(NamedTuple):
    """The rules of which a record keeps the former form, and those whose new form changes it now."""

    kept: frozenset[str] = NO_RULES
    ruled: frozenset[str] = NO_RULES


NO_CHANGE = AppliedRules()

# The fingerprint of each field that a rule decides; the path of a parent stands for itself.
Digests = dict[str, str | None]


def shown(entry: Entry, now: Digests, before: Digests) -> frozenset[Rule]:
    """Give the rules by whose former form an entry was made: it has what they gave then, and not now."""
    changed = [name for name, digest in now.items() if before[name] != digest]
    former = {
        name for name in changed if _has(entry, name, before[name]) and not _has(entry, name, now[name])
    }
    return frozenset(rule for rule, change in CHANGES.items() if not former.isdisjoint(change.fields))


def agrees(entry: Entry, now: Digests) -> bool:
    """Tell whether an entry has what the rules of today give."""
    return all(_has(entry, name, digest) for name, digest in now.items())


def _has(entry: Entry, name: str, digest: str | None) -> bool:
    if name == "parent":
        return entry.parent_path == digest
    sent = entry.fingerprints.get(name)
    if sent is None or digest is None:
        return sent == digest
    possible = may_be(sent)
    return possible is not None and digest in possible


def marks(rules: Iterable[str]) -> str:
    """Give the marks of rules, in one order."""
    return "".join(sorted(CHANGES[Rule(rule)].mark for rule in rules))


def named(rules: Iterable[str]) -> str:
    """Name each rule with its version, for people."""
    changes = [CHANGES[Rule(rule)] for rule in rules]
    return "; ".join(f"a rule of version {change.version}: {change.says}" for change in changes)
