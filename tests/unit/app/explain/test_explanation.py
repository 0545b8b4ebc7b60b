"""The parts of an explanation: their names are those of the JSON schema."""

from __future__ import annotations

import json
from importlib.resources import files

from pressync.app.explain.explanation import FieldState, ValueSource

SCHEMA = json.loads(files("pressync").joinpath("schemas", "explain.json").read_text(encoding="utf-8"))


def test_the_schema_has_every_source_and_every_state() -> None:
    assert SCHEMA["$defs"]["from"]["enum"] == [source.value for source in ValueSource]
    states = SCHEMA["properties"]["fields"]["items"]["properties"]["state"]["enum"]
    assert states == [state.value for state in FieldState]
