"""Writes numbers, texts and styles in tags of JSX as HTML has them: `width={40}`.

A browser ends the tag `<b onClick={() => go()}>` at its first `>` and shows the rest of the program as text.
So each other program in a tag is named.
"""

from __future__ import annotations

import html
import re

_TAG = re.compile(r"<[a-z][a-z0-9-]{0,30}\s[^<\n]{0,2000}")
_NAMED = r"(?P<name>\s[A-Za-z][\w:-]{0,60}=)"
_LITERAL = re.compile(
    _NAMED
    + r"""\{\s{0,9}(?:(?P<plain>-?\d{1,9}(?:\.\d{1,9})?|true|false)"""
    + r"""|(?P<quote>["'`])(?P<text>[^"'`{}\n\\]{0,1000})(?P=quote))\s{0,9}\}"""
)
_STYLE = re.compile(r"(?P<name>\sstyle=)\{\s{0,9}\{(?P<rules>[^{}\n]{0,1000})\}\s{0,9}\}")
_RULE = re.compile(
    r"""\s*["']?(?P<key>[A-Za-z-]{1,60})["']?\s*:\s*"""
    r"""(?:(?P<number>-?\d{1,9}(?:\.\d{1,9})?)|(?P<quote>["'])(?P<text>[^"'\n\\]{0,300})(?P=quote))\s*(?:,|\Z)"""
)
_PROGRAM = re.compile(r"\s[A-Za-z][\w:-]{0,60}=\{[^\n]{0,200}")
# React writes pixels behind each other number.
_BARE = frozenset(
    {"opacity", "z-index", "flex", "flex-grow", "flex-shrink", "line-height", "font-weight", "order"}
)


def as_html(text: str) -> str:
    """Write the numbers, texts and styles in the tags of a row as HTML; a program stays."""
    if "={" not in text:
        return text
    return _TAG.sub(lambda tag: _LITERAL.sub(_written, _STYLE.sub(_styled, tag[0])), text)


def expressions(row: str) -> list[str]:
    """Give the programs in the tags of a row."""
    tags = (_PROGRAM.search(tag[0]) for tag in _TAG.finditer(row)) if "={" in row else ()
    return [program[0].strip() for program in tags if program]


def _written(attribute: re.Match[str]) -> str:
    value = attribute["plain"] or attribute["text"] or ""
    return f'{attribute["name"]}"{html.escape(value)}"'


def _styled(attribute: re.Match[str]) -> str:
    rules, at = [], 0
    while at < len(attribute["rules"].rstrip()):
        rule = _RULE.match(attribute["rules"], at)
        if rule is None:
            return attribute[0]
        key = re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", rule["key"])
        unit = "px" if rule["number"] not in {None, "0"} and key not in _BARE else ""
        rules.append(f"{key}: {rule['number'] or rule['text']}{unit}")
        at = rule.end()
    return f'{attribute["name"]}"{html.escape("; ".join(rules))}"'
