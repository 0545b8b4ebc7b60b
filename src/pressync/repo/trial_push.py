"""Asks a remote whether it would take a push to a reference, without a push and without asking a person.

Git asks for credentials at the terminal, and programs of the desktop ask in a window. A trial must do
neither, and a host that does not answer must not hold it up.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pressync.repo import parse
from pressync.repo.process import OutOfTime

if TYPE_CHECKING:
    from pressync.repo.repository import Repository

# Seconds until a silent remote counts as one that refuses.
LIMIT = 10.0


def refusal(repository: Repository, remote: str, reference: str, *, seconds: float = LIMIT) -> str:
    """Say why the remote would refuse a push to the reference; "" if it would take it.

    Hooks of the remote are not asked: a trial does not start them.
    """
    # A repository may have no commit yet. Every repository has the empty tree.
    tree = repository.ask("hash-object", "-t", "tree", "-w", "--stdin")[1]
    push = ("push", "--quiet", "--dry-run", "--no-verify", remote, f"+{tree}:{reference}")
    try:
        status, _, complaint = repository.ask(*push, env=_silent(repository), seconds=seconds)
    except OutOfTime:
        return f"it did not answer within {seconds:g} s"
    return parse.complaint(complaint) or "git push failed" if status else ""


def _silent(repository: Repository) -> dict[str, str]:
    """Give the environment in which Git and SSH ask nobody."""
    ssh = os.environ.get("GIT_SSH_COMMAND") or repository.ask("config", "core.sshCommand")[1] or "ssh"
    return {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GCM_INTERACTIVE": "never",  # the credential manager of Git for many desktops
        "GIT_SSH_COMMAND": f"{ssh} -oBatchMode=yes",
    }
