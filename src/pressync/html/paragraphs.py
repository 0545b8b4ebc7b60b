"""Makes paragraphs of a text of the classic editor, as WordPress 7.1 does, oddities included. Pure.

WordPress (its `wpautop`) also removes the paragraph around a shortcode that stands alone; this module does
not, because WordPress does that to a text of ours as well. Each expression takes time linear in the text.
Where WordPress tries a failing match again at the next tag, the expression here takes the failing text as
well, and puts it back.
"""

from __future__ import annotations

import re

_BLOCK = (
    r"(?:table|thead|tfoot|caption|col|colgroup|tbody|tr|td|th|div|dl|dd|dt|ul|ol|li|pre|form|map|area|blockquote"
    r"|address|style|p|h[1-6]|hr|fieldset|legend|section|article|aside|hgroup|header|footer|nav|figure"
    r"|figcaption|details|menu|summary)"
)
# A tag of a block, or the rest of the text if the tag has no end.
_TAG = rf"</?{_BLOCK}[^>]*+(?:>|\Z)"
# The blanks before something, all of them or none: a match that began among them would be tried at each.
_BEFORE = r"(?:(?<!\s)\s++)?+"

_NEWLINE = "<!-- wpnl -->"
_BREAK = "<br />"
_KEPT = "<WPPreserveNewline />"

# PHP's regular expressions know the blanks and letters of ASCII only.
_PRE = re.compile(r"<pre wp-pre-tag-(\d+)></pre>", re.ASCII)
_ELEMENT = re.compile(r"<(?:!--(?:>|->|.*?(?:-->|\Z))|!\[CDATA\[.*?(?:\]\]>|\Z)|[^>]*+>?+)", re.DOTALL)
_BLANKS = re.compile(r"\s++", re.ASCII)
_APART = re.compile(r"\n\s*\n", re.ASCII)
_PRESERVED = re.compile(r"<(script|style|svg|math)")


def _rules(*rules: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.ASCII), written) for pattern, written in rules)


_SEPARATE = _rules(
    (r"<br\s*+/?>\s*+<br\s*+/?>", "\n\n"),
    (rf"(<{_BLOCK}[\s/>])", r"\n\n\1"),
    (rf"(</{_BLOCK}>)", r"\1\n\n"),
    (r"(<hr\s*+/?>)", r"\1\n\n"),
    (r"\r\n?", "\n"),
)
# The rules for a text that contains one of these. They keep the inside of an element in one paragraph.
_COLLAPSE = (
    (("<option",), _rules((_BEFORE + "<option", "<option"), (r"</option>\s*+", "</option>"))),
    (
        ("</object>",),
        _rules(
            (r"(<object[^>]*+(?:>|\Z))\s*+", r"\1"),
            (_BEFORE + "</object>", "</object>"),
            (_BEFORE + r"(</?(?:param|embed)[^>]*+>)\s*+", r"\1"),
        ),
    ),
    (
        ("<source", "<track"),
        _rules(
            (r"([<\[](?:audio|video)[^>\]]*+(?:[>\]]|\Z))\s*+", r"\1"),
            (_BEFORE + r"([<\[]/(?:audio|video)[>\]])", r"\1"),
            (_BEFORE + r"(<(?:source|track)[^>]*+>)\s*+", r"\1"),
        ),
    ),
    (
        ("<figcaption",),
        _rules((_BEFORE + r"(<figcaption[^>]*+>)", r"\1"), (r"</figcaption>\s*+", "</figcaption>")),
    ),
)
_UNWRAP = _rules(
    (r"<p>\s*+</p>", ""),
    (r"<p>([^<]++)</(div|address|form)>", r"<p>\1</p></\2>"),
    (rf"<p>\s*+(</?{_BLOCK}[^>]*+>)\s*+</p>", r"\1"),
)
_LONE_ITEM = re.compile(r"<p>(<li.+?)</p>|<p><li.*+")
_QUOTE = re.compile(r"""<p><blockquote((?:[^>"']|"[^"]*+"|'[^']*+')*+)>""", re.IGNORECASE)
_AROUND_BLOCKS = _rules((rf"<p>\s*+(</?{_BLOCK}[^>]*+>)", r"\1"), (rf"({_TAG})(?:\s*+</p>)?+", r"\1"))
_BREAKS = _rules(
    (rf"({_TAG})(?:\s*+<br />)?+", r"\1"),
    (r"<br />(\s*+</?(?:p|li|div|dl|dd|dt|th|pre|td|ul|ol)[^>]*+>)", r"\1"),
    (r"\n</p>$", "</p>"),
)


def paragraphs(text: str) -> str:
    """Give the HTML that WordPress shows for a text without blocks."""
    if not text.strip(" \t\n\r\0\x0b"):
        return ""
    text, listings = _without_listings(f"{text}\n")
    text = _ELEMENT.sub(lambda match: match[0].replace("\n", f" {_NEWLINE} "), _applied(_SEPARATE, text))
    for signs, rules in _COLLAPSE:
        text = _applied(rules, text) if any(sign in text for sign in signs) else text
    parts = filter(None, _APART.split(re.sub(r"\n\n+", "\n\n", text)))
    text = _applied(_UNWRAP, "".join("<p>" + part.strip("\n") + "</p>\n" for part in parts))
    text = _LONE_ITEM.sub(lambda match: match[1] or match[0], text)
    text = _QUOTE.sub(r"<blockquote\1><p>", text).replace("</blockquote></p>", "</p></blockquote>")
    text = _applied(_BREAKS, _with_breaks(_applied(_AROUND_BLOCKS, text)))
    text = _PRE.sub(lambda match: listings.get(match[1], match[0]), text)
    return text.replace(f" {_NEWLINE} ", "\n").replace(_NEWLINE, "\n")


def _applied(rules: tuple[tuple[re.Pattern[str], str], ...], text: str) -> str:
    for pattern, written in rules:
        text = pattern.sub(written, text)
    return text


def _without_listings(text: str) -> tuple[str, dict[str, str]]:
    """Put a mark in the place of each `pre`; give the listings by the number of their mark."""
    listings: dict[str, str] = {}
    *parts, last = text.split("</pre>") if "<pre" in text else [text]
    for number, part in enumerate(parts):
        before, start, listing = part.partition("<pre")
        if start:
            key = str(len(listings))
            listings[key] = f"{start}{listing}</pre>"
            parts[number] = f"{before}<pre wp-pre-tag-{key}></pre>"
    return "".join([*parts, last]), listings


def _with_breaks(text: str) -> str:
    """Write `<br />` at the end of each line, except in scripts and the like."""
    parts, at, unclosed = [], 0, set[str]()
    for tag in _PRESERVED.finditer(text):
        name = tag[1]
        end = -1 if tag.start() < at or name in unclosed else text.find(f"</{name}>", tag.end())
        if end >= 0:
            parts += [text[at : tag.start()], text[tag.start() : end].replace("\n", _KEPT)]
            at = end
        elif tag.start() >= at:
            unclosed.add(name)
    text = "".join([*parts, text[at:]]).replace("<br>", _BREAK).replace("<br/>", _BREAK)
    return _BLANKS.sub(_broken, text).replace(_KEPT, "\n")


def _broken(match: re.Match[str]) -> str:
    """Write a break in the place of some blanks with a line end; a break before them counts for the first."""
    start = match.start()
    first = int(match.string.startswith(_BREAK, start - len(_BREAK)) and start >= len(_BREAK))
    end = match[0].rfind("\n")
    return match[0] if end < first else f"{match[0][:first]}{_BREAK}\n{match[0][end + 1 :]}"
