"""The tools of `pressync mcp` as rows: the command that each stands for, and the arguments that it takes.

A tool can do what its command can do and nothing more, and the engine holds the limits. So a row has words of
a command line, and each argument adds words to them. A path is never an option.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pressync.model.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# An answer has this many rows if nobody asks for another number, and at most that many.
ROWS, MOST_ROWS = 20, 200
_LONGEST, _MOST_PATHS = 1000, 100
_SURROGATE = re.compile("[\ud800-\udfff]")


class Argument(NamedTuple):
    """An argument: its JSON schema, and the words that it adds to the command if it is true."""

    schema: Mapping[str, Any]
    words: tuple[str, ...] = ()


_ARGUMENTS: Mapping[str, Argument] = {
    "path": Argument({"type": "string", "description": "A file of the repository."}),
    "paths": Argument(
        {
            "type": "array",
            "items": {"type": "string"},
            "maxItems": _MOST_PATHS,
            "description": "Files or folders of the repository; none means all.",
        }
    ),
    "state": Argument({"type": "string", "description": "Only rows in this state."}),
    "limit": Argument(
        {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_ROWS,
            "description": f"Rows at most; {ROWS} if not given.",
        }
    ),
    "cursor": Argument({"type": "string", "description": "The `next_cursor` of the answer before this one."}),
    "worktree": Argument(
        {"type": "boolean", "description": "Read what is saved, with edits that are not committed."},
        ("--worktree",),
    ),
    "drift": Argument(
        {"type": "boolean", "description": "Compare with what the site holds now; it needs an account."},
        ("--drift",),
    ),
    "name": Argument({"type": "string", "description": "A `code` or a `name` in an answer."}),
}


class Tool(NamedTuple):
    """A tool: its name, its purpose, its command, and the names of its arguments.

    `rows` is the list of the document that comes in pages, and `state` the member of a row to choose by. Rows
    in the state `calm` need nobody, so they come last. A command that does not only read says so: it
    `changes_files` of the work tree, or `sends`.
    """

    name: str
    words: str
    command: str
    takes: tuple[str, ...] = ()
    rows: str = ""
    state: str = ""
    calm: str = ""
    changes_files: bool = False
    sends: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        required = [name for name in self.takes if name in {"path", "name"}]
        properties = {name: dict(_ARGUMENTS[name].schema) for name in self.takes}
        more = {"required": required} if required else {}
        return {"type": "object", "properties": properties, "additionalProperties": False, **more}


_PAGED = ("paths", "state", "limit", "cursor")
TOOLS = (
    Tool(
        "status",
        "List the records: path, id, address, state. A summary comes first.",
        "status --format json",
        _PAGED,
        "records",
        "state",
        "in_step",
    ),
    Tool(
        "check",
        "Find the problems of the content that is saved, committed or not: offline, each with its line. "
        "Beside `sync_drafts`, what that cannot make is a problem too. State: error or warning.",
        "check --format json",
        (*_PAGED, "worktree"),
        "problems",
        "severity",
        "warning",
    ),
    Tool(
        "plan",
        "Show what a sync of the commit would send, with both sides of each change. Changes nothing. "
        "State: create, update, delete or blocked.",
        "plan --diff --format json",
        (*_PAGED, "worktree", "drift"),
        "changes",
        "action",
    ),
    Tool(
        "explain",
        "Say why the record of one file is what it is, and what the next sync does.",
        "explain --format json",
        ("path", "worktree"),
    ),
    Tool(
        "explain_problem",
        "Explain the `code` of a problem, a message, a refusal or a change, with the way out.",
        "help",
        ("name",),
    ),
    Tool(
        "rehearse",
        "Do the sync on a stage on this machine, and check every link, those of drafts too. Nothing reaches "
        "the site. The address of the stage answers until the next rehearsal, ten minutes at most.",
        "rehearse --format json",
        ("state", "limit", "cursor"),
        "outcomes",
        "result",
        "done",
    ),
    Tool(
        "pull",
        "Take edits made on the site into the files. Look at `git diff` then.",
        "pull",
        ("paths",),
        changes_files=True,
    ),
    Tool(
        "sync_drafts",
        "Send committed drafts with the account of the agent, which can only write drafts.",
        "sync --as-agent --format json",
        ("limit", "cursor"),
        "outcomes",
        "result",
        "done",
        sends=True,
    ),
)


def offered(*, may_write: bool) -> dict[str, Tool]:
    """Give the tools of a server by name; beside the one that sends, `check` finds what that refuses."""
    tools = {tool.name: tool for tool in TOOLS if may_write or not tool.sends}
    if may_write:
        check = tools["check"]
        tools["check"] = check._replace(command=f"{check.command} --as-agent")
    return tools


class ToolArgumentError(Exception):
    """An argument that a tool does not take; the message says which, and what it takes."""


def checked(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Check the arguments of a call.

    :raises ToolArgumentError: one is unknown, missing, of another type, too long, or not text.
    """
    takes = " and ".join(f"`{name}`" for name in tool.takes) or "no argument"
    for name in arguments:
        if name not in tool.takes:
            told = printable(repr(name[:60]))
            raise ToolArgumentError(f"`{tool.name}` does not take {told}: it takes {takes}")
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in tool.schema.get("required", ()):
        if name not in given:
            raise ToolArgumentError(f"`{tool.name}` needs `{name}`")
    for name, value in given.items():
        if why := _wrong(_ARGUMENTS[name].schema, value):
            raise ToolArgumentError(f"`{name}` of `{tool.name}` {why}")
    return given


def _wrong(schema: Mapping[str, Any], value: object) -> str:
    match schema["type"], value:
        case "boolean", bool():
            return ""
        case "integer", int() if not isinstance(value, bool):
            low, high = schema["minimum"], schema["maximum"]
            return "" if low <= value <= high else f"is a number from {low} to {high}"
        case "string", str():
            return _wrong_text(value)
        case "array", list() if len(value) <= _MOST_PATHS:
            texts = (_wrong_text(item) if isinstance(item, str) else "is a list of texts" for item in value)
            return next(filter(None, texts), "")
        case "array", list():
            return f"has at most {_MOST_PATHS} texts"
        case kind, _:
            return f"is of the JSON type {kind}"
    raise AssertionError(schema)


def _wrong_text(text: str) -> str:
    if len(text) > _LONGEST:
        return f"is a text of at most {_LONGEST:,} characters"
    if "\0" in text or _SURROGATE.search(text):
        return "has a character that no path and no name has"
    return "" if text else "is empty"


def words_of(tool: Tool, given: Mapping[str, Any]) -> Iterator[str]:
    """Give the words of the command for arguments that are right."""
    yield from tool.command.split()
    for name in tool.takes:
        if given.get(name) is True:
            yield from _ARGUMENTS[name].words
    yield "--"
    for name in ("path", "name"):
        if name in given:
            yield given[name]
    yield from given.get("paths", ())
