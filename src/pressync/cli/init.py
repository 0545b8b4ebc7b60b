"""`pressync init` at work: asks for what no flag gives, writes the files and names the next commands.

Every question has a flag, so that a script can give every answer, and no question is for a secret. If the
settings exist already, only the parts that a flag asks for are added.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from pressync.app import init
from pressync.app.github import workflow_file
from pressync.app.hooks.setup import Setup
from pressync.app.init import RemoteSite
from pressync.cli import console
from pressync.cli import hook as hook_action
from pressync.client.detect import detect
from pressync.config.settings import FILE_NAME
from pressync.model.errors import ConfigError, RepositoryError
from pressync.model.printable import one_line
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.cli.main import Globals

_SITE = "production"
_BRANCH = "main"


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers from flags or from a person: the site, the user, the folder, the hook and the workflow.

    `workflow` is the value of its `uses:`; "" if a person must still fill it in, None for no workflow.
    """

    url: str | None
    user: str | None
    content: str | None
    hook: bool
    workflow: str | None


def run(globals_: Globals, answers: Answers, *, asks: bool) -> None:
    """Write the files that are missing, and name the next commands.

    :raises ConfigError: the answers cannot be written as settings.
    :raises RepositoryError: there is no repository with a working tree.
    """
    if globals_.config_file is not None:
        raise ConfigError(
            f"`init` writes {FILE_NAME} at the root", where="--config", todo="leave the option out"
        )
    root, branch = _repository(globals_)
    has_settings = (root / FILE_NAME).exists()
    if asks and not has_settings:
        answers = _with_questions(answers)
    far = _far_side(globals_, answers.url, answers.user) if answers.url else None
    site, content = globals_.site or _SITE, answers.content or "content"
    action = None if answers.workflow is None else answers.workflow or workflow_file.UNKNOWN
    flow = workflow_file.text(action, branch=branch, site=site) if action else None
    for step in init.begin(root, site, far, content=content, workflow=flow):
        click.echo(f"{'wrote' if step.written else 'left ':<5} {one_line(step.path)}: {step.words}")
    if has_settings and far is not None:
        suggested = init.settings(site, far, content, in_reference=flow is not None)
        click.echo(f"\n{FILE_NAME} was not changed. For this site it would be:\n\n{suggested}", nl=False)
    if answers.hook:
        hook_action.install(globals_, (), Setup())
    # This reads the file on disk: it may be older, with the value filled in.
    unfilled = (
        action is not None and workflow_file.UNKNOWN.encode() in (root / workflow_file.PATH).read_bytes()
    )
    click.echo(f"\n{_next(far, action, unfilled=unfilled)}")


def _repository(globals_: Globals) -> tuple[Path, str]:
    """Find the root and the branch of the repository."""
    with Repository(globals_.directory) as repository:
        if repository.root is None:
            raise RepositoryError(
                "a bare repository has no working tree", todo="run `pressync init` in a clone"
            )
        return repository.root, repository.branch or _BRANCH


def _with_questions(answers: Answers) -> Answers:
    """Ask for everything that no flag gives; each question has a safe default."""
    if answers.url is None:
        hint = (
            "Where is the site? Leave the address empty to begin with the embedded service on this machine."
        )
        click.echo(hint, err=True)
        answers = replace(answers, url=_prompt("Address"))
    if answers.url and answers.user is None:
        answers = replace(answers, user=_prompt("User to write as"))
    if answers.content is None:
        answers = replace(answers, content=_prompt("Folder of the Markdown", "content"))
    offer = "Install the Git hook, which syncs each commit of this clone?"
    if not answers.hook:
        answers = replace(answers, hook=click.confirm(offer, default=False, err=True))
    offer = "Write a GitHub workflow that plans pull requests and syncs pushes?"
    if answers.workflow is None and click.confirm(offer, default=False, err=True):
        answers = replace(answers, workflow=_prompt("Where is the Action", workflow_file.UNKNOWN))
    return answers


def _prompt(question: str, default: str = "") -> str | None:
    answer: str = click.prompt(question, default=default, show_default=bool(default), err=True)
    return answer.strip() or None


def _far_side(globals_: Globals, url: str, user: str | None) -> RemoteSite:
    """Ask the address for its interface and dialect, and tell the evidence."""
    facing = detect(url)
    for sentence in facing.evidence:
        console.tell(globals_, f"- {sentence}")
    console.tell(globals_, f"So: url = {facing.url}, dialect = {facing.dialect}.")
    return RemoteSite(facing.url, facing.dialect, user)


def _next(far: RemoteSite | None, action: str | None, *, unfilled: bool) -> str:
    commands = ["git add --all && git commit --message 'Begin with pressync'"]
    if far is None:
        commands += ["pressync serve --detach", "pressync sync"]
    else:
        credentials = "read -rs PRESSYNC_PASSWORD && export PRESSYNC_PASSWORD"
        if far.dialect == "wordpress":
            credentials += "   # an application password: Users → Profile → Application Passwords"
        user = [] if far.user else ["export PRESSYNC_USER=…   # or `user` in pressync.toml"]
        commands += [*user, credentials, "pressync doctor", "pressync plan", "pressync sync"]
    if action and far:
        commands.append(
            "gh secret set PRESSYNC_PASSWORD   # for the workflow; or in the browser, in Settings"
        )
    if unfilled:
        commands.append(
            f"$EDITOR {workflow_file.PATH}   # put the Action's address in place of {workflow_file.UNKNOWN}"
        )
    return "\n".join(["Next:", *(f"  {command}" for command in commands)])
