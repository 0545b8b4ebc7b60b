"""Reads the bytes of one Markdown file as a Document, or gives the problems that prevent it.

A value comes from the front matter, else from the defaults of the folders, else from the file's name and
first heading. YAML and this code take 25 ms to load, so `content` imports the module only in a run that reads
a file.
"""

from __future__ import annotations

import codecs
import posixpath
import re
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from pressync.config.keys import LEFT_OUT
from pressync.content import markdown_text
from pressync.content.front_matter import keys
from pressync.content.front_matter.convert import UnfitError, of_vault
from pressync.content.front_matter.formats import HANDLERS, TOML, YAML
from pressync.content.front_matter.keys import Authors, Meaning, interpret
from pressync.content.front_matter.value import Given, UnreadableError, given, read_date
from pressync.content.markdown_text import title_of
from pressync.content.read_files import ReadFile
from pressync.content.rules import NO_RULES, Rule
from pressync.content.sources import INDEXES, below, inherited, place_of, stem
from pressync.content.vault import is_in_vault
from pressync.model import web_address
from pressync.model.bounds import PAGE, is_path
from pressync.model.errors import Code, Problem
from pressync.model.fingerprint import with_line_feeds
from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes
from pressync.model.printable import shortened
from pressync.model.records import Document, FieldReference, Fields, Source, Value
from pressync.repo.discover import EMPTY_BLOB, SETTINGS
from pressync.repo.work_tree import filtered

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.config.settings import MarkdownForms, Settings

_DATED_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(.+)", re.ASCII)
_NOT_GIVEN = Given(None)
_SHOWN = 40
# A schema can have hundreds of types.
_FOLDERS_SHOWN = 20
_TODO = "write its text, bring it back with Git, or remove the file"


class Defaults(msgspec.Struct, frozen=True):
    """Front matter that files need not repeat, by folder below the content folder; "" is the content folder.

    If two folders contain a file, the inner folder wins for each key.
    """

    folders: Mapping[str, Mapping[str, object]] = {}
    types: SiteTypes = DOCUMENTED_TYPES

    def of(self, inner: str) -> dict[str, Given]:
        """Give the defaults of the file whose path below the content folder is `inner`."""
        merged: dict[str, object] = {}
        for folder, table in reversed([*inherited(inner, self.folders)]):
            kind = _named_kind(str(table.get("type")), self.types)
            is_index = stem(inner) == "index" and posixpath.dirname(inner) == folder
            if isinstance(kind, Kind) and not kind.row.hierarchical and (is_index or stem(inner) == "_index"):
                # The page of a blog lists its posts, and is not a post.
                merged |= {**table, "type": merged.get("type", str(self.types.tree))}
            else:
                merged |= table
        return {key: given(value) for key, value in merged.items()}


def _of_vault(
    parts: FrontMatter, path: str, former: frozenset[Rule]
) -> tuple[FrontMatter, tuple[Problem, ...]]:
    """Give the keys of a note the meaning that Obsidian gives them, and warn of those with another one.

    A problem of the front matter says why the note is left out.
    """
    values, said = {}, []
    for key, value in parts.values.items():
        try:
            values[key] = of_vault(key, value)
        except UnfitError as error:
            said.append(keys.problem(path, value.line, error))
    values.pop("publish", None)
    if (publish := parts.values.get("publish")) and publish.value is False:
        message, todo = "it is left out because of `publish: false`", "remove the key to publish the note"
        problem = Problem(path, publish.line, message, todo, warning=True, code=Code.NOT_A_DOCUMENT)
        return replace(parts, problems=(problem,)), ()
    if aliases := values.get("aliases"):
        # An alias is another name of the note. Only an address is one that a page had.
        old = tuple(alias for alias in aliases.items if alias.text.startswith(("/", "http://", "https://")))
        values["aliases"] = replace(aliases, value=old, text="")
    if (tags := values.get("tags")) and Rule.TAGS not in former:
        named = tuple(Given(i.text[1:], i.line, i.text[1:]) if i.text[:1] == "#" else i for i in tags.items)
        values["tags"] = replace(tags, value=named, text="") if named != tags.items else tags
    return replace(parts, values=values), tuple(said)


def _with_hashtags(
    parts: FrontMatter, kind: Kind, forms: MarkdownForms, former: frozenset[Rule]
) -> FrontMatter:
    """Add the tags in the text of a note to its tags, if its kind has tags."""
    if not forms.hashtags or "#" not in parts.body or "tags" not in keys.readers(kind.row):
        return parts
    from pressync.content.render.obsidian import hashtags  # noqa: PLC0415 - few settings ask for it

    named = parts.values.get("tags", Given(()))
    items = [item for item in named.items if item is not named or named.text]
    tags = tuple(Given(tag, text=tag) for tag in hashtags(parts.body, forms, of_links=Rule.TAGS in former))
    return (
        replace(parts, values={**parts.values, "tags": Given((*items, *tags), named.line)}) if tags else parts
    )


