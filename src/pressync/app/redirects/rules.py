"""Writes redirects as rules of a web server, as a table or as a JSON document.

A server includes the rules into its configuration. So no text of an address may end a quotation, name a
variable or match more than that address. A redirect that cannot be written safely is left out with a note.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pressync.model.web_address import from_root, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.app.redirects.collect import Note, Redirect

# A whole text, and the notes on what it leaves out.
RulesText = tuple[str, tuple[tuple[str, str], ...]]
# Takes an old decoded path and the new address; gives a line, or None where the server has no safe rule.
Rule = Callable[[str, str], str | None]

_NGINX_HEAD = (
    "# Redirects from addresses that moved, for the `server` block of the site:\n"
    "#     include /etc/nginx/redirects.conf;\n"
    "# Each matches exactly one path, whatever the query. Two locations of one path are an error of nginx.\n"
)
_APACHE_HEAD = (
    "# Redirects from addresses that moved, for the site's <VirtualHost> or its .htaccess (mod_alias).\n"
    "# Each matches exactly one path, whatever the query, and must stand above rules for all paths.\n"
)
# The characters that a URL may have unencoded, without the dollar sign, which begins a variable in nginx.
_KEPT = "%/:?#[]@!&'()*+,;=~"
_HOST = re.compile(r"[A-Za-z0-9.:\[\]-]+")
# Apache encodes the new address itself: it keeps these characters, or it encodes them correctly.
_PLAIN = re.compile(r"[\w\-./~!,:;=@+*'() ]*")


def as_csv(redirects: Sequence[Redirect]) -> RulesText:
    """Write a table of `old,new`, one redirect a line."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("old", "new"))
    table.writerows((each.old, each.new) for each in redirects)
    return text.getvalue(), ()


def as_json(redirects: Sequence[Redirect]) -> RulesText:
    """Write a document for programs."""
    rows = [{"old": each.old, "new": each.new} for each in redirects]
    return json.dumps({"version": 1, "redirects": rows}, indent=2) + "\n", ()


def as_nginx(redirects: Sequence[Redirect]) -> RulesText:
    """Write exact locations: nginx finds one of them in one step, however many there are."""
    return _configured(_NGINX_HEAD, redirects, _location)


def as_apache(redirects: Sequence[Redirect]) -> RulesText:
    """Write anchored expressions, because Apache's `Redirect` also matches everything below a path."""
    return _configured(_APACHE_HEAD, redirects, _redirect_match)


def as_redirection(redirects: Sequence[Redirect]) -> RulesText:
    """Write what the plugin Redirection imports: one group, and a redirect for each old address.

    The plugin can compare the query too, so an old address such as `/?p=12` needs no note.
    """
    rows = [
        {
            "url": _path_and_query(each.old),
            "match_data": {
                "source": {
                    "flag_query": "exact" if "?" in _path_and_query(each.old) else "pass",
                    "flag_case": False,
                    "flag_trailing": True,
                    "flag_regex": False,
                }
            },
            "action_code": 301,
            "action_type": "url",
            "action_data": {"url": each.new},
            "match_type": "url",
            "title": "",
            "regex": False,
            "group_id": 1,
            "position": position,
            "enabled": True,
        }
        for position, each in enumerate(redirects)
    ]
    groups = [{"id": 1, "name": "pressync", "module_id": 1, "enabled": True}]
    return json.dumps({"groups": groups, "redirects": rows}, indent=2) + "\n", ()


def _path_and_query(address: str) -> str:
    return from_root(address) or "/"


FORMATS: dict[str, Callable[[Sequence[Redirect]], RulesText]] = {
    "nginx": as_nginx,
    "apache": as_apache,
    "csv": as_csv,
    "json": as_json,
    "redirection": as_redirection,
}


def _configured(head: str, redirects: Sequence[Redirect], rule: Rule) -> RulesText:
    notes: list[Note] = []
    lines = [head, *_rules(redirects, rule, notes)]
    return "".join(lines), tuple(notes)


def _rules(redirects: Sequence[Redirect], rule: Rule, notes: list[Note]) -> Iterator[str]:
    for each in redirects:
        old, new = split(each.old), split(each.new)
        path = unquote(old.path if old else "") or "/"
        if old is None or new is None:
            notes.append((each.old, f"left out, because '{each.new}' is not an address"))
        elif old.netloc.lower() != new.netloc.lower():
            notes.append((each.old, f"left out, because it is on another host than '{each.new}'"))
        elif old.query:
            # A rule for the path alone would redirect another page: for `/?p=12`, the front page.
            notes.append((each.old, "left out, because a rule matches only the path, and this has a query"))
        elif not path.isprintable() or "\ufffd" in path or (line := rule(path, each.new)) is None:
            notes.append(
                (each.old, "left out, because it cannot be written as a rule that is safe to include")
            )
        else:
            yield line


def _location(path: str, new: str) -> str:
    # nginx compares with the decoded path; in double quotes the backslash is the only escape character.
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'location = "{quoted}" {{ return 301 "{quote(new, safe=_KEPT)}"; }}\n'


def _redirect_match(path: str, new: str) -> str | None:
    # Apache compares with the decoded path. It encodes the path of its answer, and not the query.
    parts = split(new)
    if parts is None or parts.query or parts.fragment:
        return None
    target = unquote(parts.path)
    if not (_PLAIN.fullmatch(target) and _HOST.fullmatch(parts.netloc)):
        return None
    pattern = re.escape(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'RedirectMatch 301 "^{pattern}$" "{parts.scheme}://{parts.netloc}{target}"\n'
