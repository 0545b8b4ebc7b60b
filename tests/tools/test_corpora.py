"""Real trees, built by their own tools and imported: each page says the same, or differs for a reason."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.support.corpora import unpack
from tests.support.share import share
from tests.tools.builders import build
from tests.tools.judge import compared
from tests.tools.stubs import STUBS, shortcodes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("name", share(tuple(STUBS), 3))
def test_each_page_of_a_real_tree_says_the_same_or_differs_for_a_reason(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    stubs, source = STUBS[name], unpack(name, tmp_path / "tree")
    further = shortcodes(source) if stubs.tool == "hugo" else {}
    built = build(stubs.tool, source, tmp_path / "build", {**further, **stubs.files}, stubs.words)
    assert not built.ended
    result = compared(source, built.folder, tmp_path / "repository")
    patterns = {re.compile(pattern, re.DOTALL): why for pattern, why in stubs.accepted.items()}
    reasons, without = Counter[str](), list[str]()
    for page in result["pages"]:
        for each in page["differences"]:
            said = f"{page['address']} {each['kind']}: {each['old']} -> {each['new']}"
            why = next((why for pattern, why in patterns.items() if pattern.search(said)), "")
            reasons[why] += 1
            if not why and each["kind"] != "language":
                without.append(said)
    record_property(f"{name}: pages", result["counts"])
    record_property(f"{name}: kinds", result["kinds"])
    record_property(f"{name}: reasons", dict(reasons))
    assert len(without) <= stubs.open, without
