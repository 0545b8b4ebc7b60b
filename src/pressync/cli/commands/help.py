"""`pressync help` and `completion`: the section of the guide about a name, and words at the keyboard.

The guide is the one place that explains an error, a limit, a problem or a state; the schema of plans explains
the reason of a change. The wheel holds a copy of
its pages, because people ask where they have neither the repository nor a network.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache

import click

from pressync.app import guide
from pressync.cli import options

# A paragraph is prose, so it is broken in a pipe too.
_COLUMNS = 80
# Click's scripts set this variable to ask the program; Click makes its name from the program's name.
_VARIABLE = "_PRESSYNC_COMPLETE"


# The pages with sections that explain a name, in the order in which `pressync help` lists them.
PAGES = ("troubleshooting.md", "problems.md")

_SECTION = re.compile(r"^### `([a-z_-]+)`\n+(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"^## (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_FENCE = "```"
# Names that people meet elsewhere, and the sections that explain them.
_ALSO = {"unconfirmed": "in_doubt", "orphans": "orphaned-record", "401": "refused", "403": "refused"}


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its name, the part of the page that it is in, and its paragraphs and messages."""

    name: str
    page: str
    part: str
    text: str

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """Its text for a terminal: a line for each paragraph, messages indented, links as their words."""
        shown = []
        for block in re.split(r"\n{2,}", self.text.strip()):
            lines = block.split("\n")
            if lines[0].startswith(_FENCE):
                shown.append("\n".join(f"    {line}" for line in lines[1:-1]))
            else:
                shown.append(_LINK.sub(r"\1", " ".join(lines)))
        return tuple(shown)

    @property
    def further(self) -> tuple[str, ...]:
        """The places of the guide that it leads to, as `page.md#section`."""
        targets = (match[2] for match in _LINK.finditer(self.text))
        whole = (f"{self.page}{target}" if target.startswith("#") else target for target in targets)
        return tuple(dict.fromkeys(target for target in whole if "://" not in target))


@cache
def sections() -> dict[str, Section]:
    """Give all sections by name."""
    by_name = {}
    for name in PAGES:
        text = guide.page(name)
        parts = [(match.start(), match[1]) for match in _PART.finditer(text)]
        for match in _SECTION.finditer(text):
            part = next((title for start, title in reversed(parts) if start < match.start()), "")
            by_name[match[1]] = Section(match[1], name, part, match[2])
    return by_name


def find(name: str) -> Section | None:
    """Find the section of a name, however its words are joined: `LockHeld` is `lock-held` and `lock_held`."""
    wanted = _plain(_ALSO.get(name, name))
    section = next((section for key, section in sections().items() if _plain(key) == wanted), None)
    return section or _of_plan(name)


def _of_plan(name: str) -> Section | None:
    """Make the section of a reason in a plan, by its code or its name, of the schema that programs read."""
    import json

    from pressync.cli.commands.config import schema_text

    definitions = json.loads(schema_text("plan"))["$defs"]
    for row in (*definitions["reason"]["oneOf"], *definitions["remark"]["oneOf"]):
        if _plain(name) in {_plain(row["const"]), _plain(row["title"])}:
            return Section(row["const"], "", "In a plan", row["description"])
    return None


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


@options.command(
    "pressync help broken-link",
    "pressync help not_pulled",
    "pressync help      # all names",
    "pressync help --man > pressync.1",
)
@click.argument(
    "name", required=False, shell_complete=lambda _, __, begun: [n for n in sections() if n.startswith(begun)]
)
@options.flag("--man", "as_man", help="Print the manual page of all commands, for the program `man`.")
@click.pass_context
def command(ctx: click.Context, _globals: object, name: str | None, *, as_man: bool) -> None:
    """Explain NAME: a message or a reason of a plan, why it comes, and the way out. Needs no network.

    A message ends with its name if it is long. JSON has the name as `code`. The name of a command shows what
    `--help` shows, and that of a page of the guide prints the page.
    """
    import difflib

    from pressync.cli.main import COMMANDS

    if as_man:
        from pressync.cli import man_page

        click.echo(man_page.text(ctx.find_root()), nl=False)
        return
    if name is None:
        _list()
        return
    section = find(name)
    if name in COMMANDS:
        group = ctx.find_root().command
        if isinstance(group, click.Group) and (subcommand := group.get_command(ctx, name)):
            below = click.Context(subcommand, info_name=name, parent=ctx.find_root(), obj=ctx.obj)
            click.echo(subcommand.get_help(below))
        if section:
            click.echo("\nMessages with this name:\n")
    elif section is None and name in guide.pages():
        click.echo(guide.page(f"{name}.md"))
    elif section is None:
        similar = _about(name) or difflib.get_close_matches(name, [*sections(), *COMMANDS], n=2)
        meant = " or ".join(f"`pressync help {word}`" for word in similar)
        todo = f"Did you mean {meant}?" if meant else "`pressync help` lists all."
        raise click.UsageError(f"No section is called {name!r}. {todo}", ctx)
    if section:
        more = [f"In the guide: {', '.join(section.further)}"] if section.further else []
        texts = [f"{section.name} ({section.part})", *section.paragraphs, *more]
        click.echo("\n\n".join(_fitted(text, 4 if text.startswith(" ") else 0) for text in texts))


def _list() -> None:
    """Print the names of all sections and pages."""
    parts: dict[str, list[str]] = {}
    for section in sections().values():
        parts.setdefault(section.part, []).append(section.name)
    for part, names in parts.items():
        click.echo(f"{part}:\n{_fitted('  ' + ', '.join(names), 2)}")
    click.echo(_fitted(f"Pages of the guide:\n  {', '.join(guide.pages())}", 2))
    click.echo("\n`pressync help NAME` explains one. `pressync --help` lists the commands.")


def _about(word: str) -> list[str]:
    """Name the two pages of the guide that are most about a word: by their titles, headings and texts."""
    pattern = re.compile(rf"\b{re.escape(word)}", re.IGNORECASE)
    heading = re.compile(rf"^#+ .*\b{re.escape(word)}", re.MULTILINE | re.IGNORECASE)
    most = {}
    for name, text in guide.pages().items():
        if count := len(pattern.findall(text)):
            title = text[: text.find("description:")]
            most[name] = (bool(pattern.search(title)), len(heading.findall(text)), count)
    return sorted(most, key=lambda name: most[name], reverse=True)[:2]


def _fitted(text: str, indent: int) -> str:
    from pressync.cli import log
    from pressync.cli.report.layout import wrapped

    return wrapped(text, log.columns(sys.stdout) or _COLUMNS, indent)


@options.command(
    'eval "$(pressync completion bash)"',
    "pressync completion fish > ~/.config/fish/completions/pressync.fish",
)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, _globals: object, shell: str) -> None:
    """Print the script that completes pressync in a SHELL. Put it where that shell looks for it.

    For bash: eval "$(pressync completion bash)" in ~/.bashrc.
    """
    from click.shell_completion import get_completion_class

    shell_class = get_completion_class(shell)
    root = ctx.find_root()
    if shell_class is None:
        raise click.UsageError(f"Click has no completion for {shell}.")
    click.echo(shell_class(root.command, {}, "pressync", _VARIABLE).source())
