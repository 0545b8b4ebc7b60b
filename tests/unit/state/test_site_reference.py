"""The reference of a site: its remote, and the manifest's file that counts until it exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry, manifest
from tests.support.shared_manifest import REF

from pressync.app.workspace import Workspace
from pressync.model.errors import ConfigError
from pressync.state.manifest.codec import encode

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository


def test_a_remote_that_the_clone_does_not_have_is_told(repository: SampleRepository) -> None:
    settings = '[sites.live]\nurl = "http://127.0.0.1:9/wp-json"\nmanifest = "ref"\nremote = "upstream"\n'
    repository.commit({"pressync.toml": settings})
    with Workspace.open(repository.root, environ={}) as workspace, pytest.raises(ConfigError) as refused:
        _ = workspace.manifest_reference
    assert str(refused.value) == (
        "pressync.toml [sites.live]: this clone has no remote 'upstream' (it has: none); `git remote add` it"
    )


@pytest.mark.parametrize(("remote", "expected"), [("", None), ('remote = ""\n', None)])
def test_without_a_remote_the_reference_is_this_clones_own(
    repository: SampleRepository, remote: str, expected: str | None
) -> None:
    settings = f'[sites.live]\nurl = "http://127.0.0.1:9/wp-json"\nmanifest = "ref"\n{remote}'
    repository.commit({"pressync.toml": settings})
    with Workspace.open(repository.root, environ={}) as workspace:
        assert workspace.manifest_reference is not None
        assert workspace.manifest_reference.reference.remote == expected
        assert workspace.manifest_reference.where == REF


def test_the_server_s_own_file_counts_where_nothing_is_checked_out(
    repository: SampleRepository, tmp_path: Path
) -> None:
    """A push that changes the setting must not make the server forget its records."""
    url = "http://127.0.0.1:9/wp-json"
    repository.commit({"pressync.toml": f'[sites.live]\nurl = "{url}"\nmanifest = "ref"\nremote = ""\n'})
    repository.git("clone", "--quiet", "--bare", ".", f"{tmp_path}/server.git")
    own = tmp_path / "server.git/pressync/live.json"
    own.parent.mkdir()
    own.write_text(encode(manifest(entry("a.md", 1))).replace(manifest().target, url))
    with Workspace.open(tmp_path / "server.git", environ={}) as workspace, workspace.reading() as state:
        assert state.manifest.entries.keys() == {"a.md"}
