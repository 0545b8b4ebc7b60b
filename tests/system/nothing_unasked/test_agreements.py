"""Each guard is tried with each way of agreeing, so that a new way or a new guard cannot be forgotten."""

from __future__ import annotations

import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from tests.support.builders import plan
from tests.support.plan_samples import UPDATE

from pressync.app.notes import resolve_named
from pressync.app.revision import Revision
from pressync.app.site import SyncedSite
from pressync.config.agreement import TOOL, Consent, Guard, way_of
from pressync.config.secrets import CredentialPolicy
from pressync.config.settings import find_text, load
from pressync.config.used_settings import UsedSettings
from pressync.model.changes import Outcome, Result
from pressync.model.errors import ConfigError, NotSent
from pressync.model.outcomes import RunResult
from pressync.model.reason import Reason, ReasonCode
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.support.repository import SampleRepository

    from pressync.model.reason import Fact
    from pressync.sync.control import Approval

OURS = '[sites.live]\nurl = "https://ours.example/wp-json"\n'
THEIRS = '[sites.live]\nurl = "https://theirs.example/wp-json"\n'
RUNS = OURS + 'user = "u"\npassword_command = ["echo", "secret"]\n'
DRAWS = OURS + '[markdown]\nmermaid = ["draw"]\n'
PASSWORD = {"PRESSYNC_USER": "u", "PRESSYNC_PASSWORD": "hunter2"}
# Who lifts what: by first use, by an answer at a terminal, by `--trust`, by a digest, by a run of people.
UNATTENDED = {Consent.TERMINAL, Consent.YES, Consent.APPROVED, Consent.ACTION}
LIFTED: dict[Guard, set[Consent]] = {
    Guard.FIRST_USE: UNATTENDED,
    Guard.ADDRESS: {Consent.TERMINAL},
    Guard.COMMAND: {Consent.TERMINAL},
    Guard.DRAWING: {Consent.TERMINAL},
    Guard.TRUST: UNATTENDED,
    Guard.PLAN: {Consent.TERMINAL, Consent.APPROVED},
    Guard.NOTE: UNATTENDED | {Consent.HOOK},
}


def policy(repository: Repository, way: Consent, environ: dict[str, str]) -> CredentialPolicy:
    """Give the policy of the settings that are saved, with a person who answers every question with yes."""
    found = find_text(repository, None)
    used = UsedSettings(repository, found.text, lambda _question: True, way)
    settings = load(found.text, where=found.where, environ=environ, site="live")
    is_tool = way is Consent.AGENT
    return CredentialPolicy(settings, environ, is_pushed=way is Consent.HOOK, used=used, is_tools=is_tool)


def _credentials(before: str, now: str, environ: dict[str, str]) -> Callable[..., bool]:
    """Try to get the credentials with settings, after a person has used others in this clone."""

    def lifted(sample: SampleRepository, way: Consent) -> bool:
        if before:
            sample.commit({"pressync.toml": before})
            with Repository(sample.root) as repository:
                policy(repository, Consent.TERMINAL, {}).trust()
        sample.commit({"pressync.toml": now})
        with Repository(sample.root) as repository:
            return policy(repository, way, environ).authorization() is not None

    return lifted


def _drawing(sample: SampleRepository, way: Consent) -> bool:
    sample.commit({"pressync.toml": OURS})
    with Repository(sample.root) as repository:
        policy(repository, Consent.TERMINAL, {}).trust()
        sample.commit({"pressync.toml": DRAWS})
        return not policy(repository, way, {}).refuses_drawing()


def _trust(sample: SampleRepository, way: Consent) -> bool:
    sample.commit({"pressync.toml": OURS})
    with Repository(sample.root) as repository:
        return bool(policy(repository, way, {}).trust())


def _plan(_sample: SampleRepository, way: Consent) -> bool:
    """Give an approval as each way does: None asks the person at the terminal, a digest was approved."""
    given = "digest" if way in {Consent.APPROVED, Consent.AGENT} else ""
    workspace: Any = _Workspace(way)
    SyncedSite(workspace).run(
        (),
        Revision(),
        lambda _plan: True,
        is_seen=True,
        stop=threading.Event(),
        approved=None if way is Consent.TERMINAL else given,
        on_outcome=lambda _outcome: None,
    )
    return workspace.approved in {None, "digest"}


