"""The push of a manifest: the token that Git gets, and two manifests that are merged."""

from __future__ import annotations

import os
import subprocess
import threading
from base64 import b64encode
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.support.builders import entry
from tests.support.repository import SampleRepository

from pressync.app.github.push_manifest import (
    commit_and_push,
    missing_variables,
    require_push,
    with_token,
)
from pressync.model.records import Manifest
from pressync.repo.repository import Repository
from pressync.state.manifest.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
        require_push(repository, "main")
        if not theirs:
            origin.remove(FILE)
        origin.commit(theirs)
        made = commit_and_push(repository, clone.write(FILE, text(a=1, c=3)), "main", "Sync")
    assert made == origin.head()
    assert ids(origin) == kept


TOKEN = "ghs_of-this-job"
ACCEPTED = b64encode(f"x-access-token:{TOKEN}".encode()).decode()


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
        environ = {"GITHUB_TOKEN": TOKEN, "GITHUB_SERVER_URL": url}
        assert not pushed(clone, {})
        assert pushed(clone, missing_variables(environ, has_header=False, has_author=True))
    assert TOKEN not in (clone.root / ".git/config").read_text()
    assert ACCEPTED not in (clone.root / ".git/config").read_text()


def test_what_the_clone_and_the_environment_have_goes_first() -> None:
    assert missing_variables({"GITHUB_TOKEN": TOKEN}, has_header=True, has_author=True) == {
        "GIT_TERMINAL_PROMPT": "0"
    }
    own = {"GITHUB_TOKEN": TOKEN, "GIT_CONFIG_COUNT": "2", "GIT_AUTHOR_NAME": "Ada"}
    found = missing_variables(own, has_header=False, has_author=False)
    assert found["GIT_CONFIG_COUNT"] == "3"
    assert found["GIT_CONFIG_KEY_2"] == "http.https://github.com/.extraheader"
    assert "GIT_AUTHOR_NAME" not in found
    assert found["GIT_COMMITTER_NAME"] == "github-actions[bot]"


def test_what_the_clone_says_is_asked_of_git_and_the_environment_is_given_back(tmp_path: Path) -> None:
    clone = SampleRepository.create(tmp_path / "clone")
    environ = {"GITHUB_TOKEN": TOKEN}
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
