"""Parses pressync.toml into tables, or reports every problem in it with its line; writes settings. Pure.

People write comments and their own order into this file, so no TOML library may write it anew. The edited
text is parsed again, and it must differ from the old one in these values alone. Otherwise nothing is edited.
"""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

from pressync.client import address
from pressync.client.dialects import is_known, unknown
from pressync.config import keys
from pressync.model.bounds import names_git
from pressync.model.errors import ConfigError, Problem
from pressync.model.interface import KIND_NAME

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence


_IN_WORDS = {int: "a number", str: "text in quotes", dict: "a table", bool: "true or false", list: "a list"}
_SECRET = re.compile(r"password|passwd|token|secret", re.IGNORECASE)

_FOLDER = re.compile(r"[^/.\x00-\x1f][^/\x00-\x1f]*")

# Settings of many sites are those of an agency. Each command reads all of them.
MOST_SITES = 1_000
# A key of TOML, and a path of keys.
KEY = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
PATH = rf"\s*({KEY}(?:\s*\.\s*{KEY})*)\s*"

_Path = tuple[str, ...]
# The path of the key, the problem, and the remedy.
_Complaint = tuple[_Path, str, str]

# Where the keys of each table stand. TOML puts a line at the end of a file into the last table.
_TABLES = (
    (keys.TOP, "at the top of the file, before the first `[…]`"),
    (keys.SITE, "below `[sites.NAME]`, with the name of the site"),
    (keys.MARKDOWN, "below `[markdown]`"),
)
_TABLE = re.compile(rf"\s*\[{PATH}\]")
_OTHER_TABLE = re.compile(r"\s*\[")
_ROW = re.compile(r"""\s*(?:#\s*["']|[^#\s])""")
# Characters that JSON leaves as they are, and that TOML refuses or that hide in a text.
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_VALUE = r"""(?:"(?:[^"\\\n]|\\.)*+"|'[^'\n]*')"""


def read(text: str, where: str, site: str | None = None) -> dict[str, Any]:
    """Read the tables of a settings file; `where` is its name for messages.

    With the name of a `site`, the tables of other sites may have problems: one of them stops no other.

    :raises ConfigError: the file has problems; the message has one line for each.
    """
    text = text.removeprefix("\ufeff")
    if not text:
        return {}
    import tomllib  # noqa: PLC0415 - a site without settings does not need it

    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(place[1]) if place else 0
        problem, todo = f"not TOML: {error}", "put text in quotes, and each key on a line of its own"
        # Python tells of a second `[table]` in words of its own: "Cannot declare ('sites', 'live') twice".
        if re.match(r"Cannot declare .* twice", str(error)):
            problem = "this table begins a second time"
            todo = "put its keys below the place where it begins first"
        raise ConfigError(str(_problem(where, line, problem, todo))) from error
    except (ValueError, RecursionError) as error:
        # Python refuses valid TOML only in these two cases.
        problem = "the file has a number with thousands of digits, or is nested too deeply"
        raise ConfigError(problem, where=where, todo="write it more simply") from error
    if wrong := list(_complaints(tables, site)):
        # The settings of many sites are long, and each command reads them.
        lines = _lines(text)
        problems = [_problem(where, _line(lines, path), problem, todo) for path, problem, todo in wrong]
        raise ConfigError("\n".join(map(str, sorted(problems, key=lambda problem: problem.line))))
    return tables


