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

Each sort of problem has a code. Programs filter problems by these names (`check --format json`, SARIF rules),
so a name is never changed and never used for another problem. Messages may change; they are for people.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Self

from pressync.model.printable import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


# ruff: noqa: N818 - most of these names tell the caller what happened without the word "Error"


_HIDDEN = "run `pressync rehearse` with your password to see logins"


# A dataclass would load `dataclasses` and `inspect`, which takes 5 ms of a plan with nothing to do.
class _Problem(NamedTuple):
    path: str
    line: int
    what: str
    todo: str
    warning: bool
    rendering: str
    alike: str
    logins: str
    code: Code


class Problem(_Problem):
    """A mistake in one of the user's files: where it is, what it is, and what to do about it.

    `line` counts from 1; it is 0 if the line is not known. A problem that is a `warning` never stops a run.
    `code` names its sort, for programs. `alike` is the text for a group of problems that `what` tells apart.
    `rendering` is the document that was being rendered when a template had a problem; `what` names it too.
    `logins` names users of the site, and belongs to no report that strangers read.
    """

    __slots__ = ()

    def __new__(  # noqa: PLR0917 - its members, most of which are seldom given
        cls,
        path: str,
        line: int,
        what: str,
        todo: str = "",
        warning: bool = False,  # noqa: FBT001, FBT002 - as above
        rendering: str = "",
        alike: str = "",
        logins: str = "",
        *,
        code: Code,
    ) -> Self:
        """Make a problem; only the place and `what` must be given, and the code by its name."""
        return super().__new__(cls, path, line, what, todo, warning, rendering, alike, logins, code)

    @property
    def severity(self) -> str:
        """Whether it is an `error` or a `warning`."""
        return "warning" if self.warning else "error"

    @property
    def group(self) -> Problem:
        """The problem without its place: it is equal for problems that are one line with several places."""
        return self._replace(path="", line=0, what=self.alike or self.what)

    @property
    def place(self) -> str:
        """Its path, with its line if that is known."""
        return f"{self.path}:{self.line}" if self.line else self.path

    @property
    def message(self) -> str:
        """The problem and what to do about it, without its place."""
        return "; ".join(filter(None, (self.what, self.logins, self.todo)))

    @property
    def published(self) -> Problem:
        """The problem for a report that strangers may read: it says how to see the logins."""
        return self._replace(logins=_HIDDEN) if self.logins else self

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"

    def beside(self, path: str) -> str:
        """Give the problem for a line that names `path` already: a path stands there once."""
        if self.path != path:
            return str(self)
        return f"line {self.line}: {self.message}" if self.line else self.message


def counted_places(groups: int, places: int, word: str) -> str:
    """Count lines of problems or warnings, and their places if there are more of them."""
    number = counted(groups, word)
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
        documented = next(base for base in type(self).__mro__ if base.__module__ == __name__)
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", documented.__name__).lower()

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
        todo = "; ".join(dict.fromkeys(error.todo for error in errors if error.todo))
        return cls("; ".join(error.what for error in errors), where=errors[0].where, todo=todo)


@contextmanager
def storing(
    where: object, what: str = "it cannot be written", todo: str = "", *, so: str = ""
) -> Iterator[None]:
    """Say what the disk refused in a block, and where; `so` ends the sentence with what follows from it.

    :raises StorageError: the block has raised an OSError.
    """
    try:
        yield
    except OSError as error:
        what = f"{what} ({error.strerror or error}){so}"
        raise StorageError(what, where=str(where), todo=todo) from error


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
    """The service refused the call (4xx) in a response of its own: certainly not carried out.

    `code` is the service's own word for the reason; "" if it gave none.
    """

    def __init__(self, what: str, *, status: int, where: str = "", todo: str = "", code: str = "") -> None:
        super().__init__(what, where=where, todo=todo)
        self.status = status
        self.code = code


class Gone(Refused):
    """The record does not exist on the service (404, 410)."""


class Later(ServiceError):
    """The service said later (429, or 503 with Retry-After); `after` is in seconds, None if not given.

    `early` tells that it may be back sooner: a 503 guesses the time, and a 429 sets it.
    """

    def __init__(self, what: str, *, after: float | None = None, early: bool = False) -> None:
        super().__init__(what)
        self.after = after
        self.early = early


class NoAnswer(ServiceError):
    """The call may have been carried out: the response did not come as a whole, or it was a 5xx."""


class BadAnswer(ServiceError):
    """The response is not the record: it is HTML, a list, a redirect, another id, or not JSON."""


def is_lost(end: object) -> bool:
    """Whether the service may have carried out a call that ended so."""
    return isinstance(end, NoAnswer | BadAnswer)


class WrongDialect(ServiceError):
    """The response to the first write has JSON text in its fields: the service speaks the other dialect."""


