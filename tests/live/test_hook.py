"""The hook on real WordPress: a commit is a page that visitors can open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.live.live import Eyes, live, visit
from tests.support.hooked import Hooked

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository


def test_a_commit_is_a_page_on_the_site(
    wordpress: Site, line: Line, repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in live(repository, line, wordpress).environ.items():
        monkeypatch.setenv(name, value)
    repository.commit({"content/pages/index.md": "# Home\n"})
    hooked = Hooked(repository, tmp_path / "starts")
    hooked.pressync("hook", "install", "--commit")
    said = hooked.commit("content/pages/hooked.md", "# Hooked\n\nBy a commit.\n")
    assert "2 done" in said
    hooked.commit("content/pages/hooked.md", "# Hooked\n\nBy another commit.\n")
    rows = {row["slug"]: row for row in Eyes(wordpress).rows().values()}
    assert sorted(rows) == ["hooked", "index"]
    assert "By another commit." in visit(rows["hooked"]["link"])
    assert hooked.commit("notes.txt") == ""
    # One commit of the manifest after each that was synced.
    assert repository.git("log", "--format=%s").count("[skip ci]") == 2
