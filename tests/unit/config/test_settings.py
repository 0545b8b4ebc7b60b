"""Settings: flag over environment over file over default, each with its origin."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from pressync.config.settings import SettingsText, find_text, load
from pressync.model.errors import ConfigError
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.config.settings import Settings


URL = "https://example.org/wp-json"
FILE = "pressync.toml"

ALL_KEYS = """\
content = "docs/content"
templates = "theme"
exclude = ["_includes/**"]

[defaults]
author = 3

[agents]
may = ["drafts"]
most = 5

[sites.production]
url = "https://example.org/wp-json/"
dialect = "wordpress"
user = "editor"
manifest = "state/live.json"
remote = "upstream"
branch = "main"
password_command = ["pass", "show", "site"]
allow_http = true
blocks = true
front_page = true
notify = true
approve = true

[sites.production.defaults]
status = "publish"
"""

TWO_SITES = """\
[sites.production]
url = "https://example.org/wp-json"
[sites.staging]
url = "https://staging.example.org/wp-json"
"""


def settings(text: str | None, environ: Mapping[str, str] | None = None, site: str | None = None) -> Settings:
    """Load settings as a command does."""
    return load(text, where=FILE, environ=environ or {}, site=site)


def refused(text: str | None, environ: Mapping[str, str] | None = None, site: str | None = None) -> str:
    """Load settings that are wrong, and give what is said of them."""
    with pytest.raises(ConfigError) as caught:
        settings(text, environ, site)
    return str(caught.value)


def test_with_nothing_configured_the_target_is_the_embedded_service() -> None:
    found = settings(None)
    assert (found.content, found.templates) == ("content", "templates")
    assert (found.site.name, found.site.url, found.site.dialect) == ("embedded", None, "wordpress")
    assert found.site.manifest == ".pressync/embedded.json"
    assert found.site.target == "embedded"
    assert set(found.origins.values()) == {"default"}
    # It speaks the documented dialect if it is told to.
    site = settings('[sites.local]\ndialect = "documented"\n').site
    assert (site.url, site.dialect, site.target) == (None, "documented", "embedded")
    assert refused('[sites.local]\ndialect = "wordpress"\n').startswith("pressync.toml [sites.local]: site")
    assert settings("", {"PRESSYNC_DIALECT": "documented"}).site.dialect == "documented"
    assert "PRESSYNC_DIALECT: dialect 'x' is unknown; use one of" in refused("", {"PRESSYNC_DIALECT": "x"})


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        (URL, URL),
        (f"{URL}/", URL),
        ("https://example.org/?rest_route=/", "https://example.org/?rest_route=/"),
    ],
)
def test_a_url_in_the_environment_is_enough(url: str, kept: str) -> None:
    found = settings(None, {"PRESSYNC_URL": url, "PRESSYNC_USER": "", "PRESSYNC_SITE": ""})
    assert (found.site.name, found.site.url, found.site.target) == ("default", kept, kept)
    assert (found.site.manifest, found.site.user) == (".pressync/default.json", None)
    assert found.origins["site"] == found.origins["url"] == "PRESSYNC_URL"


@pytest.mark.parametrize(
    ("written", "command"),
    [
        ('"pass show site | head -1"', ("/bin/sh", "-c", "pass show site | head -1")),
        ('["/opt/my scripts/password"]', ("/opt/my scripts/password",)),
    ],
)
def test_one_text_is_a_shell_line_and_a_list_is_not(written: str, command: tuple[str, ...]) -> None:
    found = settings(f'[sites.a]\nurl = "{URL}"\npassword_command = {written}\n')
    assert found.site.password_command == command


class TestChoiceOfTheSite:
    """With several sites one has to be named; with one it is the one."""

    @pytest.mark.parametrize(
        ("site", "environ", "said"),
        [
            (
                None,
                {},
                "pressync.toml: there are 2 sites: production, staging; choose one with `--site NAME` or ",
            ),
            (
                "live",
                {},
                "--site: site 'live' does not exist (known: production, staging); add it to pressync.toml",
            ),
            (None, {"PRESSYNC_SITE": "live"}, "PRESSYNC_SITE: site 'live' does not exist"),
            (
                "prodution",
                {},
                "--site: site 'prodution' does not exist (known: production, staging); did you",
            ),
        ],
    )
    def test_an_unknown_site_or_none_is_refused_with_those_there_are(
        self, site: str | None, environ: dict[str, str], said: str
    ) -> None:
        assert refused(TWO_SITES, environ, site).startswith(said)

    def test_the_flag_goes_before_the_environment(self) -> None:
        found = settings(TWO_SITES, {"PRESSYNC_SITE": "production"}, site="staging")
        assert (found.site.name, found.origins["site"]) == ("staging", "--site")
        found = settings(TWO_SITES, {"PRESSYNC_SITE": "production"})
        assert (found.site.name, found.origins["site"]) == ("production", "PRESSYNC_SITE")

    def test_the_unnamed_site_of_the_environment_and_the_embedded_service_can_be_named(self) -> None:
        assert settings(TWO_SITES, {"PRESSYNC_URL": URL}, site="default").site.url == URL
        assert "site 'default' does not exist" in refused(TWO_SITES, site="default")
        assert settings(TWO_SITES, {"PRESSYNC_URL": URL}, site="embedded").site.target == "embedded"

    def test_a_site_without_a_url_is_refused_unless_the_environment_has_one(self) -> None:
        text = '[sites.ci]\nuser = "bot"\n'
        assert refused(text).startswith("pressync.toml [sites.ci]: site 'ci' has no url; add `url")
        assert settings(text, {"PRESSYNC_URL": URL}).site.name == "ci"


class TestBlocks:
    """Bodies as blocks of the editor, for a site that has one."""

    def test_they_are_refused_where_nobody_would_read_them(self) -> None:
        text = f'[sites.a]\nurl = "{URL}"\nblocks = true\n'
        said = (
            "pressync.toml [sites.a]: `blocks = true` needs WordPress, but this site's dialect is "
            "'documented'; set `dialect = \"wordpress\"`, or leave `blocks` out"
        )
        assert refused(text) == said
        assert refused(ALL_KEYS, {"PRESSYNC_DIALECT": "documented"}) == said.replace(
            "sites.a", "sites.production"
        )
        assert settings(text, {"PRESSYNC_DIALECT": "wordpress"}).site.blocks
        assert not settings(text.replace("true", "false")).site.blocks
        # The embedded service takes the same repository without them.
        assert not settings(ALL_KEYS, site="embedded").site.blocks


class TestDefaults:
    """Front matter that files need not repeat, for all of the content or for a folder."""


def test_a_secret_in_the_url_of_the_environment_is_refused_and_not_repeated() -> None:
    said = refused(None, {"PRESSYNC_URL": "https://bot:hunter2@example.org/"})
    assert said.startswith("PRESSYNC_URL: the service's address")
    assert "hunter2" not in said


def test_a_manifest_can_be_in_a_reference_of_its_own() -> None:
    text = '[sites.live]\nurl = "https://site.test/wp-json"\nmanifest = "ref"\n'
    site = load(text, where="pressync.toml", environ={}).site
    assert (site.reference, site.remote) == ("refs/pressync/live", None)
    assert site.file == ".pressync/live.json", "what is read until there is a reference"
    site = load(f'{text}remote = ""\n', where="pressync.toml", environ={}).site
    assert (site.reference, site.remote) == ("refs/pressync/live", "")
    assert load('[sites.live]\nurl = "https://site.test"\n', where="", environ={}).site.reference is None


NAME, TEXT = "pressync.toml", 'content = "text"\n'


def find(folder: Path, file: Path | None = None) -> SettingsText:
    with Repository(folder) as opened:
        return find_text(opened, file)


def bare_clone(repository: SampleRepository, folder: Path) -> Path:
    """Clone without a working tree, as a server holds it."""
    subprocess.run(["git", "clone", "--quiet", "--bare", repository.root, folder], check=True)
    return folder


def test_the_work_tree_counts_or_what_was_pushed(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    assert find(repository.root) == SettingsText(None, NAME, is_pushed=False)
    repository.commit({NAME: 'content = "before"\n'})
    bare = bare_clone(repository, tmp_path / "bare.git")
    repository.write(NAME, TEXT)
    assert find(repository.root) == SettingsText(TEXT, NAME, is_pushed=False)
    assert find(bare) == SettingsText('content = "before"\n', NAME, is_pushed=True)
    file = tmp_path / "other.toml"
    with pytest.raises(ConfigError, match=r"other\.toml: the file cannot be read"):
        find(repository.root, file)
    file.write_text(TEXT, encoding="utf-8")
    for root in (repository.root, bare):
        assert find(root, file) == SettingsText(TEXT, str(file), is_pushed=False, is_own=False)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'content = "caf\xe9"\n', r"^pressync\.toml: the file cannot be read: .*utf-8.*save it as TOML"),
        (b"#" * (2 * 1024 * 1024), r"^pressync.toml: the file has 2.0 MiB, and settings have at"),
    ],
    ids=["not UTF-8", "too long"],
)
def test_settings_that_are_not_utf8_or_too_long_are_told_so(
    repository: SampleRepository, tmp_path: Path, data: bytes, said: str
) -> None:
    repository.commit({NAME: data})
    for root in (repository.root, bare_clone(repository, tmp_path / "bare.git")):
        with pytest.raises(ConfigError, match=said):
            find(root)


def test_a_named_file_may_be_a_pipe_with_a_bound(repository: SampleRepository, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as other:
        other.submit(pipe.write_text, TEXT)
        assert find(repository.root, pipe).text == TEXT
        other.submit(pipe.write_text, "#" * (2 * 1024 * 1024))
        with pytest.raises(ConfigError, match=r"pipe: the file has 1.0 MiB, and settings have at most 1 MiB"):
            find(repository.root, pipe)