def _document(  # noqa: PLR0917 - the file, its kind, and what was read of it
    source: Source,
    inner: str,
    kind: Kind,
    types: SiteTypes,
    parts: FrontMatter,
    meaning: Meaning,
    *,
    is_note: bool,
    former: frozenset[Rule],
) -> Document | None:
    if not all(problem.warning for problem in meaning.problems):
        return None
    if source.blob == EMPTY_BLOB:
        # The page of a folder without a file: Jekyll's `_guides` is `guides` in addresses.
        inner = re.sub(r"(^|/)_+(?=[^/_][^/]*/index\.md$)", r"\1", inner)
    named = name_and_date(inner, kind, types)
    fields, start = _with_suggestions(meaning.fields, named, parts.body, is_note=is_note, former=former)
    return Document(
        path=source.path,
        blob=source.blob,
        kind=kind,
        fields=fields,
        body=parts.body[start:],
        body_line=parts.body_line + parts.body.count("\n", 0, start),
        parent=meaning.parent,
        parent_line=meaning.parent_line,
        layout=meaning.layout,
        layout_line=meaning.layout_line,
        bound_id=meaning.bound_id,
        protect=bool(meaning.protect),
        aliases=meaning.aliases or (),
        mentions=meaning.mentions,
        front_page=meaning.front_page,
        extra=meaning.extra,
        own=meaning.own,
        place=inner,
    )


def _unreadable(path: str, data: bytes) -> Problem | None:
    """Give the problem of a file that is not a text, with the line of the first wrong byte."""
    if not is_path(path):
        problem = "its name has control characters or is not UTF-8, so a manifest cannot contain it"
        return Problem(path, 0, problem, "rename the file", code=Code.FILE_NAME)
    if len(data) > PAGE.most:
        return Problem(path, 0, PAGE.excess(len(data)), PAGE.todo, code=Code.TOO_LARGE)
    if data.startswith(b"\0") and (stored := filtered(data)):
        return Problem(path, 1, f"the file {stored}", "commit the text itself", code=Code.GIT_FILTER)
    nul = data.find(b"\0")
    problem, offset = "there is a NUL byte in the text", nul
    try:
        data[: nul if nul >= 0 else None].decode()
    except UnicodeDecodeError as error:
        problem, offset = "the text is not UTF-8", error.start
    if offset < 0:
        return None
    line = text_of(data[:offset]).count("\n") + 1
    return Problem(path, line, problem, "save the file as UTF-8 text", code=Code.NOT_TEXT)


def text_of(data: bytes) -> str:
    """Give the text of a file, without a byte order mark and with LF as line ending.

    :raises UnicodeDecodeError: the bytes are not UTF-8.
    """
    return str(with_line_feeds(data.removeprefix(codecs.BOM_UTF8).decode()))


def _with_defaults(own: Meaning, shared: Meaning) -> Meaning:
    dates = {"date", "date_gmt"}
    # Both keys name the same moment, so a default of the other key would contradict the file.
    hidden = dates if dates & own.fields.keys() else frozenset[str]()
    # A field is given by ids or by names, never by both.
    hidden |= {mention.field for mention in own.mentions}
    mentions = [replace(m, line=0) for m in shared.mentions if m.field not in {*hidden, *own.fields}]
    parent = own if own.parent is not None else shared
    fields = {key: value for key, value in shared.fields.items() if key not in hidden}
    layout = shared.layout if own.layout is None else own.layout
    return replace(
        own,
        fields={**fields, **own.fields},
        mentions=(*own.mentions, *mentions),
        parent=parent.parent,
        parent_line=parent.parent_line,
        layout=layout,
        protect=shared.protect if own.protect is None else own.protect,
        aliases=shared.aliases if own.aliases is None else own.aliases,
        extra={**shared.extra, **own.extra},
        problems=own.problems + shared.problems,
    )


def _renamed(references: tuple[FieldReference, ...], terms: Mapping[str, str]) -> tuple[FieldReference, ...]:
    """Put the names of `[terms]` in the place of those in a file; a default names terms of the site."""
    if not terms:
        return references

    def renamed(reference: FieldReference) -> FieldReference:
        names = (terms.get(f"{reference.field}/{name}", name) for name in reference.given)
        return replace(reference, given=tuple(dict.fromkeys(names)))

    return tuple(renamed(reference) if reference.line else reference for reference in references)


