"""One step of a workflow, the workflow that init writes, the comment, and the push of a manifest."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from base64 import b64encode
from contextlib import contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
import yaml
from tests.support.builders import entry
from tests.support.github_lookalike import LIMIT, serving
from tests.support.repository import SampleRepository

from pressync.app.forge import missing_variables, with_token
from pressync.app.forge_api import COMMENT_LIMIT, DEFAULT_API, ForgeApi, put_comment
from pressync.app.github import workflow_file
from pressync.app.github.step import Event, Step, Task, task
from pressync.app.github.step import read_event as read
from pressync.app.manifest import commit_and_push
from pressync.model.errors import BadAnswer, ConfigError, NotSent, Refused, StorageError
from pressync.model.records import Manifest
from pressync.repo.push import RemoteBranch
from pressync.repo.repository import Repository
from pressync.state.manifest.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.github_lookalike import GitHub


OURS = "garden/site"


def event(tmp_path: Path, name: str, payload: object, **variables: str) -> Event:
    """Read an event of our repository."""
    file = tmp_path / "event.json"
    file.write_text(json.dumps(payload), encoding="utf-8")
    given = {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(file), "GITHUB_REPOSITORY": OURS}
    return read({**given, **variables})


def proposal(full_name: str | None) -> dict[str, Any]:
    """Make the payload of a pull request from a repository, which may be deleted by now."""
    return {
        "pull_request": {"number": 7, "head": {"repo": full_name and {"full_name": full_name}}},
        "repository": {"default_branch": "main"},
    }


@pytest.mark.parametrize(
    ("head", "variables", "trusted"),
    [
        (OURS, {}, True),
        ("mallory/site", {}, False),
        (None, {}, False),
        (OURS, {"GITHUB_ACTOR": "dependabot[bot]"}, False),
    ],
)
def test_only_a_pull_request_of_this_repository_is_trusted(
    tmp_path: Path, head: str | None, variables: dict[str, str], *, trusted: bool
) -> None:
    found = event(tmp_path, "pull_request", proposal(head), **variables)
    assert found == Event("pull_request", OURS, "main", pull_request=7, trusted=trusted)


@pytest.mark.parametrize("payload", [{}, [], None, {"repository": None, "pull_request": None}])
def test_a_payload_that_says_little_is_no_error(tmp_path: Path, payload: object) -> None:
    assert event(tmp_path, "schedule", payload) == Event("schedule", OURS, None)
    (tmp_path / "event.json").write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError, match="GITHUB_EVENT_PATH"):
        read({"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(tmp_path / "event.json")})
    with pytest.raises(ConfigError, match="pressync plan"):
        read({})


@pytest.mark.parametrize(
    ("name", "mode", "branch", "expected"),
    [
        ("pull_request", "auto", None, Task.PLAN),
        ("pull_request", "plan", None, Task.PLAN),
        ("merge_group", "auto", None, Task.PLAN),
        ("push", "auto", "main", Task.SYNC),
        ("push", "auto", "draft", Task.PLAN),
        ("push", "auto", None, Task.PLAN),  # a tag
        ("schedule", "auto", "main", Task.SYNC),
        ("schedule", "drift", "main", Task.DRIFT),
        ("workflow_dispatch", "auto", "main", Task.SYNC),
        ("workflow_dispatch", "plan", "main", Task.PLAN),
        ("release", "sync", "main", Task.SYNC),
    ],
)
def test_each_event_has_its_task(name: str, mode: str, branch: str | None, expected: Task) -> None:
    assert task(Event(name, OURS, "main"), mode, branch=branch, wanted="main") is expected
    # Where nobody knows the branch of the site, the one that is checked out is it.
    assert task(Event("push", OURS, None), "auto", branch="trunk", wanted=None) is Task.SYNC


BRANCH, TAG = "refs/heads/main", "refs/tags/v1"


@pytest.mark.parametrize("name", ["push", "schedule", "workflow_dispatch"])
@pytest.mark.parametrize(
    ("ref", "is_tip", "fails"),
    [
        (BRANCH, True, True),
        (BRANCH, False, True),
        ("", True, True),
        ("", False, False),
        (TAG, True, False),
        ("refs/heads/draft", False, False),
    ],
)
def test_a_detached_head_of_the_branch_is_not_a_job_that_passes_and_sends_nothing(
    name: str, ref: str, *, is_tip: bool, fails: bool
) -> None:
    told = pytest.raises(ConfigError, match=r"HEAD is detached at a commit of 'main'.* `ref: main`")
    with told if fails else nullcontext():
        asked = Event(name, OURS, "main", ref=ref)
        assert task(asked, "auto", branch=None, wanted="main", is_tip=is_tip) is Task.PLAN


@pytest.mark.parametrize(
    ("name", "mode", "words"),
    [
        ("pull_request", "sync", "only ever planned"),
        ("pull_request", "drift", "only ever planned"),
        ("pull_request_target", "auto", "^on: .*secrets"),
        ("pull_request_target", "plan", "secrets"),
        ("issue_comment", "sync", "secrets"),
        ("workflow_run", "plan", "secrets"),
        ("issues", "auto", "choose one of plan, sync, drift"),
    ],
)
def test_what_is_no_occasion_is_refused(name: str, mode: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        task(Event(name, OURS, "main", pull_request=7), mode, branch="main", wanted="main")


def test_an_output_may_hold_lines_that_look_like_another(tmp_path: Path) -> None:
    file = tmp_path / "output"
    Step({"GITHUB_OUTPUT": str(file)}).output(exit_code="0", counts='{"a": 1}\nexit-code=9\nEOF')
    blocks = re.findall(
        r"^([a-z-]+)<<(pressync-[0-9a-f]{32})\n(.*?)\n\2$", file.read_text(), re.MULTILINE | re.DOTALL
    )
    assert [(name, value) for name, _, value in blocks] == [
        ("exit-code", "0"),
        ("counts", '{"a": 1}\nexit-code=9\nEOF'),
    ]


def test_a_summary_is_added_and_two_reports_of_one_name_are_two_files(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    file.write_text("before\n", encoding="utf-8")
    step = Step({"GITHUB_STEP_SUMMARY": str(file), "RUNNER_TEMP": str(tmp_path)})
    step.summarise("### Ä")
    assert step.summarises
    assert file.read_text(encoding="utf-8") == "before\n### Ä\n"
    first, second = step.keep("plan.json", "1"), step.keep("plan.json", "2")
    assert first.name == second.name == "plan.json"
    assert (first.read_text(), second.read_text()) == ("1", "2")
    with pytest.raises(StorageError, match="GITHUB_OUTPUT"):
        Step({"GITHUB_OUTPUT": str(tmp_path / "gone/output")}).output(a="1")
    with pytest.raises(StorageError, match="report"):
        Step({"RUNNER_TEMP": str(tmp_path / "gone")}).keep("plan.json", "")
    outside, before = Step({"RUNNER_TEMP": str(tmp_path)}), list(tmp_path.iterdir())
    outside.output(a="1")
    outside.summarise("x")
    assert (outside.summarises, list(tmp_path.iterdir())) == (False, before)


def workflow(action: str = "garden/pressync@" + "a" * 40, branch: str = "main", site: str = "live") -> Any:  # noqa: ANN401 - any YAML
    """Write a workflow and workflow it."""
    return yaml.safe_load(workflow_file.text(action, sites={site: branch}))


@pytest.mark.parametrize(
    "name", ["main", "release/1.x", "on", "1.0", "a b: #c", 'a"b', "Übersicht", "-x", "~"]
)
def test_any_name_of_a_branch_or_site_is_read_back_as_text(name: str) -> None:
    found = workflow(branch=name, site=name)
    # YAML 1.1 reads the key `on` as true.
    assert found[True]["push"]["branches"] == [name]
    assert found["jobs"]["sync"]["environment"] == name


@pytest.mark.parametrize("action", ["./", "./here", "garden/tools/pressync@v1", workflow_file.UNKNOWN])
def test_an_action_may_be_anywhere(action: str) -> None:
    assert workflow(action)["jobs"]["plan"]["steps"][-1]["uses"] == action
    for wrong in ("", "pressync", "garden/pressync", "a/b@c\nrun: evil", "a/b@c # x", "../up"):
        with pytest.raises(ConfigError, match="OWNER/NAME@COMMIT"):
            workflow(wrong)


def test_several_sites_are_a_matrix_with_a_branch_an_environment_and_a_queue_each() -> None:
    found = yaml.safe_load(workflow_file.text("./", sites={"staging": "next", "on": "main", "shop": "main"}))
    assert found[True]["push"]["branches"] == ["next", "main"]
    for name, job in found["jobs"].items():
        assert job["strategy"] == {"fail-fast": False, "matrix": {"site": ["staging", "on", "shop"]}}
        assert job["concurrency"]["group"].endswith("-${{ matrix.site }}")
        assert job["steps"][-1]["with"]["site"] == "${{ matrix.site }}"
        assert job.get("environment") == (None if name == "plan" else "${{ matrix.site }}")
    assert found["jobs"]["drift"]["steps"][-1]["with"]["mode"] == "drift"
    assert list(found["jobs"]["sync"]["steps"][-1]["env"]) == ["PRESSYNC_PASSWORD"]


def test_more_sites_than_jobs_of_a_matrix_are_refused_with_the_ways_out() -> None:
    sites = {f"s{number}": "main" for number in range(workflow_file.MOST_JOBS + 1)}
    with pytest.raises(ConfigError, match=r"257 sites.*256 jobs"):
        workflow_file.text("./", sites=sites)


MARK = "<!-- pressync:live -->"
TOKEN = "ghs_secret"
REPOSITORY = "garden/site"


@pytest.fixture
def github() -> Iterator[GitHub]:
    with serving(REPOSITORY, TOKEN) as site:
        yield site


def put(github: GitHub, text: str, *, mark: str = MARK, needed: bool = True) -> str:
    """Put the comment of pull request 7."""
    return put_at(github.url, text, mark=mark, needed=needed)


def put_at(url: str, text: str, *, token: str = TOKEN, mark: str = MARK, needed: bool = True) -> str:
    """Put it through the interface at an address."""
    with ForgeApi.of({"GITHUB_API_URL": url}, REPOSITORY, token) as interface:
        return put_comment(interface, 7, mark, text, needed=needed)


def test_it_is_found_behind_hundreds_of_others_and_not_written_twice(github: GitHub) -> None:
    for number in range(230):
        github.add(7, f"A remark {number}", author="ada")
    own = github.add(7, f"{MARK}\nold")
    put(github, "new")
    assert own["body"] == f"{MARK}\nnew"
    assert [line.split()[0] for line in github.heard] == ["GET", "GET", "GET", "PATCH"]
    put(github, "new")
    assert [line.split()[0] for line in github.heard[4:]] == ["GET", "GET", "GET"]


def test_of_another_pull_request_another_site_or_another_author_it_is_not_ours(github: GitHub) -> None:
    others = [
        github.add(8, f"{MARK}\nother pull request"),
        github.add(7, "<!-- pressync:staging -->\nother site"),
        github.add(7, f"{MARK}\nother author", author="mallory"),
        github.add(7, f"I quote:\n{MARK}\n"),
    ]
    before = [comment["body"] for comment in others]
    put(github, "ours")
    assert [comment["body"] for comment in others] == before
    assert len(github.comments) == 5


def test_one_that_is_not_needed_is_renewed_and_never_begun(github: GitHub) -> None:
    assert put(github, "nothing", needed=False) == ""
    put(github, "something")
    put(github, "nothing", needed=False)
    assert [comment["body"] for comment in github.comments] == [f"{MARK}\nnothing"]


def test_the_limit_is_githubs(github: GitHub) -> None:
    assert COMMENT_LIMIT == LIMIT
    put(github, "x" * (LIMIT - len(MARK) - 1))
    with pytest.raises(Refused, match="too long"):
        put(github, "x" * LIMIT)


def test_no_error_repeats_the_token_and_it_crosses_no_network_in_the_clear(github: GitHub) -> None:
    with pytest.raises(Refused) as wrong:
        put_at(github.url, "x", token="ghs_wrong")
    assert "ghs_" not in str(wrong.value)
    with pytest.raises(NotSent) as away:
        put_at("http://127.0.0.1:9", "x")
    assert "ghs_" not in str(away.value)
    with pytest.raises(ConfigError, match="unencrypted"):
        put_at("http://github.test/api/v3", "x")
    own = "https://github.example.org/api/v3"
    assert ForgeApi.of({"GITHUB_API_URL": own}, REPOSITORY, TOKEN).base == f"{own}/repos/{REPOSITORY}"
    assert ForgeApi.of({}, REPOSITORY, TOKEN).base == f"{DEFAULT_API}/repos/{REPOSITORY}"


def test_a_netrc_of_the_machine_does_not_take_the_tokens_place(
    github: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ada password other\n", encoding="utf-8")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    assert put(github, "x")


def test_what_github_refuses_or_garbles_is_told(github: GitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    github.writable = False
    with pytest.raises(Refused, match="403: Resource not accessible by integration"):
        put(github, "x")
    github.broken = True
    with pytest.raises(Refused, match="502"):
        put(github, "x")
    monkeypatch.setattr(github, "answer", lambda *_: (200, {"message": "hello"}))
    github.broken = False
    with pytest.raises(BadAnswer):
        put(github, "x")


FILE = ".pressync/live.json"
TARGET = "https://site.test/wp-json"


def text(**ids: int) -> str:
    """Write a manifest of pages by their ids."""
    entries = {f"{name}.md": entry(f"{name}.md", number) for name, number in ids.items()}
    return encode(Manifest(TARGET, entries))


def ids(repository: SampleRepository) -> dict[str, int]:
    """Read the ids in the manifest of the origin's branch."""
    found = decode(repository.git("show", f"main:{FILE}") + "\n", where=FILE)
    return {path.removesuffix(".md"): record.id for path, record in found.entries.items()}