class Code(StrEnum):
    """A sort of problem; `help` says what it is, for readers who see only the name."""

    help: str

    def __new__(cls, name: str, help_: str) -> Self:
        """Make a member of its name and its help."""
        code = str.__new__(cls, name)
        code._value_ = name
        code.help = help_
        return code

    # Files.
    FILE_NAME = "file-name", "The name of a file cannot be stored in a manifest."
    TOO_LARGE = "too-large", "A file is larger than a page may be."
    TOO_COMPLEX = "too-complex", "Rendering this text would take far more time than its length suggests."
    NOT_TEXT = "not-text", "A file is not UTF-8 text, or has characters that UTF-8 cannot encode."
    CONTROL_CHARACTER = (
        "control-character",
        "A text has a character that makes the feed of the site unreadable.",
    )
    GIT_FILTER = "git-filter", "Git stores something else than the text of a file."
    MERGE_CONFLICT = "merge-conflict", "Git's conflict markers are in the text."
    PASSED_OVER = (
        "passed-over",
        "A file of the content folder is in a format that pressync does not read, or a symbolic link.",
    )
    NOT_A_DOCUMENT = "not-a-document", "A Markdown file is neither a page nor a post, so it is not sent."
    TABLE = "table", "A table that an import wrote cannot be read, or its choices belong into the settings."

    # Front matter.
    FRONT_MATTER = "front-matter", "The front matter cannot be read."
    FRONT_MATTER_UNCLOSED = "front-matter-unclosed", "The front matter has no closing fence."
    ONE_TERM = "one-term", "A text with commas is the name of one category or tag."
    VALUE = "value", "A key of the front matter cannot take its value."
    UNKNOWN_KEY = "unknown-key", "A key of the front matter looks misspelt."
    UNKNOWN_FIELD = "unknown-field", "The site has not registered this field for the type."
    UNUSED_KEY = "unused-key", "A key of the front matter has no effect on this kind of record."
    FOREIGN_VALUE = "foreign-value", "A value has the meaning of another tool, and is left out."
    SEVERAL_AUTHORS = "several-authors", "A file names several authors, and a record has one."
    CONTRADICTION = "contradiction", "Two keys of the front matter contradict each other."
    NOT_SUPPORTED = "not-supported", "The site's dialect cannot store this value."
    MISSING_FILE = (
        "missing-file",
        "The front matter names a file that is not here, or that the site refuses.",
    )
    UNKNOWN_AUTHOR = "unknown-author", "The site does not have this author."
    UNKNOWN_ID = "unknown-id", "The site does not have the term or the author of this id."
    NO_ID = "no-id", "A name or a file has no id on the site yet."

    # Several documents together.
    MISSING_PARENT = "missing-parent", "The parent of a page is not a document."
    PARENT_CYCLE = "parent-cycle", "A page is its own ancestor."
    FOLDER_WITHOUT_PAGE = "folder-without-page", "A folder of pages does not have a page of its own."
    SAME_ADDRESS = "same-address", "Two documents want the same address."
    ID_TWICE = "id-twice", "Two files name the same record by `id:`."
    FRONT_PAGE = "front-page", "Two documents want to be the front page, or one that nobody sees."

    # Templates.
    MISSING_LAYOUT = "missing-layout", "A document names a template that does not exist."
    TEMPLATE = "template", "A template cannot be used."

    # Links.
    BROKEN_LINK = "broken-link", "A link leads to a file that does not exist."
    OUTSIDE_LINK = "outside-link", "A link leads out of the repository."
    UNSENT_FILE = "unsent-file", "A link leads to a file that the site does not get."
    DEAD_ANCHOR = "dead-anchor", "A link names a place that the page does not have."
    DEAD_ADDRESS = "dead-address", "A link that begins with `/` leads to an address that no document has."

    # Text.
    NO_TEXT = "no-text", "A file is empty, or it has lost all of its text."
    DOUBLE_TITLE = "double-title", "The text begins with its title, which the site shows above it."
    UNCLOSED_CODE = "unclosed-code", "The closing fence of a code block is missing."
    HUGO_SHORTCODE = "hugo-shortcode", "A shortcode of Hugo is shown as it is written."
    TEMPLATE_TAG = "template-tag", "A tag of Liquid, Jinja or Zola is shown as it is written."
    KRAMDOWN = "kramdown", "An abbreviation or an emoji code is shown as it is written."
    ATTRIBUTE_LIST = "attribute-list", "A list of attributes, as in kramdown, is shown as it is written."
    MDX = "mdx", "MDX is not Markdown: its components and imports do nothing on the site."
    MKDOCS_BLOCK = "mkdocs-block", "An admonition or a tab of MkDocs is shown as it is written."
    DOCUSAURUS_ADMONITION = (
        "docusaurus-admonition",
        "A directive of Docusaurus, Astro or MkDocs is shown as it is written.",
    )
    WIKILINK = "wikilink", "A link of a wiki or of Obsidian is shown as it is written."
    EMBED = "embed", "An embed of Obsidian is shown as it is written."
    PERCENT_COMMENT = "percent-comment", "Readers see a comment of Obsidian."
    HASHTAG = "hashtag", "A tag in the text is shown as it is written."
    CALLOUT = "callout", "A callout has a kind or a sign that alerts do not have."
    FORMULA = "formula", "A formula is shown as it is written."
    DIAGRAM = "diagram", "The source of a diagram is shown as code."
    FENCE_WORDS = "fence-words", "Words behind the language of a fence have no effect."
    PLAIN_CODE = "plain-code", "A code block is too long to be shown in colours."
    CITATION = "citation", "A citation of Pandoc is shown as it is written."
    ORG_DRAWER = "org-drawer", "A drawer or a keyword of Org is shown as it is written."
    TYPED_MARKUP = "typed-markup", "Readers see the marks of Markdown or HTML that is not markup here."

    # Outside of the content.
    SETTINGS = "settings", "The settings file is wrong."
    ADOPT_LIST = "adopt-list", "A line of a list of records to adopt cannot be used."
    MANIFEST = "manifest", "The manifest and the repository, this clone or the site disagree."
    MANIFEST_SEARCH = "manifest-search", "Git could not be searched completely for a lost manifest."
    ORPHANED_RECORD = "orphaned-record", "A record that this clone made has neither a file nor an entry."
    TAKEN_BACK = "taken-back", "A record has what this clone sent from a commit that history lacks."
