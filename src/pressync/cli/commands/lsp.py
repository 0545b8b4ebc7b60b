"""`pressync lsp`: what `check` finds, and completion, for editors, by the Language Server Protocol."""

from __future__ import annotations

from pressync.cli import options
from pressync.model.errors import ConfigError


@options.command(
    "pressync lsp                           # the settings of an editor call this",
    "pressync lsp --site staging",
)
def command(globals_: options.Globals) -> None:
    """Speak the Language Server Protocol on standard input and output, until it ends.

    It marks the problems of the text in the editor, saved or not, and completes keys, values and links. It
    needs neither a network nor a password. The problems that only all files together show are for `check`.

    It needs the package `pygls`: `pip install 'pressync[lsp]'`.
    """
    try:
        from pressync.cli import language_server
    except ImportError:
        todo = "install it beside pressync: `pip install 'pressync[lsp]'`, or `pipx inject pressync pygls`"
        raise ConfigError("the package `pygls` is not installed", todo=todo) from None
    language_server.serve(globals_)
