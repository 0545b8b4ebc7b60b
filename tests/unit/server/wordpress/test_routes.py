"""Each path has the methods of WordPress, and no other."""

from __future__ import annotations

import pytest

from pressync.server.wordpress.routes import methods


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("/", "GET"),
        ("/batch/v1", "POST"),
        ("/wp/v2/pages", "GET POST"),
        ("/wp/v2/media/7", "GET POST PUT PATCH DELETE"),
        ("/wp/v2/users/me", "GET"),
        ("/wp/v2/pages/me", ""),
        ("/wp/v2/pages/x", ""),
        ("/wp/v2/pages/7/revisions", ""),
        ("/wp/v2/comments", ""),
    ],
)
def test_a_path_has_its_methods(path: str, known: str) -> None:
    assert " ".join(methods(path)) == known
