"""The examination as a whole, and the findings about the clone, its state and a site."""

from __future__ import annotations

import errno
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.live.sites import LIVE, RECORDING, URLS
from tests.support.keyrings import Keyring, installed
from tests.support.repository import SampleRepository
from tests.support.strict_service import Fault, serving
from tests.support.syncing import Site
from tests.support.wordpress_lookalike import EVERY_RIGHT, Lookalike
from tests.support.wordpress_lookalike import serving as looking_alike
from tests.unit.app.doctor.findings import findings, verdicts
from tests.unit.client.wordpress.recording import tape

from pressync.app import embedded_server
from pressync.app.doctor import examine, site_checks
from pressync.app.doctor.site_checks import Verdict
from pressync.app.workspace import Workspace
from pressync.client.credentials import basic
from pressync.client.discovery import discover
from pressync.stage import embedded
from pressync.stage.server.server import running
from pressync.state.clone_files import Lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.strict_service import StrictService

    from pressync.app.doctor.site_checks import Finding


def test_where_there_is_no_repository_that_is_the_only_finding(tmp_path: Path) -> None:
    found = list(examine.examine(lambda: Workspace.open(tmp_path, environ={})))
    assert [(each.name, each.verdict) for each in found] == [("repository", Verdict.WRONG)]
    assert "git init" in found[0].todo


def test_settings_that_cannot_be_read_are_the_only_finding(repository: SampleRepository) -> None:
    repository.commit({"pressync.toml": "contnet = 1\n"})
    assert verdicts(findings(repository)) == {"settings": "wrong"}


def test_a_look_that_fails_is_one_of_many(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_workspace: Workspace) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/srv/site/.git/pressync")

    repository.commit({"content/pages/index.md": "# Home\n"})
    before = _files(repository.root)
    findings(repository)
    assert _files(repository.root) == before
    repository.write(".pressync/embedded.json", "{ torn")
    monkeypatch.setattr(Workspace, "run_under_way", refused)
    found = findings(repository)
    assert found["manifest"].verdict is Verdict.WRONG
    assert found["lock"].evidence == "/srv/site/.git/pressync: Permission denied"
    assert found["service"].verdict is Verdict.OK


def _files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


PAGE = {"content/pages/index.md": "# Home\n"}


def test_another_branch_than_the_sites_is_wrong(repository: SampleRepository) -> None:
    repository.commit(
        {**PAGE, "pressync.toml": '[sites.live]\nurl = "http://127.0.0.1:9/x"\nbranch = "live"\n'}
    )
    seen = findings(repository)["branch"]
    assert seen.verdict is Verdict.WRONG
    assert "'main'" in seen.evidence
    assert "git switch live" in seen.todo
    repository.git("switch", "--quiet", "--create", "live")
    assert findings(repository)["branch"].verdict is Verdict.OK


def test_a_head_beside_what_was_synced_is_wrong(repository: SampleRepository, tmp_path: Path) -> None:
    first = repository.commit({**PAGE, ".gitignore": ".pressync/\n"})
    second = repository.commit({"content/pages/two.md": "# Two\n"})
    with running(tmp_path / "site.db") as service:
        Site(repository.root, service.url).sync()
        repository.git("reset", "--quiet", "--hard", first)
        seen = findings(repository, {"PRESSYNC_URL": service.url})["history"]
    assert seen.verdict is Verdict.WRONG
    assert second[:10] in seen.evidence
    assert "--allow-rewind" in seen.todo


def test_no_documents_are_wrong_and_uncommitted_ones_are_counted(repository: SampleRepository) -> None:
    repository.commit({"README.md": "# Here\n"})
    repository.write("content/pages/index.md", "# Home\n")
    seen = findings(repository)["content"]
    assert seen.verdict is Verdict.WRONG
    assert "1 untracked files are not committed" in seen.evidence
    repository.commit()
    assert findings(repository)["content"].evidence == "1 document below content/ in the commit"


MANIFEST = ".pressync/default.json"


@pytest.fixture
def service() -> Iterator[StrictService]:
    """Serve with the strict service."""
    with serving() as strict:
        yield strict


@pytest.fixture
def site(repository: SampleRepository, service: StrictService) -> Site:
    """One page, bound to the service."""
    repository.commit({"content/pages/index.md": "# Home\n"})
    return Site(repository.root, service.url)


def seen(repository: SampleRepository, site: Site, name: str) -> Finding:
    """Examine and give one finding."""
    return findings(repository, {"PRESSYNC_URL": site.url})[name]


