"""`pressync import`: turns a tree of another tool, an export or a site into files of this repository."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pressync.cli.command import Command, File

if TYPE_CHECKING:
    from pressync.cli.main import Globals

_TOOLS = ("hugo", "jekyll", "docusaurus", "mkdocs", "wxr", "wordpress", "jsonl")


@click.command(
    cls=Command,
    examples=(
        "pressync import ../hugo-site           # says what it is, writes into content/",
        "pressync import blog.WordPress.xml",
        "pressync import https://example.org --all-statuses",
        "pressync import https://example.org --under /docs/ --dry-run",
        "pressync import pages.jsonl --to site  # what any tool says of itself",
    ),
)
@click.argument("source")
@click.option("--to", metavar="DIR", help="The content folder to write into. Default: the setting `content`.")
@click.option(
    "--as", "tool", type=click.Choice(_TOOLS), help="What SOURCE is, if pressync takes it for another."
)
@click.option(
    "--media",
    type=File(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A copy of wp-content/uploads: its pictures are imported, too.",
)
@click.option(
    "--under",
    metavar="ADDRESS",
    multiple=True,
    help="Import only what is at or below this address, like /docs/. Repeatable.",
)
@click.option(
    "--without",
    metavar="ADDRESS",
    multiple=True,
    help="Leave out what is at or below this address. Repeatable.",
)
@click.option(
    "--forgotten", is_flag=True, help="Import records again that had a file here, and were forgotten."
)
@click.option("--all-statuses", is_flag=True, help="Import drafts, private and protected items as well.")
@click.option("--dry-run", is_flag=True, help="Read the source, print the account, and write nothing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="How to print the account.",
)
@click.pass_obj
def command(
    globals_: Globals,
    *,
    source: str,
    to: str | None,
    tool: str | None,
    media: Path | None,
    under: tuple[str, ...],
    without: tuple[str, ...],
    forgotten: bool,
    all_statuses: bool,
    dry_run: bool,
    form: str,
) -> None:
    """Turn SOURCE into files of the work tree, and account for all of it in .pressync/import.

    SOURCE is a folder of Hugo, Jekyll, Docusaurus or MkDocs, an export of WordPress, the address of a
    WordPress site, or JSON lines. Nothing is committed, and no service is written to: look at `git diff`.
    """
    from pressync.app.import_site.part import Part  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.cli import import_  # noqa: PLC0415 - `--help` loads nothing else

    part = Part(under, without)
    wish = import_.Wish(
        source, to, tool or "", media, all_statuses, part=part, forgotten=forgotten, dry_run=dry_run
    )
    import_.run(globals_, wish, form)
