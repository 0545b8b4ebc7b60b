"""How a command ended -> at most three lines for whoever runs Git: what happened, where, what is next. Pure.

It must not print, and not ask Git. What decided its shape: a hook speaks between the lines of somebody's
commit, so it says nothing when nothing happened, and names one thing to do when something did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.app.hooks.subprocess_run import Ended

_WRONG = 2
_ERROR = "Error: "
_COUNTED = ("done", "failed", "skipped", "blocked", "in_doubt")
_NEXT = {
    "in_doubt": "next: look for it on the site, then `pressync resolve PATH --id N` or `… --not-created`",
    "failed": "next: `pressync sync` once the cause is mended, or the next commit",
    "skipped": "next: `pressync sync`, or the next commit, goes on from here",
    "blocked": "next: `pressync plan` tells what each one needs",
}


def lines(ended: Ended, site: str, limit: float, *, home: str = "", unsaved: str = "") -> list[str]:
    """Say how a sync of one site ended; nothing if there was nothing to do.

    `home` is where the site can be looked at when its links lead nowhere; `unsaved` what is next if the
    manifest has changes that are not committed; `limit` the seconds that Git waits.
    """
    document = ended.document
    if ended.code is None:
        return [
            f"{site}: not done after {limit:g} s; Git goes on, and the sync ends with its last answer",
            "next: `pressync sync`, or the next commit, goes on from here",
        ]
    if document is None:
        return _nothing_sent(ended, site, limit)
    counts: dict[str, int] = document["counts"]
    said = [f"{counts[key]} {key.replace('_', ' ')}" for key in _COUNTED if counts[key]]
    if not said:
        return []
    what = f"{site}: {', '.join(said)}, {counts['kept']} in step at {document['commit'][:10]}"
    if ended.stopped:
        what += f"; stopped after {limit:g} s"
    return [what, *_where(document["outcomes"], home), *_next(counts, ended, unsaved)]


def problems(ended: Ended) -> list[str]:
    """Give every line that a check said."""
    return [one_line(row) for row in ended.said.splitlines() if row.strip()]


def content_is_wrong(ended: Ended) -> bool:
    """Whether it ended for the content: a password that is missing ends with the same code."""
    return ended.code == _WRONG and bool(_problems_and_error(ended)[0])


def _problems_and_error(ended: Ended) -> tuple[list[str], str]:
    """Part the problems that a command told from its last word, which may have several lines of Git's."""
    rows = problems(ended)
    first = next((number for number, row in enumerate(rows) if row.startswith(_ERROR)), len(rows) - 1)
    wrong = [row for row in rows[: max(first, 0)] if not row.startswith(("warning: ", "… "))]
    return wrong, " ".join(row.strip() for row in rows[max(first, 0) :]).removeprefix(_ERROR)


def _nothing_sent(ended: Ended, site: str, limit: float) -> list[str]:
    if ended.stopped:
        return [
            f"{site}: nothing was sent within {limit:g} s; Git goes on",
            "next: `pressync sync`, or the next commit, tries again",
        ]
    wrong, what = _problems_and_error(ended)
    if content_is_wrong(ended):
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        return [f"{site}: nothing was sent, the content has problems", f"{wrong[0]}{more}",
                "next: `pressync check` lists them all; mend them and commit"]  # fmt: skip
    what = what or f"it ended with code {ended.code}"
    sentence, _, todo = what.rpartition("; ")
    return [f"{site}: nothing was sent", sentence or what, *([f"next: {todo}"] if sentence else [])]


def _where(outcomes: Sequence[dict[str, Any]], home: str) -> list[str]:
    """Name what a person must look at first, else where the changes can be seen."""
    wanting = [row for row in outcomes if row["result"] != "done"]
    if wanting:
        more = f" (and {len(wanting) - 1} more)" if len(wanting) > 1 else ""
        return [one_line(f"{wanting[0]['path']}: {wanting[0]['message']}{more}")]
    links = [row["link"] for row in outcomes if row["link"] and row["action"] != "delete"]
    if home:
        return [home]
    more = f" and {len(links) - 1} more" if len(links) > 1 else ""
    return [one_line(f"{links[0]}{more}")] if links else []


def _next(counts: dict[str, int], ended: Ended, unsaved: str) -> list[str]:
    for key, todo in _NEXT.items():
        if counts[key]:
            return [todo]
    if unsaved:
        return [unsaved]
    if ended.code:
        return ["next: `pressync plan` shows the conflicts"]
    return []