def _with_parent_from_root(meaning: Meaning, path: str) -> Meaning:
    """Give a parent that is written relative to the file's folder as a path from the repository's root."""
    parent = meaning.parent
    if not isinstance(parent, str) or not parent.startswith(("./", "../")):
        return meaning
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), parent))
    if not target.startswith(".."):
        return replace(meaning, parent=target)
    message = f"its parent '{parent}' is outside of the repository"
    todo = "name a page by its path, or by its id on the site"
    problem = Problem(path, meaning.parent_line, message, todo, code=Code.MISSING_PARENT)
    return replace(meaning, parent=None, problems=(*meaning.problems, problem))


def _with_suggestions(
    named: Fields, name_and_date: tuple[str, str | None], body: str, *, is_note: bool, former: frozenset[Rule]
) -> tuple[dict[str, Value], int]:
    """Complete the fields from the file's name and first heading; also give where the body begins."""
    name, date = name_and_date
    fields, start = dict(named), 0
    if is_note or "title" not in fields:
        heading, title = title_of(name, body, is_note=is_note, former=Rule.TITLE in former)
        words = " ".join(str(fields.setdefault("title", title)).split())
        # Every theme shows the title. So a heading at the top that is the title is not a part of the body.
        is_title = heading is not None and (heading.level, heading.text) == (1, words)
        if heading and is_title and not body[: heading.start].strip():
            start = after_blank_lines(body, heading.end)
    fields["slug"] = "-".join(str(fields.get("slug", name)).lower().split())
    if date and not {"date", "date_gmt"} & fields.keys():
        fields["date"] = date
    return fields, start


def name_and_date(inner: str, kind: Kind, types: SiteTypes = DOCUMENTED_TYPES) -> tuple[str, str | None]:
    """Give the name of a file, or of its folder if it is an index; and the date that begins a post's name."""
    name, folder = stem(inner), posixpath.dirname(inner)
    if name in INDEXES:
        name = posixpath.basename(folder) if folder and folder not in types.folders else "index"
    if kind.row.dated and (dated := _DATED_NAME.fullmatch(name)):
        with suppress(ValueError):  # The digits may not be a date. Then they belong to the name.
            return dated[2], read_date(dated[1])[0]
    return name, None


# Other tools have a key `type` with another meaning. In a folder whose type the settings name, their values
# do no harm. Below pages/ and posts/ such a value is the wish for another record than the file would get,
# so it is refused.
def kind_of(
    path: str, inner: str, values: Mapping[str, Given], shared: Mapping[str, Given], types: SiteTypes
) -> Kind | str | Problem:
    """Give the kind of a file, `LEFT_OUT`, or the problem because of which it is not a document.

    `inner` is its path below the content folder, `values` its front matter, and `shared` its defaults.
    """
    given, default = values.get("type", _NOT_GIVEN), shared.get("type", _NOT_GIVEN)
    if own := _named_kind(given.text, types):
        return own
    inherited = _named_kind(default.text, types)
    if inherited == LEFT_OUT:
        return LEFT_OUT
    name = inner.partition("/")[0]
    folder = types.folders.get(name) if "/" in inner else None
    # A list and a mapping have no text.
    wrong = given.text.strip() if given.value is not None else ""
    if folder and wrong and not inherited:
        shown = shortened(wrong, _SHOWN)
        todo = (
            f"write {', '.join(types.kinds)} or {LEFT_OUT}, or leave it out; if another tool reads it, "
            f'write `type = "{folder}"` below `[defaults."{name}"]` in pressync.toml'
        )
        return Problem(path, given.line, f"type cannot be '{shown}'", todo, code=Code.VALUE)
    if kind := folder or inherited:
        return kind
    places = [f"{name}/" for name in types.folders][:_FOLDERS_SHOWN]
    problem = f"it is neither under {' nor '.join(places)}"
    if wrong:
        problem += f", and its type is neither {' nor '.join(types.kinds)}"
    own = "correct its `type`" if wrong else "set `type` in its front matter"
    todo = (
        f"move it, {own}, or set one for its folder below `[defaults]`; "
        "for a type of the site's own, run `pressync schema site`"
    )
    line = given.line if wrong else 0
    return Problem(path, line, problem, todo, warning=True, code=Code.NOT_A_DOCUMENT)


def _named_kind(name: str, types: SiteTypes) -> Kind | str | None:
    """Give the kind of this name if the site has it, or `LEFT_OUT`."""
    return LEFT_OUT if name == LEFT_OUT else types.by_name.get(name)