def test_a_manifest_is_followed_until_it_is_lost(repository: SampleRepository, site: Site) -> None:
    assert "does not exist yet; 0 records" in seen(repository, site, "manifest").evidence
    site.sync()
    made = seen(repository, site, "manifest")
    assert "1 record on" in made.evidence
    assert f"git add {MANIFEST}" in made.todo
    other = findings(repository, {"PRESSYNC_URL": "http://127.0.0.1:9/wp-json"})
    assert other["manifest"].verdict is Verdict.WRONG
    kept = repository.commit()
    assert seen(repository, site, "manifest").evidence.endswith("; committed")
    repository.remove(MANIFEST)
    repository.commit()
    lost = seen(repository, site, "manifest")
    assert lost.verdict is Verdict.WRONG
    assert f"is missing, and commit {kept[:10]} has it with 1 record" in lost.evidence
    assert lost.todo == f"`git restore --source={kept[:10]} -- {MANIFEST}` brings it back"


def test_a_manifest_that_git_ignores_is_wrong(repository: SampleRepository, site: Site) -> None:
    repository.commit({".gitignore": "/.pressync/\n"})
    site.sync()
    assert seen(repository, site, "manifest").verdict is Verdict.WRONG
    repository.write(".pressync/embedded.json", '{"version": 1,\n "target": "embedded",\n "records": []}\n')
    assert findings(repository)["manifest"].verdict is Verdict.OK


def test_an_unconfirmed_create_is_named_with_the_command_that_settles_it(
    repository: SampleRepository, service: StrictService, site: Site
) -> None:
    service.faults.append(Fault(end="reset"))
    site.sync()
    doubtful = seen(repository, site, "journal")
    assert doubtful.verdict is Verdict.WRONG
    assert "pressync resolve content/pages/index.md" in doubtful.todo


def test_who_holds_the_lock_is_told_until_it_is_free(repository: SampleRepository, site: Site) -> None:
    with Workspace.open(repository.root, environ={"PRESSYNC_URL": site.url}) as workspace:
        lock = Lock(workspace.clone_files.lock, "pressync sync")
        lock.acquire(0, lambda _sentence: None)
        held = seen(repository, site, "lock")
        assert held.verdict is Verdict.UNKNOWN
        assert "`pressync sync`" in held.evidence
        lock.release()
    left = repository.root / ".git" / "pressync" / "default.lock"
    left.write_text('{"pid": 1, "host": "h", "command": "pressync sync", "since": "then"}', encoding="utf-8")
    assert seen(repository, site, "lock").verdict is Verdict.OK


def test_a_manifest_that_was_not_pulled_is_wrong(repository: SampleRepository, site: Site) -> None:
    base = repository.commit({MANIFEST: f'{{"version": 1,\n "target": "{site.url}",\n "records": []}}\n'})
    site.sync()
    repository.commit()
    repository.git("branch", "theirs")
    repository.git("reset", "--quiet", "--hard", base)
    repository.git("branch", "--quiet", "--set-upstream-to=theirs")
    behind = seen(repository, site, "manifest")
    assert behind.verdict is Verdict.WRONG
    assert "theirs knows 1 record more than" in behind.evidence
    assert behind.todo == "`git merge theirs`"


def test_in_a_shallow_clone_removals_have_no_witness_and_lost_records_are_counted(
    repository: SampleRepository, site: Site, tmp_path: Path
) -> None:
    repository.commit({"content/pages/two.md": "# Two\n"})
    source = f"file://{repository.root}"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", source, tmp_path / "shallow"], check=True)
    shallow = findings(SampleRepository(tmp_path / "shallow"))["history"]
    assert (shallow.verdict, "--unshallow" in shallow.todo) == (Verdict.UNKNOWN, True)
    site.sync()
    (repository.root / MANIFEST).unlink()
    lost = seen(repository, site, "manifest")
    assert lost.verdict is Verdict.UNKNOWN
    assert "2 that this clone created are missing" in lost.evidence


@pytest.fixture
def paged(repository: SampleRepository) -> SampleRepository:
    """One page."""
    repository.commit({"content/pages/index.md": "# Home\n"})
    return repository


