"""Files that version 0.1.0 wrote before its modules moved: this version reads each of them as that one did.

`tests/system/earlier_version` holds them as they were on the disk: a manifest in a file and in a reference,
journals of runs that were killed, the lock of a dead process, a reviewed plan, an installed hook and a
workflow.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.syncing import Site
from tests.support.terminal import Terminal

from pressync.content.render import markdown, page_digest
from pressync.model.changes import Result

if TYPE_CHECKING:
    from tests.support.strict_service import StrictService

WRITTEN = Path(__file__).with_name("earlier_version")
# The service that the earlier version spoke to; the tests put their own in its place.
_URL = "http://127.0.0.1:18127/wp-json"
_DOUBTFUL = "content/pages/news.md"


def test_a_run_that_the_earlier_version_left_goes_on_without_a_second_page(
    tmp_path: Path, strict: StrictService
) -> None:
    terminal = _clone("file", tmp_path, strict)
    first = terminal.run("sync", "--yes", "--format", "json", exits=5)
    results = {row["path"]: row["result"] for row in json.loads(first.stdout)["outcomes"]}
    # The answer to the create was lost; the update that was under way is sent again.
    assert results[_DOUBTFUL] == "in_doubt"
    assert results["content/pages/about.md"] == "done"
    terminal.run("resolve", _DOUBTFUL, "--id", "5")
    terminal.run("sync", "--yes")
    terminal.run("plan", "--exit-code")
    assert sorted(strict.records) == [1, 2, 3, 4, 5]
    assert not strict.violations


def test_a_manifest_of_the_earlier_version_is_a_plan_of_nothing_for_what_was_synced(
    tmp_path: Path, strict: StrictService
) -> None:
    terminal = _clone("file", tmp_path, strict, local=False)
    assert "4 records" in terminal.run("plan", "--ref", "HEAD~1").stdout


def test_only_pages_with_a_quoted_shortcode_are_sent_once_more(
    tmp_path: Path, strict: StrictService, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = SampleRepository.create(tmp_path)
    gallery = "content/pages/gallery.md"
    texts = ('Text "quoted" in [a "bracket"]\n\n`[gallery ids="1"]`\n', "![a](b.png)\n")
    plain = {f"content/pages/{number}.md": text for number, text in enumerate(texts)}
    repository.commit({**plain, gallery: '[gallery ids="1,2"]\n'})
    site = Site(repository.root, strict.url)
    with monkeypatch.context() as earlier:
        earlier.setattr(page_digest, "_RECIPE", 1)
        earlier.setattr(markdown, "as_written", str)
        site.sync()
        assert site.plan().pending == ()
    (outcome,) = site.sync().outcomes
    assert (outcome.change.path, outcome.result) == (gallery, Result.DONE)
    assert [page["content"]["raw"] for page in strict.pages if page["slug"] == "gallery"] == [
        '<p>[gallery ids="1,2"]</p>\n'
    ]
    assert site.sync().outcomes == ()


def test_a_plan_that_was_reviewed_with_the_earlier_version_is_made(tmp_path: Path) -> None:
    repository = _imported("plan", tmp_path)
    terminal = Terminal(repository, {})
    plan = WRITTEN / "plan/plan.json"
    done = terminal.run("sync", "--yes", "--plan", str(plan), "--format", "json")
    assert json.loads(done.stdout)["counts"]["done"] == 3
    # Another commit is another plan.
    repository.commit({"content/pages/more.md": "# More\n"})
    terminal.run("sync", "--yes", "--plan", str(plan), exits=4)


def test_a_reference_that_the_earlier_version_left_in_mid_run_goes_on(
    tmp_path: Path, strict: StrictService
) -> None:
    terminal = _clone("ref", tmp_path, strict)
    terminal.run("sync", "--yes", exits=5)
    terminal.run("resolve", _DOUBTFUL, "--id", "5")
    terminal.run("sync", "--yes")
    terminal.run("plan", "--exit-code")
    assert sorted(strict.records) == [1, 2, 3, 4, 5]


def test_an_installed_hook_of_the_earlier_version_syncs(tmp_path: Path, strict: StrictService) -> None:
    terminal = _clone("file", tmp_path, strict, local=False, site="site_before.json")
    hook = terminal.repository.root / ".git/hooks/post-commit"
    program = Path(sys.executable).with_name("pressync")
    text = (WRITTEN / "file/post-commit").read_text(encoding="utf-8")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(text.replace("@EXECUTABLE@", str(program)), encoding="utf-8")
    hook.chmod(0o755)
    terminal.repository.commit({"content/pages/more.md": "# More\n"})
    assert {record["slug"] for record in strict.pages} >= {"news", "more", "about"}


@pytest.mark.parametrize("command", ["push", "pull_request", "schedule"])
def test_a_workflow_of_the_earlier_version_names_events_that_the_action_still_serves(command: str) -> None:
    workflow = (WRITTEN / "workflow.yml").read_text(encoding="utf-8")
    assert re.search(rf"^  {command}:", workflow, re.MULTILINE)
    action = (Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8")
    for given in re.findall(r"^          ([a-z-]+): (?!0|false)", workflow, re.MULTILINE):
        assert f"  {given}:" in action or given in {"fetch-depth", "persist-credentials"}


def _clone(
    kind: str, folder: Path, strict: StrictService, *, local: bool = True, site: str = "site.json"
) -> Terminal:
    """Put a repository, the site and (if `local`) what the earlier version noted in the clone in place."""
    written = WRITTEN / kind
    repository = _imported(kind, folder, strict.url)
    notes = repository.root / ".git/pressync"
    notes.mkdir()
    if local:
        for file in written.glob("production.*"):
            here = repository.root / ".pressync" if file.suffix == ".json" else notes
            (here / file.name).write_bytes(_readdressed(file.read_bytes(), strict.url))
    else:
        manifest = repository.root / ".pressync/production.json"
        manifest.write_bytes(_readdressed(manifest.read_bytes(), strict.url))
    strict.records.clear()
    for number, record in json.loads((written / site).read_text(encoding="utf-8")).items():
        strict.records[int(number)] = record
    settings = repository.root / "pressync.toml"
    settings.write_bytes(settings.read_bytes().replace(_URL.encode(), strict.url.encode()))
    return Terminal(repository, {})


def _imported(kind: str, folder: Path, url: str = _URL) -> SampleRepository:
    """Make the earlier version's repository; a manifest in its reference gets the address of the service."""
    repository = SampleRepository.create(folder / "repository")
    stream = (WRITTEN / kind / "repository.fast-export").read_bytes()
    if kind == "ref":
        # The ids of the commits on main stand in the manifest, so nothing on main may change.
        target = f'"target": "{_URL}"'.encode()
        assert len(url) == len(_URL), "the stream counts bytes"
        stream = stream.replace(target, f'"target": "{url}"'.encode())
    subprocess.run(
        ["git", "fast-import", "--quiet", "--force"], cwd=repository.root, input=stream, check=True
    )
    repository.git("reset", "--quiet", "--hard", "main")
    return repository


def _readdressed(text: bytes, url: str) -> bytes:
    """Put the address of the test's service into a manifest, or into a journal's first line."""
    first, newline, rest = text.partition(b"\n")
    line, tab, _ = first.rpartition(b"\t")
    if tab:
        line = line.replace(_URL.encode(), url.encode())
        return b"%s\t%08x\n%s" % (line, zlib.crc32(line), rest)
    return text.replace(_URL.encode(), url.encode()) if newline else text
