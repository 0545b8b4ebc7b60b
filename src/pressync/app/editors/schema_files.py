"""The files of a repository that editors read: JSON schemas, and the settings of Visual Studio Code.

A schema has no address that lasts, so a repository keeps its own copy. All of them are made here, and `init`
writes them.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.interface import Kind

CONFIG, FRONT_MATTER = "config", "front-matter"
_NONE: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def path(document: str) -> str:
    """Give the path of a schema from the repository's root."""
    return f".pressync/schemas/{document}.json"


# The first line of pressync.toml: with it, a language server for TOML finds the schema.
DIRECTIVE = f"#:schema {path(CONFIG)}\n"


def text(document: str, kind: Kind | None = None, names: Mapping[str, tuple[str, ...]] = _NONE) -> str:
    """Write the schema of pressync.toml or of front matter, with the names of a site."""
    # Merging a manifest loads this module, and needs neither schema.
    from pressync.app.editors.settings_schema import settings  # noqa: PLC0415
    from pressync.content.front_matter.schema import front_matter  # noqa: PLC0415

    schema = settings(names) if document == CONFIG else front_matter(kind, names)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


# `--format github` writes each problem on a line of its own, and a terminal does not wrap it.
_PLACED = r"^::(error|warning) file=([^,]+),line=(\d+)::(.*)$"
_UNPLACED = r"^::(error|warning) file=([^,]+)::(.*)$"
_MATCHER: Mapping[str, object] = {
    "owner": "pressync",
    "fileLocation": ["relative", "${workspaceFolder}"],
}
_TASK: Mapping[str, object] = {
    "label": "pressync check",
    "type": "shell",
    "command": "pressync check --worktree --format github",
    "group": {"kind": "test", "isDefault": True},
    "presentation": {"reveal": "never"},
    # One for the problems of a line, and one for those of a whole file.
    "problemMatcher": [
        {**_MATCHER, "pattern": {"regexp": _PLACED, "severity": 1, "file": 2, "line": 3, "message": 4}},
        {
            **_MATCHER,
            "pattern": {"regexp": _UNPLACED, "kind": "file", "severity": 1, "file": 2, "message": 3},
        },
    ],
}


def of_vscode(content: str) -> dict[str, str]:
    """Give the files of Visual Studio Code by path: settings, extensions, and the task `pressync check`."""
    below = f"{content}/" if content else ""
    files = {
        # For extensions that give the front matter of Markdown to the language server for YAML.
        "settings": {
            "yaml.schemas": {f"./{path(FRONT_MATTER)}": [f"{below}**/*.md", f"{below}**/*.markdown"]}
        },
        "extensions": {"recommendations": ["tamasfe.even-better-toml", "redhat.vscode-yaml"]},
        "tasks": {"version": "2.0.0", "tasks": [_TASK]},
    }
    return {f".vscode/{name}.json": json.dumps(value, indent=2) + "\n" for name, value in files.items()}
