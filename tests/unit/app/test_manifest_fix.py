"""Two clones that each made a page and merged without the driver: one command mends their manifest."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry, manifest
from tests.support.repository import SampleRepository
from tests.support.syncing import Site
from tests.support.terminal import Terminal

from pressync.app.manifest_fix import fix, sides
from pressync.model.errors import ConfigError, ManifestError
from pressync.state.manifest.codec import decode, encode

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.strict_service import StrictService

MANIFEST = ".pressync/default.json"


@pytest.fixture
def conflict(repository: SampleRepository, strict: StrictService) -> Site:
    """Let two clones each make a page beside the other's, and merge them line by line."""
    repository.commit({"content/pages/m.md": "# M\n"})
    site = Site(repository.root, strict.url)
    site.sync()
    repository.commit(message="Remember what was sent")
    repository.git("branch", "colleague")
    for name, branch in (("n1", "main"), ("n2", "colleague")):
        repository.git("switch", "--quiet", branch)
        repository.commit({f"content/pages/{name}.md": f"# {name}\n"})
        site.sync()
        repository.commit(message="Remember what was sent")
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "--quiet", "main")
    return site


def test_a_manifest_with_markers_names_the_command_that_mends_it(
    conflict: Site, strict: StrictService
) -> None:
    terminal = Terminal(SampleRepository(conflict.root), {"PRESSYNC_URL": strict.url})
    refused = terminal.run("plan", exits=2)
    assert f"`pressync manifest fix {conflict.root / MANIFEST}` puts both sides together" in refused.stderr


@pytest.mark.parametrize("committed", [False, True], ids=["while Git is merging", "after it was committed"])
def test_both_pages_are_in_the_mended_manifest(
    conflict: Site, strict: StrictService, *, committed: bool
) -> None:
    repository = SampleRepository(conflict.root)
    if committed:
        repository.commit(message="Merge, and do not look")
    terminal = Terminal(repository, {"PRESSYNC_URL": strict.url})
    fixed = terminal.run("manifest", "fix", MANIFEST)
    assert f"next: `git add {conflict.root / MANIFEST}`" in fixed.stderr
    repository.commit(message="Merge")
    assert sorted(conflict.entries()) == [f"content/pages/{name}.md" for name in ("m", "n1", "n2")]
    assert not conflict.plan().pending
    assert len(strict.pages) == 3


def test_one_path_with_two_records_keeps_its_markers_and_says_what_to_do(tmp_path: Path) -> None:
    ours, theirs = (encode(manifest(entry("content/pages/a.md", number))) for number in (5, 9))
    file = tmp_path / "production.json"
    file.write_text(f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> b\n", encoding="utf-8")
    (sentence,) = fix(file, "production.json")
    assert "both are on the site" in sentence
    assert "<<<<<<<" in file.read_text(encoding="utf-8")
    assert fix(file, "production.json") == (sentence,), "a second time says the same"


def test_the_common_side_keeps_what_one_side_deleted_away(tmp_path: Path) -> None:
    before = encode(manifest(entry("content/pages/a.md", 1), entry("content/pages/b.md", 2)))
    after = encode(manifest(entry("content/pages/a.md", 1)))
    file = tmp_path / "production.json"
    file.write_text(
        f"<<<<<<< HEAD\n{after}||||||| base\n{before}=======\n{before}>>>>>>> b\n", encoding="utf-8"
    )
    assert fix(file, "production.json") == ()
    assert list(decode(file.read_text(encoding="utf-8"), where="").entries) == ["content/pages/a.md"]


def test_a_marker_begins_a_line_of_the_file() -> None:
    ours, theirs = ("a\u2028=======\n", "b\x85>>>>>>> b\n")
    text = f"<<<<<<< a\n{ours}=======\n{theirs}>>>>>>> b\n"
    assert sides(text, "production.json") == ("", ours, theirs)


@pytest.mark.parametrize(
    ("text", "said"),
    [("{}\n", "there are no conflict markers in it"), ("<<<<<<< a\n{\n=======\n", "does not end")],
)
def test_what_is_not_a_conflict_is_told(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        sides(text, "production.json")


def test_a_side_that_is_no_manifest_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "production.json"
    file.write_text("<<<<<<< a\nours\n=======\ntheirs\n>>>>>>> b\n", encoding="utf-8")
    with pytest.raises(ManifestError, match="our side"):
        fix(file, "production.json")
    assert file.read_text(encoding="utf-8").startswith("<<<<<<< a\nours")
