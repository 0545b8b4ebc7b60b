"""One process syncs every site, and one that fails stops no other."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest
from tests.support.embedded_wordpress import PASSWORD, USER, serving
from tests.support.repository import SampleRepository

from pressync.cli import all_sites
from pressync.cli.options import Globals
from pressync.stage.server.app import WORDPRESS
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SITE = '[sites.{}]\nurl = "{}"\ndialect = "wordpress"\nuser = "anna"\n'


def test_every_site_has_a_row_and_the_highest_code_is_that_of_all(tmp_path: Path, program: Path) -> None:
    clone = SampleRepository.create(tmp_path / "clone")

    def run(*words: str, code: int) -> str:
        environ = {**os.environ, "PRESSYNC_PASSWORD": "open sesame"}
        done = subprocess.run(
            [program, *words], cwd=clone.root, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    with (
        running(tmp_path / "a.db", dialect=WORDPRESS) as first,
        running(tmp_path / "b.db", dialect=WORDPRESS) as last,
    ):
        sites = {
            "first": f"{first.site}/wp-json",
            "open": "http://192.0.2.1/wp-json",
            "last": f"{last.site}/wp-json",
        }
        files = {"content/pages/about.md": "# About\n"}
        settings = "".join(SITE.format(*each) for each in sites.items())
        clone.commit({**files, "pressync.toml": settings})
        assert run("plan", "--all-sites", code=0).count("1 to create") == 3
        made = json.loads(run("sync", "--all-sites", "--yes", "--format", "json", code=2))["sites"]
        assert [(row["site"], row["exit_code"]) for row in made] == [("first", 0), ("open", 2), ("last", 0)]
        assert [row["result"] and row["result"]["counts"]["done"] for row in made] == [1, None, 1]
        assert "unencrypted" in made[1]["summary"]
        clone.commit(message="Sync")
        table = run("sync", "--all-sites", "--yes", code=2)
        assert [line.split()[:2] for line in table.splitlines()[1:4]] == [
            ["first", "0"],
            ["open", "2"],
            ["last", "0"],
        ]
        for wrong in (["--site", "first", "--yes"], [], ["--yes", "--format", "markdown"]):
            run("sync", "--all-sites", *wrong, code=2)


def test_a_site_that_is_wrong_in_any_way_stops_no_other(tmp_path: Path, program: Path) -> None:
    clone = SampleRepository.create(tmp_path / "clone")
    with serving() as right, hanging_up() as broken:
        names = ("first", "password", "row", "damaged", "last")
        sites = {"cut": f"{broken}/wp-json", **dict.fromkeys(names, right.url)}
        text = "".join(SITE.format(*each) for each in sites.items()).replace('"anna"', f'"{USER}"')
        text = text.replace(f'{USER}"\n[sites.row]', 'nobody"\n[sites.row]')
        text = text.replace("[sites.row]\n", '[sites.row]\ndialekt = "wordpress"\n')
        schema = {".pressync/damaged.schema.json": "{"}
        clone.commit({"content/pages/about.md": "# About\n", "pressync.toml": text, **schema})
        done = subprocess.run(
            [program, "sync", "--all-sites", "--yes", "--format", "json"],
            cwd=clone.root,
            env={**os.environ, "PRESSYNC_PASSWORD": PASSWORD},
            capture_output=True,
            text=True,
            check=False,
        )
    rows = {row["site"]: (row["exit_code"], row["summary"]) for row in json.loads(done.stdout)["sites"]}
    assert list(rows) == list(sites), done.stderr
    assert {name for name, (code, _) in rows.items() if code == 0} == {"first", "last"}, rows
    said = {
        "password": "401",
        "row": "unknown key 'dialekt'",
        "damaged": "is not the schema",
        "cut": "127.0.0.1",
    }
    assert {name for name, word in said.items() if word in rows[name][1]} == said.keys(), rows


@contextmanager
def hanging_up() -> Iterator[str]:
    """Listen, and end every connection without a response."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.2)
        over = threading.Event()

        def serve() -> None:
            while not over.is_set():
                with suppress(TimeoutError):
                    listening.accept()[0].close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            over.set()
            thread.join()


@pytest.mark.parametrize(
    "fault", [ZeroDivisionError("a fault of the program"), PermissionError(13, "denied")]
)
def test_a_fault_that_nobody_foresaw_ends_its_site_alone(
    fault: Exception, repository: SampleRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit(
        {"pressync.toml": "".join(SITE.format(n, "http://127.0.0.1:9") for n in ("bad", "good"))}
    )

    def run(globals_: Globals) -> all_sites.SiteEnd:
        if globals_.site == "bad":
            raise fault
        return all_sites.SiteEnd(0, "synced")

    with pytest.raises(SystemExit) as ended:
        all_sites.run(Globals(repository.root), "json", run)
    rows = json.loads(capsys.readouterr().out)["sites"]
    assert [(row["site"], row["exit_code"]) for row in rows] == [("bad", 1), ("good", 0)]
    assert ended.value.code == 1
