"""The sandboxed environment of the templates, which limits the steps and the text of one page.

A template that loops over loops, or calls itself twice, would block a hook or a job for ever. Time differs
between machines, and equal input must give equal bytes, so the environment counts steps. A turn of a loop is
one step; a call and the start of a template are several. An operator or filter takes as many as it reads and
makes. Jinja2 itself takes 0.2 ms and 3 KB for each token of a source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from functools import wraps
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from pressync.model.bounds import MIB

if TYPE_CHECKING:
    from jinja2.lexer import Token, TokenStream
    from jinja2.runtime import Context

# No page needs nearly as many steps. A million turns of a loop take about a second.
MOST_STEPS = 1_000_000
# A text of the page's own is inserted once or twice, and a macro or a block around it counts it again.
MOST_INSERTED, MOST_ADDED = 4, 16 * MIB
# The largest template of real sites has about 2,000 tokens: names, signs, and texts between the tags.
MOST_TOKENS = 20_000
# Python computes all digits of a power and cannot be interrupted, so the result is limited to these bits.
_LARGEST_POWER = 4096

# The cost of a call, and of the start of a template (as by `include`), in turns of a loop.
_CALL = 20
_TEMPLATE_START = 50

_METERED = "pressync_metered"
# This many characters are copied in about the time of one turn of a loop.
CHARACTERS = 64

_DIGITS = re.compile(r"\d+")
_INNER_WIDTH = re.compile(r":[^{}]*\{")
# These make no more than they read, or take the same time for all arguments.
CHEAP = frozenset(
    {"abs", "attr", "count", "d", "default", "first", "float", "int", "items", "last", "length"}
)
# An argument of these is a width, or a number of items to make.
_WIDTHS = frozenset(
    {"batch", "center", "expandtabs", "ljust", "rjust", "round", "slice", "to_bytes", "zfill"}
)


class EndlessError(Exception):
    """A template takes more steps than a page may."""


class Environment(ImmutableSandboxedEnvironment):
    """A sandboxed and strict environment with a limit of steps, for one page at a time."""

    intercepted_binops = frozenset({"**", "*", "+", "%"})

    def __init__(self, load: Callable[[str], tuple[str, str, None] | None]) -> None:
        super().__init__(
            loader=jinja2.FunctionLoader(load),
            extensions=[Bounded, _Counting],
            undefined=jinja2.StrictUndefined,
            autoescape=True,
            auto_reload=False,
            cache_size=-1,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=self.written,
        )
        self.filters: dict[str, Callable[..., Any]] = {
            name: self._metering(name, made) for name, made in dict[str, Any](self.filters).items()
        }
        self.tests = {name: self._metering(name, made) for name, made in dict[str, Any](self.tests).items()}
        self.filters[_METERED] = self.metered
        self._refused: dict[str | None, jinja2.TemplateSyntaxError] = {}
        self.begin(0)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Give the global names of a template, as a plain dictionary.

        Jinja2 copies them for each page, and its own chain of two takes ten times as long.
        """
        return {**self.globals, **(d or {})}

    def begin(self, length: int) -> None:
        """Begin a page whose text has this many characters, with the full number of steps."""
        self._left = MOST_STEPS
        self._room = self._most = MOST_INSERTED * length + MOST_ADDED

    def step(self, steps: int) -> None:
        """Count steps; EndlessError if the page has no steps left."""
        self._left -= steps
        if self._left < 0:
            work = "turns of loops, calls, and the making of texts and lists"
            raise EndlessError(f"it takes more than {MOST_STEPS:,} steps: {work}")

    def write(self, length: int) -> None:
        """Count characters of the page; EndlessError if the page has more than its text allows."""
        self._room -= length
        if self._room < 0:
            raise EndlessError(f"it makes more than {self._most // MIB} MiB of this page")

    def written(self, value: Any) -> Any:  # noqa: ANN401 - any value
        """Count the steps and the characters of a value that is written into the page, and give it back."""
        if isinstance(value, str):
            self.write(len(value))
        return self.metered(value)

    def metered(self, value: Any) -> Any:  # noqa: ANN401 - any value
        """Count the steps of reading a value, and give it back."""
        if isinstance(value, str):
            # Nearly all values of a page are text.
            if len(value) >= CHARACTERS:
                self.step(len(value) // CHARACTERS)
            return value
        for steps in size(value):
            self.step(steps)
        return value

    def call(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - Jinja2's signature
        """Call a function for a template, for example a macro."""
        self.step(_CALL)
        method = getattr(given[1], "__wrapped__", given[1])
        owner, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
        arguments = given[2:]
        if isinstance(owner, str | bytes | int | float):
            # A method of a text or a number makes its whole result at once.
            self.metered((owner, *arguments, *named.values()))
            self.step(made_by_function(name, (owner, *arguments), named))
            return self.metered(super().call(*given, **named))
        if name == "generate_lorem_ipsum":
            self.step(made_by_function("lipsum", ("", 1, *arguments), named))
        return super().call(*given, **named)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401
        """Compute an intercepted operator, unless it is a huge power."""
        if isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > _LARGEST_POWER:
            raise OverflowError(f"a power of more than {_LARGEST_POWER} bits is not computed")
        self.step(made_by_operator(operator, left, right))
        if isinstance(left, int | float) and isinstance(right, int | float):
            return self.metered(super().call_binop(context, operator, left, right))
        self.metered((left, right))
        return super().call_binop(context, operator, left, right)

    def _metering(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Make a filter or test count the steps of what it reads and makes."""
        if name in CHEAP:
            return function
        # Some functions get Jinja2's context or this environment as the first argument.
        skipped = 1 if hasattr(function, "jinja_pass_arg") else 0

        @wraps(function)
        def metering(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - any filter
            read = given[skipped:]
            for value in (*read, *named.values()):
                self.metered(value)
            if len(read) > 1 or named:
                self.step(made_by_function(name, read, named))
            made = function(*given, **named)
            # An iterator costs a step for each item that it yields, and a finished result its own steps.
            return self._each(made) if isinstance(made, Iterator) else self.metered(made)

        return metering

    def _each(self, made: Iterator[Any]) -> Iterator[Any]:
        for value in made:
            self.step(1)
            yield value

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        # Jinja2 would read a source with a mistake again for each page.
        if name in self._refused:
            raise self._refused[name].with_traceback(None)
        try:
            template: nodes.Template = _Metering().visit(super()._parse(source, name, filename))
        except jinja2.TemplateSyntaxError as error:
            if name:
                self._refused[name] = error
            raise
        return template


class _Metering(NodeTransformer):
    """Meters what Jinja2 does not intercept: templates, loops, joined texts, slices, and comparisons."""

    def visit_Template(self, node: nodes.Template) -> nodes.Node:  # noqa: N802 - Jinja2
        self.generic_visit(node)
        node.body.insert(0, _looked_at("begin", node.lineno))
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - Jinja2
        self.generic_visit(node)
        node.body.insert(0, _looked_at("turn", node.lineno))
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - Jinja2
        return _metered(self.generic_visit(node))

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802 - Jinja2
        self.generic_visit(node)
        return _metered(node) if isinstance(node.arg, nodes.Slice) else node

    def visit_Operand(self, node: nodes.Operand) -> nodes.Node:  # noqa: N802 - Jinja2
        self.generic_visit(node)
        if not isinstance(node.expr, nodes.Const):
            node.expr = _metered(node.expr)
        return node

    def visit_Output(self, node: nodes.Output) -> nodes.Node | list[nodes.Node]:  # noqa: N802 - Jinja2
        self.generic_visit(node)
        length = sum(len(part.data) for part in node.nodes if isinstance(part, nodes.TemplateData))
        if length < CHARACTERS:
            return node
        # It is not a constant, because Jinja2 would evaluate a constant when it compiles the template.
        taken = nodes.ExtensionAttribute(_Counting.identifier, "text")
        counted = nodes.Getitem(taken, nodes.Const(length), "load", lineno=node.lineno)
        return [nodes.ExprStmt(counted, lineno=node.lineno), node]


def _metered(node: Any) -> nodes.Filter:  # noqa: ANN401 - the visitor gives any node
    filtered = nodes.Filter(node, _METERED, [], [], None, None, lineno=node.lineno)
    filtered.set_environment(node.environment)
    return filtered


def _looked_at(name: str, line: int) -> nodes.Node:
    # It is not a call, because a call in the sandbox takes ten times as long as a turn.
    return nodes.ExprStmt(nodes.ExtensionAttribute(_Counting.identifier, name), lineno=line)


class Bounded(Extension):
    """Refuses a source with too many tokens before Jinja2 parses it."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Count the tokens on their way to the parser."""
        for number, token in enumerate(stream):
            if number > MOST_TOKENS:
                limit = f"the template has more than {MOST_TOKENS:,} names, signs and texts"
                raise jinja2.TemplateSyntaxError(limit, token.lineno, stream.name, stream.filename)
            yield token


class _Counting(Extension):
    """Counts a step when one of its attributes is read; a template cannot redefine the attribute's name."""

    @property
    def begin(self) -> None:
        self._take(_TEMPLATE_START)

    @property
    def turn(self) -> None:
        self._take(1)

    @property
    def text(self) -> Self:
        """Count the steps of writing a text, when an item (its length) is read."""
        return self

    def __getitem__(self, length: int) -> None:
        self._take(length // CHARACTERS, length)

    def _take(self, steps: int, length: int = 0) -> None:
        if isinstance(self.environment, Environment):
            self.environment.write(length)
            self.environment.step(steps)


# One filter or operator can make gigabytes from a few characters (`'x' * 10**9`, `|center(10**9)`), and
# nothing can stop it on the way. So the size of the result is computed before, from the arguments.
def size(value: object) -> Iterator[int]:
    """Yield the steps of reading a whole value in small parts, so that the caller may stop early."""
    if not isinstance(value, Mapping | list | tuple | set | frozenset):
        yield _own(value) - 1
        return
    pending: list[Iterator[object]] = [iter((value,))]
    while pending:
        for item in pending[-1]:
            yield _own(item)
            if isinstance(item, Mapping):
                pending.append(chain(item.keys(), item.values()))
                break
            if isinstance(item, list | tuple | set | frozenset):
                pending.append(iter(item))
                break
        else:
            pending.pop()


def _own(value: object) -> int:
    if isinstance(value, str | bytes):
        return 1 + len(value) // CHARACTERS
    if isinstance(value, int):
        return 1 + value.bit_length() // CHARACTERS
    return 1 + len(value) if isinstance(value, range) else 1


def made_by_operator(operator: str, left: Any, right: Any) -> int:  # noqa: ANN401 - any value
    """Give the steps of the result that `*` or `%` will make."""
    if operator == "*":
        number, other = (left, right) if isinstance(left, int) else (right, left)
        if isinstance(number, int) and isinstance(other, str | bytes):
            return max(number, 0) * len(other) // CHARACTERS
        if isinstance(number, int) and isinstance(other, Sequence):
            return max(number, 0) * len(other)
    if operator == "%" and isinstance(left, str):
        return _filled(left, right if isinstance(right, tuple) else (right,))
    return 0


def made_by_function(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> int:  # noqa: PLR0911 - a table
    """Give the steps of the result that a filter or method will make of its arguments."""
    value, *rest = given or [""]
    others = [*rest, *named.values()]
    numbers = sum(abs(int(n)) for n in others if isinstance(n, int | float) and n == n)  # noqa: PLR0124 - NaN
    texts = sum(len(text) for text in others if isinstance(text, str))
    length = len(value) if isinstance(value, str | Sequence | Mapping) else 1
    match name:
        case "format" | "format_map":
            return _filled(str(value), others)
        case "indent" | "wordwrap" | "replace" | "join" | "translate" | "xmlattr" | "urlize":
            by_number = numbers if name == "indent" else 0
            return (length + 1) * (texts + by_number) // CHARACTERS
        case "tojson" | "pprint":
            return (length + 1) * numbers
        case "lipsum":
            return numbers * 100
        case "sum":
            # Each addition of a list copies all lists before it.
            lists = value if isinstance(value, list | tuple) else ()
            copied = [len(items) for items in lists if isinstance(items, list | tuple)]
            return length * sum(copied)
        case _ if name in _WIDTHS:
            tabs = value.count("\t") if name == "expandtabs" and isinstance(value, str) else 1
            return tabs * numbers // (1 if name in {"batch", "slice", "round"} else CHARACTERS)
        case _:
            return 0


def _filled(form: str, values: Sequence[Any]) -> int:
    """Give the steps of the longest text that a format string can make."""
    widths = sum(int(digits) if len(digits) < 10 else 10**9 for digits in _DIGITS.findall(form))  # noqa: PLR2004
    if "*" in form or _INNER_WIDTH.search(form):
        widths += sum(abs(number) for number in values if isinstance(number, int))
    return widths // CHARACTERS
