"""Tells which sites a command is about: the chosen one, or all sites of the settings if nobody chose one.

The settings refuse to be read for no site in particular. So the names are read from the file alone.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pressync.config import location, settings_file
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pressync.cli.main import Globals


def known(globals_: Globals) -> tuple[tuple[str, ...], str]:
    """List the sites of the settings, and name the settings for messages."""
    with Repository(globals_.directory) as repository:
        found = location.find(repository, globals_.config_file)
    return tuple(settings_file.read(found.text or "", found.where).get("sites", {})), found.where


def is_chosen(globals_: Globals) -> bool:
    """Whether somebody chose a site."""
    return bool(globals_.site or os.environ.get("PRESSYNC_SITE"))


def for_each_site(globals_: Globals) -> list[Globals]:
    """Give the options once for each site that a command is about; the settings may choose the only one."""
    if is_chosen(globals_):
        return [globals_]
    names, _ = known(globals_)
    return [globals_._replace(site=name) for name in names] if len(names) > 1 else [globals_]
