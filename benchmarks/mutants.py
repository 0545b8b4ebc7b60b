"""Measure what the tests protect: seeded mutants of the engine, each against the tests that reach its line.

    python benchmarks/mutants.py coverage                 # once: which test reaches which line
    python benchmarks/mutants.py run [--like FILE]        # sample, run, and write `mutants.json`

A mutant is one small change of the source: a comparison turned, a condition negated, a number raised, a call
left out, a value not returned. The sample is drawn by a seed over the rooms below. `--like` takes the mutants
of an earlier `mutants.json`: each is found again by its text and function, wherever the code went, and one
whose code is gone is replaced by a new one. A mutant that no test notices survives.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from coverage import CoverageData

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = PROJECT / "src" / "pressync"
ROOMS = ("plan", "sync", "state", "client")
SEED = 20261123
COUNT = 300
# The nearest tests run first, and a mutant that these do not notice meets the others.
NEAREST = 30
MOST = 400
SECONDS_OF_A_TEST = 60
SECONDS_OF_A_MUTANT = 600

_TURNED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One change of one place of the source, and how it ended: killed, survived, or reached by no test."""

    file: str
    function: str
    line: int
    start: int
    end: int
    kind: str
    before: str
    after: str
    result: str = ""
    by: str = ""


def _spans(node: ast.AST, starts: Sequence[int]) -> tuple[int, int]:
    """Give the first byte of a node and the byte after its last one."""
    first = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
    last = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
    return first, last


