"""The scripts and styles of our pages, and their names in a policy."""

from __future__ import annotations

import json

from pressync.app import page_parts


def test_a_policy_names_a_script_by_its_digest() -> None:
    assert page_parts.allowed("alert(1)") == "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"


def test_the_script_has_the_styles_of_its_frames() -> None:
    script = page_parts.script("tail()")
    assert json.dumps(page_parts.part("frame.css")) in script
    assert "FRAME_CSS" not in script
    assert script.endswith("tail()")


def test_nothing_of_ours_loads_anything() -> None:
    for name in ("comparison.js", "comparison.css", "frame.css"):
        assert not {"http:", "https:", "url(", "@import"} & set(page_parts.part(name).split())
