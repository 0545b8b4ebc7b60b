"""Random walks of runs that are rolled back, on the embedded service's face of WordPress."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.peers import settle_at_once
from tests.support.repository import SampleRepository
from tests.support.share import share
from tests.support.syncing import Bound
from tests.support.undoing import Walk, walk
from tests.support.wire import PREFIX

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress


def _walk(root: Path, seed: int, steps: int) -> None:
    with embedded_wordpress.serving() as service:
        walk(_world(root, service, seed), steps)


def _world(root: Path, service: EmbeddedWordPress, seed: int) -> Walk:
    repository = SampleRepository.create(root)
    repository.write(".gitignore", ".pressync/\n")
    site = Bound(root, service.url, environ=embedded_wordpress.ENVIRON)

    def edit(number: int, fields: dict[str, object]) -> None:
        kind = service.shown[number]["type"]
        path = f"{PREFIX}/wp/v2/{kind}s/{number}"
        assert service.client.post(path, json=fields, auth=service.auth).status_code == 200

    return Walk(repository, site, lambda: service.shown, edit, service.put, random.Random(seed))  # noqa: S311 - no secret


def test_a_rollback_brings_the_site_back_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle_at_once(monkeypatch)
    _walk(tmp_path, 0, 2)


@pytest.mark.sweep
# A walk has five runs of one to five changes. A hundred walks make about 1,500 changes, so each of the eight
# sorts of change follows each other one some twenty times.
@pytest.mark.parametrize("seed", share(range(1, 101), 10))
def test_many_rollbacks_bring_the_site_back_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    settle_at_once(monkeypatch)
    _walk(tmp_path, seed, 5)
