"""Makes the answer of a tool of what its command printed: a summary, named fields, and a page of rows.

A client reads an answer as one text, and a model pays for each character. So an answer has at most 20,000
characters, with the text for older clients, and it always parses. Everything in it is data: from files,
from the site, from messages.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pressync.cli.tools import ROWS, Tool
from pressync.model.printable import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# The most characters of an answer, which has its fields twice: as fields, and as text for older clients.
MOST = 20_000
_FIELDS = MOST // 2 - 500
_MESSAGES, _MOST_LISTED = 12, 10
# A text is cut at the first of these lengths with which a row fits.
_LENGTHS = (4000, 1000, 300, 80)
_REFUSED = 4
# The codes of messages that are about the call or the settings, and not about the content.
_NOT_CONTENT = frozenset({"config-error", "settings", "usage-error", "repository-error"})


class CommandEnd(NamedTuple):
    """The end of a command: its exit code (None if it did not end in time), its output and its messages."""

    exit_code: int | None
    output: str
    messages: str


class PageCursor(NamedTuple):
    """The place of a row: the key of the run that printed it, and its number."""

    run: str
    row: int

    def __str__(self) -> str:
        return f"{self.run}.{self.row}"


BEGINNING = PageCursor("", 0)


class Answer(NamedTuple):
    """The answer of a tool: its fields, and whether the call failed."""

    fields: dict[str, Any]
    is_error: bool = False

    @property
    def text(self) -> str:
        """The fields as JSON; a model reads characters that people do not see, so they are escaped."""
        return printable(json.dumps(self.fields, ensure_ascii=False))


def failed(summary: str, **more: object) -> Answer:
    """Make the answer of a call that failed."""
    return Answer({"summary": _cut(summary, _LENGTHS[1]), **more}, is_error=True)


def answer(
    tool: Tool,
    given: Mapping[str, Any],
    done: CommandEnd,
    secrets: Sequence[str] = (),
    first: PageCursor = BEGINNING,
) -> Answer:
    """Make the answer of a command that has run, from its `first` row on; none of the `secrets` is in it."""
    output, messages = (_without(text, secrets) for text in (done.output, done.messages))
    document = _document(output) if "json" in tool.command else None
    # The problems of a document are in the messages too.
    told = _messages(messages, with_problems="problems" not in (document or {}))
    if done.exit_code is None:
        return failed(f"`pressync {tool.command}` took too long, and was ended", messages=told)
    if document is None and _is_failure(tool, done.exit_code, told):
        summary = next((row["message"] for row in told[::-1] if row["level"] == "error"), "it failed")
        return failed(str(summary), exit_code=done.exit_code, messages=told)
    if document is None:
        return _of_text(output, done.exit_code, told)
    return _of_document(tool, given, document, done.exit_code, told, first)


def _without(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


def _document(output: str) -> dict[str, Any] | None:
    try:
        document = json.loads(output)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _messages(text: str, *, with_problems: bool) -> list[dict[str, Any]]:
    """Read the messages, one JSON object on a line; something else is a message too, such as a traceback."""
    told: list[dict[str, Any]] = []
    for line in text.splitlines():
        message = _document(line)
        if message is None:
            message = {"level": "error", "message": line} if line.strip() else {}
        message.pop("time", None)
        if message and (with_problems or "path" not in message):
            told.append({"level": "info", "message": "", **message})
    errors = [message for message in told if message["level"] == "error"]
    others = [message for message in told if message["level"] != "error"]
    left = len(told) - _MESSAGES
    shown = [_bounded(message, _LENGTHS[2]) for message in (errors + others)[:_MESSAGES]]
    return [*shown, {"level": "info", "message": f"… and {left} more"}] if left > 0 else shown


def _is_failure(tool: Tool, exit_code: int, told: Sequence[Mapping[str, Any]]) -> bool:
    """Tell a call that failed from one that found something wrong in the content."""
    errors = [message for message in told if message["level"] == "error"]
    about_files = [error for error in errors if "path" in error and error.get("code") not in _NOT_CONTENT]
    if exit_code == 0:
        return "json" in tool.command
    return exit_code == _REFUSED or not about_files


def _of_text(output: str, exit_code: int, told: list[dict[str, Any]]) -> Answer:
    lines = output.strip()
    problems = counted(sum(message["level"] == "error" for message in told), "problem") if exit_code else ""
    first = next((line for line in lines.split("\n") if line.strip()), "")
    info = str(told[-1]["message"]) if told else "done"
    summary = f"{problems} in the content, so nothing was done" if problems else first or info
    text = {"text": _cut(lines, _FIELDS // 2)} if lines else {}
    return Answer({"summary": _cut(summary, _LENGTHS[2]), "exit_code": exit_code, **text, "messages": told})


def _of_document(  # noqa: PLR0917 - a document, and what is told of it
    tool: Tool,
    given: Mapping[str, Any],
    document: dict[str, Any],
    exit_code: int,
    told: list[dict[str, Any]],
    first: PageCursor,
) -> Answer:
    every = document.pop(tool.rows, []) if tool.rows else []
    wanted = given.get("state")
    rows = [_told(row) for row in every if wanted in {None, row.get(tool.state)}]
    rows.sort(key=lambda row: row.get(tool.state) == tool.calm)
    _put_own_first(document, rows)
    # A rehearsal goes on after its account, which has the exit code.
    exit_code = document.get("exit_code", exit_code)
    summary = _summary(tool, document, every)
    if not rows and every:
        # A word that is not a state must not look like a site without records.
        summary = _cut(f"{summary}. None of them is chosen by `state`", _LENGTHS[1])
    head = {"summary": summary, "exit_code": exit_code}
    fields = {**head, **_bounded(_plain(document), _LENGTHS[2]), "messages": told}
    if _size(fields) > _FIELDS:
        fields = {**head, **_bounded(_plain(document), _LENGTHS[3]), "messages": told[:2]}
    if tool.rows:
        fields |= {tool.rows: [], "total": len(rows), "next_cursor": None}
        _fill(fields, tool.rows, rows, first, given.get("limit", ROWS))
    refused = document.get("refusals")
    return Answer(
        fields, is_error=exit_code == _REFUSED and not (refused and tool.name in {"plan", "rehearse"})
    )


def _put_own_first(document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
    """Let the dead links of the records that changed begin the list: those of a whole site are cut."""
    changed = {row.get("path") for row in rows}
    links = document.get("links")
    if isinstance(links, Mapping) and isinstance(dead := links.get("dead"), list):
        dead.sort(key=lambda link: link.get("path") not in changed)


def _told(row: Mapping[str, Any]) -> dict[str, Any]:
    """Leave the members out that say nothing: they were a third of a row."""
    return {name: value for name, value in row.items() if value not in (None, "", [], {})}


def _fill(fields: dict[str, Any], name: str, rows: Sequence[Any], first: PageCursor, limit: int) -> None:
    """Put a page of rows into the fields, with texts as long as there is room for; one row at least."""
    page, room = rows[first.row : first.row + limit], _FIELDS - _size(fields)
    for longest in _LENGTHS:
        shown = list(_fitting(page, longest, room))
        if len(shown) == len(page):
            break
    fields[name] = shown or [_named(row) for row in page[:1]]
    end = first.row + len(fields[name])
    fields["next_cursor"] = str(first._replace(row=end)) if end < len(rows) else None


def _fitting(page: Sequence[Any], longest: int, room: int) -> Iterator[Any]:
    """Give the first rows that there is room for, with their texts cut."""
    for row in page:
        shown = _bounded(row, longest)
        room -= _size(shown) + 2
        if room < 0:
            return
        yield shown


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give the members that name a row, if the whole row has no room."""
    return {key: row[key] for key in ("path", "line", "action", "state", "code") if key in row}


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what only programs compare."""
    return {
        name: value for name, value in document.items() if name not in {"version", "file_digest", "exit_code"}
    }


def _summary(tool: Tool, document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """Say in one sentence what the document has."""
    following = document.get("next")
    if isinstance(following, Mapping):
        parts = (str(following.get(name) or "") for name in ("action", "reason"))
        return _cut(": ".join(filter(None, parts)), _LENGTHS[1])
    counts = document.get("counts")
    if not isinstance(counts, Mapping):
        counts = Counter(str(row.get(tool.state, "")) for row in rows)
    said = ", ".join(f"{number} {name}" for name, number in counts.items() if number) or "nothing"
    if tool.rows and "counts" not in document:
        said = f"{counted(len(rows), tool.rows[:-1])}: {said}" if rows else f"No {tool.rows}"
    links = document.get("links")
    if isinstance(links, Mapping):
        said += (
            f"; {counted(int(links.get('checked', 0)), 'link')} checked, {len(links.get('dead', ()))} dead"
        )
    refused = [str(refusal.get("message", refusal)) for refusal in document.get("refusals") or ()]
    return _cut(". ".join([said, *(f"A sync would refuse: {refusal}" for refusal in refused)]), _LENGTHS[1])


def _size(value: object) -> int:
    return len(printable(json.dumps(value, ensure_ascii=False)))


def _bounded(value: Any, longest: int) -> Any:  # noqa: ANN401 - any JSON
    """Cut long texts and long lists of a JSON value."""
    match value:
        case str():
            return _cut(value, longest)
        case list():
            left = len(value) - _MOST_LISTED
            more = [f"… and {left} more"] if left > 0 else []
            return [_bounded(item, longest) for item in value[:_MOST_LISTED]] + more
        case dict():
            return {_cut(str(name), 100): _bounded(item, longest) for name, item in [*value.items()][:100]}
        case _:
            return value


def _cut(text: str, longest: int) -> str:
    """Cut a text, and show the characters that people do not see: a model reads them."""
    shown = printable(text[:longest])
    return shown if len(text) <= longest else f"{shown}… (cut)"
