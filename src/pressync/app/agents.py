"""Tells whether a tool of an agent may send anything in this clone, and which doors are open beside the tool.

The account of the agent decides, and the site says what it may do. Other things of the clone lead past the
tool: a hook that syncs each commit, and credentials of a person that a shell of the agent can read. The tool
cannot close them, so they are told.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pressync.app import whole_check
from pressync.app.hooks import installation
from pressync.app.workspace import Workspace
from pressync.client.port import require_readable
from pressync.config import secrets
from pressync.config.agreement import Consent
from pressync.config.environment import CREDENTIALS
from pressync.model.changes import Delete, Update
from pressync.model.errors import ConfigError, PressyncError, RepositoryError
from pressync.model.printable import listed
from pressync.model.reason import Reason, ReasonCode
from pressync.model.visibility import of_change, of_entry
from pressync.repo import inert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.revision import Revision
    from pressync.model.changes import Change, Plan

# Hooks after which a commit of an agent would be sent by the credentials of a person.
_SYNCING = frozenset(installation.TYPES) - {installation.PRE_COMMIT}
_NOT_ASKED = (
    "The account of the agent was not asked: what it may do, the site says when the tool sends. A term that "
    "this repository does not know may be there."
)
_PERSONS = "An account that can only write drafts does not send what is published or would be"
_DRAFTS = frozenset({"", "draft", "pending"})
# The sentence names at most this many.
_NAMED = 20
# A hook of a person that calls pressync is longer than this only if it is a program.
_LARGEST = 100_000


class AgentsPlace(NamedTuple):
    """Whether the tool that writes exists; `why` not, or on which ground it does; the open `doors`."""

    may_write: bool
    why: str
    doors: tuple[str, ...] = ()


def place_of(workspace: Workspace) -> AgentsPlace:
    """Ask the site of a workspace with the account of the agent; nothing is written."""
    workspace = Workspace(replace(workspace.clone, way=Consent.AGENT, writes_as_agent=True))
    may_write, why = _judged(workspace)
    return AgentsPlace(may_write=may_write, why=why, doors=tuple(_doors(workspace)))


def foreseen(workspace: Workspace, revision: Revision, plan: Plan) -> Plan:
    """Add to a plan what a tool is refused as far as the files say; neither site nor account is asked."""
    lacking = whole_check.unmade(workspace, workspace.content(revision), plan)
    remarks = [Reason(ReasonCode.NOT_ASKED, sentence=_NOT_ASKED)] * (workspace.settings.site.url is not None)
    persons = tuple(change.path for change in plan.pending if _is_public(change)) if remarks else ()
    if persons:
        said = f"{_PERSONS}: {listed(persons, _NAMED)}."
        remarks.append(Reason(ReasonCode.NEEDS_PERSON, {"paths": persons}, said))
    return replace(plan, problems=(*plan.problems, *lacking), remarks=(*plan.remarks, *remarks))


def _is_public(change: Change) -> bool:
    """Tell whether a record is more than a draft, or becomes more, as far as its file and manifest say."""
    before = {of_entry(change.entry).status} if isinstance(change, Update) else set()
    return not isinstance(change, Delete) and not before | {of_change(change).status} <= _DRAFTS


def _judged(workspace: Workspace) -> tuple[bool, str]:
    """Tell whether the tool that writes exists, and why."""
    if hook := _syncing_hook(workspace):
        return False, f"the hook {hook} of this clone syncs what is committed, with a person's credentials"
    if workspace.settings.site.url is None:
        return True, "the embedded service of this clone is nobody's public site"
    if not workspace.capabilities.read:
        return False, "this service cannot be read, so nobody can tell what the account may do there"
    try:
        with workspace.service(1) as service:
            judgement = require_readable(service).account()
    except PressyncError as error:
        return False, str(error)
    if judgement.beyond:
        return False, judgement.beyond
    return True, f"the site says that user {judgement.user} can only write drafts of its own"


def _syncing_hook(workspace: Workspace) -> str:
    """Name a hook of this clone that syncs commits; "" if there is none."""
    with suppress(RepositoryError, OSError):
        hooks = inert.hooks_of_others(workspace.clone.directory)
        for name in sorted(_SYNCING):
            file = hooks / name
            with suppress(OSError):
                if b"pressync" in file.read_bytes()[:_LARGEST]:
                    return name
    return ""


def _doors(workspace: Workspace) -> Iterator[str]:
    """Say what of this clone leads past the tool."""
    site = workspace.settings.site
    for name in CREDENTIALS:
        if workspace.environ.get(name):
            yield f"{name}, a person's credentials, is in the environment: a shell of the agent reads it"
    with suppress(ConfigError):
        if secrets.stored_password(site):
            yield "the keyring has a person's password for this site: a shell of the agent reads it"
    if site.password_command:
        yield "`password_command` gives a person's password: a shell of the agent can run it"
    if site.reference:
        yield f"the manifest is in {site.reference}: who may push it can name any record as synced"
