"""The options of `pressync preview`, one field per option."""

from __future__ import annotations

from typing import NamedTuple


class PreviewCommandOptions(NamedTuple):
    """The options of `preview`. It is not a dataclass, because to import `dataclasses` costs 5 ms."""

    path: str | None
    port: int | None
    drift: bool
    browser: bool
