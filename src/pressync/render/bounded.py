"""The environment of the templates: sandboxed, and with an end to the steps that one page may take.

It must not know documents or which templates there are. What decided its shape: a template that loops over
loops, or calls itself twice, would hang a hook or a job for ever. Time differs from machine to machine, and
equal input must give equal bytes, so what is counted is steps: a turn of a loop is one, a call and a template
that is begun are several.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.lexer import Token
from jinja2.sandbox import ImmutableSandboxedEnvironment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from jinja2.lexer import TokenStream
    from jinja2.parser import Parser
    from jinja2.runtime import Context

# Far more than one page's front matter can give reason for; a million turns take about a second.
MOST_STEPS = 1_000_000
# Python computes a power to its last digit, and nothing can stop it on the way: so many bits are enough.
_LARGEST_POWER = 4096

# What takes about as long as so many turns of a loop: a call; a template that is begun, as `include` does it.
_CALL = 20
_BEGINNING = 50

_TURN, _BEGIN = "pressync_turn", "pressync_begin"


class EndlessError(Exception):
    """A template took more steps than a page may; the message says so."""


class Environment(ImmutableSandboxedEnvironment):
    """Sandboxed, strict and bounded. For one page at a time."""

    intercepted_binops = frozenset({"**"})

    def __init__(self, load: Callable[[str], tuple[str, str, None] | None]) -> None:
        super().__init__(
            loader=jinja2.FunctionLoader(load),
            extensions=[_Counting],
            undefined=jinja2.StrictUndefined,
            autoescape=True,
            auto_reload=False,
            cache_size=-1,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._left = MOST_STEPS

    def begin(self) -> None:
        """Begin a page: it may take all the steps that there are."""
        self._left = MOST_STEPS

    def step(self, steps: int) -> None:
        """Take so many steps.

        :raises EndlessError: there are none left.
        """
        self._left -= steps
        if self._left < 0:
            raise EndlessError(f"it takes more than {MOST_STEPS:,} steps: turns of loops, and calls")

    def call(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - Jinja2's signature
        """Call what a template calls, a macro for instance."""
        self.step(_CALL)
        return super().call(*given, **named)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401
        """Compute a power, the one operator that is intercepted, unless it is a huge one."""
        if isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > _LARGEST_POWER:
            raise OverflowError(f"a power of more than {_LARGEST_POWER} bits is not computed")
        return super().call_binop(context, operator, left, right)


class _Counting(Extension):
    """Puts a step at the head of each template and of the body of each loop.

    It is a tag in the stream of tokens: what that becomes has no name that a template could take.
    """

    tags = {_TURN, _BEGIN}  # noqa: RUF012 - Jinja2's type

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        yield from _tag(_BEGIN, 1)
        begun = looping = False
        for token in stream:
            yield token
            if begun:
                looping = token.value == "for"
            begun = token.type == "block_begin"
            if looping and token.type == "block_end":
                looping = False
                yield from _tag(_TURN, token.lineno)

    def parse(self, parser: Parser) -> nodes.Node:
        tag = next(parser.stream)
        # Not a call: in the sandbox that alone takes ten times as long as a turn.
        looked_at = nodes.ExtensionAttribute(self.identifier, "begin" if tag.value == _BEGIN else "turn")
        return nodes.ExprStmt(looked_at, lineno=tag.lineno)

    @property
    def begin(self) -> None:
        """Being looked at, take the steps of a template that is begun."""
        self._take(_BEGINNING)

    @property
    def turn(self) -> None:
        """Being looked at, take the step of a turn of a loop."""
        self._take(1)

    def _take(self, steps: int) -> None:
        if isinstance(self.environment, Environment):
            self.environment.step(steps)


def _tag(name: str, line: int) -> Iterable[Token]:
    return (Token(line, "block_begin", "{%"), Token(line, "name", name), Token(line, "block_end", "%}"))
