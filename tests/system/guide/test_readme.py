"""README, guide and TERMS agree with the program: commands, options, exit codes, decisions, terms."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
import requests
from click.testing import CliRunner
from tests.support.builders import entry
from tests.support.repository import SampleRepository

from pressync.cli import console
from pressync.cli.main import COMMANDS, INTERRUPTED, pressync
from pressync.cli.options import COMMON
from pressync.cli.report import documents
from pressync.model.changes import Delete, Outcome, Plan, Result
from pressync.model.errors import Code, ConfigError, LockHeld, Problem, ServiceError
from pressync.model.outcomes import KeptManifest, RunResult
from pressync.plan import reasons

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTENT = ROOT / "content"
GUIDE = CONTENT / "pages"
REFERENCE = (GUIDE / "commands.md").read_text(encoding="utf-8")
DECISIONS = (GUIDE / "decisions.md").read_text(encoding="utf-8")

COMMON_NAMES = {name for option in COMMON for name in option.opts}
# All that the interface document calls "not shown": its section, and words that our decision must have.
NOT_SHOWN = (
    ("1", "creating a post"),
    ("1", "reading and listing"),
    ("2.3", "allowed values"),
    ("2.3", "read-only fields"),
    ("2.3", "bounds of length and range"),
    ("3", "statuses and transitions"),
    ("4", "members of `title`, `content` and `excerpt`"),
    ("4", "null"),
    ("4.2", "`id`: any"),
    ("4.6", "required fields, create"),
    ("4.6", "required fields, update"),
    ("4.6", "defaults of omitted fields"),
    ("4.6", "empty values"),
    ("4.6", "effect of `force`"),
    ("4.6", "responses other than 200"),
    ("4.6", "redirects"),
    ("4.6", "dates with offsets"),
    ("5", "authentication"),
    ("6", "events"),
    ("7", "error bodies"),
    ("8", "rate limits"),
    ("8", "size limits"),
    ("9", "versions"),
)


class Clone:
    """A fresh clone of what stands in the working tree, with the program that it holds."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `pressync` there as a process of its own; it must not fail."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PRESSYNC_")}
        return subprocess.run(
            [sys.executable, "-m", "pressync", *arguments],
            cwd=self.root,
            env={**kept, "PYTHONPATH": str(self.root / "src")},
            capture_output=True,
            text=True,
            check=True,
        )


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    return _fresh(tmp_path_factory.mktemp("clone"))


def _fresh(folder: Path) -> Clone:
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    )
    repository = SampleRepository.create(folder)
    for name in filter(None, listed.stdout.split("\0")):
        source, target = ROOT / name, repository.root / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    repository.commit(message="The working tree")
    return Clone(repository.root)


@pytest.fixture(scope="module")
def first_minute(clone: Clone) -> Iterator[list[str]]:
    """Run the README's first command, but for its installation, and give what each part printed."""
    said = []
    try:
        for arguments in _pressync_parts(_shell_line("pressync serve")):
            # The port that people get may be taken where tests run.
            port = ["--port", "0"] if arguments[0] == "serve" else []
            said.append(clone.run(*arguments, *port).stdout)
        yield said
    finally:
        clone.run("serve", "--stop")


def test_the_first_command_serves_the_sample_site_and_says_where(first_minute: list[str]) -> None:
    address = re.search(r"Look at it: (http://\S+)", first_minute[-1])
    assert address is not None
    text = requests.get(address[1], timeout=30).text
    assert "<title>pressync</title>" in text
    assert "The terms" in text
    assert "What a plan is" in text


def test_the_sample_site_has_a_blog_with_pictures_and_categories(first_minute: list[str]) -> None:
    site = first_minute[-1].split("Look at it: ")[1].strip()
    blog = requests.get(f"{site}blog/", timeout=30).text
    assert blog.count('class="entry"') == len(list((CONTENT / "posts").glob("*.md")))
    pictures = set(re.findall(r'<img [^>]*src="/([^"]+)"', blog))
    assert pictures
    for each in pictures:
        assert requests.get(site + each, timeout=30).headers["content-type"] == "image/png"
    for each in ("category/safety/", "tag/journal/", "2025/09/", "feed/"):
        assert "Nothing is made twice" in requests.get(f"{site}{each}", timeout=30).text


