"""A program plans, syncs and checks with `import pressync`, as the page of the guide says."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
import pytest
from tests.support import guide_pages
from tests.support.kinds import TYPES
from tests.support.repository import SampleRepository
from tests.system.typed_by_schema.test_two_sites import FIRST, OTHER, SECOND

import pressync
from pressync import Credentials, Outcome, Problem, Record, Result, open_site
from pressync.app.arguments import MOST_CONNECTIONS
from pressync.cli.commands import sync
from pressync.content.render import markdown
from pressync.model.errors import ConfigError, ContentError, SafetyRefusal
from pressync.model.site_schema import site_types
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.arguments import PathNames
    from pressync.model.interface import SiteTypes
    from pressync.stage.server.server import RunningService

ABOUT = "content/pages/about.md"
SETTINGS = '[sites.default]\nurl = "https://example.org/wp-json"\ndialect = "wordpress"\n'
ACCOUNT = Credentials(user="anna", password="open sesame")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with running(tmp_path / "site.db", dialect="wordpress") as service:
        yield service


@pytest.fixture
def root(tmp_path: Path) -> Path:
    repository = SampleRepository.create(tmp_path / "repository")
    repository.commit({"pressync.toml": SETTINGS, ABOUT: "# About us\n\nWe *bake*.\n"})
    return repository.root


def opened(root: Path, service: RunningService) -> pressync.Site:
    return open_site(root, url=service.url, credentials=ACCOUNT)


def test_the_examples_of_the_page_run_in_order(
    root: Path,
    service: RunningService,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(root)
    names: dict[str, object] = {}
    blocks = [block.text for block in guide_pages.blocks("python.md") if block.language == "python"]
    for text in blocks:
        text_ = text.replace("https://example.org/wp-json", service.url).replace(
            '"staging", "production"', "None,"
        )
        exec(text_.replace("site=name", f"site=name, url={service.url!r}"), names)  # noqa: S102 - our own page
    shown = capsys.readouterr().out
    assert f"create {ABOUT}\n{ABOUT} done" in shown
    assert re.search(rf"^{ABOUT} \d+ http\S+/about/ in_step$", shown, re.MULTILINE)
    assert "<em>bake</em>" in shown
    assert "\n2 " in shown
    assert shown.endswith("None 0\n")
    assert names.keys() >= {"plan", "record", "counted"}


def test_a_program_hears_values_and_nothing_is_printed(
    root: Path, service: RunningService, capfd: pytest.CaptureFixture[str]
) -> None:
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    heard: list[Outcome] = []
    with opened(root, service) as site:
        (before,) = site.status()
        assert (before.kind, before.id, before.state, before.title) == ("page", None, "new", "About us")
        outcomes = site.sync(on_outcome=heard.append)
        assert [outcome.result for outcome in outcomes] == [Result.DONE]
        assert heard == list(outcomes)
        (after,) = site.status([ABOUT])
        assert isinstance(after, Record)
        assert (after.id, after.state) == (outcomes[0].entry and outcomes[0].entry.id, "in_step")
        assert site.plan(drift=True).pending == ()
    assert {number: signal.getsignal(number) for number in signal.valid_signals()} == handlers
    assert capfd.readouterr() == ("", "")
    assert "sesame" not in repr(ACCOUNT)


def test_faults_are_values_and_exceptions(root: Path, service: RunningService) -> None:
    SampleRepository(root).commit({"content/pages/bad.md": "---\nslug: [\n---\n", "README.md": "# Read\n"})
    with opened(root, service) as site:
        (problem,) = site.check()
        assert isinstance(problem, Problem)
        assert (problem.path, problem.warning) == ("content/pages/bad.md", False)
        for call in (site.sync, lambda: site.render("content/pages/bad.md")):
            with pytest.raises(ContentError):
                call()
        with pytest.raises(ConfigError, match=r"'README\.md' is not a document"):
            site.render("README.md")


def test_a_check_reads_what_is_saved_and_ref_a_commit(
    root: Path, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    (root / ABOUT).write_text("[Prices](prices.md)\n", encoding="utf-8")
    with opened(root, service) as site:
        assert [problem.path for problem in site.check()] == [ABOUT]
        assert (*site.check(ref="HEAD"), *site.check(staged=True)) == ()
    monkeypatch.setenv("CI", "true")
    with opened(root, service) as site:
        assert site.check() == ()
        assert [problem.path for problem in site.check(worktree=True)] == [ABOUT]


@pytest.mark.parametrize("named", [ABOUT, Path(ABOUT), [ABOUT], [Path(ABOUT)]], ids=repr)
def test_a_path_may_be_a_text_or_a_path_alone_or_in_a_list(
    root: Path, service: RunningService, named: PathNames, monkeypatch: pytest.MonkeyPatch
) -> None:
    SampleRepository(root).commit({"content/pages/more.md": "# More\n"})
    monkeypatch.chdir(root)
    with open_site(".", url=service.url, credentials=ACCOUNT) as site:
        assert [change.path for change in site.plan(named).pending] == [ABOUT]
        assert [record.path for record in site.status(named)] == [ABOUT]
        assert site.check(named) == ()
        assert [outcome.change.path for outcome in site.sync(named)] == [ABOUT]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"limit": 0}, "limit: 0 is out of range; give a whole number of at least 1"),
        ({"max_failures": -1}, "max_failures: -1 is out of range"),
        ({"concurrency": 65}, "concurrency: 65 is out of range; give a whole number from 1 to 64"),
        ({"concurrency": 1.5}, r"concurrency: 1\.5 is out of range"),
        ({"rate": 0}, "rate: 0 is out of range; give a number above 0"),
        ({"rate": float("nan")}, "rate: nan is out of range"),
        ({"max_delete": "x"}, "'x' is not a limit"),
    ],
    ids=str,
)
def test_a_number_that_the_command_refuses_is_refused(
    flags: dict[str, Any], said: str, root: Path, service: RunningService
) -> None:
    with opened(root, service) as site, pytest.raises(ConfigError, match=said):
        site.sync(**flags)


def test_the_most_connections_are_those_of_the_command() -> None:
    (option,) = (each for each in sync.command.params if each.name == "concurrency")
    assert isinstance(option.type, click.IntRange)
    assert option.type.max == MOST_CONNECTIONS


@pytest.mark.parametrize("call", ["plan", "sync"])
def test_a_flag_that_does_not_exist_is_refused(call: str, root: Path, service: RunningService) -> None:
    with opened(root, service) as site, pytest.raises(TypeError, match="'overwrites' is not a flag; these"):
        getattr(site, call)(overwrites=True)


def test_a_program_names_the_dialect(tmp_path: Path, service: RunningService) -> None:
    repository = SampleRepository.create(tmp_path / "bare-settings")
    repository.commit({ABOUT: "# About us\n"})
    with open_site(repository.root, url=service.url, dialect="wordpress", credentials=ACCOUNT) as site:
        assert [outcome.result for outcome in site.sync()] == [Result.DONE]


def test_each_class_of_a_change_has_an_action_of_its_own() -> None:
    actions = [each.action for each in get_args(pressync.Change)]
    assert sorted(actions) == ["blocked", "create", "delete", "keep", "not_compared", "update"]


def test_only_the_approved_plan_is_sent(root: Path, service: RunningService) -> None:
    with opened(root, service) as site:
        plan = site.plan()
        SampleRepository(root).commit({"content/pages/more.md": "# More\n"})
        with pytest.raises(SafetyRefusal):
            site.sync(approved=plan)
        assert [record.state for record in site.status()] == ["new", "new"]
        assert len(site.sync(approved=site.plan())) == 2


def test_a_password_does_not_go_to_an_address_that_is_new_to_the_clone(
    root: Path, service: RunningService
) -> None:
    text = SETTINGS.replace("https://example.org/wp-json", service.url)
    SampleRepository(root).commit({"pressync.toml": text})
    with open_site(root, credentials=ACCOUNT) as site:
        assert len(site.sync()) == 1
    new = text.replace("127.0.0.1", "localhost").replace("[sites.default]", "[sites.other]")
    SampleRepository(root).commit({"pressync.toml": new})
    with open_site(root, credentials=ACCOUNT) as site, pytest.raises(ConfigError, match="has not sent its"):
        site.sync()


def test_the_flags_of_the_commands_are_keywords(root: Path, service: RunningService) -> None:
    SampleRepository(root).commit({"content/pages/more.md": "# More\n"})
    with opened(root, service) as site:
        assert (len(site.plan().pending), len(site.sync(limit=1)), len(site.plan().pending)) == (2, 1, 1)
        with pytest.raises(ConfigError, match="'many' is not a limit"):
            site.plan(max_delete="many")


def life(folder: Path, files: dict[str, str], types: SiteTypes, both: threading.Barrier) -> set[str]:
    repository = SampleRepository.create(folder / "repository")
    repository.commit({"pressync.toml": SETTINGS, **files})
    with running(folder / "site.db", dialect="wordpress", types=types) as service:
        both.wait()
        with opened(repository.root, service) as site:
            both.wait()
            plan = site.plan()
            both.wait()
            assert {outcome.result for outcome in site.sync(approved=plan)} == {Result.DONE}
            both.wait()
            return {f"{record.kind} {record.path} {record.state}" for record in site.status()}


def test_two_sites_with_other_types_work_in_two_threads(tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=60)
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(life, tmp_path / "first", FIRST, TYPES, both)
        two = pool.submit(life, tmp_path / "second", SECOND, site_types(OTHER, {}, where="schema"), both)
        first, second = one.result(timeout=120), two.result(timeout=120)
    page = f"page {ABOUT} in_step"
    assert first == {page, "book content/books/moby.md in_step", "chapter content/chapters/one.md in_step"}
    assert second == {page, "book content/tomes/index.md in_step", "book content/tomes/moby.md in_step"}


def test_sites_that_share_their_content_render_a_body_once(
    root: Path, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies, render = list[str](), markdown.to_html

    def rendering(body: str, *forms: Any, placed: bool = False) -> str:  # noqa: ANN401 - those of `to_html`
        bodies.append(body)
        return render(body, *forms, placed=placed)

    monkeypatch.setattr(markdown, "to_html", rendering)
    (root / "pressync.toml").write_text(SETTINGS + SETTINGS.replace("default", "other"), encoding="utf-8")
    rendered = []
    for shared in (None, pressync.SharedContent()):
        bodies.clear()
        for name in ("default", "other"):
            with open_site(root, site=name, url=service.url, credentials=ACCOUNT, shared=shared) as site:
                assert [change.action for change in site.plan().pending] == ["create"]
        rendered.append(len(bodies))
    assert rendered == [2, 1]


def test_the_import_loads_no_module_and_each_public_name_is_typed() -> None:
    asked = "import sys; import pressync; print([m for m in sys.modules if m.startswith('pressync.')])"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    stub = Path(pressync.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    typed = set(re.findall(r'"(\w+)"', stub))
    assert typed == {*vars(pressync)["_PUBLIC"]}
    assert typed <= {*dir(pressync)}
    assert all(getattr(pressync, name) is not None for name in typed)
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        pressync.nothing_of_the_kind  # type: ignore[attr-defined]  # noqa: B018 - the error is the answer
