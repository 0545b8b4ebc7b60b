"""`pressync init`: what a repository begins with, and the site that it is for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pressync.cli import Globals
    from pressync.starting import FarSide

_SITE = "production"


@click.command()
@click.option(
    "--url", metavar="URL", help="The site, or its interface; it is asked where that is and what it speaks."
)
@click.option("--user", metavar="NAME", help="Whom to write as. The password is never asked for.")
@click.option("--yes", is_flag=True, help="Do not ask; without --url the embedded service is meant.")
@click.pass_obj
def command(given: Globals, url: str | None, user: str | None, yes: bool) -> None:
    """Write a starting pressync.toml, a first page, a template and .gitignore: what is not there yet.

    On a terminal it asks for what the flags do not say. Nothing is ever overwritten.
    """
    from pressync import starting  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.config import FILE_NAME  # noqa: PLC0415
    from pressync.errors import ConfigError, RepositoryError  # noqa: PLC0415
    from pressync.repo import Repository  # noqa: PLC0415
    from pressync.report.printable import one_line  # noqa: PLC0415

    if given.config_file is not None:
        raise ConfigError(f"`init` writes {FILE_NAME} at the root", where="--config", todo="leave it out")
    with Repository(given.directory) as repository:
        root = repository.root
    if root is None:
        raise RepositoryError("a bare repository has no files to begin with", todo="run it in a clone")
    settled = (root / FILE_NAME).exists()
    if url is None and not yes and not settled and at_a_terminal():
        url, user = _asked(user)
    far = _far_side(given, url, user) if url else None
    site = given.site or _SITE
    for step in starting.begin(root, site, far):
        click.echo(f"{'wrote' if step.written else 'left ':<5} {one_line(step.path)}: {step.words}")
    if settled and far is not None:
        click.echo(
            f"\n{FILE_NAME} was not changed. For this site it would say:\n\n{starting.settings(site, far)}",
            nl=False,
        )
    click.echo(f"\n{_next(far)}")


def at_a_terminal() -> bool:
    """Whether there is somebody to ask."""
    return sys.stdin.isatty()


def _asked(user: str | None) -> tuple[str | None, str | None]:
    """Ask for the site, and for the user if there is a site."""
    click.echo(
        "Where is the site? Leave it empty to begin with the embedded service on this machine.", err=True
    )
    url = click.prompt("Address", default="", show_default=False, err=True).strip() or None
    if url and user is None:
        user = click.prompt("User to write as", default="", show_default=False, err=True).strip() or None
    return url, user


def _far_side(given: Globals, url: str, user: str | None) -> FarSide:
    """Ask the address what it is, and tell the evidence."""
    from pressync.cli import console  # noqa: PLC0415
    from pressync.facing import face  # noqa: PLC0415
    from pressync.starting import FarSide  # noqa: PLC0415

    facing = face(url)
    for sentence in facing.evidence:
        console.tell(given, f"- {sentence}")
    console.tell(given, f"So: url = {facing.url}, dialect = {facing.dialect}.")
    return FarSide(facing.url, facing.dialect, user)


def _next(far: FarSide | None) -> str:
    commands = ["git add --all && git commit --message 'Begin with pressync'"]
    if far is None:
        commands += ["pressync serve --detach", "pressync sync"]
        return _listed(commands)
    given_by = "read -rs PRESSYNC_PASSWORD && export PRESSYNC_PASSWORD"
    if far.dialect == "wordpress":
        given_by += "   # an application password: Users → Profile → Application Passwords"
    user = [] if far.user else ["export PRESSYNC_USER=…   # or `user` in pressync.toml"]
    return _listed([*commands, *user, given_by, "pressync doctor", "pressync plan", "pressync sync"])


def _listed(commands: list[str]) -> str:
    return "\n".join(["Next:", *(f"  {command}" for command in commands)])
