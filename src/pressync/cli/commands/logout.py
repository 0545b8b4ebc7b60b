"""`pressync logout`: removes the stored application password, and revokes it at the site on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync logout                    # out of the keyring",
        "pressync logout --revoke           # and out of the site",
    ),
)
@click.option("--revoke", is_flag=True, help="Delete the application password at the site, too.")
@click.pass_obj
def command(globals_: Globals, *, revoke: bool) -> None:
    """Remove the application password of a site from the system keyring.

    Without `--revoke` the site still accepts the password.
    """
    from pressync.app.login.login import logout  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.cli import console  # noqa: PLC0415
    from pressync.config.keyring_store import account  # noqa: PLC0415
    from pressync.model.printable import one_line  # noqa: PLC0415

    with console.open_workspace(globals_) as workspace:
        site = workspace.settings.site
        revoked = logout(workspace, revoke=revoke)
    if revoked is None:
        click.echo(one_line(f"The keyring has no password of {account(site)}."))
    elif revoked:
        click.echo(one_line(f"Revoked “{revoked}” at the site, and removed it from the keyring."))
    elif revoke:
        click.echo("The site no longer accepted the password; it is removed from the keyring.")
    else:
        click.echo(
            "Removed the password from the keyring. The site still accepts it: revoke it there "
            "(Users → Profile → Application Passwords)."
        )