@pytest.fixture
def origin(tmp_path: Path) -> SampleRepository:
    made = SampleRepository.create(tmp_path / "origin")
    made.git("config", "receive.denyCurrentBranch", "updateInstead")
    made.commit({FILE: text(a=1)})
    return made


@pytest.fixture
def clone(origin: SampleRepository, tmp_path: Path) -> SampleRepository:
    origin.git("clone", "--quiet", f"file://{origin.root}", str(tmp_path / "clone"))
    made = SampleRepository(tmp_path / "clone")
    made.git("config", "user.name", "A Writer")
    made.git("config", "user.email", "writer@example.org")
    return made


@pytest.mark.parametrize(
    ("theirs", "kept"),
    [
        ({FILE: text(a=1, b=2)}, {"a": 1, "b": 2, "c": 3}),
        ({"README.md": "Read"}, {"a": 1, "c": 3}),
        ({}, {"a": 1, "c": 3}),
    ],
    ids=["both", "untouched", "lost"],
)
def test_records_of_both_sides_are_kept_and_a_side_that_lost_them_changes_nothing(
    clone: SampleRepository, origin: SampleRepository, theirs: dict[str, str], kept: dict[str, int]
) -> None:
    with Repository(clone.root) as repository:
        RemoteBranch(repository, "main").require_push()
        if not theirs:
            origin.remove(FILE)
        origin.commit(theirs)
        made = commit_and_push(repository, clone.write(FILE, text(a=1, c=3)), "main", "Sync")
    assert made == origin.head()
    assert ids(origin) == kept