@pytest.mark.sweep
def test_the_sample_site_is_whole_after_the_first_sync(clone: Clone, first_minute: list[str]) -> None:
    assert "blocked" not in first_minute[-1]
    records = json.loads(clone.run("status", "--format", "json").stdout)["records"]
    written = {path.relative_to(ROOT).as_posix() for path in CONTENT.rglob("*.md")}
    assert {record["path"] for record in records if record["state"] == "in_step"} == written


@pytest.mark.usefixtures("first_minute")
def test_a_second_sync_of_the_sample_site_sends_nothing(clone: Clone) -> None:
    assert clone.run("sync", "--yes").stdout.startswith("Nothing to do")
    # JSON is never answered from memory: the whole plan is drawn again.
    counts = json.loads(clone.run("sync", "--yes", "--format", "json").stdout)["counts"]
    assert counts.pop("kept") == len(list(CONTENT.rglob("*.md")))
    assert set(counts.values()) == {0}


@pytest.mark.usefixtures("first_minute")
def test_every_link_of_the_sample_site_leads_somewhere(clone: Clone) -> None:
    assert "0 problems, 0 warnings" in clone.run("check", "--strict").stdout


@pytest.mark.sweep
@pytest.mark.timeout(600)
def test_the_first_steps_are_as_written_from_a_clone_to_a_conflict_and_its_end(tmp_path: Path) -> None:
    """Run every line of the guide in order; only the address and the installation are the machine's."""
    text = (GUIDE / "first-steps.md").read_text(encoding="utf-8")
    part = text.partition("## See it work")[2].partition("\n## ")[0]
    install, activate, serve, sync, *lines = re.findall(r"^\$ (.+)$", part, re.MULTILINE)
    assert (".venv" in install, ".venv" in activate) == (True, True)
    clone = _fresh(tmp_path / "clone")
    program = tmp_path / "bin" / "pressync"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m pressync "$@"\n')
    program.chmod(0o755)
    clone.run(*shlex.split(serve)[1:], "--port", "0")
    try:
        site = clone.run(*shlex.split(sync)[1:]).stdout.split("Look at it: ")[1].strip().rstrip("/")
        (post,) = re.findall(r"^```markdown\n(.*?)^```", part, re.MULTILINE | re.DOTALL)
        (clone.root / "content/posts/hello.md").write_text(post, encoding="utf-8")
        script = "\n".join(f"{line}\nprintf '\\nexit %s\\n' $?" for line in lines)
        said = subprocess.run(
            ["bash", "-c", script.replace("http://127.0.0.1:8127", site)],
            cwd=clone.root,
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith("PRESSYNC_")},
                "PYTHONPATH": str(clone.root / "src"),
                "PATH": f"{program.parent}:{os.environ['PATH']}",
            },
            capture_output=True,
            text=True,
            check=True,
        )
    finally:
        clone.run("serve", "--stop")
    ends = re.findall(r"^exit (\d+)$", said.stdout, re.MULTILINE)
    failed = [line for line, end in zip(lines, ends, strict=True) if end != "0"]
    assert failed == ["pressync sync --yes"], said.stdout + said.stderr
    for words in (
        "moved from content/posts/hello.md",
        "/blog/hello/,",
        "content changed on the site since the last sync",
        "+We are open from 10 to 4.",
        "1 to delete",
    ):
        assert words in said.stdout
    shown = ["git", "-C", str(clone.root), "show", "HEAD~1:content/posts/opening-hours.md"]
    merged = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
    assert "from 10 to 4" in merged
    assert "coffee" in merged


def test_the_second_command_installs_what_is_locked_and_runs_the_tests() -> None:
    line = _shell_line("pytest")
    # If a package of a command has a hash, pip refuses each one without, such as `-e .`.
    assert "-r requirements-dev.txt && .venv/bin/pip install -q --no-deps --no-build-isolation -e ." in line
    assert line.endswith(".venv/bin/pytest -q -n 2")
    locked = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    rows = re.findall(
        r"^(\S+)==\S+(?: ;.*)? \\\n((?: +--hash=sha256:[0-9a-f]{64}.*\n)+)", locked, re.MULTILINE
    )
    assert len(rows) == len(re.findall(r"^\w", locked, re.MULTILINE))
    assert {"pytest", "pytest-xdist", "hatchling"} <= {name for name, _ in rows}
    assert "://" not in locked


def test_the_readme_is_a_page_long_and_every_page_of_the_guide_is_in_its_index() -> None:
    assert len(README.splitlines()) <= 80
    linked = set(re.findall(r"\]\(([^)#:]+\.md)", (GUIDE / "index.md").read_text(encoding="utf-8")))
    assert {path.relative_to(GUIDE).as_posix() for path in GUIDE.rglob("*.md")} - linked == {"index.md"}