class DocumentReader:
    """Reads each file of a tree in the same way."""

    def __init__(
        self, settings: Settings, defaults: Defaults | None = None, readmes: Collection[str] = ()
    ) -> None:
        """Take the settings; `defaults` may replace theirs. `readmes` are the pages of their folders."""
        address = web_address.split(settings.site.home)
        self.defaults = Defaults(settings.site.defaults, settings.types) if defaults is None else defaults
        self._settings, self._readmes = settings, readmes
        self._authors = Authors(settings.authors)
        self._host = address.netloc.lower() if address else ""

    def read(self, source: Source, data: bytes, former: frozenset[Rule] = NO_RULES) -> ReadFile:
        """Read the bytes of one file, without rendering them, by the `former` form of some rules.

        A file that is not of a kind gives no document, and a warning.
        """
        result = self._read(source, data, former)
        # The page that the settings give to a folder has no file.
        may_be_made = (
            self._settings.folders and source.blob == EMPTY_BLOB and source.path.endswith("/index.md")
        )
        if result.document is None or (data and not data.isspace()) or may_be_made:
            return result
        empty = Problem(source.path, 0, "the file is empty", _TODO, warning=True, code=Code.NO_TEXT)
        return replace(result, problems=(*result.problems, empty))

    def _read(self, source: Source, data: bytes, former: frozenset[Rule]) -> ReadFile:
        path, settings, seo = source.path, self._settings, self._settings.site.seo
        readmes = self._readmes if Rule.README not in former else ()
        inner = below(place_of(path, readmes), settings.content)
        # 1. Bytes to text.
        if refused := _unreadable(path, data):
            return ReadFile(None, (refused,))
        text = text_of(data)
        if refused := markdown_text.unresolved(path, text) or markdown_text.excess(path, text):
            return ReadFile(None, (refused,))
        # 2. Text to front matter and body.
        is_note = is_in_vault(path, settings)
        parts, said = _of_vault(split(path, text), path, former) if is_note else (split(path, text), ())
        if parts.problems:
            return ReadFile(None, parts.problems, left_out=all(problem.warning for problem in parts.problems))
        # 3. The kind comes first, because it decides which keys are fields.
        shared = self.defaults.of(inner) if self.defaults.folders else {}
        kind = kind_of(path, inner, parts.values, shared, settings.types)
        if not isinstance(kind, Kind):
            return ReadFile(None, (kind,)) if isinstance(kind, Problem) else ReadFile(None, left_out=True)
        parts = _with_hashtags(parts, kind, settings.markdown, former) if is_note else parts
        # 4. The keys of the file and of its defaults to fields.
        meaning = interpret(self._authors.mapped(parts.values), kind, path, settings.types, seo=seo)
        meaning = self._authors.kept(meaning, parts.values, path)
        if shared:
            defaults = interpret(shared, kind, SETTINGS, settings.types, shared=True, seo=seo)
            meaning = _with_defaults(meaning, defaults)
        meaning = _with_parent_from_root(meaning, path)
        meaning = replace(
            meaning,
            mentions=_renamed(meaning.mentions, settings.terms),
            aliases=keys.old_addresses(
                parts.values, meaning.aliases or (), inner, self._host, settings.types
            ),
            problems=(*meaning.problems, *said, *keys.odd_addresses(parts.values, path)),
        )
        # 5. The name and the first heading give what is still missing.
        made = _document(source, inner, kind, settings.types, parts, meaning, is_note=is_note, former=former)
        head = text[: len(text) - len(parts.body)]
        # A backslash may write a slash in another way.
        names_addresses = "//" in str(shared) or "//" in head or "\\" in head
        return ReadFile(made, meaning.problems, names_addresses=names_addresses)


# Markdown may begin with dashes as well. So an opening fence that is never closed is front matter only if the
# next line looks like a key; otherwise it is a horizontal rule. The handlers are called one by one: the
# library's `parse` strips the body, and blanks at the start of a body's first line make a code block.
# A key of this many words below a blank line is the start of the text: YAML takes `Please note: …` as a key.
_SENTENCE = 3
_FENCES = ("---", "+++")
_BLANK_LINES = re.compile(r"(?:[ \t]*\n)*+")
# Front matter that does not begin with the file, or whose fence is mistyped. Some programs turn hyphens into
# one dash. A fence that closes a block of code is not one.
_DASH = r"(?:[-\u2013\u2014]{2,}|[\u2013\u2014])"
_DISPLACED = re.compile(rf"[ \t]{{0,16}}(?P<fence>{_DASH}|\+{{2,}})[ \t]*(?P<more>yaml|toml|)[ \t]*\n")
_DASHES = re.compile(rf"^ {{0,3}}{_DASH}[ \t]*$", re.MULTILINE)
_PLUSES = re.compile(r"^ {0,3}\+{2,}[ \t]*$", re.MULTILINE)
_KEYS = frozenset().union(*(keys.readers(kind.row) for kind in DOCUMENTED_TYPES.kinds))
_FIRST_KEY = re.compile(r"([\w-]+)[ \t]*[:=]")
_MOST = 16 * 1024  # characters of front matter below a blank line


