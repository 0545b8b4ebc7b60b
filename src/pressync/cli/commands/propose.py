"""`pressync propose`: the edits of the site as one branch and one pull request."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from pressync.cli import console, options
from pressync.model.printable import printable

if TYPE_CHECKING:
    from pressync.app.propose import Proposal
    from pressync.app.workspace import Workspace


@options.command(
    "pressync propose                       # the edits of the site, on a branch",
    "GITHUB_TOKEN=… pressync propose        # and its pull request on GitHub",
)
def command(globals_: options.Globals, /) -> None:
    """Take the edits that people made on the site into one branch, and propose it for a merge.

    There is a commit for each record. Your files and the site are not changed. On GitHub, with a token, the
    command pushes the branch, and opens, renews or closes its pull request. Elsewhere it prints the commands.
    """
    from pressync.app.github import push_manifest

    token = os.environ.pop("GITHUB_TOKEN", "")
    with (
        console.open_workspace(globals_) as workspace,
        push_manifest.with_token(workspace.repository, {**os.environ, "GITHUB_TOKEN": token}),
    ):
        made, lines = proposed(globals_, workspace, None, token)
    for line in lines:
        click.echo(printable(line))
    if made.left:
        raise SystemExit(console.FAILED)


def proposed(
    globals_: options.Globals, workspace: Workspace, default_branch: str | None, token: str
) -> tuple[Proposal, list[str]]:
    """Make the branch and what follows from it; give also the lines that tell of it."""
    from pressync.app import propose
    from pressync.app.github.api import GitHub, close_pull_request, put_pull_request
    from pressync.app.propose import GITHUB, Hosting
    from pressync.cli.report import markdown, text
    from pressync.repo.push import RemoteBranch

    made = propose.proposal(workspace, default_branch, lambda said: console.tell(globals_, said))
    title = f"Edits made on the site {made.site}"
    hosting = Hosting.of(workspace.repository)
    name = os.environ.get("GITHUB_REPOSITORY") or (hosting.path if hosting.host == GITHUB else "")
    lines = text.proposal(made)
    if token and name:
        is_there, place = propose.publish(workspace, made), propose.BRANCH
        with GitHub.of(os.environ, name, token) as github:
            if is_there:
                where = put_pull_request(github, place, made.into, title, markdown.proposal(made))
                return made, [*lines, f"The pull request: {where}"]
            closed = close_pull_request(github, place)
        return made, [*lines, *([f"Closed, because nothing differs: {closed}"] if closed else [])]
    branch = RemoteBranch(workspace.repository, propose.BRANCH)
    branch.require_pushed(made.commit and made.base, made.into)
    if made.commit:
        branch.keep(made.commit, made.base)
        page = hosting.page(propose.BRANCH, made.into)
        lines += [f"They are on the branch {propose.BRANCH} of this clone. To propose it:", ""]
        lines += [f"  {hosting.push(propose.BRANCH, made.into, title)}", *([f"  {page}"] if page else [])]
    return made, lines
