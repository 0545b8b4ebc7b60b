"""Every error that pressync raises on purpose, and the problems it finds in people's files.

It knows nothing of the rest. What decided its shape: a caller must be able to tell *certainly not
carried out* from *perhaps carried out* by type alone, because a create may be repeated after the one
and never after the other.

    PressyncError                 what, where, what to do next; carries the exit code
    ├── ConfigError          (2)  pressync.toml, the environment or a flag is wrong
    ├── ContentError         (2)  problems in content or templates, all of them at once
    ├── RepositoryError      (2)  Git cannot give what was asked
    ├── ManifestError        (2)  the manifest cannot be read, or is for another target
    ├── JournalError         (2)  the journal is damaged elsewhere than at its torn end
    ├── StorageError         (1)  the disk refused: the journal keeps what the manifest could not
    ├── SafetyRefusal        (4)  a limit stopped the run before the first call
    │   ├── LockHeld         (4)  another run holds the lock
    │   └── Overtaken        (4)  another run was first to move the manifest's reference
    └── ServiceError         (1)  the far side of the wire
        ├── NotSent               never left this machine: certainly not carried out
        ├── Refused               the service said no: certainly not carried out
        │   └── Gone              there is no such record (404, 410)
        ├── Later                 the service said later (429, 503 with Retry-After): not carried out
        ├── NoAnswer              perhaps carried out: the line broke, timed out, or a 5xx came
        ├── BadAnswer             perhaps carried out: an answer came that is not the record
        └── WrongDialect          carried out, and shown that the service speaks another dialect
"""

# ruff: noqa: N818 - an error's name is what the caller has to know, and most say it without the word

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in one of the user's files: where, what, and what to do about it.

    `line` is 1-based, or 0 when no line can be named. A problem that is a `warning` never stops a run.
    `rendering` is the document in whose rendering a template's problem showed; `what` names it too.
    """

    path: str
    line: int
    what: str
    todo: str = ""
    warning: bool = False
    rendering: str = ""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.what}; {self.todo}" if self.todo else f"{place}: {self.what}"


class PressyncError(Exception):
    """What went wrong, where, and what to do next, in that order; `exit_code` is the process's."""

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", todo: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.todo = todo

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.what}; {self.todo}" if self.todo else f"{place}{self.what}"


class ConfigError(PressyncError):
    """pressync.toml, the environment or a flag is wrong; nothing was sent."""

    exit_code = 2


class ContentError(PressyncError):
    """Content or templates cannot be used as they are; `problems` holds all of them."""

    exit_code = 2

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        count = f"{len(problems)} problem{'s' if len(problems) != 1 else ''}"
        super().__init__(f"{count} in the content, nothing was sent", todo="`--keep-going` syncs the rest")
        self.problems = problems


class RepositoryError(PressyncError):
    """Git cannot give what was asked: no repository, no such revision, no commit yet."""

    exit_code = 2


class ManifestError(PressyncError):
    """The manifest cannot be read, or belongs to another target. It is never overwritten then."""

    exit_code = 2

    def __init__(self, what: str, *, where: str = "", todo: str = "") -> None:
        # It may quote what a stranger wrote, and a second line could pass for a message of its own.
        super().__init__(" ".join(what.split("\n")), where=where, todo=todo)


class JournalError(PressyncError):
    """The journal is damaged in the middle, where no crash can have torn it."""

    exit_code = 2


class StorageError(PressyncError):
    """The disk refused a write. What the service did is in the journal, or in this message."""


class SafetyRefusal(PressyncError):
    """A limit stopped the run before its first call; the message names the override."""

    exit_code = 4


class LockHeld(SafetyRefusal):
    """Another run holds the lock of this site, and waiting for it came to its end."""


class Overtaken(SafetyRefusal):
    """Another run moved the manifest's reference first: what was planned was planned on an older one."""


class ServiceError(PressyncError):
    """The far side of the wire did not do, or did not say, what was asked."""


class NotSent(ServiceError):
    """The call certainly never left this machine (refused connection, failed name look-up)."""


class Refused(ServiceError):
    """The service said no (4xx) with its own answer: certainly not carried out."""

    def __init__(self, what: str, *, status: int, where: str = "", todo: str = "") -> None:
        super().__init__(what, where=where, todo=todo)
        self.status = status


class Gone(Refused):
    """There is no such record on the service (404, 410)."""


class Later(ServiceError):
    """The service said later (429, or 503 with Retry-After); `after` is in seconds, None if not said."""

    def __init__(self, what: str, *, after: float | None = None) -> None:
        super().__init__(what)
        self.after = after


class NoAnswer(ServiceError):
    """The call may have been carried out: no whole answer came, or a 5xx did."""


class BadAnswer(ServiceError):
    """An answer came that is not the record: HTML, a list, a redirect, another id, no JSON."""


class WrongDialect(ServiceError):
    """The echo of the first write shows literal JSON text: the service speaks the other dialect."""
