"""The stable name of each sort of problem, with a sentence for people who meet it for the first time.

Programs filter problems by these names (`check --format json`, SARIF rules), so a name is never changed and
never used for another problem. Messages may change; they are for people.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Code(StrEnum):
    """A sort of problem; `help` says what it is, for readers who see only the name."""

    help: str

    def __new__(cls, name: str, help_: str) -> Self:
        """Make a member of its name and its help."""
        code = str.__new__(cls, name)
        code._value_ = name
        code.help = help_
        return code

    # Files.
    FILE_NAME = "file-name", "The name of a file cannot be stored in a manifest."
    TOO_LARGE = "too-large", "A file is larger than a page may be."
    TOO_COMPLEX = "too-complex", "Rendering this text would take far more time than its length suggests."
    NOT_TEXT = "not-text", "A file is not UTF-8 text, or has characters that UTF-8 cannot encode."
    MERGE_CONFLICT = "merge-conflict", "Git's conflict markers are in the text."
    PASSED_OVER = "passed-over", "A file of the content folder is in a format that pressync does not read."
    NOT_A_DOCUMENT = "not-a-document", "A Markdown file is neither a page nor a post, so it is not sent."
    TABLE = "table", "A table that an import wrote, and that people fill in, cannot be read."

    # Front matter.
    FRONT_MATTER = "front-matter", "The front matter cannot be read."
    FRONT_MATTER_UNCLOSED = "front-matter-unclosed", "The front matter has no closing fence."
    VALUE = "value", "A key of the front matter cannot take its value."
    UNKNOWN_KEY = "unknown-key", "A key of the front matter looks misspelt."
    UNUSED_KEY = "unused-key", "A key of the front matter has no effect on this kind of record."
    FOREIGN_VALUE = "foreign-value", "A value has the meaning of another tool, and is left out."
    SEVERAL_AUTHORS = "several-authors", "A file names several authors, and a record has one."
    CONTRADICTION = "contradiction", "Two keys of the front matter contradict each other."
    NOT_SUPPORTED = "not-supported", "The site's dialect cannot store this value."
    MISSING_FILE = (
        "missing-file",
        "The front matter names a file that is not here, or that the site refuses.",
    )
    UNKNOWN_AUTHOR = "unknown-author", "The site does not have this author."
    NO_ID = "no-id", "A name or a file has no id on the site yet."

    # Several documents together.
    MISSING_PARENT = "missing-parent", "The parent of a page is not a document."
    PARENT_CYCLE = "parent-cycle", "A page is its own ancestor."
    FOLDER_WITHOUT_PAGE = "folder-without-page", "A folder of pages does not have a page of its own."
    SAME_ADDRESS = "same-address", "Two documents want the same address."
    FRONT_PAGE = "front-page", "Two documents want to be the front page, or one that nobody sees."

    # Templates.
    MISSING_LAYOUT = "missing-layout", "A document names a template that does not exist."
    TEMPLATE = "template", "A template cannot be used."

    # Links.
    BROKEN_LINK = "broken-link", "A link leads to a file that does not exist."
    OUTSIDE_LINK = "outside-link", "A link leads out of the repository."
    UNSENT_FILE = "unsent-file", "A link leads to a file that the site does not get."
    DEAD_ANCHOR = "dead-anchor", "A link names a place that the page does not have."
    DEAD_ADDRESS = "dead-address", "A link that begins with `/` leads to an address that no document has."

    # Text.
    NO_TEXT = "no-text", "A file is empty, or it has lost all of its text."
    DOUBLE_TITLE = "double-title", "The text begins with its title, which the site shows above it."
    UNCLOSED_CODE = "unclosed-code", "The closing fence of a code block is missing."
    HUGO_SHORTCODE = "hugo-shortcode", "A shortcode of Hugo is shown as it is written."
    TEMPLATE_TAG = "template-tag", "A tag of Liquid, Jinja or Zola is shown as it is written."
    KRAMDOWN = "kramdown", "An abbreviation, a formula or an emoji code is shown as it is written."
    ATTRIBUTE_LIST = "attribute-list", "A list of attributes, as in kramdown, is shown as it is written."
    MDX = "mdx", "MDX is not Markdown: its components and imports do nothing on the site."
    MKDOCS_BLOCK = "mkdocs-block", "An admonition or a tab of MkDocs is shown as it is written."
    DOCUSAURUS_ADMONITION = (
        "docusaurus-admonition",
        "An admonition of Docusaurus is shown as it is written.",
    )

    # Outside of the content.
    SETTINGS = "settings", "The settings file is wrong."
    ADOPT_LIST = "adopt-list", "A line of a list of records to adopt cannot be used."
    MANIFEST = "manifest", "The manifest and the repository, this clone or the site disagree."
    MANIFEST_SEARCH = "manifest-search", "Git could not be searched completely for a lost manifest."
    ORPHANED_RECORD = "orphaned-record", "A record that this clone made has neither a file nor an entry."
    TAKEN_BACK = "taken-back", "A record has what this clone sent from a commit that history lacks."
