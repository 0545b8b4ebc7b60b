"""`pressync status`: a row for every record and every document without one."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from tests.support.terminal import Terminal

from pressync.app import embedded_server

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.stage.server.server import RunningService


def test_json_has_the_title_the_status_and_the_reason_of_each_record(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/draft.md": "---\nstatus: draft\n---\n# Not yet\n"})
    terminal.run("sync", "--yes")
    terminal.repository.remove("content/pages/about/history.md")
    terminal.repository.commit(
        {"content/pages/index.md": "# Home, edited\n", "content/pages/broken.md": "---\nslug: [\n---\n"}
    )
    document = json.loads(terminal.run("status", "--format", "json").stdout)
    rows = {row["path"]: (row["title"], row["status"], row["reason"]) for row in document["records"]}
    broken = rows.pop("content/pages/broken.md")
    assert rows == {
        "content/pages/about.md": ("About us", "publish", ""),
        "content/pages/about/history.md": (None, "publish", "its file was removed"),
        "content/pages/draft.md": ("Not yet", "draft", ""),
        "content/pages/index.md": ("Home, edited", "publish", "content, title changed"),
    }
    assert broken[:2] == (None, None)
    assert broken[2].startswith("its file has problems (line 3: front matter is not YAML")


def test_people_are_told_where_this_repository_s_service_shows_its_site(
    repository: SampleRepository, service: RunningService
) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    directory = embedded_server.data_directory(repository.root / ".git")
    here = Terminal(repository, {})
    port = embedded_server.free_port(directory)
    assert f"run `pressync serve` and open http://127.0.0.1:{port}/" in here.run("status").stderr
    embedded_server.make_directory(directory)
    embedded_server.write_note(
        directory, embedded_server.RunningServer(os.getpid(), service.url, service.site)
    )
    assert f"Look at it: {service.site}/" in here.run("status").stderr


def test_a_file_or_a_folder_shows_its_own_records(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    shown = terminal.run("status", "content/pages/about").stdout
    assert "content/pages/about/history.md" in shown
    assert shown.endswith("1 up to date.\n")
    assert "nowhere.md" in terminal.run("status", "nowhere.md", exits=2).stderr


def test_a_lost_manifest_is_told_before_somebody_believes_that_all_is_new(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    terminal.repository.commit()
    bare = terminal.repository.root.parent / "site.git"
    terminal.repository.git("clone", "--quiet", "--bare", ".", str(bare))
    told = terminal.run("-C", str(bare), "status")
    assert told.stdout.endswith("3 to create.\n")
    assert "Sync would refuse: the manifest " in told.stderr
