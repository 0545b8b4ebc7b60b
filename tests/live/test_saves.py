"""Plug-ins that change a record in each save, on real WordPress: told once, and nobody's edit afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.live.live import Eyes, Live, live, messages, results

from pressync.app.revision import Revision
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

POST, HOME, PAGE = "content/posts/p.md", "content/pages/home.md", "content/pages/p.md"

# As Polylang does: one term is replaced by its translation, and a page of another language leaves its parent.
# As a clean-up does: one term is deleted in the save of a post that has it.
# Other plug-ins keep a page public or bring it back.
PLUGIN = """<?php
add_action('rest_after_insert_post', function ($post) {
    $names = wp_get_post_tags($post->ID, ['fields' => 'names']);
    if (in_array('colour', $names)) {
        wp_set_post_tags($post->ID, array_map(fn($name) => $name === 'colour' ? 'color' : $name, $names));
    }
    foreach (get_terms(['taxonomy' => 'post_tag', 'name' => 'hue', 'hide_empty' => false]) as $term) {
        if (has_term($term->term_id, 'post_tag', $post)) {
            wp_delete_term($term->term_id, 'post_tag');
        }
    }
});
add_filter('wp_insert_post_parent', function ($parent, $id, $post) {
    return str_contains($post['post_content'] ?? '', 'Otra') ? 0 : $parent;
}, 10, 3);
add_filter('wp_insert_post_data', function ($post, $given) {
    $is_kept = str_contains($post['post_content'], 'Stays') && ($given['ID'] ?? 0);
    return $is_kept ? ['post_status' => get_post_status($given['ID'])] + $post : $post;
}, 10, 2);
add_filter('wp_untrash_post_status', fn($new, $id, $before) => $before, 10, 3);
add_action('trashed_post', function ($id) {
    if (str_contains(get_post($id)->post_content, 'Stays')) {
        wp_untrash_post($id);
    }
});
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
        return not workspace.plan(Revision(), PlanOptions(), drift=True).plan.pending


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


def test_a_term_that_is_deleted_in_our_save_is_told_once_and_not_made_again(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    site = live(repository, line, wordpress)
    repository.commit({POST: "---\ntags: [hue, old]\n---\nText.\n"})
    assert messages(site.sync())[POST].startswith("tags: changed by the service from ")
    assert nothing_left(site)
    repository.commit({POST: "---\ntitle: Another\ntags: [hue, old]\n---\nText.\n"})
    assert messages(site.sync()) == {POST: ""}
    assert nothing_left(site)
    (row,) = Eyes(wordpress).rows("post").values()
    assert len(row["tags"]) == 1
    assert "hue" not in Eyes(wordpress).terms("tags").values()


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


def test_a_page_that_stays_public_fails_each_time(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    repository.commit({PAGE: "# P\n\nStays.\n", HOME: "# Home\n"})
    site.sync()
    repository.commit({PAGE: "---\nstatus: draft\n---\n# P\n\nStays, as it was edited.\n"})
    told = [messages(site.sync())[PAGE] for _ in range(2)]
    assert "still has its former status 'publish'" in told[0]
    assert "has nothing of what was sent (status)" in told[1], "the text was taken, and is not sent again"
    (row,) = (row for row in eyes.rows("page").values() if row["slug"] == "p")
    assert (row["status"], "edited" in row["content"]["raw"]) == ("publish", True)


def test_a_page_that_comes_back_from_the_trash_is_not_deleted(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    site = live(repository, line, wordpress)
    repository.commit({PAGE: "# P\n\nStays.\n", HOME: "# Home\n"})
    site.sync()
    repository.remove(PAGE)
    repository.commit()
    run = site.sync()
    assert results(run) == {PAGE: "failed"}
    assert "is not in the trash after the delete" in messages(run)[PAGE]
    # WordPress has not given the slug back.
    assert results(site.sync()) == {PAGE: "blocked"}
