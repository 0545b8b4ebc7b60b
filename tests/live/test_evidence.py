"""A forged manifest before a real WordPress; and honest deletes of all that WordPress bends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.live.live import Eyes, live, numbered, results

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.live.live import Live
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

GONE, OTHER = "content/pages/page-001.md", "content/pages/page-002.md"
# Titles, slugs and texts of which a WordPress makes something else.
BENT = {
    "content/pages/ümläut & more.md": "# Fish & *Chips* <br> “quoted”\n\nText -- and 1 < 2 && 3 > 2.\n",
    "content/pages/日本語.md": "# 日本語のページ\n\nこれは 日本語 の 文章 で ある から 長い。\n",
    "content/pages/raw.md": "# Raw\n\n<script>let a = 1;</script>\n\n[gallery] <b>bold</b> and more\n",
    "content/pages/one/same.md": "# Same\n\nThe very same text stands in both of these.\n",
    "content/pages/two/same.md": "# Same\n\nThe very same text stands in both of these.\n",
    "content/pages/short.md": "# Soon\n",
    "content/pages/private.md": "---\nstatus: private\n---\n# Private\n\nFor nobody else but us here.\n",
    "content/pages/draft.md": "---\ndraft: true\n---\n# Draft\n\nNot to be seen by anybody but us yet.\n",
}


def forge(site: Live, change: Callable[[dict[str, dict[str, Any]]], None]) -> None:
    with site.workspace() as workspace:
        file = workspace.manifest_path
    known = json.loads(file.read_text())
    records = {record["path"]: record for record in known["records"]}
    change(records)
    known["records"] = [records[path] for path in sorted(records)]
    file.write_text(json.dumps(known))


def fresh(site: Live) -> None:
    for notes in (site.root / ".git/pressync").glob("*.log"):
        notes.unlink()


def test_a_revived_path_with_a_foreign_id_deletes_nothing(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit(numbered(3))
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    old: dict[str, Any] = {}
    forge(site, old.update)
    repository.remove(GONE)
    repository.commit()
    site.sync()
    foreign = eyes.make(title="The imprint", content="<p>Who we are</p>", status="publish")
    forge(site, lambda records: records.update({GONE: {**old[GONE], "id": foreign}}))
    repository.commit({OTHER: "# Number 2\n\nAn innocent edit of page 2.\n"})
    for _ in range(2):
        run = site.sync()
        assert results(run)[GONE] == "blocked"
        assert eyes.row(foreign)["status"] == "publish"
        fresh(site)


@pytest.mark.parametrize("user", ["admin", "editor"])
def test_what_wordpress_makes_of_a_page_is_still_that_page(
    wordpress: Site, line: Line, repository: SampleRepository, user: str
) -> None:
    repository.commit(BENT)
    site = live(repository, line, wordpress, user)
    assert set(results(site.sync()).values()) == {"done"}
    fresh(site)
    for path, text in BENT.items():
        repository.write(path, text + "\nAnd one more line.\n")
    repository.commit()
    assert set(results(site.sync()).values()) == {"done"}
    fresh(site)
    repository.remove(*BENT)
    repository.commit({"content/pages/stays.md": "# Stays\n"})
    assert set(results(site.sync()).values()) == {"done"}
    assert set(site.entries()) == {"content/pages/stays.md"}
