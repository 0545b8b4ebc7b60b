"""Writes the first files of a repository: pressync.toml, a page, a template, .gitignore lines, a workflow.

`pressync init` must be harmless when it runs twice. So each file is decided alone, and an existing file never
changes, except for lines that are added to .gitignore. The result names the files that were left alone, too.
"""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from pressync.app import editors
from pressync.app.github import workflow_file
from pressync.client.dialects import DEFAULT, MOST_CAPABLE
from pressync.config import settings_file
from pressync.config.keys import EMBEDDED, folder
from pressync.config.settings import FILE_NAME
from pressync.content.front_matter.formats import YAML, fenced
from pressync.model.errors import ConfigError, RepositoryError, storing
from pressync.model.interface import DOCUMENTED_TYPES
from pressync.repo.work_tree import refuse_symlink
from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.app.workspace import Workspace
    from pressync.repo.repository import Repository

# The line with which Git merges manifests record by record, where the merge driver is installed.
_MERGED = "/.pressync/*.json merge=pressync"
_ATTRIBUTES = ".gitattributes"
_NAME = "merge.pressync.name"
_DRIVER = "merge.pressync.driver"
_DESCRIPTION = "pressync's manifests, record by record"
_IGNORED = f"/.pressync/{EMBEDDED}.json"
_IGNORE_NOTE = "# The embedded service belongs to this clone, and so does the manifest of it."
_TEMPLATE = """\
{# Every page that names no layout. `content` is its Markdown as HTML; `title` and `path` are there too. #}
{{ content }}
"""
_BODY = """
This page is a file: `{path}`. Change it, commit it, and run `pressync sync`.

- Files below `{folder}/` are pages, and folders make the tree: `team/anna.md` is below `team/index.md`.
- Front matter holds what is not text: a title, a date, a status.
- Relative links between files, like `[Anna](team/anna.md)`, become the addresses of the pages.
"""
# The site did not answer, so its dialect is not known.
_NO_DIALECT = (
    f"# {MOST_CAPABLE.setting}   # the site did not answer; for WordPress the url ends with /wp-json\n"
)
# A site whose pages were sent without it has it off, so that nobody's pages change by an upgrade.
_PLAYERS = "[markdown]\nembeds = true   # the bare address of a film, alone in its paragraph, is a player\n\n"
_MARKDOWN = (".md", ".markdown")
# A public site does not show the sample page until somebody has edited it.
_DRAFT = "status: draft"
_DRAFT_NOTE = "          # remove this line to publish the page"


