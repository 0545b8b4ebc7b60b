"""Reads the few settings of Docusaurus that decide addresses.

The settings are a program in JavaScript, which pressync must not run: the folder may be a stranger's. So
the texts that nearly every site writes are searched in it, and the documented defaults hold for all others.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.importers.source_tree import Front

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.importers.source_tree import SourceTree

NAMES = tuple(f"docusaurus.config.{ending}" for ending in ("js", "ts", "mjs", "cjs", "mts", "cts"))
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:'\"/])//[^\n]*", re.DOTALL)
_PLUGIN = re.compile(r"plugin-content-(docs|blog)['\"]")
_PRESET = re.compile(r"(?<![\w-])['\"]?(docs|blog)['\"]?\s*:\s*(?:/\*[^*]*\*/\s*)?(\{|false)")
_OPTION = re.compile(r"routeBasePath|path|sidebar|editUrl|show|blog|remark|exclude|version")
_NEAR = 3000  # characters after the name of a plugin that may have its options


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of pages, the address below which they are, and whether they are posts.

    `original` is the folder whose pages are translated here.
    """

    folder: str
    address: str
    is_blog: bool = False
    original: str = ""


@dataclass(frozen=True, slots=True)
class DocusaurusConfig:
    """The site's public address, its base path without a slash at the end, and its folders."""

    address: str
    base: str
    has_slash: bool | None
    roots: tuple[Root, ...]


def settings_of(tree: SourceTree) -> str:
    """Give the name of the settings file, "" if there is none."""
    return next((name for name in NAMES if tree.is_file(name)), "")


def read_config(tree: SourceTree) -> DocusaurusConfig:
    """Search the settings, and find the folders of docs, versions, blogs, pages and languages."""
    name = settings_of(tree)
    read = tree.front(name) if name else Front()
    text = _COMMENT.sub("", read.body) if isinstance(read, Front) else ""
    base = _value(text, "baseUrl") or "/"
    slash = re.search(r"['\"]?trailingSlash['\"]?\s*:\s*(true|false)", text)
    roots = [root for found in _instances(text) for root in _folders(tree, found)]
    roots.append(Root("src/pages", ""))
    roots += list(_languages(tree, roots))
    return DocusaurusConfig(
        address=(_value(text, "url") or "").rstrip("/"),
        base=f"/{base.strip('/')}".rstrip("/"),
        has_slash=None if slash is None else slash[1] == "true",
        roots=tuple(dict.fromkeys(root for root in roots if tree.is_folder(root.folder))),
    )


def _value(text: str, key: str) -> str | None:
    pattern = rf"(?<![\w.])['\"]?{key}['\"]?\s*:\s*['\"`]([^'\"`\n]{{0,500}})['\"`]"
    found = (each[1] for each in re.finditer(pattern, text))
    return next((each for each in found if "${" not in each), None)


def _instances(text: str) -> Iterator[Root]:
    """Give each instance of the plugins for docs and blogs: those of the preset, and further ones."""
    found = [_root(each[1], _braces(text, text.find("{", each.end()))) for each in _PLUGIN.finditer(text)]
    for kind in ("docs", "blog"):
        tables = (
            (each[2], _braces(text, each.start(2))) for each in _PRESET.finditer(text) if each[1] == kind
        )
        # Menus have tables of these names as well.
        fit = next((table for table in tables if table[0] == "false" or _OPTION.search(table[1])), None)
        if fit and fit[0] != "false":
            yield _root(kind, fit[1])
        elif not fit and all(each.folder != kind for each in found):
            yield _root(kind, "")
    yield from found


def _root(kind: str, options: str) -> Root:
    folder = posixpath.normpath(_value(options, "path") or kind)
    address = _value(options, "routeBasePath")
    return Root(folder, (kind if address is None else address).strip("/"), is_blog=kind == "blog")


def _braces(text: str, start: int) -> str:
    """Give the text from a brace to the one that closes it, as far as it is near."""
    depth = 0
    near = text[start : start + _NEAR] if start >= 0 else ""
    for at, char in enumerate(near):
        depth += (char == "{") - (char == "}")
        if not depth:
            return near[:at]
    return near


def _folders(tree: SourceTree, root: Root) -> Iterator[Root]:
    """Give the folders of a plugin: the versions of docs, of which the first one has no name in addresses."""
    versioned = (
        "versioned_docs" if root.folder == "docs" else f"{posixpath.basename(root.folder)}_versioned_docs"
    )
    versions = sorted(
        {path.split("/")[1].removeprefix("version-") for path in tree.files(versioned)}, reverse=True
    )
    listed = tree.front("versions.json") if tree.is_file("versions.json") else Front()
    order = re.findall(r'"([^"\n]+)"', listed.body) if isinstance(listed, Front) else []
    versions.sort(key=lambda name: order.index(name) if name in order else len(order))
    if root.is_blog or not versions:
        yield root
        return
    for number, name in enumerate(versions):
        yield Root(f"{versioned}/version-{name}", posixpath.join(root.address, name if number else ""))
    yield Root(root.folder, posixpath.join(root.address, "next"))


def _languages(tree: SourceTree, roots: list[Root]) -> Iterator[Root]:
    """Give the translated folders: they have the language before their address."""
    codes = dict.fromkeys(path.split("/")[1] for path in tree.files("i18n"))
    for code in codes:
        for root in roots:
            name = "blog" if root.is_blog else "docs"
            inner = "" if root.is_blog else "/current"
            if "/version-" in root.folder:
                inner = f"/version-{root.folder.partition('/version-')[2]}"
            if root.folder == "src/pages":
                folder = f"i18n/{code}/docusaurus-plugin-content-pages"
            else:
                folder = f"i18n/{code}/docusaurus-plugin-content-{name}{inner}"
            yield Root(folder, posixpath.join(code, root.address), is_blog=root.is_blog, original=root.folder)
