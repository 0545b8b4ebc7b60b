"""The ways in which somebody agrees, and the guards that each of them lifts: one table, and one question.

A tool of an agent writes the texts that a guard is about. So it agrees to nothing: a person of this clone did
so before, or the guard holds. A way that is not in a row does not lift the guard.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# A server of tools sets this variable to 1 for the commands that it runs, and so does `--as-agent`.
TOOL = "PRESSYNC_TOOL"


class Consent(StrEnum):
    """How somebody agrees: an answer at a terminal, a flag, a digest, a pushed hook, a workflow, a tool."""

    TERMINAL = "terminal"
    YES = "yes"
    APPROVED = "approved"
    HOOK = "hook"
    ACTION = "action"
    AGENT = "agent"


class Guard(StrEnum):
    """What somebody agrees to."""

    FIRST_USE = "first use"
    ADDRESS = "address"
    COMMAND = "password_command"
    DRAWING = "mermaid"
    TRUST = "config --trust"
    PLAN = "approve"
    NOTE = "Resolves-Note"


_UNATTENDED = frozenset({Consent.TERMINAL, Consent.YES, Consent.APPROVED, Consent.ACTION})
_LIFTED_BY: Mapping[Guard, frozenset[Consent]] = {
    Guard.FIRST_USE: _UNATTENDED,
    Guard.ADDRESS: frozenset({Consent.TERMINAL}),
    Guard.COMMAND: frozenset({Consent.TERMINAL}),
    Guard.DRAWING: frozenset({Consent.TERMINAL}),
    Guard.TRUST: _UNATTENDED,
    Guard.PLAN: frozenset({Consent.TERMINAL, Consent.APPROVED}),
    Guard.NOTE: _UNATTENDED | {Consent.HOOK},
}


def lifts(way: Consent, guard: Guard) -> bool:
    """Tell whether this way of agreeing lifts a guard."""
    return way in _LIFTED_BY[guard]


def way_of(environ: Mapping[str, str], *, pushed: bool, watched: bool) -> Consent:
    """Tell how somebody agrees here; `watched` tells that a person at a terminal can answer."""
    if environ.get(TOOL) == "1":
        return Consent.AGENT
    if pushed:
        return Consent.HOOK
    if watched:
        return Consent.TERMINAL
    return Consent.ACTION if environ.get("GITHUB_ACTIONS") == "true" else Consent.YES
