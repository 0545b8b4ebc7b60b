"""The manual page in the language of `man`, made of the same declarations as `--help`.

It has the sections of `--help`, the options of each command, and the exit codes of the guide. It has no date,
so that two builds of one version are the same to the byte.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from pressync import __version__
from pressync.app import guide
from pressync.cli import options
from pressync.cli.main import GROUPS, pressync

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_EXIT_CODES = "exit-codes-and-json.md"
_ROW = re.compile(r"^\| (\d+) \| (.+?) \|$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_CONTROLS = (".", "'")


def text(root: click.Context) -> str:
    """Write the page of the whole program; `root` is the context of its first word."""
    lines = [
        f'.TH PRESSYNC 1 "" "pressync {__version__}" "User Commands"',
        ".SH NAME",
        f"pressync \\- {_plain(_summary(pressync))}",
        ".SH SYNOPSIS",
        ".B pressync",
        r"[OPTIONS] COMMAND [ARGS]...",
        ".SH DESCRIPTION",
        *_paragraphs(pressync),
    ]
    for title, names in GROUPS.items():
        lines.append(f'.SH "{title.upper()}"')
        for name in names:
            if command := pressync.get_command(root, name):
                lines += _command(command, name, root)
    lines += [".SH OPTIONS OF EVERY COMMAND", *_rows(option.line(root) for option in options.COMMON)]
    codes = ((code, _LINK.sub(r"\1", said)) for code, said in _ROW.findall(guide.page(_EXIT_CODES)))
    return "\n".join([*lines, '.SH "EXIT STATUS"', *_rows(codes)]) + "\n"


def _command(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    """Write a command and those below it."""
    context = click.Context(command, info_name=name, parent=parent, obj=parent.obj)
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    yield f'.SS "{_escaped(usage)}"'
    yield from _paragraphs(command)
    records = (parameter.get_help_record(context) for parameter in command.params)
    # An argument has no text of its own: it is in the line of the usage.
    yield from _rows(record for record in records if record and record[1])
    for below, subcommand in command.commands.items() if isinstance(command, click.Group) else ():
        yield from _command(subcommand, below, context)


def _summary(group: click.Command) -> str:
    return (group.help or "").partition("\n")[0].rstrip(".")


def _paragraphs(command: click.Command) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", (command.help or "").strip()):
        yield ".PP"
        yield _plain(" ".join(paragraph.split()))


def _rows(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Write a list of words in bold, each with its text."""
    for word, said in rows:
        yield from (".TP", f".B {_escaped(word)}", _plain(said))


def _plain(words: str) -> str:
    """Write a line of text; a dot at its beginning would be a command of `man`."""
    return rf"\&{_escaped(words)}" if words.startswith(_CONTROLS) else _escaped(words)


def _escaped(words: str) -> str:
    marked = words.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    # Not every `man` reads UTF-8.
    return "".join(character if character.isascii() else rf"\[u{ord(character):04X}]" for character in marked)
