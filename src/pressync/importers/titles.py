"""Gives a page its title: the one of its front matter, else the heading at its top, else its name.

A theme shows the title above the text. So a heading that becomes the title leaves the text, or readers would
see it twice.
"""

from __future__ import annotations

from pressync.content.front_matter.split import after_blank_lines
from pressync.content.headings import first_heading


def titled(given: str, body: str, name: str, *, heading_wins: bool = False) -> tuple[str, str]:
    """Give the title and the body; with `heading_wins` the heading at the top counts before `given`."""
    heading = first_heading(body) if heading_wins or not given else None
    if heading and heading.text and heading.level == 1 and not body[: heading.start].strip():
        return heading.text, body[after_blank_lines(body, heading.end) :]
    if given:
        return given, body
    words = " ".join(name.replace("-", " ").replace("_", " ").split())
    return (heading.text if heading and heading.text else words[:1].upper() + words[1:]), body
