"""Every error that pressync raises on purpose, and the problems that it finds in people's files.

A create may be repeated if it was *certainly not carried out*, and never if it was *perhaps carried out*. So
a caller can tell the two apart by the type of the error alone.

    PressyncError                 what, where and what to do next; has the exit code
    ├── ConfigError          (2)  pressync.toml, the environment or a flag is wrong
    ├── ContentError         (2)  problems in content or templates, all of them at once
    ├── RepositoryError      (2)  Git cannot do what was asked
    ├── ManifestError        (2)  the manifest cannot be read, or is for another target
    ├── JournalError         (2)  the journal is damaged before its torn end
    ├── StorageError         (1)  the disk refused a write; the journal has what the manifest lacks
    ├── SafetyRefusal        (4)  a limit stopped the run before the first call
    │   ├── LockHeld         (4)  another run holds the lock
    │   └── Overtaken        (4)  another run moved the manifest's reference first
    └── ServiceError         (1)  the service did not do what was asked
        ├── NotSent               never left this machine: certainly not carried out
        ├── Refused               the service said no: certainly not carried out
        │   └── Gone              the record does not exist (404, 410)
        ├── Later                 the service said later (429, 503 with Retry-After): not carried out
        ├── NoAnswer              perhaps carried out: the connection broke or timed out, or a 5xx came
        ├── BadAnswer             perhaps carried out: the response is not the record
        └── WrongDialect          carried out; the response shows that the service speaks another dialect
"""

# ruff: noqa: N818 - most of these names tell the caller what happened without the word "Error"

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.model.problem_codes import Code


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in one of the user's files: where it is, what it is, and what to do about it.

    `line` counts from 1; it is 0 if the line is not known. A problem that is a `warning` never stops a run.
    `code` names its sort, for programs. `alike` is the text for a group of problems that `what` tells apart.
    `rendering` is the document that was being rendered when a template had a problem; `what` names it too.
    """

    path: str
    line: int
    what: str
    todo: str = ""
    warning: bool = False
    rendering: str = ""
    alike: str = ""
    code: Code = field(kw_only=True)

    @property
    def severity(self) -> str:
        """Whether it is an `error` or a `warning`."""
        return "warning" if self.warning else "error"

    @property
    def group(self) -> Problem:
        """The problem without its place: it is equal for problems that are one line with several places."""
        return replace(self, path="", line=0, what=self.alike or self.what)

    @property
    def message(self) -> str:
        """The problem and what to do about it, without its place."""
        return f"{self.what}; {self.todo}" if self.todo else self.what

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.message}"

    def beside(self, path: str) -> str:
        """Give the problem for a line that names `path` already: a path stands there once."""
        if self.path != path:
            return str(self)
        return f"line {self.line}: {self.message}" if self.line else self.message


def counted_places(groups: int, places: int, word: str) -> str:
    """Count lines of problems or warnings, and their places if there are more of them."""
    number = f"{groups} {word}" if groups == 1 else f"{groups} {word}s"
    return f"{number} (at {places} places)" if places > groups else number


class PressyncError(Exception):
    """An error that says what went wrong, where, and what to do next; `exit_code` is that of the process."""

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", todo: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.todo = todo

    @property
    def name(self) -> str:
        """The name of its section in the guide: that of the class in this module, in small letters."""
        known = next(each for each in type(self).__mro__ if each.__module__ == __name__)
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", known.__name__).lower()

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.what}; {self.todo}" if self.todo else f"{place}{self.what}"


class ConfigError(PressyncError):
    """pressync.toml, the environment or a flag is wrong; nothing was sent."""

    exit_code = 2


class ContentError(PressyncError):
    """Content or templates cannot be used as they are; `problems` has every problem."""

    exit_code = 2

    def __init__(self, problems: tuple[Problem, ...], *, todo: str = "`--keep-going` syncs the rest") -> None:
        count = counted_places(len({problem.group for problem in problems}), len(problems), "problem")
        super().__init__(f"{count} in the content, nothing was sent", todo=todo)
        self.problems = problems


class RepositoryError(PressyncError):
    """Git cannot do what was asked: there is no repository, no such revision, or no commit yet."""

    exit_code = 2


class ManifestError(PressyncError):
    """The manifest cannot be read, or belongs to another target. pressync never overwrites it then."""

    exit_code = 2

    def __init__(self, what: str, *, where: str = "", todo: str = "") -> None:
        # The text may quote what a stranger wrote. A second line could look like a message of pressync.
        super().__init__(" ".join(what.split("\n")), where=where, todo=todo)


class JournalError(PressyncError):
    """The journal is damaged in the middle, where a crash cannot have torn it."""

    exit_code = 2


class StorageError(PressyncError):
    """The disk refused a write. The journal, or this message, tells what the service did."""

    @classmethod
    def joined(cls, errors: Sequence[StorageError]) -> StorageError:
        """Make one error that says what each of them says."""
        first = errors[0]
        return cls("; ".join(error.what for error in errors), where=first.where, todo=first.todo)


class SafetyRefusal(PressyncError):
    """A limit stopped the run before its first call; the message names the override, `code` the limit."""

    exit_code = 4

    def __init__(self, what: str, *, where: str = "", todo: str = "", code: str = "") -> None:
        super().__init__(what, where=where, todo=todo)
        self.code = code

    @property
    def name(self) -> str:
        """The name of the limit, or of the class if the limit has none."""
        return self.code or super().name


class LockHeld(SafetyRefusal):
    """Another run holds the lock of this site, and the time to wait for it is over."""


class Overtaken(SafetyRefusal):
    """Another run moved the manifest's reference first, so this plan was made from an older manifest."""


class ServiceError(PressyncError):
    """The service did not do, or did not return, what was asked."""


class NotSent(ServiceError):
    """The call certainly never left this machine (refused connection, failed name look-up)."""


class Refused(ServiceError):
    """The service refused the call (4xx) in a response of its own: certainly not carried out."""

    def __init__(self, what: str, *, status: int, where: str = "", todo: str = "") -> None:
        super().__init__(what, where=where, todo=todo)
        self.status = status


class Gone(Refused):
    """The record does not exist on the service (404, 410)."""


class Later(ServiceError):
    """The service said later (429, or 503 with Retry-After); `after` is in seconds, None if not given."""

    def __init__(self, what: str, *, after: float | None = None) -> None:
        super().__init__(what)
        self.after = after


class NoAnswer(ServiceError):
    """The call may have been carried out: the response did not come as a whole, or it was a 5xx."""


class BadAnswer(ServiceError):
    """The response is not the record: it is HTML, a list, a redirect, another id, or not JSON."""


class WrongDialect(ServiceError):
    """The response to the first write has JSON text in its fields: the service speaks the other dialect."""
