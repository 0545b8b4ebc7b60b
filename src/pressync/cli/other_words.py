"""The words of other programs, and those of pressync that people mean by them; the place of an option.

People type what another program has taught them. Only an error loads this module.
"""

from __future__ import annotations

from shlex import quote

import click

# Commands of other programs -> the words of pressync.
COMMANDS = {
    **dict.fromkeys(("apply", "deploy", "publish", "push", "update", "upload"), "sync"),
    **dict.fromkeys(("dry-run", "dryrun", "show"), "plan"),
    **dict.fromkeys(("lint", "test", "validate"), "check"),
    **dict.fromkeys(("list", "ls", "open"), "status"),
    **dict.fromkeys(("download", "fetch"), "pull"),
    **dict.fromkeys(("revert", "undo", "restore"), "rollback"),
    **dict.fromkeys(("server", "start"), "serve"),
    **dict.fromkeys(("build", "stage"), "rehearse"),
    **dict.fromkeys(("history", "log"), "manifest log"),
    **dict.fromkeys(("env", "settings"), "config"),
    **dict.fromkeys(("live", "watch"), "preview"),
    "auth": "login",
    "diff": "plan --diff",
    "man": "help --man",
    "setup": "init",
    "stop": "serve --stop",
    "version": "--version",
}
# What Git does, and pressync then sends.
OF_GIT = {
    **dict.fromkeys(("delete", "remove", "rm"), "git rm FILE"),
    **dict.fromkeys(("mv", "move", "rename"), "git mv OLD NEW"),
    **dict.fromkeys(("add", "commit", "new", "edit"), "git add FILE"),
}
# An option of other programs -> the words of pressync, and the commands that it is about; none means all.
OPTIONS = {
    **dict.fromkeys(("--dry-run", "--dryrun", "--dry", "-n"), ("pressync plan", ("sync",))),
    **dict.fromkeys(("-V", "--version"), ("pressync --version", ())),
    "--json": ("--format json", ()),
    "-y": ("--yes", ()),
}


def refuse(command: click.Command, path: str, option: str, ctx: click.Context) -> None:
    """Refuse an option of other programs with the words of pressync; do nothing if there are none.

    :raises UsageError: there are some.
    """
    right, names = OPTIONS.get(option, ("", ()))
    own, _, value = right.partition(" ")
    if own.startswith("-"):
        options = [parameter for parameter in command.params if own in parameter.opts]
        is_known = any(not value or value in getattr(parameter.type, "choices", ()) for parameter in options)
        right = f"{path} {right}" if is_known else ""
    if right and (not names or path.rpartition(" ")[2] in names):
        raise click.UsageError(f"No such option '{option}'. Did you mean `{right}`?", ctx)


def value_of(option: str, words: list[str], command: click.Command) -> str:
    """Find the value that stands with an option among these words; "" if it takes or has none."""
    typed = next((word for word in words if word.partition("=")[0] == option), "")
    flags = [parameter for parameter in command.params if getattr(parameter, "is_flag", False)]
    if not typed or any(option in parameter.opts for parameter in flags):
        return ""
    if "=" in typed:
        return f"={quote(typed.partition('=')[2])}" if typed.isprintable() else ""
    given = next(iter(words[words.index(typed) + 1 :]), "")
    return f" {quote(given)}" if given and given.isprintable() else ""
