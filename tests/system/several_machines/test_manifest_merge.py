"""Manifests are merged: by Git on two branches, in real repositories, and out of conflict markers."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry, manifest
from tests.support.repository import SampleRepository
from tests.support.syncing import Site, stored_pages
from tests.support.terminal import Terminal

from pressync.app.init import install_merge_driver, merged_pattern
from pressync.app.manifest import fix, merge_files, sides
from pressync.model import bounds
from pressync.model.errors import ConfigError, ManifestError, RepositoryError, StorageError
from pressync.stage.server.server import running
from pressync.state.manifest.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.support.strict_service import StrictService

    from pressync.model.records import Manifest
    from pressync.stage.server.server import RunningService

MANIFEST = ".pressync/default.json"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with running(tmp_path / "site.db") as serving:
        yield serving


@pytest.fixture
def site(repository: SampleRepository, service: RunningService) -> Site:
    """Sync three pages, install the driver, and commit everything on main."""
    repository.commit({f"content/pages/{name}.md": f"# {name}\n" for name in ("a", "m", "z")})
    made = Site(repository.root, service.url)
    made.sync()
    with made.workspace() as workspace:
        install_merge_driver(workspace)
    repository.commit()
    return made


def branch(site: Site, repository: SampleRepository, name: str, files: Mapping[str, str]) -> Site:
    """Clone for a colleague, who commits on a new branch, syncs and pushes it."""
    root = site.root.parent / name
    repository.git("clone", "--quiet", str(repository.root), str(root))
    clone = SampleRepository(root)
    clone.git("switch", "--quiet", "--create", name)
    clone.commit(dict(files))
    made = Site(root, site.url)
    made.sync()
    clone.commit(message="Remember what was sent")
    clone.git("push", "--quiet", "origin", name)
    return made


def merged(repository: SampleRepository, *names: str) -> bool:
    """Merge branches into main, one by one; false if a person has to finish a merge."""
    for name in names:
        try:
            repository.git("merge", "--quiet", "--no-edit", name)
        except subprocess.CalledProcessError:
            return False
    return True


def known(repository: SampleRepository) -> Manifest:
    return decode((repository.root / MANIFEST).read_text(), where=MANIFEST)


def test_pages_made_on_two_branches_side_by_side_merge_without_a_conflict(
    site: Site, repository: SampleRepository, service: RunningService
) -> None:
    branch(site, repository, "left", {"content/pages/n1.md": "# N1\n", "content/pages/a.md": "# A2\n"})
    branch(site, repository, "right", {"content/pages/n2.md": "# N2\n", "content/pages/z.md": "# Z2\n"})
    assert merged(repository, "left", "right")
    assert [path.rpartition("/")[2] for path in known(repository).entries] == [
        "a.md", "m.md", "n1.md", "n2.md", "z.md",
    ]  # fmt: skip
    assert not site.plan().pending
    assert len(stored_pages(service)) == 5


@pytest.mark.sweep
def test_fields_of_one_page_written_on_two_branches_are_up_to_date_after_one_more_sync(
    site: Site, repository: SampleRepository, service: RunningService
) -> None:
    text = "---\ntitle: {}\n---\n\nOne.\n\nTwo.\n\n{}\n"
    branch(site, repository, "left", {"content/pages/m.md": text.format("Left", "m")})
    branch(site, repository, "right", {"content/pages/m.md": text.format("Right", "End.")})
    merged(repository, "left")
    assert not merged(repository, "right"), "of the document, a person has to choose"
    assert MANIFEST not in repository.git("diff", "--name-only", "--diff-filter=U")
    repository.commit({"content/pages/m.md": text.format("Left", "End.")})
    site.sync()
    page = next(page for page in stored_pages(service) if page["slug"] == "m")
    assert "Left" in str(page["title"])
    assert "End." in str(page["content"])
    assert not site.plan().pending


@pytest.mark.sweep
def test_the_same_page_made_on_two_branches_shows_both_ids_and_waits_for_a_person(
    site: Site, repository: SampleRepository, service: RunningService
) -> None:
    new = {"content/pages/n.md": "# New\n"}
    left = branch(site, repository, "left", new).entries()["content/pages/n.md"]
    right = branch(site, repository, "right", new).entries()["content/pages/n.md"]
    merged(repository, "left")
    assert not merged(repository, "right")
    text = (repository.root / MANIFEST).read_text()
    assert f'"id": {left.id}' in text
    assert f'"id": {right.id}' in text
    with pytest.raises(ManifestError, match="conflict markers of an unfinished merge"):
        site.sync()
    assert (repository.root / MANIFEST).read_text() == text, "nothing is written over it"

    # A person keeps one of the two, and deletes the other on the site.
    (repository.root / MANIFEST).write_text(text.partition("<<<<<<< ours\n")[0] + _after(text))
    repository.commit()
    service.store.delete(right.kind, right.id)
    site.sync()
    assert known(repository).entries["content/pages/n.md"].id == left.id
    assert sorted(str(page["slug"]) for page in stored_pages(service)) == ["a", "m", "n", "z"]


def _after(text: str) -> str:
    ours, _, rest = text.partition("<<<<<<< ours\n")[2].partition("=======\n")
    return ours + rest.partition(">>>>>>> theirs\n")[2]


def test_what_is_no_manifest_is_kept_whole_from_both_sides(tmp_path: Path) -> None:
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    base.write_text("")
    ours.write_text(encode(manifest(entry("a.md", 1))))
    theirs.write_text('{"version": 99, "target": "t", "records": []}\n')
    (left,) = merge_files(base, ours, theirs, "m.json")
    assert left == "it was written by a newer pressync (version 99); both sides are in it, whole"
    assert encode(manifest(entry("a.md", 1))).strip() in ours.read_text()
    assert '"version": 99' in ours.read_text()
    with pytest.raises(ManifestError, match="conflict markers"):
        decode(ours.read_text(), where="m.json")


def test_a_common_state_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    base.write_text("<<<<<<< what was committed with markers in it\n")
    ours.write_text(encode(manifest(entry("a.md", 1))))
    theirs.write_text(encode(manifest(entry("b.md", 2))))
    assert merge_files(base, ours, theirs, "m.json") == ()
    assert decode(ours.read_text(), where="m.json") == manifest(entry("a.md", 1), entry("b.md", 2))


def test_a_file_that_is_larger_than_a_manifest_may_be_or_not_there_is_told(tmp_path: Path) -> None:
    for name in ("base", "ours", "theirs"):
        (tmp_path / name).write_text(encode(manifest()))
    os.truncate(tmp_path / "theirs", bounds.MANIFEST.most + 1)
    with pytest.raises(ManifestError, match=r"^m.json: the file has 1,024.0 MiB, and a"):
        merge_files(tmp_path / "base", tmp_path / "ours", tmp_path / "theirs", "m.json")
    assert (tmp_path / "ours").read_text() == encode(manifest())
    (tmp_path / "base").unlink()
    with pytest.raises(StorageError, match="it cannot be read"):
        merge_files(tmp_path / "base", tmp_path / "ours", tmp_path / "theirs", "m.json")


def test_installed_twice_it_stands_once_in_the_attributes_with_line_ends_of_the_others(
    site: Site, repository: SampleRepository
) -> None:
    attributes = repository.root / ".gitattributes"
    for before, end in ("*.md text", "\n"), ("*.md text\r\n", "\r\n"):
        attributes.write_bytes(before.encode())
        for written in (True, False):
            with site.workspace() as workspace:
                _, step = install_merge_driver(workspace)
            assert (step.text is not None) is written
        expected = f"*.md text{end}/.pressync/*.json merge=pressync{end}"
        assert attributes.read_bytes() == expected.encode()
    assert "manifest merge %O %A %B %P" in repository.git("config", "merge.pressync.driver")
    assert merged_pattern(".pressync/production.json") == "/.pressync/*.json"
    assert merged_pattern("memory.json") == "/memory.json"


def test_a_bare_repository_merges_nothing(repository: SampleRepository, site: Site, tmp_path: Path) -> None:
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    with Site(tmp_path / "bare", site.url).workspace() as workspace, pytest.raises(RepositoryError):
        install_merge_driver(workspace)


@pytest.mark.sweep
def test_no_module_of_the_repository_is_imported(site: Site, repository: SampleRepository) -> None:
    repository.commit({"click.py": "raise SystemExit('a file of the repository ran')\n"})
    branch(site, repository, "theirs", {"content/pages/b.md": "# b\n"})
    repository.commit({"content/pages/c.md": "# c\n"})
    site.sync()
    repository.commit(message="Remember what was sent")
    assert merged(repository, "theirs")
    assert {"content/pages/b.md", "content/pages/c.md"} <= known(repository).entries.keys()


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


@pytest.mark.parametrize("committed", [False, True], ids=["while Git is merging", "after it was committed"])
def test_both_pages_are_in_the_mended_manifest(
    conflict: Site, strict: StrictService, *, committed: bool
) -> None:
    repository = SampleRepository(conflict.root)
    if committed:
        repository.commit(message="Merge, and do not look")
    terminal = Terminal(repository, {"PRESSYNC_URL": strict.url})
    refused = terminal.run("plan", exits=2)
    assert f"`pressync manifest fix {conflict.root / MANIFEST}` puts both sides together" in refused.stderr
    named = () if committed else (MANIFEST,)
    fixed = terminal.run("manifest", "fix", *named)
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


def test_what_is_not_a_conflict_or_no_manifest_is_told_and_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "production.json"
    for text, error, said in (
        ("{}\n", ConfigError, "it does not have conflict markers"),
        ("<<<<<<< a\n{\n=======\n", ConfigError, "does not end; `git checkout --merge -- production.json`"),
        ("<<<<<<< a\nours\n=======\ntheirs\n>>>>>>> b\n", ManifestError, "our side"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(error, match=said):
            fix(file, "production.json")
        assert file.read_text(encoding="utf-8") == text
