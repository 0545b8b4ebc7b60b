"""Tests of formulas: MathML with its TeX, errors with their place, and the same TeX after a pull."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from msgspec import structs

from pressync.config.settings import MarkdownForms
from pressync.content.render.links import Unresolved
from pressync.content.render.renderer import Rendered, Renderer
from pressync.html.pieces import Forms
from pressync.model.errors import Code
from pressync.model.interface import Kind
from pressync.model.records import Document
from pressync.pull.body import merged_body
from pressync.pull.compose import BodyFormat

PAGE = Document("content/pages/a.md", "", Kind.PAGE, {"title": "A"}, "", 5)
BODY = r"""A sum $\sum_{i=1}^n i < 3$, \$5 and \$6, and `$x$`.

$$
\frac{a}{b} -- [x] \text{if "q"}
$$

```math
\begin{align}a&=b\\c&=d\end{align}
```

Two in a line: $$x^2$$ and $y_1$.
"""


def renderer(*, blocks: bool = False, math: bool = True) -> Renderer:
    forms = MarkdownForms(math=math)
    return Renderer({}, templates_folder="", content="content", blocks=blocks, forms=forms)


def rendered(body: str, *, blocks: bool = False, math: bool = True) -> Rendered:
    page = structs.replace(PAGE, body=body)
    return renderer(blocks=blocks, math=math).render(page, resolve=lambda _target: Unresolved.MISSING)


def faults(body: str) -> list[tuple[int, str]]:
    found = rendered(body)
    assert not found.problems or not found.content
    assert all(problem.code is Code.FORMULA and not problem.warning for problem in found.problems)
    return [(problem.line, problem.what) for problem in found.problems]


def test_a_formula_is_mathml_with_its_tex_and_a_block_if_it_stands_alone() -> None:
    assert rendered("So $x^2$.").content == (
        '<p>So <math data-latex="x^2"><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>'
        '<annotation encoding="application/x-tex">x^2</annotation></semantics></math>.</p>\n'
    )
    money = "From $5 to $6, and $x^2$."
    assert rendered(money, math=False).content == f"<p>{money}</p>\n"
    assert "<math" not in rendered("From $5 to $6.").content
    assert rendered("```math\nx\n```\n").content.startswith('<p><math display="block"><semantics>')
    page = rendered("$$\\frac{a}{b} -- c$$", blocks=True).content
    assert page.startswith('<!-- wp:math {"latex":"\\u005cfrac{a}{b} \\u002d\\u002d c"} -->\n')
    assert page.endswith("</math></div>\n<!-- /wp:math -->")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("é <code>${x}-${y}</code>", "é <code>${x}-${y}</code>"),
        ("<code>${a}</code> or <CODE>${b}</CODE>", "<code>${a}</code> or <CODE>${b}</CODE>"),
        ("<kbd>$a$</kbd> <samp class='x'>$$b$$</samp>", "<kbd>$a$</kbd> <samp class='x'>$$b$$</samp>"),
        ("a <pre><code>$a$</code></pre>", "a <pre><code>$a$</code></pre>"),
        ("a <script>$a$</script> <style>$a$</style>", "a <script>$a$</script> <style>$a$</style>"),
        ("a <textarea>$a\nb$</textarea>", "a <textarea>$a\nb$</textarea>"),
        ("costs $5 or <code>$a$</code>", "costs $5 or <code>$a$</code>"),
        ("<code>$`a`$</code>", "<code>$<code>a</code>$</code>"),
        ("> - é <code>$a$</code>", "<code>$a$</code>"),
        ("a | b\n--|--\nx \\| \\| <code>$a$</code> | c", "<code>$a$</code>"),
    ],
)
def test_text_in_raw_code_is_not_a_formula(text: str, shown: str) -> None:
    page = rendered(f"{text}\n\nSo $z$.\n").content
    assert shown in page
    assert page.count("<math") == 1


def test_code_of_markdown_that_names_a_tag_leaves_the_formulas_beside_it() -> None:
    assert rendered("`<code>` $a$ `</code>` and <code>${x}</code> $b$").content.count("<math") == 2


def test_a_formula_in_the_title_of_an_alert_is_one() -> None:
    assert 'alert-title">A <math' in rendered("> [!TIP] A $x$\n> b\n").content


@pytest.mark.sweep
def test_formulas_that_cannot_be_read_or_are_too_many_are_errors() -> None:
    assert faults("a\n\n$\\foo$ b\n\n```math\nx\n\\bar{\n```\n\n$x$ and $\\baz$\n") == [
        (7, 'a formula cannot be read: Unknown command "\\foo"'),
        (11, 'a formula cannot be read: Expected closing token "}", but reached end of input'),
        (14, 'a formula cannot be read: Unknown command "\\baz"'),
    ]
    assert [line for line, _ in faults("It costs $5 and `a$x` more.")] == [5]
    assert [line for line, _ in faults("a $x$\n\n> [!TIP] A $\\foo$\n> b $y$\n\n$\\baz$\n")] == [7, 10]
    # None of those behind the bound is read.
    ((_, too_many),) = faults(("$" + "'" * 4_000 + "x$\n\n") * 60 + "$\\foo$\n")
    assert "8 MiB" in too_many


HOSTILE = (
    *("{" * 4_999, "_{" * 1_600 + "}" * 1_600, r"\hat" * 1_200 + " x", r"\sqrt[" * 800, "x" * 5_001),
    *(r"\def\a{\sqrt\a}\a", r"\begin{matrix}" * 350),
)


@pytest.mark.parametrize("tex", HOSTILE)
def test_a_hostile_formula_is_an_error(tex: str) -> None:
    assert [line for line, _ in faults(f"```math\n{tex}\n```\n")] == [6]


@pytest.mark.parametrize("blocks", [False, True])
def test_a_pull_gives_the_same_tex_back(*, blocks: bool) -> None:
    making = renderer(blocks=blocks)

    def laid_out(body: str) -> str:
        page = structs.replace(PAGE, body=body)
        return making.laid_out(page, resolve=lambda _: Unresolved.MISSING, uploadable=lambda _: False)

    pulled = BodyFormat(laid_out, lambda link: link, Forms(blocks))
    page = rendered(BODY, blocks=blocks).content
    assert merged_body(BODY, page, pulled) == BODY
    edited = page.replace("A sum", "The sum").replace('x-tex">x^2', 'x-tex">x^3')
    assert merged_body(BODY, edited, pulled) == BODY.replace("A sum", "The sum").replace("x^2", "x^3")


def test_sites_that_are_rendered_in_several_threads_leave_the_size_of_stacks_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    size, begun, stack_size = threading.stack_size(), Counter[str](), threading.stack_size
    other = threading.Thread(target=lambda: rendered("$y$"), name="other")
    waits = threading.Event()

    class Turn:
        """The lock, which tells when the other thread waits for it."""

        def __init__(self) -> None:
            self.lock = threading.Lock()

        def __enter__(self) -> None:
            if threading.current_thread() is other:
                waits.set()
            self.lock.acquire()

        def __exit__(self, *_: object) -> None:
            self.lock.release()

    def changed(new: int = 0) -> int:
        before = stack_size(new)
        me = threading.current_thread()
        begun[me.name] += 1
        if me is other:
            waits.set()
        elif begun[me.name] == 1:
            other.start()
            waits.wait()
        return before

    monkeypatch.setattr("pressync.content.render.formulas._ONE_AT_A_TIME", Turn(), raising=False)
    monkeypatch.setattr(threading, "stack_size", changed)
    rendered("$x$")
    other.join()
    monkeypatch.undo()
    assert begun["other"] == 2
    assert threading.stack_size() == size
