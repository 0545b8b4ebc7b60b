"""HTML again out of blocks, by means of its own: what `to_blocks` adds is taken away by plain patterns."""

from __future__ import annotations

import re

_DELIMITER = re.compile(r"<!-- /?wp:[^>]*-->")
_ADDED = re.compile(r' class="(?:wp-block-(?:heading|list|quote|code|separator has-alpha-channel-opacity))"')
_ESCAPED = re.compile(r"<span>\[</span>|&#091;")
_IMPLIED = re.compile(r"</?tbody>|</img>")
_LANGUAGE = re.compile(r'<pre class="wp-block-code (language-[^" ]+)"><code>')
_PICTURE = re.compile(
    r'<figure class="wp-block-image"><img src="([^"]*)" alt="([^"]*)"/>'
    r'(?:<figcaption class="wp-element-caption">(.*?)</figcaption>)?</figure>'
)
_TABLE = re.compile(r'<figure class="wp-block-table">(<table>.*?</table>)</figure>', re.DOTALL)
_LIST_TAG = re.compile(r"(</?(?:ul|ol|li)(?=[\s/>])[^>]*>)")
_ALIGNED = re.compile(r'class="has-text-align-(left|center|right)" data-align="\1"')
_CODE = re.compile(r"<code.*?</code>", re.DOTALL)

# Around these, blanks are not seen.
_STRUCTURE = "p|h[1-6]|ul|ol|li|blockquote|pre|hr|table|thead|tbody|tr|t[hd]|div|dl|dt|dd|section|figure"
_BLANK_AROUND = re.compile(rf" ?(</?(?:{_STRUCTURE})(?=[ />])[^>]*>) ?")
_BLANK = " \t\n\f\r"
_BLANKS = re.compile(f"[{_BLANK}]+")


def unblocked(content: str) -> str:
    """Give the HTML that these blocks were made of; HTML without blocks comes back as it is."""
    html = _DELIMITER.sub("\n", content)
    html = _LANGUAGE.sub(r'<pre><code class="\1">', html)
    html = html.replace('<hr class="wp-block-separator has-alpha-channel-opacity"/>', "<hr />")
    html = _IMPLIED.sub("", html)
    html = _ADDED.sub("", _with_paragraphs(html))
    html = _PICTURE.sub(_paragraph, html)
    html = _TABLE.sub(r"\1", html)
    html = _ALIGNED.sub(r'align="\1"', html)
    return _ESCAPED.sub("[", html).replace("&#047;", "/").replace("<span>/</span>", "/")


def seen(html: str) -> str:
    """Leave out the blanks of HTML that nobody sees, so that two spellings of it can be compared.

    Those of code are seen, and it is put at the end as it is.
    """
    codes, others = _CODE.findall(html), _CODE.split(html)
    text = "\0".join(_BLANK_AROUND.sub(r"\1", _BLANKS.sub(" ", other)) for other in others)
    return "\n".join((text.strip(" "), *codes))


def _with_paragraphs(html: str) -> str:
    """Put the lines of loose lists into paragraphs again."""
    parts = _LIST_TAG.split(html)
    loose: list[bool] = []
    for place, tag in enumerate(parts):
        if tag.startswith(("<ul", "<ol")):
            loose.append('class="wp-block-list loose"' in tag)
            parts[place] = tag.replace(' class="wp-block-list loose"', "")
        elif tag in {"</ul>", "</ol>"} and loose:
            loose.pop()
        elif tag == "<li>" and loose and loose[-1] and (line := parts[place + 1].strip(_BLANK)):
            parts[place + 1] = f"<p>{line}</p>"
    return "".join(parts)


def _paragraph(picture: re.Match[str]) -> str:
    title = f' title="{picture[3]}"' if picture[3] else ""
    return f'<p><img src="{picture[1]}" alt="{picture[2]}"{title} /></p>'
