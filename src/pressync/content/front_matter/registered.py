"""Reads the fields that a site registers: the keys `meta`, `acf` and `seo` of front matter. Pure.

Each registered field is a field by itself: `meta: {isbn: …}` is the field `meta.isbn`. So it is compared,
sent, reset and taken back alone, and the keys that nobody names are never touched.

WordPress answers 200 to a key that is not registered, and ignores it. So such a key is an error here.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pressync.content.front_matter.convert import UnfitError, shown
from pressync.content.front_matter.value import Given, read_date
from pressync.content.front_matter.value import given as as_given
from pressync.model.errors import Code
from pressync.model.interface import OBJECTS, Field, Kind, SiteTypes, is_nothing, is_upload, types_of
from pressync.model.printable import listed
from pressync.model.records import FieldReference, FilePath

if TYPE_CHECKING:
    from pressync.config.settings import Settings

Schema = Mapping[str, Any]
SEO = "seo"
_NEAR = 0.75
# So many names are compared with a wrong one, and so many are shown: to compare one takes 10 µs.
_COMPARED, _SHOWN = 1000, 20
# The keys of front matter whose members are fields of the site.
KEYS = (*OBJECTS, SEO)
# The fields in which the large plug-ins keep these words: Yoast, Rank Math, SEOPress, The SEO Framework.
# A site has them if its plug-in, or a line of its own, registers them for the interface.
SEO_WORDS: Mapping[str, tuple[str, ...]] = {
    "title": ("_yoast_wpseo_title", "rank_math_title", "_seopress_titles_title", "_genesis_title"),
    "description": (
        *("_yoast_wpseo_metadesc", "rank_math_description"),
        *("_seopress_titles_desc", "_genesis_description"),
    ),
    "noindex": (
        *("_yoast_wpseo_meta-robots-noindex", "rank_math_robots", "_seopress_robots_index"),
        "_genesis_noindex",
    ),
    "canonical": (
        *("_yoast_wpseo_canonical", "rank_math_canonical_url", "_seopress_robots_canonical"),
        "_genesis_canonical_uri",
    ),
}
# The value with which each plug-in says that search engines are to leave a page out, and the one for the
# contrary.
_NOINDEX: Mapping[str, tuple[object, object]] = {
    "rank_math_robots": (("noindex",), ("index",)),
    "_seopress_robots_index": ("yes", ""),
}
_FORMATS: Mapping[str, tuple[re.Pattern[str], str]] = {
    "email": (re.compile(r"[^@\s]+@[^@\s.]+\.[^@\s]+"), "an e-mail address"),
    "uri": (re.compile(r"(https?://|/|#|mailto:|tel:)\S*|"), "an address like https://example.org/"),
    "hex-color": (re.compile(r"#([0-9A-Fa-f]{3}){1,2}"), "a colour like #8a2be2"),
    "uuid": (re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"), "a UUID"),
    "ip": (re.compile(r"[0-9a-fA-F:.]{2,45}"), "an IP address"),
}
_PHP = (
    "add_action('init', fn () => register_post_meta('{kind}', '{key}', "
    "['single' => true, 'type' => 'string', 'show_in_rest' => true]));"
)
_FILE = re.compile(r"[^\n]*\w\.([A-Za-z][A-Za-z0-9]{1,4}|7z|3g[2p])\s*")
_IN_WORDS = {
    "array": "a list",
    "object": "a mapping",
    "boolean": "true or false",
    "integer": "a whole number",
    "string": "text",
}


def expanded(
    values: Mapping[str, Given], kind: Kind, types: SiteTypes, seo: Mapping[str, str]
) -> tuple[Mapping[str, Given], list[tuple[int, UnfitError]]]:
    """Put one key for each registered field in the place of the objects; also give what is wrong with them.

    `seo` has the fields that the settings name for the words of `seo`.
    """
    flat: dict[str, Given] = {}
    wrong: list[tuple[int, UnfitError]] = []
    for key, given in values.items():
        if key in OBJECTS and isinstance(given.value, Mapping):
            for member, item in given.value.items():
                flat[f"{key}.{member}"] = Given(item.value, item.line or given.line, item.text)
        elif key in OBJECTS and given.value is not None:
            error = UnfitError(f"{key} cannot be {shown(given)}", f"write `{key}: {{key: value}}`")
            wrong.append((given.line, error))
        elif key.startswith(tuple(f"{name}." for name in OBJECTS)):
            inside, _, member = key.partition(".")
            wrong.append(
                (given.line, UnfitError(f"'{key}' is not a key", f"write `{inside}: {{{member}: …}}`"))
            )
        else:
            flat[key] = given
    if isinstance(words := values.get(SEO, Given(None)).value, Mapping):
        for word, item in words.items():
            if word in SEO_WORDS and item.value is not None:
                line = item.line or values[SEO].line
                try:
                    name, value = _seo_field(word, item, kind, types, seo)
                    flat.setdefault(name, Given(value.value, line, value.text))
                except UnfitError as error:
                    wrong.append((line, error))
    return flat, wrong


def _seo_field(
    word: str, given: Given, kind: Kind, types: SiteTypes, seo: Mapping[str, str]
) -> tuple[str, Given]:
    """Give the field that takes a word of `seo`, and its value there."""
    candidates = [seo[word]] if word in seo else [f"meta.{key}" for key in SEO_WORDS[word]]
    fields = kind.row.fields
    name = next((candidate for candidate in candidates if candidate in fields), None)
    if name is None:
        elsewhere = sorted(other for other in types.kinds if any(map(other.row.has, candidates)))
        has = f"has them only for {', '.join(elsewhere)}" if elsewhere else "has none of them"
        problem = f"the site shows no field for `seo: {{{word}: …}}` of the type {kind}"
        todo = (
            f"pressync looked for {', '.join(candidates)}, and the site {has}; register one for the "
            f"interface, name another below [sites.NAME.seo], or leave `{word}` out"
        )
        raise UnfitError(problem, todo, code=Code.UNKNOWN_FIELD)
    if word != "noindex":
        return name, given
    is_hidden = given.value is True or given.text.strip().lower() in {"true", "yes", "1"}
    one, other = _NOINDEX.get(fields[name].member, ("1", ""))
    chosen = one if is_hidden else other
    if types_of(fields[name].schema) == {"boolean"}:
        return name, Given(is_hidden, given.line, str(is_hidden).lower())
    if isinstance(chosen, tuple):
        return name, Given(tuple(Given(choice, given.line, str(choice)) for choice in chosen), given.line)
    if types_of(fields[name].schema) <= {"integer", "number"}:
        chosen = int(is_hidden)
    return name, Given(chosen, given.line, str(chosen))  # type: ignore[arg-type]


def place_of(
    name: str, value: object, kind: Kind, settings: Settings, written: Container[tuple[int | str, ...]]
) -> tuple[tuple[str, str], Any]:
    """Give the keys of front matter that set a field, and the value to write there; `written` are all keys.

    A file that has a word of `seo` for the field keeps the word.
    """
    inside, _, member = name.partition(".")
    for word in SEO_WORDS if (inside, member) not in written else ():
        if (SEO, word) in written:
            field, hidden = _seo_field(word, Given(value=True), kind, settings.types, settings.site.seo)
            if field == name:
                if word == "noindex":
                    value = reader(kind.row.fields[name])(name, hidden) == value
                return (SEO, word), value
    return (inside, member), value


def refuse_unknown(key: str, kind: Kind, types: SiteTypes) -> None:
    """Refuse a key like `meta.isbn` that the site did not register for the kind.

    :raises UnfitError: always, if the key is a member of one of the objects.
    """
    inside, _, member = key.partition(".")
    if inside not in OBJECTS or not member:
        return
    own = [member.key for member in kind.row.body if member.inside == inside]
    others = sorted(other for other in types.kinds if other.row.has(key))
    near = difflib.get_close_matches(member, own[:_COMPARED], 1, _NEAR)
    problem = f"the site has not registered {key} for the type {kind}"
    if near:
        todo = f"did you mean '{near[0]}'?"
    elif others:
        todo = f"it has it for {', '.join(others)}; if it has changed, `pressync schema site` reads it again"
    elif inside == "meta":
        php = _PHP.format(kind=kind, key=member.replace("\\", "").replace("'", "\\'"))
        lines = f"`{php}`, then run `pressync schema site`"
        todo = f"WordPress would ignore it; take it out, or register it: {lines}"
    else:
        todo = "add it to a field group that is shown in the REST API, then run `pressync schema site`"
    raise UnfitError(problem, todo, code=Code.UNKNOWN_FIELD)


def reader(field: Field) -> Callable[[str, Given], object]:
    """Give the reader of a registered field.

    A text that is the path of a file stands for the id of its upload where the site takes a whole number.
    """

    def read(key: str, given: Given) -> object:
        value = _read(field.schema, given, key)
        if paths := tuple(dict.fromkeys(_paths(value))):
            shape = tuple(value) if isinstance(value, list) else value
            return FieldReference(key, paths, given.line, None if isinstance(value, FilePath) else shape)
        # A null takes the whole value back, and a file has it as an empty text.
        value = "" if value is None else value
        return tuple(value) if isinstance(value, list) else value

    return read


def _read(schema: Schema, given: Given, key: str) -> Any:  # noqa: ANN401 - a value of JSON
    """Convert a value to what its schema takes, as WordPress does, and check it."""
    types = types_of(schema)
    is_empty = given.value is None or (given.scalar and not given.text.strip())
    if is_empty and "null" in types:
        return None
    if isinstance(given.value, Mapping) and "object" in types:
        value: Any = _object(schema, given.value, key)
    elif "array" in types and (isinstance(given.value, tuple) or types <= {"array", "null"}):
        inner = schema.get("items") or {}
        value = [_read(inner, item, key) if inner else item.plain() for item in given.items]
    elif given.scalar and _is_file(types, given):
        return FilePath(given.text.strip())
    elif given.scalar:
        value = _scalar(types, schema, given, key)
    else:
        raise _unfit(key, given, types)
    for problem in _beyond(schema, value):
        raise UnfitError(f"{key} cannot be {shown(given)}", problem)
    return value


def _is_file(types: frozenset[str], given: Given) -> bool:
    """Tell whether a text is the path of a file, in the place of the id of its upload."""
    is_id = "integer" in types and "string" not in types
    return is_id and isinstance(given.value, str) and bool(_FILE.fullmatch(given.text))


def _paths(value: object) -> Iterator[str]:
    """Give the paths of files in a value."""
    if isinstance(value, FilePath):
        yield str(value)
    elif isinstance(value, list | Mapping):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _paths(item)


def uploads(schema: Schema, value: object) -> Iterator[int]:
    """Give the ids of uploads in a value, also inside of it."""
    match value:
        case int() if is_upload(schema):
            yield value
        case list() | tuple():
            for item in value:
                yield from uploads(schema.get("items") or {}, item)
        case Mapping():
            properties = schema.get("properties") or {}
            for name, item in value.items():
                yield from uploads(properties.get(name) or {}, item)


def with_paths(schema: Schema, value: Any, files: Mapping[int, str]) -> Any:  # noqa: ANN401 - as above
    """Put the paths of files in the place of the ids of their uploads, also inside of a value."""
    if isinstance(value, int) and not isinstance(value, bool):
        return files.get(value, value) if types_of(schema) - {"null"} == {"integer"} else value
    if isinstance(value, list | tuple):
        if "integer" in types_of(schema):
            # One id or a list of them is that of a term, a person or a page.
            return list(value)
        return [with_paths(schema.get("items") or {}, item, files) for item in value]
    if isinstance(value, Mapping):
        properties = schema.get("properties") or {}
        return {name: with_paths(properties.get(name) or {}, item, files) for name, item in value.items()}
    return value


def without_nothing(schema: Schema, value: Any) -> Any:  # noqa: ANN401 - as above
    """Leave out members that say nothing, and that the schema does not take."""
    if isinstance(value, list | tuple):
        inner = schema.get("items") or {}
        return [without_nothing(inner, item) for item in value]
    if not isinstance(value, Mapping):
        # YAML has the word `null` for a null, which is a text where the schema has no null.
        return "" if value is None and schema and "null" not in types_of(schema) else value
    properties = schema.get("properties") or {}
    members = {name: (properties.get(name) or {}, item) for name, item in value.items()}
    return {
        name: without_nothing(inner, item)
        for name, (inner, item) in members.items()
        if not is_nothing(inner, item) or _takes(inner, item)
    }


def form_in_file(field: Field, value: Any) -> Any:  # noqa: ANN401 - as above
    """Give a value of the site as a file can have it, without what says nothing; else as it is."""
    if field.inside != "acf":
        return value
    wanted = field.meaning(value)
    for form in (wanted, without_nothing(field.schema, value), field.empty):
        with suppress(UnfitError, ValueError, RecursionError):
            if field.meaning(reader(field)(field.name, as_given(form))) == wanted:
                return form
    return value


def _takes(schema: Schema, value: object) -> bool:
    try:
        _read(schema, as_given(value), "")
    except (UnfitError, RecursionError):
        return False
    return True


def _unfit(key: str, given: Given, types: frozenset[str]) -> UnfitError:
    wanted = " or ".join(_IN_WORDS.get(type_, f"a {type_}") for type_ in sorted(types - {"null"}))
    return UnfitError(f"{key} cannot be {shown(given)}", f"the site takes {wanted} here")


def _object(schema: Schema, members: Mapping[str, Given], key: str) -> dict[str, Any]:
    properties, others = schema.get("properties") or {}, schema.get("additionalProperties", True)
    members_read = {}
    for name, item in members.items():
        if name not in properties and others is False:
            todo = _suggested(name, [*properties], "it has")
            raise UnfitError(f"{key} has no member '{name}' on the site", todo, code=Code.UNKNOWN_FIELD)
        inner = properties.get(name, others if isinstance(others, Mapping) else {})
        members_read[name] = _read(inner, item, f"{key}.{name}") if inner else item.plain()
    wanted = schema.get("required")
    lacking = [*wanted] if isinstance(wanted, list) else []
    lacking += [name for name, inner in properties.items() if inner.get("required") is True]
    if missing := [name for name in lacking if name not in members_read]:
        raise UnfitError(f"{key} lacks {', '.join(missing)}", "the site wants these members")
    return members_read


def _suggested(name: str, names: Sequence[object], words: str) -> str:
    """Suggest the known name that is the nearest, or some of them; a schema can have thousands."""
    first = [*map(str, names[:_COMPARED])]
    near = difflib.get_close_matches(name, first, 1)
    return f"did you mean '{near[0]}'?" if near else f"{words} {listed([*map(str, names)], _SHOWN)}"


def _scalar(types: frozenset[str], schema: Schema, given: Given, key: str) -> Any:  # noqa: ANN401 - as above
    text = given.text.strip()
    if "boolean" in types and text.lower() in {"true", "false"}:
        return text.lower() == "true"
    for name, convert in (("integer", int), ("number", float)):
        if name in types and not isinstance(given.value, bool):
            try:
                number = convert(text)
            except (ValueError, OverflowError):
                continue
            if number in (float("inf"), float("-inf")) or number != number:  # noqa: PLR0124 - not a number
                continue
            return int(number) if float(number).is_integer() and abs(number) < 2**53 else number
    if "string" not in types:
        raise _unfit(key, given, types)
    if schema.get("format") != "date-time" or not text:
        return given.text
    try:
        moment, utc = read_date(text)
    except ValueError as error:
        problem = f"{key} {shown(given)} is not a date"
        raise UnfitError(problem, "write it like 2024-01-31T10:00:00") from error
    # WordPress takes seconds, and the offset that makes it a moment.
    return f"{moment}+00:00" if utc else moment


def _beyond(schema: Schema, value: Any) -> Iterator[str]:  # noqa: ANN401 - as above
    choices = schema.get("enum")
    if choices and value not in choices:
        yield _suggested(str(value), choices, "use one of")
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high, step = (schema.get(name) for name in ("minimum", "maximum", "multipleOf"))
        is_excluded_low = value == low and schema.get("exclusiveMinimum") is True
        if is_excluded_low or (low is not None and value < low):
            yield f"the site takes {'more than' if is_excluded_low else 'at least'} {low}"
        is_excluded_high = value == high and schema.get("exclusiveMaximum") is True
        if is_excluded_high or (high is not None and value > high):
            yield f"the site takes {'less than' if is_excluded_high else 'at most'} {high}"
        if step and (value / step) % 1:
            yield f"the site takes multiples of {step}"
    if isinstance(value, str | list):
        least, most = ("minLength", "maxLength") if isinstance(value, str) else ("minItems", "maxItems")
        if not schema.get(least, 0) <= len(value) <= schema.get(most, len(value)):
            words = ((least, "at least"), (most, "at most"))
            wanted = " and ".join(f"{word} {schema[name]}" for name, word in words if name in schema)
            yield f"the site takes {wanted} {'characters' if isinstance(value, str) else 'values'}"
    if isinstance(value, list) and schema.get("uniqueItems") and any(value.count(item) > 1 for item in value):
        yield "the site takes each value once"
    pattern, wanted = _FORMATS.get(str(schema.get("format")), (None, ""))
    if pattern and isinstance(value, str) and value and not pattern.fullmatch(value):
        yield f"write {wanted}"
