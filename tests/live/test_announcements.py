"""A plug-in that decides late, as Jetpack does, finds its custom field set on real WordPress."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.live.live import Eyes, live, numbered
from tests.support.undoing import rolled_back

from pressync.app.revision import Revision
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

QUIET, NEWS = "_jetpack_dont_email_post_to_subs", "content/posts/q-news.md"

# Registers the field as Jetpack does, and notes in `told` at which hook a post that appears is quiet.
PLUGIN = f"""<?php
add_action('init', function () {{
    $seen = ['show_in_rest' => true, 'auth_callback' => '__return_true'];
    register_post_meta('post', '{QUIET}', $seen + ['single' => true, 'type' => 'boolean']);
    register_post_meta('post', 'told', $seen + ['single' => false, 'type' => 'string']);
}});
function note($hook, $post) {{
    $quiet = get_post_meta($post->ID, '{QUIET}', true);
    add_post_meta($post->ID, 'told', $hook . ($quiet ? ' quiet' : ' loud'));
}}
add_action('transition_post_status', function ($new, $old, $post) {{
    if ($new === 'publish' && $old !== 'publish') {{
        note('early', $post);
        $GLOBALS['appeared'][$post->ID] = true;
    }}
}}, 10, 3);
add_action('wp_after_insert_post', function ($id, $post) {{
    if (isset($GLOBALS['appeared'][$id])) {{
        note('late', $post);
        unset($GLOBALS['appeared'][$id]);
    }}
}}, 11, 2);
"""


@pytest.fixture(autouse=True)
def plugin(wordpress: Site) -> Iterator[None]:
    """Give the site a plug-in that must be used."""
    folder = wordpress.folder / "usr/share/wordpress/wp-content/mu-plugins"
    folder.mkdir(exist_ok=True)
    (folder / "quiet.php").write_text(PLUGIN, encoding="utf-8")
    yield
    (folder / "quiet.php").unlink()


def told(eyes: Eyes) -> list[list[str]]:
    return [sorted(row["meta"]["told"]) for _, row in sorted(eyes.rows("post").items())]


def test_many_posts_and_one_that_comes_back_are_quiet_when_a_plug_in_decides_late(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    repository.commit({NEWS: "# News\n"})
    site.sync()
    loud, late = ["early loud", "late loud"], ["early loud", "late quiet"]
    assert told(eyes) == [loud]
    repository.commit(numbered(6, kind="post"))
    site.sync()
    assert told(eyes) == [loud, *[late] * 6]
    with site.workspace() as workspace:
        assert not workspace.plan(Revision(), PlanOptions(), drift=True).plan.pending
    repository.remove(NEWS)
    repository.commit({"content/pages/q.md": "# Q\n"})
    site.sync()
    rolled_back(site)
    assert told(eyes)[0] == sorted([*loud, *late])
    assert not site.plan(PlanOptions(again=True)).refusals


def test_with_notify_it_tells_of_each(wordpress: Site, line: Line, repository: SampleRepository) -> None:
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    repository.commit(numbered(4, kind="post"))
    site.sync(PlanOptions(notify=True))
    assert told(eyes) == [["early loud", "late loud"]] * 4