JOB_TOKEN = "ghs_of-this-job"
ACCEPTED = b64encode(f"x-access-token:{JOB_TOKEN}".encode()).decode()


@contextmanager
def git_server(root: Path) -> Iterator[str]:
    """Serve the repositories below `root` as GitHub does: with Git's own backend, and only with the token."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            given = self.headers.get_all("Authorization") or []
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if len(given) > 1:
                return self._refuse(400)
            if [value.lower() for value in given] != [f"basic {ACCEPTED}".lower()]:
                return self._refuse(401)
            path, query = urlsplit(self.path).path, urlsplit(self.path).query
            environ = {
                **os.environ,
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "REMOTE_USER": "runner",
            }
            done = subprocess.run(
                ["git", "http-backend"], input=body, env=environ, capture_output=True, check=True
            )
            head, _, rest = done.stdout.partition(b"\r\n\r\n")
            self.send_response(200)
            for line in head.decode().splitlines():
                self.send_header(*line.split(": ", 1))
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(rest)
            return None

        do_GET = do_POST = _answer  # noqa: N815 - the library's names

        def _refuse(self, status: int) -> None:
            self.send_response(status)
            self.send_header("WWW-Authenticate", 'Basic realm="GitHub"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    serving = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{serving.server_port}"
    finally:
        serving.shutdown()
        thread.join()
        serving.server_close()


def pushed(clone: SampleRepository, environ: dict[str, str]) -> bool:
    """Push, and tell whether it succeeded."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    own = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0"}
    command = ["git", "push", "--quiet", "origin", "HEAD:main"]
    done = subprocess.run(
        command, cwd=clone.root, env={**clean, **own, **environ}, capture_output=True, check=False
    )
    return done.returncode == 0


