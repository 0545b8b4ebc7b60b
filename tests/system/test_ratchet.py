"""The way of one changed title is short, a statement has few ideas, and a room does not grow for nothing."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.support.embedded_wordpress import ENVIRON, serving

import pressync

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

# The most modules and named functions that a command runs, if one page of a synced site has a new title.
MOST = {"plan": (78, 616), "sync": (115, 1055), "nothing to do": (7, 50)}
# One job compares its response once. It enters each of these modules at most so often.
MOST_ENTRIES = 3
STEPS = {f"pressync.sync.{name}" for name in ("delivery", "echo", "field_comparison", "jobs")}

# Names the named functions that a command runs, in any of its threads, and how often the job of a change
# enters each module. The body of a module or of a class is not optimised code, and an import runs it.
_TRACE = """
import json, sys, threading
from collections import Counter
from inspect import CO_OPTIMIZED as OPTIMISED
ran, entered = set(), Counter()
def module_of(frame):
    return frame.f_globals.get("__name__", "")
def see(frame, event, _argument):
    code, module = frame.f_code, module_of(frame)
    if event != "call" or not code.co_flags & OPTIMISED or "<" in code.co_name[0] + code.co_filename[0]:
        return
    if module.split(".")[0] != "pressync":
        return
    ran.add((module, code.co_qualname))
    above = []
    while frame := frame.f_back:
        if module_of(frame).split(".")[0] == "pressync":
            above.append(frame)
    if above and module_of(above[0]) != module:
        entered[module] += any(each.f_code.co_qualname == "Delivery.deliver" for each in above)
threading.setprofile(see)
sys.setprofile(see)
from pressync.cli.main import pressync
try:
    pressync(sys.argv[1:], prog_name="pressync")
except SystemExit as end:
    assert not end.code, end.code
finally:
    sys.setprofile(None)
print("\\n" + json.dumps([sorted(ran), entered]))
"""
PAGE = "content/pages/guide/install.md"


class Traced(NamedTuple):
    """The functions that a command has run, with their modules, and the entries of the job by module."""

    functions: list[tuple[str, str]]
    entries: dict[str, int]

    @property
    def modules(self) -> list[str]:
        """The modules of these functions."""
        return sorted({module for module, _ in self.functions})


def traced(root: Path, url: str, *arguments: str) -> Traced:
    """Run a command in a process of its own, and trace it."""
    done = subprocess.run(
        [sys.executable, "-c", _TRACE, *arguments],
        cwd=root,
        env={**os.environ, **ENVIRON, "PRESSYNC_URL": url},
        capture_output=True,
        text=True,
        check=True,
    )
    return Traced(*json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    with serving() as service:
        yield service


@pytest.mark.sweep
def test_one_changed_title_runs_through_few_modules_and_functions(
    repository: SampleRepository, wordpress: EmbeddedWordPress
) -> None:
    repository.commit(
        {"content/pages/guide.md": "# Guide\n", PAGE: "# Install\n", "content/posts/a.md": "# A\n"}
    )
    traced(repository.root, wordpress.url, "sync", "--yes")
    repository.commit({PAGE: "# How to install\n"})
    ran = {
        "plan": traced(repository.root, wordpress.url, "plan"),
        "sync": traced(repository.root, wordpress.url, "sync", "--yes"),
        "nothing to do": traced(repository.root, wordpress.url, "sync", "--yes"),
    }
    counts = {run: (len(each.modules), len(each.functions)) for run, each in ran.items()}
    told = "\n".join(f"{run}: {' '.join(each.modules)}" for run, each in ran.items())
    assert all(found <= most for run in MOST for found, most in zip(counts[run], MOST[run], strict=True)), (
        f"{counts}\n{told}"
    )
    entries = {module: ran["sync"].entries.get(module, 0) for module in STEPS}
    assert all(0 < times <= MOST_ENTRIES for times in entries.values()), entries


SOURCE = Path(pressync.__file__).parent
# The largest share of the statements with more than two of these. A statement inside of another one has its
# own.
MOST_DENSE = 0.0018
IDEAS = (ast.IfExp, ast.NamedExpr, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def ideas(node: ast.AST) -> int:
    """Count the ideas in a statement, without those of the statements inside of it."""
    inner = (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))
    of_others = (ast.excepthandler, ast.match_case)
    return sum(isinstance(child, IDEAS) + ideas(child) for child in inner if not isinstance(child, of_others))


@pytest.mark.sweep
def test_few_statements_have_more_than_two_ideas() -> None:
    dense, every = [], 0
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.stmt):
                every += 1
                dense += [f"{file.relative_to(SOURCE)}:{node.lineno}"] * (ideas(node) > 2)
    assert len(dense) / every <= MOST_DENSE, "\n".join(dense)


@pytest.mark.sweep
def test_a_choice_has_no_choice_inside() -> None:
    nested = [
        f"{file.relative_to(SOURCE)}:{node.lineno}"
        for file in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.IfExp) and any(isinstance(n, ast.IfExp) for n in ast.iter_child_nodes(node))
    ]
    assert not nested


RATCHET = Path(__file__).parents[2] / ".ci/ratchet"


def compared(repository: SampleRepository) -> tuple[int, str]:
    """Compare a branch with the one from which it began."""
    done = subprocess.run(
        [sys.executable, RATCHET, "main"],
        cwd=repository.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.skipif(not RATCHET.is_file(), reason="not in a clone")
def test_a_room_that_grew_by_more_than_one_per_cent_wants_a_reason(repository: SampleRepository) -> None:
    sync, plan = "src/pressync/sync/run.py", "src/pressync/plan/build.py"
    repository.commit({sync: "a\n" * 200, plan: "a\n" * 200})
    repository.git("checkout", "--quiet", "-b", "branch")
    repository.commit({sync: "a\n" * 202, plan: "a\n" * 150})
    assert compared(repository) == (0, "")
    repository.commit({sync: "a\n" * 203})
    todo = "Make them smaller, or end the message of a commit with `Grows: sync (WHY)`.\n"
    assert compared(repository) == (1, f"sync: 200 -> 203 lines; no commit says why\n{todo}")
    repository.commit({plan: "a\n" * 300}, "Ask twice\n\nGrows: sync, plan (each is asked twice)")
    assert compared(repository) == (0, "plan: 200 -> 300 lines\nsync: 200 -> 203 lines\n")
