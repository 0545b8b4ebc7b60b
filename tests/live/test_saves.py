"""Plug-ins that change a record in each save, on real WordPress: told once, and nobody's edit afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.live.live import Eyes, Live, live, messages

from pressync.app.revision import Revision
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

POST, HOME, PAGE = "content/posts/p.md", "content/pages/home.md", "content/pages/p.md"

# As Polylang does: one term is replaced by its translation, and a page of another language leaves its parent.
PLUGIN = """<?php
add_action('rest_after_insert_post', function ($post) {
    $names = wp_get_post_tags($post->ID, ['fields' => 'names']);
    if (in_array('colour', $names)) {
        wp_set_post_tags($post->ID, array_map(fn($name) => $name === 'colour' ? 'color' : $name, $names));
    }
});
add_filter('wp_insert_post_parent', function ($parent, $id, $post) {
    return str_contains($post['post_content'] ?? '', 'Otra') ? 0 : $parent;
}, 10, 3);
"""


@pytest.fixture(autouse=True)
def plugin(wordpress: Site) -> Iterator[None]:
    """Give the site a plug-in that must be used."""
    folder = wordpress.folder / "usr/share/wordpress/wp-content/mu-plugins"
    folder.mkdir(exist_ok=True)
    (folder / "saves.php").write_text(PLUGIN, encoding="utf-8")
    yield
    (folder / "saves.php").unlink()


def nothing_left(site: Live) -> bool:
    with site.workspace() as workspace:
        return not workspace.plan_with_drift(Revision(), PlanOptions()).plan.pending


def test_a_term_that_is_translated_is_told_once(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    site = live(repository, line, wordpress)
    repository.commit({POST: "---\ntags: [colour, old]\n---\nText.\n"})
    assert messages(site.sync())[POST].startswith("tags: changed by the service from ")
    assert nothing_left(site)
    repository.commit({POST: "---\ntags: [colour, old]\n---\nAnother text.\n"})
    assert messages(site.sync()) == {POST: ""}
    assert nothing_left(site)
    (row,) = Eyes(wordpress).rows("post").values()
    assert len(row["tags"]) == 2


def test_a_page_that_leaves_its_parent_in_our_save_is_told_once(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    site = live(repository, line, wordpress)
    text = f"---\nparent: {HOME}\n---\n# P\n\n"
    repository.commit({HOME: "# Home\n", PAGE: f"{text}Text.\n"})
    site.sync()
    repository.commit({PAGE: f"{text}Otra.\n"})
    assert messages(site.sync()) == {
        PAGE: "parent: changed by the service to '0', as an effect of this update"
    }
    assert nothing_left(site)
    assert site.sync().outcomes == ()
