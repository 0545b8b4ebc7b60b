"""`pressync init`: from an empty repository to the first sync; it overwrites nothing and writes no secret."""

from __future__ import annotations

import subprocess
import tomllib
from base64 import b64encode
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.support.strict_service import serving as strictly_serving
from tests.support.terminal import Terminal
from tests.support.wordpress_lookalike import serving

from pressync.app.init import RemoteSite, begin, settings
from pressync.cli.commands import init
from pressync.cli.main import pressync
from pressync.config import settings as config
from pressync.model.errors import ConfigError, StorageError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository


WORKFLOW = ".github/workflows/pressync.yml"


@pytest.fixture
def fresh(repository: SampleRepository) -> Terminal:
    """Make a repository without a commit, and nothing in the environment."""
    return Terminal(repository, {})


def test_what_init_writes_can_be_committed_and_synced_at_once(fresh: Terminal) -> None:
    said = fresh.run("init").stdout
    assert "wrote pressync.toml" in said
    assert said.rstrip().endswith("pressync sync")
    fresh.repository.commit()
    assert "0 problems, 0 warnings" in fresh.run("check", "--strict").stdout
    assert "1 done" in fresh.run("sync", "--yes").stdout
    fresh.run("doctor")


def test_a_site_of_wordpress_is_written_with_its_dialect_and_the_evidence_is_told(fresh: Terminal) -> None:
    with serving() as site:
        result = fresh.run("init", "--url", site.url, "--user", "editor")
        assert "wp/v2" in result.stderr
        assert "application password" in result.stdout
        table = tomllib.loads((fresh.repository.root / "pressync.toml").read_text(encoding="utf-8"))
        expected = {"url": site.base, "dialect": "wordpress", "user": "editor", "branch": "main"}
        assert table["sites"] == {"production": expected}
        assert table["markdown"] == {"embeds": True}
        fresh.repository.commit()
        fresh.environ["PRESSYNC_PASSWORD"] = site.password
        fresh.run("doctor")


def test_the_address_that_a_person_gives_is_agreed_to_after_a_trial_too(fresh: Terminal) -> None:
    fresh.repository.commit({"content/pages/index.md": "# Home\n"})
    fresh.run("sync", "--yes")
    with strictly_serving() as site:
        site.authorization = "Basic " + b64encode(b"anna:hunter2").decode()
        fresh.run("init", "--url", site.url, "--user", "anna")
        fresh.repository.commit()
        fresh.environ["PRESSYNC_PASSWORD"] = "hunter2"
        fresh.run("sync", "--yes")
        assert site.pages


def test_settings_that_are_there_are_left_and_what_they_would_say_is_shown(fresh: Terminal) -> None:
    fresh.repository.write("pressync.toml", 'content = "docs"\n')
    with serving() as site:
        said = fresh.run("init", "--url", site.url, exits=1).stdout
        assert said.startswith(
            "pressync.toml was NOT changed, because it is there already.\nAdd this to it:\n"
        )
        table = f'[sites.production]\nurl = "{site.base}"\ndialect = "wordpress"\nbranch = "main"\n'
        assert f"\n\n{table}" in said
        assert "pressync sync" not in said
        assert "$EDITOR pressync.toml" in said
    assert (fresh.repository.root / "pressync.toml").read_text(encoding="utf-8") == 'content = "docs"\n'
    assert (fresh.repository.root / "docs/pages/index.md").is_file()


def test_a_site_that_the_settings_have_is_not_proposed_again_but_another_user_is(fresh: Terminal) -> None:
    with serving() as site:
        fresh.run("init", "--url", site.url, "--user", "ada", "--workflow")
        again = ("init", "--url", site.url, "--user")
        assert "names this site already" in fresh.run(*again, "ada").stdout
        said = fresh.run(*again, "eve", exits=1).stdout
    assert "Correct its [sites.production], or name a second site with `--site NAME`:" in said
    assert "manifest =" not in said, "records are known by the manifest that the site has"


