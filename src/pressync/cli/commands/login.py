"""`pressync login` and `logout`: an application password comes into the system keyring, or goes."""

from __future__ import annotations

from functools import partial

import click

from pressync.cli import console, options
from pressync.config.secrets import SERVICE, account, agents_account, remove
from pressync.model.printable import one_line


@options.command(
    "pressync login                     # the browser brings the password",
    "pressync login --paste             # type the password that the page shows",
    "pressync login --site staging",
)
@options.flag("--paste", help="Type the password, instead of letting the browser bring it to this machine.")
@options.flag("--no-browser", help="Print the address of the page, and open no browser.")
@options.flag("--agent", "as_agent", help="Store it as the account of an agent, which only writes drafts.")
def command(globals_: options.Globals, *, paste: bool, no_browser: bool, as_agent: bool) -> None:
    """Get an application password from a WordPress site, and store it in the system keyring.

    The site's own page asks for your approval. The password is checked before it is stored. It never gets
    into a file of the repository. The keyring needs the extra `pressync[keyring]`.
    """
    from pressync.app.login import LoginDialogue, login

    hidden = partial(click.prompt, hide_input=True, default="", show_default=False, err=True)
    person = LoginDialogue(
        say=lambda sentence: click.echo(one_line(sentence), err=True),
        open_page=(lambda _address: False) if no_browser else open_in_browser,
        ask=hidden if console.is_watched(globals_) else None,
    )
    with console.open_workspace(globals_) as workspace:
        settings = workspace.settings.site
        made = login(workspace, person, paste=paste, as_agent=as_agent)
        in_environment = "PRESSYNC_PASSWORD" if workspace.environ.get("PRESSYNC_PASSWORD") else ""
    roles = ", ".join(made.roles) or "no role"
    click.echo(one_line(f"Logged in to {settings.url} as {made.name} ({roles})."))
    name = agents_account(made.site) if as_agent else account(made.site)
    click.echo(one_line(f"The password is in {made.place}: service {SERVICE}, account {name}."))
    if as_agent:
        return
    if made.lacking:
        console.tell(
            globals_, one_line(f"This user cannot do all of a sync: {', '.join(made.lacking)} missing.")
        )
    if settings.user is None and made.site.user:
        console.tell(globals_, f'Now write `user = "{made.site.user}"` below [sites.{settings.name}].')
    if in_environment or settings.password_command:
        other = in_environment or "`password_command`"
        console.tell(globals_, f"{other} is set as well, and goes before the keyring.")


def open_in_browser(address: str) -> bool:
    """Open the address in a browser; False if this machine has none."""
    import webbrowser

    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False


@options.command(
    "pressync logout                    # out of the keyring",
    "pressync logout --revoke           # and out of the site",
)
@options.flag("--revoke", help="Delete the application password at the site, too.")
@options.flag("--agent", "as_agent", help="Remove the account of an agent instead.")
def logout(globals_: options.Globals, *, revoke: bool, as_agent: bool) -> None:
    """Remove the application password of a site from the system keyring.

    Without `--revoke` the site still accepts the password.
    """
    from pressync.app import login

    with console.open_workspace(globals_) as workspace:
        site = workspace.settings.site
        if as_agent:
            gone = remove(agents_account(login.wordpress_site(workspace)))
            place = "Removed the account of the agent from" if gone else "There is no account of an agent in"
            click.echo(f"{place} the keyring. Revoke its password at the site (Users → Profile).")
            return
        revoked = login.logout(workspace, revoke=revoke)
        place = " (Users → Profile → Application Passwords)" if workspace.capabilities.passwords else ""
    if revoked is None:
        click.echo(one_line(f"The keyring has no password of {account(site)}."))
    elif revoked:
        click.echo(one_line(f"Revoked “{revoked}” at the site, and removed it from the keyring."))
    elif revoke:
        click.echo("The site no longer accepted the password; it is removed from the keyring.")
    else:
        click.echo(
            f"Removed the password from the keyring. The site still accepts it: revoke it there{place}."
        )
