"""Reads the committed schema of a site, and gives the process the kinds that it names.

Without this file, a site has the documented kinds. The schema is read as the settings are: from the work
tree, or from HEAD in a bare repository.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.client.dialects import capabilities_of
from pressync.config.keys import types
from pressync.model import bounds
from pressync.model.errors import ConfigError
from pressync.model.fingerprint import small_digest
from pressync.model.interface import use_kinds
from pressync.repo import discover, work_tree

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.config.settings import Settings, SettingsText


def path_of(site: str) -> str:
    """Give the path of a site's schema, from the root of the repository."""
    return f".pressync/{site}.schema.json"


def applied(settings: Settings, root: Path | None, common: Path, text: SettingsText) -> Settings:
    """Read the schema of the settings' site, make its kinds those of this process, and note its digest.

    `root` is None in a bare repository; `common` is the common Git directory. `text` is that of the settings.

    :raises ConfigError: the file is not a schema, or a default names a type that the site does not have.
    """
    name = path_of(settings.site.name)
    data = committed(name, root, common) if capabilities_of(settings.site.dialect).read else None
    if data is None:
        use_kinds({})
    else:
        from pressync.model import site_schema  # noqa: PLC0415 - few sites have types of their own

        schema = site_schema.decode(data, where=name)
        use_kinds(site_schema.kinds_of(schema, settings.site.types, where=name))
        settings = replace(settings, schema=small_digest(data), site_schema=schema)
    kinds = {str(values["type"]) for values in settings.site.defaults.values() if "type" in values}
    if not kinds <= set(types()) and text.text:
        from pressync.config import settings_file  # noqa: PLC0415 - most settings name known types

        todo = "" if data else "; `pressync schema site` reads the types of the site"
        settings_file.refuse_types(text.text, text.where, settings.site.name, types(), todo)
    return settings


def committed(name: str, root: Path | None, common: Path) -> bytes | None:
    """Read the file of a schema, which may be damaged; None if there is none.

    :raises ConfigError: it is too large, or cannot be read.
    """
    try:
        if root is None:
            return discover.committed(common, name, bounds.SCHEMA)
        file = root / name
        return work_tree.read(file, bounds.SCHEMA) if file.is_file() else None
    except bounds.FileTooLarge as error:
        raise ConfigError(error.what, where=name, todo=error.todo) from error
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error}", where=name, todo="restore it") from error
