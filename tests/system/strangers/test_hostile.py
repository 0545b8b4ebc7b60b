"""Content and manifests that were written to do harm: a named problem, or a right result within bounds.

Whoever may change the repository may change the site; that is what it is for. What must hold all the same:
nothing written there takes the machine down, writes to the terminal, reads or writes files outside of the
work tree, reaches another site, or deletes a page whose removal no commit shows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry
from tests.support.repository import SampleRepository
from tests.support.syncing import Site

from pressync.config.settings import load
from pressync.content.documents import DocumentReader
from pressync.content.markdown_text import MOST_HEADINGS
from pressync.model.bounds import MIB, PAGE
from pressync.model.changes import Blocked, Delete, Update
from pressync.model.errors import ManifestError
from pressync.model.records import Manifest, Source
from pressync.state.manifest.codec import encode

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.strict_service import StrictService

    from pressync.model.records import Entry


@pytest.fixture
def site(repository: SampleRepository, strict: StrictService) -> Site:
    """Bind one page that the site has to the strict service."""
    repository.commit({"content/pages/about.md": "# About\n"})
    made = Site(repository.root, strict.url)
    made.sync()
    return made


def problems(text: str) -> list[str]:
    source = Source("content/pages/a.md", "b" * 40)
    reading = DocumentReader(load(None, where="", environ={})).read(source, text.encode())
    assert (reading.document is None) == any(not problem.warning for problem in reading.problems)
    return [str(problem) for problem in reading.problems]


def manifest_of(site: Site, *entries: Entry, target: str = "") -> Path:
    """Put a manifest in place, as a merged pull request would."""
    path = site.root / ".pressync/default.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(encode(Manifest(target or site.url, {each.path: each for each in entries})))
    return path


class TestContent:
    """What a writer, or an importer, can put into a file."""

    def test_a_file_of_fifty_megabytes_is_too_large(self) -> None:
        (problem,) = problems("word " * 10_000_000)
        assert problem.startswith(
            "content/pages/a.md: the file has 47.7 MiB, and a page has at most 8 MiB; split"
        )

    @pytest.mark.sweep
    def test_a_file_that_is_just_not_too_large_is_read(self) -> None:
        assert problems("x" * PAGE.most) == []

    @pytest.mark.parametrize("heading", ["# a\n", "> - ### a\n", "a\n===\n\n"])
    def test_so_many_headings_that_rendering_would_take_hours_are_a_problem_with_its_line(
        self, heading: str
    ) -> None:
        line = MOST_HEADINGS * heading.count("\n") + 1 + ("===" in heading)
        assert problems(heading * MOST_HEADINGS) == []
        assert problems(heading * (MOST_HEADINGS + 1)) == [
            f"content/pages/a.md:{line}: this is heading number 5,001, one too many; split the file"
        ]

    def test_half_a_character_in_json_is_a_problem_with_its_line(self) -> None:
        assert problems('{"title": "\\ud83d\\ude00 \\\\ud800",\n "slug": "\\ud800x"}\n') == [
            "content/pages/a.md:2: front matter has half of a character (\\ud800); write the character itself"
        ]

    def test_a_number_that_python_would_not_read_is_a_problem(self) -> None:
        (problem,) = problems('{"title": ' + "9" * 5000 + "}\n")
        assert problem.startswith(
            "content/pages/a.md:1: front matter has a number of thousands of digits; put"
        )

    def test_a_yaml_bomb_is_a_problem(self) -> None:
        rows = ["a: &a0 [x, x, x, x, x, x, x, x, x]"]
        rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
        (problem,) = problems("---\n" + "\n".join(rows) + "\n---\n")
        assert "front matter has too many aliases; write the values out" in problem

    @pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
    def test_yaml_nested_without_end_is_a_problem(self, opening: str) -> None:
        (problem,) = problems(f"---\na: {opening * 10_000}\n---\n")
        assert problem.startswith("content/pages/a.md:2: front matter ")

    def test_a_symbolic_link_is_no_document_wherever_it_leads(self, site: Site, tmp_path: Path) -> None:
        (tmp_path / "secret.md").write_text("# Secret\n")
        pages = site.root / "content/pages"
        (pages / "out.md").symlink_to(tmp_path / "secret.md")
        (pages / "inside.md").symlink_to("about.md")
        (pages / "folder").symlink_to(tmp_path)
        (site.root / "templates").symlink_to(tmp_path)
        _commit(site)
        assert site.plan().pending == ()

    def test_a_template_reaches_nothing_beyond_its_data(self, site: Site) -> None:
        for expression in (
            "''.__class__.__mro__",
            "content.__init__.__globals__",
            "fields.__class__",
            "cycler.__init__.__globals__.os.popen('id')",
            "self.__init__.__globals__",
            "''|attr('__class__')",
            "'{0.__class__}'.format(title)",
            "title.format_map",
            "lipsum.__globals__",
            "namespace.__init__",
        ):
            _commit(site, {"templates/page.html": f"{{{{ {expression} }}}}\n{{{{ content }}}}"})
            plan = site.plan()
            wrong = [problem for problem in plan.problems if not problem.warning]
            # What is not refused is data that says nothing: the sandbox hides what begins with underscores.
            assert wrong or all(isinstance(change, Update) for change in plan.pending), expression
            for problem in wrong:
                assert (problem.path, problem.line) == ("templates/page.html", 1)

    def test_a_template_includes_nothing_from_outside(self, site: Site) -> None:
        (site.root.parent / "secret.html").write_text("secret")
        for name in ("../secret.html", "/etc/passwd", "..\\secret.html", "./../secret.html"):
            _commit(site, {"templates/page.html": f"{{% include {json.dumps(name)} %}}"})
            (problem,) = site.plan().problems
            assert str(problem).startswith("templates/page.html:1: there is no template `")


class TestSizes:
    """Git stores 600 MB of spaces in 3 MB, so whoever may push can commit them."""

    @pytest.mark.sweep
    def test_no_process_holds_a_file_that_is_too_large(self, repository: SampleRepository) -> None:
        settings = '[sites.live]\nurl = "http://127.0.0.1:9/"\ndialect = "documented"\nmanifest = "ref"\n'
        repository.commit({"content/pages/a.md": "# A\n", "pressync.toml": settings})
        large = _stored(repository, 200 * MIB)
        for path in ("content/pages/b.md", "templates/page.html"):
            repository.git("update-index", "--add", "--cacheinfo", f"100644,{large},{path}")
        repository.git("commit", "--quiet", "-m", "large")
        said = _bounded(repository, "plan")
        assert "content/pages/b.md: the file has 200.0 MiB, and a page has at most 8 MiB; split it" in said
        repository.git("rm", "--quiet", "--cached", "content/pages/b.md")
        repository.git("commit", "--quiet", "-m", "only the template")
        said = _bounded(repository, "plan")
        what = "the file has 200.0 MiB, and a template has at most 1 MiB"
        assert f"templates/page.html: {what} (rendering content/pages/a.md); make it smaller" in said
        repository.git("read-tree", "--empty")
        repository.git("update-index", "--add", "--cacheinfo", f"100644,{large},manifest.json")
        manifest = repository.git("commit-tree", repository.git("write-tree"), "-m", "a manifest")
        repository.git("update-ref", "refs/pressync/live", manifest)
        said = _bounded(repository, "plan")
        what = "the file has 200.0 MiB, and its first 32 MiB have 0 rows; restore it from Git"
        assert f"manifest.json of refs/pressync/live ({manifest[:10]}): {what}" in said

    @pytest.mark.parametrize("path", [".pressync/live.json", "pressync.toml"])
    def test_no_file_of_the_work_tree_is_read_that_is_too_large(
        self, repository: SampleRepository, path: str
    ) -> None:
        settings = '[sites.live]\nurl = "http://127.0.0.1:9/"\ndialect = "documented"\n'
        repository.commit({"content/pages/a.md": "# A\n", "pressync.toml": settings, path: settings})
        os.truncate(repository.root / path, 200 * MIB)
        said = _bounded(repository, "plan")
        assert f"{path}: the file has 200.0 MiB, and " in said

    @pytest.mark.sweep
    def test_a_manifest_of_history_that_is_too_large_is_not_searched(
        self, repository: SampleRepository
    ) -> None:
        settings = '[sites.live]\nurl = "http://127.0.0.1:9/"\ndialect = "documented"\n'
        repository.commit({"content/pages/a.md": "# A\n", "pressync.toml": settings})
        large = _stored(repository, 200 * MIB)
        repository.git("update-index", "--add", "--cacheinfo", f"100644,{large},.pressync/live.json")
        repository.git("commit", "--quiet", "-m", "large")
        repository.git("rm", "--quiet", "--cached", ".pressync/live.json")
        repository.git("commit", "--quiet", "-m", "removed")
        assert "1 to create" in _bounded(repository, "plan", exits=0)


class TestAStrangersManifest:
    """What a pull request that changes the manifest can do once it is merged, and what it cannot."""

    def test_it_never_sends_to_another_site(self, site: Site) -> None:
        manifest_of(site, target="https://attacker.example/wp-json")
        with pytest.raises(ManifestError, match="the ids differ"):
            site.sync()

    def test_a_page_that_no_commit_removed_is_never_deleted(self, site: Site, strict: StrictService) -> None:
        victim = entry("content/pages/never-there.md", 1, commit=_head(site))
        manifest_of(site, victim)
        assert not [change for change in site.plan().changes if isinstance(change, Delete)]
        site.sync()
        assert [page["status"] for page in strict.pages] == ["publish"]

    def test_a_file_that_it_binds_to_another_page_is_blocked_with_that_id_in_the_plan(
        self, site: Site
    ) -> None:
        # A page that this clone has synced under another id needs a person's word, or `id: 99` in its file.
        manifest_of(site, entry("content/pages/about.md", 99, commit=_head(site)))
        (change,) = site.plan().changes
        assert isinstance(change, Blocked)
        assert (change.path, change.id) == ("content/pages/about.md", 99)
        assert "`pressync adopt content/pages/about.md 99`" in change.reason

    def test_only_a_web_address_gets_from_it_into_a_page(self, site: Site, strict: StrictService) -> None:
        (about,) = site.entries().values()
        breaking_out = 'https://site.test/"><script>x</script>'
        for link in ("javascript:alert(1)", "data:text/html,x", 'x" onclick="y', "//evil", breaking_out):
            manifest_of(site, entry(about.path, about.id, link=link, commit=about.commit))
            _commit(site, {"content/pages/new.md": f"# New\n\n[about](about.md)\n\n{len(link)}\n"})
            site.sync()
            assert link not in str(strict.pages)
            assert "<script>" not in str(strict.pages)

    def test_a_path_that_leaves_the_tree_is_refused(self, site: Site) -> None:
        path = manifest_of(site, entry("content/pages/about.md", 1))
        path.write_text(path.read_text().replace("content/pages/about.md", "../../etc/passwd"))
        with pytest.raises(ManifestError, match=r"'../../etc/passwd' is not a path inside the repository"):
            site.plan()

    def test_a_link_in_its_place_is_not_followed_out_of_the_work_tree(
        self, site: Site, tmp_path: Path
    ) -> None:
        path = site.root / ".pressync/default.json"
        for target in ("../outside.json", ".git/hooks/post-commit", "/nowhere/outside"):
            path.unlink()
            path.symlink_to(target if target.startswith("/") else site.root / target)
            for look in (site.plan, site.sync):
                with pytest.raises(ManifestError, match=r"which is outside the work tree; make it a file"):
                    look()
            assert not path.exists()
        path.unlink()
        path.parent.rmdir()
        path.parent.symlink_to(tmp_path)
        with pytest.raises(ManifestError, match="which is outside the work tree"):
            site.sync()

    def test_a_huge_one_is_read_or_refused(self, site: Site) -> None:
        path = manifest_of(site)
        path.write_text('{"version": 1, "target": "t", "records": [' + '{"path": ' * 1_000_000)
        with pytest.raises(ManifestError, match=r"default.json:1: it ends too early"):
            site.plan()


def _commit(site: Site, files: dict[str, str] | None = None) -> None:
    SampleRepository(site.root).commit(files)


def _head(site: Site) -> str:
    return SampleRepository(site.root).head()


def _stored(repository: SampleRepository, size: int) -> str:
    """Store so many spaces as a blob, and give its id."""
    store = ("git", "-c", "core.compression=1", "hash-object", "-w", "--stdin")
    with subprocess.Popen(
        store, cwd=repository.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as git:
        assert git.stdin
        assert git.stdout
        for _ in range(size // MIB):
            git.stdin.write(" " * MIB)
        git.stdin.close()
        return git.stdout.read().strip()


# Linux counts the memory of the process that starts another one as that one's. So a small process starts it.
_MEASURED = """
import resource, subprocess, sys
status = subprocess.run([sys.executable, "-m", "pressync", *sys.argv[1:]]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, status, sep="\\n")
"""


def _bounded(repository: SampleRepository, *arguments: str, exits: int = 2) -> str:
    """Run a command in a process, and check the memory that it or one of its children took."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, *arguments],
        cwd=repository.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    *_, used, status = done.stdout.splitlines()
    assert int(status) == exits, done.stdout
    # It is in KiB on Linux, and in bytes on macOS.
    assert int(used) // (MIB if sys.platform == "darwin" else 1024) < 150, done.stdout
    return done.stdout
