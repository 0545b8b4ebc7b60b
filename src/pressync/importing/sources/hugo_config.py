"""Reads the settings of a Hugo site: its languages, folders, patterns of addresses and dates.

Hugo accepts one file in three formats, or a folder with a file for each part. It ignores the case of
keys. So all files are merged into one table with keys in lower case, and the parts that decide addresses are
taken from it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pressync.importing.sources.heading_ids import TERMS
from pressync.importing.sources.source_tree import SourceTree, merged, scalar_at, strings, table_in
from pressync.model.errors import ConfigError
from pressync.model.web_address import origin_of, path_of

_OFF = "disabledefaultlanguageredirect"
_NAMES = ("hugo", "config")
_ENDINGS = (".toml", ".yaml", ".yml", ".json")
_DATES = ("date", "publishdate", "pubdate", "published", "lastmod", "modified")
# The folders whose files Hugo merges when it builds the public site.
_ENVIRONMENTS = ("_default", "production")
# The main settings, of which the first ones that a folder has count.
SETTINGS = tuple(
    f"{folder}{name}{ending}"
    for folder in ("", *(f"config/{room}/" for room in _ENVIRONMENTS))
    for name in _NAMES
    for ending in _ENDINGS
)
# Pages below these folders are posts, unless the settings name the main sections.
_BLOGS = ("blog", "post", "posts", "news", "article", "articles")


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder of the source that is seen at `target`; `language` is "" for all languages."""

    source: str
    target: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Language:
    """A language of the site, and the table of settings that holds for it."""

    prefix: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HugoConfig:
    """All that decides which files are pages, and which addresses they have.

    `off` are the languages that the site does not build.
    """

    table: Mapping[str, Any]
    address: str
    base: str
    languages: Mapping[str, Language]
    default: str
    content: tuple[Mount, ...]
    static: tuple[Mount, ...]
    off: frozenset[str] = frozenset()

    @property
    def lower(self) -> bool:
        """Whether addresses are in lower case."""
        return not self.table.get("disablepathtolower")

    @property
    def dates(self) -> tuple[str, ...]:
        """The keys of front matter that may have the date, the first one first."""
        given = strings(table_in(self.table, "frontmatter").get("date")) or (":default",)
        found = [key for name in given for key in (_DATES if name.lower() == ":default" else (name.lower(),))]
        return tuple(dict.fromkeys(found))

    @property
    def heading_ids(self) -> str:
        """The way in which the site makes ids of headings."""
        parser = table_in(self.table, "markup", "goldmark", "parser")
        way = str(parser.get("autoheadingidtype") or parser.get("autoidtype") or "github")
        return way + (TERMS if parser.get("autodefinitiontermid") is True else "")

    @property
    def links_by_path(self) -> bool:
        """Whether Hugo leads a link of Markdown to the page of that path, in the language of its own page."""
        hook = table_in(self.table, "markup", "goldmark", "renderhooks", "link")
        named = str(hook.get("useembedded") or "auto")
        # One language counts, too, if the settings name it.
        return named in {"always", "fallback"} or (named == "auto" and bool(self.table.get("languages")))

    @property
    def has_emoji(self) -> bool:
        """Whether the site shows the codes of emoji as characters."""
        return self.table.get("enableemoji") is True

    @property
    def has_formulas(self) -> bool:
        """Whether Hugo leaves formulas between brackets with a backslash as they are."""
        return table_in(self.table, "markup", "goldmark", "extensions", "passthrough").get("enable") is True

    @property
    def has_block_attributes(self) -> bool:
        """Whether a line in braces below a block has its attributes."""
        attribute = table_in(self.table, "markup", "goldmark", "parser", "attribute")
        return attribute.get("block") is True

    @property
    def zone(self) -> str:
        """The name of the time zone of dates without an offset, "" if the settings name none."""
        return str(self.table.get("timezone") or "")

    @property
    def taxonomies(self) -> Mapping[str, str]:
        """The taxonomies, as singular and plural."""
        given = self.table.get("taxonomies")
        if isinstance(given, Mapping):
            return {key: str(value).lower() for key, value in given.items()}
        return {"category": "categories", "tag": "tags"}

    @property
    def blogs(self) -> tuple[str, ...]:
        """The first folders whose pages are posts."""
        named = self.table.get("mainsections", table_in(self.table, "params").get("mainsections"))
        return strings(named) or _BLOGS

    def further_home(self, language: str) -> str:
        """Give the further address of the home page of a language, "" for none; Hugo leads it there."""
        if language != self.default or self.table.get(_OFF):
            return ""
        if self.languages[language].prefix:
            return f"{self.base}/"
        return f"{self.base}/{language}/" if any(each.prefix for each in self.languages.values()) else ""

    def is_ugly(self, section: str, language: str) -> bool:
        """Tell whether pages of a section end in `.html`."""
        given = self.of_language(language, "uglyurls")
        return bool(given.get(section)) if isinstance(given, Mapping) else bool(given)

    def of_language(self, code: str, key: str) -> Any:  # noqa: ANN401 - it is whatever the file says
        """Give a setting of a language, else the one of the site."""
        return self.languages[code].settings.get(key, self.table.get(key))

    def parameter(self, code: str, name: str) -> str | None:
        """Give a parameter of the site as text: `version`, or a path like `social.name`."""
        tables = (table_in(self.languages[code].settings, "params"), table_in(self.table, "params"))
        found = (scalar_at(table, name.lower()) for table in tables)
        return next((text for text in found if text is not None), None)