class FrontMatter(msgspec.Struct, frozen=True):
    """The front matter of a file, and its body from the first line that is not blank."""

    values: Mapping[str, Given]
    body: str
    body_line: int
    problems: tuple[Problem, ...] = ()


def split(path: str, text: str, repeated: list[tuple[int, str]] | None = None) -> FrontMatter:
    """Split a text whose line endings are LF; `repeated` is that of `read_yaml`.

    YAML is fenced by `---`, TOML by `+++`, and JSON is an object; each must begin on the first line. If it
    cannot be read, `problems` say why, and everything else is empty.
    """
    try:
        values, body = _parse(text, repeated)
    except UnreadableError as error:
        return FrontMatter({}, "", 0, tuple(_problem(path, text, row, error.code) for row in error.reasons))
    for key, value in values.items():
        if text[:3] in _FENCES and len(key.split()) >= _SENTENCE and _is_after_blank_line(text, value.line):
            reason = (value.line, f"'{key[:_SHOWN]}' looks like text and not like a key", "correct this line")
            return FrontMatter({}, "", 0, (_problem(path, text, reason, Code.FRONT_MATTER),))
    offset = after_blank_lines(text, len(text) - len(body))
    return FrontMatter(values, text[offset:], 1 + text.count("\n", 0, offset))


def _problem(path: str, text: str, reason: tuple[int, str, str], code: Code) -> Problem:
    """Make a problem of front matter. Below a blank line, it may be text: the closing fence is missing."""
    line, problem, todo = reason
    fence = text[:3]
    if code is not Code.FRONT_MATTER or fence not in _FENCES or not _is_after_blank_line(text, line):
        return Problem(path, line, problem, todo, code=code)
    todo = f"{todo}; if the text begins here, add the closing `{fence}` above it"
    return Problem(path, line, problem, todo, code=Code.FRONT_MATTER_UNCLOSED)


def _is_after_blank_line(text: str, line: int) -> bool:
    return any(not row.strip() for row in text.split("\n", line)[: line - 1])


def after_blank_lines(text: str, offset: int) -> int:
    """Give the offset of the first line, from `offset` on, that is not blank."""
    blank = _BLANK_LINES.match(text, offset)
    return blank.end() if blank else offset


def _parse(text: str, repeated: list[tuple[int, str]] | None) -> tuple[dict[str, Given], str]:
    handler = next((form for form in HANDLERS if form.detect(text)), None)
    if handler is None:
        _refuse_displaced(text)
        return {}, text
    try:
        head, body = handler.split(text)
    except ValueError:
        return {}, text
    return handler.load(head, repeated), body


def _refuse_displaced(text: str) -> None:
    """Refuse front matter below blank lines or without its fence: it would be text, and a draft public.

    :raises UnreadableError: a block between fences has a key that is known.
    """
    start = after_blank_lines(text, 0)
    opening = _DISPLACED.match(text, start)
    if not opening:
        return
    is_toml = opening["fence"].startswith("+")
    closing = (_PLUSES if is_toml else _DASHES).search(text, opening.end(), opening.end() + _MOST)
    if not closing:
        return
    import textwrap  # noqa: PLC0415 - few files have such front matter

    head = textwrap.dedent(text[opening.end() : closing.start()])
    try:
        keys: Collection[str] = (TOML if is_toml else YAML).load(head)
    except UnreadableError:
        # With a mistake in them, the lines are front matter if the first one is a key.
        first = _FIRST_KEY.match(head)
        keys = [first[1]] if first and "\n\n" not in head else []
    if any(key.lower() in _KEYS for key in keys):
        problem, fence = "front matter must begin in the first line", "+++" if is_toml else "---"
        todo = f"delete the {'empty lines' if start else 'blanks'} before it"
        if opening["more"] or not opening["fence"].startswith(fence):
            problem, todo = (
                f"'{opening[0].strip()}' does not begin front matter",
                f"write `{fence}` in its place",
            )
        raise UnreadableError((1 + text.count("\n", 0, start), problem, todo))