def test_the_token_opens_the_server_and_stays_out_of_the_clone(tmp_path: Path) -> None:
    SampleRepository.create(tmp_path / "served/garden/site").git("config", "http.receivepack", "true")
    clone = SampleRepository.create(tmp_path / "clone")
    clone.commit({"a.md": "A"})
    with git_server(tmp_path / "served") as url:
        SampleRepository(tmp_path / "served/garden/site").git("checkout", "--quiet", "--orphan", "other")
        clone.git("remote", "add", "origin", f"{url}/garden/site/.git")
        environ = {"GITHUB_TOKEN": JOB_TOKEN, "GITHUB_SERVER_URL": url}
        assert not pushed(clone, {})
        assert pushed(clone, missing_variables(environ, has_header=False, has_author=True))
    assert JOB_TOKEN not in (clone.root / ".git/config").read_text()
    assert ACCEPTED not in (clone.root / ".git/config").read_text()


def test_what_the_clone_and_the_environment_have_goes_first() -> None:
    assert missing_variables({"GITHUB_TOKEN": JOB_TOKEN}, has_header=True, has_author=True) == {
        "GIT_TERMINAL_PROMPT": "0"
    }
    own = {"GITHUB_TOKEN": JOB_TOKEN, "GIT_CONFIG_COUNT": "2", "GIT_AUTHOR_NAME": "Ada"}
    found = missing_variables(own, has_header=False, has_author=False)
    assert found["GIT_CONFIG_COUNT"] == "3"
    assert found["GIT_CONFIG_KEY_2"] == "http.https://github.com/.extraheader"
    assert "GIT_AUTHOR_NAME" not in found
    assert found["GIT_COMMITTER_NAME"] == "github-actions[bot]"


def test_what_the_clone_says_is_asked_of_git_and_the_environment_is_given_back(tmp_path: Path) -> None:
    clone = SampleRepository.create(tmp_path / "clone")
    environ = {"GITHUB_TOKEN": JOB_TOKEN}
    beside = {"GIT_TERMINAL_PROMPT": "1"}
    with Repository(clone.root) as repository:
        repository.environment |= beside
        with with_token(repository, environ):
            assert repository.environment["GIT_CONFIG_VALUE_0"] == f"AUTHORIZATION: basic {ACCEPTED}"
            assert repository.environment["GIT_AUTHOR_NAME"] == "github-actions[bot]"
        assert repository.environment == beside
        # As actions/checkout leaves them, and with an author of the job's own.
        clone.git("config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic x")
        clone.git("config", "user.email", "ada@example.org")
        with with_token(repository, environ):
            assert repository.environment == {"GIT_TERMINAL_PROMPT": "0"}
        assert repository.environment == beside
