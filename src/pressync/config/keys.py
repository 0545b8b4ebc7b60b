"""The keys of pressync.toml: the types that each takes, its values, and what it means. Pure.

`settings_file` validates with these definitions, and editors get a JSON schema that is made from them. So a
key cannot be accepted and stay without a description.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

from pressync.client.dialects import DEFAULT, DIALECTS, MOST_CAPABLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.interface import SiteTypes

# The name of the site without any configuration: the embedded service of this clone.
EMBEDDED = "embedded"

# The type of a file that is not a document.
LEFT_OUT = "none"

# The words that `seo` in front matter has.
SEO = ("title", "description", "noindex", "canonical")

# The values of `folders`.
FOLDERS = ("", "pages")

# The values of `dialect` below `[markdown]`.
MARKDOWN_DIALECTS = ("", "obsidian")

# A key of `[terms]` begins with the field of the term: a category and a tag may have one name. The schema of
# a site has further taxonomies.
TERM = r"^(?!(tag|category)/)[a-z][a-z0-9_-]{0,31}/"
TERM_TODO = "begin it with categories/, tags/ or the name of a taxonomy"

# The name of a site becomes a file name, and is in messages and in commands that people copy.
SITE_NAME = "[A-Za-z0-9][A-Za-z0-9._-]*"


def named_types(types: SiteTypes) -> tuple[str, ...]:
    """Give the types of files that a site has; a file of the last one is not a document."""
    return (*types.kinds, LEFT_OUT)


def folder(path: str) -> str | None:
    """Give the path of a folder as Git writes it, "" for the root; None if it is outside the repository."""
    clean = posixpath.normpath(path.strip("/") or ".")
    if clean == ".." or clean.startswith("../"):
        return None
    return "" if clean == "." else clean


class Key(NamedTuple):
    """One key: the types of its value, its meaning for people, examples, its values and its default.

    `shape` is a regular expression of Python and JavaScript for its text; more can be wrong with a text.
    """

    types: tuple[type, ...]
    description: str
    examples: tuple[object, ...] = ()
    choices: tuple[str, ...] = ()
    default: object = None
    shape: str = ""


# A folder is below the root of the repository.
_INSIDE = r"^(?!/*\.\.(/|$))"
_TREE: Mapping[str, Key] = {
    "exclude": Key(
        (list,),
        "Patterns of files below the content folder that are not documents, by the rules of .gitignore.",
        (["_includes/**", "README.md"],),
        default=[],
        shape="^(!|(?!!))/*[^/]",
    ),
    "folders": Key(
        (str,),
        'With "pages", a folder of pages without a page of its own gets one, so that it is in addresses.',
        ("pages",),
        choices=FOLDERS,
        default="",
    ),
    "authors": Key(
        (dict,),
        "Users of the site for the authors that files name. The right side is a login, an e-mail address or "
        'an id; "" leaves the author out. "*" is everybody else.',
        ({"Jane Doe": "jane", "Release Bot": "", "*": "editor"},),
    ),
    "terms": Key(
        (dict,),
        "Other names for the terms that files name. The left side begins with categories/, tags/ or the name "
        "of a taxonomy; the right side is the name or the slug of the term on the site.",
        ({"tags/colour": "Color", "categories/news/world": "World"},),
    ),
}
_DEFAULTS = Key(
    (dict,),
    "Front matter for files that do not name a key themselves. A key that is a table names a folder, "
    "from the content folder on; the longest matching folder wins.",
    ({"comment_status": "closed", "pages/legal": {"menu_order": 90}},),
)
# The forms of Markdown beyond CommonMark and GitHub's additions.
MARKDOWN: Mapping[str, Key] = {
    "math": Key((bool,), "Read `$…$`, `$$…$$` and fences `math` as formulas in TeX.", default=False),
    "mermaid": Key(
        (str, list),
        "The command that makes pictures of fences `mermaid`: a shell line, or a list of words that runs "
        "without a shell. It gets `-i FILE -o FILE`, as mmdc does.",
        ("mmdc", ["npx", "--no-install", "mmdc"]),
    ),
    "highlight": Key(
        (str,),
        "Colour code in fences. The value is the name of a style of Pygments.",
        ("default", "friendly", "monokai"),
        shape=r"^[A-Za-z0-9_-]*$",
    ),
    "dialect": Key(
        (str,),
        'With "obsidian", read the forms of Obsidian: wikilinks, embeds, callouts, comments.',
        ("obsidian",),
        choices=MARKDOWN_DIALECTS,
        default="",
    ),
    "vault": Key(
        (str,),
        "The folder of the vault, from the content folder; by default the content folder itself.",
        ("posts/notes",),
        default="",
        shape=_INSIDE,
    ),
    "hashtags": Key(
        (bool,),
        "Make the tags in the text of a vault's posts (#tag, #nested/tag) tags of the posts.",
        default=False,
    ),
    "embeds": Key(
        (bool,),
        "Show a bare address of a provider, such as YouTube, alone in its paragraph as a player. A link to a "
        "sound or a film of the repository is a player, too.",
        default=False,
    ),
    "galleries": Key(
        (bool,),
        "With `blocks`, make a gallery of pictures that are alone on the lines of a paragraph.",
        default=False,
    ),
}
TOP: Mapping[str, Key] = {
    "content": Key(
        (str,),
        'The folder of the documents, from the root of the repository; "." is the root.',
        ("content", "docs"),
        default="content",
        shape=_INSIDE,
    ),
    "templates": Key(
        (str,),
        "The folder of the templates, from the root of the repository.",
        ("templates",),
        default="templates",
        shape=_INSIDE,
    ),
    **_TREE,
    "markdown": Key(
        (dict,), "Forms of Markdown that are off otherwise.", ({"math": True, "highlight": "default"},)
    ),
    "sites": Key(
        (dict,),
        "The sites: one table for each, [sites.NAME]. A name may have letters, digits, dots, - and _.",
        (
            {
                "production": {
                    "url": "https://example.org/wp-json",
                    "dialect": MOST_CAPABLE.name,
                    "user": "editor",
                }
            },
        ),
    ),
    "defaults": _DEFAULTS,
    "agents": Key(
        (dict,),
        "It has no effect any more: an agent may send what the account of its own may do. Leave it out.",
        ({},),
    ),
}
SITE: Mapping[str, Key] = {
    "url": Key(
        (str,),
        "The base address of the service, with its JSON route prefix. For WordPress it ends with /wp-json.",
        ("https://example.org/wp-json", "https://example.org/?rest_route=/"),
        shape=r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s\\/?#@]+([/?][^\s\\#]*)?#?$",
    ),
    "dialect": Key(
        (str,),
        "The way in which the service speaks: the documented interface, or that of stock WordPress.",
        (MOST_CAPABLE.name,),
        choices=tuple(DIALECTS),
        default=DEFAULT.name,
    ),
    "user": Key(
        (str,),
        "The user to write as. The password is not here: use PRESSYNC_PASSWORD, `password_command` or the "
        "system keyring.",
        ("editor",),
    ),
    "password_command": Key(
        (str, list),
        "A shell line, or a list of words that runs without a shell. The first line that it prints is the "
        "password.",
        ("pass show example.org", ["op", "read", "op://private/example.org/password"]),
    ),
    "manifest": Key(
        (str,),
        'The place of the manifest: a file inside the repository, or "ref" for a Git reference. The default '
        'is ".pressync/NAME.json".',
        ("ref", ".pressync/production.json"),
        shape=r"^(?!/)(?!\.\.(/|$))(?!\.git$)[\s\S]*[^/]$",
    ),
    "remote": Key(
        (str,),
        'The Git remote that shares a manifest in a reference; "" for none. The default is origin, if there '
        "is one.",
        ("origin",),
    ),
    "branch": Key(
        (str,),
        "The branch that the site is synced from; `sync` refuses to act from another one. By default any.",
        ("main",),
    ),
    "allow_http": Key(
        (bool,),
        "Send credentials unencrypted to this site; only for a network that you trust.",
        default=False,
    ),
    "blocks": Key((bool,), "Send bodies as blocks of the WordPress editor.", default=False),
    "front_page": Key(
        (bool,),
        "Make the root index.md the front page of the site, where the user may change the site's settings.",
        default=False,
    ),
    "notify": Key(
        (bool,),
        "Let plug-ins of the site tell its subscribers of posts that are many, old, or back from the trash.",
        default=False,
    ),
    "approve": Key(
        (bool,),
        "Sync without a person only the plan whose digest was approved: that of the merged pull request.",
        default=False,
    ),
    "types": Key(
        (dict,),
        "The folders of the site's own types, below the content folder: one table for each type. Without it, "
        "a type has the folder that its route has on the site.",
        ({"book": {"folder": "library"}},),
    ),
    "seo": Key(
        (dict,),
        "The registered fields that take the words of `seo` in front matter: title, description, noindex and "
        "canonical. Without it, pressync knows the fields of the large plug-ins.",
        ({"title": "meta.my_title"},),
    ),
    **_TREE,
    "defaults": _DEFAULTS,
}