def read_config(tree: SourceTree) -> HugoConfig:
    """Read and merge all settings.

    :raises ConfigError: a file cannot be read, or every language is disabled.
    """
    main = tree.first(SETTINGS)
    table: dict[str, Any] = {}
    if main and "/" not in main:
        table = _lowered(tree.settings(main))
    for room in _ENVIRONMENTS:
        for path in tree.files(f"config/{room}"):
            if path.endswith(_ENDINGS):
                inner = posixpath.relpath(path, f"config/{room}")
                table = merged(table, _nested(inner, tree.settings(path)))
    site = str(table.get("baseurl", ""))
    base = path_of(site).rstrip("/")
    default = str(table.get("defaultcontentlanguage", "en")).lower()
    languages = _languages(table, default, main)
    if any("baseurl" in language.settings for language in languages.values()):
        base = ""  # Each language has a host of its own.
    return HugoConfig(
        table=table,
        address=f"{origin_of(site)}{base}/" if origin_of(site) else "",
        base=base,
        languages=languages,
        default=default if default in languages else next(iter(languages)),
        content=tuple(each for each in _content(table, languages) if each.language in {"", *languages}),
        static=_static(table),
        off=frozenset({*table_in(table, "languages"), default} - languages.keys()),
    )


def _languages(table: Mapping[str, Any], default: str, main: str) -> dict[str, Language]:
    given = table_in(table, "languages")
    off = {code.lower() for code in strings(table.get("disablelanguages"))}
    codes = [code for code in given if code not in off and not table_in(given, code).get("disabled")]
    if given and not codes:
        raise ConfigError("every language is disabled", where=main, todo="enable one of them")
    codes = codes or [default]
    # A folder at the root of a multilingual site has the prefix of its language.
    inside = bool(table.get("defaultcontentlanguageinsubdir"))
    prefixed = {code for code in codes if inside or (len(codes) > 1 and code != default)}
    if any("baseurl" in table_in(given, code) for code in codes):
        prefixed = set()
    return {code: Language(code if code in prefixed else "", table_in(given, code)) for code in codes}


def _content(table: Mapping[str, Any], languages: Mapping[str, Language]) -> tuple[Mount, ...]:
    if mounted := _mounts(table, "content"):
        return mounted
    common = str(table.get("contentdir", "content"))
    own = {code: language.settings.get("contentdir") for code, language in languages.items()}
    if any(own.values()):
        return tuple(Mount(_path(folder or common), "", code) for code, folder in own.items())
    return (Mount(_path(common)),)


def _static(table: Mapping[str, Any]) -> tuple[Mount, ...]:
    if mounted := _mounts(table, "static"):
        return mounted
    named = strings(table.get("staticdir")) or ("static",)
    themes = [f"themes/{theme}/static" for theme in strings(table.get("theme"))]
    return tuple(Mount(_path(folder)) for folder in (*named, *themes))


def _mounts(table: Mapping[str, Any], component: str) -> tuple[Mount, ...]:
    found: list[Mount] = []
    given = table_in(table, "module").get("mounts")
    for mount in map(table_in, given if isinstance(given, list) else ()):
        first, _, rest = _path(mount.get("target", "")).partition("/")
        if first == component:
            matrix = table_in(mount, "sites", "matrix")
            named = strings(mount.get("lang")) or strings(matrix.get("languages"))
            found += [Mount(_path(mount.get("source", "")), rest, code.lower()) for code in named or ("",)]
    return tuple(found)


def _path(value: object) -> str:
    return posixpath.normpath(str(value)).strip("/") if str(value).strip() else ""


def _lowered(value: Any) -> Any:  # noqa: ANN401 - it is any value of a settings file
    if isinstance(value, Mapping):
        return {str(key).lower(): _lowered(inner) for key, inner in value.items()}
    return [_lowered(item) for item in value] if isinstance(value, list) else value


def _nested(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Place the table of a file of the settings folder: `params.toml`, `languages.de.toml`, `hugo.toml`."""
    parts = posixpath.splitext(name)[0].lower().split("/")[-1].split(".")
    table: dict[str, Any] = _lowered(values)
    if parts[0] in _NAMES:
        return table
    if len(parts) > 1 and parts[0] != "languages":
        parts = ["languages", parts[1], parts[0]]  # `params.de.toml`
    for part in reversed(parts):
        table = {part: table}
    return table