def test_a_service_that_names_the_documented_interface_speaks_it(
    paged: SampleRepository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with running(tmp_path_factory.mktemp("site") / "site.db", dialect="both") as service:
        seen = findings(paged, {"PRESSYNC_URL": service.url})
        other = findings(paged, {"PRESSYNC_URL": service.url, "PRESSYNC_DIALECT": "wordpress"})
    assert seen["dialect"].verdict is Verdict.OK
    assert "names the documented interface" in seen["dialect"].evidence
    assert {name: other[name].verdict for name in ("service", "dialect", "batch")} == dict.fromkeys(
        ("service", "dialect", "batch"), Verdict.OK
    )


def test_stock_wordpress_is_recognised_without_showing_it_the_password(paged: SampleRepository) -> None:
    with looking_alike() as site:
        environ = {"PRESSYNC_URL": site.base, "PRESSYNC_USER": "ada", "PRESSYNC_PASSWORD": "right"}
        seen = findings(paged, environ)
    assert seen["dialect"].verdict is Verdict.WRONG
    assert 'dialect = "wordpress"' in seen["dialect"].todo
    assert site.asked == [("GET", "/wp-json/", False)]


@pytest.mark.parametrize(("location", "verdict"), [("https://127.0.0.1/x", "wrong"), ("/wp-json", "ok")])
def test_a_redirect_elsewhere_is_wrong(paged: SampleRepository, location: str, verdict: str) -> None:
    with looking_alike(Lookalike(canned=(301, {"Location": location}, {}))) as site:
        seen = findings(paged, {"PRESSYNC_URL": site.base})
    assert verdicts(seen)["service"] == verdict


def test_a_server_that_fails_is_not_one_that_is_well(paged: SampleRepository) -> None:
    with looking_alike(Lookalike(canned=(503, {}, {}))) as site:
        seen = findings(paged, {"PRESSYNC_URL": site.base})
    assert seen["service"].verdict is Verdict.WRONG
    assert seen["service"].evidence.endswith("503, so the server fails")


def test_credentials_in_the_clear_are_wrong(paged: SampleRepository) -> None:
    # A name that no network has (RFC 2606).
    environ = {"PRESSYNC_URL": "http://example.invalid/wp-json", "PRESSYNC_TOKEN": "abc"}
    seen = findings(paged, environ)
    assert seen["credentials"].verdict is Verdict.WRONG
    assert "unencrypted" in seen["credentials"].evidence


def test_the_embedded_service_is_told_to_run_while_it_runs(
    paged: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Other programs of this machine take and free ports at any time.
    monkeypatch.setattr(
        embedded_server, "is_free", lambda _host, port: port == embedded_server.DEFAULT_PORT + 2
    )
    directory = embedded_server.data_directory(paged.root / ".git")
    evidence = findings(paged)["service"].evidence
    assert "does not run now" in evidence
    assert evidence.endswith(f"`pressync serve` uses port {embedded.free_port(directory)}")
    directory.mkdir(parents=True)
    with running(embedded_server.database(directory)) as service:
        embedded_server.write_note(
            directory, embedded_server.RunningServer(os.getpid(), service.url, service.site)
        )
        assert f"runs at {service.site}/" in findings(paged)["service"].evidence


def examined(
    paged: SampleRepository, site: Lookalike, *, password: str | None = Lookalike.password
) -> dict[str, Finding]:
    """Examine a repository of one page against a site."""
    with looking_alike(site):
        environ = {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress"}
        if password:
            environ |= {"PRESSYNC_USER": "editor", "PRESSYNC_PASSWORD": password}
        return findings(paged, environ)


def test_a_site_where_all_is_well_is_told_so_and_only_read(paged: SampleRepository) -> None:
    site = Lookalike(trashed=True)
    seen = examined(paged, site)
    assert set(verdicts(seen).values()) == {"ok"}
    assert "Lookalike" in seen["service"].evidence
    assert "6.8.1" in seen["version"].evidence
    assert "Europe/Berlin" in seen["time zone"].evidence
    assert {method for method, _, _ in site.asked} == {"GET", "OPTIONS"}


def test_a_wrong_password_is_told_with_what_to_look_at(paged: SampleRepository) -> None:
    seen = examined(paged, Lookalike(), password="false friend")
    assert seen["user"].verdict is Verdict.WRONG
    assert "application password" in seen["user"].todo
    assert "`pressync config` shows it" in seen["user"].todo
    assert "user 'editor' (PRESSYNC_USER)" in seen["credentials"].evidence
    assert not any(name.startswith("rights") for name in seen)
    assert "false friend" not in repr(seen)


def test_a_refused_password_is_named(paged: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    site = Lookalike()
    with looking_alike(site):
        keyring = Keyring(kept={("pressync", f"editor@{site.base}"): "false friend"})
        installed(monkeypatch, keyring)
        environ = {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress", "PRESSYNC_USER": "editor"}
        seen = findings(paged, environ)
        assert seen["user"].verdict is Verdict.WRONG
        assert "the password that is stored in the keyring" in seen["user"].evidence
        assert seen["user"].todo.startswith("`pressync login` gets a new one")
        keyring.kept["pressync", f"editor@{site.base}"] = site.password
        assert findings(paged, environ)["user"].verdict is Verdict.OK


def test_without_credentials_the_site_is_still_described(paged: SampleRepository) -> None:
    seen = examined(paged, Lookalike(), password=None)
    assert seen["credentials"].verdict is Verdict.WRONG
    assert seen["service"].verdict is Verdict.OK
    assert "user" not in seen


def test_a_missing_right_is_wrong_only_where_the_content_needs_it(paged: SampleRepository) -> None:
    lacking = EVERY_RIGHT - {"publish_pages", "publish_posts"}
    seen = examined(paged, Lookalike(rights=lacking))
    assert seen["rights: pages"].verdict is Verdict.WRONG
    assert seen["rights: pages"].evidence == "may write pages that are not published; missing: publish_pages"
    assert seen["rights: posts"].verdict is Verdict.UNKNOWN
    assert "publish_posts" in seen["rights: posts"].evidence


def test_a_user_of_the_own_posts_is_told_what_is_possible(paged: SampleRepository) -> None:
    paged.commit({"content/posts/mine.md": "# Mine\n", "content/pages/about.md": "# About\n"})
    author = {"edit_posts", "edit_published_posts", "publish_posts", "delete_posts", "delete_published_posts"}
    seen = examined(paged, Lookalike(rights=frozenset(author)))
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
def test_the_version_must_be_a_proven_one(paged: SampleRepository, version: str, verdict: str) -> None:
    assert verdicts(examined(paged, Lookalike(version=version)))["version"] == verdict


def test_a_site_without_batches_or_with_a_filter_says_so(paged: SampleRepository) -> None:
    seen = verdicts(examined(paged, Lookalike(batch=False, filtered=True)))
    assert (seen["batch"], seen["HTML"], seen["trash"]) == ("unknown", "unknown", "unknown")


@pytest.mark.parametrize("wrong", ["", "/elsewhere/wp-json"])
def test_the_address_that_the_site_names_is_told(paged: SampleRepository, wrong: str) -> None:
    with looking_alike() as site:
        url = f"{site.url}{wrong}"
        seen = findings(paged, {"PRESSYNC_URL": url, "PRESSYNC_DIALECT": "wordpress"})
    assert seen["service"].verdict is Verdict.WRONG
    assert seen["service"].evidence.startswith(f"GET {url}/: ")
    assert seen["service"].todo == f"set `url` to {site.base}: the site names this address itself"


def test_what_is_no_wordpress_is_told_with_the_other_dialect(paged: SampleRepository) -> None:
    seen = examined(paged, Lookalike(namespaces=("oembed/1.0",)))
    assert seen["service"].verdict is Verdict.WRONG
    assert 'dialect = "documented"' in seen["service"].todo


@pytest.mark.skipif(LIVE or RECORDING, reason="the recordings are those of another test")
@pytest.mark.parametrize(("name", "version"), [("old", "6.1"), ("mid", "6.8"), ("new", "7.1")])
def test_what_a_real_site_said_is_told(paged: SampleRepository, name: str, version: str) -> None:
    environ = {"PRESSYNC_URL": f"{URLS[name]}/wp-json", "PRESSYNC_DIALECT": "wordpress"}
    with Workspace.open(paged.root, environ=environ) as workspace, tape(f"{name}-description"):
        url = discover(URLS[name], tell=lambda _sentence: None)
        seen = {
            each.name: each
            for each in site_checks.of_wordpress(workspace, url, basic("admin", "on no record"))
        }
    assert "wrong" not in verdicts(seen).values()
    assert f"WordPress {version}" in seen["version"].evidence
    assert "administrator" in seen["user"].evidence
    assert "25 calls" in seen["batch"].evidence


@pytest.mark.parametrize(
    ("server", "line"), [("Apache/2.4", "SetEnvIf"), ("nginx", "fastcgi_param"), ("?", "on")]
)
def test_a_lost_password_is_told_with_the_lines(paged: SampleRepository, server: str, line: str) -> None:
    with looking_alike(Lookalike(server=server)) as site:
        environ = {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress", "PRESSYNC_USER": "editor"}
        seen = findings(paged, {**environ, "PRESSYNC_PASSWORD": "wrong"})

    assert seen["user"].verdict is Verdict.WRONG
    assert line in seen["user"].todo.rpartition("Authorization header")[2]


def test_a_blocked_path_is_told_with_the_address_that_is_open(paged: SampleRepository) -> None:
    with looking_alike(Lookalike(blocked=True)) as site:
        seen = findings(paged, {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress"})

    assert seen["service"].todo == f"set `url` to {site.url}/?rest_route=/"
