"""Collects the names of one site that front matter may have: terms, users, templates and layouts.

The names are offered by an editor and never required: a sync makes missing terms, and a classic theme does
not list its templates. So a site that cannot be read leaves out names, and is not an error. All requests are
GET.
"""

from __future__ import annotations

import threading
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from pressync.app import embedded_server
from pressync.app.revision import Revision
from pressync.client.address import parse
from pressync.client.get_only import GetOnly
from pressync.client.retry import Patience, Retry
from pressync.client.wordpress import WORDPRESS, look, terms_and_media
from pressync.content.front_matter.keys import REST
from pressync.model.errors import ConfigError, Refused, ServiceError
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from pressync.app.workspace import Workspace
    from pressync.client.port import Term

_PATIENCE = Patience(unsent_attempts=2, unanswered_attempts=2, budget=30.0)
# A list for a person to choose from; a schema with more of them makes an editor slow.
_MOST = 2_000

Names = dict[str, set[str]]


def of(workspace: Workspace, say: Callable[[str], None]) -> Mapping[str, tuple[str, ...]]:
    """Give the names by key of front matter, sorted; `say` gets a sentence on what could not be read.

    :raises ManifestError: the manifest cannot be read.
    """
    names: Names = {"categories": set(), "tags": set(), "author": set(), "template": set(), "layout": set()}
    with workspace.reading() as state:
        for name in state.manifest.names:
            names[name.field].add(name.text)
    names["author"].update(workspace.settings.authors.keys() - {REST})
    names["layout"].update(_layouts(workspace))
    if workspace.settings.site.dialect == WORDPRESS.name:
        try:
            _read_site(workspace, names, say)
        except (ServiceError, ConfigError) as error:
            say(f"The site was not read, so only the names that this clone knows are there: {error}")
    return {key: some for key, found in names.items() if (some := _sorted(found))}


def _sorted(found: Iterable[str]) -> tuple[str, ...]:
    """Sort the names that can be in a file as one line."""
    return tuple(sorted(name for name in found if name and name == one_line(name)))[:_MOST]


def _layouts(workspace: Workspace) -> Iterable[str]:
    """Give the templates of the repository, as `layout:` names them."""
    folder = workspace.settings.templates
    files = workspace.content(Revision()).tree.files if folder else ()
    below = (path.removeprefix(f"{folder}/") for path in files if path.startswith(f"{folder}/"))
    return (path.removesuffix(".html") for path in below if path.endswith(".html"))


def _read_site(workspace: Workspace, names: Names, say: Callable[[str], None]) -> None:
    with opened(workspace) as reader:
        retry = Retry(_PATIENCE, threading.Event().wait, say)
        send = reader.send
        parts: Mapping[str, Callable[[], Iterable[str]]] = {
            "categories": lambda: _paths(terms_and_media.terms(send, "categories")),
            "tags": lambda: (term.name for term in terms_and_media.terms(send, "tags")),
            "author": lambda: (person.login or person.slug for person in look.people(send)),
            "template": lambda: look.templates(send),
        }
        for key, read in parts.items():
            try:
                names[key].update(retry.run(partial(_whole, read), harmless=True))
            except Refused as error:
                say(f"The site does not show this account what `{key}` may be: {error.what}")


def _whole(read: Callable[[], Iterable[str]]) -> tuple[str, ...]:
    return tuple(read())


@contextmanager
def opened(workspace: Workspace) -> Iterator[GetOnly]:
    """Open the site with a transport that has GET alone; start the embedded service if it does not run."""
    site, credentials = workspace.settings.site, workspace.clone.credentials
    secret, allow_http = credentials.authorization(), credentials.allow_http
    own = embedded_server.data_directory(workspace.embedded_home)
    place = nullcontext(site.url) if site.url else embedded_server.running_or_started(own)
    with place as url:
        address = parse(url).through_script()
        with closing(GetOnly(address, authorization=secret, allow_http=allow_http)) as reader:
            yield reader


def _paths(terms: Collection[Term]) -> Iterable[str]:
    """Name categories by their path, `News/Local`."""
    by_id = {term.id: term for term in terms}
    for term in terms:
        path, above = [term.name], term.parent
        while above in by_id and len(path) < len(by_id):
            path.append(by_id[above].name)
            above = by_id[above].parent
        # A name with a slash would be read as a path.
        if not any("/" in name for name in path):
            yield "/".join(reversed(path))