def test_a_workflow_is_added_once_and_brings_the_manifest_into_a_reference(fresh: Terminal) -> None:
    both = "The hook and the workflow both sync. Keep one of them: `pressync hook uninstall`"
    fresh.run("init", "--yes")
    said = fresh.run("init", "--yes", "--workflow").stdout
    assert f"wrote {WORKFLOW}" in said
    assert both not in said
    assert both in fresh.run("init", "--yes", "--hook").stdout
    (fresh.repository.root / WORKFLOW).write_text("mine", encoding="utf-8")
    again = fresh.run("init", "--yes", "--workflow").stdout
    assert f"left  {WORKFLOW}" in again
    assert "in place of" not in again, "it has no place that is to be filled"
    assert (fresh.repository.root / WORKFLOW).read_text(encoding="utf-8") == "mine"
    fresh.run("hook", "uninstall")
    assert both not in fresh.run("init", "--yes").stdout
    with serving() as site:
        said = fresh.run("init", "--url", site.url, exits=1).stdout
    assert 'manifest = "ref"' in said


def test_what_is_added_beside_a_site_names_the_next_commands_of_that_alone(fresh: Terminal) -> None:
    text = '[sites.production]\nurl = "https://site.test/wp-json"\n'
    fresh.repository.write("pressync.toml", text)
    said = fresh.run("init", "--yes", "--vscode").stdout
    assert "left  pressync.toml: its completion needs this first line: #:schema .pressync/schemas/" in said
    *_, add, commit, look = said.splitlines()
    assert add == "  git add .gitignore .gitattributes .pressync/schemas .vscode"
    assert (commit.split()[:2], look.split()[:2]) == (["git", "commit"], ["code", "."])
    assert not (fresh.repository.root / "templates").exists(), "a template would change pages"
    assert not (fresh.repository.root / "content").exists()
    fresh.repository.commit()
    assert "Next:" not in fresh.run("init", "--yes", "--hook").stdout
    said = fresh.run("init", "--workflow").stdout
    assert "git add .github/workflows" in said
    assert "gh secret set" in said
    assert "pressync s" not in said, "a sync would go to the site"