class _Workspace:
    """A workspace that keeps how its sync is approved, and sends nothing."""

    def __init__(self, way: Consent) -> None:
        self.clone = SimpleNamespace(way=way, writes_as_agent=True, say=print)
        self.approved: str | None = ""

    def paths(self, *_: object) -> list[str]:
        """Choose everything."""
        return []

    def sync(self, _revision: object, _plan: object, _run: object, approval: Approval, **_: object) -> None:
        """Keep the digest that was approved."""
        self.approved = approval.approved


def _note(_sample: SampleRepository, way: Consent) -> bool:
    """Resolve a note that the plan named, on a site that cannot be reached."""

    def unreachable(_concurrency: int) -> NoReturn:
        raise NotSent("nothing answers")

    workspace: Any = SimpleNamespace(clone=SimpleNamespace(way=way), service=unreachable)
    facts: Mapping[str, Fact] = {"note": 7, "commit": "c" * 40, "paths": (UPDATE.path,)}
    named = replace(plan(UPDATE), remarks=(Reason(ReasonCode.RESOLVES_NOTE, facts, "It is named."),))
    return bool(resolve_named(workspace, RunResult(named, (Outcome(UPDATE, Result.DONE),))))


TRIED: dict[Guard, Callable[[SampleRepository, Consent], bool]] = {
    Guard.FIRST_USE: _credentials("", OURS, PASSWORD),
    Guard.ADDRESS: _credentials(OURS, THEIRS, PASSWORD),
    Guard.COMMAND: _credentials(OURS, RUNS, {}),
    Guard.DRAWING: _drawing,
    Guard.TRUST: _trust,
    Guard.PLAN: _plan,
    Guard.NOTE: _note,
}


@pytest.mark.parametrize("way", Consent)
@pytest.mark.parametrize("guard", Guard)
def test_a_guard_is_lifted_by_the_ways_of_its_row_alone(
    repository: SampleRepository, guard: Guard, way: Consent
) -> None:
    try:
        lifted = TRIED[guard](repository, way)
    except ConfigError:
        lifted = False

    assert lifted == (way in LIFTED[guard])


@pytest.mark.parametrize(
    ("environ", "pushed", "watched", "way"),
    [
        ({}, False, True, Consent.TERMINAL),
        ({}, False, False, Consent.YES),
        ({}, True, True, Consent.HOOK),
        ({"GITHUB_ACTIONS": "true"}, False, False, Consent.ACTION),
        ({TOOL: "1", "GITHUB_ACTIONS": "true"}, True, True, Consent.AGENT),
    ],
)
def test_a_tool_is_a_tool_wherever_it_runs(
    environ: dict[str, str], pushed: bool, watched: bool, way: Consent
) -> None:
    assert way_of(environ, pushed=pushed, watched=watched) is way


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ('["tools/pw"]', "tools/pw"),
        ('["./tools/pw"]', "./tools/pw"),
        ('["python3", "tools/pw"]', "tools/pw"),
        ('["pass", "--file=tools/pw"]', "--file=tools/pw"),
        ('"sh tools/pw"', "tools/pw"),
        ('"cat x; ./tools/pw"', "./tools/pw"),
        ('["linked"]', "linked"),
    ],
)
def test_a_tool_never_runs_a_command_of_the_work_tree(
    repository: SampleRepository, command: str, word: str
) -> None:
    settings = f'{OURS}user = "u"\npassword_command = {command}\n'
    repository.commit({"pressync.toml": settings, "tools/pw": "#!/bin/sh\necho secret\n"})
    (repository.root / "linked").symlink_to("tools/pw")
    with Repository(repository.root) as opened:
        policy(opened, Consent.TERMINAL, {}).trust()
        with pytest.raises(ConfigError, match=f"names {word}"):
            policy(opened, Consent.AGENT, {}).authorization()
