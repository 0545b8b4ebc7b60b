"""A manifest that is refused, and the message of the refusal."""

from __future__ import annotations

import json

import pytest

from pressync.model.errors import ManifestError
from pressync.state.manifest.codec import decode


def refusal(text: str) -> str:
    """Give the message with which a manifest is refused."""
    with pytest.raises(ManifestError) as caught:
        decode(text, where="m.json")
    return str(caught.value)


def with_records(*records: object) -> str:
    """Write a manifest with these records."""
    return json.dumps({"version": 1, "target": "t", "records": records})