def test_each_column_of_a_table_of_the_guide_has_a_head() -> None:
    """A reader who does not see a table hears the head of a column with each cell."""
    heads = re.compile(r"^\|(.*)\|\n\|[-:| ]+\|$", re.MULTILINE)
    texts = {file.name: file.read_text(encoding="utf-8") for file in GUIDE.rglob("*.md")}
    found = {name: head for name, text in texts.items() for head in heads.findall(text)}
    assert {name: head for name, head in found.items() if not all(map(str.strip, head.split("|")))} == {}


def test_the_pages_of_the_guide_have_an_order_of_their_own() -> None:
    orders = [
        re.search(r"^weight: (\d+)$", path.read_text("utf-8"), re.MULTILINE) for path in GUIDE.glob("*.md")
    ]
    weights = [int(order[1]) for order in orders if order is not None]
    assert len(set(weights)) == len(weights) == len(orders)


def test_the_reference_has_a_section_for_every_command_and_no_other() -> None:
    assert list(_sections()) == ["Options of every command", *COMMANDS]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_described_and_every_option_described_exists(name: str) -> None:
    assert _options_in(_sections()[name]) == _options_of(_command(name))


def test_every_option_of_every_command_is_described() -> None:
    described = _options_in(_sections()["Options of every command"])
    assert described == COMMON_NAMES | _options_of(pressync) | {"-h", "--help"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_every_option_has_help(name: str) -> None:
    command = _command(name)
    for each in (command, *(command.commands.values() if isinstance(command, click.Group) else ())):
        assert each.help
        shown = (option for option in each.params if isinstance(option, click.Option) and not option.hidden)
        assert all(option.help for option in shown)


@pytest.mark.parametrize("group", [[], ["manifest"], ["hook"]])
def test_a_list_of_commands_cuts_no_sentence_off(group: list[str]) -> None:
    usage, _, rest = CliRunner().invoke(pressync, [*group, "--help"]).stdout.partition("\n")
    assert usage.endswith("COMMAND [ARGS]...")
    assert "..." not in rest


def test_options_that_the_guide_mentions_anywhere_exist() -> None:
    known = {option for name in COMMANDS for option in _options_of(_command(name))} | COMMON_NAMES
    texts = [README, *(path.read_text(encoding="utf-8") for path in GUIDE.rglob("*.md"))]
    said = {
        found
        for text in texts
        for found in re.findall(r"`(?:pressync |sync |plan |serve )?(--[a-z][a-z-]+)", text)
    }
    assert said <= known | _options_of(pressync) | {"--help"}


def test_the_exit_codes_are_the_programs() -> None:
    codes = {
        console.DONE,
        console.FAILED,
        console.WRONG,
        console.PENDING,
        console.REFUSED,
        console.UNCONFIRMED,
    }
    codes.add(INTERRUPTED)
    assert {ServiceError.exit_code, ConfigError.exit_code, LockHeld.exit_code} <= codes
    text = (GUIDE / "exit-codes-and-json.md").read_text(encoding="utf-8")
    table = re.search(r"^\| Code \|.*?\n\n", text, re.MULTILINE | re.DOTALL)
    assert table is not None
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", table[0], re.MULTILINE)} == codes


def test_the_codes_of_problems_in_the_guide_are_the_programs() -> None:
    text = (GUIDE / "commands.md").read_text(encoding="utf-8")
    table = re.search(r"^\| Code \| What it means \|.*?\n\n", text, re.MULTILINE | re.DOTALL)
    assert table is not None
    named = re.findall(r"(?:^\| |, )`([a-z-]+)`(?=,| \|)", table[0], re.MULTILINE)
    assert {Code.DEAD_ANCHOR, Code.PASSED_OVER, Code.MDX} <= set(named) <= set(Code)


def test_the_json_documents_have_the_keys_that_the_guide_shows() -> None:
    record = entry("content/pages/about.md", 12)
    why = reasons.differences(["content"], (), ())
    change = Delete(record.path, record.kind, record.id, why, record)
    drawn = Plan("production", "", "", (change,), (Problem(record.path, 9, "wrong", code=Code.VALUE),))
    result = RunResult(
        drawn, (Outcome(change, Result.DONE, entry=record),), manifest=KeptManifest("m.json", committed=True)
    )
    made = {"plan": documents.plan(drawn), "sync": documents.run(result)}
    text = (GUIDE / "exit-codes-and-json.md").read_text(encoding="utf-8")
    shown = re.findall(r"^### `(\w+) --format json`\n\n```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert {name: _keys(json.loads(example)) for name, example in shown} == {
        name: _keys(json.loads(document)) for name, document in made.items()
    }


@pytest.mark.parametrize(("section", "topic"), NOT_SHOWN)
def test_what_the_interface_does_not_show_is_decided_in_the_guide(section: str, topic: str) -> None:
    rows = [row for row in _decisions() if row[0] == section and topic in row[1]]
    assert len(rows) == 1
    assert all(rows[0])


def test_the_glossary_has_no_more_terms_than_people_read() -> None:
    glossary = (ROOT / ".github/TERMS.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\| (?!Term )(.+?) \|", glossary, re.MULTILINE)
    assert 0 < len(terms) <= 31
    assert {"stage", "stamp", "evidence", "basis", "layout", "blocks"} <= {*terms}


def test_the_guide_uses_the_terms_of_the_glossary_in_place_of_older_words() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *GUIDE.rglob("*.md"))}
    prose = {path: re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL) for path, text in texts.items()}
    assert [path for path, text in prose.items() if re.search(r"\bin (?:step|create)\b|\bbent\b", text)] == []


