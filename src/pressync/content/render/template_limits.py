"""The environment of the templates: sandboxed, and with an end to the steps that one page may take.

It must not know documents or which templates there are. What decided its shape: a template that loops over
loops, or calls itself twice, would hang a hook or a job for ever. Time differs from machine to machine, and
equal input must give equal bytes, so what is counted is steps: a turn of a loop is one, a call and a template
that is begun are several. An operator or filter takes as many as `operation_cost` says of what it reads and
makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.lexer import Token
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from pressync.content.render import operation_cost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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

_WEIGHED = "pressync_weighed"
_TURN, _BEGIN = "pressync_turn", "pressync_begin"


class EndlessError(Exception):
    """A template took more steps than a page may; the message says so."""


class Environment(ImmutableSandboxedEnvironment):
    """Sandboxed, strict and bounded. For one page at a time."""

    intercepted_binops = frozenset({"**", "*", "+", "%"})

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
            finalize=self.weighed,
        )
        self.filters: dict[str, Callable[..., Any]] = {
            name: self._weighing(name, each) for name, each in dict[str, Any](self.filters).items()
        }
        self.tests = {name: self._weighing(name, each) for name, each in dict[str, Any](self.tests).items()}
        self.filters[_WEIGHED] = self.weighed
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
            what = "turns of loops, calls, and texts and lists that are made"
            raise EndlessError(f"it takes more than {MOST_STEPS:,} steps: {what}")

    def weighed(self, value: Any) -> Any:  # noqa: ANN401 - whatever a template has
        """Take the steps of reading a value, and give it back."""
        if isinstance(value, str):
            # Nearly everything that a page is made of.
            if len(value) >= operation_cost.CHARACTERS:
                self.step(len(value) // operation_cost.CHARACTERS)
            return value
        for steps in operation_cost.size(value):
            self.step(steps)
        return value

    def call(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - Jinja2's signature
        """Call what a template calls, a macro for instance."""
        self.step(_CALL)
        method = getattr(given[1], "__wrapped__", given[1])
        owner, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
        arguments = given[2:]
        if isinstance(owner, str | bytes | int | float):
            # A method of a text or a number: what it makes, it makes at once.
            self.weighed((owner, *arguments, *named.values()))
            self.step(operation_cost.made_by_function(name, (owner, *arguments), named))
            return self.weighed(super().call(*given, **named))
        if name == "generate_lorem_ipsum":
            self.step(operation_cost.made_by_function("lipsum", ("", 1, *arguments), named))
        return super().call(*given, **named)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401
        """Compute a power, the one operator that is intercepted, unless it is a huge one."""
        if isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > _LARGEST_POWER:
            raise OverflowError(f"a power of more than {_LARGEST_POWER} bits is not computed")
        self.step(operation_cost.made_by_operator(operator, left, right))
        if isinstance(left, int | float) and isinstance(right, int | float):
            return self.weighed(super().call_binop(context, operator, left, right))
        self.weighed((left, right))
        return super().call_binop(context, operator, left, right)

    def _weighing(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Make a filter or test take the steps of what it reads and makes."""
        if name in operation_cost.CHEAP:
            return function
        # Jinja2 hands its context, or this environment, to some as the first argument.
        skipped = 1 if hasattr(function, "jinja_pass_arg") else 0

        @wraps(function)
        def weighing(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - any filter
            read = given[skipped:]
            for value in (*read, *named.values()):
                self.weighed(value)
            if len(read) > 1 or named:
                self.step(operation_cost.made_by_function(name, read, named))
            return self._counted(function(*given, **named))

        return weighing

    def _counted(self, made: Any) -> Any:  # noqa: ANN401 - any filter's result
        """Take a step for each of what a filter goes on to make, or those of what it has made."""
        return self._each(made) if isinstance(made, Iterator) else self.weighed(made)

    def _each(self, made: Iterator[Any]) -> Iterator[Any]:
        for value in made:
            self.step(1)
            yield value

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        template: nodes.Template = _Weighing().visit(super()._parse(source, name, filename))
        return template


class _Weighing(NodeTransformer):
    """Lets be weighed what no operator that Jinja2 intercepts makes: joined texts, parts, and comparisons."""

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - Jinja2
        return _weighed(self.generic_visit(node))

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802 - Jinja2
        return (
            _weighed(self.generic_visit(node))
            if isinstance(node.arg, nodes.Slice)
            else self.generic_visit(node)
        )

    def visit_Operand(self, node: nodes.Operand) -> nodes.Node:  # noqa: N802 - Jinja2
        self.generic_visit(node)
        if not isinstance(node.expr, nodes.Const):
            node.expr = _weighed(node.expr)
        return node

    def visit_Output(self, node: nodes.Output) -> nodes.Node | list[nodes.Node]:  # noqa: N802 - Jinja2
        self.generic_visit(node)
        length = sum(len(each.data) for each in node.nodes if isinstance(each, nodes.TemplateData))
        if length < operation_cost.CHARACTERS:
            return node
        # Not a constant: that is weighed when the template is compiled.
        taken = nodes.ExtensionAttribute(_Counting.identifier, "text")
        counted = nodes.Getitem(taken, nodes.Const(length), "load", lineno=node.lineno)
        return [nodes.ExprStmt(counted, lineno=node.lineno), node]


def _weighed(node: Any) -> nodes.Filter:  # noqa: ANN401 - the visitor gives any node
    filtered = nodes.Filter(node, _WEIGHED, [], [], None, None, lineno=node.lineno)
    filtered.set_environment(node.environment)
    return filtered


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

    @property
    def text(self) -> _Text:
        """Being asked for the text of a length, take the steps of writing it."""
        return _Text(self._take)

    def _take(self, steps: int) -> None:
        if isinstance(self.environment, Environment):
            self.environment.step(steps)


class _Text:
    def __init__(self, take: Callable[[int], None]) -> None:
        self._take = take

    def __getitem__(self, length: int) -> None:
        self._take(length // operation_cost.CHARACTERS)


def _tag(name: str, line: int) -> Iterable[Token]:
    return (Token(line, "block_begin", "{%"), Token(line, "name", name), Token(line, "block_end", "%}"))