@dataclass(frozen=True, slots=True)
class RemoteSite:
    """The site that is written into the settings; `dialect` is None if the site did not answer."""

    url: str
    dialect: str | None
    user: str | None = None
    branch: str | None = None
    in_reference: bool = False


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One file: `words` say what it is, or why it was left alone, and then it is without a `text`."""

    path: str
    words: str
    text: str | None = None


def begin(
    root: Path,
    site: str,
    remote: RemoteSite | None,
    *,
    content: str = "content",
    workflow: str | None = None,
    vscode: bool = False,
    extends: bool = False,
) -> tuple[WrittenFile, ...]:
    """Write the missing files of the repository at `root`; `remote` is None for the embedded service.

    `workflow` is the text of a workflow. With `extends`, a repository that has settings gets no first page
    and no template: a template would be used for pages that are there.

    :raises ConfigError: an existing pressync.toml is wrong, the name of the site or of its user is not
        valid, or a file would be written through a link.
    :raises StorageError: a file cannot be written.
    """
    text, existing = settings(site, remote, content), root / FILE_NAME
    ours = settings_file.read(text, FILE_NAME)
    tables = settings_file.read(_read(existing) or "", FILE_NAME) if existing.exists() else ours
    content = folder(tables.get("content", "content")) or ""
    templates = folder(tables.get("templates", "templates")) or ""
    directive = editors.DIRECTIVE.strip()
    if vscode and existing.is_file() and directive not in (_read(existing) or "").splitlines():
        steps = [WrittenFile(FILE_NAME, f"its completion needs this first line: {directive}")]
    else:
        steps = [_new(root, FILE_NAME, text, "the settings")]
    if not extends:
        steps += [_first_page(root, content, draft=remote is not None), _first_template(root, templates)]
    steps += [
        _grown(root, ".gitignore", _IGNORED, f"{_IGNORE_NOTE}\n{_IGNORED}", "what stays in this clone"),
        _grown(root, _ATTRIBUTES, _MERGED, _MERGED, "Git merges manifests record by record"),
    ]
    if vscode or steps[0].text is not None:
        schema = editors.schema_text(editors.CONFIG, types=DOCUMENTED_TYPES)
        path = editors.schema_path(editors.CONFIG)
        steps.append(_new(root, path, schema, f"what an editor shows of {FILE_NAME}"))
    for name, written in editors.of_vscode().items() if vscode else ():
        steps.append(_new(root, name, written, "for Visual Studio Code"))
    if workflow is not None:
        steps.append(_new(root, workflow_file.PATH, workflow, "what GitHub does with each push"))
    write_files(root, [(step.path, step.text) for step in steps if step.text is not None])
    return tuple(steps)


def settings(site: str, remote: RemoteSite | None, content: str = "content") -> str:
    """Write the text of a pressync.toml without secrets."""
    if not content.isprintable():
        raise ConfigError("the name of a folder cannot have control characters", where="--content")
    # Every JSON string is a valid TOML string.
    folders = f'content = {json.dumps(content, ensure_ascii=False)}\ntemplates = "templates"\n\n'
    is_wordpress = remote is None or remote.dialect != DEFAULT.name
    head = editors.DIRECTIVE + folders + (_PLAYERS if is_wordpress else "")
    if remote is None:
        return (
            f"{head}# Without a site, everything goes to this clone's embedded service. A real one:\n"
            f'# [sites.{site}]\n# url = "https://example.org/wp-json"\n# {MOST_CAPABLE.setting}\n'
            '# user = "editor"   # the password: PRESSYNC_PASSWORD, or `password_command`\n'
        )
    return head + site_table(site, remote)


def site_table(site: str, remote: RemoteSite) -> str:
    """Write the table of a site, without secrets."""
    if remote.user is not None and (":" in remote.user or not remote.user.isprintable()):
        raise ConfigError("a user name cannot have a colon or a control character", where="--user")
    rows = {"url": remote.url, "dialect": remote.dialect, "user": remote.user, "branch": remote.branch}
    lines = "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in rows.items() if value
    )
    lines += "" if remote.dialect else _NO_DIALECT
    # The machines of a workflow are thrown away, and a hook would leave a changed file after each commit. So
    # the manifest needs a place beside the branches.
    lines += (
        'manifest = "ref"   # `pressync manifest move --to file` moves it\n' if remote.in_reference else ""
    )
    note = "# The password: PRESSYNC_PASSWORD, `password_command` or the keyring (pressync[keyring]).\n"
    return f"[sites.{site}]\n{lines}{note}"


def install_merge_driver(workspace: Workspace) -> tuple[WrittenFile, ...]:
    """Make Git in this clone call the driver for this site's manifest; a second call is harmless.

    :raises RepositoryError: there is no working tree, or Git's settings cannot be written.
    :raises ConfigError: .gitattributes is a link.
    """
    root = workspace.repository.root
    if root is None:
        raise RepositoryError(
            "a bare repository cannot merge", todo="install it in a clone that merges branches"
        )
    refuse_symlink(root, _ATTRIBUTES)
    line = f"{merged_pattern(workspace.settings.site.file)} merge=pressync"
    step = _grown(root, _ATTRIBUTES, line, line, f"{line}; commit it")
    driver = configure_merge_driver(workspace.repository)
    if step.text is not None:
        write_files(root, [(step.path, step.text)])
    return driver, step


def configure_merge_driver(repository: Repository) -> WrittenFile:
    """Make Git in this clone know the driver.

    :raises RepositoryError: Git's settings cannot be written.
    """
    # The command names this Python, because `pressync` need not be on the PATH of a merge. Git starts it at
    # the root of the working tree: `-P` stops Python from importing modules that are committed there.
    driver = f"{shlex.quote(sys.executable)} -P -m pressync manifest merge %O %A %B %P"
    repository.port.configure(_NAME, _DESCRIPTION)
    repository.port.configure(_DRIVER, driver)
    return WrittenFile(f"git config {_DRIVER}", driver, driver)


def merged_pattern(name: str) -> str:
    """Give the pattern of .gitattributes that covers the manifests of all sites in the folder of one."""
    folder = PurePosixPath(name).parent.as_posix()
    return f"/{name}" if folder == "." else f"/{folder}/*.json"


def _first_page(root: Path, content: str, *, draft: bool) -> WrittenFile:
    below = f"{content}/" if content else ""
    path = f"{below}pages/index.md"
    if _holds(root / content, *_MARKDOWN):
        return WrittenFile(content or ".", "there are documents already")
    head = fenced(YAML, {"title": "Welcome", **({"status": "draft"} if draft else {})})
    page = head.replace(_DRAFT, _DRAFT + _DRAFT_NOTE) + _BODY.format(path=path, folder=f"{below}pages")
    return _new(root, path, page, "a first page, as a draft" if draft else "a first page")


def _first_template(root: Path, templates: str) -> WrittenFile:
    if not templates:
        return WrittenFile("templates", "no folder of templates is set")
    if _holds(root / templates, ".html"):
        return WrittenFile(templates, "there are templates already")
    return _new(root, f"{templates}/page.html", _TEMPLATE, "the template of every page")


def _grown(root: Path, name: str, line: str, added: str, words: str) -> WrittenFile:
    """Plan to add lines to a file, with the line ends that it has, unless it has `line`."""
    before = _read(root / name) or ""
    if line in before.splitlines():
        return WrittenFile(name, f"it has {line} already")
    end = "\r\n" if "\r\n" in before else "\n"
    gap = "" if not before or before.endswith("\n") else end
    return WrittenFile(name, words, before + gap + "".join(f"{row}{end}" for row in added.split("\n")))


def _new(root: Path, name: str, text: str, words: str) -> WrittenFile:
    if (root / name).exists():
        return WrittenFile(name, "it is there already")
    return WrittenFile(name, words, text)


def write_files(root: Path, files: Iterable[tuple[str, str]]) -> None:
    """Write the text of each file of the work tree, in one step.

    :raises ConfigError: a file would be written through a link.
    :raises StorageError: a file cannot be written.
    """
    files = list(files)
    # Every link is refused before the first file is written, so a refusal leaves nothing half done.
    for path, _ in files:
        refuse_symlink(root, path)
    for path, text in files:
        with storing(root / path):
            atomic_files.make_folder((root / path).parent)
            atomic_files.replace(root / path, text.encode())


def has_no_page(root: Path, content: str) -> bool:
    """Tell whether a folder has Markdown, and none of it is in a folder of pages or posts."""
    return _holds(root / content, *_MARKDOWN) and not any(
        _holds(root / content / folder, *_MARKDOWN) for folder in DOCUMENTED_TYPES.folders
    )


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode() if path.is_file() else None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot be read: {error}", where=path.name, todo="make it UTF-8 text") from error


def _holds(folder: Path, *endings: str) -> bool:
    return any(path.suffix in endings and path.is_file() for path in folder.rglob("*"))