def test_no_sentence_of_the_guide_begins_with_a_relative_or_denies_with_a_noun() -> None:
    habits = re.compile(
        r"(?:^|[.!?:] +)(?:What|Who|Whoever|What's)\b[^?\n]*$|\b(?:is|are|was) no [a-z]+[.,;]", re.MULTILINE
    )
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *GUIDE.rglob("*.md"))}
    prose = {
        path: re.sub(r"^---.*?^---|```.*?```|`[^`]*`", "", text, flags=re.DOTALL | re.MULTILINE)
        for path, text in texts.items()
    }
    assert {path.name: found for path, text in prose.items() if (found := habits.findall(text))} == {}


def test_every_document_and_every_section_that_the_readme_links_to_is_there() -> None:
    linked = re.findall(r"\]\((?!https?:)([^)#]+)(?:#([^)]+))?\)", README)
    assert linked
    assert [name for name, _ in linked if not (ROOT / name).is_file()] == []
    for name, section in linked:
        titles = re.findall(r"^#+ (.+)$", (ROOT / name).read_text("utf-8"), re.MULTILINE) if section else []
        assert not section or section in {
            re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles
        }


def _shell_line(word: str) -> str:
    lines: list[str] = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
    ]
    found = [line for line in lines if word in line]
    assert len(found) == 1
    return found[0]


def _pressync_parts(line: str) -> list[list[str]]:
    """Take the calls of pressync out of a line of commands joined by `&&`."""
    parts = [shlex.split(part) for part in line.split("&&")]
    return [part[1:] for part in parts if part[0].endswith("/pressync")]


def _sections() -> dict[str, str]:
    found = re.split(r"^## (.+)$", REFERENCE, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def _options_in(section: str) -> set[str]:
    rows = re.findall(r"^\| (`-[^|]*) \|", section, re.MULTILINE)
    return {option for row in rows for option in re.findall(r"`(--?[A-Za-z-]+)", row)}


def _command(name: str) -> click.Command:
    found: click.Command | None = pressync.get_command(click.Context(pressync), name)
    assert found is not None
    return found


def _options_of(command: click.Command) -> set[str]:
    """Name the options of a command, and of those below it; not those of every command."""
    below = command.commands.values() if isinstance(command, click.Group) else ()
    options = (each for each in command.params if isinstance(each, click.Option) and not each.hidden)
    own = {name for option in options for name in (*option.opts, *option.secondary_opts)}
    return own.union(*(_options_of(inner) for inner in below))


def _keys(document: object) -> object:
    """Give the keys of a JSON document, in their order, with those of what is inside."""
    if isinstance(document, dict):
        return [(key, _keys(value)) for key, value in document.items()]
    # A list of texts has no keys, however many there are.
    return _keys(document[0]) if isinstance(document, list) and document else None


def _decisions() -> list[list[str]]:
    rows = re.findall(r"^\| (\d[\d.]*) \| (.*) \|$", DECISIONS, re.MULTILINE)
    table = [[section, *rest.split(" | ")] for section, rest in rows]
    return [row for row in table if len(row) == 4]
