"""Reads the event that started a step of a workflow, decides what the step does, and writes its files.

A pull request is a proposal, so it is only planned, whatever the mode says. Some events run with the
repository's secrets on the files of a stranger. They are refused, because those files name commands and
addresses. An output may have any value, so each value stands between two random lines that nobody can guess.
"""

from __future__ import annotations

import json
import secrets
import tempfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.client.responses import inside
from pressync.model.errors import ConfigError, storing

if TYPE_CHECKING:
    from collections.abc import Mapping

AUTO = "auto"

_PULL_REQUEST = "pull_request"
# A stranger can start these events, and they run with the repository's secrets ("Securely using
# pull_request_target"). `action.yml` refuses the same events before it installs anything.
_DANGEROUS = frozenset({"pull_request_target", "issue_comment", "workflow_run"})
_PLANNED = frozenset({_PULL_REQUEST, "pull_request_review", "merge_group"})
_SYNCED = frozenset({"push", "schedule", "workflow_dispatch", "repository_dispatch"})
_TAGS = "refs/tags/"
# Dependabot's pull requests come from this repository. But GitHub treats them like those of a fork: they get
# no secrets, and a token that can only read ("Dependabot on GitHub Actions").
_DEPENDABOT = "dependabot[bot]"


class Task(StrEnum):
    """The task of a run; the values are those of the Action's `mode`."""

    PLAN = "plan"
    SYNC = "sync"
    DRIFT = "drift"
    PULL = "pull"


@dataclass(frozen=True, slots=True)
class Event:
    """An event; `pull_request` is a number, `trusted` tells whether the run has secrets and may write.

    `ref` is the full name of the branch or tag that it is about, "" if the event does not say.
    """

    name: str
    repository: str
    default_branch: str | None
    pull_request: int | None = None
    trusted: bool = True
    is_private: bool = False
    ref: str = ""


def read_event(environ: Mapping[str, str]) -> Event:
    """Read the event from the variables and the file that every step gets ("Variables reference").

    :raises ConfigError: this is not a workflow, or its event cannot be read.
    """
    name = environ.get("GITHUB_EVENT_NAME", "")
    if not name:
        raise ConfigError(
            "this is not a GitHub workflow: GITHUB_EVENT_NAME is not set",
            todo="use the Action in a workflow; elsewhere there are `pressync plan` and `pressync sync`",
        )
    path = environ.get("GITHUB_EVENT_PATH", "")
    try:
        payload = json.loads(Path(path).read_bytes()) if path else {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"the event cannot be read: {error}", where="GITHUB_EVENT_PATH") from error
    repository = environ.get("GITHUB_REPOSITORY", "")
    branch, number = (
        inside(payload, "repository", "default_branch"),
        inside(payload, "pull_request", "number"),
    )
    # GitHub sends null for the head's repository once its fork is deleted.
    home = inside(payload, "pull_request", "head", "repo", "full_name")
    is_own = home == repository and environ.get("GITHUB_ACTOR") != _DEPENDABOT
    is_own |= not inside(payload, "pull_request")
    ref = environ.get("GITHUB_REF") or inside(payload, "ref") or ""
    return Event(
        name,
        repository,
        default_branch=branch if isinstance(branch, str) else None,
        pull_request=number if isinstance(number, int) else None,
        is_private=inside(payload, "repository", "private") is True,
        trusted=is_own,
        ref=str(ref),
    )


def task(event: Event, mode: str, *, branch: str | None, wanted: str | None, is_tip: bool = False) -> Task:
    """Decide what a run on `branch` does; `wanted` is the branch that the site is synced from, if known.

    `branch` is None for a detached HEAD, which may be the tip of the wanted branch (`is_tip`).

    :raises ConfigError: the event does not allow what `mode` asks, or it allows nothing.
    """
    if event.name in _DANGEROUS:
        raise ConfigError(
            f"{event.name} gives the secrets of this repository to a job that a stranger can start",
            where="on",
            todo=f"use {_PULL_REQUEST}: a plan needs no secret",
        )
    if event.name in _PLANNED:
        if mode not in (AUTO, Task.PLAN):
            raise ConfigError(
                f"a pull request is only ever planned, and mode is {mode}",
                where="mode",
                todo=f"run this step on another event: `if: github.event_name != '{_PULL_REQUEST}'`",
            )
        return Task.PLAN
    if mode != AUTO:
        return Task(mode)
    if event.name not in _SYNCED:
        raise ConfigError(
            f"the event {event.name} does not decide what to do",
            where="mode",
            todo="choose one of plan, sync, drift, pull",
        )
    if wanted is None or branch == wanted:
        return Task.SYNC
    # A plan would be a job that passes, and the push of a person would be on no site.
    is_of_branch = event.ref == f"refs/heads/{wanted}" or (is_tip and not event.ref.startswith(_TAGS))
    if branch is None and is_of_branch:
        raise ConfigError(
            f"HEAD is detached at a commit of '{wanted}', and the site is synced from the branch itself",
            where="actions/checkout",
            todo=f"leave its `ref:` out, or write `ref: {wanted}`; `mode: plan` only plans",
        )
    return Task.PLAN


# GitHub accepts a summary of 1 MiB, and a character has at most four bytes.
SUMMARY_LIMIT = 2**20 // 4


@dataclass(frozen=True, slots=True)
class Step:
    """One step; its runner sets variables that name the files."""

    environ: Mapping[str, str]

    @property
    def summarises(self) -> bool:
        """Whether the runner shows a summary."""
        return bool(self.environ.get("GITHUB_STEP_SUMMARY"))

    def output(self, **values: str) -> None:
        """Set outputs; an underscore in a name becomes a dash.

        :raises StorageError: the file cannot be written.
        """
        rows = []
        for name, value in values.items():
            fence = f"pressync-{secrets.token_hex(16)}"
            rows.append(f"{name.replace('_', '-')}<<{fence}\n{value}\n{fence}\n")
        self._append("GITHUB_OUTPUT", "".join(rows))

    def summarise(self, markdown: str) -> None:
        """Add text to the summary, which may have `SUMMARY_LIMIT` characters.

        :raises StorageError: the file cannot be written.
        """
        self._append("GITHUB_STEP_SUMMARY", f"{markdown}\n")

    def keep(self, name: str, text: str) -> Path:
        """Write a report for later steps into a new folder, and give its path.

        :raises StorageError: the file cannot be written.
        """
        folder = self.environ.get("RUNNER_TEMP") or tempfile.gettempdir()
        with storing(folder, "the report cannot be written"):
            path = Path(tempfile.mkdtemp(prefix="pressync-", dir=folder), name)
            path.write_text(text, encoding="utf-8")
        return path

    def _append(self, variable: str, text: str) -> None:
        name = self.environ.get(variable)
        if name:
            with storing(variable), Path(name).open("a", encoding="utf-8") as file:
                file.write(text)
