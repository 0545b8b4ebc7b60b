"""A package outside of pressync adds an importer, and no line of pressync is changed for it."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pressync.client import dialects
from pressync.importing import importers
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

TOP = Path(__file__).parents[2]
GUEST = TOP / "tests/packages/eleventy"
SITE = {
    "eleventy.config.js": 'export default () => ({dir: {input: "src", output: "public"}});\n',
    "src/index.md": "---\ntitle: Home\n---\nHello\n",
    "src/about/team.md": "---\ntitle: Team\nlayout: base\n---\nWe are {{ count }} people.\n",
    "src/posts/2024-01-31-first.md": "---\ntitle: First\ndate: 2024-01-31\ntags: [news]\n---\nText\n",
    "src/_includes/base.njk": "{{ content }}",
    "src/feed.njk": "<feed/>",
}
BROKEN = """
from pressync.importing.importers import Importer
def _items(source):
    raise KeyError("no such thing")
IMPORTER = Importer(lambda source: False, _items)
"""


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install pressync and the package into an environment of their own; the libraries are those of here."""
    folder = tmp_path_factory.mktemp("guest")
    make = [sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", str(folder)]
    subprocess.run(make, check=True, timeout=120)
    python = folder / "bin/python"
    (packages,) = folder.glob("lib/python*/site-packages")
    # The environment of the tests has the libraries, and pip.
    here = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "libraries.pth").write_text("\n".join(here) + "\n", encoding="utf-8")
    install = [str(python), "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*install, "--target", str(packages), str(GUEST)], check=True, timeout=300)
    return python


def run(python: Path, root: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run pressync with the packages of an environment."""
    environ = {**os.environ, "PYTHONPATH": str(TOP / "src"), "COLUMNS": "500", **more}
    command = [str(python), "-m", "pressync", *words]
    return subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, check=False)


def described(done: subprocess.CompletedProcess[str]) -> Any:  # noqa: ANN401 - JSON
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_the_entry_points_are_the_importers_of_the_table() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pressync.importers"] == dict(importers.OURS)
    assert list(dict(importers.importers())) == list(importers.OURS)
    rows = project["entry-points"]["pressync.dialects"].items()
    assert {name: getattr(dialects, value.partition(":")[2]) for name, value in rows} == dialects.DIALECTS


@pytest.mark.sweep
def test_a_package_gets_the_account_addresses_as_help_and_completion(
    guest: Path, repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({"README.md": "x\n"})
    site = tmp_path / "eleventy-site"
    for path, text in SITE.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text, encoding="utf-8")
    account = described(run(guest, repository.root, "import", str(site), "--format=json"))
    assert account["tool"] == "eleventy"
    (table,) = (repository.root / ".pressync/import").glob("**/addresses.csv")
    rows = csv.reader(table.read_text(encoding="utf-8").splitlines()[1:])
    assert {row[0]: row[1] for row in rows} == {
        "/": "content/pages/index.md",
        "/about/team/": "content/pages/about/team.md",
        "/posts/first/": "content/posts/2024-01-31-first.md",
    }
    assert {each["kind"] for each in account["kinds"]} >= {"template", "template syntax"}
    assert "eleventy" in run(guest, repository.root, "import", "--help").stdout
    named = run(guest, repository.root, "import", str(site), "--as", "eleventy", "--dry-run")
    # The feed is a program, and has no file.
    assert (named.returncode, "as eleventy" in named.stderr) == (1, True)
    words = {
        "_PRESSYNC_COMPLETE": "bash_complete",
        "COMP_WORDS": "pressync import x --as e",
        "COMP_CWORD": "4",
    }
    assert "eleventy" in run(guest, repository.root, **words).stdout


def packages(folder: Path, group: str, point: str, text: str) -> str:
    """Install a module with one entry point by hand; give the path on which Python finds it and pressync."""
    about = folder / "guest_of_a_test-1.dist-info"
    about.mkdir(parents=True)
    (folder / "guest.py").write_text(text, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: guest-of-a-test\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{point}\n")
    return os.pathsep.join((str(TOP / "src"), str(folder)))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("broken", "the importer 'broken' of the package guest-of-a-test failed: KeyError"),
        ("hugo", "several importers have the name 'hugo': it is taken by guest-of-a-test"),
    ],
)
def test_a_package_is_named_where_it_fails_or_takes_a_name(
    repository: SampleRepository, tmp_path: Path, name: str, said: str
) -> None:
    repository.commit({"README.md": "x\n"})
    path = packages(tmp_path / "packages", importers.GROUP, f"{name} = guest:IMPORTER", BROKEN)
    done = run(Path(sys.executable), repository.root, "import", "README.md", "--as", name, PYTHONPATH=path)
    assert done.returncode == 2
    assert said in done.stderr


ROW = """
from pressync.client.dialects import WORDPRESS, DialectRow
RELAY = DialectRow("relay", WORDPRESS.capabilities, "a token", WORDPRESS.opener)
"""


@pytest.mark.parametrize(
    ("point", "code", "said"),
    [
        ("relay = guest:RELAY", 0, "2 done"),
        ("relay = guest:NOTHING", 2, "the dialect 'relay' of the package guest-of-a-test cannot be loaded"),
        ("other = guest:RELAY", 2, "dialect 'relay' is unknown"),
    ],
)
def test_a_package_adds_a_dialect_that_settings_can_name(
    repository: SampleRepository, tmp_path: Path, point: str, code: int, said: str
) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "content/posts/b.md": "# B\n"})
    path = packages(tmp_path / "packages", dialects.GROUP, point, ROW)
    with running(tmp_path / "site.db", dialect="wordpress") as service:
        settings = f'[sites.blog]\nurl = "{service.url}"\ndialect = "relay"\n'
        repository.write("pressync.toml", settings)
        done = run(Path(sys.executable), repository.root, "sync", "--yes", PYTHONPATH=path)
    assert (done.returncode, said in done.stdout + done.stderr) == (code, True), done.stdout + done.stderr
