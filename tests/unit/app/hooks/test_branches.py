"""A hook's input names the branches with new commits, and the settings name the sites that follow them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.hooks import dispatch, installation
from pressync.app.hooks.installation import Setup
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.app.hooks.installation import HookPaths

ZERO = "0" * 40
TWO = '[sites.live]\nurl = "https://a.example/"\nbranch = "live"\n[sites.trial]\nurl = "https://b.example/"\n'


@pytest.fixture
def there(repository: SampleRepository) -> HookPaths:
    """Make a repository of one commit on main."""
    repository.commit({"content/pages/a.md": "# A\n"})
    return installation.find(repository.root)


def _branches(there: HookPaths, setup: Setup, environ: dict[str, str] | None = None) -> dict[str, str | None]:
    return {found.site.name: found.site.branch for found in dispatch.sites(there, setup, environ or {})}


def test_a_commit_is_one_on_the_branch_that_head_is_on(
    there: HookPaths, repository: SampleRepository
) -> None:
    assert dispatch.pushed(there, "post-commit", (), "") == {"main": "HEAD"}
    repository.git("checkout", "--quiet", "--detach")
    assert dispatch.pushed(there, "post-merge", (), "") == {}


def test_a_push_names_branches_and_neither_tags_nor_what_was_deleted_nor_a_fork(
    there: HookPaths, repository: SampleRepository
) -> None:
    said = (
        f"refs/heads/x 1111 refs/heads/main {ZERO}\n"
        f"refs/tags/v1 2222 refs/tags/v1 {ZERO}\n"
        f"(delete) {ZERO} refs/heads/gone 3333\n"
        "garbage\n"
    )
    assert dispatch.pushed(there, "pre-push", ("origin", "url"), "") == {}
    repository.git("config", "branch.main.remote", "origin")
    assert dispatch.pushed(there, "pre-push", ("origin", "url"), said) == {"main": "1111"}
    assert dispatch.pushed(there, "pre-push", ("fork", "url"), said) == {}


def test_what_was_received_is_read_at_the_tip_of_the_branch(
    there: HookPaths, repository: SampleRepository
) -> None:
    said = f"{ZERO} 1111 refs/heads/main\n{ZERO} 2222 refs/heads/other\n2222 {ZERO} refs/heads/gone\n"
    assert dispatch.pushed(there, "post-receive", (), said) == {"main": repository.head(), "other": "2222"}


def test_a_site_has_its_own_branch_or_that_of_the_hook(
    there: HookPaths, repository: SampleRepository
) -> None:
    assert _branches(there, Setup(branch="main")) == {"embedded": "main"}
    assert _branches(there, Setup(), {"PRESSYNC_URL": "https://a.example/"}) == {"default": None}
    repository.write("pressync.toml", TWO)
    assert _branches(there, Setup(branch="main")) == {"live": "live", "trial": "main"}
    assert _branches(there, Setup()) == {"live": "live", "trial": None}
    assert _branches(there, Setup(("trial",), "x")) == {"trial": "x"}
    assert _branches(there, Setup(), {"PRESSYNC_SITE": "live"}) == {"live": "live"}
    repository.write("pressync.toml", b"\xff")
    with pytest.raises(ConfigError, match=r"pressync\.toml"):
        dispatch.sites(there, Setup(), {})