def test_what_has_no_branch_or_no_files_is_refused_or_told(fresh: Terminal, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", tmp_path / "bare.git"], check=True)
    assert "bare" in fresh.run("-C", str(tmp_path / "bare.git"), "init", exits=2).stderr
    (fresh.repository.root / "other.toml").touch()
    said = fresh.run("--config", "other.toml", "init", exits=2).stderr
    assert "`init` writes pressync.toml at the root" in said
    fresh.run("init", "--url", "ftp://example.org", exits=2)
    assert "OWNER/NAME@COMMIT" in fresh.run("init", "--workflow", "a b\nrun: evil", exits=2).stderr
    assert not (fresh.repository.root / "pressync.toml").exists()
    fresh.repository.commit({"README.md": "# Here\n"})
    fresh.repository.git("checkout", "--quiet", "--detach")
    with strictly_serving() as service:
        told = fresh.run("init", "--url", service.url).stderr
    assert "HEAD is detached, so no `branch` was written" in told
    assert "branch" not in settings_of(fresh)


def test_on_a_terminal_it_asks_for_what_it_needs(fresh: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(init, "at_a_terminal", lambda _given: True)
    with serving() as site:
        root = fresh.repository.root
        result = CliRunner().invoke(
            pressync, ["-C", str(root), "init"], input=f"{site.url}\neditor\ndocs\ny\ny\n\n"
        )
        assert result.exit_code == 0, result.output
    assert 'user = "editor"' in (root / "pressync.toml").read_text(encoding="utf-8")
    assert (root / "docs/pages/index.md").is_file()
    assert "uses: OWNER/pressync@COMMIT" in (root / WORKFLOW).read_text(encoding="utf-8")
    assert "in place of OWNER/pressync@COMMIT" in result.stdout
    assert "gh secret set PRESSYNC_PASSWORD" in result.stdout
    assert "Installed post-commit" in result.stdout


def test_an_empty_answer_means_the_embedded_service(fresh: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(init, "at_a_terminal", lambda _given: True)
    root = fresh.repository.root
    result = CliRunner().invoke(pressync, ["-C", str(root), "init"], input="\n")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (130, "Interrupted.")
    assert not (root / "pressync.toml").exists()
    assert CliRunner().invoke(pressync, ["-C", str(root), "init"], input="\n\n\n\n").exit_code == 0
    text = (root / "pressync.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) == {
        "content": "content",
        "templates": "templates",
        "markdown": {"embeds": True},
    }
    assert not (root / WORKFLOW).exists()


@pytest.mark.parametrize("content", ["docs", "."])
def test_a_folder_without_pages_or_posts_needs_a_type_and_the_next_step_says_it(
    fresh: Terminal, content: str
) -> None:
    fresh.repository.commit({"docs/intro.md": "# Intro\n"})
    said = fresh.run("init", "--yes", "--content", content).stdout.splitlines()
    step = said[said.index("Next:") + 1]
    assert step.startswith('  $EDITOR pressync.toml   # `type = "page"` below [defaults]: ')
    assert step.endswith("has neither pages/ nor posts/")
    file = fresh.repository.root / "pressync.toml"
    file.write_text(f'{file.read_text()}\n[defaults]\ntype = "page"\n', encoding="utf-8")
    fresh.repository.commit()
    assert "to create" in fresh.run("plan").stdout


def test_a_folder_with_pages_needs_no_type(fresh: Terminal) -> None:
    fresh.repository.commit({"docs/pages/intro.md": "# Intro\n", "docs/readme.md": "# Read me\n"})
    assert "$EDITOR" not in fresh.run("init", "--yes", "--content", "docs").stdout


def test_settings_that_name_another_folder_are_told(fresh: Terminal) -> None:
    fresh.repository.commit({"pressync.toml": 'content = "content"\n'})
    said = fresh.run("init", "--yes", "--content", "docs").stdout
    assert '  $EDITOR pressync.toml   # content = "docs"' in said
    assert "$EDITOR" not in fresh.run("init", "--yes", "--content", "content/").stdout


def settings_of(fresh: Terminal) -> dict[str, str]:
    """Read the table of the new site."""
    text = (fresh.repository.root / "pressync.toml").read_text(encoding="utf-8")
    table: dict[str, str] = tomllib.loads(text)["sites"]["production"]
    return table


def test_the_manifest_is_in_a_reference_where_the_remote_takes_it(fresh: Terminal, tmp_path: Path) -> None:
    fresh.repository.git("init", "--quiet", "--bare", f"{tmp_path}/origin.git")
    fresh.repository.git("remote", "add", "origin", f"{tmp_path}/origin.git")
    with strictly_serving() as service:
        told = fresh.run("init", "--url", service.url).stderr
        assert "origin takes refs/pressync/production, so the manifest is kept there" in told
        assert settings_of(fresh)["manifest"] == "ref"
        fresh.repository.commit()
        assert "done" in fresh.run("sync", "--yes").stdout
    assert fresh.repository.git("ls-remote", "origin", "refs/pressync/production")
    assert fresh.repository.git("status", "--porcelain") == ""


def test_the_manifest_is_a_file_where_the_remote_refuses_it(fresh: Terminal, tmp_path: Path) -> None:
    fresh.repository.git("remote", "add", "origin", f"{tmp_path}/nowhere.git")
    with strictly_serving() as service:
        result = fresh.run("init", "--url", service.url)
    assert "origin does not take refs/pressync/production, so the manifest is a file" in result.stderr
    assert "manifest" not in settings_of(fresh)
    assert "wrote git config merge.pressync.driver" in result.stdout
    assert "pressync manifest merge" in fresh.repository.git("config", "merge.pressync.driver")
    assert fresh.repository.git("check-attr", "merge", ".pressync/production.json").endswith("pressync")


def test_while_the_site_does_not_answer_everything_else_is_written(fresh: Terminal) -> None:
    with strictly_serving() as service:
        url = service.url
    result = fresh.run("init", "--url", url, "--user", "ada", exits=1)
    assert "The site did not answer, so its dialect is open" in result.stderr
    assert settings_of(fresh) == {"url": url, "user": "ada", "branch": "main"}
    assert "# dialect = " in (fresh.repository.root / "pressync.toml").read_text(encoding="utf-8")
    assert (fresh.repository.root / "content/pages/index.md").is_file()
    assert "$EDITOR pressync.toml   # `url` and `dialect`" in result.stdout


def test_visual_studio_code_gets_its_files_on_request(fresh: Terminal) -> None:
    fresh.repository.write("pressync.toml", 'content = "docs"\n')
    said = fresh.run("init", "--vscode").stdout
    names = ("extensions", "tasks")
    assert all(f"wrote .vscode/{name}.json" in said for name in names)
    root = fresh.repository.root
    # The extension for YAML does not read Markdown, so a setting for it would do nothing.
    assert not (root / ".vscode/settings.json").exists()
    (root / ".vscode/tasks.json").write_text("{}", encoding="utf-8")
    assert "left  .vscode/tasks.json: it is there already" in fresh.run("init", "--vscode").stdout


FAR = RemoteSite("https://site.test/wp-json", "wordpress", "ada")


def files(root: Path) -> dict[str, str]:
    """Read all files below a folder."""
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.is_file()
    }


def written(root: Path, far: RemoteSite | None = None) -> list[str]:
    """Write the first files, and give their paths."""
    return [step.path for step in begin(root, "production", far) if step.text]


def test_an_empty_folder_gets_everything_and_a_second_time_nothing(tmp_path: Path) -> None:
    assert written(tmp_path, FAR) == [
        "pressync.toml",
        "content/pages/index.md",
        "templates/page.html",
        ".gitignore",
        ".gitattributes",
        ".pressync/schemas/config.json",
    ]
    before = files(tmp_path)
    assert "status: draft" in before["content/pages/index.md"], "people read this site"
    assert written(tmp_path) == []
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    "far",
    [
        FAR,
        replace(FAR, branch='a"b', in_reference=True),
        RemoteSite('https://a.test/?rest_route=/"', "documented", 'a "b" \\ é'),
    ],
)
def test_the_settings_are_read_back_as_they_were_meant(far: RemoteSite) -> None:
    read = config.load(settings("production", far), where="pressync.toml", environ={}).site
    assert (read.url, read.dialect, read.user, read.branch) == (far.url, far.dialect, far.user, far.branch)
    assert read.reference == ("refs/pressync/production" if far.in_reference else None)
    # A site that did not answer has a place for its dialect.
    text = settings("production", replace(FAR, dialect=None))
    filled = config.load(text.replace("# dialect", "dialect"), where="pressync.toml", environ={})
    assert filled.site.dialect == "wordpress"
    # The example in the settings of the embedded service is right once uncommented.
    head, _, example = settings("live", None).partition("A real one:\n")
    assert tomllib.loads(head) == {
        "content": "content",
        "templates": "templates",
        "markdown": {"embeds": True},
    }
    found = config.load(example.replace("# ", "", 4), where="pressync.toml", environ={}).site
    assert (found.name, found.dialect) == ("live", "wordpress")


def test_what_gitattributes_and_gitignore_say_is_kept(tmp_path: Path) -> None:
    (tmp_path / ".gitattributes").write_bytes(b"*.png binary\r\n*.md text")
    (tmp_path / ".gitignore").write_bytes(b"*.log\r\n*.tmp")
    begin(tmp_path, "production", None)
    begin(tmp_path, "production", None)
    assert (tmp_path / ".gitattributes").read_bytes() == (
        b"*.png binary\r\n*.md text\r\n/.pressync/*.json merge=pressync\r\n"
    )
    lines = (tmp_path / ".gitignore").read_bytes().split(b"\r\n")
    assert lines[:2] == [b"*.log", b"*.tmp"]
    assert lines[-2:] == [b"/.pressync/embedded.json", b""]


def test_where_there_are_documents_and_templates_none_is_added(tmp_path: Path) -> None:
    for path in ("docs/pages/about.md", "layouts/base.html"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("mine", encoding="utf-8")
    (tmp_path / "pressync.toml").write_text('content = "docs"\ntemplates = "layouts"\n', encoding="utf-8")
    assert written(tmp_path) == [".gitignore", ".gitattributes"]


@pytest.mark.parametrize(
    ("site", "far"), [("no name", FAR), ("embedded", FAR), ("live", RemoteSite(FAR.url, FAR.dialect, "a:b"))]
)
def test_a_name_that_cannot_be_one_is_refused_at_once(tmp_path: Path, site: str, far: RemoteSite) -> None:
    with pytest.raises(ConfigError):
        begin(tmp_path, site, far)
    assert files(tmp_path) == {}
    (tmp_path / "content").write_text("a file", encoding="utf-8")
    with pytest.raises(StorageError, match="cannot be written"):
        begin(tmp_path, "production", None)
    (tmp_path / "pressync.toml").write_text("contnet = 1", encoding="utf-8")
    with pytest.raises(ConfigError, match="contnet"):
        begin(tmp_path, "production", None)
