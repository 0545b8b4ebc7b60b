"""Times every lexer of Pygments with texts that repeat one sign, up to the bounds of `content/render/code`.

A lexer that takes longer than `SECONDS` for a text within its bound needs a lower one there. The bounds are
numbers of characters and lines, so that all machines send the same bytes. Run it after an update of Pygments:

    .venv/bin/python benchmarks/lexers.py             # all
    .venv/bin/python benchmarks/lexers.py 451 525     # the 451st to the 525th, in the order of Pygments
"""

from __future__ import annotations

import itertools
import signal
import sys
import time

from pygments.lexers import get_all_lexers, get_lexer_by_name

from pressync.content.render import code

SECONDS = 4.0
SIGNS = (
    *(
        "\n",
        " ",
        "\t",
        " \n",
        "a",
        "a ",
        "a\n",
        "a=",
        "a.",
        "1",
        "_",
        '"',
        "'",
        "`",
        '\\"',
        "\\",
        "(",
        "{",
        "[",
        "<",
    ),
    *("<a", "{}", "/", "/*", "*", "(*", "#", "$", ".", ":", "::", ";", ",", "=", "-", "@", "%", "!", "|"),
)


def within_bounds(sign: str, longest: int) -> str:
    """Give the longest text of one sign that a page may have in colours."""
    repeated = longest // len(sign)
    return sign * (min(repeated, code.MOST_LINES) if "\n" in sign else repeated)


def seconds(alias: str, text: str) -> float:
    """Time one text; give `SECONDS` and more for one that takes too long."""
    lexer = get_lexer_by_name(alias, stripnl=False, ensurenl=False)
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, 2 * SECONDS)
    try:
        for _ in lexer.get_tokens(text):
            pass
    except (TimeoutError, RecursionError):
        return 2 * SECONDS
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - begun


def main() -> None:
    """Print each lexer and sign above the bound, and the count of both."""

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, stop)
    first, last = (int(number) for number in sys.argv[1:] or ("1", "9999"))
    aliases = [names[0] for _, names, _, _ in get_all_lexers() if names][first - 1 : last]
    slow = 0
    for alias, sign in itertools.product(aliases, SIGNS):
        text = within_bounds(sign, code.longest(get_lexer_by_name(alias)))
        # A quarter of the text shows which ones are worth the whole time: they grow with the square at least.
        if seconds(alias, text[: len(text) // 4]) > SECONDS / 64 and (took := seconds(alias, text)) > SECONDS:
            slow += 1
            print(f"{alias} {sign!r} {len(text)} characters: {took:.1f} s", flush=True)
    sys.stdout.write(f"{len(aliases)} lexers, {len(SIGNS)} signs: {slow} above {SECONDS} s\n")


if __name__ == "__main__":
    main()
