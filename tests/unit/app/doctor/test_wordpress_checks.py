"""The findings about a WordPress site: from a look-alike, and from recorded responses of each version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.live.sites import LIVE, RECORDING, URLS
from tests.support.keyrings import Keyring, installed
from tests.support.wordpress_lookalike import EVERY_RIGHT, Lookalike, serving
from tests.unit.app.doctor.findings import findings, verdicts
from tests.unit.client.wordpress.recording import tape

from pressync.app.doctor import wordpress_checks
from pressync.app.doctor.examine import Verdict
from pressync.app.workspace import Workspace
from pressync.client.credentials import basic
from pressync.client.wordpress import discover

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.app.doctor.examine import Finding


def examined(
    repository: SampleRepository, site: Lookalike, *, password: str | None = Lookalike.password
) -> dict[str, Finding]:
    """Examine a repository of one page against a site."""
    repository.commit({"content/pages/index.md": "# Home\n"})
    with serving(site):
        environ = {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress"}
        if password:
            environ |= {"PRESSYNC_USER": "editor", "PRESSYNC_PASSWORD": password}
        return findings(repository, environ)


def test_a_site_where_all_is_well_is_told_so_and_only_read(repository: SampleRepository) -> None:
    site = Lookalike(trashed=True)
    seen = examined(repository, site)
    assert set(verdicts(seen).values()) == {"ok"}
    assert "Lookalike" in seen["service"].evidence
    assert "6.8.1" in seen["version"].evidence
    assert "Europe/Berlin" in seen["time zone"].evidence
    assert {method for method, _, _ in site.asked} == {"GET", "OPTIONS"}


def test_a_wrong_password_is_told_with_what_to_look_at(repository: SampleRepository) -> None:
    seen = examined(repository, Lookalike(), password="false friend")
    assert seen["user"].verdict is Verdict.WRONG
    assert "application password" in seen["user"].todo
    assert "`pressync config` shows it" in seen["user"].todo
    assert "user 'editor' (PRESSYNC_USER)" in seen["credentials"].evidence
    assert not any(name.startswith("rights") for name in seen)
    assert "false friend" not in repr(seen)


def test_a_stored_password_that_the_site_refuses_is_named_with_the_command_for_a_new_one(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"content/pages/index.md": "# Home\n"})
    site = Lookalike()
    with serving(site):
        keyring = Keyring(kept={("pressync", f"editor@{site.base}"): "false friend"})
        installed(monkeypatch, keyring)
        environ = {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress", "PRESSYNC_USER": "editor"}
        seen = findings(repository, environ)
        assert seen["user"].verdict is Verdict.WRONG
        assert "the password that is stored in the keyring" in seen["user"].evidence
        assert seen["user"].todo.startswith("`pressync login` gets a new one")
        keyring.kept["pressync", f"editor@{site.base}"] = site.password
        assert findings(repository, environ)["user"].verdict is Verdict.OK


def test_without_credentials_the_site_is_still_described(repository: SampleRepository) -> None:
    seen = examined(repository, Lookalike(), password=None)
    assert seen["credentials"].verdict is Verdict.WRONG
    assert seen["service"].verdict is Verdict.OK
    assert "user" not in seen


def test_a_missing_right_is_wrong_only_where_the_content_needs_it(repository: SampleRepository) -> None:
    lacking = EVERY_RIGHT - {"publish_pages", "publish_posts"}
    seen = examined(repository, Lookalike(rights=lacking))
    assert seen["rights: pages"].verdict is Verdict.WRONG
    assert seen["rights: pages"].evidence == "may write pages that are not published; missing: publish_pages"
    assert seen["rights: posts"].verdict is Verdict.UNKNOWN
    assert "publish_posts" in seen["rights: posts"].evidence


def test_a_user_of_the_own_posts_is_told_what_is_possible(repository: SampleRepository) -> None:
    repository.commit({"content/posts/mine.md": "# Mine\n", "content/pages/about.md": "# About\n"})
    author = {"edit_posts", "edit_published_posts", "publish_posts", "delete_posts", "delete_published_posts"}
    seen = examined(repository, Lookalike(rights=frozenset(author)))
    assert seen["rights: posts"].verdict is Verdict.UNKNOWN
    assert seen["rights: posts"].evidence == (
        "may publish, change and delete the user's own posts; missing: edit_others_posts, delete_others_posts"
    )
    assert seen["rights: pages"].verdict is Verdict.WRONG
    assert seen["rights: pages"].evidence.startswith("missing: edit_pages, ")
    assert seen["rights: pages"].todo.startswith("a sync blocks the pages that need them; ")


@pytest.mark.parametrize(
    ("version", "verdict"), [("5.9", "wrong"), ("6.1", "ok"), ("10.0", "ok"), ("", "unknown")]
)
def test_the_version_must_be_one_that_the_dialect_was_proven_on(
    repository: SampleRepository, version: str, verdict: str
) -> None:
    assert verdicts(examined(repository, Lookalike(version=version)))["version"] == verdict


def test_a_site_without_batches_or_with_a_filter_says_so(repository: SampleRepository) -> None:
    seen = verdicts(examined(repository, Lookalike(batch=False, filtered=True)))
    assert (seen["batch"], seen["HTML"], seen["trash"]) == ("unknown", "unknown", "unknown")


@pytest.mark.parametrize("wrong", ["", "/elsewhere/wp-json"])
def test_the_address_that_the_site_names_is_told(repository: SampleRepository, wrong: str) -> None:
    repository.commit({"content/pages/index.md": "# Home\n"})
    with serving() as site:
        url = f"{site.url}{wrong}"
        seen = findings(repository, {"PRESSYNC_URL": url, "PRESSYNC_DIALECT": "wordpress"})
    assert seen["service"].verdict is Verdict.WRONG
    assert seen["service"].evidence.startswith(f"GET {url}/: ")
    assert seen["service"].todo == f"set `url` to {site.base}: the site names this address itself"


def test_what_is_no_wordpress_is_told_with_the_other_dialect(repository: SampleRepository) -> None:
    seen = examined(repository, Lookalike(namespaces=("oembed/1.0",)))
    assert seen["service"].verdict is Verdict.WRONG
    assert 'dialect = "documented"' in seen["service"].todo


@pytest.mark.skipif(LIVE or RECORDING, reason="the recordings are those of another test")
@pytest.mark.parametrize(("name", "version"), [("old", "6.1"), ("mid", "6.8"), ("new", "7.1")])
def test_what_a_real_site_said_is_told(repository: SampleRepository, name: str, version: str) -> None:
    repository.commit({"content/pages/index.md": "# Home\n"})
    environ = {"PRESSYNC_URL": f"{URLS[name]}/wp-json", "PRESSYNC_DIALECT": "wordpress"}
    with Workspace.open(repository.root, environ=environ) as workspace, tape(f"{name}-description"):
        url = discover(URLS[name], tell=lambda _sentence: None)
        seen = {
            each.name: each
            for each in wordpress_checks.service(workspace, url, basic("admin", "on no record"))
        }
    assert "wrong" not in verdicts(seen).values()
    assert f"WordPress {version}" in seen["version"].evidence
    assert "administrator" in seen["user"].evidence
    assert "25 calls" in seen["batch"].evidence
