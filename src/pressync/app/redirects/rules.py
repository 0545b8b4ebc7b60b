"""Redirects -> the text that a web server, a table or a program takes. Pure.

What decided its shape: the texts are included into a server's configuration, so nothing that stands in an
address may end a quotation, name a variable or match more than itself; what cannot be written safely is
left out with a note.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.app.redirects.collect import Redirect

# A whole text, and the notes on what it leaves out.
RulesText = tuple[str, tuple[str, ...]]
# An old path, decoded, and the new address -> a line; None for what this server's rules cannot say safely.
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
# What a URL may hold as it is, but for the dollar sign: nginx takes it for the beginning of a variable.
_KEPT = "%/:?#[]@!&'()*+,;=~"
_HOST = re.compile(r"[A-Za-z0-9.:\[\]-]+")
# In an address that Apache is to encode itself, only what its encoding leaves as it is or encodes rightly.
_PLAIN = re.compile(r"[\w\-./~!,:;=@+*'() ]*")


def as_csv(redirects: Sequence[Redirect]) -> RulesText:
    """Write a table: `old,new`, a line each."""
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
    """Write exact locations, which nginx looks up in one step however many there are."""
    return _configured(_NGINX_HEAD, redirects, _location)


def as_apache(redirects: Sequence[Redirect]) -> RulesText:
    """Write anchored expressions, because Apache's plain `Redirect` takes all that is below a path too."""
    return _configured(_APACHE_HEAD, redirects, _redirect_match)


FORMATS: dict[str, Callable[[Sequence[Redirect]], RulesText]] = {
    "nginx": as_nginx,
    "apache": as_apache,
    "csv": as_csv,
    "json": as_json,
}


def _configured(head: str, redirects: Sequence[Redirect], rule: Rule) -> RulesText:
    notes: list[str] = []
    lines = [head, *_rules(redirects, rule, notes)]
    return "".join(lines), tuple(notes)


def _rules(redirects: Sequence[Redirect], rule: Rule, notes: list[str]) -> Iterator[str]:
    for each in redirects:
        old, new = urlsplit(each.old), urlsplit(each.new)
        path = unquote(old.path) or "/"
        if old.netloc.lower() != new.netloc.lower():
            notes.append(f"{each.old} is left out: it is on another host than {each.new}")
        elif old.query:
            # By its path alone it would be the front page that is redirected.
            notes.append(f"{each.old} is left out: a rule sees the path, and this address has a query")
        elif not path.isprintable() or "\ufffd" in path or (line := rule(path, each.new)) is None:
            notes.append(f"{each.old} is left out: it cannot be written as a rule that is safe to include")
        else:
            yield line


def _location(path: str, new: str) -> str:
    # nginx compares with the decoded path; in double quotes it knows a backslash and nothing else.
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'location = "{quoted}" {{ return 301 "{quote(new, safe=_KEPT)}"; }}\n'


def _redirect_match(path: str, new: str) -> str | None:
    # Apache compares with the decoded path, and encodes the path of what it answers, but not the query.
    parts = urlsplit(new)
    target = unquote(parts.path)
    if not (_PLAIN.fullmatch(target) and _HOST.fullmatch(parts.netloc)) or parts.query or parts.fragment:
        return None
    pattern = re.escape(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'RedirectMatch 301 "^{pattern}$" "{parts.scheme}://{parts.netloc}{target}"\n'
