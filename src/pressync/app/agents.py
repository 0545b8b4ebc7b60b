"""Tells whether a tool of an agent may send anything in this clone, and which doors are open beside the tool.

The account of the agent decides, and the site says what it may do. Other things of the clone lead past the
tool: a hook that syncs each commit, and credentials of a person that a shell of the agent can read. The tool
cannot close them, so they are told.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pressync.app.hooks import installation
from pressync.app.workspace import Workspace
from pressync.client.port import require_readable
from pressync.config import secrets
from pressync.config.agreement import Consent
from pressync.config.environment import CREDENTIALS
from pressync.model.errors import ConfigError, PressyncError, RepositoryError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Hooks after which a commit of an agent would be sent by the credentials of a person.
_SYNCING = frozenset(installation.TYPES) - {installation.PRE_COMMIT}
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
        hooks = installation.find(workspace.clone.directory).hooks
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
