"""`pressync init`: writes the first files of a repository, and the settings of its site.

Every question has a flag, so that a script can give every answer, and no question is for a secret. If the
settings exist already, only the parts that a flag asks for are added.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pressync.app.github import workflow_file
from pressync.cli import console, log, options
from pressync.cli.report.layout import width
from pressync.client.dialects import DEFAULT, dialect_of
from pressync.config.settings import FILE_NAME, find_text, read_text
from pressync.model.errors import ConfigError, ServiceError
from pressync.model.printable import one_line
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pressync.app.init import RemoteSite, WrittenFile

_SITE = "production"
_BRANCH = "main"
_REMOTE = "origin"
_BOTH = f"""
The hook and the workflow both sync. Keep one of them: `pressync hook uninstall` removes the hook, and without
the job `sync` in {workflow_file.PATH} the workflow only plans."""

_TYPE_IN = "read -rs PRESSYNC_PASSWORD && export PRESSYNC_PASSWORD"
_STORE = "gh secret set PRESSYNC_PASSWORD   # for the workflow; or in the browser, in Settings"
_SITE_OF_WORKFLOW = "pressync init --url ADDRESS   # shows the table of the site that the workflow needs"
_FILL = f"$EDITOR {workflow_file.PATH}   # put the Action's address in place of {workflow_file.UNKNOWN}"


@options.command(
    "pressync init                                # ask for what it needs",
    "pressync init --yes                          # begin with the embedded service",
    "pressync init --url https://example.org --user editor",
)
@click.option(
    "--url",
    metavar="URL",
    help="The site, or its interface; pressync asks it for the address and the dialect of the interface.",
)
@click.option("--user", metavar="NAME", help="The user to write as. pressync never asks for the password.")
@click.option("--content", metavar="FOLDER", help="The folder of the Markdown. Default: content.")
@options.flag("--hook", help="Install the Git hook that syncs each commit.")
@click.option(
    "--workflow",
    is_flag=False,
    flag_value="",
    metavar="[ACTION]",
    help="Write a GitHub workflow; ACTION is the value of its `uses:`, like OWNER/pressync@COMMIT.",
)
@options.flag("--vscode", help="Write a task for Visual Studio Code, with the JSON schema of the settings.")
@options.flag("--yes", help="Do not ask; without --url the site is the embedded service.")
def command(globals_: options.Globals, /, *, yes: bool, **answers: Any) -> None:  # noqa: ANN401 - the fields are typed
    """Write those of these files that are missing: pressync.toml, a first page, a template and .gitignore.

    An editor with a language server for TOML finds the JSON schema of pressync.toml in .pressync/schemas/.

    On a terminal it asks for the values that no flag gives. It never overwrites a file.
    """
    write_first_files(globals_, Answers(**answers), asks=at_a_terminal(globals_) and not yes)


def at_a_terminal(globals_: options.Globals) -> bool:
    """Whether a person is there to answer questions."""
    return sys.stdin.isatty() and globals_.log_format == log.TEXT


class Answers(NamedTuple):
    """The answers of flags or a person; `workflow` is its `uses:`, "" to be filled in, None for none."""

    url: str | None
    user: str | None
    content: str | None
    hook: bool
    workflow: str | None
    vscode: bool = False


def write_first_files(globals_: options.Globals, answers: Answers, *, asks: bool) -> None:
    """Write the files that are missing, and name the next commands.

    :raises ConfigError: the answers cannot be written as settings.
    :raises RepositoryError: there is no repository with a working tree.
    """
    from pressync.app import init

    root, branch = _repository(globals_)
    text = read_text(root, root, None)
    tables = None if text.text is None else text.tables
    if asks and tables is None:
        answers = _with_questions(answers)
    site, content = globals_.site or _SITE, answers.content or "content"
    action = None if answers.workflow is None else answers.workflow or workflow_file.UNKNOWN
    named = (tables or {}).get("sites") or {site: {}}
    branches = {name: values.get("branch") or branch or _BRANCH for name, values in named.items()}
    flow = workflow_file.text(action, sites=branches) if action else None
    far = _far_side(globals_, answers.url, answers.user) if answers.url else None
    if far:
        automatic = answers.hook or flow is not None or (root / workflow_file.PATH).exists()
        far = replace(far, branch=branch, in_reference=_in_reference(globals_, site, automatic=automatic))
    lacks = tables is not None and far is not None and _tell_missing(tables.get("sites", {}), site, far)
    extends = tables is not None and (answers.hook or answers.vscode or action is not None)
    steps = init.begin(
        root, site, far, content=content, workflow=flow, vscode=answers.vscode, extends=extends
    )
    click.echo("\n".join(map(_told, steps)))
    if far is not None and tables is None:
        _take_over(globals_, far)
    _install_hook(globals_, root, answers)
    # This reads the file on disk: it may be older, with the value filled in.
    unfilled = (
        action is not None and workflow_file.UNKNOWN.encode() in (root / workflow_file.PATH).read_bytes()
    )
    commands = _for_content(root, answers.content, tables) + (
        _next(far, action, unfilled=unfilled)
        if tables is None
        else _next_of_added(steps, answers, site, lacks=lacks, unfilled=unfilled)
    )
    if commands:
        click.echo("\n".join(["\nNext:", *(_line(command, console.columns()) for command in commands)]))
    if lacks or (far is not None and far.dialect is None):
        raise SystemExit(console.FAILED)


def _repository(globals_: options.Globals) -> tuple[Path, str | None]:
    """Find the root and the branch of the repository; the branch is None if HEAD is detached."""
    if globals_.config_file is not None:
        raise ConfigError(
            f"`init` writes {FILE_NAME} at the root", where="--config", todo="leave the option out"
        )
    with Repository(globals_.directory) as repository:
        return repository.require_root("run `pressync init` in a clone"), repository.branch


def _tell_missing(tables: Mapping[str, Mapping[str, Any]], site: str, far: RemoteSite) -> bool:
    """Tell what the settings, which `init` leaves alone, lack of a site; give whether they lack anything."""
    from pressync.app import init

    table = tables.get(site)
    wanted = {"url": far.url, "dialect": far.dialect, "user": far.user}
    # An empty table names no site.
    if table and all(table.get(key) == value for key, value in wanted.items() if value):
        click.echo(f"{FILE_NAME} names this site already.\n")
        return False
    missing = "Add this to it"
    if table is not None:
        missing = f"Correct its [sites.{site}], or name a second site with `--site NAME`"
        # The manifest and the branch of a site that is there stay what they are.
        far = replace(far, branch=None, in_reference=False)
    click.echo(f"{FILE_NAME} was NOT changed, because it is there already.")
    click.echo(f"{missing}:\n\n{init.site_table(site, far)}")
    return True


def _in_reference(globals_: options.Globals, site: str, *, automatic: bool) -> bool:
    """Choose the place of the manifest: a reference if the remote takes it, or if a hook or a job syncs."""
    from pressync.repo.ref import Reference

    reference = f"refs/pressync/{site}"
    with Repository(globals_.directory) as repository:
        if _REMOTE not in repository.port.remotes():
            return automatic
        refusal = one_line(Reference(repository, reference, _REMOTE).refusal())
    if not refusal:
        console.tell(globals_, f"- {_REMOTE} takes {reference}, so the manifest is kept there.")
        return True
    so = "and a sync will need it" if automatic else "so the manifest is a file"
    console.tell(globals_, f"- {_REMOTE} does not take {reference}, {so}: {refusal}")
    return automatic


def _take_over(globals_: options.Globals, far: RemoteSite) -> None:
    """Tell what the new settings leave open, agree to their address, and install the merge driver."""
    from pressync.app.init import configure_merge_driver
    from pressync.config.used_settings import UsedSettings

    if far.branch is None:
        console.tell(
            globals_,
            f"- HEAD is detached, so no `branch` was written: name the branch of the site in {FILE_NAME}.",
        )
    with Repository(globals_.directory) as repository:
        UsedSettings(repository, find_text(repository, None).text).extend()
        step = None if far.in_reference else configure_merge_driver(repository)
    if step:
        click.echo(f"wrote {one_line(step.path)}: Git calls pressync to merge manifests in this clone")


def _with_questions(answers: Answers) -> Answers:
    """Ask for everything that no flag gives; each question has a safe default."""
    if answers.url is None:
        hint = (
            "Where is the site? Leave the address empty to begin with the embedded service on this machine."
        )
        click.echo(hint, err=True)
        answers = answers._replace(url=_prompt("Address"))
    if answers.url and answers.user is None:
        answers = answers._replace(user=_prompt("User to write as"))
    if answers.content is None:
        answers = answers._replace(content=_prompt("Folder of the Markdown", "content"))
    offer = "Install the Git hook, which syncs each commit of this clone?"
    if not answers.hook:
        answers = answers._replace(hook=click.confirm(offer, default=False, err=True))
    offer = "Write a GitHub workflow that plans pull requests and syncs pushes?"
    if answers.workflow is None and click.confirm(offer, default=False, err=True):
        answers = answers._replace(workflow=_prompt("Where is the Action", workflow_file.UNKNOWN))
    return answers


def _prompt(question: str, default: str = "") -> str | None:
    answer: str = click.prompt(question, default=default, show_default=bool(default), err=True)
    return answer.strip() or None


def _far_side(globals_: options.Globals, url: str, user: str | None) -> RemoteSite:
    """Ask the address for its interface and dialect, and tell the evidence, or that nobody answered."""
    from pressync.app.init import RemoteSite
    from pressync.client.probe import detect

    try:
        facing = detect(url)
    except ServiceError as error:
        log.write(globals_.log_format, f"The site did not answer, so its dialect is open: {error}", log.ERROR)
        return RemoteSite(url if "://" in url else f"https://{url}", None, user)
    for sentence in facing.evidence:
        console.tell(globals_, f"- {sentence}")
    console.tell(globals_, f"So: url = {facing.url}, dialect = {facing.dialect}.")
    return RemoteSite(facing.url, facing.dialect, user)


def _install_hook(globals_: options.Globals, root: Path, answers: Answers) -> None:
    """Install the hook if it is wanted, and warn if the workflow syncs as well."""
    from pressync.app.hooks import installation
    from pressync.cli.commands import hook

    if answers.hook:
        hook.install_hooks(globals_, (), installation.Setup())
    wanted = answers.hook or answers.workflow is not None
    installed = installation.installed(installation.find(globals_.directory)) if wanted else []
    syncs = any(hook.type != installation.PRE_COMMIT for hook in installed)
    if syncs and (root / workflow_file.PATH).exists():
        click.echo(_BOTH)


def _told(step: WrittenFile) -> str:
    return f"{'left ' if step.text is None else 'wrote'} {one_line(step.path)}: {step.words}"


def _for_content(root: Path, wanted: str | None, tables: Mapping[str, Any] | None) -> list[str]:
    """Give the edit of the settings that a folder needs; `tables` are settings that were there, or None."""
    from pressync.app import init
    from pressync.config.keys import folder

    there = (tables or {}).get("content", "content")
    if tables is not None and wanted is not None and folder(wanted) != folder(there):
        return [f"$EDITOR {FILE_NAME}   # content = {json.dumps(wanted, ensure_ascii=False)}"]
    content = folder(wanted or "content") or ""
    if tables is not None or not init.has_no_page(root, content):
        return []
    where = f"{content}/ has" if content else "the repository has"
    return [f'$EDITOR {FILE_NAME}   # `type = "page"` below [defaults]: {where} neither pages/ nor posts/']


def _next(far: RemoteSite | None, action: str | None, *, unfilled: bool) -> list[str]:
    commands = ["git add --all && git commit --message 'Begin with pressync'"]
    if far is None:
        commands += ["pressync serve --detach", "pressync sync"]
    else:
        dialect = dialect_of(far.dialect) if far.dialect else DEFAULT
        credentials = f"{_TYPE_IN}   # {dialect.credentials}" if dialect.credentials else _TYPE_IN
        user = (
            []
            if far.user or dialect.takes_token
            else ["export PRESSYNC_USER=…   # or `user` in pressync.toml"]
        )
        look = (
            []
            if far.dialect
            else [f"$EDITOR {FILE_NAME}   # `url` and `dialect`; `pressync doctor` tests them"]
        )
        commands += [*look, *user, credentials, "pressync doctor"]
        if dialect.capabilities.read:
            # The interface is below the address of the site.
            address = far.url.partition("?rest_route=")[0].removesuffix("/index.php").removesuffix("/wp-json")
            commands.append(f"pressync import {quote(address)}   # if the site has pages already")
        commands += ["pressync plan", "pressync sync"]
    if action:
        commands.append(_STORE if far else _SITE_OF_WORKFLOW)
    if unfilled:
        commands.append(_FILL)
    return commands


def _line(command: str, columns: int | None) -> str:
    """Write a command as one line, so that people can copy it; a comment that does not fit goes before it."""
    code, _, comment = command.partition("   # ")
    fits = columns is None or not comment or width(f"  {command}") <= columns
    return f"  {command}" if fits else f"  # {comment}\n  {code}"


def _next_of_added(
    steps: Sequence[WrittenFile], answers: Answers, site: str, *, lacks: bool, unfilled: bool
) -> list[str]:
    """Give the next commands in a repository that had settings: those for what was added, and no other."""
    written = [step.path for step in steps if step.text is not None]
    commands = [f"$EDITOR {FILE_NAME}   # the table above"] if lacks else []
    commands += [_FILL] if unfilled and workflow_file.PATH in written else []
    # The files in such a folder belong together. A folder of content may have files that are not finished.
    hidden = {name: name.rpartition("/")[0] for name in written if name.startswith(".")}
    names = [hidden.get(name) or name for name in written]
    if names or lacks:
        added = " ".join(map(quote, dict.fromkeys([FILE_NAME] * lacks + names)))
        commands += [f"git add {added}", "git commit --message 'Add files of pressync'"]
    if lacks:
        commands += [_TYPE_IN, f"pressync doctor --site {quote(site)}"]
    if workflow_file.PATH in written:
        commands.append(_STORE)
    if answers.vscode:
        commands.append("code .   # the folder, in Visual Studio Code")
    return commands
