"""Writes the notes, tips and warnings of other tools as the alerts that pressync renders.

Every tool has its own syntax for the same coloured box, and more kinds than the five that Markdown of
GitHub has. A kind that has no counterpart keeps its word as the title.
"""

from __future__ import annotations

import textwrap

_KINDS = {
    "NOTE": ("note", "info", "primary", "secondary", "seealso", "todo", "abstract", "summary", "tldr"),
    "TIP": ("tip", "hint", "success", "check", "done"),
    "IMPORTANT": ("important", "question", "help", "faq"),
    "WARNING": ("warning", "attention"),
    "CAUTION": ("caution", "danger", "error", "failure", "fail", "missing", "bug"),
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words}


def alert(word: str, title: str, text: str) -> str:
    """Write an alert as a quote: `word` is the other tool's kind, and `title` its own title, if it has one.

    The text is Markdown; its common indentation is taken away.
    """
    kind = _KIND_OF.get(word.lower(), "NOTE")
    said = " ".join(title.split()) or ("" if word.lower() in {kind.lower(), ""} else word.capitalize())
    head = f"[!{kind}]" if said.upper() in {"", kind} else f"[!{kind}] {said}"
    rows = textwrap.dedent(text.expandtabs(4)).strip("\n").split("\n")
    return "\n".join([f"> {head}", *(f"> {row}".rstrip() for row in rows)])
