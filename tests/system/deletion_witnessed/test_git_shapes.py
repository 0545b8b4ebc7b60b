"""Every shape of a clone, from end to end: what is synced, what is never deleted, what is said.

The shapes as `repo` reads them have their tests there; here each is synced to a service that refuses any
deviation, and the second plan must be quiet.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.syncing import Site

from pressync.model.changes import Blocked, Delete, Update
from pressync.model.errors import ManifestError, RepositoryError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.strict_service import StrictService

    from pressync.model.changes import Plan

PAGES = {"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n", "content/pages/c/d.md": "# D\n"}


@pytest.fixture
def origin(repository: SampleRepository, strict: StrictService) -> SampleRepository:
    """Make a repository of three pages that are synced, its manifest committed, for others to clone."""
    repository.commit(PAGES)
    Site(repository.root, strict.url).sync()
    repository.commit(message="Sync")
    repository.git("config", "uploadpack.allowFilter", "true")
    return repository


def cloned(origin: SampleRepository, folder: Path, *options: str) -> SampleRepository:
    command = ["git", "clone", "--quiet", *options, f"file://{origin.root}", str(folder)]
    subprocess.run(command, check=True)
    return SampleRepository(folder)


def synced(root: Path, strict: StrictService) -> list[str]:
    """Sync a clone, see that the next plan is quiet, and give the titles of what the service holds."""
    site = Site(root, strict.url)
    site.sync()
    assert not site.plan().pending
    assert strict.violations == []
    return sorted(page["title"]["raw"] for page in strict.pages if page["status"] != "trash")


def of_kind(plan: Plan, kind: type) -> list[str]:
    return [change.path for change in plan.changes if isinstance(change, kind)]


def test_a_linked_work_tree_syncs_and_shares_what_the_clone_made(
    origin: SampleRepository, strict: StrictService, tmp_path: Path
) -> None:
    origin.git("worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "tree"))
    tree = SampleRepository(tmp_path / "tree")
    assert (tree.root / ".git").is_file()
    tree.commit({"content/pages/new.md": "# New\n"})
    assert synced(tree.root, strict) == ["A", "B", "D", "New"]
    # The first work tree's branch has neither file nor entry; merged without the manifest, no twin is made.
    origin.commit({"content/pages/new.md": "# New\n"})
    plan = Site(origin.root, strict.url).plan()
    assert of_kind(plan, Blocked) == ["content/pages/new.md"]


def test_a_submodule_is_a_clone_like_any_other(
    origin: SampleRepository, strict: StrictService, tmp_path: Path
) -> None:
    outer = SampleRepository.create(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(origin.root), "docs")
    inner = SampleRepository(outer.root / "docs")
    assert (inner.root / ".git").is_file()
    inner.commit({"content/pages/a.md": "# A again\n"})
    assert synced(inner.root, strict) == ["A again", "B", "D"]


def test_a_shallow_clone_never_deletes_what_it_did_not_see_removed(
    origin: SampleRepository, strict: StrictService, tmp_path: Path
) -> None:
    origin.remove("content/pages/b.md")
    origin.commit({"content/pages/a.md": "# A again\n"})
    shallow = cloned(origin, tmp_path / "shallow", "--depth=1")
    plan = Site(shallow.root, strict.url).plan()
    assert of_kind(plan, Delete) == []
    assert of_kind(plan, Update) == ["content/pages/a.md"]
    (blocked,) = (change for change in plan.changes if isinstance(change, Blocked))
    assert blocked.path == "content/pages/b.md"
    assert "shallow" in blocked.reason
    # With its history it knows.
    shallow.git("fetch", "--quiet", "--unshallow")
    assert of_kind(Site(shallow.root, strict.url).plan(), Delete) == ["content/pages/b.md"]


def test_a_checkout_without_the_manifest_is_refused_for_it_would_make_twins(
    origin: SampleRepository, strict: StrictService, tmp_path: Path
) -> None:
    sparse = cloned(origin, tmp_path / "sparse", "--no-checkout")
    sparse.git("sparse-checkout", "set", "--no-cone", "/content/")
    sparse.git("checkout", "--quiet", "main")
    assert not (sparse.root / ".pressync").exists()
    site = Site(sparse.root, strict.url)
    for look in (site.plan, site.sync):
        with pytest.raises(
            ManifestError, match=r"default.json: it is committed, but it is not in this work tree; `git sp"
        ):
            look()
    sparse.git("sparse-checkout", "add", "/.pressync/")
    assert not site.plan().pending


def test_a_partial_clone_fetches_what_it_needs(
    origin: SampleRepository, strict: StrictService, tmp_path: Path
) -> None:
    partial = cloned(origin, tmp_path / "partial", "--filter=blob:none", "--no-checkout")
    partial.git("sparse-checkout", "set", "--no-cone", "/.pressync/")
    partial.git("checkout", "--quiet", "main")
    origin.commit({"content/pages/a.md": "# A again\n"})
    partial.git("pull", "--quiet")
    assert not (partial.root / "content/pages/a.md").exists()
    assert synced(partial.root, strict) == ["A again", "B", "D"]


def test_a_repository_of_sha_256_objects(strict: StrictService, tmp_path: Path) -> None:
    made = tmp_path / "sha256"
    command = ["git", "init", "--quiet", "-b", "main", "--object-format=sha256", str(made)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("this Git knows no SHA-256 objects")
    repository = SampleRepository(made)
    repository.commit(PAGES)
    assert len(repository.head()) == 64
    assert synced(made, strict) == ["A", "B", "D"]
    repository.remove("content/pages/b.md")
    repository.move("content/pages/a.md", "content/pages/z.md")
    repository.commit()
    assert synced(made, strict) == ["A", "D"]


def test_an_unborn_branch_says_to_commit_first(repository: SampleRepository, strict: StrictService) -> None:
    repository.write("content/pages/a.md", "# A\n")
    with pytest.raises(RepositoryError, match="commit"):
        Site(repository.root, strict.url).sync()


def test_odd_names_are_synced(origin: SampleRepository, strict: StrictService) -> None:
    composed, apart = "caf\u00e9", "cafe\u0301"
    names = ["two words", '"quoted"', "back\\slash", "-dash", "a'b", "日本", composed, f"{apart}-2", "x#y?z"]
    origin.commit({f"content/pages/odd/{name}.md": f"# {name}\n" for name in names})
    assert {*names} <= {*synced(origin.root, strict)}
    origin.move("content/pages/odd/日本.md", "content/pages/odd/two\u3000.md")
    origin.commit()
    count = len(strict.pages)
    assert "日本" in synced(origin.root, strict)
    assert len(strict.pages) == count


def test_a_name_that_no_manifest_can_hold_is_a_problem_and_stops_no_other(
    origin: SampleRepository, strict: StrictService
) -> None:
    origin.write("content/pages/line\nbreak.md", "# Line\n")
    blob = origin.git("hash-object", "-w", "content/pages/a.md")
    origin.git("add", "--all")
    row = b"100644 %s\tcontent/pages/latin\xe9.md\0" % blob.encode()
    subprocess.run(["git", "update-index", "-z", "--index-info"], input=row, cwd=origin.root, check=True)
    origin.git("commit", "--quiet", "-m", "Odd names")
    origin.write("content/pages/a.md", "# A again\n")
    origin.git("commit", "--quiet", "-m", "An edit", "content/pages/a.md")
    site = Site(origin.root, strict.url)
    wrong = {problem.path: problem.todo for problem in site.plan().problems}
    assert wrong == dict.fromkeys(
        ("content/pages/line\nbreak.md", "content/pages/latin\udce9.md"), "rename the file"
    )
    site.sync(keep_going=True)
    assert sorted(page["title"]["raw"] for page in strict.pages) == ["A again", "B", "D"]


def test_a_detached_head_a_rename_of_case_and_a_file_that_became_a_folder_of_its_name(
    origin: SampleRepository, strict: StrictService
) -> None:
    origin.git("checkout", "--quiet", "--detach")
    origin.git("mv", "content/pages/b.md", "content/pages/B.md")
    origin.commit()
    before = {page["id"] for page in strict.pages}
    assert synced(origin.root, strict) == ["A", "B", "D"]
    assert {page["id"] for page in strict.pages} == before
    # Line ends alone are not a change.
    origin.commit({"content/pages/a.md": "# A\r\n"})
    assert not Site(origin.root, strict.url).plan().pending
    origin.remove("content/pages/a.md")
    origin.commit({"content/pages/a.md/index.md": "# Inside\n"})
    assert synced(origin.root, strict) == ["B", "D", "Inside"]


def test_links_and_submodules_in_the_content_are_no_documents_and_delete_nothing(
    origin: SampleRepository, strict: StrictService, tmp_path: Path
) -> None:
    (origin.root / "content/pages/in.md").symlink_to("a.md")
    (origin.root / "content/pages/out.md").symlink_to("/etc/hostname")
    origin.remove("content/pages/b.md")
    (origin.root / "content/pages/b.md").symlink_to("a.md")
    other = SampleRepository.create(tmp_path / "other")
    other.commit({"content/pages/x.md": "# X\n"})
    origin.git(
        *("-c", "protocol.file.allow=always", "submodule", "--quiet", "add"),
        *(str(other.root), "content/pages/theirs"),
    )
    origin.commit()
    plan = Site(origin.root, strict.url).plan()
    assert of_kind(plan, Delete) == []
    assert not plan.pending


def test_what_is_committed_counts_whatever_attributes_say(
    origin: SampleRepository, strict: StrictService
) -> None:
    origin.git("config", "filter.shout.clean", "tr a-z A-Z")
    origin.git("config", "filter.shout.smudge", "cat")
    origin.write(".gitattributes", "*.md text eol=crlf\nsecret.md export-ignore\nloud.md filter=shout\n")
    origin.commit({"content/pages/secret.md": "# Kept\n", "content/pages/loud.md": "# loud\r\n"})
    assert synced(origin.root, strict) == ["A", "B", "D", "Kept", "LOUD"]
