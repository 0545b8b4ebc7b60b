"""Writes one setting of a site into the text of pressync.toml, and leaves every other line as it is. Pure.

People write comments and their own order into this file, so no TOML library may write it anew. The edited
text is parsed again, and it must differ from the old one in this one value. Otherwise nothing is edited.
"""

from __future__ import annotations

import copy
import io
import json
import re

from pressync.config import settings_file
from pressync.config.settings_file import KEY, PATH, keys
from pressync.model.errors import ConfigError

_TABLE = re.compile(rf"\s*\[{PATH}\]")
_OTHER_TABLE = re.compile(r"\s*\[")
_VALUE = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""


def with_setting(text: str, where: str, site: str, key: str, value: str) -> str:
    """Give the text of the settings in which `key` of a site has this value.

    :raises ConfigError: the site has no table of its own in the text, or it is written in an unusual way.
    """
    wanted = copy.deepcopy(settings_file.read(text, where))
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
    edited = _edited(text, site, key, f"{key} = {json.dumps(value, ensure_ascii=False)}")
    try:
        is_right = settings_file.read(edited, where) == wanted
    except ConfigError:
        is_right = False
    if not is_right:
        raise by_hand
    return edited


def _edited(text: str, site: str, key: str, line: str) -> str:
    """Replace the key's value in the table of the site, or add the line below the table's header."""
    lines = list(io.StringIO(text))
    header = -1
    for number, old in enumerate(lines):
        if header < 0:
            found = _TABLE.match(old)
            header = number if found and keys(found[1]) == ("sites", site) else header
        elif _OTHER_TABLE.match(old):
            break
        elif (name := re.match(rf"(\s*)({KEY})\s*=\s*{_VALUE}", old)) and keys(name[2]) == (key,):
            lines[number] = f"{name[1]}{line}{old[name.end() :]}"
            return "".join(lines)
    if header < 0:
        return text
    end = "\r\n" if lines[header].endswith("\r\n") else "\n"
    lines[header] = f"{lines[header].removesuffix(end)}{end}{line}{end}"
    return "".join(lines)