def right_sites(tables: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Give the tables of the sites that have no problem; a run can use only these."""
    sites = tables.get("sites", {})
    return {name: table for name, table in sites.items() if not any(_wrong_site(name, table))}


def _problem(where: str, line: int, text: str, todo: str) -> Problem:
    from pressync.model.errors import Code  # noqa: PLC0415
    from pressync.model.printable import one_line  # noqa: PLC0415 - right settings need neither of the two

    # Keys and values may contain line breaks. A problem is one line, so that it cannot imitate another one.
    return Problem(where, line, one_line(text), todo, code=Code.SETTINGS)


def _complaints(tables: Mapping[str, Any], only: str | None) -> Iterator[_Complaint]:
    yield from _wrong_keys((), tables, keys.TOP)
    for key in ("content", "templates"):
        value = tables.get(key)
        if isinstance(value, str) and keys.folder(value) is None:
            yield (key,), f"the folder '{value}' is outside the repository", "use a path below its root"
        elif isinstance(value, str) and names_git(value):
            yield (key,), f"the folder '{value}' belongs to Git", "use another folder"
    yield from _wrong_tree((), tables)
    if isinstance(markdown := tables.get("markdown"), dict):
        yield from _wrong_markdown(markdown)
    sites = [*_rows(tables, "sites")]
    if len(sites) > MOST_SITES:
        # Nothing else is checked: each site takes 0.1 ms, and may have several problems.
        problem = f"this is site number {MOST_SITES + 1:,}, one too many"
        todo = "give the other sites a settings file of their own (`--config FILE`)"
        yield ("sites", sites[MOST_SITES][0]), problem, todo
        return
    for name, site in sites:
        if only in {None, name}:
            yield from _wrong_site(name, site)


def _rows(table: Mapping[str, Any], key: str) -> Iterable[tuple[str, Any]]:
    """Give the rows of the table that a key has; none if its value is not a table."""
    value = table.get(key)
    return value.items() if isinstance(value, dict) else ()


def _wrong_site(name: str, site: object) -> Iterator[_Complaint]:
    path = ("sites", name)
    if not re.fullmatch(keys.SITE_NAME, name) or name == keys.EMBEDDED:
        yield path, f"a site cannot be called '{name}'", "use letters, digits, dots, - and _"
    if isinstance(site, dict):
        yield from _wrong_keys(path, site, keys.SITE)
        yield from _wrong_values(path, site)
        yield from _wrong_schema(path, site)
        yield from _wrong_tree(path, site)
    else:
        yield path, f"'{name}' is not a table", f"write its settings below [sites.{name}]"


def _wrong_keys(path: _Path, table: Mapping[str, Any], rows: Mapping[str, keys.Key]) -> Iterator[_Complaint]:
    for key, value in table.items():
        texts = (key, *(value if isinstance(value, list) else [value]))
        if any(isinstance(text, str) and "\0" in text for text in texts):
            yield (*path, key), f"'{key}' contains a NUL", "remove it"
        known_as = rows.get(key)
        if known_as is None and _SECRET.search(key):
            problem = f"'{key}' is a secret, and pressync does not read secrets from files"
            yield (*path, key), problem, "use PRESSYNC_PASSWORD, PRESSYNC_TOKEN or `password_command`"
        elif known_as is None:
            yield (*path, key), f"unknown key '{key}'", _elsewhere(key) or _meant(key, rows, "the keys are")
        elif not isinstance(value, known_as.types):
            wanted = " or ".join(_IN_WORDS[type_] for type_ in known_as.types)
            yield (*path, key), f"'{key}' is not {wanted}", "correct its value"


def _wrong_values(path: _Path, site: Mapping[str, Any]) -> Iterator[_Complaint]:
    url, dialect, manifest = site.get("url"), site.get("dialect"), site.get("manifest")
    if isinstance(url, str):
        try:
            address.parse(url)
        except ConfigError as error:
            yield (*path, "url"), error.what, error.todo
    if isinstance(dialect, str) and not is_known(dialect):
        yield (*path, "dialect"), *unknown(dialect)
    inside = keys.folder(manifest) if isinstance(manifest, str) else None
    if isinstance(manifest, str) and (not inside or names_git(inside) or "/" in {manifest[0], manifest[-1]}):
        problem = "the manifest must be a file of the repository"
        yield (*path, "manifest"), problem, "use a path below its root"
    yield from _wrong_command((*path, "password_command"), site.get("password_command"))


def _wrong_schema(path: _Path, site: Mapping[str, Any]) -> Iterator[_Complaint]:
    """Give the problems of the keys that complete the schema of the site."""
    for name, table in _rows(site, "types"):
        named = table.get("folder") if isinstance(table, dict) and table.keys() == {"folder"} else None
        if not (isinstance(named, str) and _FOLDER.fullmatch(named)) or not KIND_NAME.fullmatch(name):
            todo = 'write `folder = "NAME"`, with the name of one folder below the content folder'
            yield (*path, "types", name), f"the type '{name}' has no such setting", todo
    for word, named in _rows(site, "seo"):
        is_field = isinstance(named, str) and named.partition(".")[0] in {"meta", "acf"}
        if word not in keys.SEO or not is_field:
            todo = f"write one of {', '.join(keys.SEO)}, and a field like `meta.my_title`"
            yield (*path, "seo", word), f"'{word}' of `seo` has no such setting", todo


def _wrong_command(path: _Path, command: object) -> Iterator[_Complaint]:
    if not isinstance(command, list | str):
        return
    if not command or not all(isinstance(word, str) for word in command):
        yield path, f"'{path[-1]}' is not a command", "write one, or a list of words"


def _wrong_markdown(markdown: Mapping[str, Any]) -> Iterator[_Complaint]:
    yield from _wrong_keys(("markdown",), markdown, keys.MARKDOWN)
    style, dialect, vault = (markdown.get(key) for key in ("highlight", "dialect", "vault"))
    if isinstance(style, str) and style:
        from pygments.styles import STYLE_MAP  # noqa: PLC0415 - few settings name a style

        if style not in STYLE_MAP:
            yield ("markdown", "highlight"), f"'{style}' is not a style of Pygments", _meant(style, STYLE_MAP)
    if isinstance(dialect, str) and dialect not in keys.MARKDOWN_DIALECTS:
        todo = 'write `dialect = "obsidian"`, or leave it out'
        yield ("markdown", "dialect"), f"the dialect of Markdown cannot be '{dialect}'", todo
    if isinstance(vault, str) and keys.folder(vault) is None:
        problem = f"the folder '{vault}' is outside the content folder"
        yield ("markdown", "vault"), problem, "use a path below it"
    yield from _wrong_command(("markdown", "mermaid"), markdown.get("mermaid"))


def _wrong_tree(path: _Path, table: Mapping[str, Any]) -> Iterator[_Complaint]:
    """Give the problems of the keys that say how a tree is read."""
    patterns = table.get("exclude")
    for pattern in patterns if isinstance(patterns, list) else ():
        if not isinstance(pattern, str) or not pattern.removeprefix("!").strip("/"):
            todo = 'write paths below the content folder: `exclude = ["_includes/**", "README.md"]`'
            yield (*path, "exclude"), f"'{pattern}' is not a pattern of files", todo
    folders = table.get("folders")
    if isinstance(folders, str) and folders not in keys.FOLDERS:
        todo = 'write `folders = "pages"`, or leave it out'
        yield (*path, "folders"), f"folders cannot be '{folders}'", todo
    yield from _wrong_names(path, table)


def refuse_types(text: str, where: str, site: str, types: Collection[str], todo: str) -> None:
    """Refuse defaults of a type that is not among these; files of another tool may have any type.

    :raises ConfigError: a default of this site has another type; the message has one line for each.
    """
    import tomllib  # noqa: PLC0415 - as above

    tables, lines = tomllib.loads(text.removeprefix("\ufeff")), _lines(text)
    problems = []
    for path, table in (((), tables), (("sites", site), tables.get("sites", {}).get(site, {}))):
        defaults = table.get("defaults", {})
        folders = {(key,): value for key, value in defaults.items() if isinstance(value, dict)}
        for at, values in {(): defaults, **folders}.items():
            if (kind := values.get("type")) is not None and kind not in types:
                line = _line(lines, (*path, "defaults", *at, "type"))
                problem = f"type '{kind}' is unknown"
                problems.append(_problem(where, line, problem, _meant(str(kind), types) + todo))
    if problems:
        raise ConfigError("\n".join(map(str, problems)))


def _wrong_names(path: _Path, table: Mapping[str, Any]) -> Iterator[_Complaint]:
    for name, user in _rows(table, "authors"):
        is_id = isinstance(user, int) and not isinstance(user, bool) and user > 0
        if not isinstance(user, str) and not is_id:
            todo = 'write a login, an e-mail address or an id, or "" to leave the author out'
            yield (*path, "authors", name), f"'{user}' is not a user", todo
    for term, name in _rows(table, "terms"):
        if not re.match(keys.TERM, term):
            problem = f"'{term}' does not say whether it is a category or a tag"
            yield (*path, "terms", term), problem, keys.TERM_TODO
        elif not (isinstance(name, str) and name.strip()):
            yield (*path, "terms", term), f"'{name}' is not the name of a term", "write the name as text"


def _elsewhere(key: str) -> str:
    """Say where a key belongs that stands in another table; "" for a key of no table."""
    if key in keys.TOP and keys.TOP[key].types == (dict,):
        return f"write the table as `[{key}]`"
    place = next((place for rows, place in _TABLES if key in rows), "")
    return f"write it {place}" if place else ""


def _meant(written: str, allowed: Collection[str], listed: str = "use one of") -> str:
    import difflib  # noqa: PLC0415 - needed only after a mistake

    near = difflib.get_close_matches(written, allowed, 1)
    return f"did you mean '{near[0]}'?" if near else f"{listed} {', '.join(allowed)}"


def line_of(text: str, path: _Path) -> int:
    """Give the line of a key by its path of keys, or that of the table it is in; 0 if neither is found."""
    return _line(_lines(text), path)


def _lines(text: str) -> dict[_Path, int]:
    """Find the line where each table and key begins: path of keys -> 1-based line."""
    lines: dict[_Path, int] = {}
    table: _Path = ()
    for number, line in enumerate(text.split("\n"), 1):
        if header := re.match(rf"\s*\[{PATH}\]", line):
            table = path = _split(header[1])
        elif key := re.match(rf"{PATH}=", line):
            path = (*table, *_split(key[1]))
        else:
            continue
        for length in range(1, len(path) + 1):
            lines.setdefault(path[:length], number)
    return lines


def _split(path: str) -> _Path:
    """Split the path of a table or a key, `sites."my-site"`, into its keys."""
    return tuple(key.strip("\"'") for key in re.findall(KEY, path))


def _line(lines: Mapping[_Path, int], path: _Path) -> int:
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 0)


def with_setting(text: str, where: str, site: str, key: str, value: str) -> str:
    """Give the text of the settings in which `key` of a site has this value.

    :raises ConfigError: the site has no table of its own in the text, or it is written in an unusual way.
    """
    wanted = read(text, where)
    by_hand = ConfigError(
        f"the table [sites.{site}] is not in it, or is written in an unusual way",
        where=where,
        todo=f"write `{key} = {json.dumps(value)}` into it, and run this again",
    )
    if site not in wanted.get("sites", {}):
        raise by_hand
    if wanted["sites"][site].get(key) == value:
        return text
    wanted["sites"][site][key] = value
    edited = _with_lines(text, ("sites", site), [f"{key} = {quoted(value)}"], replaced=key)
    return _checked(edited, where, wanted, by_hand)


def _checked(edited: str, where: str, wanted: Mapping[str, Any], by_hand: ConfigError) -> str:
    """Give an edited text if it says what is wanted; else only a person can edit it."""
    try:
        is_right = read(edited, where) == wanted
    except ConfigError:
        is_right = False
    if not is_right:
        raise by_hand
    return edited


def with_rows(
    text: str, where: str, table: str, rows: Mapping[str, str], *, asked: Iterable[str] = (), note: str = ""
) -> str:
    """Give the text of the settings in which a table for all sites has these rows too; its own rows win.

    Each name of `asked` gets a row that is a comment, in which a person writes the value. A new table with
    such rows begins with the comment `note`.

    :raises ConfigError: the table is written in an unusual way.
    """
    wanted = read(text, where)
    present = wanted.setdefault(table, {})
    new = {name: value for name, value in rows.items() if name not in present}
    lines = [f"{quoted(name)} = {quoted(value)}" for name, value in new.items()]
    begun = (f"# {quoted(name)} = " for name in asked)
    comments = [row for row in begun if not re.search(f"^{re.escape(row)}", text, re.MULTILINE)]
    lines += [f'{row}"…"' for row in comments]
    if not lines:
        return text
    present |= new
    edited = _with_lines(text, (table,), lines, head=[f"# {note}"] if comments else [])
    problem = f"the table [{table}] is written in an unusual way, so pressync cannot add rows to it"
    by_hand = ConfigError(problem, where=where, todo=f"begin it with a line `[{table}]`")
    return _checked(edited, where, wanted, by_hand)


def quoted(text: str) -> str:
    """Write a text as a string of TOML in which nothing hides."""
    written = json.dumps(text, ensure_ascii=False)
    return _HIDDEN.sub(lambda sign: f"\\u{ord(sign[0]):04x}", written)


def _with_lines(
    text: str, table: _Path, added: list[str], *, replaced: str = "", head: Sequence[str] = ()
) -> str:
    """Put lines in the place of a key's value, or below the last row of a table, or with it at the end."""
    lines, end = list(io.StringIO(text)), "\r\n" if "\r\n" in text else "\n"
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += end
    place = -1
    for number, line in enumerate(lines):
        match = _TABLE.match(line)
        if place < 0:
            place = number + 1 if match and _split(match[1]) == table else -1
        elif _OTHER_TABLE.match(line):
            break
        elif (name := re.match(rf"(\s*)({KEY})\s*=\s*{_VALUE}", line)) and _split(name[2]) == (replaced,):
            lines[number] = f"{name[1]}{added[0]}{line[name.end() :]}"
            return "".join(lines)
        elif _ROW.match(line):
            place = number + 1
    if place < 0:
        name_of_table = ".".join(table)
        added, place = [*([""] if lines else []), f"[{name_of_table}]", *head, *added], len(lines)
    lines[place:place] = [f"{line}{end}" for line in added]
    return "".join(lines)