class _Sites(ast.NodeVisitor):
    """All places of one module that a mutant may change."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file = file
        self.source = source
        self.found: list[Mutant] = []
        self._functions: list[str] = []
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def _add(self, node: ast.AST, kind: str, start: int, end: int, after: str) -> None:
        self.found.append(
            Mutant(
                file=self.file,
                function=".".join(self._functions),
                line=node.lineno,  # type: ignore[attr-defined]
                start=start,
                end=end,
                kind=kind,
                before=self.source[start:end].decode(),
                after=after,
            )
        )

    def _between(self, left: ast.AST, right: ast.AST) -> tuple[int, int]:
        """Give the place of the operator between two operands."""
        start = _spans(left, self._starts)[1]
        end = _spans(right, self._starts)[0]
        return start, end

    def _operator(self, node: ast.AST, left: ast.AST, right: ast.AST, words: tuple[str, str]) -> None:
        start, end = self._between(left, right)
        gap = self.source[start:end]
        at = gap.find(words[0].encode())
        if at >= 0 and b"#" not in gap:
            self._add(node, words[0], start + at, start + at + len(words[0]), words[1])

    def _negate(self, test: ast.expr) -> None:
        if isinstance(test, ast.Compare | ast.UnaryOp):
            return  # It is turned as what it is.
        start, end = _spans(test, self._starts)
        self._add(test, "condition", start, end, f"not ({self.source[start:end].decode()})")

    def _inside(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        self._functions.append(node.name)
        for statement in node.body:
            self.visit(statement)
        self._functions.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Enter the body alone: an annotation or a default is not behaviour of its own."""
        self._inside(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Enter the methods."""
        self._inside(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Enter the value alone."""
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave out the words of an error."""

    def visit_If(self, node: ast.If) -> None:
        """Negate the condition; what only the type checker reads is left out."""
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Negate the condition."""
        self._negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        """Negate the condition."""
        if not isinstance(node.test, ast.Constant):
            self._negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """Negate each filter."""
        for test in node.ifs:
            self._negate(test)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Turn a comparison of two values."""
        if len(node.ops) == 1:
            text = _WORDS[type(node.ops[0])]
            self._operator(node, node.left, node.comparators[0], (text, _TURNED[type(node.ops[0])]))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Turn the first `and` into `or`, or the other way."""
        words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        self._operator(node, node.values[0], node.values[1], words)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Leave out a `not`."""
        if isinstance(node.op, ast.Not):
            start = _spans(node, self._starts)[0]
            self._add(node, "not", start, start + len("not"), "")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Turn a truth value, and raise a number by one."""
        if not self._functions or not isinstance(node.value, bool | int):
            return
        start, end = _spans(node, self._starts)
        after = str(not node.value) if isinstance(node.value, bool) else str(node.value + 1)
        self._add(node, "constant", start, end, after)

    def visit_Return(self, node: ast.Return) -> None:
        """Give None in place of a value."""
        if node.value is not None and not isinstance(node.value, ast.Constant):
            start, end = _spans(node.value, self._starts)
            self._add(node, "return", start, end, "None")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Leave out a call whose value nobody takes."""
        if isinstance(node.value, ast.Call) and self._functions:
            start, end = _spans(node, self._starts)
            self._add(node, "call", start, end, "pass")
            self.generic_visit(node)


_WORDS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def all_mutants(rooms: Sequence[str]) -> Iterator[Mutant]:
    """Yield each possible mutant of these rooms, in a fixed order."""
    for room in rooms:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            source = path.read_bytes()
            sites = _Sites(str(path.relative_to(PACKAGE)), source)
            sites.visit(ast.parse(source))
            yield from sorted(sites.found, key=lambda mutant: (mutant.start, mutant.kind, mutant.end))


def sample(rooms: Sequence[str], earlier: Sequence[Mutant]) -> list[Mutant]:
    """Draw the mutants to run; those of an earlier sample come first, where their code still is."""
    choice = random.Random(SEED)  # noqa: S311 - a sample, not a secret
    everything = list(all_mutants(rooms))
    if not earlier:
        return choice.sample(everything, COUNT)
    moved = list(all_mutants([""]))
    by_text: dict[tuple[str, str, str, str], list[Mutant]] = {}
    for mutant in moved:
        name = mutant.function.rpartition(".")[2]
        by_text.setdefault((name, mutant.kind, mutant.before, mutant.after), []).append(mutant)
    drawn: list[Mutant] = []
    for old in earlier:
        same = by_text.get((old.function.rpartition(".")[2], old.kind, old.before, old.after), [])
        same.sort(key=lambda mutant, old=old: (mutant.file != old.file, abs(mutant.line - old.line)))  # type: ignore[misc]
        if same and same[0] not in drawn:
            drawn.append(same[0])
    rest = [mutant for mutant in everything if mutant not in drawn]
    return drawn + choice.sample(rest, COUNT - len(drawn))


class _Copy:
    """A copy of the source in which one mutant lives at a time."""

    def __init__(self, folder: Path, reached: dict[str, dict[int, list[str]]]) -> None:
        self._source = folder / "src"
        self._compiled = folder / "compiled"
        self._reached = reached
        self._second = 0
        shutil.copytree(PROJECT / "src", self._source)
        # Tests look for the guide beside the source.
        for beside in ("content", ".github", "README.md"):
            (folder / beside).symlink_to(PROJECT / beside)

    def tests(self, mutant: Mutant) -> list[str]:
        """Give the tests that reach the mutant's line, those of its own room first."""
        reached = self._reached.get(mutant.file, {}).get(mutant.line, [])
        room = f"tests/unit/{mutant.file.rpartition('/')[0]}"
        stem = mutant.file.rpartition("/")[2].removesuffix(".py")
        return sorted(reached, key=lambda test: (stem not in test, not test.startswith(room), test))[:MOST]

    def run(self, mutant: Mutant) -> Mutant:
        """Write the mutant, run its tests, and put the source back."""
        tests = self.tests(mutant)
        if not tests:
            return _ended(mutant, "unreached", "")
        path = self._source / "pressync" / mutant.file
        original = path.read_bytes()
        self._write(path, original[: mutant.start] + mutant.after.encode() + original[mutant.end :])
        try:
            for part in (tests[:NEAREST], tests[NEAREST:]):
                if part and (killer := self._killer(part)):
                    return _ended(mutant, "killed", killer)
        finally:
            self._write(path, original)
        return _ended(mutant, "survived", f"{len(tests)} tests")

    def _write(self, path: Path, source: bytes) -> None:
        """Write a module with a second of its own, by which Python knows its compiled form."""
        path.write_bytes(source)
        self._second += 1
        os.utime(path, (self._second, self._second))

    def _killer(self, tests: Sequence[str]) -> str:
        """Run tests until one fails; give its name, or an empty text."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider"]
        command += ["-o", "addopts=--import-mode=importlib", f"--timeout={SECONDS_OF_A_TEST}", *tests]
        environment = {
            **os.environ,
            "PYTHONPATH": str(self._source),
            "PYTHONPYCACHEPREFIX": str(self._compiled),
        }
        try:
            run = subprocess.run(
                command,
                cwd=PROJECT,
                env=environment,
                capture_output=True,
                text=True,
                timeout=SECONDS_OF_A_MUTANT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "time"
        if run.returncode == 0:
            return ""
        if "ERROR: not found:" in run.stderr:
            raise ValueError(f"the coverage names a test that is not here: {run.stderr}")
        failed = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return failed[0][:200] if failed else f"exit {run.returncode}"


def _ended(mutant: Mutant, result: str, by: str) -> Mutant:
    return Mutant(**{**asdict(mutant), "result": result, "by": by})


def _row(mutant: Mutant) -> dict[str, object]:
    """Give what finds a mutant again, and how it ended."""
    row = asdict(mutant)
    del row["start"], row["end"]
    return row if mutant.result != "killed" else {**row, "by": ""}


def reached_lines(data: Path) -> dict[str, dict[int, list[str]]]:
    """Read which tests reach each line of each module."""
    coverage = CoverageData(str(data))
    coverage.read()
    reached: dict[str, dict[int, list[str]]] = {}
    for file in coverage.measured_files():
        name = file.partition("/src/pressync/")[2]
        reached[name] = {
            # A parameter in the name of a test may have the sign that parts the name from the phase.
            line: sorted({context.rpartition("|")[0] for context in contexts if context})
            for line, contexts in coverage.contexts_by_lineno(file).items()
        }
    return reached


def measure_coverage(data: Path) -> int:
    """Run the ordinary tests once, and keep which test reaches which line."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "--timeout", "600"]
    command += ["--cov", "--cov-context=test", "--cov-report=", "tests/unit", "tests/system"]
    environment = {**os.environ, "COVERAGE_FILE": str(data)}
    return subprocess.run(command, cwd=PROJECT, env=environment, check=False).returncode


def run_mutants(data: Path, like: Path | None, output: Path, workers: int) -> None:
    """Run the sample, print each survivor, and write all of them."""
    rows = json.loads(like.read_text())["mutants"] if like else ()
    earlier = [Mutant(**{"start": 0, "end": 0, **row}) for row in rows]
    mutants = sample(ROOMS, earlier)
    reached = reached_lines(data)
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[_Copy] = SimpleQueue()
        for number in range(workers):
            copies.put(_Copy(Path(folder, str(number)), reached))

        def one(mutant: Mutant) -> Mutant:
            copy = copies.get()
            try:
                ended = copy.run(mutant)
            finally:
                copies.put(copy)
            if ended.result != "killed":
                print(
                    f"{ended.result}: {ended.file}:{ended.line} {ended.before!r} -> {ended.after!r}",
                    flush=True,
                )
            return ended

        with ThreadPoolExecutor(workers) as pool:
            ended = list(pool.map(one, mutants))
    counts = {
        result: sum(one.result == result for one in ended) for result in ("killed", "survived", "unreached")
    }
    # One line each: a reviewer sees in the difference which mutant lives now.
    rows = ",\n".join(json.dumps(_row(mutant)) for mutant in ended)
    head = json.dumps({"seed": SEED, "counts": counts})
    output.write_text(f'{head[:-1]}, "mutants": [\n{rows}\n]}}\n')
    print(counts)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["coverage", "run"])
    parser.add_argument("--data", type=Path, default=PROJECT / ".coverage-of-tests")
    parser.add_argument("--like", type=Path)
    parser.add_argument("--output", type=Path, default=PROJECT / "benchmarks" / "mutants.json")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    if chosen.step == "coverage":
        sys.exit(measure_coverage(chosen.data))
    run_mutants(chosen.data, chosen.like, chosen.output, chosen.workers)


if __name__ == "__main__":
    main()
