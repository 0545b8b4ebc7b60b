"""`pressync rehearse` and `preview`: options, account, the stage to look at, and their ends."""

from __future__ import annotations

import json
import re
import shlex
import signal
import socket
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest
from tests.support import embedded_wordpress
from tests.support.plan_samples import HOSTILE, RUN
from tests.support.repository import SampleRepository
from tests.support.shared_manifest import started
from tests.support.terminal import Terminal

from pressync.app.workspace import Workspace
from pressync.cli.commands import rehearse
from pressync.client import discovery
from pressync.model.changes import Refusal
from pressync.model.records import Manifest
from pressync.stage import embedded
from pressync.stage.rehearse.look import SeenPage, SeenPages
from pressync.stage.rehearse.page_check import PageFault
from pressync.stage.rehearse.rehearse import CheckedLinks, DeadLink, Rehearsal
from pressync.stage.rehearse.stage import RenderedSite, SiteDifference, stages_folder

if TYPE_CHECKING:
    import subprocess


DEAD = {"content/pages/about.md": "# About\n\n[x](/nowhere/)\n"}


@pytest.fixture
def here(repository: SampleRepository) -> Terminal:
    """Sit in a repository of one page, without a configured site."""
    repository.commit({"content/pages/about.md": "# About\n\nText.\n"})
    return Terminal(repository, {})


def stages(terminal: Terminal) -> Path:
    """Name the folder of all stages."""
    return stages_folder(terminal.repository.root / ".git")


def test_the_account_says_how_a_sync_would_end_and_nothing_is_sent_or_left(here: Terminal) -> None:
    here.repository.commit({"content/posts/a.md": "---\ntitle: A\ncategories: [New]\n---\n"})
    told = here.run("rehearse")
    end = "A sync would end so: 2 made, 0 up to date. There was no link of the site to check."
    assert told.stdout.splitlines()[-1] == end
    first, *others = told.stderr.splitlines()
    assert first == "Rehearsing on a stage; nothing is sent to the site."
    assert any(line.startswith("On the stage: Created category 'New' (") for line in others)
    assert here.run("--quiet", "rehearse").stderr == ""
    assert not stages(here).exists()


def test_the_whole_account_is_json(here: Terminal) -> None:
    head = here.repository.commit(DEAD)
    document = json.loads(here.run("rehearse", "--format", "json", exits=1).stdout)
    address, outcomes = document.pop("address"), document.pop("outcomes")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    assert [(o["action"], o["path"], o["result"]) for o in outcomes] == [
        ("create", "content/pages/about.md", "done")
    ]
    assert document == {
        "version": 1,
        "site": "embedded",
        "commit": head,
        "stage": "embedded",
        "counts": {"made": 1, "changed": 0, "deleted": 0, "blocked": 0, "failed": 0},
        "links": {
            "checked": 1,
            "dead": [{"path": "content/pages/about.md", "line": 3, "target": "/nowhere/", "kind": "page"}],
        },
        "differs": [],
        "site_read": True,
        "look": None,
        "exit_code": 1,
    }


def test_a_kept_stage_is_served_by_the_command_that_is_printed(here: Terminal) -> None:
    told = here.run("rehearse", "--keep").stderr
    serve, remove = (shlex.split(command) for command in re.findall("`(.*)`", told))
    assert (serve[:3], remove[:2]) == (["pressync", "serve", "--data"], ["rm", "-r"])
    (kept,) = stages(here).iterdir()
    assert serve[3] == remove[2] == str(kept)
    with (
        embedded.running_or_started(kept) as url,
        urlopen(f"{url}/wp/v2/pages", timeout=60) as pages,  # noqa: S310 - loopback
    ):
        assert [page["slug"] for page in json.load(pages)] == ["about"]


