"""Reads when and by whom a record was last revised on a WordPress site.

WordPress keeps a revision of each edit of a title, a text or an excerpt, with its author. A site may keep no
revisions, and this account may not be allowed to see them: then nothing is said of it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pressync.app.editors.site_names import opened
from pressync.app.explain.explanation import Revised
from pressync.client.responses import json_object
from pressync.client.wordpress import WORDPRESS
from pressync.client.wordpress.encoding import unescape_title
from pressync.client.wordpress.lists import get, rows
from pressync.client.wordpress.record import PATHS
from pressync.model.errors import ConfigError, ServiceError
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from pressync.app.workspace import Workspace
    from pressync.client.wordpress.lists import Send
    from pressync.model.records import Entry

_NEWEST = (("per_page", "1"), ("_fields", "author,date_gmt"))


def last_revision(workspace: Workspace, entry: Entry) -> Revised | None:
    """Give the last revision of a record; None if the site does not show it."""
    if workspace.settings.site.dialect != WORDPRESS.name:
        return None
    with suppress(ServiceError, ConfigError), opened(workspace) as reader:
        newest = rows(get(reader.send, f"{PATHS[entry.kind]}/{entry.id}/revisions", _NEWEST, entry.kind))
        if newest:
            return Revised(f"{newest[0].get('date_gmt')}Z", _name(reader.send, newest[0].get("author")))
    return None


def _name(send: Send, number: object) -> str:
    """Name a user; an account may not see all of them."""
    with suppress(ServiceError):
        user = json_object(get(send, f"/wp/v2/users/{number}", (("_fields", "name,slug"),)))
        return one_line(unescape_title(str(user.get("name") or user.get("slug"))))
    return f"user {number}"
