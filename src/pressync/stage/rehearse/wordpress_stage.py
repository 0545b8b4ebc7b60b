"""Real WordPress as a stage, in the version of the site, with its theme and plugins if they are given.

WordPress Playground runs it. A plugin of the stage's own puts the rows of the site into it with their ids,
which the interface lets nobody choose. For the interface the stage has the address of the site, so every
response is as the site's will be. WordPress answers visitors at an address of its own, lists its records and
renders them.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from msgspec import to_builtins

from pressync.app import embedded_server
from pressync.client import discovery
from pressync.client.address import parse
from pressync.client.connect import open_service
from pressync.client.credentials import Secret, basic
from pressync.client.dialects import MOST_CAPABLE
from pressync.client.http import ReadingTransport
from pressync.client.port import require_facts
from pressync.client.responses import clean
from pressync.html.titles import unescape_title
from pressync.model.errors import ServiceError, StorageError
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes, encoded
from pressync.model.site_schema import encode
from pressync.model.web_address import from_root
from pressync.stage.rehearse import given_site, playground
from pressync.stage.rehearse.given_site import GivenRecords, GivenSite
from pressync.stage.rehearse.playground import FILES, Mounted, Mounts
from pressync.stage.rehearse.stage import RenderedPage, RenderedSite, SiteDifference, normal_path, on_disk
from pressync.stage.server.database import SiteSettings, stored_address
from pressync.stage.server.wordpress.session import User

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from pressync.app.workspace import Workspace
    from pressync.model.interface import Kind
    from pressync.stage.rehearse.live_site import LiveSite

# A site whose version is not known is rehearsed in the newest one with which pressync is tested.
NEWEST = "7.1"
_VERSION = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,2}")
_CONTENT = "/wordpress/wp-content"
_PLUGIN = "plugin"

# WordPress in WASM puts some ten records a second on a slow machine.
_LONGEST_FILL = 3600

# The settings of a site that decide what its records get.
_OPTIONS = ("default_category", "default_comment_status", "default_ping_status")


class WordPressStage:
    """The stage of `--on wordpress` for the site of one workspace."""

    name = "wordpress"

    def __init__(
        self, workspace: Workspace, given: Mounts, *, stop: threading.Event, say: Callable[[str], None]
    ) -> None:
        self._workspace = workspace
        self._given = given
        self._stop = stop
        self._say = say

    @contextmanager
    def running(self, directory: Path, live: LiveSite) -> Iterator[_RunningWordPress]:
        """Run WordPress."""
        schema = self._workspace.settings.site_schema
        options, mounts = mounted(directory, self._given, live.version, encode(schema) if schema else "{}")
        with playground.running(directory, options, mounts, stop=self._stop, say=self._say) as address:
            types = self._workspace.settings.types
            yield _RunningWordPress(directory, address, live, self._given, types)


class _RunningWordPress:
    """WordPress while it answers; see `stage.RunningStage`."""

    def __init__(
        self, directory: Path, address: str, live: LiveSite, given: Mounts, types: SiteTypes
    ) -> None:
        self._directory, self._types = directory, types
        self._live = live
        self._given = given
        self.home = live.home
        self._records: GivenRecords | None = None
        self.address = address
        # Also a site with plain permalinks has its interface there.
        self.url = f"{address}/?rest_route=/"
        self.authorization: Secret | None = None

    def bring(self, workspace: Workspace) -> None:
        with workspace.state(writable=True) as state:
            self._records = GivenRecords(workspace, state.manifest, self._live)
            # The links of records that were synced to the embedded service begin with its address.
            data = embedded_server.database(workspace.clone.embedded_data)
            begun = SiteSettings(address=stored_address(data) or self.address)
            given = given_site.site_of(self._records, begun, self._directory / "uploads")
            before = () if given.all_users else (_ADMINISTRATOR,)
            users = {each.id: each for each in (*before, *given.users)}
            user = users[self._live.user or 1]
            told = state_of(given, self._live, users.values(), user=user.id, mounts=self._given)
            self.home = told["home"] = given.settings.address
            with on_disk("the stage cannot be prepared", self._directory):
                bases = self._directory / "plugin" / "bases.json"
                bases.write_text(given.settings.bases, encoding="utf-8")
            (self._directory / _PLUGIN / "address.json").write_text(
                json.dumps({"home": told["home"]}), encoding="utf-8"
            )
            self.authorization = basic(user.login, filled(self._directory, self.address, told))
            state.put(*self._records.changed)
            state.save()

    def rendered(self) -> RenderedSite:
        return rendered(self.url, self.authorization, self._types, home=self.home, stage=self.address)

    def differences(self) -> tuple[SiteDifference, ...]:
        """Say what this WordPress is not: the version, the theme and the plugins of the site."""
        live, named = self._live, set(self._given.named)
        version = discovery.version(self.address) or "unknown"
        theme = self._given.theme.name if self._given.theme else "the standard one"
        plugins = [each for each in live.plugins if each.partition(" ")[0] not in named]
        mounted_here = ", ".join(file for _, file in self._given.plugins)
        found = [
            ("version", version, live.version if live.version != version else ""),
            ("theme", theme, live.theme if live.theme.partition(" ")[0] not in named else ""),
            ("plugins", mounted_here or "none", ", ".join(plugins)),
        ]
        return self._records.differences(found) if self._records else ()


def mounted(
    directory: Path, given: Mounts, version: str, schema: str = "{}"
) -> tuple[list[str], list[Mounted]]:
    """Prepare the folders that WordPress sees, and the options for its version; "" is the newest one.

    `schema` is the text of a committed schema.
    """
    own, uploads = directory / _PLUGIN, directory / "uploads"
    with on_disk("the stage cannot be prepared", directory):
        own.mkdir()
        shutil.copy(FILES / "stage.php", own)
        (own / "schema.json").write_text(schema, encoding="utf-8")
        uploads.mkdir()
    found = [Mounted(own, f"{_CONTENT}/mu-plugins"), Mounted(uploads, f"{_CONTENT}/uploads")]
    extensions = [("themes", given.theme), *(("plugins", folder) for folder, _ in given.plugins)]
    for kind, folder in extensions:
        if folder:
            copied = playground.copy_folder(folder, directory / kind / folder.name)
            found.append(Mounted(copied, f"{_CONTENT}/{kind}/{folder.name}"))
    if given.wordpress is None:
        return ["--wp", version if _VERSION.fullmatch(version) else NEWEST], found
    wordpress = playground.copy_folder(given.wordpress, directory / "wordpress")
    (wordpress / "wp-config.php").unlink(missing_ok=True)
    mode = "install-from-existing-files"
    return ["--wordpress-install-mode", mode], [Mounted(wordpress, "/wordpress", before=True), *found]


def filled(directory: Path, address: str, told: Mapping[str, object]) -> str:
    """Put a state into WordPress by the stage's own plugin; give the password of the user who syncs.

    :raises StorageError: WordPress did not take it.
    """
    import requests  # noqa: PLC0415 - only this stage speaks to its plugin

    (directory / _PLUGIN / "stage.json").write_text(json.dumps(told), encoding="utf-8")
    with requests.Session() as session:
        # A proxy does not know this machine's own addresses.
        session.trust_env = False
        key = {"X-Pressync-Stage": str(told["key"])}
        try:
            response = session.get(f"{address}/", headers=key, timeout=_LONGEST_FILL)
            said = response.json()
        except (requests.RequestException, ValueError) as error:
            raise _unfilled(f"{type(error).__name__}") from None
    if "password" not in said:
        raise _unfilled(clean(str(said.get("error", ""))))
    return str(said["password"])


_ADMINISTRATOR = User(1, "admin", "admin@localhost", "admin", "admin", "administrator")


def state_of(
    given: GivenSite, live: LiveSite, users: Iterable[User], *, user: int, mounts: Mounts
) -> dict[str, object]:
    """Give the rows and the options as the plugin reads them; of two rows with an id, the last counts.

    `user` is the id of the one who syncs.
    """
    options = {name: live.settings[name] for name in _OPTIONS if name in live.settings}
    return {
        "users": _told(users),
        "terms": _told({term.id: term for term in given.terms}.values()),
        "media": _told({medium.id: medium for medium in given.media}.values()),
        "records": _told(given.records),
        "options": {"blogname": given.settings.title, **_time(live.timezone), **options},
        "permalinks": given.settings.permalinks,
        "front": max(given.settings.front, 0),
        "last": given.last,
        "key": secrets.token_urlsafe(),
        "user": user,
        "theme": mounts.theme.name if mounts.theme else "",
        "plugins": [file for _, file in mounts.plugins],
    }


def _told(rows: Iterable[object]) -> list[object]:
    return [to_builtins(row, enc_hook=encoded) for row in rows]


def _time(timezone: str) -> dict[str, object]:
    """Give the options of a time zone, which is a name, or an offset such as `+05:30`."""
    if timezone[:1] not in {"+", "-"}:
        return {"timezone_string": timezone} if timezone else {}
    hours, _, minutes = timezone[1:].partition(":")
    ahead = int(hours) + int(minutes) / 60
    return {"timezone_string": "", "gmt_offset": -ahead if timezone[0] == "-" else ahead}


def _unfilled(why: str) -> StorageError:
    return StorageError(
        f"WordPress on the stage did not take the state of the site: {why or 'no response'}",
        todo="rehearse without `--mount` to see whether a theme or a plugin is the reason",
    )


_PLACES = ("%pagename%", "%postname%")


def rendered(
    url: str,
    authorization: Secret | None,
    types: SiteTypes = DOCUMENTED_TYPES,
    *,
    home: str,
    stage: str,
    allow_http: bool = False,
    hidden_too: bool = True,
) -> RenderedSite:
    """Read all pages and posts of a WordPress that answers visitors at the address `stage`.

    A visitor may not ask for hidden records, so they are read if `hidden_too` says so.

    :raises ServiceError: WordPress does not answer.
    """
    pages: dict[tuple[Kind, int], RenderedPage] = {}
    secret: dict[str, tuple[Kind, int]] = {}
    hidden: dict[tuple[Kind, int], RenderedPage] = {}
    service = open_service(
        url,
        dialect=MOST_CAPABLE.name,
        types=types,
        authorization=authorization,
        allow_http=allow_http,
        only_reads=True,
    )
    with closing(service):
        facts = require_facts(service)
        for kind in types.kinds:
            for row in facts.rendered(kind, hidden=False):
                page = _page(kind, row)
                pages[kind, page.id] = page
            for row in facts.rendered(kind, hidden=True) if hidden_too else ():
                number = _number(row)
                secret[_place(_future(row), number)] = (kind, number)
                hidden[kind, number] = _page(kind, row)

    public = {_place(page.address, page.id): found for found, page in pages.items()}
    every = {**hidden, **pages}
    answers = partial(_answers, stage)
    return RenderedSite(home, public, secret, lambda _path, kind, number: every.get((kind, number)), answers)


def _answers(stage: str, path: str) -> bool:
    """Tell whether a visitor of the stage gets something at a path."""
    with closing(ReadingTransport(parse(stage))) as visitor, suppress(ServiceError):
        return visitor.get(path).status < 400  # noqa: PLR2004 - the first error
    return False


def _page(kind: Kind, row: Mapping[str, object]) -> RenderedPage:
    return RenderedPage(
        kind,
        _number(row),
        str(row.get("link", "")),
        _rendered(row, "content"),
        _rendered(row, "title"),
        _rendered(row, "excerpt"),
        str(row.get("date") or ""),
        str(row.get("date_gmt") or ""),
        tuple(_terms(row)),
    )


def _rendered(row: Mapping[str, object], name: str) -> str:
    text = row.get(name)
    return str(text.get("rendered", "")) if isinstance(text, dict) else ""


def _terms(row: Mapping[str, object]) -> Iterator[str]:
    embedded = row.get("_embedded")
    found = embedded.get("wp:term") if isinstance(embedded, dict) else None
    for some in found if isinstance(found, list) else ():
        for term in some if isinstance(some, list) else ():
            if isinstance(term, dict):
                yield unescape_title(str(term.get("name", "")))


def _number(row: Mapping[str, object]) -> int:
    number = row.get("id")
    return number if isinstance(number, int) else 0


def _future(row: Mapping[str, object]) -> str:
    """Give the address that a record will have when visitors see it."""
    address = str(row.get("permalink_template") or row.get("link") or "")
    for place in _PLACES:
        address = address.replace(place, str(row.get("slug") or row.get("generated_slug") or ""))
    return address


def _place(address: str, number: int) -> str:
    """Give the path of a record, which has one by its number too."""
    return normal_path(from_root(address) or f"/?p={number}")
