"""The keys of pressync.toml: none without a description, and each example and default is accepted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pressync.config.keys import SITE, TOP
from pressync.config.settings_file import read
from pressync.content.front_matter.serialize import toml_value

if TYPE_CHECKING:
    from pressync.config.keys import Key

GUIDE = Path(__file__).parents[3] / "content/pages/configuration.md"
KEYS = [("", name, key) for name, key in TOP.items()] + [
    ("[sites.live]\n", name, key) for name, key in SITE.items()
]


@pytest.mark.parametrize(
    ("table", "name", "key"), KEYS, ids=[f"{table[1:-2]} {name}" for table, name, _ in KEYS]
)
def test_a_key_is_described_and_its_examples_are_accepted(table: str, name: str, key: Key) -> None:
    assert key.description.endswith(".")
    assert len(key.description) <= 220
    values = [*key.examples, *key.choices, *([] if key.default is None else [key.default])]
    assert values
    for value in values:
        assert isinstance(value, key.types)
        read(f"{table}{name} = {toml_value(value)}\n", "pressync.toml")
        texts = value if isinstance(value, list) else [value]
        assert all(re.search(key.shape, text) for text in texts if isinstance(text, str))


@pytest.mark.parametrize("name", sorted({*TOP, *SITE} - {"sites"}))
def test_the_guide_has_each_key(name: str) -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    assert re.search(rf"^\|[^|]*`\[?{name}\]?`", guide, re.MULTILINE), f"{GUIDE.name} has no row of {name}"