def test_a_person_looks_at_the_stage_until_enter(here: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def look(question: str, **_settings: object) -> str:
        address = question.split()[4]
        with urlopen(f"{address}about/", timeout=60) as page:  # noqa: S310 - loopback
            seen.append(page.status)
        return ""

    monkeypatch.setattr("pressync.cli.console.is_watched", lambda _given: True)
    monkeypatch.setattr("click.prompt", look)
    here.run("rehearse")
    assert seen == [200]
    assert not stages(here).exists()


@pytest.mark.sweep
def test_what_a_sync_refuses_ends_a_rehearsal_in_the_same_way(here: Terminal) -> None:
    here.repository.commit({"content/pages/bad.md": "---\ntitle: [\n---\n"})
    assert "content/pages/bad.md:" in here.run("rehearse", exits=2).stderr
    here.run("rehearse", "--keep-going", exits=1)
    settings = '[sites.here]\ndialect = "documented"\nbranch = "main"\n'
    here.repository.remove("content/pages/bad.md")
    here.repository.commit({"pressync.toml": settings})
    here.repository.git("checkout", "-q", "-b", "other")
    assert "A sync would refuse: " in here.run("rehearse", exits=4).stdout


def test_it_asks_with_get_and_tells_true(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The line has another address than the site behind it, where the version would be looked for.
    monkeypatch.setattr(discovery, "version", lambda _home: "6.8")
    page = "---\ntitle: About\nauthor: admin\ncategories: [News]\n---\n[x](b.md)\n"
    repository.commit(
        {"content/posts/a.md": page, "content/posts/b.md": "---\ntitle: B\nauthor: admin\n---\n"}
    )
    with embedded_wordpress.serving() as site:
        terminal = Terminal(repository, {"PRESSYNC_URL": site.url, **embedded_wordpress.ENVIRON})
        terminal.run("sync", "--yes")
        repository.commit({"content/posts/a.md": page.replace("About", "All"), "content/posts/c.md": "# C\n"})
        site.received.clear()
        said = json.loads(terminal.run("rehearse", "--format", "json").stdout)
        assert {received.method for received in site.received} == {"GET"}
        done = json.loads(terminal.run("sync", "--yes", "--format", "json").stdout)
    ends = [(o["action"], o["path"], o["result"], o["message"]) for o in said["outcomes"]]
    assert ends == [(o["action"], o["path"], o["result"], o["message"]) for o in done["outcomes"]]
    assert said["site_read"]


def test_a_refused_login_ends_a_rehearsal_as_it_ends_a_sync(here: Terminal) -> None:
    with embedded_wordpress.serving() as site:
        here.environ |= {"PRESSYNC_URL": site.url, **embedded_wordpress.ENVIRON, "PRESSYNC_PASSWORD": "wrong"}
        rehearsed = here.run("rehearse", exits=1).stderr.splitlines()
        synced = here.run("sync", "--yes", exits=1).stderr.splitlines()
    assert rehearsed[-1] == synced[-1]
    assert "`pressync help refused` says more" in synced[-1]


ACCOUNT = Rehearsal(
    site="production",
    stage="embedded",
    address="http://127.0.0.1:41151/",
    home="https://example.org",
    result=RUN,
    links=CheckedLinks(
        143,
        (
            DeadLink("content/pages/a.md", 6, "../gone.md", "page"),
            DeadLink("content/pages/b.md", 2, "../gone.md", "page"),
            DeadLink("content/pages/b.md", 9, "a.md#nope", "anchor"),
        ),
    ),
    pages=RenderedSite("https://example.org", {}, {}, lambda *_: None, lambda _: False),
    manifest=Manifest("https://example.org"),
    differs=(
        SiteDifference("version", "the embedded service", "6.8"),
        SiteDifference("users", "what the manifest says", "not read: 403"),
    ),
    site_read=False,
    refusals=(Refusal("other_branch", "this is not main"),),
)


def test_it_is_to_the_letter_and_thousands_of_dead_targets_are_counted() -> None:
    lines = rehearse.account_text(ACCOUNT).splitlines()
    assert lines[0] == (
        f"Rehearsal of site production at commit {RUN.plan.commit[:10]} on the stage 'embedded' "
        "(http://127.0.0.1:41151/)"
    )
    assert lines[-6:] == [
        "dead link: content/pages/a.md:6: no page at `../gone.md`; also content/pages/b.md:2",
        "dead link: content/pages/b.md:9: no such place in the page: `a.md#nope`",
        "The site differs: version is 6.8 there, and the embedded service on the stage.",
        "Not read of the site: users (403).",
        "A sync would refuse: this is not main",
        rehearse.account_summary(ACCOUNT),
    ]
    numbers = "1 made, 1 changed, 1 blocked, 1 failed, 2 up to date"
    end = f"A sync would end so: {numbers}. 143 links checked, 3 dead."
    unread = "The site was not read. If it answers as its settings say: "
    assert rehearse.account_summary(ACCOUNT) == f"{unread}{end}"
    assert rehearse.account_summary(replace(ACCOUNT, site_read=True)) == end
    dead = tuple(DeadLink("a.md", n, f"/{n}/", "page") for n in range(1, 2001))
    differs = (SiteDifference("the text of a.md and 3 more", "empty", ""),)
    text = rehearse.account_text(replace(ACCOUNT, differs=differs, links=CheckedLinks(2000, dead)))
    assert text.count("dead link: ") == 3
    assert "… and 1997 more targets like this; `--format json` lists all of them." in text
    assert (
        "The site differs: the text of a.md and 3 more is not in this clone, and empty on the stage" in text
    )


def test_a_look_needs_a_browser_and_a_folder_of_its_own(
    here: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("kept")
    monkeypatch.setattr("pressync.stage.browser.NAMES", ("true",))
    assert "files that are not of a look" in here.run("rehearse", "--look", str(tmp_path), exits=2).stderr
    assert mine.read_text() == "kept"
    # It ends at once, as a browser does that cannot start.
    told = here.run("rehearse", "--look", str(tmp_path / "new"), exits=1).stdout.splitlines()
    assert "not looked at: content/pages/about.md: the browser has ended" in told
    assert told[-2].startswith("0 pages looked at in windows of 1,280 and 375 px, 2 faults: ")
    monkeypatch.setattr("pressync.stage.browser.NAMES", ())
    said = here.run("rehearse", "--look", str(tmp_path / "none"), exits=2).stderr
    assert "--look needs Chromium or Chrome, and neither is installed; install it (`apt install" in said


def test_the_sheet_of_a_look_shows_the_plan_that_the_rehearsal_has_built(
    here: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def again(*_: object) -> None:
        raise AssertionError("the plan was built a second time")

    monkeypatch.setattr("pressync.stage.browser.NAMES", ("true",))
    monkeypatch.setattr(Workspace, "plan", again)
    with embedded_wordpress.serving() as site:
        here.environ |= {"PRESSYNC_URL": site.url, **embedded_wordpress.ENVIRON}
        here.run("rehearse", "--look", str(tmp_path / "new"), exits=1)
    assert "+Text." in (tmp_path / "new" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["page", "file", "picture", "media", "anchor", "hidden"])
def test_texts_from_outside_stay_on_their_line(kind: str) -> None:
    account = replace(
        ACCOUNT,
        links=CheckedLinks(1, (DeadLink("a.md", 1, HOSTILE, kind),)),
        differs=(
            SiteDifference("theme", "its own", HOSTILE),
            SiteDifference(HOSTILE, "x", f"not read: {HOSTILE}"),
        ),
    )
    seen = SeenPage(HOSTILE, HOSTILE, HOSTILE, (PageFault("wide", HOSTILE, HOSTILE, 375),), (), HOSTILE)
    plain = SeenPage("a.md", "/a/", "A", (PageFault("wide", "<p>", "x", 375),), (), "x")
    before = rehearse.account_text(
        replace(ACCOUNT, links=CheckedLinks(1, (DeadLink("a.md", 1, "x", kind),))),
        SeenPages(Path("pictures"), (plain,)),
    )
    text = rehearse.account_text(account, SeenPages(Path("pictures"), (seen,)))
    assert len(text.split("\n")) == len(before.split("\n"))
    assert all(line.isprintable() for line in text.split("\n"))


ABOUT = "content/pages/about.md"


def line(process: subprocess.Popen[str], begin: str) -> str:
    """Read what a command prints up to a line that begins so."""
    assert process.stdout
    return next(found for found in process.stdout if found.startswith(begin)).strip()


def files(root: Path) -> set[Path]:
    """Name all files of a repository but the objects and notes of its commits."""
    git = root / ".git"
    return {file for file in root.rglob("*") if git not in file.parents or git / "pressync" in file.parents}


def page(address: str) -> str:
    """Open an address."""
    with urlopen(address, timeout=60) as shown:  # noqa: S310 - loopback
        return str(shown.read().decode())


@pytest.mark.sweep
def test_it_follows_a_saved_file_and_ctrl_c_leaves_nothing_behind(here: Terminal) -> None:
    root = here.repository.root
    before = files(root)
    process = started(root, "preview", ABOUT, "--no-open", "--port", "0")
    try:
        address = line(process, "The preview: ").removeprefix("The preview: ")
        assert "<p>Text.</p>" in page(address)
        # At once, as editors save: the preview must not meet half of a file.
        (root / ".saved").write_text("# About\n\nSaved.\n")
        (root / ".saved").replace(root / ABOUT)
        assert line(process, "Changed: ") == f"Changed: {ABOUT}."
        assert "<p>Saved.</p>" in page(address)
        here.repository.commit()
        assert line(process, "Changed: ") == "Changed: the commits of this clone, or its manifest."
        origin = address.removesuffix("/about/")
        # A machine that is too slow for an answer in 20 seconds gives one without facts.
        answers = (json.loads(page(f"{origin}/-/preview/state?at=/about/")) for _ in range(10))
        assert next(said["path"] for said in answers if said["number"]) == ABOUT
    finally:
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate()
    assert process.returncode == 0
    assert rest.endswith("Ending the preview.\n")
    assert files(root) == before
    assert not stages_folder(root / ".git").exists()


def test_a_taken_port_a_path_that_is_not_there_and_a_bare_repository_are_refused(here: Terminal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        said = here.run("preview", "--port", port, exits=2).stderr
    assert f"--port: another program has port {port}; leave `--port` out for the next free one" in said
    assert "'nowhere.md' is not a committed file" in here.run("preview", "nowhere.md", exits=2).stderr
    assert not stages_folder(here.repository.root / ".git").exists()
    here.repository.git("clone", "--quiet", "--bare", ".", "bare.git")
    bare = Terminal(SampleRepository(here.repository.root / "bare.git"), {})
    said = bare.run("preview", exits=2).stderr
    assert "a bare repository does not have a working tree; run this in a clone" in said
